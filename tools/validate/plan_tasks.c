/* Robots and bodies that plan their way through contact, tried in the simulator. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "validate/plan.h"

/* Plans a scene and follows the plan, by drives or with feedback; false after a failure that the check reports. */
static bool try_task(FilCheck* check, const char* scene, bool feedback, FilPlanInfo* planned, double* miss, double* turn_miss)
{
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilPlan* plan = NULL;
    FilError error = {""};
    char path[PATH_MAX];
    if (!fil_scene_find(scene, path, sizeof path, &error) || fil_scene_load(path, NULL, &world, &info, &error) != FIL_OK ||
        fil_plan_solve(world, &info.plan, &plan, &error) != FIL_OK) {
        fil_check_fail(check, "%s: %s", scene, error.text);
        fil_world_destroy(world);
        return false;
    }
    *planned = fil_plan_info(plan);
    FilPlanTracker* tracker = fil_plan_tracker_create(plan, 1e-3);
    FilStatus status = tracker == NULL ? FIL_OUT_OF_MEMORY : feedback ? FIL_OK : fil_plan_add_drives(plan, world);
    const double dt = fil_world_dt(world);
    while (status == FIL_OK && fil_world_time(world) < info.plan.horizon - 0.5 * dt) {
        status = feedback ? fil_plan_follow(tracker, world) : FIL_OK;
        status = status == FIL_OK ? fil_world_step(world, NULL) : status;
    }
    if (status == FIL_OK) {
        fil_plan_miss(plan, world, miss, turn_miss);
    } else {
        fil_check_fail(check, "%s: %s", scene, fil_world_error(world));
    }
    fil_plan_tracker_destroy(tracker);
    fil_plan_destroy(plan);
    fil_world_destroy(world);
    return status == FIL_OK;
}

/* Limits: twice what a plan may miss its goal by, and of the box that is pushed by one finger, which is not stable, 20 mm. */
void fil_check_plan_tasks(FilCheck* check)
{
    static const struct {
        const char* scene;
        bool feedback;
        double miss, turn_miss; /* m, rad; a joint's: both in its unit */
    } tasks[] = {{"box_push", false, 0.02, 0.04},
                 {"box_pivot", false, 6e-3, 0.02},
                 {"valve_turn", false, 0.01, 0.01},
                 {"trunk_lift", false, 0.01, 0.5}};
    for (int k = 0; k < 4; k++) {
        FilPlanInfo i;
        double miss, turn_miss;
        char text[96];
        if (!try_task(check, tasks[k].scene, tasks[k].feedback, &i, &miss, &turn_miss)) {
            continue;
        }
        snprintf(text, sizeof text, "%s: worst equation", tasks[k].scene);
        fil_check_below(check, text, i.violation, 1e-6);
        snprintf(text, sizeof text, "%s: gap times force, N m", tasks[k].scene);
        fil_check_below(check, text, i.gap_pair, 1e-6);
        snprintf(text, sizeof text, "%s: slip times friction, N m/s", tasks[k].scene);
        fil_check_below(check, text, i.slip_pair, 1e-6);
        snprintf(text, sizeof text, "%s: iterations", tasks[k].scene);
        fil_check_note(check, text, i.iterations);
        snprintf(text, sizeof text, "%s in the simulator: m from the goal", tasks[k].scene);
        fil_check_below(check, text, miss, tasks[k].miss);
        snprintf(text, sizeof text, "%s in the simulator: rad from the goal", tasks[k].scene);
        fil_check_below(check, text, turn_miss, tasks[k].turn_miss);
    }
}
