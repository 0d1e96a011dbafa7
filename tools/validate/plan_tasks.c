/* Robots and bodies that plan their way through contact, tried in the simulator. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "validate/plan.h"

/* Loads a task and plans it, or not (`plan` NULL); false after a failure that the check reports. */
static bool load_task(FilCheck* check, const char* scene, FilWorld** world, FilSceneInfo* info, FilPlan** plan)
{
    FilError error = {""};
    char path[PATH_MAX];
    if (!fil_scene_find(scene, path, sizeof path, &error) || fil_scene_load(path, NULL, world, info, &error) != FIL_OK ||
        (plan != NULL && fil_plan_solve(*world, &info->plan, plan, &error) != FIL_OK)) {
        fil_check_fail(check, "%s: %s", scene, error.text);
        return false;
    }
    return true;
}

/* Follows the plan, by drives or with feedback, and judges where it ends. */
static void try_task(FilCheck* check, const char* scene, const FilPlan* plan, bool feedback, const double max[2])
{
    FilWorld* world = NULL;
    FilSceneInfo info;
    double miss = INFINITY, turn_miss = INFINITY;
    char text[96];
    if (!load_task(check, scene, &world, &info, NULL)) {
        return;
    }
    FilPlanTracker* tracker = fil_plan_tracker_create(plan, 1e-3);
    FilStatus status = tracker == NULL ? FIL_OUT_OF_MEMORY : feedback ? FIL_OK : fil_plan_add_drives(plan, world);
    while (status == FIL_OK && fil_world_time(world) < info.plan.horizon - 0.5 * fil_world_dt(world)) {
        status = feedback ? fil_plan_follow(tracker, world) : FIL_OK;
        status = status == FIL_OK ? fil_world_step(world, NULL) : status;
    }
    if (status == FIL_OK) {
        fil_plan_miss(plan, world, &miss, &turn_miss);
    } else {
        fil_check_fail(check, "%s: %s", scene, fil_world_error(world));
    }
    const char* way = feedback ? "with feedback" : "by drives";
    snprintf(text, sizeof text, "%s in the simulator, %s: m from the goal", scene, way);
    fil_check_below(check, text, miss, max[0]);
    snprintf(text, sizeof text, "%s in the simulator, %s: rad from the goal", scene, way);
    fil_check_below(check, text, turn_miss, max[1]);
    fil_plan_tracker_destroy(tracker);
    fil_world_destroy(world);
}

/* Limits of drives: twice what a plan may miss its goal by, and of the box that is pushed by one finger, which is not stable, 20 mm. Feedback must
 * bring the box within those, too: 6 mm and 0.02 rad. */
void fil_check_plan_tasks(FilCheck* check)
{
    static const struct {
        const char* scene;
        double drives[2], feedback[2]; /* m, rad; a joint's: both in its unit */
    } tasks[] = {{"box_push", {6e-3, 0.02}, {4e-3, 0.01}},
                 {"box_pivot", {6e-3, 0.02}, {6e-3, 0.02}},
                 {"valve_turn", {0.01, 0.01}, {0.01, 0.01}},
                 {"trunk_lift", {0.01, 0.5}, {0.01, 0.5}}};
    for (int k = 0; k < 4; k++) {
        const char* scene = tasks[k].scene;
        FilWorld* world = NULL;
        FilSceneInfo info;
        FilPlan* plan = NULL;
        char text[96];
        if (load_task(check, scene, &world, &info, &plan)) {
            const FilPlanInfo i = fil_plan_info(plan);
            snprintf(text, sizeof text, "%s: worst equation", scene);
            fil_check_below(check, text, i.violation, 1e-6);
            snprintf(text, sizeof text, "%s: gap times force, N m", scene);
            fil_check_below(check, text, i.gap_pair, 1e-6);
            snprintf(text, sizeof text, "%s: slip times friction, N m/s", scene);
            fil_check_below(check, text, i.slip_pair, 1e-6);
            snprintf(text, sizeof text, "%s: iterations", scene);
            fil_check_note(check, text, i.iterations);
            try_task(check, scene, plan, false, tasks[k].drives);
            try_task(check, scene, plan, true, tasks[k].feedback);
        }
        fil_plan_destroy(plan);
        fil_world_destroy(world);
    }
}
