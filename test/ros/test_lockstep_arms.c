/* Two arms draw a knot tight under lockstep: a controller in a process of its own answers each state of the joints with
 * a trajectory, and all that the joints did is the same bit for bit each time, on an idle machine and on a busy one. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "process.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "sensor_msgs/msg/joint_state.h"
#include "trajectory_msgs/msg/joint_trajectory.h"
#include "trajectory_msgs/msg/joint_trajectory_point.h"

#define TYPE(package, name) ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name)

enum {
    PERIODS = 100, /* of 20 ms */
    STEPS_PER_PERIOD = 20,
    JOINTS = 12, /* of both arms */
    LED = 6,     /* of them are sent along */
    MILLISECONDS = 20
};

/* What a run came to. */
typedef struct Run {
    int heard; /* periods, from the start without a gap */
    double position[PERIODS][JOINTS], velocity[PERIODS][JOINTS], effort[PERIODS][JOINTS];
    uint64_t hash; /* of the world's state after the last period */
} Run;

static const char* const led[LED] = {"left_shoulder_lift", "left_elbow", "left_wrist_2", "right_shoulder_lift", "right_elbow", "right_wrist_2"};

static pid_t start_node(void)
{
    const char* const arguments[] = {"--ros-args",
                                     "-p",
                                     "scene:=two_arms_knot",
                                     "-p",
                                     "lockstep:=true",
                                     "-p",
                                     "lockstep_topics:=joint_trajectory",
                                     "-p",
                                     "real_time_factor:=0.0",
                                     "-p",
                                     "lockstep_timeout:=10.0",
                                     NULL};
    return process_start(FILUM_NODE, arguments);
}

static trajectory_msgs__msg__JointTrajectory* new_command(void)
{
    trajectory_msgs__msg__JointTrajectory* command = trajectory_msgs__msg__JointTrajectory__create();
    rosidl_runtime_c__String__Sequence__init(&command->joint_names, LED);
    trajectory_msgs__msg__JointTrajectoryPoint__Sequence__init(&command->points, 2);
    for (int j = 0; j < LED; j++) {
        rosidl_runtime_c__String__assign(&command->joint_names.data[j], led[j]);
    }
    for (int i = 0; i < 2; i++) {
        rosidl_runtime_c__double__Sequence__init(&command->points.data[i].positions, LED);
        command->points.data[i].time_from_start.nanosec = 1000000u * MILLISECONDS * (unsigned)(i + 1);
    }
    return command;
}

/* Where a joint is sent: the way that the scene's own trajectory takes, begun at once. */
static double goal(int joint, double time)
{
    static const double from[3] = {-0.70762, 0.53013, 0.17749}, to[3] = {-1.33930, 1.46082, -0.12152};
    const double s = fmin(time / 2.0, 1.0);
    return from[joint % 3] + (to[joint % 3] - from[joint % 3]) * s * s * (3.0 - 2.0 * s);
}

/* Two points from the present state on, that make up for half of how far each joint is behind. */
static void aim(const sensor_msgs__msg__JointState* states, trajectory_msgs__msg__JointTrajectory* command)
{
    const double now = states->header.stamp.sec + 1e-9 * states->header.stamp.nanosec;
    command->header.stamp = states->header.stamp;
    for (int j = 0; j < LED; j++) {
        const int at = test_joint_number(states, led[j]);
        assert_true(at >= 0);
        const double behind = goal(j, now) - states->position.data[at];
        for (int i = 0; i < 2; i++) {
            command->points.data[i].positions.data[j] = goal(j, now + 1e-3 * MILLISECONDS * (i + 1)) + 0.5 * behind;
        }
    }
}

static void note(const sensor_msgs__msg__JointState* states, Run* run)
{
    const double now = states->header.stamp.sec + 1e-9 * states->header.stamp.nanosec;
    const int period = (int)lround(1e3 * now / MILLISECONDS);
    if (period == run->heard && period < PERIODS) {  // a state may be published again
        assert_int_equal(states->position.size, JOINTS);
        memcpy(run->position[period], states->position.data, sizeof run->position[period]);
        memcpy(run->velocity[period], states->velocity.data, sizeof run->velocity[period]);
        memcpy(run->effort[period], states->effort.data, sizeof run->effort[period]);
        run->heard++;
    }
}

static void control(Client* client, Run* run)
{
    rcl_subscription_t joints = rcl_get_zero_initialized_subscription();
    rcl_subscription_t infos = rcl_get_zero_initialized_subscription();
    rcl_publisher_t commands = rcl_get_zero_initialized_publisher();
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.depth = 200;
    must(rclc_subscription_init(&joints, &client->node, TYPE(sensor_msgs, JointState), "/joint_states", &qos), "joints");
    must(rclc_subscription_init(&infos, &client->node, TYPE(filum, StepInfo), "/step_info", &qos), "infos");
    must(rclc_publisher_init(&commands, &client->node, TYPE(trajectory_msgs, JointTrajectory), "/joint_trajectory", &qos), "commands");
    sensor_msgs__msg__JointState* states = sensor_msgs__msg__JointState__create();
    filum__msg__StepInfo* info = filum__msg__StepInfo__create();
    trajectory_msgs__msg__JointTrajectory* command = new_command();
    memset(run, 0, sizeof *run);
    for (const double limit = seconds_now() + 3.0 * PATIENCE; run->hash == 0 && seconds_now() < limit;) {
        while (rcl_take(&joints, states, NULL, NULL) == RCL_RET_OK) {
            note(states, run);
            aim(states, command);
            must(rcl_publish(&commands, command, NULL), "publish");
        }
        while (rcl_take(&infos, info, NULL, NULL) == RCL_RET_OK) {
            run->hash = info->step == PERIODS * STEPS_PER_PERIOD ? info->state_hash : run->hash;
        }
        sleep_seconds(0.0005);
    }
    trajectory_msgs__msg__JointTrajectory__destroy(command);
    filum__msg__StepInfo__destroy(info);
    sensor_msgs__msg__JointState__destroy(states);
    must(rcl_publisher_fini(&commands, &client->node), "commands");
    must(rcl_subscription_fini(&infos, &client->node), "infos");
    must(rcl_subscription_fini(&joints, &client->node), "joints");
}

static void runs_are_equal(void** state)
{
    (void)state;
    static Run runs[2];
    for (int r = 0; r < 2; r++) {
        const pid_t busy[2] = {r == 1 ? process_start_role("burn", NULL, NULL, NULL) : 0, r == 1 ? process_start_role("burn", NULL, NULL, NULL) : 0};
        Client client;
        client_join(&client, "controller", 0, NULL);
        const pid_t node = start_node();
        control(&client, &runs[r]);
        for (int i = 0; i < 2 && r == 1; i++) {
            process_kill(busy[i]);
        }
        kill(node, SIGINT);
        assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
        client_leave(&client);
        assert_true(runs[r].hash != 0);
        assert_int_equal(runs[r].heard, PERIODS);
    }
    assert_true(runs[0].hash == runs[1].hash);
    assert_memory_equal(runs[0].position, runs[1].position, sizeof runs[0].position);
    assert_memory_equal(runs[0].velocity, runs[1].velocity, sizeof runs[0].velocity);
    assert_memory_equal(runs[0].effort, runs[1].effort, sizeof runs[0].effort);
    // and the arms have gone somewhere: the lifts by half a radian
    double largest = 0.0;
    for (int j = 0; j < JOINTS; j++) {
        largest = fmax(largest, fabs(runs[0].position[PERIODS - 1][j] - runs[0].position[0][j]));
    }
    assert_true(largest > 0.5);
}

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "burn") == 0) {
        return process_burn(3.0 * PATIENCE);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(runs_are_equal, process_end_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
