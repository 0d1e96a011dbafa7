/* Robots and bodies that plan their way through contact, tried in the simulator. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "validate/plan.h"

/* Plans a scene and follows the plan; false after a failure that the check reports. */
static bool try_task(FilCheck* check, const char* scene, FilFollowing following, FilManipulationInfo* planned, double* miss, double* turn_miss)
{
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilManipulationPlan* plan = NULL;
    FilError error = {""};
    char path[PATH_MAX];
    if (!fil_scene_find(scene, path, sizeof path, &error) || fil_scene_load(path, NULL, &world, &info, &error) != FIL_OK ||
        fil_manipulation_solve(world, &info.manipulation, &plan, &error) != FIL_OK) {
        fil_check_fail(check, "%s: %s", scene, error.text);
        fil_world_destroy(world);
        return false;
    }
    *planned = fil_manipulation_info(plan);
    FilStatus status = FIL_OK;
    const double dt = fil_world_dt(world);
    while (status == FIL_OK && fil_world_time(world) < info.manipulation.horizon - 0.5 * dt) {
        status = fil_manipulation_follow(plan, world, fil_world_time(world) + 0.5 * dt, following);
        status = status == FIL_OK ? fil_world_step(world, NULL) : status;
    }
    if (status == FIL_OK) {
        fil_manipulation_miss(plan, world, miss, turn_miss);
    } else {
        fil_check_fail(check, "%s: %s", scene, fil_world_error(world));
    }
    fil_manipulation_destroy(plan);
    fil_world_destroy(world);
    return status == FIL_OK;
}

/* Limits: twice what a plan may miss its goal by, and of the box that is pushed by one finger, which is not stable, 20 mm. */
void fil_check_plan_tasks(FilCheck* check)
{
    static const struct {
        const char* scene;
        FilFollowing following;
        double miss, turn_miss; /* m, rad; a joint's: both in its unit */
    } tasks[] = {{"box_push", FIL_FOLLOW_POSITIONS, 0.02, 0.04},
                 {"box_pivot", FIL_FOLLOW_POSITIONS, 6e-3, 0.02},
                 {"valve_turn", FIL_FOLLOW_POSITIONS, 0.01, 0.01},
                 {"trunk_lift", FIL_FOLLOW_EFFORTS, 0.01, 0.5}};
    for (int k = 0; k < 4; k++) {
        FilManipulationInfo i;
        double miss, turn_miss;
        char text[96];
        if (!try_task(check, tasks[k].scene, tasks[k].following, &i, &miss, &turn_miss)) {
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
