/* ctest: heavy */
/* ctest: wrap-malloc */
/* How plans end that cannot end well, of both kinds of task: a clear word, and the best point so far kept. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "heap_calls.h"
#include "scenes.h"

static FilWorld* load(const char* scene, FilSceneInfo* info)
{
    char path[512];
    snprintf(path, sizeof path, FILUM_SOURCE_DIR "/config/scenes/%s.yaml", scene);
    return load_file(path, NULL, info);
}

static const char* const scenes[2] = {"ball_rotation", "box_push"};

/* Two small meshes, three iterations each: not solved, but a plan. */
static void shrink(FilPlanDef* def)
{
    def->nodes = 8;
    def->meshes = 2;
    def->max_iterations = 3;
}

/* A best point can be replayed: commands are numbers, and a world takes them. */
static void check_kept(const FilPlan* plan, const char* scene)
{
    FilSceneInfo info;
    FilWorld* world = load(scene, &info);
    FilPlanCommand command;
    assert_true(isfinite(fil_plan_info(plan).cost) && strlen(fil_plan_info(plan).reason) > 10);
    for (int c = 0; c < fil_plan_channel_count(plan); c++) {
        assert_true(fil_plan_knot(plan, 1, c, &command) > 0.0);
        assert_true(isfinite(command.position) && isfinite(command.effort));
    }
    assert_int_equal(fil_plan_add_drives(plan, world), FIL_OK);
    fil_world_destroy(world);
}

/* Every allocation of a plan fails once, and all that follow it: either there is no plan, and a word, or the coarse mesh's. */
static void memory_may_run_out_at_any_time(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        FilSceneInfo info;
        FilWorld* world = load(scenes[k], &info);
        FilError error = {""};
        int kept = 0, count = 0;
        shrink(&info.plan);
        for (bool enough = false; !enough; count++) {
            FilPlan* plan = NULL;
            heap_left = count + 1;
            const FilStatus status = fil_plan_solve(world, &info.plan, &plan, &error);
            enough = heap_left > 0;
            heap_left = -1;
            if (status == FIL_OK && !enough) {
                assert_int_equal(fil_plan_info(plan).verdict, FIL_PLAN_STOPPED);
                assert_non_null(strstr(fil_plan_info(plan).reason, "out of memory"));
                check_kept(plan, scenes[k]);
                kept++;
            } else if (status != FIL_OK) {
                assert_int_equal(status, FIL_OUT_OF_MEMORY);
                assert_non_null(strstr(error.text, "out of memory"));
                assert_null(plan);
            }
            fil_plan_destroy(plan);
            assert_true(count < 10000);
        }
        print_message("%s: %d allocations, after %d of them a plan was kept\n", scenes[k], count, kept);
        assert_true(kept > 0 && count > kept);
        fil_world_destroy(world);
    }
}

static void expect(const char* scene, const FilWorld* world, const FilPlanDef* def, FilPlanVerdict verdict, const char* word)
{
    FilPlan* plan = NULL;
    FilError error = {""};
    assert_int_equal(fil_plan_solve(world, def, &plan, &error), FIL_OK);
    print_message("%s: %s: %s\n", scene, fil_plan_verdict_name(fil_plan_info(plan).verdict), fil_plan_info(plan).reason);
    assert_int_equal(fil_plan_info(plan).verdict, verdict);
    assert_non_null(strstr(fil_plan_info(plan).reason, word));
    check_kept(plan, scene);
    fil_plan_destroy(plan);
}

static bool cancel(void* user, const FilPlanReport* report)
{
    (void)user;
    return report->iteration < 2;
}

static void cancelled_too_short_and_infeasible_plans_keep_their_best_point(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        FilSceneInfo info;
        FilWorld* world = load(scenes[k], &info);
        FilPlanDef def = info.plan;
        def.nodes = 8;
        def.meshes = 1;
        def.max_iterations = 40;
        def.report = cancel;
        expect(scenes[k], world, &def, FIL_PLAN_STOPPED, "cancelled");
        def.report = NULL;
        // a horizon too short
        def.horizon = 0.02;
        expect(scenes[k], world, &def, FIL_PLAN_UNFINISHED, "the bounds or the horizon may leave no motion");
        // a task that the drives are too weak for
        def.horizon = info.plan.horizon;
        def.ball.normal_force[0] = 15.0;
        def.ball.effort = def.manipulation.effort = 0.1;
        expect(scenes[k], world, &def, FIL_PLAN_UNFINISHED, "off by");
        fil_world_destroy(world);
    }
}

static void what_is_out_of_reach_is_refused(void** state)
{
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load("ball_rotation", &info);
    FilPlan* plan = NULL;
    FilError error = {""};
    info.plan.ball.elongation[0] = -0.05, info.plan.ball.elongation[1] = -0.04;
    assert_int_equal(fil_plan_solve(world, &info.plan, &plan, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "cannot reach the ball"));
    fil_world_destroy(world);
    // what only turns of a ball have
    world = load("box_push", &info);
    info.plan.kinematic = true;
    assert_int_equal(fil_plan_solve(world, &info.plan, &plan, &error), FIL_BAD_INPUT);
    assert_string_equal(error.text, "plan: a kinematic stage is for turns of a ball");
    info.plan.kinematic = false;
    info.plan.receding = 1.0;
    FilReceding* receding = NULL;
    assert_int_equal(fil_receding_create(world, &info.plan, &receding, &error), FIL_BAD_INPUT);
    assert_string_equal(error.text, "plan: a receding horizon is for turns of a ball");
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out_at_any_time),
        cmocka_unit_test(cancelled_too_short_and_infeasible_plans_keep_their_best_point),
        cmocka_unit_test(what_is_out_of_reach_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
