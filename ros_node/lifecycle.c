#include "lifecycle.h"

#include <string.h>

#include "lifecycle_msgs/msg/state.h"
#include "lifecycle_msgs/msg/transition.h"
#include "lifecycle_msgs/msg/transition_description.h"
#include "messages.h"
#include "node.h"
#include "node_world.h"
#include "polled_service.h"

/* ---- what transitions do ---- */

static bool configure(FilNode* node)
{
    node->simulation.held = true;
    node->control.changed = true;
    return fil_node_load(node);
}

static bool activate(FilNode* node)
{
    FilSimulation* simulation = &node->simulation;
    simulation->held = false;
    // one that has failed, or starts paused, becomes active and stands
    fil_simulation_set_paused(simulation, simulation->failed || fil_parameters_find(&node->parameters, "start_paused")->value.boolean);
    node->control.changed = true;
    return true;
}

static bool deactivate(FilNode* node)
{
    fil_simulation_set_paused(&node->simulation, true);
    node->simulation.held = true;
    node->control.changed = true;
    return true;
}

static bool clean_up(FilNode* node)
{
    fil_node_unload(node);
    return true;
}

#define TRANSITION(name) lifecycle_msgs__msg__Transition__TRANSITION_##name

/* by the transition that begins them; false: it has failed, and the state is the one before */
static const struct {
    unsigned id;
    bool (*run)(FilNode* node);
} transitions[] = {
    {TRANSITION(CONFIGURE), configure},
    {TRANSITION(ACTIVATE), activate},
    {TRANSITION(DEACTIVATE), deactivate},
    {TRANSITION(CLEANUP), clean_up},
    {TRANSITION(UNCONFIGURED_SHUTDOWN), clean_up},
    {TRANSITION(INACTIVE_SHUTDOWN), clean_up},
    {TRANSITION(ACTIVE_SHUTDOWN), clean_up},
};

static bool is_shutdown(unsigned id)
{
    return id == TRANSITION(UNCONFIGURED_SHUTDOWN) || id == TRANSITION(INACTIVE_SHUTDOWN) || id == TRANSITION(ACTIVE_SHUTDOWN);
}

static bool run(FilNode* node, unsigned id)
{
    for (size_t i = 0; i < sizeof transitions / sizeof *transitions; i++) {
        if (transitions[i].id == id) {
            return transitions[i].run(node);
        }
    }
    return false;
}

static bool change_state(FilLifecycle* lifecycle, const lifecycle_msgs__msg__Transition* wanted)
{
    rcl_lifecycle_state_machine_t* machine = &lifecycle->machine;
    const char* logger = lifecycle->node->logger;
    // as rclcpp reads it: by number, or by label where that is given without one
    const bool by_label = wanted->id == 0 && wanted->label.size > 0;
    const rcl_lifecycle_transition_t* transition = by_label ? rcl_lifecycle_get_transition_by_label(machine->current_state, wanted->label.data)
                                                            : rcl_lifecycle_get_transition_by_id(machine->current_state, wanted->id);
    FilError refusal;
    if (transition == NULL) {
        rcl_reset_error();
        RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, logger, "no transition %u '%.40s' begins in the state %s", (unsigned)wanted->id,
                                        wanted->label.data, machine->current_state->label);
        return false;
    }
    const unsigned id = transition->id;
    if (is_shutdown(id) && !fil_boundary_may_quit(&lifecycle->node->boundary, &refusal)) {
        return false;
    }
    if (!fil_ros_ok(rcl_lifecycle_trigger_transition_by_id(machine, (uint8_t)id, true), logger, "~/transition_event")) {
        return false;
    }
    const bool done = run(lifecycle->node, id);
    const char* label = done ? rcl_lifecycle_transition_success_label : rcl_lifecycle_transition_failure_label;
    fil_ros_ok(rcl_lifecycle_trigger_transition_by_label(machine, label, true), logger, "~/transition_event");
    RCUTILS_LOG_INFO_NAMED(logger, "the node is %s", machine->current_state->label);
    // what counts for the start only can be chosen anew while there is no world
    fil_parameters_find(&lifecycle->node->parameters, "scene")->read_only =
        machine->current_state->id != lifecycle_msgs__msg__State__PRIMARY_STATE_UNCONFIGURED;
    return done;
}

/* ---- answers ---- */

static void write_state(const rcl_lifecycle_state_t* state, lifecycle_msgs__msg__State* message)
{
    message->id = state->id;
    rosidl_runtime_c__String__assign(&message->label, state->label);
}

static void write_transitions(const rcl_lifecycle_transition_t* from, unsigned count, lifecycle_msgs__srv__GetAvailableTransitions_Response* response)
{
    if (!lifecycle_msgs__msg__TransitionDescription__Sequence__init(&response->available_transitions, count)) {
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        lifecycle_msgs__msg__TransitionDescription* description = &response->available_transitions.data[i];
        description->transition.id = (uint8_t)from[i].id;
        rosidl_runtime_c__String__assign(&description->transition.label, from[i].label);
        write_state(from[i].start, &description->start_state);
        write_state(from[i].goal, &description->goal_state);
    }
}

static void answer_change_state(FilLifecycle* lifecycle)
{
    lifecycle->change_state_response.success = change_state(lifecycle, &lifecycle->change_state_request.transition);
}

static void answer_get_state(FilLifecycle* lifecycle)
{
    write_state(lifecycle->machine.current_state, &lifecycle->get_state_response.current_state);
}

static void answer_get_available_states(FilLifecycle* lifecycle)
{
    const rcl_lifecycle_transition_map_t* map = &lifecycle->machine.transition_map;
    lifecycle_msgs__msg__State__Sequence* states = &lifecycle->get_available_states_response.available_states;
    if (lifecycle_msgs__msg__State__Sequence__init(states, map->states_size)) {
        for (unsigned i = 0; i < map->states_size; i++) {
            write_state(&map->states[i], &states->data[i]);
        }
    }
}

static void answer_get_available_transitions(FilLifecycle* lifecycle)
{
    const rcl_lifecycle_state_t* state = lifecycle->machine.current_state;
    write_transitions(state->valid_transitions, state->valid_transition_size, &lifecycle->get_available_transitions_response);
}

static void answer_get_transition_graph(FilLifecycle* lifecycle)
{
    const rcl_lifecycle_transition_map_t* map = &lifecycle->machine.transition_map;
    write_transitions(map->transitions, map->transitions_size, &lifecycle->get_transition_graph_response);
}

void fil_lifecycle_update(FilLifecycle* lifecycle)
{
    if (lifecycle->node == NULL) {
        return;
    }
#define SERVE(type, name)                                                                                                                         \
    FIL_SERVE(lifecycle_msgs__srv__##type, &lifecycle->machine.com_interface.srv_##name, &lifecycle->name##_request, &lifecycle->name##_response, \
              lifecycle->node->logger, "~/" #name, answer_##name(lifecycle));
    FIL_LIFECYCLE_SERVICES(SERVE)
#undef SERVE
}

/* ---- life ---- */

bool fil_lifecycle_init(FilLifecycle* lifecycle, FilNode* node)
{
    memset(lifecycle, 0, sizeof *lifecycle);
    lifecycle->machine = rcl_lifecycle_get_zero_initialized_state_machine();
    if (!fil_parameters_find(&node->parameters, "managed")->value.boolean) {
        return true;
    }
    bool done = true;
#define INIT(type, name)                                                                    \
    done = lifecycle_msgs__srv__##type##_Request__init(&lifecycle->name##_request) && done; \
    done = lifecycle_msgs__srv__##type##_Response__init(&lifecycle->name##_response) && done;
    FIL_LIFECYCLE_SERVICES(INIT)
#undef INIT
#define SERVICE(type) ROSIDL_GET_SRV_TYPE_SUPPORT(lifecycle_msgs, srv, type)
    const rcl_lifecycle_state_machine_options_t options = rcl_lifecycle_get_default_state_machine_options();
    done = done && fil_ros_ok(rcl_lifecycle_state_machine_init(&lifecycle->machine, &node->node,
                                                               ROSIDL_GET_MSG_TYPE_SUPPORT(lifecycle_msgs, msg, TransitionEvent),
                                                               SERVICE(ChangeState), SERVICE(GetState), SERVICE(GetAvailableStates),
                                                               SERVICE(GetAvailableTransitions), SERVICE(GetAvailableTransitions), &options),
                              node->logger, "lifecycle");
#undef SERVICE
    lifecycle->node = node;
    return done;
}

void fil_lifecycle_fini(FilLifecycle* lifecycle)
{
    if (lifecycle->node == NULL) {
        return;
    }
    if (lifecycle->machine.current_state != NULL) {
        fil_ros_ok(rcl_lifecycle_state_machine_fini(&lifecycle->machine, &lifecycle->node->node), lifecycle->node->logger, "lifecycle");
    }
#define FINI(type, name)                                                       \
    lifecycle_msgs__srv__##type##_Response__fini(&lifecycle->name##_response); \
    lifecycle_msgs__srv__##type##_Request__fini(&lifecycle->name##_request);
    FIL_LIFECYCLE_SERVICES(FINI)
#undef FINI
}
