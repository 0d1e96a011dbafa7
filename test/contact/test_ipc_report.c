/* What contacts of barriers tell: normal forces, friction and slip. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"
#include "scenes.h"

/* A box that slides, and one that an inclined gravity cannot move. */
static FilWorld* load(const char* gravity, const char* velocity)
{
    char text[1024];
    snprintf(text, sizeof text,
             "world: {dt: 1e-3, contact: ipc, gravity: %s}\n"
             "materials: {wood: {density: 500, friction: 0.4}}\n"
             "rigid_bodies:\n"
             "  - {name: ground, motion: static, material: wood, shapes: [{half_space: {}}]}\n"
             "  - {name: box, material: wood, mass: 2, position: [0, 0, 0.051], velocity: %s,\n"
             "     shapes: [{box: {size: [0.2, 0.2, 0.1]}}]}\n",
             gravity, velocity);
    return load_text(text);
}

static void sliding_boxes_are_braked(void** state)
{
    (void)state;
    FilWorld* world = load("[0, 0, -9.81]", "[2, 1, 0]");
    const FilId box = fil_world_find_rigid(world, "box");
    (void)sample_run(world, 300);
    FilVec3 force, torque;
    fil_world_contact_wrench(world, box, &force, &torque);
    const FilVec3 v = sample_velocity(world, box);
    const double speed = hypot(v.x, v.y), weight = 2.0 * 9.81;
    assert_true(speed > 0.5);
    assert_true(fabs(force.z - weight) < 1e-3 * weight);
    // friction follows the normal force of the step before, which has settled
    assert_true(fabs(force.x + 0.4 * weight * v.x / speed) < 2e-3 * weight);
    assert_true(fabs(force.y + 0.4 * weight * v.y / speed) < 2e-3 * weight);
    assert_true(fil_world_contact_count(world) >= 4);
    for (int k = 0; k < fil_world_contact_count(world); k++) {
        const FilContactInfo contact = fil_world_contact(world, k);
        const double sign = contact.b.index == box.index ? 1.0 : -1.0;
        assert_true(hypot(contact.slip.x - sign * v.x, contact.slip.y - sign * v.y) < 0.02 * speed);
    }
    fil_world_destroy(world);
}

static void resting_boxes_are_held(void** state)
{
    (void)state;
    FilWorld* world = load("[3, 0, -9.81]", "[0, 0, 0]");
    const FilId box = fil_world_find_rigid(world, "box");
    (void)sample_run(world, 400);
    FilVec3 force, torque;
    fil_world_contact_wrench(world, box, &force, &torque);
    assert_true(fabs(force.x + 2.0 * 3.0) < 1e-3 * 6.0);
    assert_true(fabs(force.z - 2.0 * 9.81) < 1e-3 * 19.62);
    assert_true(fabs(sample_velocity(world, box).x) < 1e-5);
    fil_world_destroy(world);
}

/* Edges that lie along each other push with their ends as well: all of that is reported. */
static void parallel_edges_bear_the_weight(void** state)
{
    (void)state;
    static const char text[] =
        "world: {dt: 1e-3, contact: ipc}\n"
        "materials: {rubber: {young: 1e+7, poisson: 0.4, density: 1000, friction: 0.3}}\n"
        "rigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}]}]\n"
        "rods:\n"
        "  - {name: upper, material: rubber, section: {circle: {radius: 0.008}}, rest: initial, damping: {stiffness: 2e-3},\n"
        "     shape: {ring: {center: [0, 0, 0.025], radius: 0.035, nodes: 16}}}\n"
        "  - {name: lower, material: rubber, section: {circle: {radius: 0.008}}, rest: initial, damping: {stiffness: 2e-3},\n"
        "     shape: {ring: {center: [0, 0, 0.0085], radius: 0.035, nodes: 16}}}\n";
    FilWorld* world = load_text(text);
    (void)sample_run(world, 300);
    FilVec3 upper, lower, torque;
    fil_world_contact_wrench(world, fil_world_find_rod(world, "upper"), &upper, &torque);
    fil_world_contact_wrench(world, fil_world_find_rod(world, "lower"), &lower, &torque);
    // two rings of equal weight: of a polygon of 16 sides around a circle of 35 mm
    const double pi = acos(-1.0), weight = 9.81 * 1000.0 * pi * 0.008 * 0.008 * 16.0 * 2.0 * 0.035 * sin(pi / 16.0);
    assert_true(fabs(upper.z - weight) < 1e-5 * weight);
    assert_true(fabs(lower.z - weight) < 1e-5 * weight);
    fil_world_destroy(world);
}

/* What rods that cross, held with their surfaces 0.05 mm apart, push each other by, N. The first crosses the second, which is made before it if
 * `second_first`, in its middle, and is itself crossed `along` (m) behind its middle node. */
static double push_of_crossing(double along, bool second_first)
{
    enum { HELD = 11 };
    const FilVec3 still = {0.0, 0.0, 0.0}, from[2] = {{-0.05 - along, 0.0, 0.0}, {0.005, -0.055, 0.01005}},
                  step[2] = {{0.01, 0.0, 0.0}, {0.0, 0.01, 0.0}};
    FilWorld* world = sample_world("ipc", 1e-3);
    FilIpcSettings ipc = fil_world_ipc_settings(world);
    FilId rods[2];
    ipc.stiffness = 1000.0;  // given: without, what is held pushes nothing
    assert_int_equal(fil_world_set_ipc_settings(world, &ipc), FIL_OK);
    for (int k = 0; k < 2; k++) {
        const int rod = second_first ? 1 - k : k;
        FilAttachmentDef def = fil_attachment_def_default();
        FilId hold;
        rods[rod] = sample_rod(world, HELD, 5e-3, from[rod], step[rod], still);
        def.kind = FIL_ATTACH_PIN;
        def.object = rods[rod];
        def.count = HELD;
        assert_int_equal(fil_world_add_attachment(world, &def, &hold), FIL_OK);
    }
    (void)sample_run(world, 2);
    FilVec3 force, torque;
    fil_world_contact_wrench(world, rods[0], &force, &torque);
    fil_world_destroy(world);
    return -force.z;
}

/* Edges on both sides of a node share what touches there: where along a rod it is crossed makes little difference, and which rod is named first none.
 */
static void nodes_are_no_harder_than_edges(void** state)
{
    (void)state;
    const double middle = push_of_crossing(0.0, false);
    assert_true(middle > 0.0);
    for (int k = 1; k < 6; k++) {
        // beside the node, the edge that ends there is a little farther away than its share takes it to be; without shares a node pushes twice
        const double along = 0.001 * k, push = push_of_crossing(along, false), bump = k == 5 ? 1e-6 : 0.05;
        assert_true(fabs(push - middle) < bump * middle);
        assert_true(fabs(push_of_crossing(along, true) - push) < 1e-9 * push);
    }
}

/* A heap of rods that fall on each other from all sides. */
static FilWorld* heap(void)
{
    FilWorld* world = sample_world("ipc", 2e-3);
    sample_ground(world);
    for (int k = 0; k < 8; k++) {
        const double turn = 0.4 + 0.8 * k, c = cos(turn), s = sin(turn), away = 0.004 * (k % 3);
        sample_rod(world, 9, 4e-3, (FilVec3){away - 0.04 * c, -0.04 * s, 0.006 + 0.009 * k}, (FilVec3){0.01 * c, 0.01 * s, 0.0},
                   (FilVec3){k % 2 == 0 ? 0.3 : -0.3, 0.1 * (k % 3), -0.5 * (k > 3)});
    }
    return world;
}

/* The order in which pairs were found, which depends on where objects have been, changes no bit. */
static void heaps_go_on_alike(void** state)
{
    (void)state;
    FilWorld *world = heap(), *other = heap();
    (void)sample_run(world, 40);
    assert_true(fil_world_contact_count(world) > 10);
    const size_t size = fil_world_snapshot_size(world);
    void* snapshot = malloc(size);
    assert_non_null(snapshot);
    fil_world_save(world, snapshot);
    assert_int_equal(fil_world_restore(other, snapshot, size), FIL_OK);
    for (int n = 0; n < 10; n++) {
        (void)sample_run(world, 1);
        (void)sample_run(other, 1);
        assert_true(fil_world_hash(world) == fil_world_hash(other));
    }
    free(snapshot);
    fil_world_destroy(world);
    fil_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sliding_boxes_are_braked), cmocka_unit_test(resting_boxes_are_held),
                                       cmocka_unit_test(parallel_edges_bear_the_weight), cmocka_unit_test(nodes_are_no_harder_than_edges),
                                       cmocka_unit_test(heaps_go_on_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
