#include "polled_service.h"

bool fil_take_request(const rcl_service_t* service, rmw_request_id_t* caller, void* request, const char* logger, const char* name)
{
    const rcl_ret_t ret = rcl_take_request(service, caller, request);
    return ret != RCL_RET_SERVICE_TAKE_FAILED && fil_ros_ok(ret, logger, name);
}
