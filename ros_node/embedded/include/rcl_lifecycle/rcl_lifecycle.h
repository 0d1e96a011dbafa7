/* The lifecycle of a managed node: its states, the transitions between them, and the services by which others ask for them. */
#ifndef RCL_LIFECYCLE__RCL_LIFECYCLE_H_
#define RCL_LIFECYCLE__RCL_LIFECYCLE_H_

#include "lifecycle_msgs/msg/transition_event.h"
#include "rcl/rcl.h"

typedef struct rcl_lifecycle_transition_s rcl_lifecycle_transition_t;

typedef struct rcl_lifecycle_state_s {
    const char* label;
    uint8_t id;
    rcl_lifecycle_transition_t* valid_transitions; /* that begin in it */
    unsigned int valid_transition_size;
} rcl_lifecycle_state_t;

struct rcl_lifecycle_transition_s {
    const char* label;
    unsigned int id;
    rcl_lifecycle_state_t *start, *goal;
};

typedef struct rcl_lifecycle_transition_map_s {
    rcl_lifecycle_state_t* states;
    unsigned int states_size;
    rcl_lifecycle_transition_t* transitions;
    unsigned int transitions_size;
} rcl_lifecycle_transition_map_t;

typedef struct rcl_lifecycle_com_interface_s {
    rcl_node_t* node_handle;
    rcl_publisher_t pub_transition_event;
    rcl_service_t srv_change_state;
    rcl_service_t srv_get_state;
    rcl_service_t srv_get_available_states;
    rcl_service_t srv_get_available_transitions;
    rcl_service_t srv_get_transition_graph;
    lifecycle_msgs__msg__TransitionEvent msg;
} rcl_lifecycle_com_interface_t;

typedef struct rcl_lifecycle_state_machine_options_s {
    bool initialize_default_states; /* always the case here */
    bool enable_com_interface;      /* likewise */
    rcl_allocator_t allocator;
} rcl_lifecycle_state_machine_options_t;

typedef struct rcl_lifecycle_state_machine_s {
    const rcl_lifecycle_state_t* current_state;
    rcl_lifecycle_transition_map_t transition_map;
    rcl_lifecycle_com_interface_t com_interface;
    rcl_lifecycle_state_machine_options_t options;
} rcl_lifecycle_state_machine_t;

/* What a transition is called that ends one on its way. */
extern const char* rcl_lifecycle_transition_success_label;
extern const char* rcl_lifecycle_transition_failure_label;
extern const char* rcl_lifecycle_transition_error_label;

rcl_lifecycle_state_machine_options_t rcl_lifecycle_get_default_state_machine_options(void);
rcl_lifecycle_state_machine_t rcl_lifecycle_get_zero_initialized_state_machine(void);

/* Makes ~/transition_event and the five services, and begins as unconfigured. Who has a service made answers its requests. */
RCL_WARN_UNUSED rcl_ret_t rcl_lifecycle_state_machine_init(
    rcl_lifecycle_state_machine_t* state_machine, rcl_node_t* node_handle, const rosidl_message_type_support_t* ts_pub_notify,
    const rosidl_service_type_support_t* ts_srv_change_state, const rosidl_service_type_support_t* ts_srv_get_state,
    const rosidl_service_type_support_t* ts_srv_get_available_states, const rosidl_service_type_support_t* ts_srv_get_available_transitions,
    const rosidl_service_type_support_t* ts_srv_get_transition_graph, const rcl_lifecycle_state_machine_options_t* state_machine_options);
RCL_WARN_UNUSED rcl_ret_t rcl_lifecycle_state_machine_fini(rcl_lifecycle_state_machine_t* state_machine, rcl_node_t* node_handle);

/* The transition that begins in a state; NULL: there is none. */
RCL_WARN_UNUSED const rcl_lifecycle_transition_t* rcl_lifecycle_get_transition_by_id(const rcl_lifecycle_state_t* state, uint8_t id);
RCL_WARN_UNUSED const rcl_lifecycle_transition_t* rcl_lifecycle_get_transition_by_label(const rcl_lifecycle_state_t* state, const char* label);

/* Enters the goal of a transition that begins in the current state, and tells it on ~/transition_event if asked to. */
RCL_WARN_UNUSED rcl_ret_t rcl_lifecycle_trigger_transition_by_id(rcl_lifecycle_state_machine_t* state_machine, uint8_t id, bool publish_notification);
RCL_WARN_UNUSED rcl_ret_t rcl_lifecycle_trigger_transition_by_label(rcl_lifecycle_state_machine_t* state_machine, const char* label,
                                                                    bool publish_notification);

#endif
