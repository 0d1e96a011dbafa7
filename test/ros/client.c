#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"
#include "rcl/error_handling.h"
#include "rcl_interfaces/msg/parameter.h"
#include "rcl_interfaces/srv/get_parameters.h"
#include "rcl_interfaces/srv/set_parameters.h"
#include "rmw/qos_profiles.h"
#include "rosgraph_msgs/msg/clock.h"
#include "rosidl_runtime_c/string_functions.h"
#include "std_srvs/srv/set_bool.h"
#include "std_srvs/srv/trigger.h"

/* How often a response is looked for, every millisecond, before the request is sent again. Not by the clock: a machine that stood
 * still would have a server that is well asked twice, and it would step twice. */
enum { LOOKS = 5000 };

void must(rcl_ret_t ret, const char* what)
{
    if (ret != RCL_RET_OK) {
        fprintf(stderr, "%s: %s\n", what, rcl_get_error_string().str);
        abort();
    }
}

void client_join(Client* client, const char* name, int argc, const char* const* argv)
{
    client->allocator = rcl_get_default_allocator();
    must(rclc_support_init(&client->support, argc, argv, &client->allocator), "support");
    rcl_node_options_t options = rcl_node_get_default_options();
    options.enable_rosout = false;
    must(rclc_node_init_with_options(&client->node, name, "", &client->support, &options), "node");
}

void client_leave(Client* client)
{
    must(rcl_node_fini(&client->node), "node fini");
    must(rclc_support_fini(&client->support), "support fini");
}

bool client_call(Client* client, const rosidl_service_type_support_t* type, const char* service, const void* request, void* response)
{
    rcl_client_t caller = rcl_get_zero_initialized_client();
    must(rclc_client_init_default(&caller, &client->node, type, service), service);
    const double limit = seconds_now() + PATIENCE;
    bool answered = false;
    while (!answered && seconds_now() < limit) {
        bool available = false;
        must(rcl_service_server_is_available(&client->node, &caller, &available), service);
        if (!available) {
            sleep_seconds(0.002);
            continue;
        }
        int64_t sent;
        must(rcl_send_request(&caller, request, &sent), service);
        rmw_request_id_t id;
        for (int i = 0; i < LOOKS && !answered && seconds_now() < limit; i++) {
            answered = rcl_take_response(&caller, &id, response) == RCL_RET_OK;
            sleep_seconds(answered ? 0.0 : 0.001);
        }
    }
    must(rcl_client_fini(&caller, &client->node), service);
    return answered;
}

bool client_hear(Client* client, const rosidl_message_type_support_t* type, const char* topic, const rmw_qos_profile_t* qos, void* message,
                 bool (*accept)(const void* message, void* context), void* context)
{
    rcl_subscription_t subscription = rcl_get_zero_initialized_subscription();
    must(rclc_subscription_init(&subscription, &client->node, type, topic, qos), topic);
    const double limit = seconds_now() + PATIENCE;
    bool heard = false;
    while (!heard && seconds_now() < limit) {
        if (rcl_take(&subscription, message, NULL, NULL) == RCL_RET_OK) {
            heard = accept == NULL || accept(message, context);
        } else {
            sleep_seconds(0.002);
        }
    }
    must(rcl_subscription_fini(&subscription, &client->node), topic);
    return heard;
}

static void service_name(char name[300], const char* full_name, const char* service)
{
    snprintf(name, 300, "%s/%s", full_name, service);
}

double seconds_of(builtin_interfaces__msg__Time stamp)
{
    return stamp.sec + 1e-9 * stamp.nanosec;
}

double client_time(Client* client)
{
    rosgraph_msgs__msg__Clock clock = {0};
    if (!client_hear(client, ROSIDL_GET_MSG_TYPE_SUPPORT(rosgraph_msgs, msg, Clock), "/clock", &rmw_qos_profile_sensor_data, &clock, NULL, NULL)) {
        fprintf(stderr, "nothing on /clock\n");
        abort();
    }
    return clock.clock.sec + 1e-9 * clock.clock.nanosec;
}

bool client_pause(Client* client, const char* full_name, bool pause)
{
    char name[300];
    service_name(name, full_name, "pause");
    const std_srvs__srv__SetBool_Request request = {.data = pause};
    std_srvs__srv__SetBool_Response* response = std_srvs__srv__SetBool_Response__create();
    const bool done = client_call(client, ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, SetBool), name, &request, response) && response->success;
    std_srvs__srv__SetBool_Response__destroy(response);
    return done;
}

bool client_trigger(Client* client, const char* full_name, const char* service, char message[256])
{
    char name[300];
    service_name(name, full_name, service);
    const std_srvs__srv__Trigger_Request request = {0};
    std_srvs__srv__Trigger_Response* response = std_srvs__srv__Trigger_Response__create();
    const bool answered = client_call(client, ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, Trigger), name, &request, response);
    const bool done = answered && response->success;
    snprintf(message, 256, "%s", answered ? response->message.data : "no answer");
    std_srvs__srv__Trigger_Response__destroy(response);
    return done;
}

bool client_set(Client* client, const char* full_name, const char* name, FilParameterValue value, char reason[512])
{
    char service[300];
    service_name(service, full_name, "set_parameters");
    rcl_interfaces__srv__SetParameters_Request* request = rcl_interfaces__srv__SetParameters_Request__create();
    rcl_interfaces__srv__SetParameters_Response* response = rcl_interfaces__srv__SetParameters_Response__create();
    rcl_interfaces__msg__Parameter__Sequence__init(&request->parameters, 1);
    rcl_interfaces__msg__Parameter* parameter = &request->parameters.data[0];
    rosidl_runtime_c__String__assign(&parameter->name, name);
    parameter->value.type = (uint8_t)value.type;
    parameter->value.bool_value = value.boolean;
    parameter->value.integer_value = value.integer;
    parameter->value.double_value = value.real;
    rosidl_runtime_c__String__assign(&parameter->value.string_value, value.text);
    const bool answered = client_call(client, ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, SetParameters), service, request, response) &&
                          response->results.size == 1;
    const bool done = answered && response->results.data[0].successful;
    snprintf(reason, 512, "%s", answered ? response->results.data[0].reason.data : "no answer");
    rcl_interfaces__srv__SetParameters_Request__destroy(request);
    rcl_interfaces__srv__SetParameters_Response__destroy(response);
    return done;
}

FilParameterValue client_get(Client* client, const char* full_name, const char* name)
{
    char service[300];
    service_name(service, full_name, "get_parameters");
    rcl_interfaces__srv__GetParameters_Request* request = rcl_interfaces__srv__GetParameters_Request__create();
    rcl_interfaces__srv__GetParameters_Response* response = rcl_interfaces__srv__GetParameters_Response__create();
    rosidl_runtime_c__String__Sequence__init(&request->names, 1);
    rosidl_runtime_c__String__assign(&request->names.data[0], name);
    FilParameterValue value = {0};
    if (client_call(client, ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, GetParameters), service, request, response) &&
        response->values.size == 1) {
        const rcl_interfaces__msg__ParameterValue* got = &response->values.data[0];
        value = fil_parameter_string(got->string_value.data);
        value.type = (FilParameterType)got->type;
        value.boolean = got->bool_value;
        value.integer = got->integer_value;
        value.real = got->double_value;
    }
    rcl_interfaces__srv__GetParameters_Request__destroy(request);
    rcl_interfaces__srv__GetParameters_Response__destroy(response);
    return value;
}
