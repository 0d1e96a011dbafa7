#include "rclc/executor.h"

#include <stdlib.h>

#include "node_impl.h"
#include "participant.h"
#include "rcl/error_handling.h"
#include "rcutils/logging_macros.h"
#include "topics_impl.h"

/* while a request is put off */
#define LOOK_AGAIN DDS_MSECS(2)

rclc_executor_t rclc_executor_get_zero_initialized_executor(void)
{
    return (rclc_executor_t){0};
}

rcl_ret_t rclc_executor_init(rclc_executor_t* executor, rcl_context_t* context, const size_t number_of_handles, const rcl_allocator_t* allocator)
{
    if (!rcl_context_is_valid(context) || number_of_handles == 0) {
        RCL_SET_ERROR_MSG("an executor needs a context and at least one handle");
        return RCL_RET_INVALID_ARGUMENT;
    }
    *executor = (rclc_executor_t){.context = context, .max_handles = number_of_handles, .allocator = allocator};
    executor->handles = calloc(number_of_handles, sizeof *executor->handles);
    if (executor->handles == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    executor->wait_set = dds_create_waitset(context->impl->participant.entity);
    if (executor->wait_set < 0) {
        fil_dds_error("cannot make a wait set", executor->wait_set);
        free(executor->handles);
        *executor = rclc_executor_get_zero_initialized_executor();
        return RCL_RET_ERROR;
    }
    return RCL_RET_OK;
}

rcl_ret_t rclc_executor_fini(rclc_executor_t* executor)
{
    if (executor->wait_set > 0) {
        dds_delete(executor->wait_set);
    }
    free(executor->handles);
    *executor = rclc_executor_get_zero_initialized_executor();
    return RCL_RET_OK;
}

/* the next free handle, which will be served whenever `reader` holds something */
static rcl_ret_t add_handle(rclc_executor_t* executor, const FilEndpoint* reader, rclc_executor_handle_t handle)
{
    if (executor->index >= executor->max_handles) {
        RCL_SET_ERROR_MSG("the executor has no handle left");
        return RCL_RET_ERROR;
    }
    // a condition stays true as long as anything is unread; it ends with its reader
    const dds_entity_t condition = dds_create_readcondition(reader->entity, DDS_ANY_STATE);
    const dds_return_t code = condition < 0 ? condition : dds_waitset_attach(executor->wait_set, condition, 0);
    if (code < 0) {
        fil_dds_error("cannot wait for a reader", code);
        return RCL_RET_ERROR;
    }
    executor->handles[executor->index++] = handle;
    return RCL_RET_OK;
}

static rcl_ret_t bad_argument(void)
{
    RCL_SET_ERROR_MSG("bad argument");
    return RCL_RET_INVALID_ARGUMENT;
}

rcl_ret_t rclc_executor_add_subscription_with_context(rclc_executor_t* executor, rcl_subscription_t* subscription, void* msg,
                                                      rclc_subscription_callback_with_context_t callback, void* context,
                                                      rclc_executor_handle_invocation_t invocation)
{
    if (executor == NULL || !rcl_subscription_is_valid(subscription) || msg == NULL || callback == NULL) {
        return bad_argument();
    }
    return add_handle(executor, fil_subscription_endpoint(subscription),
                      (rclc_executor_handle_t){.type = RCLC_SUBSCRIPTION_WITH_CONTEXT,
                                               .invocation = invocation,
                                               .subscription = subscription,
                                               .data = msg,
                                               .subscription_callback_with_context = callback,
                                               .callback_context = context});
}

rcl_ret_t rclc_executor_add_service_with_context(rclc_executor_t* executor, rcl_service_t* service, void* request_msg, void* response_msg,
                                                 rclc_service_callback_with_context_t callback, void* context)
{
    if (executor == NULL || !rcl_service_is_valid(service) || request_msg == NULL || response_msg == NULL || callback == NULL) {
        return bad_argument();
    }
    return add_handle(executor, fil_service_endpoint(service),
                      (rclc_executor_handle_t){.type = RCLC_SERVICE_WITH_CONTEXT,
                                               .service = service,
                                               .data = request_msg,
                                               .data_response_msg = response_msg,
                                               .service_callback_with_context = callback,
                                               .callback_context = context});
}

rcl_ret_t rclc_executor_add_client_with_request_id(rclc_executor_t* executor, rcl_client_t* client, void* response_msg,
                                                   rclc_client_callback_with_request_id_t callback)
{
    if (executor == NULL || !rcl_client_is_valid(client) || response_msg == NULL || callback == NULL) {
        return bad_argument();
    }
    return add_handle(executor, fil_client_endpoint(client),
                      (rclc_executor_handle_t){
                          .type = RCLC_CLIENT_WITH_REQUEST_ID, .client = client, .data = response_msg, .client_callback_with_reqid = callback});
}

/* takes at most one message and calls back; RCL_RET_OK also when nothing was there */
static rcl_ret_t serve(rclc_executor_handle_t* handle)
{
    rcl_ret_t ret;
    switch (handle->type) {
        case RCLC_SUBSCRIPTION_WITH_CONTEXT:
            ret = rcl_take(handle->subscription, handle->data, NULL, NULL);
            if (ret == RCL_RET_OK) {
                handle->subscription_callback_with_context(handle->data, handle->callback_context);
            } else if (handle->invocation == ALWAYS) {
                handle->subscription_callback_with_context(NULL, handle->callback_context);
            }
            return ret == RCL_RET_SUBSCRIPTION_TAKE_FAILED ? RCL_RET_OK : ret;
        case RCLC_SERVICE_WITH_CONTEXT:
            ret = rcl_take_request(handle->service, &handle->req_id, handle->data);
            if (ret != RCL_RET_OK) {
                return ret == RCL_RET_SERVICE_TAKE_FAILED ? RCL_RET_OK : ret;
            }
            handle->service_callback_with_context(handle->data, handle->data_response_msg, handle->callback_context);
            return rcl_send_response(handle->service, &handle->req_id, handle->data_response_msg);
        case RCLC_CLIENT_WITH_REQUEST_ID:
            ret = rcl_take_response(handle->client, &handle->req_id, handle->data);
            if (ret == RCL_RET_OK) {
                handle->client_callback_with_reqid(handle->data, &handle->req_id);
            }
            return ret == RCL_RET_CLIENT_TAKE_FAILED ? RCL_RET_OK : ret;
        default:
            return RCL_RET_OK;
    }
}

/* how long to wait for what is not there yet */
static dds_duration_t longest_wait(const rclc_executor_t* executor, uint64_t timeout_ns)
{
    bool puts_off = false;
    for (size_t i = 0; i < executor->index; i++) {
        const rclc_executor_handle_t* handle = &executor->handles[i];
        puts_off |= handle->type == RCLC_SERVICE_WITH_CONTEXT && fil_service_puts_off(handle->service);
    }
    if (puts_off && timeout_ns > LOOK_AGAIN) {
        return LOOK_AGAIN;
    }
    return timeout_ns > INT64_MAX ? DDS_INFINITY : (dds_duration_t)timeout_ns;
}

rcl_ret_t rclc_executor_spin_some(rclc_executor_t* executor, const uint64_t timeout_ns)
{
    if (executor == NULL || executor->wait_set <= 0) {
        return bad_argument();
    }
    const dds_return_t woken = dds_waitset_wait(executor->wait_set, NULL, 0, longest_wait(executor, timeout_ns));
    if (woken < 0) {
        fil_dds_error("cannot wait", woken);
        return RCL_RET_ERROR;
    }
    rcl_ret_t result = RCL_RET_OK;
    for (size_t i = 0; i < executor->index; i++) {
        const rcl_ret_t ret = serve(&executor->handles[i]);
        if (ret != RCL_RET_OK) {
            RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, "rclc", "%s", rcl_get_error_string().str);
            rcl_reset_error();
            result = ret;
        }
    }
    return result;
}
