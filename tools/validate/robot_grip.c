/* Robots that touch objects: a gripper that holds by friction, arms that pull a knot tight. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "validate/robot.h"

static const double GRAVITY = 9.81;

/* ---- holding ---- */

/* How far a cube of 5 cm between two fingers comes down in a time, when one motor presses both. */
static double come_down(FilCheck* check, const char* model, double mu, double force, double seconds)
{
    const double size = 0.05, dt = 2e-3;
    FilSandbox box = fil_sandbox_begin(check, model, dt);
    fil_sandbox_set_friction(&box, mu);
    FilRobotDef def = fil_robot_def_default();
    def.collision.surface.friction = mu;
    FilRobotJointSetting lift = fil_robot_joint_setting_default(), grip = lift;
    lift.joint = "lift";
    lift.stiffness_gain = 1e5;
    lift.damping_gain = 1e3;
    grip.joint = "grip";
    // barriers start out of range
    grip.start_position = 0.5 * size + (strcmp(model, "ipc") == 0 ? 1e-3 : 0.0);
    grip.max_effort = force;
    const FilRobotJointSetting settings[] = {lift, grip};
    const FilId robot = fil_sandbox_add_robot(&box, "gripper", &def, settings, 2);
    const FilId cube = fil_sandbox_add_cube(&box, size, (FilVec3){0.0, 0.0, -0.075});
    const FilJointCommand close = {.mode = FIL_JOINT_POSITION, .position = 0.0};
    if (!box.failed) {
        fil_sandbox_expect(&box, fil_robot_set_joint_command(box.world, robot, 1, &close), "closing");
    }
    // the fingers come to rest on the cube before it has weight
    const int steps = (int)lround(seconds / dt), first = (int)lround(0.5 / dt);
    double down = 0.0;
    for (int k = 0; k < first + steps && !box.failed && down < 0.02; k++) {
        if (k == 0 || k == first) {
            fil_sandbox_expect(&box, fil_world_set_gravity(box.world, (FilVec3){0.0, 0.0, k == 0 ? 0.0 : -GRAVITY}), "gravity");
        }
        fil_sandbox_step(&box);
        down = box.failed ? INFINITY : -0.075 - fil_sandbox_position(&box, cube).z;
    }
    fil_sandbox_end(&box);
    return down;
}

void fil_check_gripper_hold(FilCheck* check)
{
    static const char* const models[] = {"sap", "sap_lagged", "lcp", "ipc"};
    // 2 mu force / 2 = m g: half of the motor's force on each finger
    const double mass = 1000.0 * 0.05 * 0.05 * 0.05, force = 5.0, threshold = mass * GRAVITY / force;
    for (int k = 0; k < 4; k++) {
        char what[96];
        snprintf(what, sizeof what, "%s: comes down in 60 s at 1.03 of the friction (m)", models[k]);
        fil_check_below(check, what, come_down(check, models[k], 1.03 * threshold, force, 60.0), 0.01);
        snprintf(what, sizeof what, "%s: falls at 0.97 of it (m)", models[k]);
        fil_check_above(check, what, come_down(check, models[k], 0.97 * threshold, force, 10.0), 0.02);
    }
}

/* ---- scenes ---- */

/* `setting`: one of the scene's parameters; NULL: none. */
static FilWorld* load(FilCheck* check, const char* name, const char* model, const FilSetting* setting)
{
    char path[4096];
    FilError error;
    FilWorld* world = NULL;
    const FilSceneOptions options = {.contact_model = model, .settings = setting, .setting_count = setting != NULL ? 1 : 0};
    if (!fil_scene_find(name, path, sizeof path, &error) || fil_scene_load(path, &options, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
    }
    return world;
}

static bool run(FilCheck* check, FilWorld* world, double until, int* crossings)
{
    while (fil_world_time(world) < until - 1e-9) {
        FilStepInfo info;
        if (fil_world_step(world, &info) != FIL_OK) {
            fil_check_fail(check, "%s", fil_world_error(world));
            return false;
        }
        *crossings += info.crossings;
    }
    return true;
}

void fil_check_gripper_pinch(FilCheck* check)
{
    static const char* const models[] = {"sap", "sap_lagged", "lcp", "ipc"};
    static const FilSetting apart = {"gap", "1e-3"};  // barriers need it
    for (int k = 0; k < 4; k++) {
        FilWorld* world = load(check, "gripper_pinch", models[k], k == 3 ? &apart : NULL);
        int crossings = 0;
        if (world != NULL && run(check, world, 4.0, &crossings)) {
            FilVec3 place;
            FilQuat orientation;
            double nodes[3 * 25];
            char what[64];
            fil_rigid_get_pose(world, fil_world_find_rigid(world, "box"), &place, &orientation);
            fil_rod_get_positions(world, fil_world_find_rod(world, "rod"), nodes);
            // the lift is 0.25 m, less the sag of its motor under 10 N, 2 mm
            snprintf(what, sizeof what, "%s: height of the box (m)", models[k]);
            fil_check_near(check, what, place.z, 0.25 + 0.025, 0.03);
            snprintf(what, sizeof what, "%s: height of the rod's middle (m)", models[k]);
            fil_check_near(check, what, nodes[3 * 12 + 2], 0.25 + 0.012, 0.03);
        }
        fil_world_destroy(world);
    }
}

/* Largest distance of any joint from its command. */
static double tracking_error(const FilWorld* world)
{
    double worst = 0.0;
    for (int r = 0; r < fil_world_robot_count(world); r++) {
        const FilId robot = fil_world_robot_at(world, r);
        for (int j = 0; j < fil_robot_joint_count(world, robot); j++) {
            worst = fmax(worst, fabs(fil_robot_joint_state(world, robot, j).position - fil_robot_joint_command(world, robot, j).position));
        }
    }
    return worst;
}

void fil_check_two_arms_knot(FilCheck* check)
{
    uint64_t hashes[2] = {1, 2};
    for (int repeat = 0; repeat < 2; repeat++) {
        FilWorld* world = load(check, "two_arms_knot", NULL, NULL);
        int crossings = 0;
        double worst = 0.0;
        bool good = world != NULL;
        for (int k = 1; k <= 40 && good; k++) {
            good = run(check, world, 0.1 * k, &crossings);
            worst = fmax(worst, tracking_error(world));
        }
        if (good && repeat == 0) {
            double nodes[3 * 201];
            fil_rod_get_positions(world, fil_world_find_rod(world, "rope"), nodes);
            const double apart = hypot(hypot(nodes[600] - nodes[0], nodes[601] - nodes[1]), nodes[602] - nodes[2]);
            fil_check_near(check, "distance of the ends (m)", apart, 1.09, 0.01);
            fil_check_above(check, "contacts in the tight knot", fil_world_contact_count(world), 3.0);
            fil_check_below(check, "strands passed through each other", crossings, 0.0);
            // weights of up to 25 N m on gains of 5000 N m/rad, and of 1 N m on 500
            fil_check_below(check, "joints away from the trajectory (rad)", worst, 0.01);
        }
        hashes[repeat] = good ? fil_world_hash(world) : (uint64_t)repeat;
        fil_world_destroy(world);
    }
    fil_check_below(check, "repeats that differ in a bit", hashes[0] != hashes[1], 0.0);
}
