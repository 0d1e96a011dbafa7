/* Service servers. */
#ifndef RCL__SERVICE_H_
#define RCL__SERVICE_H_

#include "rcl/node.h"
#include "rosidl_runtime_c/service_type_support_struct.h"

typedef struct rcl_service_impl_s rcl_service_impl_t;

typedef struct rcl_service_s {
    rcl_service_impl_t* impl;
} rcl_service_t;

typedef struct rcl_service_options_s {
    rmw_qos_profile_t qos;
    rcl_allocator_t allocator;
} rcl_service_options_t;

rcl_service_t rcl_get_zero_initialized_service(void);
rcl_service_options_t rcl_service_get_default_options(void);
RCL_WARN_UNUSED rcl_ret_t rcl_service_init(rcl_service_t* service, const rcl_node_t* node, const rosidl_service_type_support_t* type_support,
                                           const char* service_name, const rcl_service_options_t* options);
RCL_WARN_UNUSED rcl_ret_t rcl_service_fini(rcl_service_t* service, rcl_node_t* node);

/* RCL_RET_SERVICE_TAKE_FAILED when nothing is there. */
RCL_WARN_UNUSED rcl_ret_t rcl_take_request(const rcl_service_t* service, rmw_request_id_t* request_header, void* ros_request);

/* Waits up to 100 ms for the client's reader to be known. RCL_RET_TIMEOUT if it is not; RCL_RET_OK without sending if
 * the client is gone. */
RCL_WARN_UNUSED rcl_ret_t rcl_send_response(const rcl_service_t* service, rmw_request_id_t* response_header, void* ros_response);
const char* rcl_service_get_service_name(const rcl_service_t* service);
bool rcl_service_is_valid(const rcl_service_t* service);

#endif
