/* ctest: heavy */
/* The planner from a scene to pressures: a coarse plan of P1's task obeys the simulator's own implicit step; what cannot be
 * planned is refused with a word; a cancelled plan keeps its best point. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "body/soft_arm.h"
#include "filum/filum.h"
#include "p1_problem.h"
#include "scenes.h"

enum { STAGES = 16 };

static FilWorld* load(const FilSetting* settings, int count, FilSceneInfo* info)
{
    const FilSceneOptions options = {.settings = settings, .setting_count = count};
    return load_file(FILUM_SOURCE_DIR "/config/scenes/ball_rotation.yaml", &options, info);
}

static FilWorld* load_coarse(FilSceneInfo* info)
{
    static const FilSetting settings[] = {{"plan.nodes", "16"}, {"plan.solver.meshes", "1"}, {"task.angle", "0.6"}};
    return load(settings, 3, info);
}

/* m(v) = h (tau - J' F) of the simulator's implicit step, from the plan's numbers alone. */
static void check_step(FilSoftArm* arm, const FilPlanNode* before, const FilPlanNode* node, double h, double* worst)
{
    double q0[12] = {0.0}, v0[12] = {0.0}, q1[12] = {0.0}, v1[12] = {0.0}, history[64] = {0.0}, residual[12], potential;
    for (int i = 0; i < 9; i++) {
        const int at = 4 * (i / 3) + i % 3;
        q0[at] = before->elongation[i], v0[at] = before->rate[i];
        q1[at] = node->elongation[i], v1[at] = node->rate[i];
        assert_true(fabs(q1[at] - q0[at] - h * v1[at]) < 1e-8);
    }
    const FilStepSetup setup = {.dt = h, .theta = 1.0, .theta_vq = 1.0, .gravity = {0.0, 0.0, -9.81}};
    fil_soft_arm_ops.begin(arm, &setup, q0, v0, history);
    assert_true(fil_soft_arm_ops.evaluate(arm, v1, 0.0, residual, &potential));
    // friction's two components follow from the nine equations; what they leave must vanish
    FilArmLink links[FIL_ARM_SECTIONS + 1];
    FilArmFrame frame;
    double axis[3][3], point[3] = {0.0, 0.1, 0.7}, lever[3], jacobian[9][3], right[9];
    fil_soft_arm_links(arm, q1, NULL, links);
    fil_soft_arm_frame(arm, links, q1, NULL, (FilArmPlace){2, 1.0}, &frame);
    for (int a = 0; a < 3; a++) {
        fil_pose_axis(axis[a], &frame.pose, a);
    }
    fil_v3_axpy(point, -0.05, axis[2]);
    fil_v3_sub(lever, point, frame.pose.p);
    for (int i = 0; i < 9; i++) {
        const int b = i / 3, c = i % 3;
        const double move[3] = {frame.move[b][c], frame.move[b][3 + c], frame.move[b][6 + c]};
        const double turn[3] = {frame.turn[b][c], frame.turn[b][3 + c], frame.turn[b][6 + c]};
        double sweep[3];
        fil_v3_cross(sweep, turn, lever);
        fil_v3_add(sweep, sweep, move);
        for (int a = 0; a < 3; a++) {
            jacobian[i][a] = h * fil_v3_dot(axis[a], sweep);
        }
        // the normal force is known
        right[i] = h * node->effort[i] - residual[4 * b + c] - jacobian[i][2] * node->normal_force;
    }
    // by least squares
    double m[3] = {0.0}, r[2] = {0.0};
    for (int i = 0; i < 9; i++) {
        m[0] += jacobian[i][0] * jacobian[i][0], m[1] += jacobian[i][0] * jacobian[i][1];
        m[2] += jacobian[i][1] * jacobian[i][1];
        r[0] += jacobian[i][0] * right[i], r[1] += jacobian[i][1] * right[i];
    }
    const double det = m[0] * m[2] - m[1] * m[1], f1 = (m[2] * r[0] - m[1] * r[1]) / det, f2 = (m[0] * r[1] - m[1] * r[0]) / det;
    for (int i = 0; i < 9; i++) {
        *worst = fmax(*worst, fabs(right[i] - jacobian[i][0] * f1 - jacobian[i][1] * f2));
    }
    assert_true(hypot(f1, f2) <= 0.6 * node->normal_force + 1e-6);
}

static void plans_obey_the_simulators_step(void** state)
{
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load_coarse(&info);
    FilPlan* plan = NULL;
    FilError error = {""};
    assert_true(info.has_plan);
    assert_int_equal(fil_plan_solve(world, &info.plan, &plan, &error), FIL_OK);
    const FilPlanInfo found = fil_plan_info(plan);
    print_message("%s: cost %.5g, orientation %.2g, rows %.1e, pairs %.1e and %.1e, %d iterations\n", fil_plan_verdict_name(found.verdict),
                  found.cost, found.orientation, found.violation, found.gap_pair, found.slip_pair, found.iterations);
    assert_int_not_equal(found.verdict, FIL_PLAN_UNFINISHED);
    assert_true(found.violation < 1e-8 && found.gap_pair < 1e-6 && found.slip_pair < 1e-6);
    assert_true(found.penetration < 1e-8 && found.contact == 1.0);
    FilSoftArm* arm = p1_arm(4, true);
    FilPlanNode before = {.time = 0.0};
    double worst = 0.0;
    fil_arm_get_state(world, info.plan.ball.arm, before.elongation, before.rate);
    for (int k = 0; k < STAGES; k++) {
        const FilPlanNode node = fil_plan_node(plan, k);
        check_step(arm, &before, &node, 4.0 / STAGES, &worst);
        before = node;
    }
    print_message("worst residual of the simulator's step: %.1e\n", worst);
    assert_true(worst < 1e-8);
    // pressures between nodes are of the size of the stages', and knots are the same as commands
    FilPlanCommand commands[9], command;
    assert_int_equal(fil_plan_channel_count(plan), 9);
    fil_plan_command(plan, 1.0, commands);
    const double effort = commands[0].effort;
    assert_true(fabs(effort - fil_plan_node(plan, 4).effort[0]) < 0.5 * fabs(effort));
    const int knot = (fil_plan_knot_count(plan) - 1) / 4;
    assert_true(fabs(fil_plan_knot(plan, knot, 0, &command) - 1.0) < 1e-12);
    assert_true(fabs(command.pressure - commands[0].pressure) < 1e-9 * fabs(command.pressure));
    assert_true(fabs(command.position - commands[0].position) < 1e-12);
    assert_int_equal(fil_plan_add_drives(plan, world), FIL_OK);
    assert_true(fil_world_find_drive(world, "plan_arm_chamber8").index != 0);
    fil_soft_arm_ops.destroy(arm);
    fil_plan_destroy(plan);
    fil_world_destroy(world);
}

static bool stop_soon(void* user, const FilPlanReport* report)
{
    (void)user;
    return report->iteration < 5;
}

static void cancelled_plans_keep_their_best_point(void** state)
{
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load_coarse(&info);
    FilPlan* plan = NULL;
    FilError error = {""};
    info.plan.report = stop_soon;
    assert_int_equal(fil_plan_solve(world, &info.plan, &plan, &error), FIL_OK);
    assert_int_equal(fil_plan_info(plan).verdict, FIL_PLAN_STOPPED);
    assert_true(isfinite(fil_plan_node(plan, STAGES - 1).elongation[0]));
    assert_non_null(strstr(fil_plan_info(plan).reason, "cancelled"));
    FilPlanCommand command;  // the point can be replayed
    assert_true(fil_plan_knot_count(plan) > STAGES && fil_plan_knot(plan, 3, 0, &command) > 0.0 && isfinite(command.pressure));
    fil_plan_destroy(plan);
    fil_world_destroy(world);
}

static void threads_do_not_change_the_plan(void** state)
{
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load_coarse(&info);
    FilPlan* plans[2] = {NULL};
    FilError error = {""};
    info.plan.seeds = 3;
    for (int k = 0; k < 2; k++) {
        info.plan.threads = k == 0 ? 1 : 3;
        assert_int_equal(fil_plan_solve(world, &info.plan, &plans[k], &error), FIL_OK);
    }
    const FilPlanInfo a = fil_plan_info(plans[0]), b = fil_plan_info(plans[1]);
    assert_true(a.cost == b.cost && a.seed == b.seed && a.seeds_tried == 3 && b.seeds_tried == 3);
    assert_true(a.seeds_good == b.seeds_good && a.iterations == b.iterations && a.verdict == b.verdict);
    assert_true(fil_plan_node(plans[0], 7).effort[4] == fil_plan_node(plans[1], 7).effort[4]);
    info.plan.threads = 0;
    FilPlan* none = NULL;
    assert_int_equal(fil_plan_solve(world, &info.plan, &none, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "threads"));
    fil_plan_destroy(plans[0]);
    fil_plan_destroy(plans[1]);
    fil_world_destroy(world);
}

static void what_cannot_be_planned_is_refused(void** state)
{
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load_coarse(&info);
    FilPlan* plan = NULL;
    FilError error = {""};
    FilPlanDef def = info.plan;
    def.ball.body = def.ball.arm;
    assert_int_equal(fil_plan_solve(world, &def, &plan, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "ball"));
    def = info.plan;
    def.meshes = 4;
    def.nodes = 100;
    assert_int_equal(fil_plan_solve(world, &def, &plan, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "halved"));
    def = info.plan;
    def.ball.axis = (FilVec3){0.0, 0.0, 0.0};
    assert_int_equal(fil_plan_solve(world, &def, &plan, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "axis"));
    // one bound of the spin for all axes, or one for each
    static const FilSetting spins[] = {{"plan.bounds.spin", "3"}, {"plan.bounds.spin", "[0.5, 1, 2]"}};
    for (int k = 0; k < 2; k++) {
        FilSceneInfo bounded;
        fil_world_destroy(load(&spins[k], 1, &bounded));
        const double* spin = bounded.plan.ball.spin;
        assert_true(k == 0 ? spin[0] == 3.0 && spin[1] == 3.0 && spin[2] == 3.0 : spin[0] == 0.5 && spin[1] == 1.0 && spin[2] == 2.0);
    }
    def = info.plan;
    def.ball.spin[1] = -1.0;
    assert_int_equal(fil_plan_solve(world, &def, &plan, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "bounds"));
    // a horizon too short for its task: a motion, and a verdict that says so
    def = info.plan;
    def.horizon = 0.05;
    def.nodes = 4;
    def.max_iterations = 60;
    assert_int_equal(fil_plan_solve(world, &def, &plan, &error), FIL_OK);
    assert_int_not_equal(fil_plan_info(plan).verdict, FIL_PLAN_GOOD);
    assert_true(strlen(fil_plan_info(plan).reason) > 20);
    print_message("too short: %s\n", fil_plan_info(plan).reason);
    fil_plan_destroy(plan);
    // a ball that the arm cannot come to
    def = info.plan;
    def.ball.elongation[0] = -0.05, def.ball.elongation[1] = -0.04;
    assert_int_equal(fil_plan_solve(world, &def, &plan, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "cannot reach"));
    // a force that its chambers cannot give: the equations are not met, it is said where, and the best point stays
    def = info.plan;
    def.ball.normal_force[0] = 15.0;
    def.ball.effort = 2.0;
    def.max_iterations = 20;
    assert_int_equal(fil_plan_solve(world, &def, &plan, &error), FIL_OK);
    const FilPlanInfo found = fil_plan_info(plan);
    print_message("infeasible: %s\n", found.reason);
    assert_int_equal(found.verdict, FIL_PLAN_UNFINISHED);
    assert_true(found.violation > 1e-6 && strstr(found.reason, "off by") != NULL);
    assert_true(isfinite(fil_plan_node(plan, STAGES - 1).elongation[0]) && isfinite(found.cost));
    fil_plan_destroy(plan);
    fil_world_destroy(world);
}

/* A task in a thread of its own finds the same plan while its world goes on. */
static void tasks_leave_the_world_alone(void** state)
{
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load_coarse(&info);
    FilPlan *plans[2] = {NULL}, *none = NULL;
    FilPlanTask* task = NULL;
    FilPlanReport report;
    FilError error = {""};
    assert_int_equal(fil_plan_solve(world, &info.plan, &plans[0], &error), FIL_OK);
    assert_int_equal(fil_plan_task_begin(world, &info.plan, &task, &error), FIL_OK);
    for (int k = 0; k < 20; k++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    (void)fil_plan_task_poll(task, &report);
    assert_int_equal(fil_plan_task_end(task, &plans[1], &error), FIL_OK);
    assert_true(fil_plan_info(plans[0]).cost == fil_plan_info(plans[1]).cost);
    assert_true(fil_plan_node(plans[0], 7).effort[4] == fil_plan_node(plans[1], 7).effort[4]);
    // cancelled at once it ends, with a point or without
    assert_int_equal(fil_plan_task_begin(world, &info.plan, &task, &error), FIL_OK);
    fil_plan_task_cancel(task);
    const FilStatus status = fil_plan_task_end(task, &none, &error);
    assert_true(status == FIL_OK ? fil_plan_info(none).verdict == FIL_PLAN_STOPPED : none == NULL);
    info.plan.seeds = 0;
    assert_int_equal(fil_plan_task_begin(world, &info.plan, &task, &error), FIL_BAD_INPUT);
    assert_null(task);
    fil_plan_destroy(none);
    fil_plan_destroy(plans[0]);
    fil_plan_destroy(plans[1]);
    fil_world_destroy(world);
}

/* Begun at a plan, it stays there in fewer iterations, on another mesh too; a plan of another problem is refused. */
static void plans_begin_where_another_ended(void** state)
{
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load_coarse(&info);
    FilPlan *first = NULL, *again = NULL;
    FilError error = {""};
    assert_int_equal(fil_plan_solve(world, &info.plan, &first, &error), FIL_OK);
    const FilPlanInfo a = fil_plan_info(first);
    info.plan.from = first;
    info.plan.relaxation[0] = 1e-4;
    assert_int_equal(fil_plan_solve(world, &info.plan, &again, &error), FIL_OK);
    const FilPlanInfo b = fil_plan_info(again);
    print_message("from a guess %.6f in %d iterations, from there %.6f in %d\n", a.cost, a.iterations, b.cost, b.iterations);
    assert_true(b.verdict == a.verdict && fabs(b.cost - a.cost) < 1e-3 * a.cost && b.iterations < a.iterations);
    fil_plan_destroy(again);
    info.plan.nodes = 24;
    assert_int_equal(fil_plan_solve(world, &info.plan, &again, &error), FIL_OK);
    assert_int_equal(fil_plan_info(again).stages, 24);
    fil_plan_destroy(again);
    info.plan.ball.directions = 8;
    assert_int_equal(fil_plan_solve(world, &info.plan, &again, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "other objects or contacts"));
    info.plan.seeds = 2;
    assert_int_equal(fil_plan_solve(world, &info.plan, &again, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "one start"));
    fil_plan_destroy(first);
    fil_world_destroy(world);
}

/* In a build with IPOPT it plans, without it is refused with a word; with a receding horizon always. */
static void ipopt_plans_or_says_that_it_is_not_there(void** state)
{
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load_coarse(&info);
    FilPlan* plan = NULL;
    FilError error = {""};
    info.plan.solver = FIL_PLAN_IPOPT;
    info.plan.max_iterations = 5;
    const FilStatus status = fil_plan_solve(world, &info.plan, &plan, &error);
    assert_true(status == FIL_OK ? isfinite(fil_plan_info(plan).cost) : strstr(error.text, "no IPOPT") != NULL);
    fil_plan_destroy(plan);
    info.plan.receding = 1.0;
    assert_int_equal(fil_plan_solve(world, &info.plan, &plan, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, status == FIL_OK ? "receding" : "IPOPT"));
    fil_world_destroy(world);
}

static void tasks_turn_about_axes_by_name_or_vector(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        FilVec3 axis;
    } cases[] = {{"x", {1.0, 0.0, 0.0}}, {"y", {0.0, 1.0, 0.0}}, {"z", {0.0, 0.0, 1.0}}, {"[0, 0.6, 0.8]", {0.0, 0.6, 0.8}}};
    for (int k = 0; k < 4; k++) {
        const FilSetting setting = {"task.axis", cases[k].text};
        FilSceneInfo info;
        FilWorld* world = load(&setting, 1, &info);
        const FilVec3 axis = info.plan.ball.axis;
        assert_true(axis.x == cases[k].axis.x && axis.y == cases[k].axis.y && axis.z == cases[k].axis.z);
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_obey_the_simulators_step),          cmocka_unit_test(cancelled_plans_keep_their_best_point),
        cmocka_unit_test(threads_do_not_change_the_plan),          cmocka_unit_test(what_cannot_be_planned_is_refused),
        cmocka_unit_test(tasks_turn_about_axes_by_name_or_vector), cmocka_unit_test(tasks_leave_the_world_alone),
        cmocka_unit_test(plans_begin_where_another_ended),         cmocka_unit_test(ipopt_plans_or_says_that_it_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
