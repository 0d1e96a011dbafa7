/* Service clients. */
#ifndef RCL__CLIENT_H_
#define RCL__CLIENT_H_

#include "rcl/node.h"
#include "rosidl_runtime_c/service_type_support_struct.h"

typedef struct rcl_client_impl_s rcl_client_impl_t;

typedef struct rcl_client_s {
    rcl_client_impl_t* impl;
} rcl_client_t;

typedef struct rcl_client_options_s {
    rmw_qos_profile_t qos;
    rcl_allocator_t allocator;
} rcl_client_options_t;

rcl_client_t rcl_get_zero_initialized_client(void);
rcl_client_options_t rcl_client_get_default_options(void);
RCL_WARN_UNUSED rcl_ret_t rcl_client_init(rcl_client_t* client, const rcl_node_t* node, const rosidl_service_type_support_t* type_support,
                                          const char* service_name, const rcl_client_options_t* options);
RCL_WARN_UNUSED rcl_ret_t rcl_client_fini(rcl_client_t* client, rcl_node_t* node);
RCL_WARN_UNUSED rcl_ret_t rcl_send_request(const rcl_client_t* client, const void* ros_request, int64_t* sequence_number);

/* RCL_RET_CLIENT_TAKE_FAILED when nothing is there. */
RCL_WARN_UNUSED rcl_ret_t rcl_take_response(const rcl_client_t* client, rmw_request_id_t* request_header, void* ros_response);

/* Whether a server has been found whose both directions are connected. */
RCL_WARN_UNUSED rcl_ret_t rcl_service_server_is_available(const rcl_node_t* node, const rcl_client_t* client, bool* is_available);
const char* rcl_client_get_service_name(const rcl_client_t* client);
bool rcl_client_is_valid(const rcl_client_t* client);

#endif
