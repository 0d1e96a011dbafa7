#include "outputs.h"

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
TYPE(filum, RodStates)
TYPE(filum, ArmStates)
TYPE(sensor_msgs, JointState)
TYPE(filum, ContactWrenches)
TYPE(filum, Probes)
TYPE(filum, StepInfo)
TYPE(visualization_msgs, MarkerArray)
TYPE(diagnostic_msgs, DiagnosticArray)
#undef TYPE

static const FilOutputTopic topics[FIL_TOPIC_COUNT] = {
    [FIL_TOPIC_CLOCK] = {"/clock", 10, false, "rosgraph_msgs/msg/Clock", type_of_Clock},
    [FIL_TOPIC_TF] = {"/tf", 100, false, "tf2_msgs/msg/TFMessage", type_of_TFMessage},
    [FIL_TOPIC_TF_STATIC] = {"/tf_static", 1, true, "tf2_msgs/msg/TFMessage", type_of_TFMessage},
    [FIL_TOPIC_ROD_STATES] = {"rod_states", 10, false, "filum/msg/RodStates", type_of_RodStates},
    [FIL_TOPIC_ARM_STATES] = {"arm_states", 10, false, "filum/msg/ArmStates", type_of_ArmStates},
    [FIL_TOPIC_JOINT_STATES] = {"joint_states", 10, false, "sensor_msgs/msg/JointState", type_of_JointState},
    [FIL_TOPIC_CONTACT_WRENCHES] = {"contact_wrenches", 10, false, "filum/msg/ContactWrenches",
                                    type_of_ContactWrenches},
    [FIL_TOPIC_PROBES] = {"probes", 10, false, "filum/msg/Probes", type_of_Probes},
    [FIL_TOPIC_STEP_INFO] = {"step_info", 10, false, "filum/msg/StepInfo", type_of_StepInfo},
    [FIL_TOPIC_MARKERS] = {"markers", 10, false, "visualization_msgs/msg/MarkerArray", type_of_MarkerArray},
    [FIL_TOPIC_DIAGNOSTICS] = {"/diagnostics", 10, false, "diagnostic_msgs/msg/DiagnosticArray",
                               type_of_DiagnosticArray},
};

const FilOutputTopic* fil_output_topic(FilTopicId topic)
{
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

/* ---- sending ---- */

/* Whether a rate asks for something now. Steps fall on multiples of dt: half a step early is closer than half a step
 * late. A schedule that lags, or that a reset left in the future, starts anew. */
static bool is_due(FilSchedule* schedule, double time, double dt, bool all)
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

static void send_markers(FilOutputs* outputs, const FilSimulation* simulation, FilOutputSend send, void* context)
{
    if (outputs->drawn_load != simulation->load_count) {
        send(context, FIL_TOPIC_MARKERS, &outputs->messages.no_markers);
        outputs->drawn_load = simulation->load_count;
    }
    fil_fill_markers(&outputs->messages, simulation);
    send(context, FIL_TOPIC_MARKERS, &outputs->messages.markers);
}

static bool send_states(FilOutputs* outputs, const FilSimulation* simulation, bool looked_at, FilOutputSend send,
                        void* context)
{
    FilStateMessages* messages = &outputs->messages;
    bool done = true;
    if (messages->rod_states.rods.size > 0) {
        fil_fill_rod_states(messages, simulation);
        send(context, FIL_TOPIC_ROD_STATES, &messages->rod_states);
    }
    if (messages->arm_states.arms.size > 0) {
        fil_fill_arm_states(messages, simulation);
        send(context, FIL_TOPIC_ARM_STATES, &messages->arm_states);
    }
    if (messages->joint_states.name.size > 0) {
        fil_fill_joint_states(messages, simulation);
        send(context, FIL_TOPIC_JOINT_STATES, &messages->joint_states);
    }
    if (fil_has_contact(simulation)) {
        done = fil_fill_contacts(messages, simulation);
        if (done) {
            send(context, FIL_TOPIC_CONTACT_WRENCHES, &messages->contacts);
        }
    }
    if (messages->probes.names.size > 0) {
        fil_fill_probes(messages, simulation);
        send(context, FIL_TOPIC_PROBES, &messages->probes);
    }
    fil_fill_step_info(messages, simulation);
    send(context, FIL_TOPIC_STEP_INFO, &messages->step_info);
    if (looked_at) {
        send_markers(outputs, simulation, send, context);
    }
    return done;
}

bool fil_outputs_update(FilOutputs* outputs, const FilSimulation* simulation, bool all, bool looked_at,
                        FilOutputSend send, void* context)
{
    FilStateMessages* messages = &outputs->messages;
    const double time = fil_world_time(simulation->world);
    const double dt = fil_world_dt(simulation->world);
    if (!fil_state_messages_fit(messages, simulation, outputs->node_frames)) {
        return false;
    }
    // the clock first: what follows is stamped with a time that listeners then know
    if (is_due(&outputs->clock, time, dt, all)) {
        fil_fill_clock(messages, simulation);
        send(context, FIL_TOPIC_CLOCK, &messages->clock);
    }
    if (outputs->fixed_load != simulation->load_count && messages->static_transforms.transforms.size > 0) {
        fil_fill_static_transforms(messages, simulation);
        send(context, FIL_TOPIC_TF_STATIC, &messages->static_transforms);
    }
    outputs->fixed_load = simulation->load_count;
    if (is_due(&outputs->transforms, time, dt, all) && messages->transforms.transforms.size > 0) {
        fil_fill_transforms(messages, simulation);
        send(context, FIL_TOPIC_TF, &messages->transforms);
    }
    return !is_due(&outputs->states, time, dt, all) || send_states(outputs, simulation, looked_at, send, context);
}
