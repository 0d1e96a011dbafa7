/* The lifecycle of a managed node: others configure it (the scene is loaded), activate it (time runs), deactivate it (time stands), clean
 * it up (there is no world any more) and shut it down, by the services of lifecycle_msgs. A node that is not managed has none of these and
 * starts by itself. */
#ifndef FILUM_NODE_LIFECYCLE_H
#define FILUM_NODE_LIFECYCLE_H

#include "lifecycle_msgs/srv/change_state.h"
#include "lifecycle_msgs/srv/get_available_states.h"
#include "lifecycle_msgs/srv/get_available_transitions.h"
#include "lifecycle_msgs/srv/get_state.h"
#include "rcl_lifecycle/rcl_lifecycle.h"

struct FilNode;

/* Type, name as in rcl_lifecycle's com_interface. */
#define FIL_LIFECYCLE_SERVICES(ROW)                         \
    ROW(ChangeState, change_state)                          \
    ROW(GetState, get_state)                                \
    ROW(GetAvailableStates, get_available_states)           \
    ROW(GetAvailableTransitions, get_available_transitions) \
    ROW(GetAvailableTransitions, get_transition_graph)

typedef struct FilLifecycle {
    struct FilNode* node; /* NULL: it is not managed */
    rcl_lifecycle_state_machine_t machine;
#define FIL_LIFECYCLE_MEMBERS(type, name)                 \
    lifecycle_msgs__srv__##type##_Request name##_request; \
    lifecycle_msgs__srv__##type##_Response name##_response;
    FIL_LIFECYCLE_SERVICES(FIL_LIFECYCLE_MEMBERS)
#undef FIL_LIFECYCLE_MEMBERS
} FilLifecycle;

/* Failures are logged; fil_lifecycle_fini() is due in any case. */
bool fil_lifecycle_init(FilLifecycle* lifecycle, struct FilNode* node);
void fil_lifecycle_fini(FilLifecycle* lifecycle);

/* Takes and answers requests. Once per turn of the main loop. */
void fil_lifecycle_update(FilLifecycle* lifecycle);

#endif
