/* Publishers. */
#ifndef RCL__PUBLISHER_H_
#define RCL__PUBLISHER_H_

#include "rcl/node.h"
#include "rosidl_runtime_c/message_type_support_struct.h"

typedef struct rcl_publisher_impl_s rcl_publisher_impl_t;

typedef struct rcl_publisher_s {
    rcl_publisher_impl_t* impl;
} rcl_publisher_t;

typedef struct rcl_publisher_options_s {
    rmw_qos_profile_t qos;
    rcl_allocator_t allocator;
} rcl_publisher_options_t;

rcl_publisher_t rcl_get_zero_initialized_publisher(void);
rcl_publisher_options_t rcl_publisher_get_default_options(void);
RCL_WARN_UNUSED rcl_ret_t rcl_publisher_init(rcl_publisher_t* publisher, const rcl_node_t* node, const rosidl_message_type_support_t* type_support,
                                             const char* topic_name, const rcl_publisher_options_t* options);
RCL_WARN_UNUSED rcl_ret_t rcl_publisher_fini(rcl_publisher_t* publisher, rcl_node_t* node);
RCL_WARN_UNUSED rcl_ret_t rcl_publish(const rcl_publisher_t* publisher, const void* ros_message, rmw_publisher_allocation_t* allocation);
RCL_WARN_UNUSED rcl_ret_t rcl_publisher_get_subscription_count(const rcl_publisher_t* publisher, size_t* subscription_count);
const char* rcl_publisher_get_topic_name(const rcl_publisher_t* publisher);
bool rcl_publisher_is_valid(const rcl_publisher_t* publisher);

#endif
