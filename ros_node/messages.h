/* Small helpers for ROS messages, and how failures are reported. */
#ifndef FILUM_NODE_MESSAGES_H
#define FILUM_NODE_MESSAGES_H

#include <stdbool.h>
#include <string.h>

#include "builtin_interfaces/msg/time.h"
#include "filum/filum.h"
#include "geometry_msgs/msg/pose.h"
#include "rcl/error_handling.h"
#include "rcl/node.h"
#include "rcl/types.h"
#include "rcutils/logging_macros.h"
#include "rosidl_runtime_c/string_functions.h"
#include "std_msgs/msg/header.h"

#define FIL_ROOT_FRAME "world"

/* Empties a message that was received or sent: middlewares differ in whether they reuse or leak what it holds. */
#define FIL_MESSAGE_RENEW(type, message)         \
    do {                                         \
        type##__fini(message);                   \
        memset((message), 0, sizeof *(message)); \
        type##__init(message);                   \
    } while (0)

/* Nearest nanosecond. */
builtin_interfaces__msg__Time fil_time_message(double seconds);
uint64_t fil_time_nanoseconds(double seconds); /* not negative */

/* The world's time, as messages bear it. */
builtin_interfaces__msg__Time fil_stamp_of(const FilWorld* world);

/* False if a number is not finite or the orientation is no rotation; it is given unit length. */
bool fil_read_pose(const geometry_msgs__msg__Pose* pose, FilVec3* position, FilQuat* orientation);

/* Says that a message is about the root frame. */
bool fil_set_frame(std_msgs__msg__Header* header);

/* Logs "what: why" with rcl's message and clears it; true if the call went well. */
bool fil_ros_ok(rcl_ret_t ret, const char* logger, const char* what);

/* The full name of a topic or service of a node in the root namespace, "~/..." being its own; false: it is too long. */
bool fil_root_name(const char* node, const char* name, char full[256]);

/* The full name of a topic or service, after remapping; failures are logged. */
bool fil_resolve_name(const rcl_node_t* node, const char* name, char full[256]);

#endif
