/* Laces in hands (P0 section V-E): fingers that hold by patches and friction alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "validate/lace.h"

enum { MAX_NODES = 256 };

typedef struct Hold {
    int count;
    double sum, squares;  /* of the force of a finger along its closing direction (N), while the lace is pulled */
    double rest[3], slip; /* m, of the lace against the hand since the fingers closed */
} Hold;

/* The lace's node nearest to the hand when it closed, seen from the hand. */
static void see_held(const FilWorld* world, int node, double* place)
{
    double nodes[3 * MAX_NODES];
    FilVec3 hand;
    FilQuat turn;
    fil_rod_get_positions(world, fil_world_find_rod(world, "lace"), nodes);
    fil_link_pose(world, fil_world_find_link(world, "pinch"), &hand, &turn);
    place[0] = nodes[3 * node] - hand.x;
    place[1] = nodes[3 * node + 1] - hand.y;
    place[2] = nodes[3 * node + 2] - hand.z;
}

/* Fingers are closed from 1.4 s on; the lace is lifted until 2.5 s and pulled from 3.3 to 5.3 s. */
static bool run_hold(FilCheck* check, const FilSetting* settings, int count, Hold* hold)
{
    *hold = (Hold){0};
    FilWorld* world = fil_patch_load(check, "lace_grip", settings, count);
    if (world == NULL) {
        return false;
    }
    const FilId finger = fil_world_find_link(world, "left_finger");
    const int node = 50;  // at 0.2 m of 0.24 m
    bool closed = false;
    FilStatus status = FIL_OK;
    while (status == FIL_OK && fil_world_time(world) < 5.3 && hold->slip < 0.02) {  // then it is gone
        status = fil_world_step(world, NULL);
        const double time = fil_world_time(world);
        double place[3];
        if (time >= 1.4 && status == FIL_OK) {
            see_held(world, node, place);
            for (int k = 0; k < 3 && !closed; k++) {
                hold->rest[k] = place[k];
            }
            closed = true;
            hold->slip = fmax(hold->slip, hypot(hypot(place[0] - hold->rest[0], place[1] - hold->rest[1]), place[2] - hold->rest[2]));
        }
        if (time >= 3.3 && status == FIL_OK) {
            FilVec3 force, torque;
            fil_world_contact_wrench(world, finger, &force, &torque);
            hold->sum += fabs(force.x);
            hold->squares += force.x * force.x;
            hold->count++;
        }
    }
    if (status != FIL_OK) {
        fil_check_fail(check, "%s", fil_world_error(world));
    }
    fil_world_destroy(world);
    return status == FIL_OK;
}

void fil_check_lace_grip(FilCheck* check)
{
    static const struct {
        const char* name;
        FilSetting settings[2];
        int count;
        bool patches;
    } cases[] = {
        {"patches", {{"lace.modulus", "1e6"}, {"world.dt", "0.002"}}, 2, true},
        {"patches, half the step", {{"lace.modulus", "1e6"}, {"world.dt", "0.001"}}, 2, true},
        {"patches, a firmer lace", {{"lace.modulus", "3e6"}, {"world.dt", "0.002"}}, 2, true},
        {"points", {{"lace.modulus", "0"}, {"world.dt", "0.002"}}, 2, false},
    };
    for (int k = 0; k < 4; k++) {
        Hold hold;
        char what[96];
        if (!run_hold(check, cases[k].settings, cases[k].count, &hold)) {
            continue;
        }
        const double mean = hold.sum / hold.count, spread = sqrt(fmax(hold.squares / hold.count - mean * mean, 0.0));
        // half of the motor's 16 N, whatever the contact
        snprintf(what, sizeof what, "%s: force of a finger under a pull of 2 N (N)", cases[k].name);
        fil_check_near(check, what, mean, 8.0, 0.01);
        snprintf(what, sizeof what, "%s: its standard deviation over its mean (%%)", cases[k].name);
        cases[k].patches ? fil_check_below(check, what, 100.0 * spread / mean, 1.0) : fil_check_note(check, what, 100.0 * spread / mean);
        snprintf(what, sizeof what, "%s: slip since the fingers closed (mm)", cases[k].name);
        cases[k].patches ? fil_check_below(check, what, 1e3 * hold.slip, 5.0) : fil_check_note(check, what, 1e3 * hold.slip);
    }
    // more than friction bears: 2 mu 8 N = 8 N
    Hold hold;
    if (run_hold(check, &(const FilSetting){"pull", "9"}, 1, &hold)) {
        fil_check_above(check, "patches: slip under 9 N, where friction bears 8 (mm)", 1e3 * hold.slip, 5.0);
    }
    if (run_hold(check, &(const FilSetting){"pull", "7"}, 1, &hold)) {
        fil_check_below(check, "patches: slip under 7 N (mm)", 1e3 * hold.slip, 5.0);
    }
}

/* ---- winding ---- */

typedef struct Tie {
    int half_turns;
    int crossings; /* of strands that passed through each other */
    int count;
    double sum, squares, pull; /* N, of a finger and of the lace on the right hand, in the last two seconds */
} Tie;

static bool run_tie(FilCheck* check, const FilSetting* setting, FilGrasp* grasps, int grasp_count, double until, Tie* tie)
{
    *tie = (Tie){0};
    FilWorld* world = fil_patch_load(check, "lace_wrap", setting, setting != NULL ? 1 : 0);
    if (world == NULL) {
        return false;
    }
    const FilId fingers[2] = {fil_world_find_link(world, "right_left_finger"), fil_world_find_link(world, "right_right_finger")};
    FilStatus status = FIL_OK;
    while (status == FIL_OK && fil_world_time(world) < until) {
        FilStepInfo info;
        status = fil_world_step(world, &info);
        tie->crossings += info.crossings;
        for (int g = 0; g < grasp_count && status == FIL_OK; g++) {
            fil_grasp_watch(world, &grasps[g]);
        }
        if (fil_world_time(world) > until - 2.0 && status == FIL_OK) {
            FilVec3 force[2], torque;
            fil_world_contact_wrench(world, fingers[0], &force[0], &torque);
            fil_world_contact_wrench(world, fingers[1], &force[1], &torque);
            const double squeeze = 0.5 * fabs(force[0].y - force[1].y), pull = fabs(force[0].x + force[1].x);
            tie->sum += squeeze;
            tie->squares += squeeze * squeeze;
            tie->pull += pull;
            tie->count++;
        }
    }
    if (status != FIL_OK) {
        fil_check_fail(check, "%s", fil_world_error(world));
    } else {
        tie->half_turns = fil_lace_half_turns(world);
        tie->pull /= tie->count;
    }
    fil_world_destroy(world);
    return status == FIL_OK;
}

enum { GRASPS = 4 };

void fil_check_lace_wrap(FilCheck* check)
{
    // closed fingers to open ones, as the scene says
    static const FilGrasp grasps[GRASPS] = {
        {.hand = "right", .lace = "right", .from = 1.5, .to = 4.1},
        {.hand = "left", .lace = "left", .from = 6.9, .to = 9.4},
        {.hand = "left", .lace = "right", .from = 11.6, .to = 21.0},
        {.hand = "right", .lace = "left", .from = 14.8, .to = 21.0},
    };
    static const FilSetting points = {"lace.modulus", "0"};
    for (int run = 0; run < 2; run++) {
        Tie tie;
        FilGrasp own[GRASPS];
        char what[128];
        const char* name = run == 0 ? "patches" : "points";
        memcpy(own, grasps, sizeof own);
        if (!run_tie(check, run == 0 ? NULL : &points, own, GRASPS, 21.0, &tie)) {
            continue;
        }
        const double mean = tie.sum / tie.count, spread = 100.0 * sqrt(fmax(tie.squares / tie.count - mean * mean, 0.0)) / mean;
        double slip = 0.0;
        for (int g = 0; g < GRASPS; g++) {
            slip = fmax(slip, 1e3 * own[g].slip);
        }
        if (run == 1) {  // P0's points lose the lace
            fil_check_note(check, "points: half-turns of the laces around each other", abs(tie.half_turns));
            fil_check_note(check, "points: slip in a hand (mm)", slip);
            fil_check_note(check, "points: standard deviation of a finger's force over its mean (%)", spread);
            continue;
        }
        fil_check_near(check, "half-turns of the laces around each other", abs(tie.half_turns), 3.0, 1e-9);
        fil_check_below(check, "strands passed through each other", tie.crossings, 0.0);
        for (int g = 0; g < GRASPS; g++) {
            snprintf(what, sizeof what, "%s: slip in the %s hand from %g s on (mm)", name, own[g].hand, own[g].from);
            fil_check_below(check, what, 1e3 * own[g].slip, 5.0);
        }
        fil_check_near(check, "force of a finger, last two seconds (N)", mean, 8.0, 0.01);
        fil_check_below(check, "its standard deviation over its mean (%)", spread, 1.0);
        fil_check_above(check, "pull on the laces, held for two seconds (N)", tie.pull, 2.0);
    }
}
