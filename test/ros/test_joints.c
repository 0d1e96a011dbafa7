/* Robots in the node: two grippers distinguished by their prefixes, commanded by joint_commands and joint_trajectory. */
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
#include "process.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "sensor_msgs/msg/joint_state.h"
#include "std_msgs/msg/string.h"
#include "tf2_msgs/msg/tf_message.h"
#include "trajectory_msgs/msg/joint_trajectory.h"
#include "trajectory_msgs/msg/joint_trajectory_point.h"

#define TYPE(package, name) ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name)

static const char scene_text[] =
    "world: {gravity: [0, 0, 0], dt: 0.002}\n"
    "robots:\n"
    "  - {name: left, urdf: %s/config/robots/gripper.urdf, prefix: left_, joints: [%s]}\n"
    "  - {name: right, urdf: %s/config/robots/gripper.urdf, prefix: right_, position: [1, 0, 0], joints: [%s]}\n";

static const char joint_text[] = "{joint: lift, gains: {stiffness: 5000, damping: 500}}";

static pid_t start(void)
{
    const char* const arguments[] = {"--ros-args", "-p", test_scene->argument, "-p", "publish_rate:=100.0", NULL};
    return process_start(FILUM_NODE, arguments);
}

typedef struct Goal {
    const char* joint;
    double position;
    double tolerance;
} Goal;

static bool is_there(const void* message, void* context)
{
    const sensor_msgs__msg__JointState* states = message;
    const Goal* goal = context;
    const int i = test_joint_number(states, goal->joint);
    return i >= 0 && fabs(states->position.data[i] - goal->position) < goal->tolerance;
}

/* ---- what is published ---- */

static void reports_joints_and_links(void** state)
{
    (void)state;
    const pid_t node = start();
    sensor_msgs__msg__JointState* states = sensor_msgs__msg__JointState__create();
    assert_true(client_hear(&test_client, TYPE(sensor_msgs, JointState), "/joint_states", &rmw_qos_profile_default, states, NULL, NULL));
    assert_true(test_joint_number(states, "left_lift") >= 0 && test_joint_number(states, "right_grip") >= 0);
    assert_int_equal(states->position.size, states->name.size);
    assert_int_equal(states->velocity.size, states->name.size);
    assert_int_equal(states->effort.size, states->name.size);
    sensor_msgs__msg__JointState__destroy(states);
    rmw_qos_profile_t kept = rmw_qos_profile_default;
    kept.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
    std_msgs__msg__String* description = std_msgs__msg__String__create();
    assert_true(client_hear(&test_client, TYPE(std_msgs, String), "/right/robot_description", &kept, description, NULL, NULL));
    assert_non_null(strstr(description->data.data, "<robot"));
    assert_non_null(strstr(description->data.data, "\"right_lift\""));
    std_msgs__msg__String__destroy(description);

    // moving and fixed frames make one tree: every parent is the root or a child somewhere
    tf2_msgs__msg__TFMessage* both[2] = {tf2_msgs__msg__TFMessage__create(), tf2_msgs__msg__TFMessage__create()};
    assert_true(client_hear(&test_client, TYPE(tf2_msgs, TFMessage), "/tf", &rmw_qos_profile_default, both[0], NULL, NULL));
    assert_true(client_hear(&test_client, TYPE(tf2_msgs, TFMessage), "/tf_static", &kept, both[1], NULL, NULL));
    size_t roots = 0;
    for (int m = 0; m < 2; m++) {
        for (size_t i = 0; i < both[m]->transforms.size; i++) {
            const char* parent = both[m]->transforms.data[i].header.frame_id.data;
            bool known = strcmp(parent, "world") == 0;
            roots += known;
            for (int n = 0; n < 2; n++) {
                for (size_t k = 0; k < both[n]->transforms.size; k++) {
                    known |= strcmp(both[n]->transforms.data[k].child_frame_id.data, parent) == 0;
                }
            }
            assert_true(known);
        }
    }
    assert_int_equal(roots, 2);  // one per robot
    tf2_msgs__msg__TFMessage__destroy(both[0]);
    tf2_msgs__msg__TFMessage__destroy(both[1]);
    assert_int_equal(process_stop(node), 0);
}

/* ---- what is taken ---- */

/* Publishes again and again, at intervals that leave a trajectory time to end, until what is heard on another topic is
 * accepted: commands go best effort, and the first may be lost on those that have not found each other yet. */
static bool publish_until(const rosidl_message_type_support_t* type, const char* topic, const void* message,
                          const rosidl_message_type_support_t* heard_type, const char* heard_topic, void* heard,
                          bool (*accept)(const void* message, void* context), void* context)
{
    rcl_publisher_t publisher = rcl_get_zero_initialized_publisher();
    rcl_subscription_t subscription = rcl_get_zero_initialized_subscription();
    must(rclc_publisher_init(&publisher, &test_client.node, type, topic, &rmw_qos_profile_default), topic);
    must(rclc_subscription_init(&subscription, &test_client.node, heard_type, heard_topic, &rmw_qos_profile_default), heard_topic);
    bool accepted = false;
    double next = seconds_now();
    for (const double limit = next + PATIENCE; !accepted && seconds_now() < limit;) {
        if (seconds_now() >= next) {
            must(rcl_publish(&publisher, message, NULL), topic);
            next += 2.0;
        }
        if (rcl_take(&subscription, heard, NULL, NULL) == RCL_RET_OK) {
            accepted = accept(heard, context);
        } else {
            sleep_seconds(0.002);
        }
    }
    must(rcl_subscription_fini(&subscription, &test_client.node), heard_topic);
    must(rcl_publisher_fini(&publisher, &test_client.node), topic);
    return accepted;
}

static bool publish_until_there(const rosidl_message_type_support_t* type, const char* topic, const void* message, Goal goal)
{
    sensor_msgs__msg__JointState* states = sensor_msgs__msg__JointState__create();
    const bool there = publish_until(type, topic, message, TYPE(sensor_msgs, JointState), "/joint_states", states, is_there, &goal);
    sensor_msgs__msg__JointState__destroy(states);
    return there;
}

/* how many refusals there must have been, and how many there were */
typedef struct Refusals {
    double min, seen;
} Refusals;

static bool are_refused(const void* message, void* context)
{
    const diagnostic_msgs__msg__DiagnosticArray* diagnostics = message;
    const diagnostic_msgs__msg__DiagnosticStatus* status = &diagnostics->status.data[0];
    Refusals* refusals = context;
    for (size_t i = 0; i < status->values.size; i++) {
        if (strcmp(status->values.data[i].key.data, "refused_commands") == 0) {
            refusals->seen = atof(status->values.data[i].value.data);
        }
    }
    return refusals->seen >= refusals->min;
}

/* `count` more refusals than there were */
static bool publish_until_refused(const rosidl_message_type_support_t* type, const char* topic, const void* message, Refusals* refusals, int count)
{
    diagnostic_msgs__msg__DiagnosticArray* diagnostics = diagnostic_msgs__msg__DiagnosticArray__create();
    refusals->min = refusals->seen + count;
    const bool refused =
        publish_until(type, topic, message, TYPE(diagnostic_msgs, DiagnosticArray), "/diagnostics", diagnostics, are_refused, refusals);
    diagnostic_msgs__msg__DiagnosticArray__destroy(diagnostics);
    return refused;
}

static sensor_msgs__msg__JointState* new_command(const char* first, const char* second)
{
    sensor_msgs__msg__JointState* command = sensor_msgs__msg__JointState__create();
    rosidl_runtime_c__String__Sequence__init(&command->name, 2);
    rosidl_runtime_c__String__assign(&command->name.data[0], first);
    rosidl_runtime_c__String__assign(&command->name.data[1], second);
    rosidl_runtime_c__double__Sequence__init(&command->position, 2);
    return command;
}

static bool hear_there(Goal goal)
{
    sensor_msgs__msg__JointState* states = sensor_msgs__msg__JointState__create();
    const bool there = client_hear(&test_client, TYPE(sensor_msgs, JointState), "/joint_states", &rmw_qos_profile_default, states, is_there, &goal);
    sensor_msgs__msg__JointState__destroy(states);
    return there;
}

static void joints_follow_commands(void** state)
{
    (void)state;
    const pid_t node = start();
    const rosidl_message_type_support_t* type = TYPE(sensor_msgs, JointState);
    sensor_msgs__msg__JointState* command = new_command("left_lift", "right_lift");
    command->position.data[0] = 0.05;
    command->position.data[1] = NAN;  // leaves it where it is
    assert_true(publish_until_there(type, "/joint_commands", command, (Goal){"left_lift", 0.05, 1e-4}));
    assert_true(hear_there((Goal){"right_lift", 0.0, 1e-4}));
    // of a position, a velocity and an effort it is the position that a joint goes to
    rosidl_runtime_c__double__Sequence__init(&command->velocity, 2);
    rosidl_runtime_c__double__Sequence__init(&command->effort, 2);
    command->velocity.data[1] = command->effort.data[1] = NAN;
    command->position.data[0] = 0.03;
    assert_true(publish_until_there(type, "/joint_commands", command, (Goal){"left_lift", 0.03, 1e-4}));
    command->position.data[0] = 0.05;
    assert_true(publish_until_there(type, "/joint_commands", command, (Goal){"left_lift", 0.05, 1e-4}));
    // a velocity alone is refused by a joint that takes positions only
    Refusals refusals = {0};
    command->position.data[0] = command->effort.data[0] = NAN;
    assert_true(publish_until_refused(type, "/joint_commands", command, &refusals, 1));
    command->velocity.data[0] = NAN;
    // nonsense: an unknown name and Inf, then a wrong length
    rosidl_runtime_c__String__assign(&command->name.data[0], "lift");
    command->position.data[1] = INFINITY;
    assert_true(publish_until_refused(type, "/joint_commands", command, &refusals, 2));
    command->position.size = 1;
    assert_true(publish_until_refused(type, "/joint_commands", command, &refusals, 1));
    command->position.size = 2;
    assert_true(hear_there((Goal){"left_lift", 0.05, 1e-4}));
    assert_true(hear_there((Goal){"right_lift", 0.0, 1e-4}));
    sensor_msgs__msg__JointState__destroy(command);
    assert_int_equal(process_stop(node), 0);
}

/* two points for one joint of each robot, half a second apart */
static trajectory_msgs__msg__JointTrajectory* new_trajectory(void)
{
    trajectory_msgs__msg__JointTrajectory* message = trajectory_msgs__msg__JointTrajectory__create();
    rosidl_runtime_c__String__Sequence__init(&message->joint_names, 2);
    rosidl_runtime_c__String__assign(&message->joint_names.data[0], "right_lift");
    rosidl_runtime_c__String__assign(&message->joint_names.data[1], "left_lift");
    trajectory_msgs__msg__JointTrajectoryPoint__Sequence__init(&message->points, 2);
    for (int i = 0; i < 2; i++) {
        trajectory_msgs__msg__JointTrajectoryPoint* point = &message->points.data[i];
        rosidl_runtime_c__double__Sequence__init(&point->positions, 2);
        point->positions.data[0] = 0.02 * (i + 1);
        point->positions.data[1] = 0.03 * (i + 1);
        point->time_from_start.nanosec = 400000000u * (unsigned)(i + 1);
    }
    return message;
}

static void joints_follow_trajectories(void** state)
{
    (void)state;
    const pid_t node = start();
    const rosidl_message_type_support_t* type = TYPE(trajectory_msgs, JointTrajectory);
    trajectory_msgs__msg__JointTrajectory* message = new_trajectory();
    assert_true(publish_until_there(type, "/joint_trajectory", message, (Goal){"right_lift", 0.04, 1e-4}));
    assert_true(hear_there((Goal){"left_lift", 0.06, 1e-4}));
    // a joint that is named twice is refused, as are times that do not increase, and a point without all positions
    Refusals refusals = {0};
    rosidl_runtime_c__String__assign(&message->joint_names.data[0], "left_lift");
    assert_true(publish_until_refused(type, "/joint_trajectory", message, &refusals, 1));
    rosidl_runtime_c__String__assign(&message->joint_names.data[0], "right_lift");
    message->points.data[1].time_from_start.nanosec = 1;
    assert_true(publish_until_refused(type, "/joint_trajectory", message, &refusals, 1));
    message->points.data[1].positions.size = 1;
    assert_true(publish_until_refused(type, "/joint_trajectory", message, &refusals, 1));
    message->points.data[1].positions.size = 2;
    // so is one that begins before its start
    message->points.data[0].time_from_start.sec = -1;
    assert_true(publish_until_refused(type, "/joint_trajectory", message, &refusals, 1));
    assert_true(hear_there((Goal){"left_lift", 0.06, 1e-4}));
    trajectory_msgs__msg__JointTrajectory__destroy(message);
    assert_int_equal(process_stop(node), 0);
}

static int set_up(void** state)
{
    static char text[4096];
    snprintf(text, sizeof text, scene_text, FILUM_SOURCE_DIR, joint_text, FILUM_SOURCE_DIR, joint_text);
    return test_scene_join_with(state, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reports_joints_and_links, process_end_all),
        cmocka_unit_test_teardown(joints_follow_commands, process_end_all),
        cmocka_unit_test_teardown(joints_follow_trajectories, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, test_scene_leave);
}
