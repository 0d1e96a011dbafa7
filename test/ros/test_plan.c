/* Planning beside a running simulation: ~/plan, ~/cancel_plan, ~/follow_plan, plan_progress and plan_trajectory. */
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
#include "filum/filum.h"
#include "filum/msg/arm_states.h"
#include "filum/msg/plan_progress.h"
#include "filum/msg/plan_trajectory.h"
#include "process.h"
#include "sensor_msgs/msg/joint_state.h"
#include "std_srvs/srv/trigger.h"

#define TYPE(name) ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, name)

static char scene_path[] = "/tmp/filum_plan_XXXXXX.yaml";
static char scene_argument[64];
static Client client;

/* P1's task, smaller: 0.6 rad in 12 stages, half a second of CPU */
static const char scene_text[] =
    "include: " FILUM_SOURCE_DIR
    "/config/scenes/ball_rotation.yaml\n"
    "world: {dt: 2e-3}\n"
    "task: {angle: 0.6}\n"
    "plan: {nodes: %d, solver: {meshes: 1}, bounds: {target: 3}}\n";  // anywhere: the bound of the end takes eight times as long

/* Two robots turn a valve, in half the stages */
static const char valve_text[] = "include: " FILUM_SOURCE_DIR
                                 "/config/scenes/valve_turn.yaml\n"
                                 "plan: {nodes: %d, solver: {meshes: 1}}\n";

static pid_t start_scene(const char* text, int nodes, const char* paused)
{
    char start_paused[32], filled[512];
    FILE* file = fopen(scene_path, "w");
    assert_non_null(file);
    const int length = snprintf(filled, sizeof filled, "%.*s%d%s", (int)(strstr(text, "%d") - text), text, nodes, strstr(text, "%d") + 2);
    assert_true(length > 0 && length < (int)sizeof filled && fputs(filled, file) >= 0);
    fclose(file);
    snprintf(start_paused, sizeof start_paused, "start_paused:=%s", paused);
    const char* const arguments[] = {"--ros-args", "-p", scene_argument, "-p", start_paused, NULL};
    return process_start(FILUM_NODE, arguments);
}

static pid_t start(int nodes, const char* paused)
{
    return start_scene(scene_text, nodes, paused);
}

/* Calls a trigger once: a repeated ~/plan would be refused. */
static bool trigger(const char* service, char message[256])
{
    std_srvs__srv__Trigger_Request* request = std_srvs__srv__Trigger_Request__create();
    std_srvs__srv__Trigger_Response* response = std_srvs__srv__Trigger_Response__create();
    assert_true(client_call(&client, ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, Trigger), service, request, response));
    const bool success = response->success;
    snprintf(message, 256, "%s", response->message.data);
    std_srvs__srv__Trigger_Response__destroy(response);
    std_srvs__srv__Trigger_Request__destroy(request);
    return success;
}

/* ---- what is waited for ---- */

static bool has_begun(const void* message, void* context)
{
    (void)context;
    const filum__msg__PlanProgress* p = message;
    return strcmp(p->state.data, "planning") == 0 && p->iteration > 2;
}

typedef struct Later {
    double than;
} Later;

static bool is_later(const void* message, void* context)
{
    const Later* later = context;
    return seconds_of(((const filum__msg__StepInfo*)message)->header.stamp) > later->than;
}

/* of the plan's size: feedback adds to the first pressures */
static bool is_pressed(const void* message, void* context)
{
    const filum__msg__ArmStates* states = message;
    const filum__msg__PlanTrajectory* plan = context;
    const double first = plan->pressures.data[0];
    return states->arms.size == 1 && fabs(states->arms.data[0].chamber_pressures.data[0]) > 0.1 * fabs(first);
}

/* hears a progress; the caller gives it back */
static filum__msg__PlanProgress* hear_progress(bool (*accept)(const void* message, void* context))
{
    filum__msg__PlanProgress* p = filum__msg__PlanProgress__create();
    assert_true(client_hear(&client, TYPE(PlanProgress), "/plan_progress", &rmw_qos_profile_default, p, accept, NULL));
    return p;
}

static filum__msg__PlanTrajectory* hear_trajectory(void)
{
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
    filum__msg__PlanTrajectory* t = filum__msg__PlanTrajectory__create();
    assert_true(client_hear(&client, TYPE(PlanTrajectory), "/plan_trajectory", &qos, t, NULL, NULL));
    return t;
}

/* Plans by the node and here, of the same scene. */
static filum__msg__PlanTrajectory* plan_twice(FilWorld** world, FilSceneInfo* info, FilPlan** plan)
{
    char message[256];
    FilError error = {""};
    assert_true(trigger("/filum/plan", message));
    filum__msg__PlanTrajectory* t = hear_trajectory();
    assert_int_equal(fil_scene_load(scene_path, NULL, world, info, &error), FIL_OK);
    assert_int_equal(fil_plan_solve(*world, &info->plan, plan, &error), FIL_OK);
    return t;
}

/* ---- tests ---- */

/* The same plan as `filum plan` from the same state, to the last bit, heard by one who joins late; then followed. */
static void finds_what_the_command_line_finds(void** state)
{
    (void)state;
    const pid_t pid = start(12, "true");
    char message[256];
    assert_false(trigger("/filum/follow_plan", message));
    assert_non_null(strstr(message, "no plan"));
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilPlan* plan = NULL;
    filum__msg__PlanTrajectory* t = plan_twice(&world, &info, &plan);
    assert_string_equal(t->state.data, fil_plan_verdict_name(fil_plan_info(plan).verdict));
    assert_int_equal(t->chambers.size, 9);
    assert_string_equal(t->chambers.data[8].data, "arm/chamber_8");
    assert_int_equal(t->times.size, (size_t)fil_plan_knot_count(plan));
    assert_int_equal(t->pressures.size, 9 * t->times.size);
    for (size_t k = 0; k < t->times.size; k++) {
        for (int c = 0; c < 9; c++) {
            FilPlanCommand command;
            assert_true(t->times.data[k] == fil_plan_knot(plan, (int)k, c, &command));
            assert_true(t->pressures.data[9 * k + (size_t)c] == command.pressure);
        }
    }
    // followed, the chambers have pressures; the scene gives them none
    assert_true(trigger("/filum/follow_plan", message));
    assert_true(client_pause(&client, "/filum", false));
    filum__msg__ArmStates* states = filum__msg__ArmStates__create();
    assert_true(client_hear(&client, TYPE(ArmStates), "/arm_states", &rmw_qos_profile_default, states, is_pressed, t));
    filum__msg__ArmStates__destroy(states);
    filum__msg__PlanTrajectory__destroy(t);
    fil_plan_destroy(plan);
    fil_world_destroy(world);
    assert_int_equal(process_stop(pid), 0);
}

static bool is_turned(const void* message, void* context)
{
    const sensor_msgs__msg__JointState* joints = message;
    const double* goal = context;
    for (size_t k = 0; k < joints->name.size; k++) {
        if (strcmp(joints->name.data[k].data, "spindle") == 0) {
            return fabs(joints->position.data[k] - *goal) < 0.02;
        }
    }
    return false;
}

/* Robots: the same plan as `filum plan`'s, with joints instead of chambers; followed, the valve turns. */
static void robots_turn_a_valve(void** state)
{
    (void)state;
    const pid_t pid = start_scene(valve_text, 20, "true");
    char message[256];
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilPlan* plan = NULL;
    filum__msg__PlanTrajectory* t = plan_twice(&world, &info, &plan);
    assert_string_equal(t->state.data, "good");
    assert_true(t->missed == fil_plan_info(plan).turn_miss && t->away == fil_plan_info(plan).miss);
    assert_int_equal(t->chambers.size, 0);
    assert_int_equal(t->joints.size, 6);
    assert_string_equal(t->joints.data[0].data, "near_shoulder");
    assert_int_equal(t->times.size, (size_t)fil_plan_knot_count(plan));
    for (size_t k = 0; k < t->times.size; k++) {
        for (size_t c = 0; c < 6; c++) {
            FilPlanCommand command;
            assert_true(t->times.data[k] == fil_plan_knot(plan, (int)k, (int)c, &command));
            assert_true(t->positions.data[6 * k + c] == command.position && t->velocities.data[6 * k + c] == command.velocity &&
                        t->efforts.data[6 * k + c] == command.effort);
        }
    }
    assert_true(trigger("/filum/follow_plan", message));
    assert_true(client_pause(&client, "/filum", false));
    sensor_msgs__msg__JointState* joints = sensor_msgs__msg__JointState__create();
    double goal = info.plan.manipulation.goal.angle;
    assert_true(client_hear(&client, ROSIDL_GET_MSG_TYPE_SUPPORT(sensor_msgs, msg, JointState), "/joint_states", &rmw_qos_profile_default, joints,
                            is_turned, &goal));
    sensor_msgs__msg__JointState__destroy(joints);
    filum__msg__PlanTrajectory__destroy(t);
    fil_plan_destroy(plan);
    fil_world_destroy(world);
    assert_int_equal(process_stop(pid), 0);
}

/* While it plans the clock runs; a second request is refused; cancelled, the best point is published. */
static void the_clock_runs_while_it_plans(void** state)
{
    (void)state;
    const pid_t pid = start(400, "false");
    char message[256];
    assert_false(trigger("/filum/cancel_plan", message));
    assert_true(trigger("/filum/plan", message));
    filum__msg__PlanProgress* p = hear_progress(has_begun);
    assert_int_equal(p->stages, 400);
    assert_true(isfinite(p->cost) && p->violation > 0.0);
    // a tenth of a second of the simulation passes during the plan
    Later later = {seconds_of(p->header.stamp) + 0.1};
    filum__msg__StepInfo* info = filum__msg__StepInfo__create();
    assert_true(client_hear(&client, TYPE(StepInfo), "/step_info", &rmw_qos_profile_default, info, is_later, &later));
    filum__msg__StepInfo__destroy(info);
    filum__msg__PlanProgress__destroy(p);
    p = hear_progress(has_begun);
    assert_true(seconds_of(p->header.stamp) > later.than - 0.1);
    filum__msg__PlanProgress__destroy(p);
    assert_false(trigger("/filum/plan", message));
    assert_non_null(strstr(message, "cancel_plan"));
    assert_true(trigger("/filum/cancel_plan", message));
    filum__msg__PlanTrajectory* t = hear_trajectory();
    assert_string_equal(t->state.data, "stopped");
    assert_true(t->times.size > 400 && isfinite(t->pressures.data[0]));
    filum__msg__PlanTrajectory__destroy(t);
    assert_int_equal(process_stop(pid), 0);
}

/* Ended while it plans the node does not wait for the plan. */
static void ends_in_the_middle_of_a_plan(void** state)
{
    (void)state;
    const pid_t pid = start(400, "true");
    char message[256];
    assert_true(trigger("/filum/plan", message));
    filum__msg__PlanProgress__destroy(hear_progress(has_begun));
    assert_int_equal(process_stop(pid), 0);
}

/* What cannot be planned is refused with a word. */
static void says_why_there_is_no_plan(void** state)
{
    (void)state;
    FILE* file = fopen(scene_path, "w");
    fputs("rigid_bodies: [{name: ball, mass: 1, shapes: [{sphere: {radius: 0.1}}]}]\n", file);
    fclose(file);
    const char* const arguments[] = {"--ros-args", "-p", scene_argument, NULL};
    const pid_t pid = process_start(FILUM_NODE, arguments);
    char message[256];
    assert_false(trigger("/filum/plan", message));
    assert_non_null(strstr(message, "no section `plan`"));
    assert_int_equal(process_stop(pid), 0);
}

static int join(void** state)
{
    (void)state;
    const int file = mkstemps(scene_path, 5);
    if (file < 0) {
        return -1;
    }
    snprintf(scene_argument, sizeof scene_argument, "scene:=%s", scene_path);
    client_join(&client, "planner", 0, NULL);
    return 0;
}

static int leave(void** state)
{
    (void)state;
    client_leave(&client);
    return remove(scene_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_the_command_line_finds), cmocka_unit_test(robots_turn_a_valve),
        cmocka_unit_test(the_clock_runs_while_it_plans),     cmocka_unit_test(ends_in_the_middle_of_a_plan),
        cmocka_unit_test(says_why_there_is_no_plan),
    };
    return cmocka_run_group_tests(tests, join, leave);
}
