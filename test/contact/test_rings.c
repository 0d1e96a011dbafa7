/* ctest: wrap-malloc */
/* Rings and holes on rods: over junctions, off free ends, against held ones, with play; scripted ones; memory and
 * snapshots. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "heap_calls.h"
#include "random.h"
#include "scenes.h"

#define HEAD                                                           \
    "world: {gravity: [0, 0, -10], dt: 0.001, contact: ipc}\n"         \
    "materials: {stiff: {young: 1e12, poisson: 0.3, density: 1000}}\n" \
    "rods:\n"
#define ROD(name, from, to) \
    "  - {name: " name ", material: stiff, section: {circle: {radius: 0.005}}, shape: {straight: {from: " from ", to: " to ", nodes: 21}}}\n"
#define HOOP(position)                                                                               \
    "rigid_bodies: [{name: hoop, motion: dynamic, mass: 0.1, inertia: [1e-3, 5e-4, 5e-4, 0, 0, 0], " \
    "position: " position "}]\n"

static void step(FilWorld* world)
{
    if (fil_world_step(world, NULL) != FIL_OK) {
        print_error("%s\n", fil_world_error(world));
        fail();
    }
}

static FilId ring_of(const FilWorld* world)
{
    return fil_world_find_ring(world, "ring");
}

/* down a slope, over a node that two rods share, and down the next: never faster than its fall allows, never back */
static void test_junction(void** state)
{
    (void)state;
    FilWorld* world = load_text(HEAD ROD("steep", "[0, 0, 0]", "[0.4, 0, -0.3]") ROD(
        "gentle", "[0.4, 0, -0.3]",
        "[0.88, 0.06, -0.44]") "junctions: [{a: {rod: steep, node: -1}, b: {rod: gentle, node: 0}}]\n"
                               "attachments:\n"
                               "  - {name: a, clamp: {rod: steep, node: 0}}\n"
                               "  - {name: b, clamp: {rod: gentle, node: -1}}\n"
                               "rings: [{name: ring, rods: [steep, gentle], range: 0.001, stiffness: 1000, point: "
                               "{mass: 0.001, position: [0.08, 0, -0.06], settled: true}}]\n");
    const FilId ring = ring_of(world);
    double travel = fil_ring_travel(world, ring), before = 0.0;
    const double start = fil_ring_position(world, ring).z;
    while (fil_world_time(world) < 0.52) {
        step(world);
        const double now = fil_ring_travel(world, ring);
        const FilVec3 v = fil_ring_velocity(world, ring);
        const double speed = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
        assert_true(fil_ring_threaded(world, ring));
        assert_true(now > travel);
        assert_true(now - travel < 1.05e-3 * speed + 1e-6);  // no jump from rod to rod
        travel = now;
        before = travel < 0.49 ? speed : before;
    }
    const FilVec3 v = fil_ring_velocity(world, ring);
    const double speed = sqrt(v.x * v.x + v.y * v.y + v.z * v.z), fall = start - fil_ring_position(world, ring).z;
    assert_true(travel > 0.8);  // well on the second rod, which begins at 0.5
    // smooth rods: v^2 = 2 g h, less what backward Euler takes: in the bend, of radius some edges, a few hundredths
    assert_true(fabs(before * before / (2.0 * 10.0 * (start + 0.294)) - 1.0) < 0.03);
    assert_true(speed * speed / (2.0 * 10.0 * fall) < 1.0 && speed * speed / (2.0 * 10.0 * fall) > 0.93);
    fil_world_destroy(world);
}

/* past the free end it falls for good, even where the rod is near */
static void free_end(FilWorld* world, double max)
{
    const FilId ring = ring_of(world);
    while (fil_ring_threaded(world, ring) && fil_world_time(world) < max) {
        step(world);
    }
    assert_false(fil_ring_threaded(world, ring));
    assert_true(fil_world_time(world) > 0.1);
    const FilVec3 v0 = fil_ring_velocity(world, ring), x0 = fil_ring_position(world, ring);
    assert_true(fabs(x0.x - 0.4) < 0.03);  // the end; a hoop that leans has its centre 0.023 m before it
    assert_true(fil_ring_force(world, ring) == 0.0 && fil_ring_distance(world, ring) == 0.0);
    for (int k = 0; k < 50; ++k) {
        step(world);
        assert_false(fil_ring_threaded(world, ring));
    }
    const FilVec3 v1 = fil_ring_velocity(world, ring);
    // what hangs straight keeps its speed and falls freely
    assert_true(fabs(v1.z - (v0.z - 10.0 * 0.05)) < 0.02 && fabs(v1.x - v0.x) < 0.02);
}

static void test_free_end(void** state)
{
    (void)state;
    static const char* const rod = HEAD ROD("rod", "[0, 0, 0]", "[0.4, 0, -0.1]") "attachments: [{name: hold, clamp: {rod: rod, node: 0}}]\n";
    char text[2048];
    snprintf(text, sizeof text, "%s%s", rod,
             "rings: [{name: ring, rod: rod, range: 0.001, stiffness: 1000, point: {mass: 0.001, position: [0.3, 0, "
             "-0.075], settled: true}}]\n");
    FilWorld* world = load_text(text);
    free_end(world, 0.6);
    fil_world_destroy(world);
    snprintf(text, sizeof text, "%s%s", rod,
             HOOP("[0.277, 0, -0.161]") "rings: [{name: ring, rod: rod, range: 0.001, stiffness: 1e4, hole: {rigid_body: hoop, axis: [1, 0, -0.25], radius: 0.1}}]\n");
    world = load_text(text);
    free_end(world, 0.6);
    fil_world_destroy(world);
}

/* a held end stops a hoop, and it stays threaded */
static void test_held_end(void** state)
{
    (void)state;
    FilWorld* world = load_text(HEAD ROD("rod", "[0, 0, 0]", "[0.4, 0, -0.1]") HOOP(
        "[0.277, 0, -0.161]") "attachments: [{name: hold, clamp: {rod: rod, node: 0}}, {name: stop, clamp: {rod: rod, "
                              "node: -1}}]\n"
                              "rings: [{name: ring, rod: rod, range: 0.001, stiffness: 1e4, friction: 0.1, hole: "
                              "{rigid_body: hoop, axis: [1, 0, -0.25], radius: 0.1}}]\n");
    const FilId ring = ring_of(world);
    double max = 0.0;
    for (int k = 0; k < 2000; ++k) {
        step(world);
        assert_true(fil_ring_threaded(world, ring));
        max = fmax(max, fil_ring_travel(world, ring));
    }
    const double length = sqrt(0.4 * 0.4 + 0.1 * 0.1);
    assert_true(max > length - 1e-3 && max < length + 1e-3);  // beyond the end by less than the range
    fil_world_destroy(world);
}

/* a ring with an offset falls freely through its play, and then hangs by it */
static void test_offset(void** state)
{
    (void)state;
    FilWorld* world = load_text(HEAD ROD(
        "rod", "[-0.2, 0, 0]",
        "[0.2, 0, 0]") "attachments: [{name: a, clamp: {rod: rod, node: 0}}, {name: b, clamp: {rod: rod, node: -1}}]\n"
                       "rings: [{name: ring, rod: rod, offset: 0.05, range: 0.002, stiffness: 1000, friction: 0.5, "
                       "point: {mass: 0.001, position: [0.01, 0, 0.03]}}]\n");
    const FilId ring = ring_of(world);
    while (fil_ring_position(world, ring).z > -0.045) {
        const double t = fil_world_time(world), z = fil_ring_position(world, ring).z;
        assert_true(fil_ring_force(world, ring) == 0.0 && fil_ring_energy_stored(world, ring) == 0.0);
        assert_true(fabs(z - (0.03 - 5.0 * t * (t + 0.001))) < 1e-9);  // backward Euler's fall
        step(world);
    }
    for (int k = 0; k < 1500; ++k) {
        step(world);
        assert_true(fil_ring_distance(world, ring) < 0.052);
    }
    assert_true(fil_ring_distance(world, ring) > 0.05);
    assert_true(fabs(fil_ring_force(world, ring) - 0.01) < 1e-4);  // its weight
    fil_world_destroy(world);
}

/* a scripted hole carries a rod along, and static ones let it slide through */
static void test_scripted_hole(void** state)
{
    (void)state;
    FilWorld* world = load_text(
        "world: {gravity: [0, 0, 0], dt: 0.001, contact: ipc}\n"
        "materials: {soft: {young: 1e7, poisson: 0.3, density: 1000}}\n"
        "rods: [{name: rod, material: soft, section: {circle: {radius: 0.005}}, shape: {straight: {from: [0, 0, 0], "
        "to: [0.5, 0, 0], nodes: 21}}}]\n"
        "rigid_bodies: [{name: eye, motion: kinematic, position: [0.4, 0, 0]}]\n"
        "attachments: [{name: hold, clamp: {rod: rod, node: 0}}]\n"
        "drives: [{name: lift, body: eye, velocity: [0, 0, 0.2]}]\n"
        "rings: [{name: ring, rod: rod, range: 0.005, stiffness: 1e3, friction: 0.3, hole: {rigid_body: eye, axis: [1, "
        "0, 0], radius: 0.02}}]\n");
    const FilId ring = ring_of(world), rod = fil_world_find_rod(world, "rod");
    for (int k = 0; k < 450; ++k) {
        step(world);
        assert_true(fil_ring_threaded(world, ring));
        assert_true(fil_ring_distance(world, ring) < 0.015);
    }
    assert_true(fabs(fil_ring_position(world, ring).z - 0.09) < 1e-9 && fabs(fil_ring_velocity(world, ring).z - 0.2) < 1e-9);
    double nodes[3 * 21];
    fil_rod_get_positions(world, rod, nodes);
    assert_true(nodes[3 * 16 + 2] > 0.07);  // near the eye
    fil_world_destroy(world);
}

/* a hoop that is set beside its rod is refused, by name; set back it goes on */
static void test_set_elsewhere(void** state)
{
    (void)state;
    FilWorld* world = load_text(HEAD ROD("rod", "[0, 0, 0]", "[1.4, 0, 0]") HOOP(
        "[0.3, 0, -0.0942]") "attachments: [{name: hold, clamp: {rod: rod, node: 0}}, {name: stop, clamp: {rod: rod, "
                             "node: -1}}]\n"
                             "rings: [{name: ring, rod: rod, range: 0.001, stiffness: 1e4, hole: {rigid_body: hoop, "
                             "axis: [1, 0, 0], radius: 0.1}}]\n");
    const FilId hoop = fil_world_find_rigid(world, "hoop");
    const FilVec3 still = {0.0, 0.0, 0.0};
    const FilQuat upright = {0.0, 0.0, 0.0, 1.0}, across = {0.0, 0.0, sqrt(0.5), sqrt(0.5)};
    step(world);
    const struct {
        FilVec3 position;
        FilQuat orientation;
    } wrong[] = {{{0.3, 0.0, -0.2}, upright}, {{0.3, 0.0, 0.0}, across}};
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(fil_rigid_set_state(world, hoop, wrong[k].position, wrong[k].orientation, still, still), FIL_OK);
        assert_int_equal(fil_world_step(world, NULL), FIL_BAD_INPUT);
        assert_non_null(strstr(fil_world_error(world), "ring 'ring'"));
        assert_int_equal(fil_rigid_set_state(world, hoop, (FilVec3){0.3, 0.0, -0.05}, upright, still, still), FIL_OK);
        step(world);
    }
    fil_world_destroy(world);
}

/* hoops thrown about on soft and stiff rods, closed ones, too: every step succeeds, and the rod stays inside */
static void test_wild_hoops(void** state)
{
    (void)state;
    Random random = {51};
    for (int round = 0; round < 12; ++round) {
        const bool loop = round % 3 == 0;
        const double radius = random_between(&random, 0.02, 0.1), mass = pow(10.0, random_between(&random, -3.0, 0.0));
        const double mu[] = {0.0, 0.1, 0.5, 1.0}, inertia = mass * radius * radius;
        double n[9];
        for (int k = 0; k < 9; ++k) {
            n[k] = random_between(&random, -1.0, 1.0);
        }
        char text[2048];
        snprintf(text, sizeof text,
                 "world: {gravity: [0, 0, -9.81], dt: 0.001, contact: ipc}\n"
                 "materials: {soft: {young: %g, poisson: 0.3, density: 1000}}\n"
                 "rods: [{name: rod, material: soft, section: {circle: {radius: 0.003}}, shape: %s}]\n"
                 "attachments: [{name: a, pin: {rod: rod, node: %d}}%s]\n"
                 "rigid_bodies: [{name: hoop, motion: dynamic, mass: %g, inertia: [%g, %g, %g, 0, 0, 0], rotation: "
                 "[%g, %g, %g], "
                 "velocity: [%g, %g, %g], angular_velocity: [%g, %g, %g]}]\n"
                 "rings: [{name: ring, rod: rod, range: %g, stiffness: 1e4, friction: %g, hole: {rigid_body: hoop, "
                 "axis: [1, 0, "
                 "0], radius: %g}}]\n",
                 pow(10.0, random_between(&random, 6.0, 10.0)),
                 loop ? "{ring: {center: [0, 0, 0.3], normal: [0, 1, 0], radius: 0.3, nodes: 40}}"
                      : "{straight: {from: [-0.5, 0, 0], to: [0.5, 0, 0], nodes: 25}}",
                 loop ? 20 : 0, loop ? "" : ", {name: b, pin: {rod: rod, node: -1}}", mass, inertia, 0.5 * inertia, 0.5 * inertia, 0.6 * n[0],
                 0.6 * n[1], 0.6 * n[2], 3.0 * n[3], 3.0 * n[4], 3.0 * n[5], 40.0 * n[6], 40.0 * n[7], 40.0 * n[8], 0.02 * radius, mu[round % 4],
                 radius);
        FilWorld* world = load_text(text);
        for (int k = 0; k < 400; ++k) {
            step(world);
            assert_true(fil_ring_threaded(world, ring_of(world)));
            assert_true(fil_ring_distance(world, ring_of(world)) < radius - 0.003);
        }
        fil_world_destroy(world);
    }
}

/* steps of rings and holes allocate nothing, and a restored world goes on with the same bits */
static void test_memory(void** state)
{
    (void)state;
    FilWorld* world = load_text(HEAD ROD("rod", "[0, 0, 0]", "[1.4, 0, -0.1]") HOOP(
        "[0.3, 0.02, -0.11]") "attachments: [{name: hold, clamp: {rod: rod, node: 0}}, {name: stop, clamp: {rod: rod, "
                              "node: -1}}]\n"
                              "rings:\n"
                              "  - {name: ring, rod: rod, range: 0.001, stiffness: 1e4, friction: 0.2, hole: "
                              "{rigid_body: hoop, axis: [1, 0, 0], radius: 0.1}}\n"
                              "  - {name: bead, rod: rod, range: 0.001, stiffness: 1000, friction: 0.03, point: {mass: "
                              "0.001, position: [0.5, 0, -0.0357], settled: true}}\n");
    for (int k = 0; k < 300; ++k) {
        step(world);
    }
    void* saved = malloc(fil_world_snapshot_size(world));
    assert_non_null(saved);
    fil_world_save(world, saved);
    for (int k = 0; k < 300; ++k) {
        heap_calls = 0;
        const FilStatus status = fil_world_step(world, NULL);
        const int counted = heap_calls;
        assert_int_equal(status, FIL_OK);
        assert_int_equal(counted, 0);
    }
    const uint64_t first = fil_world_hash(world);
    assert_int_equal(fil_world_restore(world, saved, fil_world_snapshot_size(world)), FIL_OK);
    for (int k = 0; k < 300; ++k) {
        step(world);
    }
    assert_true(fil_world_hash(world) == first);
    free(saved);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_junction),      cmocka_unit_test(test_free_end),      cmocka_unit_test(test_held_end),   cmocka_unit_test(test_offset),
        cmocka_unit_test(test_scripted_hole), cmocka_unit_test(test_set_elsewhere), cmocka_unit_test(test_wild_hoops), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
