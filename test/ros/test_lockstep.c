/* Lockstep: a controller in a process of its own closes a loop with the node; the run is the same bit for bit each
 * time, on an idle machine and on a busy one, however late the controller is and although it ends and is started again; one that falls silent is
 * noticed. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/random.h"
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

enum { PERIODS = 60, RESTART = 25, STEPS_PER_PERIOD = 10 }; /* 50 Hz at dt 0.002 s */
#define LATENESS 0.5                                        /* s */

static const TestScene* scene;

static pid_t start_node(const char* timeout)
{
    const char* const arguments[] = {"--ros-args", "-p", scene->argument, "-p", "lockstep:=true", "-p", "real_time_factor:=0", "-p", timeout, NULL};
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
    int states;   /* published to it */
    int repeated; /* of these, published more than once */
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

/* answers one state of the tip up to period `last`, if there is one, with a force that wants it at -0.1 m; a state that is published again is
 * answered as before. Its period, or -1. */
static int controller_answer(Controller* controller, int last, double lateness)
{
    if (rcl_take(&controller->probes, controller->measured, NULL, NULL) != RCL_RET_OK) {
        return -1;
    }
    sleep_seconds(lateness);
    const builtin_interfaces__msg__Time stamp = controller->measured->header.stamp;
    const int64_t now = (int64_t)stamp.sec * 1000000000 + stamp.nanosec;
    if (now / 20000000 > last) {
        return (int)(now / 20000000);
    }
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

/* Sleeps before one of every twenty answers; the seed says which, and 0 none. */
static double lateness_of(uint64_t seed, int answer)
{
    Random random = {seed + (uint64_t)(answer / 20)};
    return seed != 0 && answer % 20 == (int)(random_bits(&random) % 20) ? LATENESS : 0.0;
}

/* The role of the controller: closes the loop up to a period and ends when the next one shows that all were heard. */
static int control(uint64_t seed, int last)
{
    Client client;
    Controller controller;
    int period = -1;
    client_join(&client, "controller", 0, NULL);
    controller_join(&controller, &client);
    for (const double limit = seconds_now() + 3.0 * PATIENCE; period <= last && seconds_now() < limit;) {
        const int heard = controller_answer(&controller, last, lateness_of(seed, controller.states));
        period = heard >= 0 ? heard : period;
        sleep_seconds(heard >= 0 ? 0.0 : 0.0005);
    }
    controller_leave(&controller);
    client_leave(&client);
    return period > last ? 0 : 1;
}

/* all that came of step_info, by period */
static void note_hashes(const rcl_subscription_t* infos, uint64_t hashes[PERIODS + 1])
{
    filum__msg__StepInfo* info = filum__msg__StepInfo__create();
    while (rcl_take(infos, info, NULL, NULL) == RCL_RET_OK) {
        if (info->step % STEPS_PER_PERIOD == 0 && info->step / STEPS_PER_PERIOD <= PERIODS) {
            hashes[info->step / STEPS_PER_PERIOD] = info->state_hash;
        }
    }
    filum__msg__StepInfo__destroy(info);
}

/* one controller, and when it has ended another one; the hash after each period */
static void run_once(const char* seed, const char* other_seed, uint64_t hashes[PERIODS + 1])
{
    Client client;
    rcl_subscription_t infos = rcl_get_zero_initialized_subscription();
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    char restart[16], last[16];
    qos.depth = 1000;
    snprintf(restart, sizeof restart, "%d", RESTART);
    snprintf(last, sizeof last, "%d", PERIODS);
    client_join(&client, "watcher", 0, NULL);
    must(rclc_subscription_init(&infos, &client.node, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, StepInfo), "/step_info", &qos), "infos");
    const pid_t node = start_node("lockstep_timeout:=20.0");
    for (const double limit = seconds_now() + PATIENCE; hashes[0] == 0 && seconds_now() < limit; sleep_seconds(0.01)) {
        note_hashes(&infos, hashes);
    }
    assert_int_equal(process_wait(process_start_role("control", seed, restart, NULL), 4.0 * PATIENCE), 0);
    assert_int_equal(process_wait(process_start_role("control", other_seed, last, NULL), 4.0 * PATIENCE), 0);
    for (const double limit = seconds_now() + PATIENCE; hashes[PERIODS] == 0 && seconds_now() < limit; sleep_seconds(0.01)) {
        note_hashes(&infos, hashes);
    }
    note_hashes(&infos, hashes);
    must(rcl_subscription_fini(&infos, &client.node), "infos");
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
    client_leave(&client);
}

/* Once in time and on a machine that is as it is; three times late at other states, beside two busy processes. */
static void runs_are_equal(void** state)
{
    (void)state;
    static const char* const seeds[4][2] = {{"0", "0"}, {"1", "2"}, {"3", "4"}, {"5", "6"}};
    static uint64_t hashes[4][PERIODS + 1];
    for (int run = 0; run < 4; run++) {
        for (int i = 0; i < 2 && run > 0; i++) {
            process_start_role("burn", NULL, NULL, NULL);
        }
        run_once(seeds[run][0], seeds[run][1], hashes[run]);
        process_end_all(NULL);
        for (int period = 0; period <= PERIODS; period++) {
            if (hashes[run][period] == 0 || hashes[run][period] != hashes[0][period]) {
                fail_msg("run %d, period %d: %016llx, not %016llx", run, period, (unsigned long long)hashes[run][period],
                         (unsigned long long)hashes[0][period]);
            }
        }
    }
    // commands are felt: no two periods are the same
    for (int period = 1; period <= PERIODS; period++) {
        assert_true(hashes[0][period] != hashes[0][period - 1]);
    }
}

/* Answers until it hears this period; the last that it heard. */
static int answer_until(Controller* controller, int wanted, double limit)
{
    int period = -1;
    while (period < wanted && seconds_now() < limit) {
        period = controller_answer(controller, PERIODS, 0.0);
        sleep_seconds(0.0005);
    }
    return period;
}

/* a controller that has answered once hears each state once, however late it is */
static void the_late_hear_once(void** state)
{
    (void)state;
    Client client;
    client_join(&client, "controller", 0, NULL);
    const pid_t node = start_node("lockstep_timeout:=3.0");
    Controller controller;
    controller_join(&controller, &client);
    const double limit = seconds_now() + PATIENCE;
    (void)answer_until(&controller, 3, limit);
    const int before = controller.repeated;
    for (int more = 0; more < 4 && seconds_now() < limit; sleep_seconds(0.0005)) {
        more += controller_answer(&controller, PERIODS, LATENESS) >= 0;
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
    const pid_t node = start_node("lockstep_timeout:=3.0");
    sleep_seconds(4.0);  // the timeout is 3 s
    assert_true(client_pause(&client, "/filum", false));
    sleep_seconds(1.0);
    Controller controller;
    controller_join(&controller, &client);
    assert_int_equal(answer_until(&controller, 5, seconds_now() + PATIENCE), 5);
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
    const pid_t node = start_node("lockstep_timeout:=3.0");
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
        return process_burn(4.0 * PATIENCE);
    }
    if (argc > 3 && strcmp(argv[1], "control") == 0) {
        return control(strtoull(argv[2], NULL, 10), atoi(argv[3]));
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(runs_are_equal, process_end_all),
        cmocka_unit_test_teardown(the_late_hear_once, process_end_all),
        cmocka_unit_test_teardown(silence_is_noticed, process_end_all),
        cmocka_unit_test_teardown(a_timeout_is_survived, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, test_scene_remove);
}
