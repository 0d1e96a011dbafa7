#include "control.h"

#include <stdio.h>
#include <string.h>

#include "messages.h"
#include "rclc/service.h"
#include "rmw/qos_profiles.h"

static void pause_or_go_on(const void* request_message, void* response_message, void* context)
{
    FilControl* control = context;
    const std_srvs__srv__SetBool_Request* request = request_message;
    std_srvs__srv__SetBool_Response* response = response_message;
    FIL_MESSAGE_RENEW(std_srvs__srv__SetBool_Response, response);
    // one that has failed stays so until something changes: to go on would only fail again
    response->success = control->simulation->world != NULL && fil_simulation_set_paused(control->simulation, request->data);
    rosidl_runtime_c__String__assign(&response->message, fil_simulation_word(control->simulation));
    FIL_MESSAGE_RENEW(std_srvs__srv__SetBool_Request, &control->pause_request);
}

static void reset(const void* request_message, void* response_message, void* context)
{
    (void)request_message;
    FilControl* control = context;
    std_srvs__srv__Trigger_Response* response = response_message;
    FIL_MESSAGE_RENEW(std_srvs__srv__Trigger_Response, response);
    const bool has_world = control->simulation->world != NULL;
    response->success = has_world && fil_simulation_reset(control->simulation) == FIL_OK;
    rosidl_runtime_c__String__assign(&response->message, response->success ? "reset"
                                                         : has_world       ? fil_world_error(control->simulation->world)
                                                                           : "there is no world");
    control->changed = true;
}

static void answer_step(FilControl* control, bool success, const char* message)
{
    FIL_MESSAGE_RENEW(std_srvs__srv__Trigger_Response, &control->step_response);
    control->step_response.success = success;
    rosidl_runtime_c__String__assign(&control->step_response.message, message);
    control->step_pending = false;
    fil_ros_ok(rcl_send_response(&control->step, &control->step_caller, &control->step_response), control->logger, "~/step");
}

void fil_control_update(FilControl* control)
{
    FilSimulation* simulation = control->simulation;
    if (control->step_pending) {
        if (simulation->steps_wanted > 0) {
            return;
        }
        char message[600] = "the world was unloaded";
        const bool failed = simulation->last_status != FIL_OK || simulation->world == NULL;
        control->changed = true;
        if (control->step_refusal != NULL) {
            answer_step(control, false, control->step_refusal);
            control->step_refusal = NULL;
            return;
        }
        if (simulation->world != NULL) {
            snprintf(message, sizeof message, "%.17g s", fil_world_time(simulation->world));
        }
        answer_step(control, !failed, failed && simulation->world != NULL ? fil_world_error(simulation->world) : message);
    }
    const rcl_ret_t ret = rcl_take_request(&control->step, &control->step_caller, &control->step_request);
    if (ret == RCL_RET_SERVICE_TAKE_FAILED || !fil_ros_ok(ret, control->logger, "~/step")) {
        return;
    }
    FIL_MESSAGE_RENEW(std_srvs__srv__Trigger_Request, &control->step_request);
    const char* refusal = fil_simulation_step_refusal(simulation);
    if (refusal != NULL) {
        answer_step(control, false, refusal);
        return;
    }
    simulation->steps_wanted++;
    control->step_pending = true;
}

bool fil_control_init(FilControl* control, rcl_node_t* node, rclc_executor_t* executor, FilSimulation* simulation)
{
    memset(control, 0, sizeof *control);
    control->logger = rcl_node_get_logger_name(node);
    control->simulation = simulation;
    control->pause = rcl_get_zero_initialized_service();
    control->step = rcl_get_zero_initialized_service();
    control->reset = rcl_get_zero_initialized_service();
    if (!std_srvs__srv__SetBool_Request__init(&control->pause_request) || !std_srvs__srv__SetBool_Response__init(&control->pause_response) ||
        !std_srvs__srv__Trigger_Request__init(&control->step_request) || !std_srvs__srv__Trigger_Response__init(&control->step_response) ||
        !std_srvs__srv__Trigger_Request__init(&control->reset_request) || !std_srvs__srv__Trigger_Response__init(&control->reset_response)) {
        RCUTILS_LOG_ERROR_NAMED(control->logger, "out of memory");
        return false;
    }
    const rosidl_service_type_support_t* set_bool = ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, SetBool);
    const rosidl_service_type_support_t* trigger = ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, Trigger);
    const rmw_qos_profile_t* qos = &rmw_qos_profile_services_default;
    return fil_ros_ok(rclc_service_init(&control->pause, node, set_bool, "~/pause", qos), control->logger, "~/pause") &&
           fil_ros_ok(rclc_service_init(&control->step, node, trigger, "~/step", qos), control->logger, "~/step") &&
           fil_ros_ok(rclc_service_init(&control->reset, node, trigger, "~/reset", qos), control->logger, "~/reset") &&
           fil_ros_ok(rclc_executor_add_service_with_context(executor, &control->pause, &control->pause_request, &control->pause_response,
                                                             pause_or_go_on, control),
                      control->logger, "~/pause") &&
           fil_ros_ok(
               rclc_executor_add_service_with_context(executor, &control->reset, &control->reset_request, &control->reset_response, reset, control),
               control->logger, "~/reset");
}

void fil_control_fini(FilControl* control, rcl_node_t* node)
{
    fil_ros_ok(rcl_service_fini(&control->reset, node), control->logger, "~/reset");
    fil_ros_ok(rcl_service_fini(&control->step, node), control->logger, "~/step");
    fil_ros_ok(rcl_service_fini(&control->pause, node), control->logger, "~/pause");
    std_srvs__srv__Trigger_Response__fini(&control->reset_response);
    std_srvs__srv__Trigger_Request__fini(&control->reset_request);
    std_srvs__srv__Trigger_Response__fini(&control->step_response);
    std_srvs__srv__Trigger_Request__fini(&control->step_request);
    std_srvs__srv__SetBool_Response__fini(&control->pause_response);
    std_srvs__srv__SetBool_Request__fini(&control->pause_request);
}
