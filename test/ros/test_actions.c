/* Actions, seen from another process: goals that succeed, are rejected, preempted, cancelled and aborted. */
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

#include "action_msgs/msg/goal_status.h"
#include "action_msgs/msg/goal_status_array.h"
#include "action_msgs/srv/cancel_goal.h"
#include "bag_folder.h"
#include "client.h"
#include "control_msgs/action/follow_joint_trajectory.h"
#include "control_msgs/action/gripper_command.h"
#include "control_msgs/msg/joint_tolerance.h"
#include "process.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "simulation_interfaces/action/simulate_steps.h"
#include "simulation_interfaces/msg/result.h"
#include "trajectory_msgs/msg/joint_trajectory.h"
#include "trajectory_msgs/msg/joint_trajectory_point.h"

#define STATUS(name) action_msgs__msg__GoalStatus__STATUS_##name
#define ERROR(name) control_msgs__action__FollowJointTrajectory_Result__##name
#define FOLLOW "/follow_joint_trajectory/_action/"

typedef trajectory_msgs__msg__JointTrajectory Trajectory;
typedef control_msgs__action__FollowJointTrajectory_SendGoal_Request Goal;

static char scene_path[] = "/tmp/filum_actions_XXXXXX.yaml";
static char scene_argument[64];
static Client client;
static BagFolder folder;

/* ---- follow_joint_trajectory ---- */

static pid_t start(const char* more, const char* and_more)
{
    const char* const arguments[] = {"--ros-args",
                                     "-p",
                                     scene_argument,
                                     "-p",
                                     "gripper_joints:=right_lift, left_grip",
                                     "-p",
                                     "gripper_stall_timeout:=0.2",
                                     "-p",
                                     "gripper_tolerance:=0.002",
                                     "-p",
                                     more,
                                     and_more != NULL ? "-p" : NULL,
                                     and_more,
                                     NULL};
    return process_start(FILUM_NODE, arguments);
}

/* One point for the lifts of both robots (or one) after so many seconds; `number` tells goals apart. */
static Goal* new_goal(uint8_t number, const char* first, const char* second, double position, double seconds)
{
    Goal* goal = control_msgs__action__FollowJointTrajectory_SendGoal_Request__create();
    Trajectory* message = &goal->goal.trajectory;
    memset(goal->goal_id.uuid, number, sizeof goal->goal_id.uuid);
    test_name_two(&message->joint_names, first, second);
    trajectory_msgs__msg__JointTrajectoryPoint__Sequence__init(&message->points, 1);
    rosidl_runtime_c__double__Sequence__init(&message->points.data[0].positions, second != NULL ? 2 : 1);
    for (size_t k = 0; k < message->joint_names.size; k++) {
        message->points.data[0].positions.data[k] = position;
    }
    message->points.data[0].time_from_start.sec = (int32_t)seconds;
    message->points.data[0].time_from_start.nanosec = (uint32_t)(1e9 * (seconds - (int32_t)seconds));
    return goal;
}

static void tolerate(control_msgs__msg__JointTolerance__Sequence* list, const char* joint, double position)
{
    control_msgs__msg__JointTolerance__Sequence__init(list, 1);
    rosidl_runtime_c__String__assign(&list->data[0].name, joint);
    list->data[0].position = position;
}

/* whether it was accepted */
static bool send(Goal* goal)
{
    control_msgs__action__FollowJointTrajectory_SendGoal_Response response = {0};
    assert_true(
        client_call(&client, ROSIDL_GET_SRV_TYPE_SUPPORT(control_msgs, action, FollowJointTrajectory_SendGoal), FOLLOW "send_goal", goal, &response));
    control_msgs__action__FollowJointTrajectory_SendGoal_Request__destroy(goal);
    return response.accepted;
}

/* the status with which a goal ends; `code` receives its error */
static int wait_for(uint8_t number, int* code)
{
    control_msgs__action__FollowJointTrajectory_GetResult_Request request;
    control_msgs__action__FollowJointTrajectory_GetResult_Response* response =
        control_msgs__action__FollowJointTrajectory_GetResult_Response__create();
    memset(request.goal_id.uuid, number, sizeof request.goal_id.uuid);
    assert_true(client_call(&client, ROSIDL_GET_SRV_TYPE_SUPPORT(control_msgs, action, FollowJointTrajectory_GetResult), FOLLOW "get_result",
                            &request, response));
    const int status = response->status;
    *code = response->result.error_code;
    assert_true(status == STATUS(UNKNOWN) || (*code == 0) == (response->result.error_string.size == 0) || status == STATUS(CANCELED));
    control_msgs__action__FollowJointTrajectory_GetResult_Response__destroy(response);
    return status;
}

/* the server's answer, and how many goals are cancelled */
static int cancel(const char* action, uint8_t number, size_t* count)
{
    action_msgs__srv__CancelGoal_Request request = {0};
    action_msgs__srv__CancelGoal_Response* response = action_msgs__srv__CancelGoal_Response__create();
    char name[128];
    snprintf(name, sizeof name, "%s/_action/cancel_goal", action);
    memset(request.goal_info.goal_id.uuid, number, sizeof request.goal_info.goal_id.uuid);
    assert_true(client_call(&client, ROSIDL_GET_SRV_TYPE_SUPPORT(action_msgs, srv, CancelGoal), name, &request, response));
    const int code = response->return_code;
    *count = response->goals_canceling.size;
    action_msgs__srv__CancelGoal_Response__destroy(response);
    return code;
}

/* feedback of the goal that the context numbers, in the middle of its way */
static bool is_on_the_way(const void* message, void* context)
{
    const control_msgs__action__FollowJointTrajectory_FeedbackMessage* sent = message;
    const control_msgs__action__FollowJointTrajectory_Feedback* feedback = &sent->feedback;
    if (sent->goal_id.uuid[0] != *(const uint8_t*)context || feedback->joint_names.size != 2 || feedback->desired.positions.size != 2) {
        return false;
    }
    // desired, actual and error agree; gravity lets the lift sag by 1.4 mm, and damping makes it lag
    const double desired = feedback->desired.positions.data[0], actual = feedback->actual.positions.data[0];
    assert_true(feedback->error.positions.data[0] == desired - actual && fabs(desired - actual) < 0.02);
    return desired > 0.01 && desired < 0.09 && feedback->actual.velocities.data[0] > 0.0 && feedback->desired.time_from_start.nanosec > 0;
}

/* a status message that has the goal with the status wanted */
typedef struct Seen {
    uint8_t number;
    int8_t status;
} Seen;

static bool has_status(const void* message, void* context)
{
    const action_msgs__msg__GoalStatusArray* array = message;
    const Seen* seen = context;
    for (size_t i = 0; i < array->status_list.size; i++) {
        if (array->status_list.data[i].goal_info.goal_id.uuid[0] == seen->number && array->status_list.data[i].status == seen->status) {
            return true;
        }
    }
    return false;
}

static void expect_status(uint8_t number, int8_t status)
{
    Seen seen = {number, status};
    action_msgs__msg__GoalStatusArray* array = action_msgs__msg__GoalStatusArray__create();
    rmw_qos_profile_t kept = rmw_qos_profile_default;
    kept.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
    assert_true(
        client_hear(&client, ROSIDL_GET_MSG_TYPE_SUPPORT(action_msgs, msg, GoalStatusArray), FOLLOW "status", &kept, array, has_status, &seen));
    action_msgs__msg__GoalStatusArray__destroy(array);
}

static void goals_are_followed(void** state)
{
    (void)state;
    const pid_t node = start("publish_rate:=50.0", NULL);
    int code;
    uint8_t first = 1;
    assert_true(send(new_goal(first, "left_lift", "right_lift", 0.1, 1.5)));
    control_msgs__action__FollowJointTrajectory_FeedbackMessage* sent = control_msgs__action__FollowJointTrajectory_FeedbackMessage__create();
    assert_true(client_hear(&client, ROSIDL_GET_MSG_TYPE_SUPPORT(control_msgs, action, FollowJointTrajectory_FeedbackMessage), FOLLOW "feedback",
                            &rmw_qos_profile_default, sent, is_on_the_way, &first));
    control_msgs__action__FollowJointTrajectory_FeedbackMessage__destroy(sent);
    expect_status(1, STATUS(EXECUTING));
    assert_int_equal(wait_for(1, &code), STATUS(SUCCEEDED));
    assert_int_equal(code, ERROR(SUCCESSFUL));
    expect_status(1, STATUS(SUCCEEDED));
    assert_int_equal(wait_for(1, &code), STATUS(SUCCEEDED));  // a result can be asked for again
    assert_int_equal(wait_for(99, &code), STATUS(UNKNOWN));

    // rejected: no such joint; no points; a tolerance of another joint; a trajectory of the past; one that steps back
    assert_false(send(new_goal(2, "lift", NULL, 0.0, 0.5)));
    Goal* goal = new_goal(3, "left_lift", NULL, 0.0, 0.5);
    goal->goal.trajectory.points.size = 0;
    assert_false(send(goal));
    goal = new_goal(4, "left_lift", NULL, 0.0, 0.5);
    tolerate(&goal->goal.path_tolerance, "right_lift", 0.1);
    assert_false(send(goal));
    goal = new_goal(5, "left_lift", NULL, 0.0, 0.5);
    goal->goal.trajectory.header.stamp.nanosec = 1000;
    assert_false(send(goal));
    assert_false(send(new_goal(6, "left_lift", "left_lift", 0.0, 0.5)));
    assert_int_equal(wait_for(6, &code), STATUS(UNKNOWN));

    // preempted, on one robot; what moves the other one goes on
    assert_true(send(new_goal(10, "left_lift", NULL, -0.1, 30.0)));
    assert_true(send(new_goal(11, "right_lift", NULL, 0.05, 1.0)));
    assert_true(send(new_goal(12, "left_lift", NULL, 0.05, 0.5)));
    assert_int_equal(wait_for(10, &code), STATUS(ABORTED));
    assert_int_equal(code, ERROR(INVALID_GOAL));
    assert_int_equal(wait_for(12, &code), STATUS(SUCCEEDED));
    assert_int_equal(wait_for(11, &code), STATUS(SUCCEEDED));

    // cancelled: the joint stays where it is
    size_t count;
    assert_true(send(new_goal(20, "left_lift", NULL, -0.3, 30.0)));
    assert_int_equal(cancel("/follow_joint_trajectory", 20, &count), action_msgs__srv__CancelGoal_Response__ERROR_NONE);
    assert_int_equal(count, 1);
    assert_int_equal(wait_for(20, &code), STATUS(CANCELED));
    expect_status(20, STATUS(CANCELED));
    assert_int_equal(cancel("/follow_joint_trajectory", 20, &count), action_msgs__srv__CancelGoal_Response__ERROR_GOAL_TERMINATED);
    assert_int_equal(cancel("/follow_joint_trajectory", 77, &count), action_msgs__srv__CancelGoal_Response__ERROR_UNKNOWN_GOAL_ID);
    assert_true(send(new_goal(21, "left_lift", NULL, 0.0, 30.0)) && send(new_goal(22, "right_lift", NULL, 0.0, 30.0)));
    assert_int_equal(cancel("/follow_joint_trajectory", 0, &count), action_msgs__srv__CancelGoal_Response__ERROR_NONE);
    assert_int_equal(count, 2);
    assert_int_equal(cancel("/follow_joint_trajectory", 0, &count), action_msgs__srv__CancelGoal_Response__ERROR_NONE);
    assert_int_equal(count, 0);  // none was left

    // aborted by tolerance: gravity lets the lift sag by 1.4 mm
    goal = new_goal(30, "left_lift", NULL, 0.05, 0.5);
    tolerate(&goal->goal.path_tolerance, "left_lift", 1e-4);
    assert_true(send(goal));
    assert_int_equal(wait_for(30, &code), STATUS(ABORTED));
    assert_int_equal(code, ERROR(PATH_TOLERANCE_VIOLATED));
    goal = new_goal(31, "left_lift", NULL, 0.05, 0.5);
    tolerate(&goal->goal.goal_tolerance, "left_lift", 1e-4);
    goal->goal.goal_time_tolerance.nanosec = 200000000;
    assert_true(send(goal));
    assert_int_equal(wait_for(31, &code), STATUS(ABORTED));
    assert_int_equal(code, ERROR(GOAL_TOLERANCE_VIOLATED));
    goal = new_goal(32, "left_lift", NULL, 0.05, 0.5);
    tolerate(&goal->goal.goal_tolerance, "left_lift", 5e-3);
    assert_true(send(goal));
    assert_int_equal(wait_for(32, &code), STATUS(SUCCEEDED));

    // a reset ends it
    char message[256];
    assert_true(send(new_goal(40, "left_lift", NULL, 0.0, 30.0)));
    assert_true(client_trigger(&client, "/filum", "reset", message));
    assert_int_equal(wait_for(40, &code), STATUS(ABORTED));
    assert_int_equal(process_stop(node), 0);
}

/* ---- gripper_command ---- */

static bool grip(uint8_t number, double position, double effort)
{
    control_msgs__action__GripperCommand_SendGoal_Request request = {.goal = {.command = {position, effort}}};
    control_msgs__action__GripperCommand_SendGoal_Response response = {0};
    memset(request.goal_id.uuid, number, sizeof request.goal_id.uuid);
    assert_true(client_call(&client, ROSIDL_GET_SRV_TYPE_SUPPORT(control_msgs, action, GripperCommand_SendGoal),
                            "/left_grip/gripper_command/_action/send_goal", &request, &response));
    return response.accepted;
}

static control_msgs__action__GripperCommand_GetResult_Response wait_for_grip(uint8_t number)
{
    control_msgs__action__GripperCommand_GetResult_Request request;
    control_msgs__action__GripperCommand_GetResult_Response response = {0};
    memset(request.goal_id.uuid, number, sizeof request.goal_id.uuid);
    assert_true(client_call(&client, ROSIDL_GET_SRV_TYPE_SUPPORT(control_msgs, action, GripperCommand_GetResult),
                            "/left_grip/gripper_command/_action/get_result", &request, &response));
    return response;
}

static void grippers_hold_with_the_effort_allowed(void** state)
{
    (void)state;
    const pid_t node = start("gripper_allow_stalling:=true", "record:=grip.mcap");
    assert_false(grip(1, 0.2, 0.0));  // beyond its limits
    assert_false(grip(2, NAN, 0.0));
    assert_true(grip(3, 0.06, 0.0));
    control_msgs__action__GripperCommand_GetResult_Response response = wait_for_grip(3);
    assert_int_equal(response.status, STATUS(SUCCEEDED));
    assert_true(response.result.reached_goal && !response.result.stalled && fabs(response.result.position - 0.06) < 0.002);
    // the block stops the fingers at 20 mm, where the motor presses with the 3 N allowed of the 10 N that it could
    assert_true(grip(4, 0.0, 3.0));
    response = wait_for_grip(4);
    assert_int_equal(response.status, STATUS(SUCCEEDED));
    assert_true(response.result.stalled && !response.result.reached_goal);
    assert_true(fabs(response.result.position - 0.02) < 1e-3 && fabs(response.result.effort + 3.0) < 0.01);
    // preempted by the next one, which is cancelled on its slow way; then a stall is a failure
    size_t count;
    char reason[512];
    assert_true(client_set(&client, "/filum", "gripper_allow_stalling", fil_parameter_bool(false), reason));
    assert_true(client_pause(&client, "/filum", true));
    assert_true(grip(5, 0.07, 1.0) && grip(6, 0.05, 1.0));
    assert_int_equal(wait_for_grip(5).status, STATUS(ABORTED));
    assert_int_equal(cancel("/left_grip/gripper_command", 6, &count), action_msgs__srv__CancelGoal_Response__ERROR_NONE);
    assert_int_equal(wait_for_grip(6).status, STATUS(CANCELED));
    assert_true(client_pause(&client, "/filum", false));
    assert_true(grip(7, 0.0, 3.0));
    response = wait_for_grip(7);
    assert_true(response.status == STATUS(ABORTED) && response.result.stalled);
    assert_int_equal(process_stop(node), 0);
    // what the actions commanded is recorded, and makes the same run again
    assert_int_equal(bag_folder_run(&folder, "bag replay-check grip.mcap"), 0);
    assert_null(strstr(folder.output, "; 0 commands"));
}

/* ---- a scene of robots and a rope ---- */

/* Both arms of two_arms_knot by one goal of many points, with velocities, accelerations and tolerances. */
static void two_arms_draw_a_knot(void** state)
{
    (void)state;
    enum { POINTS = 301 };
    const char* const arguments[] = {
        "--ros-args", "-p", "scene:=two_arms_knot", "-p", "start_paused:=true", "-p", "real_time_factor:=0.0", "-p", "record:=knot.mcap", NULL};
    const pid_t node = process_start(FILUM_NODE, arguments);
    Goal* goal = new_goal(1, "left_shoulder_lift", "right_shoulder_lift", 0.0, 0.1);
    Trajectory* message = &goal->goal.trajectory;
    trajectory_msgs__msg__JointTrajectoryPoint__Sequence__fini(&message->points);
    trajectory_msgs__msg__JointTrajectoryPoint__Sequence__init(&message->points, POINTS);
    for (int i = 0; i < POINTS; i++) {
        // 0.02 rad back and forth, from rest: q = q0 - 0.01 (1 - cos w t)
        const double time = 0.3 * i / (POINTS - 1), w = 2.0 * 3.14159265358979 / 0.3;
        const double row[3] = {-0.70762 - 0.01 * (1.0 - cos(w * time)), -0.01 * w * sin(w * time), -0.01 * w * w * cos(w * time)};
        trajectory_msgs__msg__JointTrajectoryPoint* point = &message->points.data[i];
        rosidl_runtime_c__double__Sequence* const arrays[] = {&point->positions, &point->velocities, &point->accelerations};
        for (int k = 0; k < 3; k++) {
            rosidl_runtime_c__double__Sequence__init(arrays[k], 2);
            arrays[k]->data[0] = arrays[k]->data[1] = row[k];
        }
        point->time_from_start.nanosec = (uint32_t)(1e9 * time);
    }
    control_msgs__msg__JointTolerance__Sequence__init(&goal->goal.path_tolerance, 2);
    for (size_t k = 0; k < 2; k++) {
        rosidl_runtime_c__String__assign(&goal->goal.path_tolerance.data[k].name, message->joint_names.data[k].data);
        goal->goal.path_tolerance.data[k].position = 0.01;
    }
    int code;
    assert_true(send(goal));
    assert_true(client_pause(&client, "/filum", false));
    assert_int_equal(wait_for(1, &code), STATUS(SUCCEEDED));
    assert_int_equal(process_stop(node), 0);
    assert_int_equal(bag_folder_run(&folder, "bag replay-check knot.mcap"), 0);
    assert_null(strstr(folder.output, "; 0 commands"));
}

/* ---- simulate_steps ---- */

#define STEPS "/filum/simulate_steps/_action/"

static bool ask_for_steps(uint8_t number, uint64_t steps)
{
    simulation_interfaces__action__SimulateSteps_SendGoal_Request request = {.goal = {.steps = steps}};
    simulation_interfaces__action__SimulateSteps_SendGoal_Response response = {0};
    memset(request.goal_id.uuid, number, sizeof request.goal_id.uuid);
    assert_true(client_call(&client, ROSIDL_GET_SRV_TYPE_SUPPORT(simulation_interfaces, action, SimulateSteps_SendGoal), STEPS "send_goal", &request,
                            &response));
    return response.accepted;
}

static int wait_for_steps(uint8_t number, int* code)
{
    simulation_interfaces__action__SimulateSteps_GetResult_Request request;
    simulation_interfaces__action__SimulateSteps_GetResult_Response* response =
        simulation_interfaces__action__SimulateSteps_GetResult_Response__create();
    memset(request.goal_id.uuid, number, sizeof request.goal_id.uuid);
    assert_true(client_call(&client, ROSIDL_GET_SRV_TYPE_SUPPORT(simulation_interfaces, action, SimulateSteps_GetResult), STEPS "get_result",
                            &request, response));
    const int status = response->status;
    *code = response->result.result.result;
    simulation_interfaces__action__SimulateSteps_GetResult_Response__destroy(response);
    return status;
}

static bool is_counting(const void* message, void* context)
{
    const simulation_interfaces__action__SimulateSteps_FeedbackMessage* sent = message;
    return sent->feedback.completed_steps > 0 && sent->feedback.completed_steps + sent->feedback.remaining_steps == *(const uint64_t*)context;
}

static void steps_are_simulated(void** state)
{
    (void)state;
    const pid_t node = start("start_paused:=true", NULL);
    int code;
    size_t count;
    assert_true(ask_for_steps(1, 25));
    assert_int_equal(wait_for_steps(1, &code), STATUS(SUCCEEDED));
    assert_int_equal(code, simulation_interfaces__msg__Result__RESULT_OK);
    uint64_t many = 1000000000;
    assert_true(ask_for_steps(2, many));
    simulation_interfaces__action__SimulateSteps_FeedbackMessage sent;
    memset(&sent, 0, sizeof sent);
    assert_true(client_hear(&client, ROSIDL_GET_MSG_TYPE_SUPPORT(simulation_interfaces, action, SimulateSteps_FeedbackMessage), STEPS "feedback",
                            &rmw_qos_profile_default, &sent, is_counting, &many));
    assert_true(ask_for_steps(3, 1));  // meanwhile
    assert_int_equal(wait_for_steps(3, &code), STATUS(ABORTED));
    assert_int_equal(code, simulation_interfaces__msg__Result__RESULT_OPERATION_FAILED);
    assert_int_equal(cancel("/filum/simulate_steps", 2, &count), action_msgs__srv__CancelGoal_Response__ERROR_NONE);
    assert_int_equal(wait_for_steps(2, &code), STATUS(CANCELED));
    assert_true(client_pause(&client, "/filum", false));
    assert_true(ask_for_steps(4, 1));  // not paused
    assert_int_equal(wait_for_steps(4, &code), STATUS(ABORTED));
    assert_int_equal(process_stop(node), 0);
}

static int set_up(void** state)
{
    (void)state;
    char text[TEST_SCENE_TEXT];
    test_scene_grippers(128, text);
    FILE* file = fdopen(mkstemps(scene_path, 5), "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(scene_path);
        return -1;
    }
    snprintf(scene_argument, sizeof scene_argument, "scene:=%s", scene_path);
    client_join(&client, "operator", 0, NULL);
    return bag_folder_make(&folder);
}

static int tear_down(void** state)
{
    (void)state;
    client_leave(&client);
    return bag_folder_remove(&folder) != 0 || remove(scene_path) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(goals_are_followed, process_end_all),
        cmocka_unit_test_teardown(grippers_hold_with_the_effort_allowed, process_end_all),
        cmocka_unit_test_teardown(two_arms_draw_a_knot, process_end_all),
        cmocka_unit_test_teardown(steps_are_simulated, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
