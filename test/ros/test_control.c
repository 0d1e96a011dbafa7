/* What happens around a run: single commands, a step that fails, who joins while time stands, and a flood of commands. */
/* ctest: alone */
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
#include "diagnostic_msgs/msg/diagnostic_array.h"
#include "diagnostic_msgs/msg/diagnostic_status.h"
#include "filum/msg/drive_target.h"
#include "filum/msg/rod_command.h"
#include "filum/msg/rod_states.h"
#include "process.h"
#include "rosgraph_msgs/msg/clock.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "std_srvs/srv/set_bool.h"

#define TYPE(package, name) ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name)

static pid_t start(const char* more)
{
    const char* const arguments[] = {"--ros-args", "-p", test_scene->argument, more != NULL ? "-p" : NULL, more, NULL};
    return process_start(FILUM_NODE, arguments);
}

/* a command of `count` targets for one drive, all of the same force upwards */
static filum__msg__RodCommand* create_command(size_t count, const char* drive, double force)
{
    filum__msg__RodCommand* command = filum__msg__RodCommand__create();
    assert_true(filum__msg__DriveTarget__Sequence__init(&command->targets, count));
    for (size_t i = 0; i < count; i++) {
        rosidl_runtime_c__String__assign(&command->targets.data[i].drive, drive);
        rosidl_runtime_c__double__Sequence__init(&command->targets.data[i].value, 3);
        memcpy(command->targets.data[i].value.data, (double[3]){0.0, 0.0, force}, 3 * sizeof(double));
    }
    return command;
}

/* joins, publishes one message as soon as somebody listens, and leaves: what `ros2 topic pub --once` does */
static void say_once(const char* drive, double force)
{
    rcl_publisher_t publisher = rcl_get_zero_initialized_publisher();
    must(rclc_publisher_init_default(&publisher, &test_client.node, TYPE(filum, RodCommand), "/rod_commands"), "publisher");
    const double limit = seconds_now() + PATIENCE;
    size_t listeners = 0;
    while (listeners == 0 && seconds_now() < limit) {
        must(rcl_publisher_get_subscription_count(&publisher, &listeners), "listeners");
        sleep_seconds(0.001);
    }
    filum__msg__RodCommand* command = create_command(1, drive, force);
    must(rcl_publish(&publisher, command, NULL), "publish");
    filum__msg__RodCommand__destroy(command);
    must(rcl_publisher_fini(&publisher, &test_client.node), "publisher");
}

static double value_of(const diagnostic_msgs__msg__DiagnosticStatus* status, const char* key)
{
    for (size_t i = 0; i < status->values.size; i++) {
        if (strcmp(status->values.data[i].key.data, key) == 0) {
            return strtod(status->values.data[i].value.data, NULL);
        }
    }
    return NAN;
}

static bool has_refused(const void* message, void* context)
{
    const diagnostic_msgs__msg__DiagnosticArray* array = message;
    return value_of(&array->status.data[0], "refused_commands") >= *(const double*)context;
}

/* each is refused, so that the node counts them for us */
static void single_commands_arrive(void** state)
{
    (void)state;
    double sent = 1000.0;
    const pid_t node = start(NULL);
    for (int i = 0; i < (int)sent; i++) {
        say_once("nobody", 0.0);
    }
    diagnostic_msgs__msg__DiagnosticArray* heard = diagnostic_msgs__msg__DiagnosticArray__create();
    assert_true(
        client_hear(&test_client, TYPE(diagnostic_msgs, DiagnosticArray), "/diagnostics", &rmw_qos_profile_default, heard, has_refused, &sent));
    diagnostic_msgs__msg__DiagnosticArray__destroy(heard);
    assert_int_equal(process_stop(node), 0);
}

/* ---- failure ---- */

static bool is_error(const void* message, void* context)
{
    (void)context;
    const diagnostic_msgs__msg__DiagnosticArray* array = message;
    return array->status.data[0].level == diagnostic_msgs__msg__DiagnosticStatus__ERROR;
}

static bool is_failed(const void* message, void* context)
{
    (void)context;
    return ((const filum__msg__StepInfo*)message)->state == filum__msg__StepInfo__FAILED;
}

/* ~/pause: whether it succeeded; its words */
static bool pause(bool on, char words[600])
{
    std_srvs__srv__SetBool_Request* request = std_srvs__srv__SetBool_Request__create();
    std_srvs__srv__SetBool_Response* response = std_srvs__srv__SetBool_Response__create();
    request->data = on;
    assert_true(client_call(&test_client, ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, SetBool), "/filum/pause", request, response));
    const bool success = response->success;
    snprintf(words, 600, "%s", response->message.data);
    std_srvs__srv__SetBool_Request__destroy(request);
    std_srvs__srv__SetBool_Response__destroy(response);
    return success;
}

static void failed_is_a_state(void** state)
{
    (void)state;
    const pid_t node = start(NULL);
    say_once("pull", 1e300);  // finite, but no step can bear it
    diagnostic_msgs__msg__DiagnosticArray* heard = diagnostic_msgs__msg__DiagnosticArray__create();
    assert_true(client_hear(&test_client, TYPE(diagnostic_msgs, DiagnosticArray), "/diagnostics", &rmw_qos_profile_default, heard, is_error, NULL));
    assert_non_null(strstr(heard->status.data[0].message.data, "failed at "));
    assert_true(value_of(&heard->status.data[0], "failed_since") >= 0.0);
    diagnostic_msgs__msg__DiagnosticArray__destroy(heard);
    filum__msg__StepInfo* info = filum__msg__StepInfo__create();
    assert_true(client_hear(&test_client, TYPE(filum, StepInfo), "/step_info", &rmw_qos_profile_default, info, is_failed, NULL));
    assert_non_null(strstr(info->message.data, "failed at "));
    filum__msg__StepInfo__destroy(info);

    // to go on is refused with the reason; a reset makes it a paused one that can
    char words[600];
    char message[256];
    assert_false(pause(false, words));
    assert_non_null(strstr(words, "failed at "));
    assert_true(client_trigger(&test_client, "/filum", "reset", message));
    assert_true(pause(false, words));
    assert_string_equal(words, "running");
    assert_int_equal(process_stop(node), 0);
}

/* ---- newcomers ---- */

static void newcomers_hear_a_paused_node(void** state)
{
    (void)state;
    const pid_t node = start("start_paused:=true");
    char words[600];
    assert_true(pause(true, words));  // it is there
    sleep_seconds(1.0);
    rosgraph_msgs__msg__Clock* clock = rosgraph_msgs__msg__Clock__create();
    filum__msg__RodStates* rods = filum__msg__RodStates__create();
    assert_true(client_hear(&test_client, TYPE(rosgraph_msgs, Clock), "/clock", &rmw_qos_profile_default, clock, NULL, NULL));
    assert_true(client_hear(&test_client, TYPE(filum, RodStates), "/rod_states", &rmw_qos_profile_default, rods, NULL, NULL));
    assert_int_equal(clock->clock.sec, 0);
    assert_int_equal(rods->rods.size, 2);
    rosgraph_msgs__msg__Clock__destroy(clock);
    filum__msg__RodStates__destroy(rods);
    assert_int_equal(process_stop(node), 0);
}

/* ---- flood ---- */

enum { FLOOD_TARGETS = 1000 };

/* as fast as it can, until it is ended */
static int flood(void)
{
    client_join(&test_client, "flood", 0, NULL);
    rcl_publisher_t publisher = rcl_get_zero_initialized_publisher();
    must(rclc_publisher_init_default(&publisher, &test_client.node, TYPE(filum, RodCommand), "/rod_commands"), "publisher");
    filum__msg__RodCommand* command = create_command(FLOOD_TARGETS, "pull", 0.0);
    const double limit = seconds_now() + PATIENCE;
    while (seconds_now() < limit) {
        must(rcl_publish(&publisher, command, NULL), "publish");
        sleep_seconds(1e-4);  // 10 kHz at most
    }
    return 0;
}

/* states of the node in two seconds of the clock on the wall */
static int count_states(void)
{
    rcl_subscription_t infos = rcl_get_zero_initialized_subscription();
    must(rclc_subscription_init_default(&infos, &test_client.node, TYPE(filum, StepInfo), "/step_info"), "infos");
    filum__msg__StepInfo* info = filum__msg__StepInfo__create();
    int count = 0;
    sleep_seconds(1.0);
    while (rcl_take(&infos, info, NULL, NULL) == RCL_RET_OK) {
    }
    for (const double limit = seconds_now() + 2.0; seconds_now() < limit; sleep_seconds(0.001)) {
        count += rcl_take(&infos, info, NULL, NULL) == RCL_RET_OK;
    }
    filum__msg__StepInfo__destroy(info);
    must(rcl_subscription_fini(&infos, &test_client.node), "infos");
    return count;
}

static void a_flood_does_not_stop_time(void** state)
{
    (void)state;
    const pid_t node = start(NULL);
    const pid_t other = process_start_role("flood", NULL, NULL, NULL);
    sleep_seconds(1.0);
    const int states = count_states();
    print_message("%d states of 100\n", states);
#ifdef __SANITIZE_ADDRESS__
    assert_true(states > 0);  // a sanitizer slows messages down more than steps: the rate says nothing there
#else
    assert_true(states >= 90);
#endif
    process_kill(other);
    assert_int_equal(process_stop(node), 0);
}

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "flood") == 0) {
        return flood();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(single_commands_arrive, process_end_all),
        cmocka_unit_test_teardown(failed_is_a_state, process_end_all),
        cmocka_unit_test_teardown(newcomers_hear_a_paused_node, process_end_all),
        cmocka_unit_test_teardown(a_flood_does_not_stop_time, process_end_all),
    };
    return cmocka_run_group_tests(tests, test_scene_join, test_scene_leave);
}
