/* Several nodes in one graph: each with its own clock and transforms, QoS by the names of topics after remapping; and a node that is
 * given its own parameters back. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "filum/msg/rod_states.h"
#include "process.h"
#include "rcl/graph.h"
#include "rcl_interfaces/srv/list_parameters.h"
#include "rosgraph_msgs/msg/clock.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "tf2_msgs/msg/tf_message.h"

#define TYPE(package, name) ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name)

static void nodes_have_their_own_clock_and_transforms(void** state)
{
    (void)state;
    const char* const arguments[] = {"--ros-args",
                                     "-r",
                                     "__ns:=/lab/one",
                                     "-p",
                                     test_scene->argument,
                                     "-p",
                                     "own_clock:=true",
                                     "-p",
                                     "own_tf:=true",
                                     "-p",
                                     "qos_overrides./lab/one/clock.publisher.depth:=3",
                                     NULL};
    const pid_t node = process_start(FILUM_NODE, arguments);
    rosgraph_msgs__msg__Clock clock = {.clock = {0, 0}};
    tf2_msgs__msg__TFMessage* transforms = tf2_msgs__msg__TFMessage__create();
    assert_true(client_hear(&test_client, TYPE(rosgraph_msgs, Clock), "/lab/one/clock", &rmw_qos_profile_default, &clock, NULL, NULL));
    assert_true(client_hear(&test_client, TYPE(tf2_msgs, TFMessage), "/lab/one/tf", &rmw_qos_profile_default, transforms, NULL, NULL));
    tf2_msgs__msg__TFMessage__destroy(transforms);
    assert_int_equal(client_get(&test_client, "/lab/one/filum", "qos_overrides./lab/one/clock.publisher.depth").integer, 3);
    // nobody publishes those of the whole graph
    static const char* const shared[] = {"/clock", "/tf", "/tf_static"};
    for (int i = 0; i < 3; i++) {
        size_t count = 1;
        must(rcl_count_publishers(&test_client.node, shared[i], &count), shared[i]);
        assert_int_equal(count, 0);
    }
    assert_int_equal(process_stop(node), 0);
}

static void qos_goes_by_the_names_after_remapping(void** state)
{
    (void)state;
    const char* const arguments[] = {
        "--ros-args", "-r", "rod_states:=/ropes", "-p", test_scene->argument, "-p", "qos_overrides./ropes.publisher.reliability:=best_effort", NULL};
    const pid_t node = process_start(FILUM_NODE, arguments);
    filum__msg__RodStates* rods = filum__msg__RodStates__create();
    assert_true(client_hear(&test_client, TYPE(filum, RodStates), "/ropes", &rmw_qos_profile_sensor_data, rods, NULL, NULL));
    assert_string_equal(client_get(&test_client, "/filum", "qos_overrides./ropes.publisher.reliability").text, "best_effort");
    // a reliable reader cannot be served by it
    rcl_subscription_t reliable = rcl_get_zero_initialized_subscription();
    must(rclc_subscription_init_default(&reliable, &test_client.node, TYPE(filum, RodStates), "/ropes"), "/ropes");
    sleep_seconds(0.5);
    assert_int_not_equal(rcl_take(&reliable, rods, NULL, NULL), RCL_RET_OK);
    must(rcl_subscription_fini(&reliable, &test_client.node), "/ropes");
    filum__msg__RodStates__destroy(rods);
    assert_int_equal(process_stop(node), 0);
}

/* ---- a node's own parameters ---- */

/* Writes all parameters as `ros2 param dump` does, empty strings included, and sets each to what it is. */
static void dump_and_set(FILE* file)
{
    rcl_interfaces__srv__ListParameters_Request* request = rcl_interfaces__srv__ListParameters_Request__create();
    rcl_interfaces__srv__ListParameters_Response* response = rcl_interfaces__srv__ListParameters_Response__create();
    assert_true(
        client_call(&test_client, ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, ListParameters), "/filum/list_parameters", request, response));
    assert_true(response->result.names.size > 60);
    fprintf(file, "/filum:\n  ros__parameters:\n");
    for (size_t i = 0; i < response->result.names.size; i++) {
        const char* name = response->result.names.data[i].data;
        // four of each topic are enough: one of them
        if (strncmp(name, "qos_overrides.", 14) == 0 && strstr(name, "/clock.") == NULL) {
            continue;
        }
        char reason[512];
        const FilParameterValue value = client_get(&test_client, "/filum", name);
        if (!client_set(&test_client, "/filum", name, value, reason)) {
            fail_msg("%s: %s", name, reason);
        }
        fprintf(file, "    %s: ", name);
        switch (value.type) {
            case FIL_PARAMETER_BOOL:
                fprintf(file, "%s\n", value.boolean ? "true" : "false");
                break;
            case FIL_PARAMETER_INTEGER:
                fprintf(file, "%lld\n", (long long)value.integer);
                break;
            case FIL_PARAMETER_DOUBLE:
                fprintf(file, "%.17g\n", value.real);
                break;
            default:
                fprintf(file, "'%s'\n", value.text);
        }
    }
    rcl_interfaces__srv__ListParameters_Request__destroy(request);
    rcl_interfaces__srv__ListParameters_Response__destroy(response);
}

static void a_node_takes_its_own_parameters(void** state)
{
    (void)state;
    char path[] = "/tmp/filum_dump_XXXXXX.yaml", reason[512];
    FILE* file = fdopen(mkstemps(path, 5), "w");
    assert_non_null(file);
    const char* const first[] = {"--ros-args", "-p", test_scene->argument, "-p", "publish_rate:=20.0", NULL};
    pid_t node = process_start(FILUM_NODE, first);
    dump_and_set(file);
    assert_int_equal(fclose(file), 0);
    assert_false(client_set(&test_client, "/filum", "scene", fil_parameter_string("another"), reason));
    assert_non_null(strstr(reason, "at start only"));
    assert_int_equal(process_stop(node), 0);
    const char* const second[] = {"--ros-args", "--params-file", path, NULL};
    node = process_start(FILUM_NODE, second);
    assert_true(client_get(&test_client, "/filum", "publish_rate").real == 20.0);
    assert_string_equal(client_get(&test_client, "/filum", "record").text, "");
    assert_int_equal(client_get(&test_client, "/filum", "record").type, FIL_PARAMETER_STRING);
    assert_int_equal(process_stop(node), 0);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nodes_have_their_own_clock_and_transforms, process_end_all),
        cmocka_unit_test_teardown(qos_goes_by_the_names_after_remapping, process_end_all),
        cmocka_unit_test_teardown(a_node_takes_its_own_parameters, process_end_all),
    };
    return cmocka_run_group_tests(tests, test_scene_join, test_scene_leave);
}
