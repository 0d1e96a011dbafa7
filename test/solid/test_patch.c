/* The contact patch test (El-Abbasi, Bathe 2001): two blocks whose meshes do not match, pressed together by a uniform pressure, are
 * strained uniformly, if contact transmits a constant pressure as it is. */
#include <stdio.h>

#include "base/vec3.h"
#include "blocks.h"

static const double PRESSURE = 1e3, YOUNG = 1e5, HEIGHT = 0.1, SIDE = 0.2;

/* A rigid body up to 0.1 m, or a block from 0 to there, held below; an upper one from 0.1 to 0.2 m, its top held sideways and loaded. */
static FilWorld* blocks(const char* rigid, double bedding, const char* upper)
{
    char text[1500], lower[300];
    FilWorld* world = NULL;
    FilError error;
    snprintf(lower, sizeof lower,
             "  - {name: lower, material: gum, bedding: %g, brick: {size: [%g, %g, %g], cells: [3, 3, 2]}, position: [0, 0, 0.05], pins: [{from: "
             "[-1, -1, -1], to: [1, 1, 1.0e-9]}]}\n",
             bedding, SIDE, SIDE, HEIGHT);
    snprintf(text, sizeof text,
             "world: {dt: 1, gravity: [0, 0, 0], newton: {tolerance: 1.0e-13}, contact: {model: sap, tolerance: 1.0e-13}}\n"
             "materials: {gum: {young: %g, poisson: 0, density: 1000, friction: 0}}\n"
             "%s"
             "solids:\n%s"
             "  - {name: upper, material: gum, bedding: %g, brick: {size: [%g, %g, %g], %s}, position: [0, 0, 0.15], pins: [{from: [-1, -1, "
             "0.1999999], to: [1, 1, 1], axes: xy}]}\n",
             YOUNG, rigid != NULL ? rigid : "", rigid != NULL ? "" : lower, bedding, SIDE, SIDE, HEIGHT, upper);
    if (fil_scene_load_text("scene", text, strlen(text), NULL, &world, NULL, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    const FilId id = fil_world_find_solid(world, "upper");
    const int vertices = fil_solid_vertex_count(world, id), triangles = fil_solid_triangle_count(world, id);
    double* x = calloc(4 * (size_t)vertices, sizeof *x);
    double* load = x + 3 * vertices;
    fil_solid_get_positions(world, id, x);
    for (int t = 0; t < triangles; t++) {  // a third of the force on each triangle of the top to each of its corners
        int corner[3];
        fil_solid_get_triangle(world, id, t, corner);
        const double *a = x + 3 * corner[0], *b = x + 3 * corner[1], *c = x + 3 * corner[2];
        if (a[2] > 0.1999 && b[2] > 0.1999 && c[2] > 0.1999) {
            const double area = 0.5 * fabs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
            for (int k = 0; k < 3; k++) {
                load[corner[k]] += PRESSURE * area / 3.0;
            }
        }
    }
    for (int i = 0; i < vertices; i++) {
        if (load[i] > 0.0) {
            FilDriveDef drive = fil_drive_def_default();
            const double time = 0.0, force[3] = {0.0, 0.0, -load[i]};
            FilId made;
            drive.kind = FIL_DRIVE_FORCE;
            drive.object = id;
            drive.first = i;
            drive.count = 1;
            drive.knot_count = 1;
            drive.times = &time;
            drive.values = force;
            assert_int_equal(fil_world_add_drive(world, &drive, &made), FIL_OK);
        }
    }
    free(x);
    return world;
}

/* largest deviation of displacements from those of a uniform strain -p/E in the blocks that are there, over that of two; `gap`: by how much they
 * overlap */
static double deviation(FilWorld* world, bool rigid, double gap)
{
    static const char* const names[] = {"lower", "upper"};
    const double strain = PRESSURE / YOUNG, held = rigid ? HEIGHT : 0.0;
    double worst = 0.0;
    for (int block = rigid ? 1 : 0; block < 2; block++) {
        const FilId id = fil_world_find_solid(world, names[block]);
        const int n = fil_solid_vertex_count(world, id);
        double* x = calloc(6 * (size_t)n, sizeof *x);
        double* rest = x + 3 * n;
        fil_solid_get_positions(world, id, x);
        assert_int_equal(fil_world_reset(world), FIL_OK);
        fil_solid_get_positions(world, id, rest);
        for (int v = 0; v < n; v++) {
            const double expected[3] = {0.0, 0.0, -strain * (rest[3 * v + 2] - held) - (block == 1 ? gap : 0.0)};
            for (int k = 0; k < 3; k++) {
                const double moved = x[3 * v + k] - rest[3 * v + k];
                worst = fmax(worst, fabs(moved - expected[k]) / (2.0 * HEIGHT * strain));
            }
        }
        free(x);
        for (int step = 0; step < 12 && block == 0; step++) {
            block_step(world, NULL);
        }
    }
    return worst;
}

/* `bed`: pressure over overlap, Pa/m; 0: at points, near enough to none */
static void check(const char* rigid, double bedding, double bed, const char* upper, const char* what, double* worst)
{
    FilWorld* world = blocks(rigid, bedding, upper);
    for (int step = 0; step < 12; step++) {
        block_step(world, NULL);
    }
    *worst = deviation(world, rigid != NULL, bed > 0.0 ? PRESSURE / bed : 0.0);
    print_message("%s: %.2e off\n", what, *worst);
    fil_world_destroy(world);
}

static const char* const meshes[] = {"cells: [3, 3, 2]", "cells: [4, 5, 2]", "cells: [7, 2, 3], split: five", "cells: [2, 3, 1], split: symmetric"};

static void test_areas(void** state)
{
    (void)state;
    for (int m = 0; m < 4; m++) {
        double worst;
        check(NULL, 1e7, 0.5e7, meshes[m], meshes[m], &worst);  // two in series
        assert_true(worst < 1e-8);
    }
}

/* The same on rigid shapes: by the block's own bedding, by the shape's field (of half-spaces: modulus over thickness, of a box over its half height),
 * by both. */
static void test_rigid_bases(void** state)
{
    (void)state;
    static const struct {
        const char *body, *surface;
        double bedding, bed;
    } bases[] = {
        {"position: [0, 0, 0.1], shapes: [{half_space: {}}]", "", 1e7, 1e7},
        {"position: [0, 0, 0.1], shapes: [{half_space: {}}]", ", surface: {modulus: 1.0e+6, thickness: 0.1}", 0, 1e7},
        {"shapes: [{box: {size: [0.6, 0.6, 0.2]}}]", "", 1e7, 1e7},
        {"shapes: [{box: {size: [0.6, 0.6, 0.2]}}]", ", surface: {modulus: 1.0e+6}", 0, 1e7},
        {"shapes: [{box: {size: [0.6, 0.6, 0.2]}}]", ", surface: {modulus: 1.0e+6}", 1e7, 0.5e7},
    };
    for (int k = 0; k < 5; k++) {
        char rigid[300];
        double worst;
        snprintf(rigid, sizeof rigid, "rigid_bodies: [{name: base, motion: static, material: gum, %s%s}]\n", bases[k].body, bases[k].surface);
        check(rigid, bases[k].bedding, bases[k].bed, meshes[k % 4], rigid, &worst);
        assert_true(worst < 1e-8);
    }
}

/* Force with which a block that cannot give way, of n x n cells above, holds a body that reaches `radius` below its origin and is pressed in by
 * `depth`: pressure is the bedding times the distance, on areas seen along its direction. */
static FilVec3 press_into(const char* shape, int n, double bedding, double radius, double depth)
{
    char text[900];
    FilWorld* world = NULL;
    FilError error;
    FilVec3 force, torque;
    snprintf(text, sizeof text,
             "world: {dt: 1.0e-7, gravity: [0, 0, 0], contact: sap}\n"  // nothing moves in such a step
             "materials: {gum: {young: 1.0e+5, poisson: 0, density: 1000, friction: 0}}\n"
             "rigid_bodies: [{name: round, mass: 1, material: gum, position: [0.003, -0.004, %.17g], %s}]\n"
             "solids: [{name: block, material: gum, bedding: %g, brick: {size: [%g, %g, 0.02], cells: [%d, %d, 1]}, position: [0, 0, -0.01],"
             " pins: [{from: [-1, -1, -1], to: [1, 1, 1]}]}]\n",
             radius - depth, shape, bedding, SIDE, SIDE, n, n);
    if (fil_scene_load_text("scene", text, strlen(text), NULL, &world, NULL, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    block_step(world, NULL);
    fil_world_contact_wrench(world, fil_world_find_rigid(world, "round"), &force, &torque);
    fil_world_destroy(world);
    return force;
}

/* Round bodies against closed forms, off the mesh's symmetry. With h = R - depth and s the distance from the middle or the axis, F = C int (R - s)
 * (h/s)^2 dA over s < R. */
static void test_round_bodies(void** state)
{
    (void)state;
    const double C = 1e7, R = 0.1, d = 0.01, h = R - d, a = sqrt(R * R - h * h);
    const struct {
        const char* shape;
        double force;
    } bodies[] = {
        {"shapes: [{sphere: {radius: 0.1}}]", 2.0 * FIL_PI * C * h * h * (R * log(R / h) - d)},
        {"rotation: [0, $(pi / 2), 0], shapes: [{cylinder: {radius: 0.1, length: 0.4}}]", 2.0 * C * SIDE * h * (R * atan(a / h) - h * asinh(a / h))},
    };
    for (int k = 0; k < 2; k++) {
        double last = INFINITY, error = 0.0;
        for (int n = 10; n <= 40; n *= 2) {  // 2.2, 4.4, 8.7 cells over the contact's half width
            error = fabs(press_into(bodies[k].shape, n, C, R, d).z / bodies[k].force - 1.0);
            print_message("%s, %d cells: %.2e off %.4g N\n", bodies[k].shape, n, error, bodies[k].force);
            assert_true(error < 0.5 * last);
            last = error;
        }
        assert_true(error < 0.01);
    }
}

/* Punches whose ends lie inside the block: pressure is the bedding times the depth up to their edges, where the nearest face is a flank. Deeper and
 * less deep than a cell. */
static void test_punches(void** state)
{
    (void)state;
    const double C = 1e7, R = 0.1, length = 0.09;
    static const double depths[] = {0.01, 0.002};
    for (int k = 0; k < 6; k++) {
        const double d = depths[k % 2], h = R - d, a = sqrt(R * R - h * h);
        const struct {
            const char* shape;
            double force;
        } punches[] = {
            {"rotation: [0, 0, 0.4], shapes: [{box: {size: [0.07, 0.11, 0.2]}}]", C * d * 0.07 * 0.11},
            {"shapes: [{cylinder: {radius: 0.06, length: 0.2}}]", C * d * FIL_PI * 0.06 * 0.06},
            {"rotation: [0, $(pi / 2), 0.3], shapes: [{cylinder: {radius: 0.1, length: 0.09}}]",
             2.0 * C * length * h * (R * atan(a / h) - h * asinh(a / h))},
        };
        double last = INFINITY, error = 0.0;
        for (int n = 10; n <= 40; n *= 2) {
            error = fabs(press_into(punches[k / 2].shape, n, C, R, d).z / punches[k / 2].force - 1.0);
            print_message("%s, %g m deep, %d cells: %.2e off %.4g N\n", punches[k / 2].shape, d, n, error, punches[k / 2].force);
            assert_true(error < 0.5 * last);
            last = error;
        }
        assert_true(error < 0.005);
    }
    // sides of the block that are inside a plate which covers it have nothing behind them
    const FilVec3 covered = press_into("shapes: [{box: {size: [0.5, 0.4, 0.2]}, position: [0.12, 0.05, 0]}]", 10, C, R, depths[0]);
    print_message("covered: %.12g %.12g %.12g of %.12g N\n", covered.x, covered.y, covered.z, C * depths[0] * SIDE * SIDE);
    assert_true(fabs(covered.z / (C * depths[0] * SIDE * SIDE) - 1.0) < 1e-7);  // what it moves by in the step is 1e-9 of the depth
    assert_true(fabs(covered.x) < 1e-9 * covered.z && fabs(covered.y) < 1e-9 * covered.z);
}

/* at points it cannot: which is why there are areas */
static void test_points(void** state)
{
    (void)state;
    double worst;
    check(NULL, 0.0, 0.0, "cells: [4, 5, 2]", "by points", &worst);
    assert_true(worst > 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_areas), cmocka_unit_test(test_rigid_bases), cmocka_unit_test(test_round_bodies),
                                       cmocka_unit_test(test_punches), cmocka_unit_test(test_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
