/* Inverse kinematics: poses are reached within the joints' limits, trajectories given by poses pass through them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"

#define ROBOTS FILUM_SOURCE_DIR "/config/robots/"
enum { JOINTS = 9 };

static FilWorld* make_arm(FilId* robot)
{
    FilWorldDef def = fil_world_def_default();
    const FilRobotDef standard = fil_robot_def_default();
    FilWorld* world = NULL;
    assert_int_equal(fil_world_create(&def, &world, NULL), FIL_OK);
    if (fil_world_add_robot_urdf(world, &standard, ROBOTS "arm7_gripper.urdf", NULL, 0, NULL, 0, robot) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
    assert_int_equal(fil_robot_joint_count(world, *robot), JOINTS);
    return world;
}

static int find_link(const FilWorld* world, FilId robot, const char* name)
{
    for (int l = 0; l < fil_robot_link_count(world, robot); l++) {
        if (strcmp(fil_robot_link_name(world, robot, l), name) == 0) {
            return l;
        }
    }
    fail_msg("no link '%s'", name);
    return -1;
}

/* In [0, 1), the same in every run. */
static double uniform(uint64_t* state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static double turn_between(FilQuat a, FilQuat b)
{
    const double dot = fabs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
    return 2.0 * acos(fmin(dot, 1.0));
}

static double distance(FilVec3 a, FilVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

/* Poses of random joints, reached from joints elsewhere: the pose is met, no limit is passed. */
static void poses_are_reached_within_limits(void** state)
{
    (void)state;
    static const double limits[JOINTS] = {2.96, 2.09, 2.96, 2.4, 2.96, 2.09, 3.05, 0.04, 0.04};
    FilId robot;
    FilWorld* world = make_arm(&robot);
    uint64_t random = 7;
    const uint64_t before = fil_world_hash(world);
    FilReachDef def = fil_reach_def_default();
    def.link = find_link(world, robot, "pinch");
    int reached = 0;
    for (int k = 0; k < 200; k++) {
        double joints[JOINTS] = {0}, start[JOINTS] = {0};
        for (int j = 0; j < 7; j++) {
            joints[j] = (1.9 * uniform(&random) - 0.95) * limits[j];
            start[j] = fmin(fmax(joints[j] + 0.8 * uniform(&random) - 0.4, -limits[j]), limits[j]);
        }
        fil_robot_place_link(world, robot, def.link, joints, &def.position, &def.orientation);
        if (fil_robot_reach(world, robot, &def, start) != FIL_OK) {
            continue;  // a limit is in the way from there
        }
        reached++;
        FilVec3 position;
        FilQuat orientation;
        fil_robot_place_link(world, robot, def.link, start, &position, &orientation);
        assert_true(distance(position, def.position) < 1e-8);
        assert_true(turn_between(orientation, def.orientation) < 1e-7);  // acos near 1
        for (int j = 0; j < JOINTS; j++) {
            assert_true(fabs(start[j]) <= limits[j] + 1e-12);
        }
    }
    assert_in_range(reached, 190, 200);
    assert_true(fil_world_hash(world) == before);  // the robot stands where it stood
    fil_world_destroy(world);
}

/* Where the pose leaves a choice, joints go to the posture: the elbow turns about the line from shoulder to wrist. */
static void the_posture_is_followed_where_the_pose_allows(void** state)
{
    (void)state;
    FilId robot;
    FilWorld* world = make_arm(&robot);
    double joints[JOINTS] = {0.1, 0.7, 0.2, 1.4, -0.3, 0.9, 0.5, 0, 0}, posture[JOINTS];
    FilReachDef def = fil_reach_def_default();
    def.link = find_link(world, robot, "pinch");
    fil_robot_place_link(world, robot, def.link, joints, &def.position, &def.orientation);
    memcpy(posture, joints, sizeof posture);
    posture[2] = 0.8;
    def.posture = posture;
    def.posture_share = 0.2;
    for (int k = 0; k < 100; k++) {
        assert_int_equal(fil_robot_reach(world, robot, &def, joints), FIL_OK);
    }
    FilVec3 position;
    FilQuat orientation;
    fil_robot_place_link(world, robot, def.link, joints, &position, &orientation);
    assert_true(distance(position, def.position) < 1e-8);
    assert_true(joints[2] > 0.3);
    fil_world_destroy(world);
}

static void what_cannot_be_reached_is_refused(void** state)
{
    (void)state;
    FilId robot;
    FilWorld* world = make_arm(&robot);
    double joints[JOINTS] = {0.1, 0.7, 0.2, 1.4, -0.3, 0.9, 0.5, 0, 0}, copy[JOINTS];
    memcpy(copy, joints, sizeof copy);
    FilReachDef def = fil_reach_def_default();
    def.link = find_link(world, robot, "pinch");
    def.position = (FilVec3){2.0, 0.0, 0.3};
    assert_int_equal(fil_robot_reach(world, robot, &def, joints), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "link 'pinch' does not reach (2, 0, 0.3) m within its joints' limits"));
    def.position = (FilVec3){1.3, 0.0, 0.3};  // a little too far, too
    assert_int_equal(fil_robot_reach(world, robot, &def, joints), FIL_BAD_INPUT);
    assert_memory_equal(joints, copy, sizeof copy);
    def.position.x = NAN;
    assert_int_equal(fil_robot_reach(world, robot, &def, joints), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "not finite"));
    def.position.x = 0.5;
    def.orientation = (FilQuat){0};
    assert_int_equal(fil_robot_reach(world, robot, &def, joints), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "no rotation"));
    def.orientation.w = 1.0;
    def.tolerance = 0.0;
    assert_int_equal(fil_robot_reach(world, robot, &def, joints), FIL_BAD_INPUT);
    def.tolerance = 1e-9;
    def.link = 99;
    assert_int_equal(fil_robot_reach(world, robot, &def, joints), FIL_BAD_INPUT);
    assert_int_equal(fil_robot_reach(world, robot, NULL, joints), FIL_BAD_INPUT);
    assert_int_equal(fil_robot_reach(world, robot, &def, NULL), FIL_BAD_INPUT);
    FilVec3 position;
    FilQuat orientation;
    fil_robot_place_link(world, robot, 99, joints, &position, &orientation);
    assert_true(isnan(position.x));
    fil_world_destroy(world);
}

/* Random motions for a millisecond: the link moves so, to first order in damping and step, or its joints are at their limits. */
static void links_move_as_wanted(void** state)
{
    (void)state;
    FilId robot;
    FilWorld* world = make_arm(&robot);
    uint64_t random = 11;
    FilLinkMotionDef def = fil_link_motion_def_default();
    def.link = find_link(world, robot, "pinch");
    def.period = 1e-3;
    def.damping = 1e-4;
    int good = 0;
    for (int k = 0; k < 200; k++) {
        double joints[JOINTS] = {0.1, 0.7, 0.2, 1.4, -0.3, 0.9, 0.5, 0, 0}, copy[JOINTS];
        double w[6];
        for (int i = 0; i < 6; i++) {
            joints[i] += 0.6 * uniform(&random) - 0.3;
            w[i] = 0.2 * uniform(&random) - 0.1;
        }
        memcpy(copy, joints, sizeof copy);
        def.velocity = (FilVec3){w[0], w[1], w[2]};
        def.angular = (FilVec3){w[3], w[4], w[5]};
        FilVec3 from, to;
        FilQuat before, after;
        fil_robot_place_link(world, robot, def.link, joints, &from, &before);
        assert_int_equal(fil_robot_move_link(world, robot, &def, joints), FIL_OK);
        fil_robot_place_link(world, robot, def.link, joints, &to, &after);
        const FilVec3 wanted = {from.x + 1e-3 * w[0], from.y + 1e-3 * w[1], from.z + 1e-3 * w[2]};
        good += distance(to, wanted) < 2e-7 && fabs(turn_between(before, after) - 1e-3 * sqrt(w[3] * w[3] + w[4] * w[4] + w[5] * w[5])) < 2e-7;
        for (int j = 7; j < JOINTS; j++) {
            assert_true(joints[j] == copy[j]);  // of the fingers, which do not move the link
        }
    }
    assert_in_range(good, 195, 200);
    // a joint is not asked for more than it may do: 1 m/s is slowed, in its direction
    double joints[JOINTS] = {0.1, 0.7, 0.2, 1.4, -0.3, 0.9, 0.5, 0, 0}, copy[JOINTS];
    memcpy(copy, joints, sizeof copy);
    def.velocity = (FilVec3){20.0, 0.0, 0.0};
    def.angular = (FilVec3){0};
    assert_int_equal(fil_robot_move_link(world, robot, &def, joints), FIL_OK);
    double fastest = 0.0;
    for (int j = 0; j < JOINTS; j++) {
        fastest = fmax(fastest, fabs(joints[j] - copy[j]) / def.period / fil_robot_joint_max_velocity(world, robot, j));
    }
    assert_true(fabs(fastest - 1.0) < 1e-9);
    def.velocity.x = INFINITY;
    assert_int_equal(fil_robot_move_link(world, robot, &def, joints), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "motion of a link is not finite"));
    def.velocity.x = 0.0;
    def.period = 0.0;
    assert_int_equal(fil_robot_move_link(world, robot, &def, joints), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "a period and a damping above 0"));
    fil_world_destroy(world);
}

/* ---- scenes ---- */

#define HEAD                                                                                                                                    \
    "robots:\n  - {name: arm, urdf: ../robots/arm7_gripper.urdf, prefix: p_, trajectory_points: 500,\n"                                         \
    "     joints: [{gains: {stiffness: 1e5, damping: 1e3}}, {joint: lift, position: 0.6}, {joint: elbow, position: 1.5}, {joint: wrist_pitch, " \
    "position: 1}]}\n"

static FilStatus load(const char* text, FilWorld** world, FilError* error)
{
    return fil_scene_load_text(FILUM_SOURCE_DIR "/config/scenes/t.yaml", text, strlen(text), NULL, world, NULL, error);
}

/* Where the commands of this moment would have the link. */
static FilVec3 commanded(const FilWorld* world, FilId robot, const char* link, FilQuat* orientation)
{
    double joints[JOINTS];
    FilVec3 position;
    for (int j = 0; j < JOINTS; j++) {
        joints[j] = fil_robot_joint_command(world, robot, j).position;
    }
    fil_robot_place_link(world, robot, find_link(world, robot, link), joints, &position, orientation);
    return position;
}

static void trajectories_pass_through_poses(void** state)
{
    (void)state;
    static const char text[] = "world: {contact: none, dt: 0.01, gravity: [0, 0, 0]}\n" HEAD
                               "trajectories:\n"
                               "  - robot: arm\n"
                               "    link: pinch\n"
                               "    ramp: linear\n"
                               "    poses:\n"
                               "      - {time: 0, position: [0.45, -0.1, 0.3], toward: [0, 0, -1], across: [1, 0, 0], joints: {grip: 0.03}}\n"
                               "      - {after: 1, position: [0.55, 0.1, 0.1]}\n"
                               "      - {time: 2, move: [0, 0, 0.2], across: [0, 1, 0], joints: {grip: 0.01}}\n";
    FilWorld* world = NULL;
    FilError error = {{0}};
    if (load(text, &world, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    const FilId robot = fil_world_find_robot(world, "arm");
    FilQuat turn;
    // the robot starts in the first pose
    FilVec3 at;
    fil_link_pose(world, fil_world_find_link(world, "p_pinch"), &at, &turn);
    assert_true(distance(at, (FilVec3){0.45, -0.1, 0.3}) < 1e-6);
    double off = 0.0, between = 0.0;
    for (int k = 1; k <= 200; k++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        const double t = 0.01 * k, u = fmin(t, 1.0), w = fmax(t - 1.0, 0.0);
        at = commanded(world, robot, "p_pinch", &turn);
        const FilVec3 wanted = {0.45 + 0.1 * u, -0.1 + 0.2 * u, 0.3 - 0.2 * u + 0.2 * w};
        // points stand every 20 ms; half-way the spline's error shows, most near the corners
        double* worst = k % 2 == 0 ? &off : &between;
        *worst = fmax(*worst, distance(at, wanted));
    }
    assert_true(off < 1e-6);
    assert_true(between < 1e-3);
    assert_true(fabs(fil_robot_joint_command(world, robot, 7).position - 0.01) < 1e-9);
    // turned by a right angle: x points along y
    const double x_along_y = 2.0 * (turn.x * turn.y + turn.w * turn.z);
    assert_true(fabs(x_along_y - 1.0) < 1e-6);
    fil_world_destroy(world);
}

/* A rod joined to the link of a robot that a pose at time 0 places: joined where the robot then is. */
static void what_is_joined_is_joined_in_the_first_pose(void** state)
{
    (void)state;
    static const char text[] =
        "world: {contact: none, dt: 0.002, gravity: [0, 0, 0]}\n" HEAD
        "materials: {rubber: {young: 1e6, poisson: 0.5, density: 1000}}\n"
        "rods: [{name: lace, material: rubber, section: {circle: {radius: 0.002}},\n"
        "        shape: {straight: {from: [0.45, -0.1, 0.3], to: [0.45, -0.1, 0.2], nodes: 11}}}]\n"
        "joints: [{name: grip, attach: {rod: lace, node: 0, link: p_pinch}}]\n"
        "trajectories: [{robot: arm, link: pinch, poses: [{time: 0, position: [0.45, -0.1, 0.3], toward: [0, 0, -1], across: [1, 0, 0]}]}]\n";
    FilWorld* world = NULL;
    FilError error = {{0}};
    if (load(text, &world, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    for (int k = 0; k < 20; k++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    double nodes[3 * 11];
    fil_rod_get_positions(world, fil_world_find_rod(world, "lace"), nodes);
    assert_true(distance((FilVec3){nodes[0], nodes[1], nodes[2]}, (FilVec3){0.45, -0.1, 0.3}) < 1e-6);
    assert_true(distance((FilVec3){nodes[30], nodes[31], nodes[32]}, (FilVec3){0.45, -0.1, 0.2}) < 1e-6);
    fil_world_destroy(world);
}

#define POSES(rows) HEAD "trajectories:\n  - {robot: arm, link: pinch, poses: [" rows "]}\n"
#define FIRST "{time: 0, position: [0.45, -0.1, 0.3], toward: [0, 0, -1], across: [1, 0, 0]}"

static const struct {
    const char *text, *words;
} bad[] = {
    {HEAD "trajectories:\n  - {robot: arm, link: pnich, poses: [" FIRST "]}\n", "has no link 'pnich'; did you mean 'pinch'?"},
    {POSES(FIRST ", {after: 8, position: [0.45, -0.1, 1.9]}"), "does not reach"},
    {POSES(FIRST ", {after: 0.02, move: [0, 0.2, 0]}"), "per s, but may at"},
    {POSES(FIRST ", {after: 1, tme: 2}"), "unknown key 'tme'; did you mean 'time'?"},
    {POSES(FIRST ", {move: [0, 0, 0.1]}"), "one of 'time' and 'after'"},
    {POSES(FIRST ", {time: 0, move: [0, 0, 0.1]}"), "times must increase, but 0 follows 0"},
    {POSES(FIRST ", {after: 1, move: [0, 0, 0.1], position: [0, 0, 0]}"), "only one of 'position' and 'move'"},
    {POSES(FIRST ", {after: 1, toward: [1, 0, 0], across: [2, 0, 0]}"), "not parallel"},
    {POSES(FIRST ", {after: 1, toward: [1, 0, 0], rotation: [2, 0, 0]}"), "does not go with 'rotation'"},
    {POSES(FIRST ", {after: 1, joints: {girp: 0}}"), "did you mean 'grip'?"},
    {POSES(FIRST ", {after: 60, move: [0, 0, 0.1]}"), "has 1 to 500 points, not 3001"},
    {POSES(""), "needs a pose"},
    {HEAD "trajectories:\n  - {robot: arm, link: pinch, points: [[0, 0]], poses: [" FIRST "]}\n", "does not go with 'poses'"},
    {HEAD "trajectories:\n  - {robot: arm, link: pinch, joints: [lift], points: [[0, 0]]}\n", "does not go with 'points'"},
};

static void mistakes_are_named(void** state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        FilWorld* world = NULL;
        FilError error = {{0}};
        assert_int_equal(load(bad[k].text, &world, &error), FIL_BAD_INPUT);
        assert_null(world);
        if (strstr(error.text, "t.yaml:") == NULL || strstr(error.text, bad[k].words) == NULL) {
            fail_msg("expected '%s', got '%s'", bad[k].words, error.text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_are_reached_within_limits),
        cmocka_unit_test(the_posture_is_followed_where_the_pose_allows),
        cmocka_unit_test(what_cannot_be_reached_is_refused),
        cmocka_unit_test(links_move_as_wanted),
        cmocka_unit_test(trajectories_pass_through_poses),
        cmocka_unit_test(what_is_joined_is_joined_in_the_first_pose),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
