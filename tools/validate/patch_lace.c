/* Laces in hands (P0 section V-E): fingers that hold by patches and friction alone. */
#include <math.h>
#include <stdio.h>

#include "cli.h"
#include "validate/patch.h"

enum { MOST_NODES = 256 };

typedef struct Hold {
    int count;
    double sum, squares;   /* of the force of a finger along its closing direction (N), while the lace is pulled */
    double rest[3], slip;  /* m, of the lace against the hand since the fingers closed */
} Hold;

static FilWorld* load(FilCheck* check, const char* name, const FilSetting* settings, int count)
{
    char path[4096];
    FilError error;
    FilWorld* world = NULL;
    const FilSceneOptions options = {.settings = settings, .setting_count = count};
    if (!fil_scene_find(name, path, sizeof path, &error) ||
        fil_scene_load(path, &options, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
    }
    return world;
}

/* The lace's node nearest to the hand when it closed, seen from the hand. */
static void see_held(const FilWorld* world, int node, double* place)
{
    double nodes[3 * MOST_NODES];
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
    FilWorld* world = load(check, "lace_grip", settings, count);
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
