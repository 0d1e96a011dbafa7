/* Services of simulation_interfaces that a struct has by a table X(type, our name, ROS name): what each of them is, how it is made and undone.
 * The struct is called `services`, the node that they belong to is its `node`. */
#ifndef FILUM_NODE_SERVICE_TABLE_H
#define FILUM_NODE_SERVICE_TABLE_H

#include "messages.h"
#include "rclc/service.h"
#include "rmw/qos_profiles.h"

/* fields of the struct */
#define FIL_SERVICE_MEMBERS(type, name, ros_name)                \
    rcl_service_t name##_service;                                \
    simulation_interfaces__srv__##type##_Request name##_request; \
    simulation_interfaces__srv__##type##_Response name##_response;

/* `done` says whether all went well so far; a service that was not made can be undone all the same */
#define FIL_SERVICE_INIT(type, name, ros_name)                                                                                                       \
    services->name##_service = rcl_get_zero_initialized_service();                                                                                   \
    done = done && simulation_interfaces__srv__##type##_Request__init(&services->name##_request) &&                                                  \
           simulation_interfaces__srv__##type##_Response__init(&services->name##_response) &&                                                        \
           fil_ros_ok(rclc_service_init(&services->name##_service, &services->node->node,                                                            \
                                        ROSIDL_GET_SRV_TYPE_SUPPORT(simulation_interfaces, srv, type), ros_name, &rmw_qos_profile_services_default), \
                      services->node->logger, ros_name);

#define FIL_SERVICE_FINI(type, name, ros_name)                                                                        \
    fil_ros_ok(rcl_service_fini(&services->name##_service, &services->node->node), services->node->logger, ros_name); \
    simulation_interfaces__srv__##type##_Request__fini(&services->name##_request);                                    \
    simulation_interfaces__srv__##type##_Response__fini(&services->name##_response);

#endif
