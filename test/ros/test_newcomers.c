/* Who joins when time has just come to stand hears where it stands, and who has heard it does not hear it again. The node and its
 * listeners live in one process, so that they join exactly between two parts of the node's turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "client.h"
#include "filum/msg/step_info.h"
#include "host.h"
#include "process.h"
#include "rclc/subscription.h"
#include "scene.h"

static const volatile sig_atomic_t no_stop = 0;
static FilHost host;

static FilNode* start(void)
{
    const char* const arguments[] = {"filum_node", "--ros-args", "-p", test_scene->argument, "-p", "real_time_factor:=0.0"};
    assert_true(fil_host_init(&host, sizeof arguments / sizeof *arguments, arguments, &no_stop));
    fil_node_begin(host.nodes[0]);
    return host.nodes[0];
}

/* what the main loop does, but for what arrives */
static void step(FilNode* node)
{
    const double now = fil_node_now();
    if (fil_node_is_due(node, now)) {
        fil_node_begin_step(node);
        fil_node_step(node, now);
        fil_node_end_step(node, now);
    }
}

static void turn(FilNode* node)
{
    fil_node_update(node);
    step(node);
    fil_node_attend(node, fil_node_now());
}

static void stop_time(FilNode* node)
{
    fil_simulation_set_paused(&node->simulation, true);
    node->control.changed = true;  // as the service does
}

static rcl_subscription_t join(void)
{
    rcl_subscription_t subscription = rcl_get_zero_initialized_subscription();
    must(rclc_subscription_init(&subscription, &test_client.node, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, StepInfo), "/step_info",
                                &rmw_qos_profile_default),
         "step_info");
    return subscription;
}

/* how often the node's step was heard, until `seconds` have passed or that was `enough` times */
static int count_heard(FilNode* node, const rcl_subscription_t* subscription, double seconds, int enough)
{
    const uint64_t step_of_node = (uint64_t)fil_world_step_count(node->simulation.world);
    filum__msg__StepInfo* info = filum__msg__StepInfo__create();
    int count = 0;
    for (const double end = seconds_now() + seconds; seconds_now() < end && count < enough; sleep_seconds(0.001)) {
        turn(node);
        while (rcl_take(subscription, info, NULL, NULL) == RCL_RET_OK) {
            count += info->step == step_of_node;
        }
    }
    filum__msg__StepInfo__destroy(info);
    return count;
}

static void joins_as_time_comes_to_stand(void** state)
{
    (void)state;
    FilNode* node = start();
    for (int i = 0; i < 20; i++) {
        turn(node);
    }
    stop_time(node);
    fil_node_update(node);  // the state is published
    rcl_subscription_t subscription = join();
    step(node);
    fil_node_attend(node, fil_node_now());
    assert_true(fil_world_step_count(node->simulation.world) > 0);
    assert_int_equal(count_heard(node, &subscription, PATIENCE, 1), 1);
    must(rcl_subscription_fini(&subscription, &test_client.node), "step_info");
    fil_host_fini(&host);
}

static void joins_while_time_stands(void** state)
{
    (void)state;
    FilNode* node = start();
    stop_time(node);
    for (int i = 0; i < 20; i++) {
        turn(node);
    }
    rcl_subscription_t subscription = join();
    assert_int_equal(count_heard(node, &subscription, PATIENCE, 1), 1);
    must(rcl_subscription_fini(&subscription, &test_client.node), "step_info");
    fil_host_fini(&host);
}

static void joins_while_time_runs(void** state)
{
    (void)state;
    FilNode* node = start();
    rcl_subscription_t subscription = join();
    for (int i = 0; i < 200; i++) {
        turn(node);
    }
    stop_time(node);
    // once as the state of the last step, where it was due, and once since time stands
    const int count = count_heard(node, &subscription, 1.0, 10);
    assert_in_range(count, 1, 2);
    must(rcl_subscription_fini(&subscription, &test_client.node), "step_info");
    fil_host_fini(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_as_time_comes_to_stand),
        cmocka_unit_test(joins_while_time_stands),
        cmocka_unit_test(joins_while_time_runs),
    };
    return cmocka_run_group_tests(tests, test_scene_join, test_scene_leave);
}
