/* Several worlds in one process: each in its namespace with its own clock and services, or all by one clock; as many as there may be. */
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
#include "rcl/graph.h"
#include "rclc/subscription.h"
#include "rosgraph_msgs/msg/clock.h"
#include "scene.h"

static pid_t start(const char* worlds, const char* first, const char* second)
{
    const char* const arguments[] = {"--ros-args", "-p", test_scene->argument, "-p", worlds, "-p", first, "-p", second, NULL};
    return process_start(FILUM_NODE, arguments);
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
    assert_true(client_hear(&test_client, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, StepInfo), topic, &rmw_qos_profile_default, info, is_late, &step));
    const Seen seen = {info->step, info->state_hash};
    filum__msg__StepInfo__destroy(info);
    return seen;
}

/* whether a clock is published within half a second */
static bool is_published(const char* topic)
{
    rcl_subscription_t clock = rcl_get_zero_initialized_subscription();
    rosgraph_msgs__msg__Clock message;
    must(rclc_subscription_init(&clock, &test_client.node, ROSIDL_GET_MSG_TYPE_SUPPORT(rosgraph_msgs, msg, Clock), topic, &rmw_qos_profile_default),
         topic);
    rcl_ret_t ret = RCL_RET_SUBSCRIPTION_TAKE_FAILED;
    for (double end = seconds_now() + 0.5; ret != RCL_RET_OK && seconds_now() < end; sleep_seconds(0.01)) {
        ret = rcl_take(&clock, &message, NULL, NULL);
    }
    must(rcl_subscription_fini(&clock, &test_client.node), topic);
    return ret == RCL_RET_OK;
}

static Seen step_to(int world, int steps)
{
    char name[16], word[256];
    snprintf(name, sizeof name, "/w%d/filum", world);
    for (int i = 0; i < steps; i++) {
        assert_true(client_trigger(&test_client, name, "step", word));
    }
    return hear(world, (uint64_t)steps);
}

static void keeps_worlds_apart(void** state)
{
    (void)state;
    char reason[512];
    const pid_t node = start("worlds:=3", "start_paused:=true", "publish_rate:=500.0");
    assert_true(client_set(&test_client, "/w2/filum", "gravity", fil_parameter_double(1.0), reason));
    // the same scene makes the same steps, and what is set in one world is felt there only
    const Seen first = step_to(0, 5), second = step_to(1, 5), third = step_to(2, 5);
    assert_true(first.step == 5 && first.hash == second.hash);
    assert_true(third.step == 5 && third.hash != first.hash);
    // one runs, the others stand
    assert_true(client_pause(&test_client, "/w1/filum", false));
    hear(1, 20);
    assert_int_equal(hear(0, 0).step, 5);
    assert_true(is_published("/w1/clock"));
    assert_false(is_published("/clock"));
    assert_int_equal(process_stop(node), 0);
}

static void steps_together_by_one_clock(void** state)
{
    (void)state;
    const pid_t node = start("worlds:=3", "start_paused:=true", "one_clock:=true");
    assert_true(client_pause(&test_client, "/w0/filum", false));
    assert_true(client_pause(&test_client, "/w1/filum", false));
    sleep_seconds(0.3);
    assert_int_equal(hear(0, 0).step, 0);  // it waits for the third
    assert_true(client_pause(&test_client, "/w2/filum", false));
    assert_true(hear(2, 50).step >= 50);
    assert_true(is_published("/clock"));
    assert_false(is_published("/w1/clock"));
    // whoever stands holds all; they stand at the same step, in the same state
    assert_true(client_pause(&test_client, "/w1/filum", true));
    const Seen a = hear(1, 50), b = hear(0, 50), c = hear(2, 50);
    assert_true(a.step == b.step && b.step == c.step);
    assert_true(a.hash == b.hash && b.hash == c.hash);
    assert_int_equal(process_stop(node), 0);
}

/* ---- many ---- */

enum { MANY = 64 };
#define MANY_PATIENCE 60.0 /* s, for all of them */

/* whose step_info has come so far */
static int hear_all(rcl_subscription_t* states, bool* heard)
{
    filum__msg__StepInfo* info = filum__msg__StepInfo__create();
    int count = 0;
    for (int i = 0; i < MANY; i++) {
        heard[i] = heard[i] || rcl_take(&states[i], info, NULL, NULL) == RCL_RET_OK;
        count += heard[i];
    }
    filum__msg__StepInfo__destroy(info);
    return count;
}

/* how many worlds have the topic that the last of all endpoints is made for, besides the first */
static int count_listed(rcl_node_t* node)
{
    rcl_allocator_t allocator = rcl_get_default_allocator();
    rcl_names_and_types_t topics = rcl_get_zero_initialized_names_and_types();
    must(rcl_get_topic_names_and_types(node, &allocator, false, &topics), "topics");
    int count = 0;
    for (size_t i = 0; i < topics.names.size; i++) {
        const char* slash = strchr(topics.names.data[i] + 1, '/');
        count += slash != NULL && (strcmp(slash, "/step_info") == 0 || strcmp(slash, "/filum/simulate_steps/_action/status") == 0);
    }
    must(rcl_names_and_types_fini(&topics), "topics");
    return count;
}

static int count_nodes(rcl_node_t* node)
{
    rcutils_string_array_t names = rcutils_get_zero_initialized_string_array(), spaces = rcutils_get_zero_initialized_string_array();
    must(rcl_get_node_names(node, rcl_get_default_allocator(), &names, &spaces), "nodes");
    int count = 0;
    for (size_t i = 0; i < names.size; i++) {
        count += strcmp(names.data[i], "filum") == 0 && strncmp(spaces.data[i], "/w", 2) == 0;
    }
    assert_int_equal(rcutils_string_array_fini(&names), RCUTILS_RET_OK);
    assert_int_equal(rcutils_string_array_fini(&spaces), RCUTILS_RET_OK);
    return count;
}

/* The role of a process that comes later: 0 when it has heard of all nodes and topics, and from every world. */
static int watch(void)
{
    static rcl_subscription_t states[MANY];
    static bool heard[MANY];
    client_join(&test_client, "late", 0, NULL);
    for (int i = 0; i < MANY; i++) {
        char topic[32];
        snprintf(topic, sizeof topic, "/w%d/step_info", i);
        states[i] = rcl_get_zero_initialized_subscription();
        must(
            rclc_subscription_init(&states[i], &test_client.node, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, StepInfo), topic, &rmw_qos_profile_default),
            topic);
    }
    int from = 0, listed = 0, nodes = 0;
    for (const double end = seconds_now() + MANY_PATIENCE; seconds_now() < end && (from < MANY || listed < 2 * MANY || nodes < MANY);) {
        sleep_seconds(0.05);
        from = hear_all(states, heard);
        listed = from == MANY ? count_listed(&test_client.node) : 0;
        nodes = from == MANY ? count_nodes(&test_client.node) : 0;
    }
    fprintf(stderr, "heard from %d worlds, %d of their topics and %d nodes are listed\n", from, listed, nodes);
    for (int i = 0; i < MANY; i++) {
        must(rcl_subscription_fini(&states[i], &test_client.node), "step_info");
    }
    client_leave(&test_client);
    return from == MANY && listed == 2 * MANY && nodes == MANY ? 0 : 1;
}

static void many_worlds_are_found_and_heard(void** state)
{
    (void)state;
    const pid_t node = start("worlds:=64", "start_paused:=true", "real_time_factor:=1.0");
    // whoever is there before them finds them, and whoever comes when they are
    const pid_t early = process_start_role("watch", NULL, NULL, NULL);
    assert_int_equal(process_wait(early, 2.0 * MANY_PATIENCE), 0);
    const pid_t late = process_start_role("watch", NULL, NULL, NULL);
    assert_int_equal(process_wait(late, 2.0 * MANY_PATIENCE), 0);
    assert_int_equal(process_stop(node), 0);
}

static void refuses_namespaces_that_make_them_one(void** state)
{
    (void)state;
    const char* const arguments[] = {"--ros-args", "-p", test_scene->argument, "-p", "worlds:=2", "-r", "__ns:=/lab", NULL};
    assert_int_equal(process_wait(process_start(FILUM_NODE, arguments), EXIT_PATIENCE), 1);
    const char* const many[] = {"--ros-args", "-p", test_scene->argument, "-p", "worlds:=65", NULL};
    assert_int_equal(process_wait(process_start(FILUM_NODE, many), EXIT_PATIENCE), 1);
}

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "watch") == 0) {
        return watch();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(keeps_worlds_apart, process_end_all),
        cmocka_unit_test_teardown(steps_together_by_one_clock, process_end_all),
        cmocka_unit_test_teardown(many_worlds_are_found_and_heard, process_end_all),
        cmocka_unit_test_teardown(refuses_namespaces_that_make_them_one, process_end_all),
    };
    return cmocka_run_group_tests(tests, test_scene_join, test_scene_leave);
}
