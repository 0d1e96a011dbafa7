/* Plans tried in the simulator, with feedback and without. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/plan.h"

// scenes: with weights that make a slow roll, and with P1's
static const char *const ROLL = "ball_roll", *const ROLLED = "ball_rotation_rolled";

static const double DEGREES = 57.29577951308232;

/* Loads a scene; false after a failure that the check reports. */
static bool load(FilCheck* check, const char* scene, const FilSetting* settings, int count, const char* contact, FilWorld** world, FilSceneInfo* info)
{
    const FilSceneOptions options = {.settings = settings, .setting_count = count, .contact_model = contact};
    FilError error = {""};
    char path[PATH_MAX];
    if (fil_scene_find(scene, path, sizeof path, &error) && fil_scene_load(path, &options, world, info, &error) == FIL_OK) {
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
    if (load(check, scene, settings, count, NULL, &world, &info) && fil_plan_solve(world, &info.plan, &plan, &error) != FIL_OK) {
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

/* What makes a scene one of a turn about x, y or z, and how many settings that are. */
static const struct {
    const char* name;
    FilSetting settings[2];
    int count;
} turns[3] = {{"x", {{"task.axis", "x"}, {"y", "0"}}, 1}, {"y", {{"task.axis", "y"}, {"y", "1"}}, 2}, {"z", {{"task.axis", "z"}, {"z", "1"}}, 2}};

static const char* const models[2] = {"lcp", "sap"};

enum { MAX_SETTINGS = 8 };

/* Settings of a turn and others after them. */
static int join(int turn, const FilSetting* others, int count, FilSetting all[MAX_SETTINGS])
{
    memcpy(all, turns[turn].settings, sizeof turns[turn].settings);
    for (int k = 0; k < count; k++) {
        all[turns[turn].count + k] = others[k];
    }
    return turns[turn].count + count;
}

static FilPlan* find_turn(FilCheck* check, const char* scene, int turn, const FilSetting* others, int count)
{
    FilSetting all[MAX_SETTINGS];
    const int n = join(turn, others, count, all);
    return find_plan(check, scene, all, n);
}

static double replay_turn(FilCheck* check, const char* scene, const FilPlan* plan, Way way, int turn, const FilSetting* others, int count,
                          const char* contact)
{
    FilSetting all[MAX_SETTINGS];
    const int n = join(turn, others, count, all);
    return replay(check, scene, plan, way, all, n, contact);
}

/* With feedback, about all axes, under both models. */
static void check_tracking(FilCheck* check, const char* scene)
{
    for (int axis = 0; axis < 3; axis++) {
        FilPlan* plan = find_turn(check, scene, axis, NULL, 0);
        for (int m = 0; m < 2 && plan != NULL; m++) {
            char text[64];
            snprintf(text, sizeof text, "%s under %s: degrees from the target", turns[axis].name, models[m]);
            fil_check_below(check, text, replay_turn(check, scene, plan, TRACKED, axis, NULL, 0, models[m]), 1.0);
        }
        fil_plan_destroy(plan);
    }
}

void fil_check_plan_tracking(FilCheck* check)
{
    check_tracking(check, ROLL);
}

/* P1's own weights. */
void fil_check_plan_rolled(FilCheck* check)
{
    check_tracking(check, ROLLED);
}

/* Friction, masses of arm and ball, and stiffness, each 10 % less, as planned, and 10 % more: all 27. */
static void check_disturbed(FilCheck* check, const char* scene, int axis, const FilSetting* step)
{
    static const char *const mu[3] = {"0.54", "0.6", "0.66"}, *const scale[3] = {"0.9", "1", "1.1"}, *const mass[3] = {"0.18", "0.2", "0.22"},
                             *const stiffness[3] = {"238.5", "265", "291.5"};
    FilPlan* plan = find_turn(check, scene, axis, NULL, 0);
    double worst = 0.0;
    int worst_of = 0;
    for (int k = 0; k < 27 && plan != NULL; k++) {
        const FilSetting settings[5] = {
            {"mu", mu[k % 3]}, {"scale", scale[k / 3 % 3]}, {"mass", mass[k / 3 % 3]}, {"stiffness", stiffness[k / 9]}, *step};
        const double angle = replay_turn(check, scene, plan, TRACKED, axis, settings, 5, NULL);
        worst_of = angle > worst ? k : worst_of;
        worst = fmax(worst, angle);
    }
    char text[112];
    snprintf(text, sizeof text, "%s, worst of 27 (friction %s, masses times %s, stiffness %s N/m): degrees", turns[axis].name, mu[worst_of % 3],
             scale[worst_of / 3 % 3], stiffness[worst_of / 9]);
    if (plan != NULL) {
        fil_check_below(check, text, worst, 1.0);
    }
    fil_plan_destroy(plan);
}

void fil_check_plan_disturbed(FilCheck* check)
{
    static const FilSetting step = {"world.dt", "1e-4"};
    check_disturbed(check, ROLL, 0, &step);
}

/* 81 runs: steps of 0.4 ms, which change what plan.rolled measures by less than a hundredth of a degree. */
void fil_check_plan_rolled_disturbed(FilCheck* check)
{
    static const FilSetting step = {"world.dt", "4e-4"};
    for (int axis = 0; axis < 3; axis++) {
        check_disturbed(check, ROLLED, axis, &step);
    }
}

/* Pressures alone. A standing arm buckles, so that nothing but the world of the rehearsal can repeat it; a hanging one does
 * not. */
static void check_open_loop(FilCheck* check, const char* scene, int axis, const FilSetting* step)
{
    const FilSetting hang[2] = {*step, {"hang", "1"}};
    char text[96];
    FilPlan* plan = find_turn(check, scene, axis, hang, 2);
    if (plan != NULL) {
        snprintf(text, sizeof text, "%s, hanging: 1 - (q . target)^2 of the plan", turns[axis].name);
        fil_check_below(check, text, fil_plan_info(plan).orientation, 1e-5);
    }
    for (int m = 0; m < 2 && plan != NULL; m++) {
        snprintf(text, sizeof text, "%s, hanging, %s: degrees from the target", turns[axis].name, models[m]);
        fil_check_below(check, text, replay_turn(check, scene, plan, OPEN_LOOP, axis, hang, 2, models[m]), 3.0);
    }
    fil_plan_destroy(plan);
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilSetting all[MAX_SETTINGS];
    const int n = join(axis, step, 1, all);
    plan = find_plan(check, scene, all, n);
    if (plan != NULL && load(check, scene, all, n, NULL, &world, &info)) {
        snprintf(text, sizeof text, "%s, standing, as planned: degrees from the target", turns[axis].name);
        fil_check_note(check, text, replay(check, scene, plan, OPEN_LOOP, all, n, NULL));
        if (fil_plan_rehearse(plan, world) != FIL_OK) {
            fil_check_fail(check, "%s", fil_world_error(world));
        }
        snprintf(text, sizeof text, "%s, standing, rehearsed: degrees from the target", turns[axis].name);
        fil_check_below(check, text, replay(check, scene, plan, OPEN_LOOP, all, n, NULL), 3.0);
    }
    fil_world_destroy(world);
    fil_plan_destroy(plan);
}

void fil_check_plan_open_loop(FilCheck* check)
{
    static const FilSetting step = {"world.dt", "1e-4"};
    check_open_loop(check, ROLL, 0, &step);
}

void fil_check_plan_rolled_open_loop(FilCheck* check)
{
    static const FilSetting step = {"world.dt", "5e-4"};
    for (int axis = 0; axis < 3; axis++) {
        check_open_loop(check, ROLLED, axis, &step);
    }
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
        fil_check_below(check, "ms of CPU a plan, 99th percentile", 1e3 * made.p99, 40.0);
    } else if (world != NULL) {
        fil_check_fail(check, "%s", fil_world_error(world));
    }
    fil_receding_destroy(receding);
    fil_world_destroy(world);
}
