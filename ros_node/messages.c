#include "messages.h"

#include <math.h>

builtin_interfaces__msg__Time fil_time_message(double seconds)
{
    const int64_t nanoseconds = llround(seconds * 1e9);
    const int64_t whole = nanoseconds / 1000000000;
    return (builtin_interfaces__msg__Time){.sec = (int32_t)whole,
                                           .nanosec = (uint32_t)(nanoseconds - whole * 1000000000)};
}

uint64_t fil_time_nanoseconds(double seconds)
{
    return (uint64_t)llround(seconds * 1e9);
}

bool fil_ros_ok(rcl_ret_t ret, const char* logger, const char* what)
{
    if (ret != RCL_RET_OK) {
        RCUTILS_LOG_ERROR_NAMED(logger, "%s: %s", what, rcl_get_error_string().str);
        rcl_reset_error();
    }
    return ret == RCL_RET_OK;
}
