/* Lockstep: a controller in a process of its own closes a loop with the node; the run is the same bit for bit each
 * time, on an idle machine and on a busy one, and a controller that falls silent is noticed. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "filum/msg/drive_target.h"
#include "filum/msg/probes.h"
#include "filum/msg/rod_command.h"
#include "process.h"
#include "rcl/logging_rosout.h"
#include "rcl_interfaces/msg/log.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"

enum { PERIODS = 60 };
#define LATENESS 0.5 /* s */

static const TestScene* scene;

static pid_t start_node(void)
{
    const char* const arguments[] = {"--ros-args",          "-p", scene->argument,         "-p", "lockstep:=true", "-p",
                                     "real_time_factor:=0", "-p", "lockstep_timeout:=3.0", NULL};
    return process_start(FILUM_NODE, arguments);
}

/* A controller that integrates, and so must not count a state twice. */
typedef struct Controller {
    Client* client;
    rcl_subscription_t probes;
    rcl_publisher_t commands;
    filum__msg__Probes* measured;
    filum__msg__RodCommand* command;
    double integral;
    int64_t last; /* stamp of the last state, ns */
    int states;   /* told to it */
    int repeated; /* of these, told more than once */
} Controller;

static void controller_join(Controller* controller, Client* client)
{
    *controller = (Controller){.client = client,
                               .probes = rcl_get_zero_initialized_subscription(),
                               .commands = rcl_get_zero_initialized_publisher(),
                               .measured = filum__msg__Probes__create(),
                               .command = filum__msg__RodCommand__create(),
                               .last = -1};
    must(rclc_subscription_init_default(&controller->probes, &client->node, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, Probes), "/probes"), "probes");
    must(rclc_publisher_init_default(&controller->commands, &client->node, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, RodCommand), "/rod_commands"),
         "commands");
    filum__msg__DriveTarget__Sequence__init(&controller->command->targets, 1);
    rosidl_runtime_c__String__assign(&controller->command->targets.data[0].drive, "pull");
    rosidl_runtime_c__double__Sequence__init(&controller->command->targets.data[0].value, 3);
    memset(controller->command->targets.data[0].value.data, 0, 3 * sizeof(double));
}

static void controller_leave(Controller* controller)
{
    filum__msg__Probes__destroy(controller->measured);
    filum__msg__RodCommand__destroy(controller->command);
    must(rcl_publisher_fini(&controller->commands, &controller->client->node), "commands");
    must(rcl_subscription_fini(&controller->probes, &controller->client->node), "probes");
}

/* answers one state of the tip, if there is one, with a force that wants it at -0.1 m; a state that is told again is answered
 * as before. Its period, or -1. */
static int controller_answer(Controller* controller, double lateness)
{
    if (rcl_take(&controller->probes, controller->measured, NULL, NULL) != RCL_RET_OK) {
        return -1;
    }
    sleep_seconds(lateness);
    const builtin_interfaces__msg__Time stamp = controller->measured->header.stamp;
    const int64_t now = (int64_t)stamp.sec * 1000000000 + stamp.nanosec;
    if (now != controller->last) {
        const double error = -0.1 - controller->measured->values.data[0];
        controller->integral += 0.02 * error;  // 50 Hz
        controller->command->targets.data[0].value.data[2] = 2.0 * error + 5.0 * controller->integral;
        controller->command->header.stamp = stamp;
        controller->last = now;
    } else {
        controller->repeated++;
    }
    controller->states++;
    must(rcl_publish(&controller->commands, controller->command, NULL), "publish");
    return (int)(now / 20000000);
}

/* closes the loop until the last period, late at every `late`-th state and begun anew in the middle; the hash at the end */
static uint64_t control(Client* client, int late)
{
    rcl_subscription_t infos = rcl_get_zero_initialized_subscription();
    must(rclc_subscription_init_default(&infos, &client->node, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, StepInfo), "/step_info"), "infos");
    filum__msg__StepInfo* info = filum__msg__StepInfo__create();
    Controller controller;
    controller_join(&controller, client);
    const uint64_t last_step = PERIODS * 10;  // 50 Hz at dt 0.002 s
    uint64_t hash = 0;
    const double limit = seconds_now() + 2.0 * PATIENCE;
    for (bool anew = false; hash == 0 && seconds_now() < limit; sleep_seconds(0.0005)) {
        const int next = controller.states + 1;
        const int period = controller_answer(&controller, late > 0 && next % late == 0 ? LATENESS : 0.0);
        if (period == PERIODS / 2 && !anew) {
            controller_leave(&controller);
            controller_join(&controller, client);
            anew = true;
        }
        while (rcl_take(&infos, info, NULL, NULL) == RCL_RET_OK) {
            hash = info->step == last_step ? info->state_hash : hash;
        }
    }
    controller_leave(&controller);
    filum__msg__StepInfo__destroy(info);
    must(rcl_subscription_fini(&infos, &client->node), "infos");
    return hash;
}

static void runs_are_equal(void** state)
{
    (void)state;
    static const int late[3] = {0, 20, 13};  // never; in 5 % of states; in 8 % beside two busy processes
    uint64_t hashes[3];
    for (int run = 0; run < 3; run++) {
        const pid_t busy[2] = {run == 2 ? process_start_role("burn", NULL, NULL, NULL) : 0,
                               run == 2 ? process_start_role("burn", NULL, NULL, NULL) : 0};
        Client client;
        client_join(&client, "controller", 0, NULL);
        const pid_t node = start_node();
        hashes[run] = control(&client, late[run]);
        for (int i = 0; i < 2 && run == 2; i++) {
            process_kill(busy[i]);
        }
        kill(node, SIGINT);
        assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
        client_leave(&client);
    }
    assert_true(hashes[0] != 0);
    assert_true(hashes[0] == hashes[1]);
    assert_true(hashes[0] == hashes[2]);
}

/* a controller that has answered once hears each state once, however late it is */
static void the_late_hear_once(void** state)
{
    (void)state;
    Client client;
    client_join(&client, "controller", 0, NULL);
    const pid_t node = start_node();
    Controller controller;
    controller_join(&controller, &client);
    const double limit = seconds_now() + PATIENCE;
    int period = -1;
    while (period < 3 && seconds_now() < limit) {
        period = controller_answer(&controller, 0.0);
        sleep_seconds(0.0005);
    }
    const int before = controller.repeated;
    for (int more = 0; more < 4 && seconds_now() < limit; sleep_seconds(0.0005)) {
        more += controller_answer(&controller, LATENESS) >= 0;
    }
    assert_int_equal(controller.repeated, before);
    controller_leave(&controller);
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
    client_leave(&client);
}

/* after a timeout a controller may come, and the run goes on: the time it has begins anew */
static void a_timeout_is_survived(void** state)
{
    (void)state;
    Client client;
    client_join(&client, "controller", 0, NULL);
    const pid_t node = start_node();
    sleep_seconds(4.0);  // the timeout is 3 s
    assert_true(client_pause(&client, "/filum", false));
    sleep_seconds(1.0);
    Controller controller;
    controller_join(&controller, &client);
    const double limit = seconds_now() + PATIENCE;
    int period = -1;
    while (period < 5 && seconds_now() < limit) {
        period = controller_answer(&controller, 0.0);
        sleep_seconds(0.0005);
    }
    assert_int_equal(period, 5);
    controller_leave(&controller);
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
    client_leave(&client);
}

static bool is_timeout(const void* message, void* context)
{
    (void)context;
    const rcl_interfaces__msg__Log* log = message;
    return strstr(log->msg.data, "lockstep: no command for the state at 0.000000000 s came within 3 s") != NULL;
}

/* a node without any controller neither runs nor hangs: it pauses, says so, and still answers */
static void silence_is_noticed(void** state)
{
    (void)state;
    Client client;
    client_join(&client, "watcher", 0, NULL);
    const pid_t node = start_node();
    rcl_interfaces__msg__Log* log = rcl_interfaces__msg__Log__create();
    assert_true(client_hear(&client, ROSIDL_GET_MSG_TYPE_SUPPORT(rcl_interfaces, msg, Log), "/rosout", &rcl_qos_profile_rosout_default, log,
                            is_timeout, NULL));
    rcl_interfaces__msg__Log__destroy(log);
    char message[256];
    assert_false(client_trigger(&client, "/filum", "step", message));
    assert_string_equal(message, "lockstep: no command came");
    assert_true(client_trigger(&client, "/filum", "reset", message));
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
    client_leave(&client);
}

static int set_up(void** state)
{
    const int result = test_scene_write(state);
    scene = *state;
    return result;
}

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "burn") == 0) {
        return process_burn(PATIENCE);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(runs_are_equal, process_end_all),
        cmocka_unit_test_teardown(the_late_hear_once, process_end_all),
        cmocka_unit_test_teardown(silence_is_noticed, process_end_all),
        cmocka_unit_test_teardown(a_timeout_is_survived, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, test_scene_remove);
}
