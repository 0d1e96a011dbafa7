/* Owns membership in the graph, types by name, and calls of services. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "graph_tools.h"
#include "rcl/error_handling.h"
#include "rcl/graph.h"
#include "rclc/client.h"
#include "types.h"

#define CALL_PATIENCE 10.0 /* s, for an answer once the request is sent */

bool fil_graph_ok(const FilGraphMember* member, rcl_ret_t ret, const char* what)
{
    if (ret != RCL_RET_OK) {
        fil_cli_fail(member->command, 0, "%s: %s", what, rcl_get_error_string().str);
        rcl_reset_error();
    }
    return ret == RCL_RET_OK;
}

bool fil_graph_join(FilGraphMember* member, const char* node_name, const char* command)
{
    *member = (FilGraphMember){.command = command, .allocator = rcl_get_default_allocator()};
    if (!fil_graph_ok(member, rclc_support_init(&member->support, 0, NULL, &member->allocator), "cannot start")) {
        return false;
    }
    char made[64];
    snprintf(made, sizeof made, "filum_tool_%ld", (long)getpid());
    const char* name = node_name != NULL ? node_name : made;
    rcl_node_options_t options = rcl_node_get_default_options();
    options.enable_rosout = false;
    if (!fil_graph_ok(member, rclc_node_init_with_options(&member->node, name, "", &member->support, &options), "cannot join the graph")) {
        fil_graph_ok(member, rclc_support_fini(&member->support), "support");
        return false;
    }
    return true;
}

bool fil_graph_begin(const FilUsage* usage, int argc, char** argv, FilGraphMember* member, int* arguments, int* exit_code)
{
    if (!fil_options_parse(usage, argc, argv, arguments, exit_code)) {
        return false;
    }
    *exit_code = FIL_EXIT_FAILED;
    return fil_graph_join(member, NULL, usage->command);
}

void fil_graph_leave(FilGraphMember* member)
{
    fil_graph_ok(member, rcl_node_fini(&member->node), "node");
    fil_graph_ok(member, rclc_support_fini(&member->support), "support");
}

double fil_graph_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void fil_graph_sleep(double seconds)
{
    const struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
}

/* ---- types ---- */

/* "package/Name" to "package/kind/Name" */
static void complete_type(const char* given, const char* kind, char type[256])
{
    const char* slash = strchr(given, '/');
    if (slash != NULL && strchr(slash + 1, '/') == NULL) {
        snprintf(type, 256, "%.*s/%s/%s", (int)(slash - given), given, kind, slash + 1);
    } else {
        snprintf(type, 256, "%s", given);
    }
}

static const char* message_name(size_t i)
{
    size_t count;
    return fil_message_types(&count)[i].name;
}

static const char* service_name(size_t i)
{
    size_t count;
    return fil_service_types(&count)[i].name;
}

/* the row of a type in one of the tables; `count`, having said which is the nearest, if it is not there */
static size_t find_row(const FilGraphMember* member, const char* given, const char* kind, size_t count, const char* (*name)(size_t i))
{
    char full[256];
    complete_type(given, kind, full);
    FilGuess guess = fil_guess_start(full);
    size_t row = 0;
    for (; row < count && strcmp(name(row), full) != 0; row++) {
        fil_guess_try(&guess, name(row));
    }
    if (row == count) {
        fil_cli_fail(member->command, 0, "this program does not know the type '%s'%s", full, fil_hint(&guess).text);
    }
    return row;
}

const rosidl_message_type_support_t* fil_graph_message_type(const FilGraphMember* member, const char* name)
{
    size_t count;
    const FilMessageType* types = fil_message_types(&count);
    const size_t row = find_row(member, name, "msg", count, message_name);
    return row < count ? types[row].support() : NULL;
}

const rosidl_service_type_support_t* fil_graph_service_type(const FilGraphMember* member, const char* name)
{
    size_t count;
    const FilServiceType* types = fil_service_types(&count);
    const size_t row = find_row(member, name, "srv", count, service_name);
    return row < count ? types[row].support() : NULL;
}

void fil_graph_full_name(const char* name, char full[256])
{
    snprintf(full, 256, "%s%s", name[0] == '/' ? "" : "/", name);
}

typedef rcl_ret_t (*Lister)(const FilGraphMember* member, rcl_names_and_types_t* list);

static rcl_ret_t list_topics(const FilGraphMember* member, rcl_names_and_types_t* list)
{
    rcl_allocator_t allocator = member->allocator;
    return rcl_get_topic_names_and_types(&member->node, &allocator, false, list);
}

static rcl_ret_t list_services(const FilGraphMember* member, rcl_names_and_types_t* list)
{
    rcl_allocator_t allocator = member->allocator;
    return rcl_get_service_names_and_types(&member->node, &allocator, list);
}

/* waits until a name is in the list, with a look every 20 ms; says what is nearest if it never is. Pauses here and below are chosen: short for a
 * person, long for a processor */
static bool find_type(const FilGraphMember* member, Lister lister, const char* what, const char* name, double patience, char type[256])
{
    const double limit = fil_graph_now() + patience;
    bool found = false;
    for (bool last = false; !found && !last; fil_graph_sleep(found ? 0.0 : 0.02)) {
        rcl_names_and_types_t list;
        last = fil_graph_now() > limit || fil_stop_requested();
        if (!fil_graph_ok(member, lister(member, &list), what)) {
            return false;
        }
        FilGuess guess = fil_guess_start(name);
        for (size_t i = 0; i < list.names.size && !found; i++) {
            found = strcmp(list.names.data[i], name) == 0 && list.types[i].size > 0;
            if (found) {
                snprintf(type, 256, "%s", list.types[i].data[0]);
            }
            fil_guess_try(&guess, list.names.data[i]);
        }
        if (last && !found) {
            fil_cli_fail(member->command, 0, "no %s '%s' in the graph%s", what, name, fil_hint(&guess).text);
        }
        if (!fil_graph_ok(member, rcl_names_and_types_fini(&list), what)) {
            return false;
        }
    }
    return found;
}

bool fil_graph_topic_type_name(const FilGraphMember* member, const char* topic, double patience, char type[256])
{
    return find_type(member, list_topics, "topic", topic, patience, type);
}

bool fil_graph_service_type_name(const FilGraphMember* member, const char* service, double patience, char type[256])
{
    return find_type(member, list_services, "service", service, patience, type);
}

/* ---- services ---- */

/* waits for the server, asks, waits for the answer */
static bool ask(const FilGraphMember* member, const rcl_client_t* client, const char* service, const void* request, void* response)
{
    bool available = false;
    for (const double limit = fil_graph_now() + FIL_GRAPH_PATIENCE; !available && fil_graph_now() < limit;) {
        if (!fil_graph_ok(member, rcl_service_server_is_available(&member->node, client, &available), service) || fil_stop_requested()) {
            return false;
        }
        fil_graph_sleep(available ? 0.0 : 0.005);
    }
    if (!available) {
        fil_cli_fail(member->command, 0, "nobody offers the service '%s'", service);
        return false;
    }
    int64_t sequence;
    if (!fil_graph_ok(member, rcl_send_request(client, request, &sequence), service)) {
        return false;
    }
    for (const double limit = fil_graph_now() + CALL_PATIENCE; fil_graph_now() < limit && !fil_stop_requested();) {
        rmw_request_id_t id;
        const rcl_ret_t ret = rcl_take_response(client, &id, response);
        if (ret != RCL_RET_CLIENT_TAKE_FAILED) {
            return fil_graph_ok(member, ret, service);
        }
        fil_graph_sleep(0.001);
    }
    fil_cli_fail(member->command, 0, "'%s' did not answer within %g s", service, CALL_PATIENCE);
    return false;
}

bool fil_graph_call(FilGraphMember* member, const rosidl_service_type_support_t* type, const char* service, const void* request, void* response)
{
    rcl_client_t client = rcl_get_zero_initialized_client();
    if (!fil_graph_ok(member, rclc_client_init_default(&client, &member->node, type, service), service)) {
        return false;
    }
    const bool done = ask(member, &client, service, request, response);
    return fil_graph_ok(member, rcl_client_fini(&client, &member->node), service) && done;
}
