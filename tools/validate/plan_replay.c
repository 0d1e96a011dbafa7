/* Plans tried in the simulator: the arm is kept on its plan by the time-varying gains, the ball is left alone. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "validate/plan.h"

static const double DEGREES = 57.29577951308232;

/* Loads the scene ball_roll; false after a failure that the check reports. */
static bool load(FilCheck* check, const FilSetting* settings, int count, const char* contact, FilWorld** world,
                 FilSceneInfo* info)
{
    const FilSceneOptions options = {.settings = settings, .setting_count = count, .contact_model = contact};
    FilError error = {""};
    char path[PATH_MAX];
    if (fil_scene_find("ball_roll", path, sizeof path, &error) &&
        fil_scene_load(path, &options, world, info, &error) == FIL_OK) {
        return true;
    }
    fil_check_fail(check, "%s", error.text);
    return false;
}

static FilPlan* find_plan(FilCheck* check, const FilSetting* settings, int count)
{
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilPlan* plan = NULL;
    FilError error = {""};
    if (load(check, settings, count, NULL, &world, &info) &&
        fil_plan_solve(world, &info.plan, &plan, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
    }
    fil_world_destroy(world);
    return plan;
}

/* Degrees between the ball and its target after a replay; infinite if a step failed. */
static double replay(FilCheck* check, const FilPlan* plan, const FilSetting* settings, int count, const char* contact)
{
    FilWorld* world = NULL;
    FilSceneInfo info;
    double angle = INFINITY;
    if (!load(check, settings, count, contact, &world, &info)) {
        return angle;
    }
    FilStatus status = FIL_OK;
    while (status == FIL_OK && fil_world_time(world) < info.plan.horizon - 0.5 * fil_world_dt(world)) {
        double l[12], v[12], pressure[12];
        fil_arm_get_state(world, info.plan.arm, l, v);
        fil_plan_command(plan, fil_world_time(world), l, v, pressure);
        for (int c = 0; c < 9 && status == FIL_OK; c++) {
            status = fil_arm_set_pressure(world, info.plan.arm, c, pressure[c]);
        }
        status = status == FIL_OK ? fil_world_step(world, NULL) : status;
    }
    if (status == FIL_OK) {
        FilVec3 position;
        FilQuat q;
        const FilQuat t = fil_plan_target(plan);
        fil_rigid_get_pose(world, info.plan.body, &position, &q);
        angle = 2.0 * acos(fmin(1.0, fabs(q.x * t.x + q.y * t.y + q.z * t.z + q.w * t.w))) * DEGREES;
    } else {
        fil_check_fail(check, "%s", fil_world_error(world));
    }
    fil_world_destroy(world);
    return angle;
}

void fil_check_plan_tracking(FilCheck* check)
{
    static const FilSetting about_y[2] = {{"task.axis", "y"}, {"y", "1"}};
    static const char* const models[2] = {"lcp", "sap"};
    for (int axis = 0; axis < 2; axis++) {
        FilPlan* plan = find_plan(check, about_y, axis == 0 ? 0 : 2);
        for (int m = 0; m < 2 && plan != NULL; m++) {
            char text[64];
            snprintf(text, sizeof text, "%s under %s: degrees from the target", axis == 0 ? "x" : "y", models[m]);
            fil_check_below(check, text, replay(check, plan, about_y, axis == 0 ? 0 : 2, models[m]), 1.0);
        }
        fil_plan_destroy(plan);
    }
}

/* Friction alone must not matter. What feedback without an integral leaves of wrong masses and stiffness is noted. */
void fil_check_plan_disturbed(FilCheck* check)
{
    static const struct {
        const char *what, *key, *value;
        bool required;
    } changes[6] = {{"friction 10 % less", "mu", "0.54", true},
                    {"friction 10 % more", "mu", "0.66", true},
                    {"masses 10 % less", "scale", "0.9", false},
                    {"masses 10 % more", "scale", "1.1", false},
                    {"stiffness 10 % less", "stiffness", "238.5", false},
                    {"stiffness 10 % more", "stiffness", "291.5", false}};
    FilPlan* plan = find_plan(check, NULL, 0);
    for (int k = 0; k < 6 && plan != NULL; k++) {
        const FilSetting setting = {changes[k].key, changes[k].value};
        const double angle = replay(check, plan, &setting, 1, NULL);
        char text[64];
        snprintf(text, sizeof text, "%s: degrees from the target", changes[k].what);
        if (changes[k].required) {
            fil_check_below(check, text, angle, 1.0);
        } else {
            fil_check_note(check, text, angle);
        }
    }
    fil_plan_destroy(plan);
}
