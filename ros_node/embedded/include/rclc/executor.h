/* The executor: waits for messages and requests and calls back, one thread, in the order in which handles were added.
 */
#ifndef RCLC__EXECUTOR_H_
#define RCLC__EXECUTOR_H_

#include "rclc/executor_handle.h"
#include "rclc/types.h"

typedef struct rclc_executor_t_s {
    rcl_context_t* context;
    rclc_executor_handle_t* handles;
    size_t max_handles;
    size_t index; /* of the next free handle */
    const rcl_allocator_t* allocator;
    int wait_set; /* a DDS entity */
} rclc_executor_t;

rclc_executor_t rclc_executor_get_zero_initialized_executor(void);
rcl_ret_t rclc_executor_init(rclc_executor_t* executor, rcl_context_t* context, const size_t number_of_handles, const rcl_allocator_t* allocator);
rcl_ret_t rclc_executor_fini(rclc_executor_t* executor);

rcl_ret_t rclc_executor_add_subscription_with_context(rclc_executor_t* executor, rcl_subscription_t* subscription, void* msg,
                                                      rclc_subscription_callback_with_context_t callback, void* context,
                                                      rclc_executor_handle_invocation_t invocation);
rcl_ret_t rclc_executor_add_service_with_context(rclc_executor_t* executor, rcl_service_t* service, void* request_msg, void* response_msg,
                                                 rclc_service_callback_with_context_t callback, void* context);
rcl_ret_t rclc_executor_add_client_with_request_id(rclc_executor_t* executor, rcl_client_t* client, void* response_msg,
                                                   rclc_client_callback_with_request_id_t callback);

/* Waits until something arrives or the time is up, takes at most one message per handle, then calls back. A message
 * that cannot be decoded gives an error after the other handles were served. */
rcl_ret_t rclc_executor_spin_some(rclc_executor_t* executor, const uint64_t timeout_ns);

#endif
