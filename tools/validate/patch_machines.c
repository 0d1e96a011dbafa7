/* Machines with ropes and belts that touch by patches: a block and tackle, a conveyor, a tilted roller. */
#include <math.h>
#include <stdio.h>

#include "cli.h"
#include "validate/patch.h"

static const double GRAVITY = 9.81;

FilWorld* fil_patch_load(FilCheck* check, const char* name, const FilSetting* settings, int count)
{
    char path[4096];
    FilError error;
    FilWorld* world = NULL;
    const FilSceneOptions options = {.settings = settings, .setting_count = count};
    if (!fil_scene_find(name, path, sizeof path, &error) || fil_scene_load(path, &options, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
    }
    return world;
}

/* ---- block and tackle ---- */

/* Mean pull (N) and speed of the load (m/s) between 2 s and 3 s, when everything moves evenly. */
static bool run_tackle(FilCheck* check, const FilSetting* friction, double* pull, double* speed)
{
    FilWorld* world = fil_patch_load(check, "block_and_tackle", friction, 1);
    bool good = world != NULL && fil_check_run(check, world, 2.0);
    const FilId hand = good ? fil_world_find_attachment(world, "hand") : (FilId){0};
    const FilId guide = good ? fil_world_find_joint(world, "guide") : (FilId){0};
    const double from = good ? fil_joint_position(world, guide) : 0.0;
    double sum = 0.0;
    int count = 0;
    while (good && fil_world_time(world) < 3.0 - 1e-9) {
        good = fil_check_run(check, world, fil_world_time(world) + 1e-3);
        sum += fil_attachment_force(world, hand).z;
        count++;
    }
    if (good) {
        *pull = sum / count;
        *speed = fil_joint_position(world, guide) - from;
    }
    fil_world_destroy(world);
    return good;
}

void fil_check_tackle(FilCheck* check)
{
    // the parts carry T, T + f, T + 2 f, T + 3 f with f = M/(R + r); the rope itself weighs 1 % of that
    static const FilSetting frictions[] = {{"tackle.friction", "0"}, {"tackle.friction", "0.005"}, {"tackle.friction", "0.01"}};
    static const double torques[] = {0.0, 0.005, 0.01};
    const double weight = 1.0 * GRAVITY, arm = 0.022;
    for (int k = 0; k < 3; k++) {
        double pull, speed;
        char what[96];
        if (!run_tackle(check, &frictions[k], &pull, &speed)) {
            continue;
        }
        snprintf(what, sizeof what, "pull with %g N m in each axle (N)", torques[k]);
        fil_check_near(check, what, pull, weight / 4.0 + 1.5 * torques[k] / arm, 0.02);
        snprintf(what, sizeof what, "speed of the load over that of the hand, %g N m", torques[k]);
        fil_check_near(check, what, fabs(speed) / 0.02, 0.25, 0.01);
    }
}

/* ---- conveyor ---- */

void fil_check_conveyor(FilCheck* check)
{
    FilWorld* world = fil_patch_load(check, "conveyor", NULL, 0);
    bool good = world != NULL && fil_check_run(check, world, 1.0);
    FilVec3 place[2];
    FilQuat turn;
    const FilId box = good ? fil_world_find_rigid(world, "box") : (FilId){0};
    if (good) {
        fil_rigid_get_pose(world, box, &place[0], &turn);
        good = fil_check_run(check, world, 2.0);
    }
    if (good) {
        fil_rigid_get_pose(world, box, &place[1], &turn);
        fil_check_near(check, "speed of the box on the belt (m/s)", place[1].x - place[0].x, 0.1, 0.02);
        good = fil_check_run(check, world, 2.8);
    }
    if (good) {
        fil_rigid_get_pose(world, box, &place[0], &turn);
        good = fil_check_run(check, world, 3.0);
    }
    if (good) {
        fil_rigid_get_pose(world, box, &place[1], &turn);
        // bar at 0.1 m, its radius 3 mm, half a box
        fil_check_near(check, "where the bar stops it (m)", place[1].x, 0.1 - 0.003 - 0.015, 0.01);
        fil_check_below(check, "its way from 2.8 s to 3 s (mm)", 1e3 * fabs(place[1].x - place[0].x), 0.5);
    }
    // friction of the belt beneath it: mu m g, mu the harmonic mean of 0.4 and 0.6
    const double friction = 0.48 * 500.0 * 27e-6 * GRAVITY;
    const FilId bar = good ? fil_world_find_rigid(world, "bar") : (FilId){0};
    double sum = 0.0;
    int count = 0;
    while (good && fil_world_time(world) < 8.0 - 1e-9) {
        FilVec3 force, torque;
        good = fil_check_run(check, world, fil_world_time(world) + 1e-3);
        fil_world_contact_wrench(world, bar, &force, &torque);
        sum += force.x;
        count++;
    }
    if (good) {
        fil_rigid_get_pose(world, box, &place[0], &turn);
        fil_check_near(check, "force on the bar from 3 s to 8 s, over mu m g", sum / count / friction, 1.0, 0.01);
        fil_check_below(check, "way of the box from 3 s to 8 s (mm)",
                        1e3 * hypot(hypot(place[1].x - place[0].x, place[1].y - place[0].y), place[1].z - place[0].z), 0.1);
    }
    fil_world_destroy(world);
}

/* ---- tilt ---- */

/* Where a belt that starts in the middle is after a time. */
static double shift(FilCheck* check, const char* tilt, double seconds)
{
    const FilSetting settings[] = {{"plain.tilt", tilt}, {"belt.offset", "0"}};
    FilWorld* world = fil_patch_load(check, "crowned_pulley", settings, 2);
    double sum = NAN, x[3 * 256];
    if (world != NULL && fil_check_run(check, world, seconds)) {
        const FilId belt = fil_world_find_rod(world, "belt");
        const int n = fil_rod_node_count(world, belt);
        fil_rod_get_positions(world, belt, x);
        sum = 0.0;
        for (int i = 0; i < n; i++) {
            sum += x[3 * i + 1] / n;
        }
    }
    fil_world_destroy(world);
    return sum;
}

void fil_check_patch_tilt(FilCheck* check)
{
    // mirrored at y = 0 the motor turns as before and the tilt is the other one
    const double one = shift(check, "0.02", 10.0), other = shift(check, "-0.02", 10.0), none = shift(check, "0", 10.0);
    fil_check_above(check, "shift of the belt by a roller tilted by 0.02 rad, after 10 s (mm)", 1e3 * fabs(one), 0.5);
    fil_check_near(check, "tilted the other way, over that", other / one, -1.0, 0.02);
    fil_check_below(check, "not tilted (mm)", 1e3 * fabs(none), 0.05);
}
