#include "outputs.h"

#include <stddef.h>
#include <string.h>

#include "diagnostic_msgs/msg/diagnostic_array.h"

/* ---- topics ---- */

/* a function per type: type supports are found at run time */
#define TYPE(package, name)                                          \
    static const rosidl_message_type_support_t* type_of_##name(void) \
    {                                                                \
        return ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name);      \
    }
TYPE(rosgraph_msgs, Clock)
TYPE(tf2_msgs, TFMessage)
TYPE(filum, ContactWrenches)
TYPE(filum, Probes)
TYPE(filum, StepInfo)
TYPE(visualization_msgs, MarkerArray)
TYPE(diagnostic_msgs, DiagnosticArray)
#undef TYPE

/* Depths of histories: 10 as ROS 2's default profile, 100 and 1 for /tf and /tf_static as tf2_ros has them. */
static const FilOutputTopic topics[FIL_TOPIC_COUNT] = {
    [FIL_TOPIC_CLOCK] = {"/clock", 10, false, "rosgraph_msgs/msg/Clock", type_of_Clock},
    [FIL_TOPIC_TF] = {"/tf", 100, false, "tf2_msgs/msg/TFMessage", type_of_TFMessage},
    [FIL_TOPIC_TF_STATIC] = {"/tf_static", 1, true, "tf2_msgs/msg/TFMessage", type_of_TFMessage},
    [FIL_TOPIC_CONTACT_WRENCHES] = {"contact_wrenches", 10, false, "filum/msg/ContactWrenches", type_of_ContactWrenches},
    [FIL_TOPIC_PROBES] = {"probes", 10, false, "filum/msg/Probes", type_of_Probes},
    [FIL_TOPIC_STEP_INFO] = {"step_info", 10, false, "filum/msg/StepInfo", type_of_StepInfo},
    [FIL_TOPIC_MARKERS] = {"markers", 10, false, "visualization_msgs/msg/MarkerArray", type_of_MarkerArray},
    [FIL_TOPIC_DIAGNOSTICS] = {"/diagnostics", 10, false, "diagnostic_msgs/msg/DiagnosticArray", type_of_DiagnosticArray},
};

/* topics and messages of states, with their kinds */
static const struct {
    FilTopicId topic;
    FilMessageId message;
    FilKindId kind;
} states[] = {
#define STATES(KIND) {FIL_TOPIC_##KIND##_STATES, FIL_MESSAGE_##KIND##_STATES, FIL_KIND_##KIND},
#define NO_STATES(KIND)
#define ROW(kind, KIND, states) states(KIND)
    FIL_NODE_KINDS(ROW)
#undef ROW
#undef NO_STATES
#undef STATES
};
enum { STATES_COUNT = sizeof states / sizeof states[0] };

const FilOutputTopic* fil_output_topic(FilTopicId topic)
{
    for (int i = 0; i < STATES_COUNT; i++) {
        if (states[i].topic == topic) {
            return &fil_node_kind(states[i].kind)->states->topic;
        }
    }
    return &topics[topic];
}

/* ---- life ---- */

bool fil_outputs_init(FilOutputs* outputs)
{
    memset(outputs, 0, sizeof *outputs);
    outputs->states.rate = FIL_STATE_RATE;
    outputs->transforms.rate = FIL_TF_RATE;
    outputs->clock.rate = FIL_CLOCK_RATE;
    return fil_state_messages_init(&outputs->messages);
}

void fil_outputs_fini(FilOutputs* outputs)
{
    fil_state_messages_fini(&outputs->messages);
}

/* ---- what is due ---- */

/* Whether a rate asks for something now. Steps fall on multiples of dt: half a step early is closer than half a step
 * late. A schedule that lags, or that a reset left in the future, starts anew. */
bool fil_schedule_is_due(FilSchedule* schedule, double time, double dt, bool all)
{
    if (schedule->rate <= 0.0) {
        return false;
    }
    const double period = 1.0 / schedule->rate;
    if (!all && time + 0.5 * dt < schedule->next && schedule->next <= time + period + dt) {
        return false;
    }
    schedule->next = all || schedule->next + period < time ? time + period : schedule->next + period;
    return true;
}

/* whether there is anything to tell */
static FilMessageSet present(const FilStateMessages* messages, const FilSimulation* simulation)
{
    FilMessageSet set = 1u << FIL_MESSAGE_STEP_INFO;
    for (int i = 0; i < STATES_COUNT; i++) {
        set |= messages->objects[states[i].kind].entries > 0 ? 1u << states[i].message : 0;
    }
    set |= fil_has_contact(simulation) ? 1u << FIL_MESSAGE_CONTACT_WRENCHES : 0;
    set |= messages->probes.names.size > 0 ? 1u << FIL_MESSAGE_PROBES : 0;
    return set;
}

bool fil_outputs_plan(FilOutputs* outputs, const FilSimulation* simulation, bool all, bool looked_at, FilMessageSet* due)
{
    const FilStateMessages* messages = &outputs->messages;
    const double time = fil_world_time(simulation->world);
    const double dt = fil_world_dt(simulation->world);
    *due = 0;
    if (!fil_state_messages_fit(&outputs->messages, simulation, &outputs->frames)) {
        return false;
    }
    *due |= fil_schedule_is_due(&outputs->clock, time, dt, all) ? 1u << FIL_MESSAGE_CLOCK : 0;
    if (outputs->fixed_load != simulation->load_count && messages->static_transforms.transforms.size > 0) {
        *due |= 1u << FIL_MESSAGE_TF_STATIC;
    }
    outputs->fixed_load = simulation->load_count;
    if (fil_schedule_is_due(&outputs->transforms, time, dt, all) && messages->transforms.transforms.size > 0) {
        *due |= 1u << FIL_MESSAGE_TF;
    }
    if (fil_schedule_is_due(&outputs->states, time, dt, all)) {
        *due |= present(messages, simulation);
        if (looked_at) {
            *due |= outputs->drawn_load != simulation->load_count ? 1u << FIL_MESSAGE_NO_MARKERS : 0;
            *due |= 1u << FIL_MESSAGE_MARKERS;
            outputs->drawn_load = simulation->load_count;
        }
    }
    return true;
}

/* ---- filling and sending ---- */

/* how each message but those of states is filled, where it is, and where it goes */
static const struct {
    void (*fill)(FilStateMessages* messages, const FilSimulation* simulation); /* NULL: not so, or not at all */
    size_t offset;
    FilTopicId topic;
} contents[FIL_MESSAGE_COUNT] = {
#define ROW(fill, field, topic)                        \
    {                                                  \
        fill, offsetof(FilStateMessages, field), topic \
    }
    [FIL_MESSAGE_CLOCK] = ROW(fil_fill_clock, clock, FIL_TOPIC_CLOCK),
    [FIL_MESSAGE_TF_STATIC] = ROW(fil_fill_static_transforms, static_transforms, FIL_TOPIC_TF_STATIC),
    [FIL_MESSAGE_TF] = ROW(fil_fill_transforms, transforms, FIL_TOPIC_TF),
    [FIL_MESSAGE_CONTACT_WRENCHES] = ROW(NULL, contacts, FIL_TOPIC_CONTACT_WRENCHES),
    [FIL_MESSAGE_PROBES] = ROW(fil_fill_probes, probes, FIL_TOPIC_PROBES),
    [FIL_MESSAGE_STEP_INFO] = ROW(fil_fill_step_info, step_info, FIL_TOPIC_STEP_INFO),
    [FIL_MESSAGE_NO_MARKERS] = ROW(NULL, no_markers, FIL_TOPIC_MARKERS),
    [FIL_MESSAGE_MARKERS] = ROW(fil_fill_markers, markers, FIL_TOPIC_MARKERS),
#undef ROW
};

FilMessageSet fil_messages_fill(FilStateMessages* messages, const FilSimulation* simulation, FilMessageSet wanted)
{
    for (int i = 0; i < FIL_MESSAGE_COUNT; i++) {
        if ((wanted & 1u << i) != 0 && contents[i].fill != NULL) {
            contents[i].fill(messages, simulation);
        }
    }
    for (int i = 0; i < STATES_COUNT; i++) {
        if ((wanted & 1u << states[i].message) != 0) {
            fil_fill_states(messages, simulation, states[i].kind);
        }
    }
    // the only one that may grow
    const FilMessageSet contacts = 1u << FIL_MESSAGE_CONTACT_WRENCHES;
    return (wanted & contacts) != 0 && !fil_fill_contacts(messages, simulation) ? wanted & ~contacts : wanted;
}

void fil_message_send(const FilStateMessages* messages, FilMessageId id, FilOutputSend send, void* context)
{
    for (int i = 0; i < STATES_COUNT; i++) {
        if (states[i].message == id) {
            send(context, states[i].topic, messages->objects[states[i].kind].states);
            return;
        }
    }
    send(context, contents[id].topic, (const char*)messages + contents[id].offset);
}

bool fil_outputs_update(FilOutputs* outputs, const FilSimulation* simulation, bool all, bool looked_at, FilOutputSend send, void* context)
{
    FilMessageSet due;
    if (!fil_outputs_plan(outputs, simulation, all, looked_at, &due)) {
        return false;
    }
    // each is sent before the next is filled: who publishes waits less
    bool done = true;
    for (int i = 0; i < FIL_MESSAGE_COUNT; i++) {
        const FilMessageSet one = due & 1u << i;
        if (one != 0 && fil_messages_fill(&outputs->messages, simulation, one) == one) {
            fil_message_send(&outputs->messages, (FilMessageId)i, send, context);
        } else {
            done = done && one == 0;
        }
    }
    return done;
}
