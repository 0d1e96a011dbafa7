/* What peers may make the node do with the machine that it runs on, and what it refuses: files outside of its folders, worlds without
 * measure, steps without end.
 *
 *   test_ros_boundary [SECONDS]: how long a hostile peer tries all of that while the node runs; from 60 on the clock is judged too */
#include <math.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/random.h"
#include "client.h"
#include "diagnostic_msgs/msg/diagnostic_array.h"
#include "diagnostic_msgs/msg/diagnostic_status.h"
#include "diagnostic_msgs/msg/key_value.h"
#include "link_swapper.h"
#include "process.h"
#include "rmw/qos_profiles.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "simulation_interfaces/msg/result.h"
#include "simulation_interfaces/msg/simulation_state.h"
#include "simulation_interfaces/srv/get_entities.h"
#include "simulation_interfaces/srv/get_simulation_state.h"
#include "simulation_interfaces/srv/load_world.h"
#include "simulation_interfaces/srv/set_simulation_state.h"
#include "simulation_interfaces/srv/step_simulation.h"
#include "text_file.h"

#define SERVICE(name) ROSIDL_GET_SRV_TYPE_SUPPORT(simulation_interfaces, srv, name)
#define RESULT(name) simulation_interfaces__msg__Result__RESULT_##name
#define STATE(name) simulation_interfaces__msg__SimulationState__STATE_##name
#define PARSE_ERROR simulation_interfaces__srv__LoadWorld_Response__RESOURCE_PARSE_ERROR

static const char thread[] =
    "materials: {m: {young: 1e6, poisson: 0.5, density: 1000}}\n"
    "rods:\n  - {name: thread, material: m, section: {circle: {radius: 1e-5}}, "
    "shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: %d}}}\n";

static const char sheet[] =
    "materials: {m: {young: 1e6, poisson: 0.3, density: 1000}}\n"
    "shells:\n  - {name: sheet, material: m, thickness: 1e-3, "
    "sheet: {corner: [0, 0, 0], along: [1, 0, 0], across: [0, 1, 0], columns: 10, rows: 10}}\n";

static const TestScene* scene;
static Client client;
static double duration = 1.0;                       /* s, of each hostile peer */
static char before[512];                            /* working directory of the test */
static char place[] = "/tmp/filum_boundary_XXXXXX"; /* that of the node: good.yaml, secret.yaml, pipe, links to files elsewhere */
static char stranger[64];                           /* a file beside it */

static int set_up(void** state)
{
    char text[512];
    if (test_scene_write(state) != 0 || getcwd(before, sizeof before) == NULL || mkdtemp(place) == NULL || chdir(place) != 0) {
        return 1;
    }
    scene = *state;
    snprintf(stranger, sizeof stranger, "%s.yaml", place);
    snprintf(text, sizeof text, thread, 5);
    write_text("good.yaml", text);
    write_text(stranger, text);
    write_text("secret.yaml", "password: swordfish\n");
    client_join(&client, "boundary", 0, NULL);
    return mkfifo("pipe", 0666) != 0 || symlink("/etc/passwd", "out.yaml") != 0 || symlink(stranger, "link.yaml") != 0 ||
           symlink("../filum_boundary_else", "new.db3") != 0 || symlink("../filum_boundary_else", "new.mcap") != 0 ||
           symlink("../filum_boundary_else", "new") != 0 || mkdir("allowed", 0777) != 0 || mkdir("allowed/sub", 0777) != 0 ||
           mkdir("elsewhere", 0777) != 0 || symlink("../elsewhere", "allowed/other") != 0;
}

static int tear_down(void** state)
{
    char command[160];
    client_leave(&client);
    snprintf(command, sizeof command, "rm -r '%s' '%s'", place, stranger);
    return chdir(before) != 0 || system(command) != 0 || test_scene_remove(state) != 0;
}

static pid_t start(const char* more, const char* max)
{
    const char* const arguments[] = {"--ros-args", "-p", scene->argument, "-p", "start_paused:=true", "-p", more, "-p", max, NULL};
    return process_start(FILUM_NODE, arguments);
}

static void end(pid_t pid, double seconds)
{
    kill(pid, SIGTERM);
    assert_int_equal(process_wait(pid, seconds), 0);
}

/* Asks for a world; the answer's code, and its words. */
static int load(const char* uri, const char* text, char words[512])
{
    simulation_interfaces__srv__LoadWorld_Request* request = simulation_interfaces__srv__LoadWorld_Request__create();
    simulation_interfaces__srv__LoadWorld_Response* response = simulation_interfaces__srv__LoadWorld_Response__create();
    rosidl_runtime_c__String__assign(&request->uri, uri);
    rosidl_runtime_c__String__assign(&request->resource_string, text);
    assert_true(client_call(&client, SERVICE(LoadWorld), "/filum/load_world", request, response));
    const int code = response->result.result;
    snprintf(words, 512, "%s", response->result.error_message.data);
    simulation_interfaces__srv__LoadWorld_Request__destroy(request);
    simulation_interfaces__srv__LoadWorld_Response__destroy(response);
    return code;
}

static int set_state(uint8_t wanted, char words[512])
{
    const simulation_interfaces__srv__SetSimulationState_Request request = {.state = {.state = wanted}};
    simulation_interfaces__srv__SetSimulationState_Response* response = simulation_interfaces__srv__SetSimulationState_Response__create();
    assert_true(client_call(&client, SERVICE(SetSimulationState), "/filum/set_simulation_state", &request, response));
    const int code = response->result.result;
    snprintf(words, 512, "%s", response->result.error_message.data);
    simulation_interfaces__srv__SetSimulationState_Response__destroy(response);
    return code;
}

static int filter(const char* pattern)
{
    simulation_interfaces__srv__GetEntities_Request* request = simulation_interfaces__srv__GetEntities_Request__create();
    simulation_interfaces__srv__GetEntities_Response* response = simulation_interfaces__srv__GetEntities_Response__create();
    rosidl_runtime_c__String__assign(&request->filters.filter, pattern);
    assert_true(client_call(&client, SERVICE(GetEntities), "/filum/get_entities", request, response));
    const int code = response->result.result;
    simulation_interfaces__srv__GetEntities_Request__destroy(request);
    simulation_interfaces__srv__GetEntities_Response__destroy(response);
    return code;
}

static bool set(const char* name, const char* text, char reason[512])
{
    return client_set(&client, "/filum", name, fil_parameter_string(text), reason);
}

/* A value of the node's diagnostics; -1: it has none. */
static bool reports_simulation(const void* message, void* context)
{
    const diagnostic_msgs__msg__DiagnosticArray* array = message;
    double* value = context;
    for (size_t k = 0; array->status.size > 0 && k < array->status.data[0].values.size; k++) {
        const diagnostic_msgs__msg__KeyValue* pair = &array->status.data[0].values.data[k];
        if (strcmp(pair->key.data, "refused_requests") == 0) {
            *value = atof(pair->value.data);
        }
    }
    return *value >= 0.0;
}

static double count_refusals(void)
{
    double value = -1.0;
    diagnostic_msgs__msg__DiagnosticArray* message = diagnostic_msgs__msg__DiagnosticArray__create();
    assert_true(client_hear(&client, ROSIDL_GET_MSG_TYPE_SUPPORT(diagnostic_msgs, msg, DiagnosticArray), "/diagnostics", &rmw_qos_profile_default,
                            message, reports_simulation, &value));
    diagnostic_msgs__msg__DiagnosticArray__destroy(message);
    return value;
}

static void reads_below_its_folders_only(void** state)
{
    (void)state;
    char words[512], absent[512];
    const pid_t node = start("use_sim_time:=false", "use_sim_time:=false");
    assert_int_equal(load("good.yaml", "", words), RESULT(OK));
    assert_int_equal(load("cantilever", "", words), RESULT(OK));  // by name, from the package
    static const char* const outside[] = {"/etc/passwd", "out.yaml", "../../etc/passwd", "link.yaml"};
    for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
        assert_int_equal(load(outside[k], "", words), PARSE_ERROR);
        assert_non_null(strstr(words, "not below a folder that may be used"));
    }
    assert_int_equal(load(stranger, "", words), PARSE_ERROR);
    // nor does it tell what there is
    assert_int_equal(load("/etc/passwd", "", words), PARSE_ERROR);
    assert_int_equal(load("/etc/nobody", "", absent), PARSE_ERROR);
    assert_string_equal(strchr(words, ' '), strchr(absent, ' '));
    // what files hold is not quoted, what was sent is
    assert_int_equal(load("secret.yaml", "", words), PARSE_ERROR);
    assert_null(strstr(words, "password"));
    assert_non_null(strstr(words, "secret.yaml:1"));
    assert_int_equal(load("", "include: secret.yaml\n", words), PARSE_ERROR);
    assert_null(strstr(words, "password"));
    assert_int_equal(load("", "include: /etc/passwd\n", words), PARSE_ERROR);
    assert_null(strstr(words, "root"));
    assert_int_equal(load("", "robots: [{name: r, urdf: /etc/passwd}]\n", words), PARSE_ERROR);
    assert_non_null(strstr(words, "not below a folder"));
    assert_int_equal(load("", "mispelt: 1\n", words), PARSE_ERROR);
    assert_non_null(strstr(words, "mispelt"));
    // a pipe would make it wait for ever
    const double begin = seconds_now();
    assert_int_equal(load("pipe", "", words), PARSE_ERROR);
    assert_int_equal(load("", "include: pipe\n", words), PARSE_ERROR);
    assert_int_equal(load("", "rigid_bodies: [{name: b, shapes: [{mesh: {file: pipe}}]}]\n", words), PARSE_ERROR);
    assert_true(seconds_now() < begin + 10.0);
    assert_true(count_refusals() >= 14.0);
    end(node, EXIT_PATIENCE);
}

static void records_below_its_folders_only(void** state)
{
    (void)state;
    char reason[512], path[128];
    const pid_t node = start("use_sim_time:=false", "use_sim_time:=false");
    snprintf(path, sizeof path, "%s_bag", place);
    assert_false(set("record", path, reason));
    assert_non_null(strstr(reason, "not below a folder that may be used"));
    assert_false(set("record", "../filum_bag", reason));
    static const char* const links[] = {"new.db3", "new.mcap", "new"};
    for (size_t k = 0; k < sizeof links / sizeof *links; k++) {
        assert_false(set("record", links[k], reason));  // although it leads nowhere
        assert_int_not_equal(access("../filum_boundary_else", F_OK), 0);
    }
    assert_false(set("record_storage", "xyz", reason));
    assert_non_null(strstr(reason, "'xyz' is none of mcap, sqlite3"));
    assert_false(set("record_compression", "zip", reason));
    assert_true(set("record", "bag", reason));
    assert_true(set("record", "", reason));
    assert_int_equal(access("bag/metadata.yaml", F_OK), 0);
    end(node, EXIT_PATIENCE);
}

/* A folder and a link that leads out of those allowed take each other's place all the time. */
static void records_nowhere_else_while_links_change(void** state)
{
    (void)state;
    char reason[512];
    LinkSwapper swapper;
    int made = 0;
    const pid_t node = start("record_folders:=allowed", "record_storage:=sqlite3");
    assert_true(link_swapper_start(&swapper, "allowed", "sub", "other"));
    static const char* const endings[] = {"", ".db3", ".mcap"};
    for (int k = 0; k < 60; k++) {
        char path[64];
        snprintf(path, sizeof path, "allowed/sub/bag%d%s", k, endings[k % 3]);
        if (set("record", path, reason)) {
            made++;
        } else {
            assert_non_null(strstr(reason, "not below a folder that may be used"));
        }
    }
    assert_true(set("record", "", reason));
    assert_true(!link_swapper_stop(&swapper) || made > 0);
    assert_int_equal(rmdir("elsewhere"), 0);  // nothing is in it
    assert_int_equal(mkdir("elsewhere", 0777), 0);
    end(node, EXIT_PATIENCE);
}

static void a_locked_node_is_left_alone(void** state)
{
    (void)state;
    char words[512];
    const pid_t node = start("locked:=true", "use_sim_time:=false");
    assert_int_equal(load("good.yaml", "", words), RESULT(OPERATION_FAILED));
    assert_string_equal(words, "the node is locked: its peers cannot load a world");
    assert_int_equal(set_state(STATE(QUITTING), words), RESULT(OPERATION_FAILED));
    assert_string_equal(words, "the node is locked: its peers cannot end the node");
    assert_false(set("record", "bag2", words));
    assert_false(client_set(&client, "/filum", "locked", fil_parameter_bool(false), words));
    assert_true(count_refusals() == 3.0);
    end(node, EXIT_PATIENCE);
}

static void worlds_have_a_budget(void** state)
{
    (void)state;
    char words[512], text[512];
    const pid_t node = start("max_nodes:=60000", "max_elements:=100");
    snprintf(text, sizeof text, thread, 1000000);
    const double begin = seconds_now();
    assert_int_equal(load("", text, words), PARSE_ERROR);
    assert_true(seconds_now() < begin + 10.0);
    assert_int_equal(load("", sheet, words), PARSE_ERROR);
    assert_non_null(strstr(words, "more than 100 elements in one scene"));
    assert_int_equal(filter("(((a{1,200}){1,200}){1,200}){1,200}"), RESULT(FEATURE_UNSUPPORTED));
    assert_int_equal(filter("cable"), RESULT(OK));
    // a step of a large world, which takes seconds, ends by a signal or by its limit
    snprintf(text, sizeof text, thread, 60000);
    assert_int_equal(load("", text, words), RESULT(OK));
    assert_true(client_set(&client, "/filum", "step_time_limit", fil_parameter_double(0.001), words));
    assert_false(client_trigger(&client, "/filum", "step", words));
    assert_non_null(strstr(words, "took longer than its limit of 0.001 s"));
    end(node, EXIT_PATIENCE);
}

static void steps_without_end_are_ended(void** state)
{
    (void)state;
    char words[512];
    const pid_t node = start("use_sim_time:=false", "use_sim_time:=false");
    const simulation_interfaces__srv__StepSimulation_Request all = {.steps = UINT64_MAX};
    simulation_interfaces__srv__StepSimulation_Response* response = simulation_interfaces__srv__StepSimulation_Response__create();
    // it is asked again after a second, and is answered then that steps are being made
    assert_true(client_call(&client, SERVICE(StepSimulation), "/filum/step_simulation", &all, response));
    assert_int_equal(response->result.result, RESULT(OPERATION_FAILED));
    assert_non_null(strstr(response->result.error_message.data, "steps of an earlier request are being made"));
    simulation_interfaces__srv__StepSimulation_Response__destroy(response);
    assert_true(client_pause(&client, "/filum", true));
    assert_true(client_trigger(&client, "/filum", "step", words));  // and it is free again
    end(node, EXIT_PATIENCE);
}

/* ---- a hostile peer, for a while ---- */

/* What is no packet, at the ports that processes of this domain may have. */
static void throw_packets(Random* random)
{
    const char* domain = getenv("ROS_DOMAIN_ID");
    const int base = 7400 + 250 * (domain != NULL ? atoi(domain) : 0);
    const int file = socket(AF_INET, SOCK_DGRAM, 0);
    assert_true(file >= 0);
    for (int k = 0; k < 50; k++) {
        unsigned char bytes[200] = "RTPS\2\1\1\20";
        for (size_t i = k % 2 == 0 ? 8 : 0; i < sizeof bytes; i++) {
            bytes[i] = (unsigned char)(random_bits(random) % 256);
        }
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        to.sin_port = htons((uint16_t)(base + (int)(random_bits(random) % 24)));
        (void)sendto(file, bytes, random_bits(random) % sizeof bytes, 0, (const struct sockaddr*)&to, sizeof to);
    }
    close(file);
}

/* One attempt; how many refusals it must have added to the count. */
static int attack(int number, Random* random)
{
    char words[512], text[512];
    switch (number % 12) {
        case 0:
            return load("/etc/passwd", "", words) != RESULT(OK);
        case 1:
            return load("", "include: /etc/shadow\n", words) != RESULT(OK);
        case 2:
            return load("pipe", "", words) != RESULT(OK);
        case 3:
            snprintf(text, sizeof text, thread, 1000000);
            return load("", text, words) != RESULT(OK);
        case 4:
            return load("", "robots: [{name: r, urdf: /proc/kmsg}]\n", words) != RESULT(OK);
        case 5:
            return !set("record", "/tmp/filum_hostile_bag", words);
        case 6:
            return !set("record", "../filum_hostile.db3", words);
        case 7:
            return set_state(STATE(QUITTING), words) != RESULT(OK);  // under `locked` only
        case 8:
            assert_false(set("record_storage", "xyz", words));
            return 0;
        case 9:
            assert_int_equal(filter("(((a{1,200}){1,200}){1,200}){1,200}"), RESULT(FEATURE_UNSUPPORTED));
            return 0;
        case 10:
            assert_false(client_set(&client, "/filum", "time_step", fil_parameter_double(-1.0), words));
            return 0;
        default:
            throw_packets(random);
            return 0;
    }
}

/* A locked node refuses loading, recording and ending as such; one that is not refuses files, worlds and places. */
static void hostile(bool locked)
{
    Random random = {7};
    const pid_t node = start("start_paused:=false", locked ? "locked:=true" : "step_time_limit:=1.0");
    int attempts = 0, refusals = 0;
    for (; attempts < 12; attempts++) {  // once, after which memory is what it is
        refusals += attempts % 12 == 7 && !locked ? 0 : attack(attempts, &random);
    }
    const double memory = process_memory(node), simulated = client_time(&client), begin = seconds_now();
    while (seconds_now() < begin + duration) {
        for (int k = 0; k < 12; k++, attempts++) {
            refusals += attempts % 12 == 7 && !locked ? 0 : attack(attempts, &random);
        }
    }
    const double rate = (client_time(&client) - simulated) / (seconds_now() - begin), grown = process_memory(node) / memory - 1.0;
    const double counted = count_refusals();
    print_message("%s: %d attempts in %.0f s, %d refusals, %.0f counted; clock %+.3f %%, memory %.1f MB %+.1f %%\n", locked ? "locked" : "open",
                  attempts, seconds_now() - begin, refusals, counted, 100.0 * (rate - 1.0), memory, 100.0 * grown);
    assert_true(counted >= refusals && refusals > 0);
#ifndef __SANITIZE_ADDRESS__  // which keeps freed memory back
    assert_true(fabs(grown) < 0.1);
#endif
    if (duration >= 60.0) {  // a short time on a busy machine says nothing
        assert_true(fabs(rate - 1.0) < 0.01);
    }
    end(node, EXIT_PATIENCE);
}

static void a_hostile_peer_does_no_harm(void** state)
{
    (void)state;
    hostile(false);
    hostile(true);
}

int main(int argc, char** argv)
{
    duration = argc > 1 ? atof(argv[1]) : duration;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reads_below_its_folders_only, process_end_all),
        cmocka_unit_test_teardown(records_below_its_folders_only, process_end_all),
        cmocka_unit_test_teardown(records_nowhere_else_while_links_change, process_end_all),
        cmocka_unit_test_teardown(a_locked_node_is_left_alone, process_end_all),
        cmocka_unit_test_teardown(worlds_have_a_budget, process_end_all),
        cmocka_unit_test_teardown(steps_without_end_are_ended, process_end_all),
        cmocka_unit_test_teardown(a_hostile_peer_does_no_harm, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
