/* Plans as smooth motions, feedback about them, and rehearsals: a coarse roll of the scene ball_roll in the simulator. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "p1_problem.h"
#include "plan/tracking.h"
#include "scenes.h"

enum { STAGES = 25 };

static FilWorld* load(const FilSetting* settings, int count, FilSceneInfo* info)
{
    FilSetting all[8] = {{"plan.nodes", "25"}, {"plan.solver.meshes", "1"}, {"world.dt", "1e-3"}};
    for (int k = 0; k < count; k++) {
        all[3 + k] = settings[k];
    }
    const FilSceneOptions options = {.settings = all, .setting_count = 3 + count};
    return load_file(FILUM_SOURCE_DIR "/config/scenes/ball_roll.yaml", &options, info);
}

static FilPlan* plan_of(const FilWorld* world, const FilSceneInfo* info)
{
    FilPlan* plan = NULL;
    FilError error = {""};
    assert_int_equal(fil_plan_solve(world, &info->plan, &plan, &error), FIL_OK);
    assert_int_equal(fil_plan_info(plan).verdict, FIL_PLAN_GOOD);
    return plan;
}

static double degrees_off(const FilPlan* plan, const FilWorld* world)
{
    double miss, turn_miss;
    fil_plan_miss(plan, world, &miss, &turn_miss);
    return turn_miss * 57.29577951308232;
}

static double track(const FilPlan* plan, const FilSetting* settings, int count)
{
    FilSceneInfo info;
    FilWorld* world = load(settings, count, &info);
    FilPlanTracker* tracker = fil_plan_tracker_create(plan, 2e-3);
    for (int k = 0; k < 4000; k++) {
        assert_int_equal(fil_plan_follow(tracker, world), FIL_OK);
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    const double angle = degrees_off(plan, world);
    fil_plan_tracker_destroy(tracker);
    fil_world_destroy(world);
    return angle;
}

/* Heavier, softer and more slippery at once, which the plan knows nothing of. */
static void feedback_holds_the_ball_against_unknown_loads(void** state)
{
    (void)state;
    static const FilSetting other[4] = {{"scale", "1.1"}, {"mass", "0.22"}, {"stiffness", "238.5"}, {"mu", "0.54"}};
    FilSceneInfo info;
    FilWorld* world = load(NULL, 0, &info);
    FilPlan* plan = plan_of(world, &info);
    const double as_planned = track(plan, other, 0), disturbed = track(plan, other, 4);
    print_message("degrees from the target: %.3f as planned, %.3f disturbed\n", as_planned, disturbed);
    // a quarter of what is asked for of the whole plan: 100 stages and steps of 0.1 ms give 0.005
    assert_true(as_planned < 0.25 && disturbed < 0.25);
    fil_plan_destroy(plan);
    fil_world_destroy(world);
}

static void rehearsed_pressures_repeat_the_motion(void** state)
{
    (void)state;
    FilSceneInfo info, other;
    FilWorld *world = load(NULL, 0, &info), *again = load(NULL, 0, &other);
    FilPlan* plan = plan_of(world, &info);
    assert_int_equal(fil_plan_rehearse(plan, world), FIL_OK);
    const double rehearsed = degrees_off(plan, world);
    assert_int_equal(fil_plan_add_drives(plan, again), FIL_OK);
    for (int k = 0; k < 4000; k++) {
        assert_int_equal(fil_world_step(again, NULL), FIL_OK);
    }
    const double repeated = degrees_off(plan, again);
    print_message("degrees from the target: %.4f rehearsed, %.4f repeated\n", rehearsed, repeated);
    // rounding, 1e-16, grows by e^2.6 a second at most: 3e4 in all
    assert_true(rehearsed < 0.25 && fabs(repeated - rehearsed) < 1e-4);
    fil_plan_destroy(plan);
    fil_world_destroy(world);
    fil_world_destroy(again);
}

/* At rest the smooth motion must be the rest itself: efforts that hold the arm, and no friction. */
static void rest_stays_rest(void** state)
{
    (void)state;
    FilSoftArm* arm = p1_arm(4, true);
    const FilBallTurn turn = p1_turn(arm, 4);
    const FilBallLayout o = fil_ball_layout(&turn);
    const FilBallBounds bounds = {.elongation = {-0.05, 0.2}, .effort = 60.0, .normal_force = {0.0, 20.0}, .slip = 2.0};
    double start[64] = {0.0}, x[4 * FIL_STAGE_VARIABLES] = {0.0};
    const double place[2] = {0.01, -0.02};
    FilPlanMesh problem;
    start[o.q + 3] = 1.0;
    assert_true(fil_ball_touch(&turn, place, start + o.l));
    assert_true(fil_ball_problem_create(&turn, &bounds, start, &problem));
    fil_ball_guess(&problem, 0.0, 0.0, 0, x);
    for (int k = 0; k < 4; k++) {  // held without contact
        double* own = x + k * o.variables;
        own[o.f] = own[o.g] = 0.0;
        for (int i = 0; i < turn.directions; i++) {
            own[o.b + i] = 0.0;
        }
    }
    fil_ball_hold(&problem, x);
    for (int k = 0; k < 9; k++) {
        FilReference at;
        fil_reference_at(&problem, x, k % 2 == 0 ? 0.5 : 0.0, 0.5 * k, &at);
        for (int i = 0; i < 9; i++) {
            assert_true(fabs(at.l[i] - start[o.l + i]) < 1e-15 && at.v[i] == 0.0);
            assert_true(fabs(at.tau[i] - x[o.tau + i]) < 1e-9);
        }
        assert_true(fabs(at.force[0]) + fabs(at.force[1]) < 1e-15);
    }
    fil_plan_mesh_free(&problem);
    fil_soft_arm_ops.destroy(arm);
}

/* 1/s: how fast a deviation of the arm alone grows, held by the efforts that hold it exactly, or falls. */
static double growth(const char* hang)
{
    const FilSetting setting[2] = {{"hang", hang}, {"world.dt", "1e-3"}};
    const FilSceneOptions options = {.settings = setting, .setting_count = 2, .contact_model = "none"};
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilError error = {""};
    assert_int_equal(fil_scene_load(FILUM_SOURCE_DIR "/config/scenes/ball_roll.yaml", &options, &world, &info, &error), FIL_OK);
    FilSoftArm* arm = p1_arm(4, true);
    FilBallTurn turn = p1_turn(arm, 1);
    turn.arm.gravity[2] = fil_world_gravity(world).z;
    FilReference rest = {.slip = 0.0};
    FilStepRows rows;
    double l[9], v[9], off[2] = {0.0};
    const double area = fil_arm_section_default().chamber_area;
    fil_arm_get_state(world, info.plan.ball.arm, rest.l, rest.v);
    fil_step_rows(&turn, 1e-3, rest.v, rest.w, &rest, FIL_PLAN_FIRST, &rows);
    for (int c = 0; c < 9; c++) {
        assert_int_equal(fil_arm_set_pressure(world, info.plan.ball.arm, c, rows.row[9 + c] / (1e-3 * area)), FIL_OK);
        l[c] = rest.l[c] + (c == 1 ? 1e-7 : 0.0);
    }
    assert_int_equal(fil_arm_set_state(world, info.plan.ball.arm, l, rest.v), FIL_OK);
    for (int half = 0; half < 2; half++) {
        for (int k = 0; k < 1000; k++) {
            assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        }
        fil_arm_get_state(world, info.plan.ball.arm, l, v);
        for (int c = 0; c < 9; c++) {
            off[half] = fmax(off[half], fabs(l[c] - rest.l[c]));
        }
    }
    fil_soft_arm_ops.destroy(arm);
    fil_world_destroy(world);
    return log(off[1] / off[0]);  // in the second between
}

/* Why a standing arm cannot be replayed without feedback: docs/planning.md, section 4. */
static void standing_arms_buckle_and_hanging_ones_do_not(void** state)
{
    (void)state;
    const double standing = growth("0"), hanging = growth("1");
    print_message("a deviation grows at %.2f /s standing, at %.2f /s hanging\n", standing, hanging);
    // eigenvalues of the linearised step at the scene's start: 3.93 and 3.90 /s; hanging, all fall
    assert_true(fabs(standing - 3.92) < 0.05 && hanging < -1.0);
}

/* A second of the scene ball_rotation_mpc up to and into its first push; the orientation at its end. */
static FilQuat recede(double* degrees, FilRecedingInfo* made)
{
    static const FilSetting settings[1] = {{"world.dt", "1e-3"}};
    const FilSceneOptions options = {.settings = settings, .setting_count = 1};
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilReceding* receding = NULL;
    FilError error = {""};
    assert_int_equal(fil_scene_load(FILUM_SOURCE_DIR "/config/scenes/ball_rotation_mpc.yaml", &options, &world, &info, &error), FIL_OK);
    assert_int_equal(fil_receding_create(world, &info.plan, &receding, &error), FIL_OK);
    for (int k = 0; k < 1000; k++) {
        assert_int_equal(fil_receding_follow(receding, world), FIL_OK);
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    FilVec3 position;
    FilQuat q;
    fil_rigid_get_pose(world, info.plan.ball.body, &position, &q);
    *degrees = fil_receding_miss(receding, world) * 57.29577951308232;
    *made = fil_receding_info(receding);
    fil_receding_destroy(receding);
    fil_world_destroy(world);
    return q;
}

/* The thread's speed must not matter: two runs end in the same bits. */
static void replanning_is_the_same_each_time(void** state)
{
    (void)state;
    double degrees, again;
    FilRecedingInfo made, made_again;
    const FilQuat a = recede(&degrees, &made), b = recede(&again, &made_again);
    print_message("degrees from the target: %.3f after 1 s and %d plans, %d unfinished\n", degrees, made.replans, made.unfinished);
    assert_true(a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w);
    assert_int_equal(made.replans, 25);
    assert_int_equal(made.unfinished, 0);
    assert_true(degrees < 2.0);  // of 60, exponentially: 1.7 at 0.8 s
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_stays_rest),
        cmocka_unit_test(standing_arms_buckle_and_hanging_ones_do_not),
        cmocka_unit_test(feedback_holds_the_ball_against_unknown_loads),
        cmocka_unit_test(rehearsed_pressures_repeat_the_motion),
        cmocka_unit_test(replanning_is_the_same_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
