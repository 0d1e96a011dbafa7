/* Owns `filum param`: parameters of the nodes of the running graph. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command_table.h"
#include "graph_tools.h"
#include "rcl_interfaces/msg/parameter.h"
#include "rcl_interfaces/msg/parameter_type.h"
#include "rcl_interfaces/msg/parameter_value.h"
#include "rcl_interfaces/msg/set_parameters_result.h"
#include "rcl_interfaces/srv/get_parameters.h"
#include "rcl_interfaces/srv/list_parameters.h"
#include "rcl_interfaces/srv/set_parameters.h"
#include "rosidl_runtime_c/string_functions.h"

#define TYPE(name) rcl_interfaces__msg__ParameterType__PARAMETER_##name

/* the name of one of a node's parameter services */
static void service_of(const char* node, const char* service, char name[512])
{
    char full[256];
    fil_graph_full_name(node, full);
    snprintf(name, 512, "%s/%s", full, service);
}

/* ---- list ---- */

static bool list(FilGraphMember* member, const char* node)
{
    char service[512];
    service_of(node, "list_parameters", service);
    rcl_interfaces__srv__ListParameters_Request* request = rcl_interfaces__srv__ListParameters_Request__create();
    rcl_interfaces__srv__ListParameters_Response* response = rcl_interfaces__srv__ListParameters_Response__create();
    const bool done = request != NULL && response != NULL &&
                      fil_graph_call(member, ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, ListParameters), service, request, response);
    for (size_t i = 0; done && i < response->result.names.size; i++) {
        printf("%s\n", response->result.names.data[i].data);
    }
    rcl_interfaces__srv__ListParameters_Request__destroy(request);
    rcl_interfaces__srv__ListParameters_Response__destroy(response);
    return done;
}

/* ---- get ---- */

static bool print_value(const FilGraphMember* member, const char* name, const rcl_interfaces__msg__ParameterValue* value)
{
    switch (value->type) {
        case TYPE(BOOL):
            printf("Boolean value is: %s\n", value->bool_value ? "true" : "false");
            return true;
        case TYPE(INTEGER):
            printf("Integer value is: %" PRId64 "\n", value->integer_value);
            return true;
        case TYPE(DOUBLE):
            printf("Double value is: %.15g\n", value->double_value);
            return true;
        case TYPE(STRING):
            printf("String value is: %s\n", value->string_value.data);
            return true;
        case TYPE(NOT_SET):
            fil_cli_fail(member->command, 0, "there is no parameter '%s', or it has no value", name);
            return false;
        default: {
            const rosidl_message_type_support_t* type = ROSIDL_GET_MSG_TYPE_SUPPORT(rcl_interfaces, msg, ParameterValue);
            fil_message_print(fil_members_of(type), value, 0, stdout);
            return true;
        }
    }
}

static bool get(FilGraphMember* member, const char* node, const char* name)
{
    char service[512];
    service_of(node, "get_parameters", service);
    rcl_interfaces__srv__GetParameters_Request* request = rcl_interfaces__srv__GetParameters_Request__create();
    rcl_interfaces__srv__GetParameters_Response* response = rcl_interfaces__srv__GetParameters_Response__create();
    bool done = request != NULL && response != NULL && rosidl_runtime_c__String__Sequence__init(&request->names, 1) &&
                rosidl_runtime_c__String__assign(&request->names.data[0], name) &&
                fil_graph_call(member, ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, GetParameters), service, request, response);
    if (done && response->values.size != 1) {
        fil_cli_fail(member->command, 0, "there is no parameter '%s'", name);
        done = false;
    }
    done = done && print_value(member, name, &response->values.data[0]);
    rcl_interfaces__srv__GetParameters_Request__destroy(request);
    rcl_interfaces__srv__GetParameters_Response__destroy(response);
    return done;
}

/* ---- set ---- */

/* true and false, integers, numbers, else text, as YAML would have it */
static bool read_value(const char* text, rcl_interfaces__msg__ParameterValue* value)
{
    char* end;
    errno = 0;
    value->integer_value = strtoll(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0) {
        value->type = TYPE(INTEGER);
        return true;
    }
    value->double_value = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(value->double_value)) {
        value->type = TYPE(DOUBLE);
        return true;
    }
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        value->type = TYPE(BOOL);
        value->bool_value = text[0] == 't';
        return true;
    }
    value->type = TYPE(STRING);
    return rosidl_runtime_c__String__assign(&value->string_value, text);
}

static bool set(FilGraphMember* member, const char* node, const char* name, const char* text)
{
    char service[512];
    service_of(node, "set_parameters", service);
    rcl_interfaces__srv__SetParameters_Request* request = rcl_interfaces__srv__SetParameters_Request__create();
    rcl_interfaces__srv__SetParameters_Response* response = rcl_interfaces__srv__SetParameters_Response__create();
    bool done = request != NULL && response != NULL && rcl_interfaces__msg__Parameter__Sequence__init(&request->parameters, 1) &&
                rosidl_runtime_c__String__assign(&request->parameters.data[0].name, name) && read_value(text, &request->parameters.data[0].value) &&
                fil_graph_call(member, ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, SetParameters), service, request, response);
    if (done && (response->results.size != 1 || !response->results.data[0].successful)) {
        fil_cli_fail(member->command, 0, "%s", response->results.size == 1 ? response->results.data[0].reason.data : "no result came back");
        done = false;
    }
    if (done) {
        printf("Set parameter successful\n");
    }
    rcl_interfaces__srv__SetParameters_Request__destroy(request);
    rcl_interfaces__srv__SetParameters_Response__destroy(response);
    return done;
}

/* ---- the commands ---- */

/* joins, calls one of the above with the arguments, leaves */
static int run(const FilUsage* usage, int argc, char** argv)
{
    int arguments;
    int exit_code;
    FilGraphMember member;
    if (!fil_options_parse(usage, argc, argv, &arguments, &exit_code)) {
        return exit_code;
    }
    fil_stop_on_signals();
    if (!fil_graph_join(&member, NULL, usage->command)) {
        return FIL_EXIT_FAILED;
    }
    const bool done = arguments >= 3   ? set(&member, argv[1], argv[2], argv[3])
                      : arguments == 2 ? get(&member, argv[1], argv[2])
                                       : list(&member, arguments == 1 ? argv[1] : "/filum");
    fil_graph_leave(&member);
    return done ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}

static int run_list(int argc, char** argv)
{
    const FilUsage usage = {"param list", "[NODE]", "Lists the parameters of a node, /filum if none is named.", 0, 1, NULL, 0};
    return run(&usage, argc, argv);
}

static int run_get(int argc, char** argv)
{
    const FilUsage usage = {"param get", "NODE NAME", "Prints the value of a parameter.", 2, 2, NULL, 0};
    return run(&usage, argc, argv);
}

static int run_set(int argc, char** argv)
{
    const FilUsage usage = {"param set", "NODE NAME VALUE", "Sets a parameter; the node says why if it will not.", 3, 3, NULL, 0};
    return run(&usage, argc, argv);
}

int fil_command_param(int argc, char** argv)
{
    static const FilCommand commands[] = {
        {"list", "[NODE]", "the parameters of a node", run_list},
        {"get", "NODE NAME", "the value of a parameter", run_get},
        {"set", "NODE NAME VALUE", "set a parameter", run_set},
    };
    return fil_cli_dispatch("param", commands, sizeof commands / sizeof *commands, FIL_GRAPH_NOTE, argc, argv);
}
