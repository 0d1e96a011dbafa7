#include "parameter_server.h"

#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "rcl_interfaces/msg/floating_point_range.h"
#include "rcl_interfaces/msg/integer_range.h"
#include "rcl_interfaces/msg/parameter.h"
#include "rcl_interfaces/msg/parameter_descriptor.h"
#include "rcl_interfaces/msg/parameter_value.h"
#include "rcl_interfaces/msg/set_parameters_result.h"
#include "rclc/publisher.h"
#include "rclc/service.h"
#include "rcutils/time.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"

/* ---- values ---- */

static void write_value(const FilParameterValue* value, rcl_interfaces__msg__ParameterValue* message)
{
    message->type = (uint8_t)value->type;
    message->bool_value = value->boolean;
    message->integer_value = value->integer;
    message->double_value = value->real;
    rosidl_runtime_c__String__assign(&message->string_value, value->text);
}

static FilParameterValue read_value(const rcl_interfaces__msg__ParameterValue* message)
{
    switch (message->type) {
        case FIL_PARAMETER_BOOL:
            return fil_parameter_bool(message->bool_value);
        case FIL_PARAMETER_INTEGER:
            return fil_parameter_integer(message->integer_value);
        case FIL_PARAMETER_DOUBLE:
            return fil_parameter_double(message->double_value);
        case FIL_PARAMETER_STRING:
            return fil_parameter_string(message->string_value.data);
        default:
            return (FilParameterValue){.type = (FilParameterType)message->type};
    }
}

static void write_descriptor(const FilParameter* parameter, rcl_interfaces__msg__ParameterDescriptor* message)
{
    rosidl_runtime_c__String__assign(&message->name, parameter->name);
    rosidl_runtime_c__String__assign(&message->description, parameter->description);
    message->type = (uint8_t)parameter->value.type;
    message->read_only = parameter->read_only;
    if (parameter->lowest >= parameter->highest) {
        return;
    }
    if (parameter->value.type == FIL_PARAMETER_DOUBLE && rcl_interfaces__msg__FloatingPointRange__Sequence__init(&message->floating_point_range, 1)) {
        message->floating_point_range.data[0].from_value = parameter->lowest;
        message->floating_point_range.data[0].to_value = parameter->highest;
    }
    if (parameter->value.type == FIL_PARAMETER_INTEGER && rcl_interfaces__msg__IntegerRange__Sequence__init(&message->integer_range, 1)) {
        message->integer_range.data[0].from_value = (int64_t)parameter->lowest;
        message->integer_range.data[0].to_value = (int64_t)parameter->highest;
    }
}

/* ---- events ---- */

static void write_parameter(const FilParameter* parameter, rcl_interfaces__msg__Parameter* message)
{
    rosidl_runtime_c__String__assign(&message->name, parameter->name);
    write_value(&parameter->value, &message->value);
}

static const rosidl_message_type_support_t* event_type(void)
{
    return ROSIDL_GET_MSG_TYPE_SUPPORT(rcl_interfaces, msg, ParameterEvent);
}

// 1000: rmw_qos_profile_parameter_events
static const FilOutputTopic event_topic = {"/parameter_events", 1000, false, "rcl_interfaces/msg/ParameterEvent", event_type};

static void send_event(FilParameterServer* server)
{
    rcutils_time_point_value_t now = 0;
    if (rcutils_system_time_now(&now) != RCUTILS_RET_OK) {
        rcutils_reset_error();
    }
    server->event.stamp.sec = (int32_t)(now / 1000000000);
    server->event.stamp.nanosec = (uint32_t)(now % 1000000000);
    rosidl_runtime_c__String__assign(&server->event.node, server->node_name);
    fil_ros_ok(rcl_publish(&server->events, &server->event, NULL), server->logger, event_topic.name);
    fil_tap_pass(server->tap, &event_topic, &server->event);
    FIL_MESSAGE_RENEW(rcl_interfaces__msg__ParameterEvent, &server->event);
}

void fil_parameter_server_announce(FilParameterServer* server)
{
    const size_t count = server->parameters->count;
    if (rcl_interfaces__msg__Parameter__Sequence__init(&server->event.new_parameters, count)) {
        for (size_t i = 0; i < count; i++) {
            write_parameter(&server->parameters->items[i], &server->event.new_parameters.data[i]);
        }
        send_event(server);
    }
}

void fil_parameter_server_changed(FilParameterServer* server, const FilParameter* parameter)
{
    if (rcl_interfaces__msg__Parameter__Sequence__init(&server->event.changed_parameters, 1)) {
        write_parameter(parameter, &server->event.changed_parameters.data[0]);
        send_event(server);
    }
}

bool fil_parameter_server_set(FilParameterServer* server, const char* name, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    const bool set = fil_parameters_set(server->parameters, name, value, reason);
    if (set) {
        fil_parameter_server_changed(server, fil_parameters_find(server->parameters, name));
    }
    return set;
}

/* ---- services ---- */

static void describe(const void* request_message, void* response_message, void* context)
{
    (void)request_message;
    FilParameterServer* server = context;
    rcl_interfaces__srv__DescribeParameters_Response* response = response_message;
    FIL_MESSAGE_RENEW(rcl_interfaces__srv__DescribeParameters_Response, response);
    const rosidl_runtime_c__String__Sequence* names = &server->describe_request.names;
    if (rcl_interfaces__msg__ParameterDescriptor__Sequence__init(&response->descriptors, names->size)) {
        for (size_t i = 0; i < names->size; i++) {
            const FilParameter* parameter = fil_parameters_find(server->parameters, names->data[i].data);
            if (parameter != NULL) {
                write_descriptor(parameter, &response->descriptors.data[i]);
            } else {
                rosidl_runtime_c__String__assign(&response->descriptors.data[i].name, names->data[i].data);
            }
        }
    }
    FIL_MESSAGE_RENEW(rcl_interfaces__srv__DescribeParameters_Request, &server->describe_request);
}

static void get_types(const void* request_message, void* response_message, void* context)
{
    (void)request_message;
    FilParameterServer* server = context;
    rcl_interfaces__srv__GetParameterTypes_Response* response = response_message;
    FIL_MESSAGE_RENEW(rcl_interfaces__srv__GetParameterTypes_Response, response);
    const rosidl_runtime_c__String__Sequence* names = &server->types_request.names;
    if (rosidl_runtime_c__uint8__Sequence__init(&response->types, names->size)) {
        for (size_t i = 0; i < names->size; i++) {
            const FilParameter* parameter = fil_parameters_find(server->parameters, names->data[i].data);
            response->types.data[i] = parameter != NULL ? (uint8_t)parameter->value.type : FIL_PARAMETER_NONE;
        }
    }
    FIL_MESSAGE_RENEW(rcl_interfaces__srv__GetParameterTypes_Request, &server->types_request);
}

static void get_values(const void* request_message, void* response_message, void* context)
{
    (void)request_message;
    FilParameterServer* server = context;
    rcl_interfaces__srv__GetParameters_Response* response = response_message;
    FIL_MESSAGE_RENEW(rcl_interfaces__srv__GetParameters_Response, response);
    const rosidl_runtime_c__String__Sequence* names = &server->get_request.names;
    if (rcl_interfaces__msg__ParameterValue__Sequence__init(&response->values, names->size)) {
        for (size_t i = 0; i < names->size; i++) {
            const FilParameter* parameter = fil_parameters_find(server->parameters, names->data[i].data);
            const FilParameterValue none = {0};
            write_value(parameter != NULL ? &parameter->value : &none, &response->values.data[i]);
        }
    }
    FIL_MESSAGE_RENEW(rcl_interfaces__srv__GetParameters_Request, &server->get_request);
}

/* whether a name lies under one of the prefixes, at most `depth` tokens deep (0: any) */
static bool is_listed(const char* name, const rcl_interfaces__srv__ListParameters_Request* request)
{
    const char* rest = name;
    bool listed = request->prefixes.size == 0;
    for (size_t i = 0; i < request->prefixes.size && !listed; i++) {
        const char* prefix = request->prefixes.data[i].data;
        const size_t length = strlen(prefix);
        if (strcmp(name, prefix) == 0) {
            return true;
        }
        if (strncmp(name, prefix, length) == 0 && name[length] == '.') {
            rest = name + length + 1;
            listed = true;
        }
    }
    uint64_t depth = 1;
    for (const char* dot = strchr(rest, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        depth++;
    }
    return listed && (request->depth == 0 || depth <= request->depth);
}

static bool append(rosidl_runtime_c__String__Sequence* list, const char* text, size_t length)
{
    return rosidl_runtime_c__String__assignn(&list->data[list->size++], text, length);
}

static bool contains(const rosidl_runtime_c__String__Sequence* list, const char* text, size_t length)
{
    for (size_t i = 0; i < list->size; i++) {
        if (list->data[i].size == length && strncmp(list->data[i].data, text, length) == 0) {
            return true;
        }
    }
    return false;
}

static void list_names(const void* request_message, void* response_message, void* context)
{
    (void)request_message;
    FilParameterServer* server = context;
    rcl_interfaces__srv__ListParameters_Response* response = response_message;
    FIL_MESSAGE_RENEW(rcl_interfaces__srv__ListParameters_Response, response);
    rosidl_runtime_c__String__Sequence* names = &response->result.names;
    rosidl_runtime_c__String__Sequence* prefixes = &response->result.prefixes;
    const size_t max = server->parameters->count;
    if (rosidl_runtime_c__String__Sequence__init(names, max) && rosidl_runtime_c__String__Sequence__init(prefixes, max)) {
        names->size = 0;
        prefixes->size = 0;
        for (size_t i = 0; i < max; i++) {
            const char* name = server->parameters->items[i].name;
            if (!is_listed(name, &server->list_request)) {
                continue;
            }
            append(names, name, strlen(name));
            const char* dot = strrchr(name, '.');
            if (dot != NULL && !contains(prefixes, name, (size_t)(dot - name))) {
                append(prefixes, name, (size_t)(dot - name));
            }
        }
    }
    FIL_MESSAGE_RENEW(rcl_interfaces__srv__ListParameters_Request, &server->list_request);
}

static void set_values(const void* request_message, void* response_message, void* context)
{
    (void)request_message;
    FilParameterServer* server = context;
    rcl_interfaces__srv__SetParameters_Response* response = response_message;
    FIL_MESSAGE_RENEW(rcl_interfaces__srv__SetParameters_Response, response);
    const rcl_interfaces__msg__Parameter__Sequence* wanted = &server->set_request.parameters;
    if (rcl_interfaces__msg__SetParametersResult__Sequence__init(&response->results, wanted->size)) {
        for (size_t i = 0; i < wanted->size; i++) {
            const char* name = wanted->data[i].name.data;
            const FilParameterValue value = read_value(&wanted->data[i].value);
            char reason[FIL_REASON_TEXT];
            const bool done = fil_parameters_set(server->parameters, name, &value, reason);
            response->results.data[i].successful = done;
            rosidl_runtime_c__String__assign(&response->results.data[i].reason, reason);
            if (done) {
                fil_parameter_server_changed(server, fil_parameters_find(server->parameters, name));
            }
        }
    }
    FIL_MESSAGE_RENEW(rcl_interfaces__srv__SetParameters_Request, &server->set_request);
}

static void set_all_values(const void* request_message, void* response_message, void* context)
{
    (void)request_message;
    FilParameterServer* server = context;
    rcl_interfaces__srv__SetParametersAtomically_Response* response = response_message;
    FIL_MESSAGE_RENEW(rcl_interfaces__srv__SetParametersAtomically_Response, response);
    const rcl_interfaces__msg__Parameter__Sequence* wanted = &server->set_all_request.parameters;
    const char** names = calloc(wanted->size + 1, sizeof *names);
    FilParameterValue* values = calloc(wanted->size + 1, sizeof *values);
    char reason[FIL_REASON_TEXT] = "out of memory";
    bool done = names != NULL && values != NULL;
    for (size_t i = 0; done && i < wanted->size; i++) {
        names[i] = wanted->data[i].name.data;
        values[i] = read_value(&wanted->data[i].value);
    }
    done = done && fil_parameters_set_all(server->parameters, names, values, wanted->size, reason);
    for (size_t i = 0; done && i < wanted->size; i++) {
        fil_parameter_server_changed(server, fil_parameters_find(server->parameters, names[i]));
    }
    response->result.successful = done;
    rosidl_runtime_c__String__assign(&response->result.reason, done ? "" : reason);
    free(names);
    free(values);
    FIL_MESSAGE_RENEW(rcl_interfaces__srv__SetParametersAtomically_Request, &server->set_all_request);
}

/* ---- life ---- */

static bool init_messages(FilParameterServer* server)
{
    return rcl_interfaces__msg__ParameterEvent__init(&server->event) &&
           rcl_interfaces__srv__DescribeParameters_Request__init(&server->describe_request) &&
           rcl_interfaces__srv__DescribeParameters_Response__init(&server->describe_response) &&
           rcl_interfaces__srv__GetParameterTypes_Request__init(&server->types_request) &&
           rcl_interfaces__srv__GetParameterTypes_Response__init(&server->types_response) &&
           rcl_interfaces__srv__GetParameters_Request__init(&server->get_request) &&
           rcl_interfaces__srv__GetParameters_Response__init(&server->get_response) &&
           rcl_interfaces__srv__ListParameters_Request__init(&server->list_request) &&
           rcl_interfaces__srv__ListParameters_Response__init(&server->list_response) &&
           rcl_interfaces__srv__SetParameters_Request__init(&server->set_request) &&
           rcl_interfaces__srv__SetParameters_Response__init(&server->set_response) &&
           rcl_interfaces__srv__SetParametersAtomically_Request__init(&server->set_all_request) &&
           rcl_interfaces__srv__SetParametersAtomically_Response__init(&server->set_all_response);
}

bool fil_parameter_server_init(FilParameterServer* server, rcl_node_t* node, rclc_executor_t* executor, FilParameters* parameters, const FilTap* tap)
{
    memset(server, 0, sizeof *server);
    server->parameters = parameters;
    server->tap = tap;
    server->logger = rcl_node_get_logger_name(node);
    server->node_name = rcl_node_get_fully_qualified_name(node);
    if (!init_messages(server)) {
        RCUTILS_LOG_ERROR_NAMED(server->logger, "out of memory");
        return false;
    }
    const struct {
        const char* name;
        const rosidl_service_type_support_t* type;
        void *request, *response;
        rclc_service_callback_with_context_t callback;
    } services[FIL_PARAMETER_SERVICES] = {
        {"~/describe_parameters", ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, DescribeParameters), &server->describe_request,
         &server->describe_response, describe},
        {"~/get_parameter_types", ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, GetParameterTypes), &server->types_request,
         &server->types_response, get_types},
        {"~/get_parameters", ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, GetParameters), &server->get_request, &server->get_response,
         get_values},
        {"~/list_parameters", ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, ListParameters), &server->list_request, &server->list_response,
         list_names},
        {"~/set_parameters", ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, SetParameters), &server->set_request, &server->set_response,
         set_values},
        {"~/set_parameters_atomically", ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, SetParametersAtomically), &server->set_all_request,
         &server->set_all_response, set_all_values},
    };
    for (size_t i = 0; i < FIL_PARAMETER_SERVICES; i++) {
        server->services[i] = rcl_get_zero_initialized_service();
        if (!fil_ros_ok(rclc_service_init(&server->services[i], node, services[i].type, services[i].name, &rmw_qos_profile_parameters),
                        server->logger, services[i].name) ||
            !fil_ros_ok(rclc_executor_add_service_with_context(executor, &server->services[i], services[i].request, services[i].response,
                                                               services[i].callback, server),
                        server->logger, services[i].name)) {
            return false;
        }
    }
    server->events = rcl_get_zero_initialized_publisher();
    return fil_ros_ok(rclc_publisher_init(&server->events, node, ROSIDL_GET_MSG_TYPE_SUPPORT(rcl_interfaces, msg, ParameterEvent), event_topic.name,
                                          &rmw_qos_profile_parameter_events),
                      server->logger, event_topic.name);
}

void fil_parameter_server_fini(FilParameterServer* server, rcl_node_t* node)
{
    fil_ros_ok(rcl_publisher_fini(&server->events, node), server->logger, event_topic.name);
    for (size_t i = FIL_PARAMETER_SERVICES; i-- > 0;) {
        fil_ros_ok(rcl_service_fini(&server->services[i], node), server->logger, "parameter service");
    }
    rcl_interfaces__srv__SetParametersAtomically_Response__fini(&server->set_all_response);
    rcl_interfaces__srv__SetParametersAtomically_Request__fini(&server->set_all_request);
    rcl_interfaces__srv__SetParameters_Response__fini(&server->set_response);
    rcl_interfaces__srv__SetParameters_Request__fini(&server->set_request);
    rcl_interfaces__srv__ListParameters_Response__fini(&server->list_response);
    rcl_interfaces__srv__ListParameters_Request__fini(&server->list_request);
    rcl_interfaces__srv__GetParameters_Response__fini(&server->get_response);
    rcl_interfaces__srv__GetParameters_Request__fini(&server->get_request);
    rcl_interfaces__srv__GetParameterTypes_Response__fini(&server->types_response);
    rcl_interfaces__srv__GetParameterTypes_Request__fini(&server->types_request);
    rcl_interfaces__srv__DescribeParameters_Response__fini(&server->describe_response);
    rcl_interfaces__srv__DescribeParameters_Request__fini(&server->describe_request);
    rcl_interfaces__msg__ParameterEvent__fini(&server->event);
}
