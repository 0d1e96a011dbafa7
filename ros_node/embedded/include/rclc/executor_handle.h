/* What an executor serves: subscriptions and services with their callbacks. */
#ifndef RCLC__EXECUTOR_HANDLE_H_
#define RCLC__EXECUTOR_HANDLE_H_

#include "rcl/rcl.h"

typedef enum {
    RCLC_SUBSCRIPTION_WITH_CONTEXT,
    RCLC_CLIENT_WITH_REQUEST_ID,
    RCLC_SERVICE_WITH_CONTEXT,
    RCLC_NONE,
} rclc_executor_handle_type_t;

typedef enum {
    ON_NEW_DATA, /* call back when a message was taken */
    ALWAYS,      /* call back at each spin, with NULL when there was none */
} rclc_executor_handle_invocation_t;

typedef void (*rclc_subscription_callback_with_context_t)(const void*, void*);
typedef void (*rclc_service_callback_with_context_t)(const void*, void*, void*);
typedef void (*rclc_client_callback_with_request_id_t)(const void*, rmw_request_id_t*);

typedef struct {
    rclc_executor_handle_type_t type;
    rclc_executor_handle_invocation_t invocation;
    union {
        rcl_subscription_t* subscription;
        rcl_client_t* client;
        rcl_service_t* service;
    };
    void* data; /* the message, request or response */
    rmw_request_id_t req_id;
    void* data_response_msg; /* of a service */
    void* callback_context;
    union {
        rclc_subscription_callback_with_context_t subscription_callback_with_context;
        rclc_service_callback_with_context_t service_callback_with_context;
        rclc_client_callback_with_request_id_t client_callback_with_reqid;
    };
    bool data_available;
} rclc_executor_handle_t;

#endif
