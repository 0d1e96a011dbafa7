/* Plans tried in the simulator, with feedback and without. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "validate/plan.h"

// scenes: with weights that make a slow roll, and with P1's
static const char *const ROLL = "ball_roll", *const ROLLED = "ball_rotation_rolled";

static const double DEGREES = 57.29577951308232;

/* Loads a scene; false after a failure that the check reports. */
static bool load(FilCheck* check, const char* scene, const FilSetting* settings, int count, const char* contact, FilWorld** world,
                 FilSceneInfo* info)
{
    const FilSceneOptions options = {.settings = settings, .setting_count = count, .contact_model = contact};
    FilError error = {""};
    char path[PATH_MAX];
    if (fil_scene_find(scene, path, sizeof path, &error) &&
        fil_scene_load(path, &options, world, info, &error) == FIL_OK) {
        return true;
    }
    fil_check_fail(check, "%s", error.text);
    return false;
}

static FilPlan* find_plan(FilCheck* check, const char* scene, const FilSetting* settings, int count)
{
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilPlan* plan = NULL;
    FilError error = {""};
    if (load(check, scene, settings, count, NULL, &world, &info) &&
        fil_plan_solve(world, &info.plan, &plan, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
    }
    fil_world_destroy(world);
    return plan;
}

/* How a plan is tried: with feedback, or by its pressures alone. */
typedef enum Way { TRACKED, OPEN_LOOP } Way;

static double degrees_off(const FilPlan* plan, const FilWorld* world)
{
    double miss, turn_miss;
    fil_plan_miss(plan, world, &miss, &turn_miss);
    return turn_miss * DEGREES;
}

/* Degrees between the ball and its target after a replay; infinite if a step failed. */
static double replay(FilCheck* check, const char* scene, const FilPlan* plan, Way way, const FilSetting* settings, int count, const char* contact)
{
    FilWorld* world = NULL;
    FilSceneInfo info;
    double angle = INFINITY;
    if (!load(check, scene, settings, count, contact, &world, &info)) {
        return angle;
    }
    FilPlanTracker* tracker = fil_plan_tracker_create(plan, 1e-3);
    FilStatus status = tracker == NULL ? FIL_OUT_OF_MEMORY : FIL_OK;
    if (status == FIL_OK && way == OPEN_LOOP) {
        status = fil_plan_add_drives(plan, world);
    }
    while (status == FIL_OK && fil_world_time(world) < info.plan.horizon - 0.5 * fil_world_dt(world)) {
        status = way == TRACKED ? fil_plan_follow(tracker, world) : FIL_OK;
        status = status == FIL_OK ? fil_world_step(world, NULL) : status;
    }
    if (status == FIL_OK) {
        angle = degrees_off(plan, world);
    } else {
        fil_check_fail(check, "%s", fil_world_error(world));
    }
    fil_plan_tracker_destroy(tracker);
    fil_world_destroy(world);
    return angle;
}

static const FilSetting about_y[2] = {{"task.axis", "y"}, {"y", "1"}};
static const char* const models[2] = {"lcp", "sap"};

/* About x, or about x and y. */
static void check_tracking(FilCheck* check, const char* scene, int axes)
{
    for (int axis = 0; axis < axes; axis++) {
        FilPlan* plan = find_plan(check, scene, about_y, axis == 0 ? 0 : 2);
        for (int m = 0; m < 2 && plan != NULL; m++) {
            char text[64];
            snprintf(text, sizeof text, "%s under %s: degrees from the target", axis == 0 ? "x" : "y", models[m]);
            fil_check_below(check, text, replay(check, scene, plan, TRACKED, about_y, axis == 0 ? 0 : 2, models[m]), 1.0);
        }
        fil_plan_destroy(plan);
    }
}

void fil_check_plan_tracking(FilCheck* check)
{
    check_tracking(check, ROLL, 2);
}

/* P1's own weights, about x. */
void fil_check_plan_rolled(FilCheck* check)
{
    check_tracking(check, ROLLED, 1);
}

/* Friction, masses of arm and ball, and stiffness, each 10 % less, as planned, and 10 % more: all 27. */
static void check_disturbed(FilCheck* check, const char* scene)
{
    static const char *const mu[3] = {"0.54", "0.6", "0.66"}, *const scale[3] = {"0.9", "1", "1.1"},
                             *const mass[3] = {"0.18", "0.2", "0.22"}, *const stiffness[3] = {"238.5", "265", "291.5"};
    FilPlan* plan = find_plan(check, scene, NULL, 0);
    double worst = 0.0;
    int worst_of = 0;
    for (int k = 0; k < 27 && plan != NULL; k++) {
        const FilSetting settings[4] = {
            {"mu", mu[k % 3]}, {"scale", scale[k / 3 % 3]}, {"mass", mass[k / 3 % 3]}, {"stiffness", stiffness[k / 9]}};
        const double angle = replay(check, scene, plan, TRACKED, settings, 4, NULL);
        worst_of = angle > worst ? k : worst_of;
        worst = fmax(worst, angle);
    }
    char text[96];
    snprintf(text, sizeof text, "worst of 27 (friction %s, masses times %s, stiffness %s N/m): degrees", mu[worst_of % 3],
             scale[worst_of / 3 % 3], stiffness[worst_of / 9]);
    if (plan != NULL) {
        fil_check_below(check, text, worst, 1.0);
    }
    fil_plan_destroy(plan);
}

void fil_check_plan_disturbed(FilCheck* check)
{
    check_disturbed(check, ROLL);
}

void fil_check_plan_rolled_disturbed(FilCheck* check)
{
    check_disturbed(check, ROLLED);
}

/* Pressures alone. A standing arm buckles, so that nothing but the world of the rehearsal can repeat it; a hanging one does
 * not. */
void fil_check_plan_open_loop(FilCheck* check)
{
    static const FilSetting hang[1] = {{"hang", "1"}};
    static const FilSetting finer[1] = {{"world.dt", "5e-5"}};
    FilPlan* plan = find_plan(check, ROLL, hang, 1);
    for (int m = 0; m < 2 && plan != NULL; m++) {
        char text[64];
        snprintf(text, sizeof text, "hanging, %s: degrees from the target", models[m]);
        fil_check_below(check, text, replay(check, ROLL, plan, OPEN_LOOP, hang, 1, models[m]), 3.0);
    }
    fil_plan_destroy(plan);
    plan = find_plan(check, ROLL, NULL, 0);
    FilWorld* world = NULL;
    FilSceneInfo info;
    if (plan != NULL && load(check, ROLL, NULL, 0, NULL, &world, &info)) {
        fil_check_note(check, "standing, as planned: degrees from the target", replay(check, ROLL, plan, OPEN_LOOP, NULL, 0, NULL));
        if (fil_plan_rehearse(plan, world) != FIL_OK) {
            fil_check_fail(check, "%s", fil_world_error(world));
        }
        fil_check_below(check, "standing, rehearsed: degrees from the target", replay(check, ROLL, plan, OPEN_LOOP, NULL, 0, NULL), 3.0);
        fil_check_note(check, "the same with half the step", replay(check, ROLL, plan, OPEN_LOOP, finer, 1, NULL));
        fil_check_note(check, "the same under sap", replay(check, ROLL, plan, OPEN_LOOP, NULL, 0, "sap"));
    }
    fil_world_destroy(world);
    fil_plan_destroy(plan);
}

/* Plans of 0.32 s, anew every 40 ms, while the ball is pushed: at the end, and the worst after the first second. */
void fil_check_plan_receding(FilCheck* check)
{
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilReceding* receding = NULL;
    FilError error = {""};
    char path[PATH_MAX];
    FilStatus status = FIL_BAD_INPUT;
    if (fil_scene_find("ball_rotation_mpc", path, sizeof path, &error)) {
        status = fil_scene_load(path, NULL, &world, &info, &error);
        status = status == FIL_OK ? fil_receding_create(world, &info.plan, &receding, &error) : status;
    }
    if (status != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
    }
    double worst = 0.0, angle = INFINITY;
    while (status == FIL_OK && fil_world_time(world) < info.plan.receding - 0.5 * fil_world_dt(world)) {
        status = fil_receding_follow(receding, world);
        status = status == FIL_OK ? fil_world_step(world, NULL) : status;
        angle = fil_receding_miss(receding, world) * DEGREES;
        worst = fil_world_time(world) > 1.5 ? fmax(worst, angle) : 0.0;
    }
    if (status == FIL_OK) {
        const FilRecedingInfo made = fil_receding_info(receding);
        fil_check_below(check, "degrees from the target at the end", angle, 1.0);
        fil_check_below(check, "the same, worst from 1.5 s on", worst, 1.0);
        fil_check_below(check, "plans that did not meet their tolerance", made.unfinished, 1.0);
        fil_check_note(check, "ms of CPU a plan, median", 1e3 * made.median);
        fil_check_note(check, "ms of CPU a plan, 99th percentile", 1e3 * made.p99);
    } else if (world != NULL) {
        fil_check_fail(check, "%s", fil_world_error(world));
    }
    fil_receding_destroy(receding);
    fil_world_destroy(world);
}
