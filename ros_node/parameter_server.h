/* The six parameter services and /parameter_events, over the node's parameters. */
#ifndef FILUM_NODE_PARAMETER_SERVER_H
#define FILUM_NODE_PARAMETER_SERVER_H

#include "parameters.h"
#include "rcl/rcl.h"
#include "rcl_interfaces/msg/parameter_event.h"
#include "rcl_interfaces/srv/describe_parameters.h"
#include "rcl_interfaces/srv/get_parameter_types.h"
#include "rcl_interfaces/srv/get_parameters.h"
#include "rcl_interfaces/srv/list_parameters.h"
#include "rcl_interfaces/srv/set_parameters.h"
#include "rcl_interfaces/srv/set_parameters_atomically.h"
#include "rclc/executor.h"
#include "tap.h"

enum { FIL_PARAMETER_SERVICES = 6 }; /* handles of the executor that the server needs */

typedef struct FilParameterServer {
    FilParameters* parameters;
    const FilTap* tap;
    const char* logger;
    const char* node_name; /* full */
    rcl_service_t services[FIL_PARAMETER_SERVICES];
    rcl_publisher_t events;
    rcl_interfaces__msg__ParameterEvent event;

    rcl_interfaces__srv__DescribeParameters_Request describe_request;
    rcl_interfaces__srv__DescribeParameters_Response describe_response;
    rcl_interfaces__srv__GetParameterTypes_Request types_request;
    rcl_interfaces__srv__GetParameterTypes_Response types_response;
    rcl_interfaces__srv__GetParameters_Request get_request;
    rcl_interfaces__srv__GetParameters_Response get_response;
    rcl_interfaces__srv__ListParameters_Request list_request;
    rcl_interfaces__srv__ListParameters_Response list_response;
    rcl_interfaces__srv__SetParameters_Request set_request;
    rcl_interfaces__srv__SetParameters_Response set_response;
    rcl_interfaces__srv__SetParametersAtomically_Request set_all_request;
    rcl_interfaces__srv__SetParametersAtomically_Response set_all_response;
} FilParameterServer;

/* Failures are logged. What is passed must outlive the server. */
bool fil_parameter_server_init(FilParameterServer* server, rcl_node_t* node, rclc_executor_t* executor, FilParameters* parameters, const FilTap* tap);
void fil_parameter_server_fini(FilParameterServer* server, rcl_node_t* node);

/* Tells all parameters as new ones; to be called once, when the node is complete. */
void fil_parameter_server_announce(FilParameterServer* server);

/* Tells that the node itself has changed a parameter. */
void fil_parameter_server_changed(FilParameterServer* server, const FilParameter* parameter);

/* Sets a parameter and tells so. On refusal nothing has changed and `reason` says why. */
bool fil_parameter_server_set(FilParameterServer* server, const char* name, const FilParameterValue* value, char reason[FIL_REASON_TEXT]);

#endif
