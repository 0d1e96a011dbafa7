/* Service clients. */
#ifndef RCLC__CLIENT_H_
#define RCLC__CLIENT_H_

#include "rcl/client.h"
#include "rclc/types.h"

rcl_ret_t rclc_client_init_default(rcl_client_t* client, const rcl_node_t* node, const rosidl_service_type_support_t* type_support,
                                   const char* service_name);
rcl_ret_t rclc_client_init(rcl_client_t* client, const rcl_node_t* node, const rosidl_service_type_support_t* type_support, const char* service_name,
                           const rmw_qos_profile_t* qos_profile);

#endif
