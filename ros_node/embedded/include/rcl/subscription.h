/* Subscriptions. */
#ifndef RCL__SUBSCRIPTION_H_
#define RCL__SUBSCRIPTION_H_

#include "rcl/node.h"
#include "rosidl_runtime_c/message_type_support_struct.h"

typedef struct rcl_subscription_impl_s rcl_subscription_impl_t;

typedef struct rcl_subscription_s {
    rcl_subscription_impl_t* impl;
} rcl_subscription_t;

typedef struct rcl_subscription_options_s {
    rmw_qos_profile_t qos;
    rcl_allocator_t allocator;
} rcl_subscription_options_t;

rcl_subscription_t rcl_get_zero_initialized_subscription(void);
rcl_subscription_options_t rcl_subscription_get_default_options(void);
RCL_WARN_UNUSED rcl_ret_t rcl_subscription_init(rcl_subscription_t* subscription, const rcl_node_t* node,
                                                const rosidl_message_type_support_t* type_support, const char* topic_name,
                                                const rcl_subscription_options_t* options);
RCL_WARN_UNUSED rcl_ret_t rcl_subscription_fini(rcl_subscription_t* subscription, rcl_node_t* node);

/* RCL_RET_SUBSCRIPTION_TAKE_FAILED when nothing is there; RCL_RET_ERROR when a message could not be decoded (it is
 * gone then). `message_info` and `allocation` may be NULL. */
RCL_WARN_UNUSED rcl_ret_t rcl_take(const rcl_subscription_t* subscription, void* ros_message, rmw_message_info_t* message_info,
                                   rmw_subscription_allocation_t* allocation);
RCL_WARN_UNUSED rcl_ret_t rcl_subscription_get_publisher_count(const rcl_subscription_t* subscription, size_t* publisher_count);
const char* rcl_subscription_get_topic_name(const rcl_subscription_t* subscription);
bool rcl_subscription_is_valid(const rcl_subscription_t* subscription);

#endif
