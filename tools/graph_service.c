/* Owns `filum service`: services of the running graph. */
#include <string.h>

#include "command_table.h"
#include "graph_tools.h"
#include "rcl/graph.h"
#include "rosidl_typesupport_introspection_c/service_introspection.h"

static int run_list(int argc, char** argv)
{
    double wait = 1.0;
    const FilOption options[] = {
        {"--wait", FIL_OPTION_POSITIVE, &wait, "S", "how long to look around (1)"},
    };
    const FilUsage usage = {"service list", "", "Lists the services that somebody offers.", 0, 0, options, 1};
    int arguments;
    int exit_code;
    FilGraphMember member;
    if (!fil_graph_begin(&usage, argc, argv, &member, &arguments, &exit_code)) {
        return exit_code;
    }
    fil_graph_sleep(wait);
    rcl_names_and_types_t list;
    bool done = fil_graph_ok(&member, rcl_get_service_names_and_types(&member.node, &member.allocator, &list), "services");
    for (size_t i = 0; done && i < list.names.size; i++) {
        printf("%s [%s]\n", list.names.data[i], list.types[i].size > 0 ? list.types[i].data[0] : "?");
    }
    done = done && fil_graph_ok(&member, rcl_names_and_types_fini(&list), "services");
    fil_graph_leave(&member);
    return done ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}

static bool call(FilGraphMember* member, const char* name, const char* type_name, const char* yaml)
{
    const rosidl_service_type_support_t* type = fil_graph_service_type(member, type_name);
    char service[256];
    fil_graph_full_name(name, service);
    if (type == NULL) {
        return false;
    }
    const rosidl_typesupport_introspection_c__ServiceMembers* members = type->data;
    void* request = fil_message_new(members->request_members_);
    void* response = fil_message_new(members->response_members_);
    FilError error = {"out of memory"};
    bool done = false;
    if (request == NULL || response == NULL || !fil_message_parse(members->request_members_, yaml, request, &error)) {
        fil_cli_fail(member->command, 0, "%s", error.text);
    } else {
        done = fil_graph_call(member, type, service, request, response);
    }
    if (done) {
        fil_message_print(members->response_members_, response, 0, stdout);
    }
    fil_message_free(members->request_members_, request);
    fil_message_free(members->response_members_, response);
    return done;
}

static int run_call(int argc, char** argv)
{
    const FilUsage usage = {"service call",
                            "SERVICE TYPE [YAML]",
                            "Calls a service and prints its answer as YAML. Fields of the request that the YAML does "
                            "not name keep their defaults.",
                            2,
                            3,
                            NULL,
                            0};
    int arguments;
    int exit_code;
    FilGraphMember member;
    fil_stop_on_signals();
    if (!fil_graph_begin(&usage, argc, argv, &member, &arguments, &exit_code)) {
        return exit_code;
    }
    const bool done = call(&member, argv[1], argv[2], arguments > 2 ? argv[3] : "");
    fil_graph_leave(&member);
    return done ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}

int fil_command_service(int argc, char** argv)
{
    static const FilCommand commands[] = {
        {"list", "", "the services of the graph", run_list},
        {"call", "SERVICE TYPE [YAML]", "call a service", run_call},
    };
    return fil_cli_dispatch("service", commands, sizeof commands / sizeof *commands, FIL_GRAPH_NOTE, argc, argv);
}
