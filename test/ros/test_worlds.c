/* Several worlds in one process: each in its namespace with its own clock and services, or all by one clock. */
#include <math.h>
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
#include "filum/msg/step_info.h"
#include "process.h"
#include "rclc/subscription.h"
#include "rosgraph_msgs/msg/clock.h"
#include "scene.h"

static const TestScene* scene;
static Client client;

static pid_t start(const char* first, const char* second)
{
    const char* const arguments[] = {"--ros-args", "-p", scene->argument, "-p", "worlds:=3", "-p", first, "-p", second, NULL};
    return process_start(FILUM_NODE, arguments);
}

static void stop(pid_t node)
{
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
}

typedef struct Seen {
    uint64_t step, hash;
} Seen;

static bool is_late(const void* message, void* context)
{
    return ((const filum__msg__StepInfo*)message)->step >= *(const uint64_t*)context;
}

/* the first state of a world from this step on */
static Seen hear(int world, uint64_t step)
{
    char topic[32];
    snprintf(topic, sizeof topic, "/w%d/step_info", world);
    filum__msg__StepInfo* info = filum__msg__StepInfo__create();
    assert_true(client_hear(&client, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, StepInfo), topic, &rmw_qos_profile_default, info, is_late, &step));
    const Seen seen = {info->step, info->state_hash};
    filum__msg__StepInfo__destroy(info);
    return seen;
}

/* whether a clock is told within half a second */
static bool is_told(const char* topic)
{
    rcl_subscription_t clock = rcl_get_zero_initialized_subscription();
    rosgraph_msgs__msg__Clock message;
    must(rclc_subscription_init(&clock, &client.node, ROSIDL_GET_MSG_TYPE_SUPPORT(rosgraph_msgs, msg, Clock), topic, &rmw_qos_profile_default),
         topic);
    rcl_ret_t ret = RCL_RET_SUBSCRIPTION_TAKE_FAILED;
    for (double end = seconds_now() + 0.5; ret != RCL_RET_OK && seconds_now() < end; sleep_seconds(0.01)) {
        ret = rcl_take(&clock, &message, NULL, NULL);
    }
    must(rcl_subscription_fini(&clock, &client.node), topic);
    return ret == RCL_RET_OK;
}

static Seen step_to(int world, int steps)
{
    char name[16], word[256];
    snprintf(name, sizeof name, "/w%d/filum", world);
    for (int i = 0; i < steps; i++) {
        assert_true(client_trigger(&client, name, "step", word));
    }
    return hear(world, (uint64_t)steps);
}

static void keeps_worlds_apart(void** state)
{
    (void)state;
    char reason[512];
    const pid_t node = start("start_paused:=true", "publish_rate:=500.0");
    assert_true(client_set(&client, "/w2/filum", "gravity", fil_parameter_double(1.0), reason));
    // the same scene makes the same steps, and what is set in one world is felt there only
    const Seen first = step_to(0, 5), second = step_to(1, 5), third = step_to(2, 5);
    assert_true(first.step == 5 && first.hash == second.hash);
    assert_true(third.step == 5 && third.hash != first.hash);
    // one runs, the others stand
    assert_true(client_pause(&client, "/w1/filum", false));
    hear(1, 20);
    assert_int_equal(hear(0, 0).step, 5);
    assert_true(is_told("/w1/clock"));
    assert_false(is_told("/clock"));
    stop(node);
}

static void steps_together_by_one_clock(void** state)
{
    (void)state;
    const pid_t node = start("start_paused:=true", "one_clock:=true");
    assert_true(client_pause(&client, "/w0/filum", false));
    assert_true(client_pause(&client, "/w1/filum", false));
    sleep_seconds(0.3);
    assert_int_equal(hear(0, 0).step, 0);  // it waits for the third
    assert_true(client_pause(&client, "/w2/filum", false));
    assert_true(hear(2, 50).step >= 50);
    assert_true(is_told("/clock"));
    assert_false(is_told("/w1/clock"));
    // whoever stands holds all; they stand at the same step, in the same state
    assert_true(client_pause(&client, "/w1/filum", true));
    const Seen a = hear(1, 50), b = hear(0, 50), c = hear(2, 50);
    assert_true(a.step == b.step && b.step == c.step);
    assert_true(a.hash == b.hash && b.hash == c.hash);
    stop(node);
}

static void refuses_namespaces_that_make_them_one(void** state)
{
    (void)state;
    const char* const arguments[] = {"--ros-args", "-p", scene->argument, "-p", "worlds:=2", "-r", "__ns:=/lab", NULL};
    assert_int_equal(process_wait(process_start(FILUM_NODE, arguments), EXIT_PATIENCE), 1);
    const char* const many[] = {"--ros-args", "-p", scene->argument, "-p", "worlds:=65", NULL};
    assert_int_equal(process_wait(process_start(FILUM_NODE, many), EXIT_PATIENCE), 1);
}

static int set_up(void** state)
{
    const int result = test_scene_write(state);
    scene = *state;
    client_join(&client, "watcher", 0, NULL);
    return result;
}

static int tear_down(void** state)
{
    client_leave(&client);
    return test_scene_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(keeps_worlds_apart, process_end_all),
        cmocka_unit_test_teardown(steps_together_by_one_clock, process_end_all),
        cmocka_unit_test_teardown(refuses_namespaces_that_make_them_one, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
