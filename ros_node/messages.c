#include "messages.h"

#include <stdio.h>

#include <math.h>

builtin_interfaces__msg__Time fil_time_message(double seconds)
{
    const int64_t nanoseconds = llround(seconds * 1e9);
    const int64_t whole = nanoseconds / 1000000000;
    return (builtin_interfaces__msg__Time){.sec = (int32_t)whole, .nanosec = (uint32_t)(nanoseconds - whole * 1000000000)};
}

uint64_t fil_time_nanoseconds(double seconds)
{
    return (uint64_t)llround(seconds * 1e9);
}

builtin_interfaces__msg__Time fil_stamp_of(const FilWorld* world)
{
    return fil_time_message(fil_world_time(world));
}

bool fil_set_frame(std_msgs__msg__Header* header)
{
    return rosidl_runtime_c__String__assign(&header->frame_id, FIL_ROOT_FRAME);
}

bool fil_ros_ok(rcl_ret_t ret, const char* logger, const char* what)
{
    if (ret != RCL_RET_OK) {
        RCUTILS_LOG_ERROR_NAMED(logger, "%s: %s", what, rcl_get_error_string().str);
        rcl_reset_error();
    }
    return ret == RCL_RET_OK;
}

bool fil_resolve_name(const rcl_node_t* node, const char* name, char full[256])
{
    char* resolved = NULL;
    const rcl_allocator_t allocator = rcl_get_default_allocator();
    if (!fil_ros_ok(rcl_node_resolve_name(node, name, allocator, false, false, &resolved), rcl_node_get_logger_name(node), name)) {
        return false;
    }
    const int size = snprintf(full, 256, "%s", resolved);
    allocator.deallocate(resolved, allocator.state);
    return size > 0 && size < 256;
}

bool fil_root_name(const char* node, const char* name, char full[256])
{
    const bool own = name[0] == '~';
    const int length = snprintf(full, 256, "%s%s%s", own ? node : "", own || name[0] == '/' ? "" : "/", own ? name + 1 : name);
    return length >= 0 && length < 256;
}

bool fil_read_pose(const geometry_msgs__msg__Pose* pose, FilVec3* position, FilQuat* orientation)
{
    const geometry_msgs__msg__Point* p = &pose->position;
    const geometry_msgs__msg__Quaternion* q = &pose->orientation;
    const double size = sqrt(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w);
    *position = (FilVec3){p->x, p->y, p->z};
    *orientation = (FilQuat){.x = q->x / size, .y = q->y / size, .z = q->z / size, .w = q->w / size};
    // a sum is finite only if all are; a quaternion far from unit length was not meant as a rotation (three digits, as in scenes)
    return isfinite(p->x + p->y + p->z) && fabs(size - 1.0) < 1e-3;
}
