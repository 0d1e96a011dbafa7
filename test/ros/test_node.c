/* The node as others see it: a process of its own, asked and listened to over DDS. */
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
#include "filum/filum.h"
#include "filum/msg/drive_target.h"
#include "filum/msg/probes.h"
#include "filum/msg/rod_command.h"
#include "filum/msg/rod_states.h"
#include "process.h"
#include "rcl_interfaces/msg/parameter.h"
#include "rcl_interfaces/msg/parameter_descriptor.h"
#include "rcl_interfaces/msg/parameter_event.h"
#include "rcl_interfaces/srv/describe_parameters.h"
#include "rcl_interfaces/srv/get_parameter_types.h"
#include "rcl_interfaces/srv/list_parameters.h"
#include "rcl_interfaces/srv/set_parameters_atomically.h"
#include "rosgraph_msgs/msg/clock.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "tf2_msgs/msg/tf_message.h"
#include "visualization_msgs/msg/marker_array.h"

#define TYPE(package, name) ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name)

/* ---- topics ---- */

/* the tip hangs lower than it began: the first message of all is of the beginning */
static bool has_fallen(const void* message, void* context)
{
    (void)context;
    const filum__msg__Probes* probes = message;
    return probes->values.size == 1 && probes->values.data[0] < 0.0;
}

static void publishes_everything(void** state)
{
    (void)state;
    const pid_t node = test_scene_start(NULL);
    const rmw_qos_profile_t* lax = &rmw_qos_profile_sensor_data;

    filum__msg__RodStates* rods = filum__msg__RodStates__create();
    assert_true(client_hear(&test_client, TYPE(filum, RodStates), "/rod_states", lax, rods, NULL, NULL));
    assert_string_equal(rods->header.frame_id.data, "world");
    assert_int_equal(rods->rods.size, 2);
    assert_string_equal(rods->rods.data[0].name.data, "cable");
    assert_false(rods->rods.data[0].closed);
    assert_true(rods->rods.data[1].closed);
    assert_int_equal(rods->rods.data[0].positions.size, 33);
    assert_int_equal(rods->rods.data[0].velocities.size, 33);
    assert_int_equal(rods->rods.data[0].orientations.size, 40);
    assert_int_equal(rods->rods.data[0].tensions.size, 10);
    assert_int_equal(rods->rods.data[0].curvatures.size, 22);
    assert_int_equal(rods->rods.data[0].twists.size, 11);
    assert_int_equal(rods->rods.data[1].orientations.size, 48);
    // orientations are rotations, and their z axis lies along the edge
    for (size_t i = 0; i < 10; i++) {
        const double* q = rods->rods.data[0].orientations.data + 4 * i;
        const double* x = rods->rods.data[0].positions.data + 3 * i;
        const double z[3] = {2 * (q[0] * q[2] + q[1] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]), 1 - 2 * (q[0] * q[0] + q[1] * q[1])};
        const double e[3] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]};
        const double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(z[k] - e[k] / length) < 1e-9);  // both are computed to rounding from the same state
        }
    }
    filum__msg__RodStates__destroy(rods);

    filum__msg__Probes* probes = filum__msg__Probes__create();
    assert_true(client_hear(&test_client, TYPE(filum, Probes), "/probes", lax, probes, has_fallen, NULL));
    assert_int_equal(probes->names.size, 1);
    assert_string_equal(probes->names.data[0].data, "tip");
    filum__msg__Probes__destroy(probes);

    tf2_msgs__msg__TFMessage* tf = tf2_msgs__msg__TFMessage__create();
    assert_true(client_hear(&test_client, TYPE(tf2_msgs, TFMessage), "/tf", &rmw_qos_profile_default, tf, NULL, NULL));
    assert_int_equal(tf->transforms.size, 3);
    const char* const frames[] = {"cable/start", "cable/end", "hoop/start"};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(tf->transforms.data[i].header.frame_id.data, "world");  // one tree, one root
        assert_string_equal(tf->transforms.data[i].child_frame_id.data, frames[i]);
    }
    tf2_msgs__msg__TFMessage__destroy(tf);

    visualization_msgs__msg__MarkerArray* markers = visualization_msgs__msg__MarkerArray__create();
    assert_true(client_hear(&test_client, TYPE(visualization_msgs, MarkerArray), "/markers", &rmw_qos_profile_default, markers, NULL, NULL));
    assert_true(markers->markers.size == 4 || markers->markers.size == 1);  // the first one clears
    visualization_msgs__msg__MarkerArray__destroy(markers);

    diagnostic_msgs__msg__DiagnosticArray* diagnostics = diagnostic_msgs__msg__DiagnosticArray__create();
    assert_true(client_hear(&test_client, TYPE(diagnostic_msgs, DiagnosticArray), "/diagnostics", lax, diagnostics, NULL, NULL));
    assert_int_equal(diagnostics->status.size, 1);
    assert_string_equal(diagnostics->status.data[0].name.data, "filum: simulation");
    diagnostic_msgs__msg__DiagnosticArray__destroy(diagnostics);
    assert_int_equal(process_stop(node), 0);
}

/* /clock, /tf and rod_states tell one time, which goes on while running and stands while paused */
static void time_is_one(void** state)
{
    (void)state;
    const pid_t node = test_scene_start(NULL);
    const rmw_qos_profile_t* lax = &rmw_qos_profile_sensor_data;
    rosgraph_msgs__msg__Clock clock = {0};
    rosgraph_msgs__msg__Clock__init(&clock);
    assert_true(client_hear(&test_client, TYPE(rosgraph_msgs, Clock), "/clock", lax, &clock, NULL, NULL));
    const double first = seconds_of(clock.clock);
    sleep_seconds(0.2);
    assert_true(client_hear(&test_client, TYPE(rosgraph_msgs, Clock), "/clock", lax, &clock, NULL, NULL));
    assert_true(seconds_of(clock.clock) > first);

    char message[256];
    assert_true(client_pause(&test_client, "/filum", true));
    rcl_subscription_t clocks = rcl_get_zero_initialized_subscription();
    rcl_subscription_t states = rcl_get_zero_initialized_subscription();
    rcl_subscription_t frames = rcl_get_zero_initialized_subscription();
    must(rclc_subscription_init_default(&clocks, &test_client.node, TYPE(rosgraph_msgs, Clock), "/clock"), "clock");
    must(rclc_subscription_init_default(&states, &test_client.node, TYPE(filum, RodStates), "/rod_states"), "states");
    must(rclc_subscription_init_default(&frames, &test_client.node, TYPE(tf2_msgs, TFMessage), "/tf"), "tf");
    sleep_seconds(1.0);  // connected, informed of where it stands, and nothing under way any more
    filum__msg__RodStates* rods = filum__msg__RodStates__create();
    tf2_msgs__msg__TFMessage* tf = tf2_msgs__msg__TFMessage__create();
    while (rcl_take(&clocks, &clock, NULL, NULL) == RCL_RET_OK || rcl_take(&states, rods, NULL, NULL) == RCL_RET_OK ||
           rcl_take(&frames, tf, NULL, NULL) == RCL_RET_OK) {
    }
    sleep_seconds(0.5);
    assert_int_equal(rcl_take(&clocks, &clock, NULL, NULL), RCL_RET_SUBSCRIPTION_TAKE_FAILED);
    assert_true(client_trigger(&test_client, "/filum", "step", message));
    const double stepped = strtod(message, NULL);
    const double limit = seconds_now() + PATIENCE;
    rcl_ret_t ret = RCL_RET_ERROR;
    while ((ret = rcl_take(&states, rods, NULL, NULL)) != RCL_RET_OK && seconds_now() < limit) {
        sleep_seconds(0.01);
    }
    assert_int_equal(ret, RCL_RET_OK);
    assert_int_equal(rcl_take(&clocks, &clock, NULL, NULL), RCL_RET_OK);
    assert_int_equal(rcl_take(&frames, tf, NULL, NULL), RCL_RET_OK);
    assert_true(fabs(seconds_of(rods->header.stamp) - stepped) < 1e-9);
    assert_true(seconds_of(clock.clock) == seconds_of(rods->header.stamp));
    assert_true(seconds_of(tf->transforms.data[0].header.stamp) == seconds_of(rods->header.stamp));
    assert_true(tf->transforms.data[1].transform.translation.z == rods->rods.data[0].positions.data[32]);
    // the next step is exactly one dt later
    assert_true(client_trigger(&test_client, "/filum", "step", message));
    assert_true(fabs(strtod(message, NULL) - stepped - 0.002) < 1e-12);  // dt is added to a time of a few seconds
    filum__msg__RodStates__destroy(rods);
    tf2_msgs__msg__TFMessage__destroy(tf);
    must(rcl_subscription_fini(&clocks, &test_client.node), "clock");
    must(rcl_subscription_fini(&states, &test_client.node), "states");
    must(rcl_subscription_fini(&frames, &test_client.node), "tf");
    assert_int_equal(process_stop(node), 0);
}

/* ---- control ---- */

static bool is_first(const void* message, void* context)
{
    (void)context;
    return ((const filum__msg__StepInfo*)message)->step == 0;
}

static void reset_returns_the_initial_hash(void** state)
{
    (void)state;
    FilWorld* world = NULL;
    FilError error;
    assert_int_equal(fil_scene_load(test_scene->path, NULL, &world, NULL, &error), FIL_OK);
    const uint64_t initial = fil_world_hash(world);
    fil_world_destroy(world);

    const pid_t node = test_scene_start(NULL);
    sleep_seconds(0.5);
    assert_true(client_pause(&test_client, "/filum", true));
    rcl_subscription_t infos = rcl_get_zero_initialized_subscription();
    must(rclc_subscription_init_default(&infos, &test_client.node, TYPE(filum, StepInfo), "/step_info"), "infos");
    sleep_seconds(0.5);
    char message[256];
    assert_true(client_trigger(&test_client, "/filum", "reset", message));
    filum__msg__StepInfo* info = filum__msg__StepInfo__create();
    const double limit = seconds_now() + PATIENCE;
    bool found = false;
    while (!found && seconds_now() < limit) {
        found = rcl_take(&infos, info, NULL, NULL) == RCL_RET_OK && is_first(info, NULL);
        sleep_seconds(0.002);
    }
    assert_true(found);
    assert_true(info->state_hash == initial);
    assert_true(seconds_of(info->header.stamp) == 0.0);
    filum__msg__StepInfo__destroy(info);
    must(rcl_subscription_fini(&infos, &test_client.node), "infos");
    // stepping is refused while running
    assert_true(client_pause(&test_client, "/filum", false));
    assert_false(client_trigger(&test_client, "/filum", "step", message));
    assert_string_equal(message, "the simulation is not paused");
    assert_int_equal(process_stop(node), 0);
}

/* ---- parameters ---- */

static void parameters_can_be_asked_and_set(void** state)
{
    (void)state;
    const pid_t node = test_scene_start(NULL);
    char reason[512];
    assert_true(client_get(&test_client, "/filum", "time_step").real == 0.002);
    assert_string_equal(client_get(&test_client, "/filum", "contact_model").text, "none");
    assert_true(fabs(client_get(&test_client, "/filum", "gravity").real - 9.81) < 1e-12);
    assert_int_equal(client_get(&test_client, "/filum", "nonsense").type, FIL_PARAMETER_NONE);

    assert_true(client_set(&test_client, "/filum", "time_step", fil_parameter_double(0.001), reason));
    assert_true(client_get(&test_client, "/filum", "time_step").real == 0.001);
    assert_int_equal(client_get(&test_client, "/filum", "threads").integer, 1);
    assert_true(client_set(&test_client, "/filum", "threads", fil_parameter_integer(2), reason));
    assert_int_equal(client_get(&test_client, "/filum", "threads").integer, 2);
    assert_false(client_set(&test_client, "/filum", "threads", fil_parameter_integer(1000), reason));
    assert_non_null(strstr(reason, "threads must lie between"));
    assert_false(client_set(&test_client, "/filum", "time_step", fil_parameter_double(-1), reason));
    assert_non_null(strstr(reason, "time_step must lie between"));
    assert_false(client_set(&test_client, "/filum", "time_step", fil_parameter_double(NAN), reason));
    assert_non_null(strstr(reason, "finite"));
    assert_false(client_set(&test_client, "/filum", "time_step", fil_parameter_string("fast"), reason));
    assert_non_null(strstr(reason, "is of type double, not string"));
    assert_false(client_set(&test_client, "/filum", "contact_model", fil_parameter_string("magic"), reason));
    assert_non_null(strstr(reason, "magic"));
    assert_false(client_set(&test_client, "/filum", "scene", fil_parameter_string("other"), reason));
    assert_non_null(strstr(reason, "at start only"));
    assert_false(client_set(&test_client, "/filum", "nonsense", fil_parameter_bool(true), reason));
    assert_non_null(strstr(reason, "there is no parameter 'nonsense'"));
    assert_true(client_set(&test_client, "/filum", "real_time_factor", fil_parameter_integer(2), reason));  // as a double
    assert_true(client_get(&test_client, "/filum", "real_time_factor").real == 2.0);
    assert_true(client_get(&test_client, "/filum", "time_step").real == 0.001);
    assert_int_equal(process_stop(node), 0);
}

static void atomic_means_all_or_none(void** state)
{
    (void)state;
    const pid_t node = test_scene_start(NULL);
    rcl_interfaces__srv__SetParametersAtomically_Request* request = rcl_interfaces__srv__SetParametersAtomically_Request__create();
    rcl_interfaces__srv__SetParametersAtomically_Response* response = rcl_interfaces__srv__SetParametersAtomically_Response__create();
    rcl_interfaces__msg__Parameter__Sequence__init(&request->parameters, 2);
    for (int good = 0; good < 2; good++) {
        rosidl_runtime_c__String__assign(&request->parameters.data[0].name, "time_step");
        request->parameters.data[0].value.type = FIL_PARAMETER_DOUBLE;
        request->parameters.data[0].value.double_value = 0.004;
        rosidl_runtime_c__String__assign(&request->parameters.data[1].name, "tf_rate");
        request->parameters.data[1].value.type = FIL_PARAMETER_DOUBLE;
        request->parameters.data[1].value.double_value = good ? 20.0 : -20.0;
        assert_true(client_call(&test_client, ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, SetParametersAtomically),
                                "/filum/set_parameters_atomically", request, response));
        assert_int_equal(response->result.successful, good);
        assert_true(client_get(&test_client, "/filum", "time_step").real == (good ? 0.004 : 0.002));
        assert_true(client_get(&test_client, "/filum", "tf_rate").real == (good ? 20.0 : 50.0));
    }
    rcl_interfaces__srv__SetParametersAtomically_Request__destroy(request);
    rcl_interfaces__srv__SetParametersAtomically_Response__destroy(response);
    assert_int_equal(process_stop(node), 0);
}

static bool list_contains(const rosidl_runtime_c__String__Sequence* list, const char* name)
{
    for (size_t i = 0; i < list->size; i++) {
        if (strcmp(list->data[i].data, name) == 0) {
            return true;
        }
    }
    return false;
}

static void lists_and_describes(void** state)
{
    (void)state;
    const pid_t node = test_scene_start(NULL);
    const rosidl_service_type_support_t* list_type = ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, ListParameters);
    rcl_interfaces__srv__ListParameters_Request* list = rcl_interfaces__srv__ListParameters_Request__create();
    rcl_interfaces__srv__ListParameters_Response* listed = rcl_interfaces__srv__ListParameters_Response__create();
    assert_true(client_call(&test_client, list_type, "/filum/list_parameters", list, listed));
    assert_true(list_contains(&listed->result.names, "time_step"));
    assert_true(list_contains(&listed->result.names, "qos_overrides./tf.publisher.depth"));
    assert_true(list_contains(&listed->result.prefixes, "qos_overrides./tf.publisher"));
    list->depth = 1;
    assert_true(client_call(&test_client, list_type, "/filum/list_parameters", list, listed));
    assert_true(list_contains(&listed->result.names, "time_step"));
    assert_false(list_contains(&listed->result.names, "qos_overrides./tf.publisher.depth"));
    list->depth = 0;
    rosidl_runtime_c__String__Sequence__init(&list->prefixes, 1);
    rosidl_runtime_c__String__assign(&list->prefixes.data[0], "qos_overrides./tf");
    assert_true(client_call(&test_client, list_type, "/filum/list_parameters", list, listed));
    assert_int_equal(listed->result.names.size, 4);
    rcl_interfaces__srv__ListParameters_Request__destroy(list);
    rcl_interfaces__srv__ListParameters_Response__destroy(listed);

    rcl_interfaces__srv__DescribeParameters_Request* ask = rcl_interfaces__srv__DescribeParameters_Request__create();
    rcl_interfaces__srv__DescribeParameters_Response* described = rcl_interfaces__srv__DescribeParameters_Response__create();
    rosidl_runtime_c__String__Sequence__init(&ask->names, 2);
    rosidl_runtime_c__String__assign(&ask->names.data[0], "time_step");
    rosidl_runtime_c__String__assign(&ask->names.data[1], "scene");
    assert_true(client_call(&test_client, ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, DescribeParameters), "/filum/describe_parameters", ask,
                            described));
    assert_int_equal(described->descriptors.size, 2);
    assert_int_equal(described->descriptors.data[0].type, FIL_PARAMETER_DOUBLE);
    assert_int_equal(described->descriptors.data[0].floating_point_range.size, 1);
    assert_true(described->descriptors.data[0].floating_point_range.data[0].to_value == 1.0);
    assert_true(described->descriptors.data[1].read_only);
    rcl_interfaces__srv__DescribeParameters_Request__destroy(ask);
    rcl_interfaces__srv__DescribeParameters_Response__destroy(described);

    rcl_interfaces__srv__GetParameterTypes_Request* types = rcl_interfaces__srv__GetParameterTypes_Request__create();
    rcl_interfaces__srv__GetParameterTypes_Response* got = rcl_interfaces__srv__GetParameterTypes_Response__create();
    rosidl_runtime_c__String__Sequence__init(&types->names, 2);
    rosidl_runtime_c__String__assign(&types->names.data[0], "lockstep");
    rosidl_runtime_c__String__assign(&types->names.data[1], "nonsense");
    assert_true(
        client_call(&test_client, ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, GetParameterTypes), "/filum/get_parameter_types", types, got));
    assert_int_equal(got->types.data[0], FIL_PARAMETER_BOOL);
    assert_int_equal(got->types.data[1], FIL_PARAMETER_NONE);
    rcl_interfaces__srv__GetParameterTypes_Request__destroy(types);
    rcl_interfaces__srv__GetParameterTypes_Response__destroy(got);
    assert_int_equal(process_stop(node), 0);
}

/* ---- names, overrides ---- */

static void namespaces_remaps_and_files(void** state)
{
    (void)state;
    char path[] = "/tmp/filum_params_XXXXXX";
    const int descriptor = mkstemp(path);
    FILE* file = fdopen(descriptor, "w");
    fputs(
        "/**:\n  ros__parameters: {publish_rate: 11.0, tf_rate: 12, clock_rate: 13.0}\n"
        "other:\n  ros__parameters: {publish_rate: 99.0}\n"
        "/*/arm:\n  ros__parameters: {tf_rate: 22.0}\n"
        "/lab/**:\n  ros__parameters: {clock_rate: 23.0, unknown: 3}\n",
        file);
    fclose(file);
    const char* const more[] = {
        "--params-file", path, "-r", "__ns:=/lab", "-r", "__node:=arm", "-r", "rod_states:=/shapes", "-p", "arm:real_time_factor:=0.5", NULL};
    const pid_t node = test_scene_start(more);
    assert_true(client_get(&test_client, "/lab/arm", "publish_rate").real == 11.0);
    assert_true(client_get(&test_client, "/lab/arm", "tf_rate").real == 22.0);
    assert_true(client_get(&test_client, "/lab/arm", "clock_rate").real == 23.0);
    // "arm" alone is "/arm", which is not "/lab/arm"
    assert_true(client_get(&test_client, "/lab/arm", "real_time_factor").real == 1.0);
    filum__msg__RodStates* rods = filum__msg__RodStates__create();
    assert_true(client_hear(&test_client, TYPE(filum, RodStates), "/shapes", &rmw_qos_profile_default, rods, NULL, NULL));
    filum__msg__RodStates__destroy(rods);
    filum__msg__Probes* probes = filum__msg__Probes__create();
    assert_true(client_hear(&test_client, TYPE(filum, Probes), "/lab/probes", &rmw_qos_profile_default, probes, NULL, NULL));
    filum__msg__Probes__destroy(probes);
    assert_int_equal(process_stop(node), 0);
    remove(path);
}

static void two_nodes_in_one_domain(void** state)
{
    (void)state;
    const char* const left_arguments[] = {"-r", "__ns:=/left", "-p", "time_step:=0.001", NULL};
    const char* const right_arguments[] = {"-r", "__ns:=/right", "-p", "time_step:=0.003", NULL};
    const pid_t left = test_scene_start(left_arguments);
    const pid_t right = test_scene_start(right_arguments);
    assert_true(client_get(&test_client, "/left/filum", "time_step").real == 0.001);
    assert_true(client_get(&test_client, "/right/filum", "time_step").real == 0.003);
    // one crashes and comes back; the other does not mind
    process_kill(left);
    const pid_t again = test_scene_start(left_arguments);
    assert_true(client_get(&test_client, "/left/filum", "time_step").real == 0.001);
    assert_true(client_get(&test_client, "/right/filum", "time_step").real == 0.003);
    assert_int_equal(process_stop(again), 0);
    assert_int_equal(process_stop(right), 0);
}

/* ---- commands ---- */

static bool has_refused(const void* message, void* context)
{
    (void)context;
    const diagnostic_msgs__msg__DiagnosticArray* diagnostics = message;
    const diagnostic_msgs__msg__DiagnosticStatus* status = &diagnostics->status.data[0];
    for (size_t i = 0; i < status->values.size; i++) {
        if (strcmp(status->values.data[i].key.data, "refused_commands") == 0) {
            return atof(status->values.data[i].value.data) >= 4.0;
        }
    }
    return false;
}

/* a command and who sends it */
typedef struct Sender {
    const rcl_publisher_t* publisher;
    const filum__msg__RodCommand* command;
} Sender;

/* until it is, the command is sent again: commands are received best effort, and the node may come to know the sender
 * later than the sender knows the node */
static bool is_lifted(const void* message, void* context)
{
    const Sender* sender = context;
    const bool lifted = ((const filum__msg__Probes*)message)->values.data[0] > 0.05;
    if (!lifted) {
        must(rcl_publish(sender->publisher, sender->command, NULL), "publish");
    }
    return lifted;
}

static void commands_move_the_world(void** state)
{
    (void)state;
    const pid_t node = test_scene_start(NULL);
    rcl_publisher_t publisher = rcl_get_zero_initialized_publisher();
    must(rclc_publisher_init_default(&publisher, &test_client.node, TYPE(filum, RodCommand), "/rod_commands"), "commands");
    size_t connected = 0;
    const double limit = seconds_now() + PATIENCE;
    while (connected == 0 && seconds_now() < limit) {
        must(rcl_publisher_get_subscription_count(&publisher, &connected), "count");
        sleep_seconds(0.01);
    }
    assert_int_equal(connected, 1);
    filum__msg__RodCommand* command = filum__msg__RodCommand__create();
    filum__msg__DriveTarget__Sequence__init(&command->targets, 1);
    filum__msg__DriveTarget* target = &command->targets.data[0];
    rosidl_runtime_c__String__assign(&target->drive, "pull");
    rosidl_runtime_c__double__Sequence__init(&target->value, 3);
    // the cable weighs 0.23 N: half a newton upwards lifts its end
    target->value.data[0] = 0.0;
    target->value.data[1] = 0.0;
    target->value.data[2] = 0.5;
    must(rcl_publish(&publisher, command, NULL), "publish");
    filum__msg__Probes* probes = filum__msg__Probes__create();
    Sender sender = {&publisher, command};
    assert_true(client_hear(&test_client, TYPE(filum, Probes), "/probes", &rmw_qos_profile_default, probes, is_lifted, &sender));
    filum__msg__Probes__destroy(probes);

    // nonsense is refused, counted, and does no harm
    target->value.data[2] = NAN;
    must(rcl_publish(&publisher, command, NULL), "publish");
    target->value.data[2] = 0.5;
    target->value.size = 2;
    must(rcl_publish(&publisher, command, NULL), "publish");
    target->value.size = 3;
    rosidl_runtime_c__String__assign(&target->drive, "push");
    rosidl_runtime_c__String__assign(&command->rod, "rope");
    must(rcl_publish(&publisher, command, NULL), "publish");
    diagnostic_msgs__msg__DiagnosticArray* diagnostics = diagnostic_msgs__msg__DiagnosticArray__create();
    assert_true(
        client_hear(&test_client, TYPE(diagnostic_msgs, DiagnosticArray), "/diagnostics", &rmw_qos_profile_default, diagnostics, has_refused, NULL));
    diagnostic_msgs__msg__DiagnosticArray__destroy(diagnostics);
    filum__msg__RodCommand__destroy(command);
    must(rcl_publisher_fini(&publisher, &test_client.node), "commands");
    assert_int_equal(process_stop(node), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(publishes_everything, process_end_all),
        cmocka_unit_test_teardown(time_is_one, process_end_all),
        cmocka_unit_test_teardown(reset_returns_the_initial_hash, process_end_all),
        cmocka_unit_test_teardown(parameters_can_be_asked_and_set, process_end_all),
        cmocka_unit_test_teardown(atomic_means_all_or_none, process_end_all),
        cmocka_unit_test_teardown(lists_and_describes, process_end_all),
        cmocka_unit_test_teardown(namespaces_remaps_and_files, process_end_all),
        cmocka_unit_test_teardown(two_nodes_in_one_domain, process_end_all),
        cmocka_unit_test_teardown(commands_move_the_world, process_end_all),
    };
    return cmocka_run_group_tests(tests, test_scene_join, test_scene_leave);
}
