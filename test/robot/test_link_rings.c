/* What robots hold beside rods and rigid bodies: rings on rods and vertices of cloth, fixed to links. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "filum/ring.h"
#include "filum/shell.h"
#include "sample.h"
#include "scenes.h"

/* A gripper above a rope that is pinned at both ends; what follows names rings and joints. */
#define LIFTED(rest)                                                                \
    "world: {dt: 1e-3, contact: ipc}\n"                                             \
    "materials:\n"                                                                  \
    "  rope: {young: 1e6, poisson: 0.5, density: 1000}\n"                           \
    "  cotton: {young: 1e5, poisson: 0.3, density: 200}\n"                          \
    "rods:\n"                                                                       \
    "  - name: rope\n"                                                              \
    "    material: rope\n"                                                          \
    "    section: {circle: {radius: 0.003}}\n"                                      \
    "    shape: {straight: {nodes: 41, from: [-0.4, 0, 0.5], to: [0.4, 0, 0.5]}}\n" \
    "    damping: {mass: 2, stiffness: 1e-3}\n"                                     \
    "attachments: [{pin: {rod: rope, node: 0}}, {pin: {rod: rope, node: 40}}]\n"    \
    "robots:\n"                                                                     \
    "  - name: arm\n"                                                               \
    "    urdf: " FILUM_SOURCE_DIR                                                   \
    "/config/robots/gripper.urdf\n"                                                 \
    "    position: [0, 0, 0.8]\n"                                                   \
    "    joints: [{gains: {stiffness: 5000, damping: 200}}]\n"                      \
    "trajectories: [{robot: arm, joints: [lift], points: [[0.1, 0], [0.8, 0.15]]}]\n" rest

static double lift_of(const FilWorld* world)
{
    return fil_robot_joint_state(world, fil_world_find_robot(world, "arm"), 0).position;
}

/* A ring of its own mass rises with the link and takes the rope along, which slides through it. */
static void a_ring_follows_its_link(void** state)
{
    (void)state;
    FilWorld* world =
        load_text(LIFTED("rings: [{name: eye, rod: rope, range: 0.005, stiffness: 100, point: {mass: 0.01, position: [0.02, 0, 0.5]}}]\n"
                         "joints: [{name: hook, attach: {ring: eye, link: palm}}]\n"));
    const FilId eye = fil_world_find_ring(world, "eye"), rope = fil_world_find_rod(world, "rope");
    const FilId hook = fil_world_find_joint(world, "hook");
    (void)sample_run(world, 2000);
    const FilVec3 at = fil_ring_position(world, eye);
    const double lift = lift_of(world);
    assert_true(lift > 0.14);
    // as rigid as a step can resolve: a load of some newtons on 10 g gives way by F dt^2 / (4 pi^2 m)
    assert_true(sample_distance(at, (FilVec3){0.02, 0.0, 0.5 + lift}) < 1e-4);
    assert_true(fil_ring_threaded(world, eye) && fil_ring_distance(world, eye) < 0.005);
    assert_true(sample_node(world, rope, 20).z > 0.6);
    // at rest the hook bears what the rope pulls with, and the ring's weight; on the link it points down
    const FilVec3 force = fil_joint_force(world, hook);
    const double pull = fil_ring_force(world, eye);
    assert_true(pull > 1.0 && fabs(hypot(force.x, force.z + 0.01 * 9.81) - pull) < 0.02 * pull);
    fil_world_destroy(world);
}

/* A ring that is a vertex of a sheet: the vertex is what the link holds. */
static void a_ring_of_a_sheet_is_its_vertex(void** state)
{
    (void)state;
    FilWorld* world =
        load_text(LIFTED("shells:\n"
                         "  - {name: cloth, material: cotton, thickness: 0.001, damping: {mass: 2, stiffness: 0},\n"
                         "     sheet: {corner: [0, 0.1, 0.5], along: [0, 0.1, 0], across: [0, 0, -0.1], columns: 5, rows: 5}}\n"
                         "rings: [{name: eye, rod: rope, range: 0.2, stiffness: 1, node: {shell: cloth, vertex: 0}}]\n"
                         "joints: [{name: hook, attach: {ring: eye, link: palm}}]\n"));
    const FilId eye = fil_world_find_ring(world, "eye");
    const FilVec3 before = fil_ring_position(world, eye);
    (void)sample_run(world, 1200);
    const FilVec3 after = fil_ring_position(world, eye);
    assert_true(lift_of(world) > 0.14);
    // 0.3 N on a vertex of 50 mg: F dt^2 / (4 pi^2 m) is 0.16 mm
    assert_true(sample_distance(after, (FilVec3){before.x, before.y, before.z + lift_of(world)}) < 3e-4);
    fil_world_destroy(world);
}

/* A sheet held at two corners hangs from the link with all its weight. */
static void a_link_holds_cloth(void** state)
{
    (void)state;
    FilWorld* world =
        load_text(LIFTED("shells:\n"
                         "  - {name: cloth, material: cotton, thickness: 0.001, damping: {mass: 4, stiffness: 1e-3},\n"
                         "     sheet: {corner: [0, 0.2, 0.5], along: [0, 0.1, 0], across: [0, 0, -0.1], columns: 5, rows: 5}}\n"
                         "joints:\n"
                         "  - {name: one, attach: {shell: cloth, vertex: 0, link: palm}}\n"
                         "  - {name: two, attach: {shell: cloth, vertex: 4, link: palm}}\n"));
    (void)sample_run(world, 4000);
    const double force = fil_joint_force(world, fil_world_find_joint(world, "one")).z + fil_joint_force(world, fil_world_find_joint(world, "two")).z;
    const double weight = 200.0 * 0.001 * 0.1 * 0.1 * 9.81;
    assert_true(fabs(force + weight) < 0.01 * weight);  // on the link
    fil_world_destroy(world);
}

/* A rigid hoop around the rope turns and rises with its link. */
static void a_hoop_follows_its_link(void** state)
{
    (void)state;
    FilWorld* world =
        load_text(LIFTED("rigid_bodies:\n"
                         "  - {name: hoop, mass: 0.05, inertia: [1e-5, 1e-5, 2e-5, 0, 0, 0], position: [0, 0, 0.5], "
                         "collision: {enabled: false}}\n"
                         "rings: [{name: eye, rod: rope, range: 1e-3, stiffness: 1e4, hole: {rigid_body: hoop, axis: [1, 0, "
                         "0], radius: 0.01}}]\n"
                         "joints: [{name: hook, attach: {ring: eye, link: palm}}]\n"));
    (void)sample_run(world, 1200);
    const FilVec3 at = sample_position(world, fil_world_find_rigid(world, "hoop"));
    assert_true(lift_of(world) > 0.14);
    assert_true(sample_distance(at, (FilVec3){0.0, 0.0, 0.5 + lift_of(world)}) < 1e-4);
    assert_true(fil_ring_threaded(world, fil_world_find_ring(world, "eye")));
    FilVec3 place;
    FilQuat turned;
    fil_rigid_get_pose(world, fil_world_find_rigid(world, "hoop"), &place, &turned);
    assert_true(fabs(fabs(turned.w) - 1.0) < 1e-6);  // a weld: it has not turned
    fil_world_destroy(world);
}

static void what_makes_no_sense_is_refused(void** state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {LIFTED("joints: [{name: hook, attach: {ring: eye, link: palm}}]\n"), "joints.hook.attach.ring: unknown ring 'eye'"},
        {LIFTED("rings: [{name: eye, rod: rope, range: 0.005, stiffness: 100, point: {mass: 0.01, position: [0, 0, "
                "0.5]}}]\n"
                "joints: [{name: hook, attach: {ring: eye, node: 1, link: palm}}]\n"),
         "joints.hook.attach.node: ring 'eye' has no nodes"},
        {LIFTED("joints: [{name: hook, attach: {rod: rope, node: 1, vertex: 2, link: palm}}]\n"),
         "joints.hook.attach.vertex: rod 'rope' has no vertices"},
        {LIFTED("rings: [{name: eye, rod: rope, range: 0.005, stiffness: 100, point: {mass: 0.01, position: [0, 0, "
                "0.5]}}]\n"
                "joints: [{name: hook, bushing: {a: {ring: eye}, b: {link: palm}, stiffness: 10, angular_stiffness: "
                "1}}]\n"),
         "a point has no angle that a bushing could hold"},
        {LIFTED("rings: [{name: eye, rod: rope, range: 0.005, stiffness: 100, point: {mass: 0.01, position: [0, 0, "
                "0.5]}}]\n"
                "joints: [{name: hook, pin: {a: {ring: eye}, b: {link: palm}, point: [0, 0, 0]}}]\n"),
         "joints.hook.pin.point: the point of this joint is"},
        {LIFTED("shells:\n"
                "  - {name: cloth, material: cotton, thickness: 0.001,\n"
                "     sheet: {corner: [0, 0.2, 0.5], along: [0, 0.1, 0], across: [0, 0, -0.1], columns: 5, rows: 5}}\n"
                "joints: [{name: hook, attach: {shell: cloth, vertex: 100, link: palm}}]\n"),
         "joints.hook.attach.vertex: "},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        FilWorld* world = NULL;
        FilError error = {{0}};
        if (fil_scene_load_text("test", cases[k].text, strlen(cases[k].text), NULL, &world, NULL, &error) != FIL_BAD_INPUT) {
            fail_msg("case %zu is not refused", k);
        }
        if (strstr(error.text, cases[k].says) == NULL) {
            fail_msg("'%s' does not say '%s'", error.text, cases[k].says);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_follows_its_link), cmocka_unit_test(a_ring_of_a_sheet_is_its_vertex), cmocka_unit_test(a_link_holds_cloth),
        cmocka_unit_test(a_hoop_follows_its_link), cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
