/* Services that start, stop, step and reset the simulation: ~/pause, ~/step, ~/reset.
 *
 * A request to step is not answered inside the executor: the answer is sent when the step is done, which may need
 * further commands to arrive first.
 */
#ifndef FILUM_NODE_CONTROL_H
#define FILUM_NODE_CONTROL_H

#include "rcl/rcl.h"
#include "rclc/executor.h"
#include "std_srvs/srv/set_bool.h"
#include "std_srvs/srv/trigger.h"
#include "view/simulation.h"

enum { FIL_CONTROL_SERVICES = 2 }; /* handles of the executor that control needs: pause and reset */

typedef struct FilControl {
    const char* logger;
    FilSimulation* simulation;
    rcl_service_t pause, step, reset;
    std_srvs__srv__SetBool_Request pause_request;
    std_srvs__srv__SetBool_Response pause_response;
    std_srvs__srv__Trigger_Request step_request, reset_request;
    std_srvs__srv__Trigger_Response step_response, reset_response;
    rmw_request_id_t step_caller; /* who waits for a step, while step_pending */
    bool step_pending;
    const char* step_refusal; /* why a pending step was given up; NULL: it was not */
    bool changed;             /* the state has changed other than by running: it is to be published */
} FilControl;

/* Failures are logged. */
bool fil_control_init(FilControl* control, rcl_node_t* node, rclc_executor_t* executor, FilSimulation* simulation);
void fil_control_fini(FilControl* control, rcl_node_t* node);

/* Takes a request to step, or answers one whose step is done. To be called once per turn of the main loop. */
void fil_control_update(FilControl* control);

#endif
