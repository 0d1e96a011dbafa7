/* The state machine of managed nodes, as rcl_lifecycle has it: the same states, transitions, labels and services. */
#include <string.h>

#include "lifecycle_msgs/msg/state.h"
#include "lifecycle_msgs/msg/transition.h"
#include "rcl/error_handling.h"
#include "rcl_lifecycle/rcl_lifecycle.h"
#include "rosidl_runtime_c/string_functions.h"

#define SUCCESS_LABEL "transition_success"
#define FAILURE_LABEL "transition_failure"
#define ERROR_LABEL "transition_error"

const char* rcl_lifecycle_transition_success_label = SUCCESS_LABEL;
const char* rcl_lifecycle_transition_failure_label = FAILURE_LABEL;
const char* rcl_lifecycle_transition_error_label = ERROR_LABEL;

/* ---- the states, and the transitions ordered by where they begin ---- */

enum { UNKNOWN, UNCONFIGURED, INACTIVE, ACTIVE, FINALIZED, CONFIGURING, CLEANINGUP, SHUTTINGDOWN, ACTIVATING, DEACTIVATING, ERRORPROCESSING, STATES };

static rcl_lifecycle_state_t states[STATES];

#define ROW(label, NAME, start, goal)                                                            \
    {                                                                                            \
        label, lifecycle_msgs__msg__Transition__TRANSITION_##NAME, &states[start], &states[goal] \
    }
#define ENDS(NAME, start, success, failure, error)                                                                    \
    ROW(SUCCESS_LABEL, ON_##NAME##_SUCCESS, start, success), ROW(FAILURE_LABEL, ON_##NAME##_FAILURE, start, failure), \
        ROW(ERROR_LABEL, ON_##NAME##_ERROR, start, error)

static rcl_lifecycle_transition_t transitions[] = {
    ROW("configure", CONFIGURE, UNCONFIGURED, CONFIGURING),
    ROW("shutdown", UNCONFIGURED_SHUTDOWN, UNCONFIGURED, SHUTTINGDOWN),
    ROW("cleanup", CLEANUP, INACTIVE, CLEANINGUP),
    ROW("activate", ACTIVATE, INACTIVE, ACTIVATING),
    ROW("shutdown", INACTIVE_SHUTDOWN, INACTIVE, SHUTTINGDOWN),
    ROW("deactivate", DEACTIVATE, ACTIVE, DEACTIVATING),
    ROW("shutdown", ACTIVE_SHUTDOWN, ACTIVE, SHUTTINGDOWN),
    ENDS(CONFIGURE, CONFIGURING, INACTIVE, UNCONFIGURED, ERRORPROCESSING),
    ENDS(CLEANUP, CLEANINGUP, UNCONFIGURED, INACTIVE, ERRORPROCESSING),
    ENDS(SHUTDOWN, SHUTTINGDOWN, FINALIZED, FINALIZED, ERRORPROCESSING),
    ENDS(ACTIVATE, ACTIVATING, ACTIVE, INACTIVE, ERRORPROCESSING),
    ENDS(DEACTIVATE, DEACTIVATING, INACTIVE, ACTIVE, ERRORPROCESSING),
    ENDS(ERROR, ERRORPROCESSING, UNCONFIGURED, FINALIZED, FINALIZED),
};
enum { TRANSITIONS = sizeof transitions / sizeof *transitions };

#define PRIMARY(NAME) lifecycle_msgs__msg__State__PRIMARY_STATE_##NAME
#define PASSING(NAME) lifecycle_msgs__msg__State__TRANSITION_STATE_##NAME

/* label, id, first of its transitions and their number */
static rcl_lifecycle_state_t states[STATES] = {
    [UNKNOWN] = {"unknown", PRIMARY(UNKNOWN), NULL, 0},
    [UNCONFIGURED] = {"unconfigured", PRIMARY(UNCONFIGURED), &transitions[0], 2},
    [INACTIVE] = {"inactive", PRIMARY(INACTIVE), &transitions[2], 3},
    [ACTIVE] = {"active", PRIMARY(ACTIVE), &transitions[5], 2},
    [FINALIZED] = {"finalized", PRIMARY(FINALIZED), NULL, 0},
    [CONFIGURING] = {"configuring", PASSING(CONFIGURING), &transitions[7], 3},
    [CLEANINGUP] = {"cleaningup", PASSING(CLEANINGUP), &transitions[10], 3},
    [SHUTTINGDOWN] = {"shuttingdown", PASSING(SHUTTINGDOWN), &transitions[13], 3},
    [ACTIVATING] = {"activating", PASSING(ACTIVATING), &transitions[16], 3},
    [DEACTIVATING] = {"deactivating", PASSING(DEACTIVATING), &transitions[19], 3},
    [ERRORPROCESSING] = {"errorprocessing", PASSING(ERRORPROCESSING), &transitions[22], 3},
};

/* ---- life ---- */

rcl_lifecycle_state_machine_options_t rcl_lifecycle_get_default_state_machine_options(void)
{
    return (rcl_lifecycle_state_machine_options_t){
        .initialize_default_states = true, .enable_com_interface = true, .allocator = rcl_get_default_allocator()};
}

rcl_lifecycle_state_machine_t rcl_lifecycle_get_zero_initialized_state_machine(void)
{
    return (rcl_lifecycle_state_machine_t){.options = rcl_lifecycle_get_default_state_machine_options()};
}

rcl_ret_t rcl_lifecycle_state_machine_init(
    rcl_lifecycle_state_machine_t* state_machine, rcl_node_t* node_handle, const rosidl_message_type_support_t* ts_pub_notify,
    const rosidl_service_type_support_t* ts_srv_change_state, const rosidl_service_type_support_t* ts_srv_get_state,
    const rosidl_service_type_support_t* ts_srv_get_available_states, const rosidl_service_type_support_t* ts_srv_get_available_transitions,
    const rosidl_service_type_support_t* ts_srv_get_transition_graph, const rcl_lifecycle_state_machine_options_t* state_machine_options)
{
    rcl_lifecycle_com_interface_t* com = &state_machine->com_interface;
    const struct {
        rcl_service_t* service;
        const rosidl_service_type_support_t* type;
        const char* name;
    } services[] = {
        {&com->srv_change_state, ts_srv_change_state, "~/change_state"},
        {&com->srv_get_state, ts_srv_get_state, "~/get_state"},
        {&com->srv_get_available_states, ts_srv_get_available_states, "~/get_available_states"},
        {&com->srv_get_available_transitions, ts_srv_get_available_transitions, "~/get_available_transitions"},
        {&com->srv_get_transition_graph, ts_srv_get_transition_graph, "~/get_transition_graph"},
    };
    state_machine->options = *state_machine_options;
    com->node_handle = node_handle;
    memset(&com->msg, 0, sizeof com->msg);
    const rcl_publisher_options_t options = rcl_publisher_get_default_options();
    const rcl_service_options_t service_options = rcl_service_get_default_options();
    rcl_ret_t ret = lifecycle_msgs__msg__TransitionEvent__init(&com->msg)
                        ? rcl_publisher_init(&com->pub_transition_event, node_handle, ts_pub_notify, "~/transition_event", &options)
                        : RCL_RET_BAD_ALLOC;
    for (size_t i = 0; ret == RCL_RET_OK && i < sizeof services / sizeof *services; i++) {
        ret = rcl_service_init(services[i].service, node_handle, services[i].type, services[i].name, &service_options);
    }
    if (ret != RCL_RET_OK) {
        const rcl_ret_t undone = rcl_lifecycle_state_machine_fini(state_machine, node_handle);
        (void)undone;  // the first error counts
        return ret;
    }
    state_machine->transition_map = (rcl_lifecycle_transition_map_t){states, STATES, transitions, TRANSITIONS};
    state_machine->current_state = &states[UNCONFIGURED];
    return RCL_RET_OK;
}

rcl_ret_t rcl_lifecycle_state_machine_fini(rcl_lifecycle_state_machine_t* state_machine, rcl_node_t* node_handle)
{
    rcl_lifecycle_com_interface_t* com = &state_machine->com_interface;
    rcl_service_t* const services[] = {&com->srv_get_transition_graph, &com->srv_get_available_transitions, &com->srv_get_available_states,
                                       &com->srv_get_state, &com->srv_change_state};
    rcl_ret_t ret = RCL_RET_OK;
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        ret = rcl_service_fini(services[i], node_handle) == RCL_RET_OK ? ret : RCL_RET_ERROR;
    }
    ret = rcl_publisher_fini(&com->pub_transition_event, node_handle) == RCL_RET_OK ? ret : RCL_RET_ERROR;
    lifecycle_msgs__msg__TransitionEvent__fini(&com->msg);
    memset(&com->msg, 0, sizeof com->msg);
    state_machine->current_state = NULL;
    state_machine->transition_map = (rcl_lifecycle_transition_map_t){0};
    return ret;
}

/* ---- transitions ---- */

const rcl_lifecycle_transition_t* rcl_lifecycle_get_transition_by_id(const rcl_lifecycle_state_t* state, uint8_t id)
{
    for (unsigned i = 0; i < state->valid_transition_size; i++) {
        if (state->valid_transitions[i].id == id) {
            return &state->valid_transitions[i];
        }
    }
    return NULL;
}

const rcl_lifecycle_transition_t* rcl_lifecycle_get_transition_by_label(const rcl_lifecycle_state_t* state, const char* label)
{
    for (unsigned i = 0; i < state->valid_transition_size; i++) {
        if (strcmp(state->valid_transitions[i].label, label) == 0) {
            return &state->valid_transitions[i];
        }
    }
    return NULL;
}

static rcl_ret_t trigger(rcl_lifecycle_state_machine_t* state_machine, const rcl_lifecycle_transition_t* transition, bool publish)
{
    if (transition == NULL) {
        RCL_SET_ERROR_MSG("no such transition begins in the current state");
        return RCL_RET_INVALID_ARGUMENT;
    }
    state_machine->current_state = transition->goal;
    lifecycle_msgs__msg__TransitionEvent* event = &state_machine->com_interface.msg;
    event->start_state.id = transition->start->id;
    event->goal_state.id = transition->goal->id;
    if (!publish) {
        return RCL_RET_OK;
    }
    if (!rosidl_runtime_c__String__assign(&event->start_state.label, transition->start->label) ||
        !rosidl_runtime_c__String__assign(&event->goal_state.label, transition->goal->label)) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    return rcl_publish(&state_machine->com_interface.pub_transition_event, event, NULL);
}

rcl_ret_t rcl_lifecycle_trigger_transition_by_id(rcl_lifecycle_state_machine_t* state_machine, uint8_t id, bool publish_notification)
{
    return trigger(state_machine, rcl_lifecycle_get_transition_by_id(state_machine->current_state, id), publish_notification);
}

rcl_ret_t rcl_lifecycle_trigger_transition_by_label(rcl_lifecycle_state_machine_t* state_machine, const char* label, bool publish_notification)
{
    return trigger(state_machine, rcl_lifecycle_get_transition_by_label(state_machine->current_state, label), publish_notification);
}
