/* Separate processes that talk: topics under several QoS, late joiners, large messages, services, names in the graph,
 * and a peer that dies. The other process is this program started again in a role. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "filum/msg/probes.h"
#include "process.h"
#include "rcl/error_handling.h"
#include "rcl/graph.h"
#include "rcl/logging.h"
#include "rcl/logging_rosout.h"
#include "rcl/rcl.h"
#include "rcl_interfaces/msg/log.h"
#include "rclc/executor.h"
#include "rclc/rclc.h"
#include "rcutils/logging_macros.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "std_srvs/srv/set_bool.h"

static const rmw_qos_profile_t transient_local = {
    .history = RMW_QOS_POLICY_HISTORY_KEEP_LAST,
    .depth = 1,
    .reliability = RMW_QOS_POLICY_RELIABILITY_RELIABLE,
    .durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
};

/* ---- roles ---- */

static const rosidl_message_type_support_t* probes_type(void)
{
    return ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, Probes);
}

/* publishes probes with `count` values, values[0] counting up, until killed or 1000 times */
static int publish(const char* count, const char* profile)
{
    Client member;
    const char* const arguments[] = {"talker", "--ros-args", "-r", "__ns:=/far", "-r", "measured:=/probes"};
    client_join(&member, "talker", 6, arguments);
    const rmw_qos_profile_t* qos = strcmp(profile, "best_effort") == 0       ? &rmw_qos_profile_sensor_data
                                   : strcmp(profile, "transient_local") == 0 ? &transient_local
                                                                             : &rmw_qos_profile_default;
    rcl_publisher_t publisher = rcl_get_zero_initialized_publisher();
    must(rclc_publisher_init(&publisher, &member.node, probes_type(), "measured", qos), "publisher");
    filum__msg__Probes* message = filum__msg__Probes__create();
    rosidl_runtime_c__double__Sequence__init(&message->values, (size_t)atol(count));
    for (size_t i = 0; i < message->values.size; i++) {
        message->values.data[i] = (double)i;
    }
    const int times = qos == &transient_local ? 1 : 1000;
    for (int i = 0; i < times; i++) {
        message->values.data[0] = i;
        must(rcl_publish(&publisher, message, NULL), "publish");
        sleep_seconds(0.02);
    }
    sleep_seconds(qos == &transient_local ? PATIENCE : 0.0);
    filum__msg__Probes__destroy(message);
    must(rcl_publisher_fini(&publisher, &member.node), "publisher fini");
    client_leave(&member);
    return 0;
}

static void answer(const void* request, void* response, void* context)
{
    (void)context;
    const std_srvs__srv__SetBool_Request* in = request;
    std_srvs__srv__SetBool_Response* out = response;
    out->success = in->data;
    rosidl_runtime_c__String__assign(&out->message, in->data ? "on" : "off");
}

static int serve(void)
{
    Client member;
    const char* const arguments[] = {"server"};
    client_join(&member, "server", 1, arguments);
    rcl_service_t service = rcl_get_zero_initialized_service();
    must(rclc_service_init_default(&service, &member.node, ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, SetBool), "~/switch"), "service");
    std_srvs__srv__SetBool_Request* request = std_srvs__srv__SetBool_Request__create();
    std_srvs__srv__SetBool_Response* response = std_srvs__srv__SetBool_Response__create();
    rclc_executor_t executor = rclc_executor_get_zero_initialized_executor();
    must(rclc_executor_init(&executor, &member.support.context, 1, &member.allocator), "executor");
    must(rclc_executor_add_service_with_context(&executor, &service, request, response, answer, NULL), "add");
    const double limit = seconds_now() + PATIENCE;
    while (seconds_now() < limit) {
        must(rclc_executor_spin_some(&executor, 100000000), "spin");
    }
    return 0;
}

/* logs through a node, for /rosout */
static int log_something(void)
{
    Client member;
    const char* const arguments[] = {"logger", "--ros-args", "--log-level", "logger:=debug", "--disable-stdout-logs"};
    client_join(&member, "logger", 5, arguments);
    must(rcl_logging_configure(&member.support.context.global_arguments, &member.allocator), "logging");
    must(rcl_logging_rosout_init_publisher_for_node(&member.node), "rosout");
    RCUTILS_LOG_DEBUG_NAMED(rcl_node_get_logger_name(&member.node), "number %d", 42);
    RCUTILS_LOG_INFO_NAMED("somebody else", "not for /rosout");
    sleep_seconds(PATIENCE);
    return 0;
}

/* ---- tests ---- */

/* takes probes until `wanted` came, or time is up; returns how many came */
static int listen(Client* member, const rmw_qos_profile_t* qos, int wanted, filum__msg__Probes* message)
{
    rcl_subscription_t subscription = rcl_get_zero_initialized_subscription();
    must(rclc_subscription_init(&subscription, &member->node, probes_type(), "/probes", qos), "subscription");
    const double limit = seconds_now() + PATIENCE;
    int came = 0;
    double last = -1.0;
    while (came < wanted && seconds_now() < limit) {
        if (rcl_take(&subscription, message, NULL, NULL) == RCL_RET_OK) {
            // in order, and each once
            assert_true(message->values.data[0] > last);
            last = message->values.data[0];
            came++;
        } else {
            sleep_seconds(0.005);
        }
    }
    must(rcl_subscription_fini(&subscription, &member->node), "subscription fini");
    return came;
}

static void hears(const char* count, const char* profile, const rmw_qos_profile_t* qos, int wanted)
{
    Client member;
    client_join(&member, "listener", 0, NULL);
    const pid_t talker = process_start_role("publish", count, profile, NULL);
    filum__msg__Probes* message = filum__msg__Probes__create();
    const int came = listen(&member, qos, wanted, message);
    process_kill(talker);
    assert_int_equal(came, wanted);
    assert_int_equal(message->values.size, atol(count));
    assert_true(message->values.size < 2 || message->values.data[message->values.size - 1] == (double)(message->values.size - 1));
    filum__msg__Probes__destroy(message);
    client_leave(&member);
}

static void reliable_to_reliable(void** state)
{
    (void)state;
    hears("10", "reliable", &rmw_qos_profile_default, 10);
}

static void reliable_to_best_effort(void** state)
{
    (void)state;
    hears("10", "reliable", &rmw_qos_profile_sensor_data, 10);
}

static void best_effort_to_best_effort(void** state)
{
    (void)state;
    hears("10", "best_effort", &rmw_qos_profile_sensor_data, 10);
}

static void megabyte(void** state)
{
    (void)state;
    hears("131072", "reliable", &rmw_qos_profile_default, 5);
}

static void best_effort_to_reliable_does_not_connect(void** state)
{
    (void)state;
    Client member;
    client_join(&member, "listener", 0, NULL);
    const pid_t talker = process_start_role("publish", "1", "best_effort", NULL);
    rcl_subscription_t strict = rcl_get_zero_initialized_subscription();
    rcl_subscription_t lax = rcl_get_zero_initialized_subscription();
    must(rclc_subscription_init(&strict, &member.node, probes_type(), "/probes", &rmw_qos_profile_default), "strict");
    must(rclc_subscription_init(&lax, &member.node, probes_type(), "/probes", &rmw_qos_profile_sensor_data), "lax");
    filum__msg__Probes* message = filum__msg__Probes__create();
    const double limit = seconds_now() + PATIENCE;
    while (rcl_take(&lax, message, NULL, NULL) != RCL_RET_OK && seconds_now() < limit) {
        sleep_seconds(0.005);
    }
    size_t publishers = 9;
    must(rcl_subscription_get_publisher_count(&lax, &publishers), "count");
    assert_int_equal(publishers, 1);
    must(rcl_subscription_get_publisher_count(&strict, &publishers), "count");
    assert_int_equal(publishers, 0);
    assert_int_equal(rcl_take(&strict, message, NULL, NULL), RCL_RET_SUBSCRIPTION_TAKE_FAILED);
    process_kill(talker);
    filum__msg__Probes__destroy(message);
    must(rcl_subscription_fini(&strict, &member.node), "strict fini");
    must(rcl_subscription_fini(&lax, &member.node), "lax fini");
    client_leave(&member);
}

static void late_joiner_gets_what_is_kept(void** state)
{
    (void)state;
    const pid_t talker = process_start_role("publish", "3", "transient_local", NULL);
    sleep_seconds(1.0);  // it has been said, and is not said again
    Client member;
    client_join(&member, "listener", 0, NULL);
    filum__msg__Probes* message = filum__msg__Probes__create();
    const int came = listen(&member, &transient_local, 1, message);
    process_kill(talker);
    assert_int_equal(came, 1);
    filum__msg__Probes__destroy(message);
    client_leave(&member);
}

static int call_count;

static void took(const void* response, rmw_request_id_t* id)
{
    const std_srvs__srv__SetBool_Response* out = response;
    call_count++;
    assert_int_equal(id->sequence_number, call_count);  // the header came back
    assert_int_equal(out->success, call_count % 2 == 1);
    assert_string_equal(out->message.data, call_count % 2 == 1 ? "on" : "off");
}

static void service_answers(void** state)
{
    (void)state;
    Client member;
    client_join(&member, "caller", 0, NULL);
    const pid_t server = process_start_role("serve", NULL, NULL, NULL);
    rcl_client_t client = rcl_get_zero_initialized_client();
    must(rclc_client_init_default(&client, &member.node, ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, SetBool), "/server/switch"), "client");
    const double limit = seconds_now() + PATIENCE;
    bool available = false;
    while (!available && seconds_now() < limit) {
        must(rcl_service_server_is_available(&member.node, &client, &available), "available");
        sleep_seconds(0.01);
    }
    assert_true(available);
    std_srvs__srv__SetBool_Response* response = std_srvs__srv__SetBool_Response__create();
    rclc_executor_t executor = rclc_executor_get_zero_initialized_executor();
    must(rclc_executor_init(&executor, &member.support.context, 1, &member.allocator), "executor");
    must(rclc_executor_add_client_with_request_id(&executor, &client, response, took), "add");
    for (int i = 1; i <= 20; i++) {
        const std_srvs__srv__SetBool_Request request = {.data = i % 2 == 1};
        int64_t sequence;
        must(rcl_send_request(&client, &request, &sequence), "request");
        assert_int_equal(sequence, i);
        while (call_count < i && seconds_now() < limit) {
            must(rclc_executor_spin_some(&executor, 100000000), "spin");
        }
    }
    process_kill(server);
    assert_int_equal(call_count, 20);
    std_srvs__srv__SetBool_Response__destroy(response);
    must(rclc_executor_fini(&executor), "executor fini");
    must(rcl_client_fini(&client, &member.node), "client fini");
    client_leave(&member);
}

/* whether "space/name" is in the graph now */
static bool is_listed(Client* member, const char* space, const char* name)
{
    rcutils_string_array_t names = rcutils_get_zero_initialized_string_array();
    rcutils_string_array_t spaces = rcutils_get_zero_initialized_string_array();
    must(rcl_get_node_names(&member->node, member->allocator, &names, &spaces), "node names");
    bool found = false;
    for (size_t i = 0; i < names.size; i++) {
        found |= strcmp(names.data[i], name) == 0 && strcmp(spaces.data[i], space) == 0;
    }
    assert_int_equal(rcutils_string_array_fini(&names), RCUTILS_RET_OK);
    assert_int_equal(rcutils_string_array_fini(&spaces), RCUTILS_RET_OK);
    return found;
}

static bool has_topic(Client* member, const char* name, const char* type)
{
    rcl_names_and_types_t topics = rcl_get_zero_initialized_names_and_types();
    must(rcl_get_topic_names_and_types(&member->node, &member->allocator, false, &topics), "topics");
    bool found = false;
    for (size_t i = 0; i < topics.names.size; i++) {
        found |= strcmp(topics.names.data[i], name) == 0 && topics.types[i].size == 1 && strcmp(topics.types[i].data[0], type) == 0;
    }
    must(rcl_names_and_types_fini(&topics), "names fini");
    return found;
}

static void graph_lists_nodes_and_forgets_the_dead(void** state)
{
    (void)state;
    Client member;
    client_join(&member, "watcher", 0, NULL);
    const pid_t talker = process_start_role("publish", "1", "reliable", NULL);
    double limit = seconds_now() + PATIENCE;
    while ((!is_listed(&member, "/far", "talker") || !has_topic(&member, "/probes", "filum/msg/Probes")) && seconds_now() < limit) {
        sleep_seconds(0.02);
    }
    assert_true(is_listed(&member, "/far", "talker"));
    assert_true(is_listed(&member, "/", "watcher"));
    assert_true(has_topic(&member, "/probes", "filum/msg/Probes"));
    size_t count = 0;
    must(rcl_count_publishers(&member.node, "/probes", &count), "count");
    assert_int_equal(count, 1);
    // a dead process says nothing: its lease of ten seconds has to run out
    process_kill(talker);
    limit = seconds_now() + PATIENCE;
    while (is_listed(&member, "/far", "talker") && seconds_now() < limit) {
        sleep_seconds(0.1);
    }
    assert_false(is_listed(&member, "/far", "talker"));
    client_leave(&member);
}

static void logs_reach_rosout(void** state)
{
    (void)state;
    const pid_t logger = process_start_role("log", NULL, NULL, NULL);
    Client member;
    client_join(&member, "watcher", 0, NULL);
    rcl_subscription_t subscription = rcl_get_zero_initialized_subscription();
    must(rclc_subscription_init(&subscription, &member.node, ROSIDL_GET_MSG_TYPE_SUPPORT(rcl_interfaces, msg, Log), "/rosout",
                                &rcl_qos_profile_rosout_default),
         "subscription");
    rcl_interfaces__msg__Log* log = rcl_interfaces__msg__Log__create();
    const double limit = seconds_now() + PATIENCE;
    rcl_ret_t ret = RCL_RET_SUBSCRIPTION_TAKE_FAILED;
    while (ret != RCL_RET_OK && seconds_now() < limit) {
        ret = rcl_take(&subscription, log, NULL, NULL);
        sleep_seconds(0.01);
    }
    process_kill(logger);
    assert_int_equal(ret, RCL_RET_OK);
    assert_string_equal(log->name.data, "logger");
    assert_string_equal(log->msg.data, "number 42");
    assert_string_equal(log->function.data, "log_something");
    assert_int_equal(log->level, rcl_interfaces__msg__Log__DEBUG);
    assert_true(log->stamp.sec > 1600000000);
    assert_int_equal(rcl_take(&subscription, log, NULL, NULL), RCL_RET_SUBSCRIPTION_TAKE_FAILED);
    rcl_interfaces__msg__Log__destroy(log);
    must(rcl_subscription_fini(&subscription, &member.node), "subscription fini");
    client_leave(&member);
}

int main(int argc, char** argv)
{
    if (argc > 2 && strcmp(argv[1], "publish") == 0) {
        return publish(argv[2], argv[3]);
    }
    if (argc > 1 && strcmp(argv[1], "serve") == 0) {
        return serve();
    }
    if (argc > 1 && strcmp(argv[1], "log") == 0) {
        return log_something();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reliable_to_reliable, process_end_all),
        cmocka_unit_test_teardown(reliable_to_best_effort, process_end_all),
        cmocka_unit_test_teardown(best_effort_to_best_effort, process_end_all),
        cmocka_unit_test_teardown(megabyte, process_end_all),
        cmocka_unit_test_teardown(best_effort_to_reliable_does_not_connect, process_end_all),
        cmocka_unit_test_teardown(late_joiner_gets_what_is_kept, process_end_all),
        cmocka_unit_test_teardown(service_answers, process_end_all),
        cmocka_unit_test_teardown(graph_lists_nodes_and_forgets_the_dead, process_end_all),
        cmocka_unit_test_teardown(logs_reach_rosout, process_end_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
