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

static const TestScene* scene;

static pid_t start_node(void)
{
    const char* const arguments[] = {"--ros-args",          "-p", scene->argument,         "-p", "lockstep:=true", "-p",
                                     "real_time_factor:=0", "-p", "lockstep_timeout:=3.0", NULL};
    return process_start(FILUM_NODE, arguments);
}

/* answers each state of the tip with a force that wants it at -0.1 m; returns the hash at the last period */
static uint64_t control(Client* client)
{
    rcl_subscription_t probes = rcl_get_zero_initialized_subscription();
    rcl_subscription_t infos = rcl_get_zero_initialized_subscription();
    rcl_publisher_t commands = rcl_get_zero_initialized_publisher();
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.depth = 200;
    must(rclc_subscription_init(&probes, &client->node, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, Probes), "/probes",
                                &qos),
         "probes");
    must(rclc_subscription_init(&infos, &client->node, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, StepInfo), "/step_info",
                                &qos),
         "infos");
    must(rclc_publisher_init(&commands, &client->node, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, RodCommand),
                             "/rod_commands", &qos),
         "commands");
    filum__msg__Probes* measured = filum__msg__Probes__create();
    filum__msg__StepInfo* info = filum__msg__StepInfo__create();
    filum__msg__RodCommand* command = filum__msg__RodCommand__create();
    filum__msg__DriveTarget__Sequence__init(&command->targets, 1);
    rosidl_runtime_c__String__assign(&command->targets.data[0].drive, "pull");
    rosidl_runtime_c__double__Sequence__init(&command->targets.data[0].value, 3);
    memset(command->targets.data[0].value.data, 0, 3 * sizeof(double));
    const uint64_t last_step = PERIODS * 10;  // 50 Hz at dt 0.002 s
    uint64_t hash = 0;
    const double limit = seconds_now() + PATIENCE;
    while (hash == 0 && seconds_now() < limit) {
        while (rcl_take(&probes, measured, NULL, NULL) == RCL_RET_OK) {
            command->header.stamp = measured->header.stamp;
            command->targets.data[0].value.data[2] = -2.0 * (measured->values.data[0] + 0.1);
            must(rcl_publish(&commands, command, NULL), "publish");
        }
        while (rcl_take(&infos, info, NULL, NULL) == RCL_RET_OK) {
            hash = info->step == last_step ? info->state_hash : hash;
        }
        sleep_seconds(0.0005);
    }
    filum__msg__Probes__destroy(measured);
    filum__msg__StepInfo__destroy(info);
    filum__msg__RodCommand__destroy(command);
    must(rcl_publisher_fini(&commands, &client->node), "commands");
    must(rcl_subscription_fini(&infos, &client->node), "infos");
    must(rcl_subscription_fini(&probes, &client->node), "probes");
    return hash;
}

static void runs_are_equal(void** state)
{
    (void)state;
    uint64_t hashes[3];
    for (int run = 0; run < 3; run++) {
        const pid_t busy[2] = {run == 2 ? process_start_role("burn", NULL, NULL, NULL) : 0,
                               run == 2 ? process_start_role("burn", NULL, NULL, NULL) : 0};
        Client client;
        client_join(&client, "controller", 0, NULL);
        const pid_t node = start_node();
        hashes[run] = control(&client);
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
    assert_true(client_hear(&client, ROSIDL_GET_MSG_TYPE_SUPPORT(rcl_interfaces, msg, Log), "/rosout",
                            &rcl_qos_profile_rosout_default, log, is_timeout, NULL));
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
        cmocka_unit_test_teardown(silence_is_noticed, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, test_scene_remove);
}
