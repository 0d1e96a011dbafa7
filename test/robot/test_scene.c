/* Robots in scenes: what is written arrives, and mistakes are named with file, line and key. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "body/articulated.h"
#include "filum/filum.h"
#include "world/world.h"

static FilStatus load(const char* text, FilWorld** world, FilError* error)
{
    return fil_scene_load_text(FILUM_SOURCE_DIR "/config/scenes/t.yaml", text, strlen(text), NULL, world, NULL, error);
}

#define ARM "robots: [{name: arm, urdf: ../robots/arm6.urdf, prefix: p_}]\n"

static const struct {
    const char *text, *place, *words;
} bad[] = {
    {"robots: [{name: arm}]\n", "t.yaml:1: robots.arm", "urdf"},
    {"robots: [{name: arm, urdf: ../robots/none.urdf}]\n", "t.yaml:1: robots.arm", "none.urdf' cannot be opened"},
    {"robots: [{name: arm, urdf: ../robots/arm6.urdf, prefx: x}]\n", "t.yaml:1:", "did you mean 'prefix'?"},
    {"robots: [{name: arm, urdf: ../robots/arm6.urdf, joints: [{joint: elbwo}]}]\n", "t.yaml:1: robots.arm",
     "has no joint 'elbwo'; did you mean 'elbow'?"},
    {"robots: [{name: arm, urdf: ../robots/arm6.urdf, joints: [{joint: elbow, position: 3}]}]\n", "t.yaml:1: robots.arm",
     "joint 'elbow': it starts at 3, outside its limits"},
    {"robots: [{name: arm, urdf: ../robots/arm6.urdf, joints: [{commands: [pressure]}]}]\n",
     "t.yaml:1:", "position, velocity or effort, not 'pressure'"},
    {"robots: [{name: a, urdf: ../robots/arm6.urdf}, {name: b, urdf: ../robots/arm6.urdf}]\n", "t.yaml:1: robots.b",
     "'base_link' is empty or taken; a prefix makes names different"},
    {"robots: [{name: a, urdf: ../robots/arm6.urdf}, {name: b, prefix: b_, urdf: ../robots/arm6.urdf, mount: tol0}]\n", "t.yaml:1: robots.b.mount",
     "no robot before 'b' has a link 'tol0'; did you mean 'tool0'?"},
    {"robots: [{name: b, urdf: ../robots/arm6.urdf, mount: tool0}]\n", "t.yaml:1: robots.b.mount", "no robot before 'b'"},
    {"robots: [{name: b, urdf: ../robots/arm6.urdf, mount: tool0, floating: true}]\n", "t.yaml:1: robots.b.mount", "not both"},
    {ARM "trajectories: [{robot: amr, joints: [elbow], points: [[1, 0]]}]\n", "t.yaml:2:", "did you mean 'arm'?"},
    {ARM "trajectories: [{robot: arm, joints: [elbwo], points: [[1, 0]]}]\n", "t.yaml:2:", "did you mean 'elbow'?"},
    {ARM "trajectories: [{robot: arm, joints: [elbow], points: [[1, 0, 2]]}]\n", "t.yaml:2:", "2"},
    {ARM "trajectories: [{robot: arm, joints: [elbow], points: [[1, 0]], efforts: [[1], [2]]}]\n",
     "t.yaml:2:", "2 rows, but the trajectory has 1 points"},
    {ARM "trajectories: [{robot: arm, joints: [elbow], points: [[1, 0], [1, 2]]}]\n", "t.yaml:2:", "times must increase"},
    {ARM "trajectories: [{robot: arm, joints: [elbow], points: [[1, 0]]}, {robot: arm, joints: [elbow], points: [[1, "
         "0]]}]\n",
     "t.yaml:2:", "robot 'arm' has a trajectory already"},
    {ARM "joints: [{pin: {a: {link: p_tol0}, point: [0, 0, 0]}}]\n", "t.yaml:2:", "unknown link 'p_tol0'; did you mean 'p_tool0'?"},
    {ARM "joints: [{attach: {link: p_tool0}}]\n", "t.yaml:2:", "rod"},
    {ARM "probes: {x: {axis_position: {robot: arm, joint: tool}}}\n", "t.yaml:2:", "robot 'arm' has no joint 'tool'"},
    {ARM "drives: [{link: p_tool0, position: [0, 0, 1]}]\n", "t.yaml:2:", "does not act on 'link'"},
};

static void mistakes_are_named(void** state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        FilWorld* world = NULL;
        FilError error = {{0}};
        assert_int_equal(load(bad[k].text, &world, &error), FIL_BAD_INPUT);
        assert_null(world);
        if (strstr(error.text, bad[k].place) == NULL || strstr(error.text, bad[k].words) == NULL) {
            fail_msg("expected '%s' and '%s', got '%s'", bad[k].place, bad[k].words, error.text);
        }
    }
}

static void settings_groups_and_pairs_arrive(void** state)
{
    (void)state;
    static const char text[] =
        "world: {contact: sap, gravity: [0, 0, 0]}\n"
        "materials: {m: {density: 1000, friction: 0.4}}\n"
        "rigid_bodies: [{name: box, material: m, position: [0, 0, 2], shapes: [{sphere: {radius: 0.1}}]}]\n"
        "robots:\n"
        "  - name: arm\n"
        "    urdf: ../robots/arm6.urdf\n"
        "    prefix: p_\n"
        "    position: [1, 2, 3]\n"
        "    material: m\n"
        "    collision: {groups: [metal], with: [default]}\n"
        "    trajectory_points: 7\n"
        "    joints:\n"
        "      - {gains: {stiffness: 10, damping: 2}, armature: 0.5, limits: {stiffness: 1e4, damping: 5}}\n"
        "      - {joint: elbow, position: 0.4, velocity: 0.1, effort: 3, friction: 0.7, damping: 0.2, commands: "
        "[velocity]}\n"
        "pairs: [{a: box, b: p_tool0, friction: 0.9}]\n"
        "drives: [{link: p_tool0, force: [0, 0, 4]}]\n";
    FilWorld* world = NULL;
    FilError error;
    if (load(text, &world, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    const FilId id = fil_world_find_robot(world, "arm");
    const FilArticulated* robot = world->system.bodies[world->robots[0].body].impl;
    const int elbow = fil_robot_find_joint(world, id, "p_elbow");
    const FilRobotJointDef *e = &robot->joints[elbow].def, *first = &robot->joints[0].def;
    assert_true(e->stiffness_gain == 10.0 && e->damping_gain == 2.0 && e->armature == 0.5 && e->limit_stiffness == 1e4);
    assert_true(e->start_position == 0.4 && e->max_effort == 3.0 && e->friction == 0.7 && e->damping == 0.2);
    assert_true(first->friction == 0.2 && first->max_effort == 150.0 && first->limit_damping == 5.0);
    assert_int_equal(e->modes, FIL_JOINT_VELOCITY);
    assert_int_equal(robot->trajectory_points, 7);
    assert_int_equal(robot->collision.groups, 2);
    assert_int_equal(robot->collision.mask, 1);
    assert_true(robot->collision.surface.friction == 0.4);
    assert_int_equal(world->collision.pair_surface_count, 1);
    assert_true(world->collision.pair_surfaces[0].surface.friction == 0.9);
    // the force lifts the tool
    FilVec3 before, after;
    FilQuat turned;
    fil_link_pose(world, fil_world_find_link(world, "p_tool0"), &before, &turned);
    for (int k = 0; k < 100; k++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    fil_link_pose(world, fil_world_find_link(world, "p_tool0"), &after, &turned);
    assert_true(after.z > before.z + 1e-3);
    fil_world_destroy(world);
}

/* A box welded to a link without shapes overlaps the links that carry it, and does not collide with any of them; it
 * does with the others. */
static void attached_bodies_do_not_meet_what_carries_them(void** state)
{
    (void)state;
    static const char text[] =
        "world: {contact: sap, gravity: [0, 0, 0]}\n"
        "materials: {m: {density: 1000}}\n"
        "rigid_bodies:\n"
        "  - {name: on_flange, material: m, position: [0.83, 0, 0.3], shapes: [{box: {size: [0.03, 0.03, 0.03]}}]}\n"
        "  - {name: in_forearm, material: m, position: [0.5, 0, 0.3], shapes: [{box: {size: [0.05, 0.05, 0.05]}}]}\n"
        "robots: [{name: arm, urdf: ../robots/arm6.urdf, material: m}]\n"
        "joints:\n"
        "  - {attach: {body: on_flange, link: tool0}}\n"
        "  - {attach: {body: in_forearm, link: tool0}}\n";
    FilWorld* world = NULL;
    FilError error;
    if (load(text, &world, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    int inside = 0;
    for (int k = 0; k < fil_world_contact_count(world); k++) {
        const FilContactInfo info = fil_world_contact(world, k);
        const FilId flange = fil_world_find_rigid(world, "on_flange"), forearm = fil_world_find_rigid(world, "in_forearm");
        assert_true(info.a.index != flange.index && info.b.index != flange.index);
        inside += info.a.index == forearm.index || info.b.index == forearm.index;
    }
    assert_true(inside > 0);
    fil_world_destroy(world);
}

/* A robot is mounted on another's link by name: it stands there in the link's frame, the weld carries its weight, and it goes along. */
static void a_robot_stands_on_anothers_link(void** state)
{
    (void)state;
    static const char text[] =
        "world: {dt: 0.001, contact: sap_lagged}\n"
        "robots:\n"
        "  - {name: below, urdf: ../robots/arm6.urdf, prefix: a_, joints: [{gains: {stiffness: 1e5, damping: 3e3}, effort: 1e4}]}\n"
        "  - {name: above, urdf: ../robots/arm6.urdf, prefix: b_, mount: a_tool0, position: [0, 0.02, 0.05], rotation: [0, 0, 0.5],\n"
        "     joints: [{gains: {stiffness: 1e5, damping: 3e3}, effort: 1e4}]}\n"
        "trajectories: [{robot: below, joints: [elbow], interpolation: linear, points: [[0.5, 0], [1, 0.15]]}]\n";
    FilWorld* world = NULL;
    FilError error;
    if (load(text, &world, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    const FilId tool = fil_world_find_link(world, "a_tool0"), root = fil_world_find_link(world, "b_base_link");
    const FilId mount = fil_world_find_joint(world, "above_mount");
    FilVec3 at, origin, first;
    FilQuat turn, root_turn;
    fil_link_pose(world, root, &first, &root_turn);
    double worst = 0.0;
    for (int k = 0; k < 1200; k++) {
        double r[9], back[3];
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        fil_link_pose(world, tool, &origin, &turn);
        fil_link_pose(world, root, &at, &root_turn);
        fil_m3_from_quat(r, turn);
        fil_m3_apply_transposed(back, r, (const double[3]){at.x - origin.x, at.y - origin.y, at.z - origin.z});
        worst = fmax(worst, fmax(fabs(back[0]), fmax(fabs(back[1] - 0.02), fabs(back[2] - 0.05))));
        if (k == 399) {
            // a robot of 11.7 kg
            print_message("weld carries %g N\n", fil_joint_force(world, mount).z);
            assert_true(fabs(-fil_joint_force(world, mount).z / (11.7 * 9.81) - 1.0) < 0.02);
        }
    }
    print_message("mounted robot off by %g m at most, moved by %g m\n", worst, at.z - first.z);
    assert_true(worst < 1e-4 && fabs(at.z - first.z) > 0.05);  // yields as joints do, by dt^2/(4 pi^2) of what accelerates
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(settings_groups_and_pairs_arrive),
        cmocka_unit_test(attached_bodies_do_not_meet_what_carries_them),
        cmocka_unit_test(a_robot_stands_on_anothers_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
