/* Surfaces of triangles on each other: solids on solids, cloth on cloth, either on the other. */
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
#include "sample.h"
#include "scenes.h"

static FilWorld* load(const char* model, double dt, const char* gravity, const char* text)
{
    static char scene[4000];
    snprintf(scene, sizeof scene,
             "world: {dt: %g, gravity: %s, contact: {model: %s, tolerance: 1e-8}, newton: {tolerance: 1e-9}}\n"
             "materials: {cotton: {young: 1.0e+6, poisson: 0.3, density: 300}, foam: {young: 1.0e+5, poisson: 0, density: 1000}}\n%s",
             dt, gravity, model, text);
    return load_text(scene);
}

/* Two cubes of 0.1 m, without lateral strain, of equal and of different meshes: their weights balance, and each is squeezed as
 * a column is, by rho g h/2 and 3 rho g h/2 on average: volumes shrink by 0.49 % and 1.47 %,
 * within what one to three layers of elements make of that. */
static void test_stack_of_cubes(void** state)
{
    (void)state;
    static const struct {
        const char* model;
        int low, top;
    } cases[] = {{"sap", 2, 2}, {"sap", 2, 3}, {"sap", 3, 2}, {"sap", 1, 3}, {"sap_lagged", 2, 2}, {"sap_lagged", 3, 2}, {"lcp", 1, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        const int n = cases[k].low, m = cases[k].top;
        snprintf(text, sizeof text,
                 "solids:\n"
                 "  - {name: low, material: foam, brick: {size: [0.1, 0.1, 0.1], cells: [%d, %d, %d]}, position: [0, 0, 0.05], damping: "
                 "{mass: 20, stiffness: 0.02}}\n"
                 "  - {name: top, material: foam, brick: {size: [0.1, 0.1, 0.1], cells: [%d, %d, %d]}, position: [0, 0, 0.15], damping: "
                 "{mass: 20, stiffness: 0.02}}\n"
                 "rigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}]}]\n",
                 n, n, n, m, m, m);
        FilWorld* world = load(cases[k].model, 0.005, "[0, 0, -9.81]", text);
        sample_run(world, 120);
        const FilId low = fil_world_find_solid(world, "low"), top = fil_world_find_solid(world, "top");
        const double weight = 9.81, strain = 1000.0 * 9.81 * 0.1 / 1e5;
        assert_true(fabs(sample_lift(world, top) - weight) < 1e-2 * weight);
        assert_true(fabs(sample_lift(world, low) - weight) < 1e-2 * weight);  // from below, less that from above
        assert_true(fabs(fil_solid_measure(world, top).volume / 1e-3 - (1.0 - 0.5 * strain)) < 0.05 * strain);
        assert_true(fabs(fil_solid_measure(world, low).volume / 1e-3 - (1.0 - 1.5 * strain)) < 0.05 * strain);
        fil_world_destroy(world);
    }
}

/* A loose sheet on a held one, of another mesh, lies a thickness above it. */
static void test_cloth_on_cloth(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged"};
    for (int m = 0; m < 2; m++) {
        FilWorld* world = load(models[m], 0.002, "[0, 0, -9.81]",
                               "shells:\n"
                               "  - {name: table, material: cotton, thickness: 0.001, sheet: {corner: [-0.1, -0.1, 0], along: [0.2, 0, 0], "
                               "across: [0, 0.2, 0], columns: 3, rows: 3, pattern: squares}}\n"
                               "  - {name: cloth, material: cotton, thickness: 0.001, damping: {mass: 10, stiffness: 0.005}, sheet: {corner: "
                               "[-0.05, -0.06, 0.002], along: [0.1, 0.01, 0], across: [0, 0.1, 0], columns: 4, rows: 4, pattern: squares}}\n"
                               "attachments: [{name: a, pin: {shell: table, vertices: [0, 16]}}]\n");
        const FilId cloth = fil_world_find_shell(world, "cloth");
        sample_run(world, 250);
        double x[3 * 25], mean = 0.0;
        fil_shell_get_positions(world, cloth, x);
        for (int i = 0; i < 25; i++) {
            assert_true(fabs(x[3 * i + 2] - 0.001) < 1e-4);
            mean += x[3 * i + 2] / 25.0;
        }
        assert_true(fabs(mean - 0.001) < 3e-5);
        const double weight = 9.81 * 300.0 * 0.001 * 0.1 * 0.1;
        assert_true(fabs(sample_lift(world, cloth) - weight) < 0.01 * weight);
        fil_world_destroy(world);
    }
}

/* A sheet that flies at another one by tens of thicknesses a step takes it along: nothing passes, and momentum is kept. */
static void test_fast_sheets(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged", "lcp"};
    static const double speeds[] = {3.0, 10.0, 30.0};
    for (int k = 0; k < 5; k++) {
        char text[1000];
        const double speed = speeds[k < 4 ? k / 2 + 1 : 0];  // m/s; lcp the slowest
        snprintf(text, sizeof text,
                 "shells:\n"
                 "  - {name: low, material: cotton, thickness: 0.001, noise: 0.0005, sheet: {corner: [-0.1, -0.1, 0], along: [0.2, 0, 0], "
                 "across: [0, 0.2, 0], columns: 6, rows: 6}}\n"
                 "  - {name: top, material: cotton, thickness: 0.001, noise: 0.0005, velocity: [0, 0, %g], sheet: {corner: "
                 "[-0.05, -0.12, 0.051], along: [0.2, 0, 0.05], across: [0, 0.2, 0], columns: 8, rows: 8}}\n",
                 -speed);
        FilWorld* world = load(k < 4 ? models[k % 2] : models[2], 0.004, "[0, 0, 0]", text);
        const FilVec3 before = fil_world_momentum(world);
        for (int s = 0; s < 15; s++) {
            FilStepInfo info;
            if (fil_world_step(world, &info) != FIL_OK) {
                fail_msg("%s", fil_world_error(world));
            }
            assert_int_equal(info.crossings, 0);
        }
        const FilVec3 after = fil_world_momentum(world);
        const double lost = sqrt(pow(after.x - before.x, 2) + pow(after.y - before.y, 2) + pow(after.z - before.z, 2));
        assert_true(lost < 1e-7 * fabs(before.z));  // 1e-8, the solvers', in each of some steps
        double velocity[3 * 64], fastest = 0.0;
        fil_shell_get_velocities(world, fil_world_find_shell(world, "low"), velocity);
        for (int i = 0; i < fil_shell_vertex_count(world, fil_world_find_shell(world, "low")); i++) {
            fastest = fmin(fastest, velocity[3 * i + 2]);
        }
        assert_true(fastest < -0.3 * speed);
        fil_world_destroy(world);
    }
}

/* Two objects that collide in free space keep their momentum to the solver's tolerance, and touch before they overlap by a tenth of
 * a triangle. */
static void test_free_collisions(void** state)
{
    (void)state;
    static const char* const pairs[] = {
        "solids:\n"
        "  - {name: a, material: foam, model: neo_hookean, brick: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}\n"
        "  - {name: b, material: foam, model: neo_hookean, brick: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3]}, position: [0.02, 0.03, 0.104], "
        "rotation: [0.02, 0.01, 0.3], velocity: [0.1, 0, -0.5]}\n",
        "solids: [{name: a, material: foam, model: neo_hookean, ball: {radius: 0.05, spacing: 0.03}, position: [0.01, 0.007, 0.055], velocity: [0.1, "
        "0, -0.5]}]\n"
        "shells: [{name: b, material: cotton, thickness: 0.001, sheet: {corner: [-0.1, -0.1, 0], along: [0.2, 0, 0], across: [0, 0.2, 0], "
        "columns: 4, rows: 4, pattern: squares}}]\n",
        "shells:\n"
        "  - {name: a, material: cotton, thickness: 0.001, sheet: {corner: [-0.1, -0.1, 0], along: [0.2, 0, 0], across: [0, 0.2, 0], "
        "columns: 4, rows: 4, pattern: squares}}\n"
        "  - {name: b, material: cotton, thickness: 0.001, sheet: {corner: [-0.08, -0.1, 0.003], along: [0.2, 0.05, 0], across: [-0.05, 0.2, "
        "0.003], columns: 3, rows: 3, pattern: squares}, velocity: [0.2, 0, -0.5]}\n",
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        FilWorld* world = load("sap", 1e-3, "[0, 0, 0]", pairs[k]);
        const FilVec3 p = fil_world_momentum(world), l = fil_world_angular_momentum(world);
        int touching = 0;
        for (int i = 0; i < 40; i++) {
            sample_run(world, 1);
            for (int c = 0; c < fil_world_contact_count(world); c++) {
                touching += fil_world_contact(world, c).force.z != 0.0;
                assert_true(fil_world_contact(world, c).distance > -5e-4);
            }
        }
        assert_true(touching > 0);
        const FilVec3 p1 = fil_world_momentum(world), l1 = fil_world_angular_momentum(world);
        const double scale = fabs(p.z);
        assert_true(fmax(fmax(fabs(p1.x - p.x), fabs(p1.y - p.y)), fabs(p1.z - p.z)) < 1e-8 * scale);
        assert_true(fmax(fmax(fabs(l1.x - l.x), fabs(l1.y - l.y)), fabs(l1.z - l.z)) < 2e-3 * 0.1 * scale);
        fil_world_destroy(world);
    }
}

/* Solids have an inside: where they overlap, what moves out of it is not stopped at the surface, as what comes through a sheet would be. */
static void test_solids_come_apart(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged", "lcp"};
    for (int m = 0; m < 3; m++) {
        FilWorld* world = load(models[m], 0.01, "[0, 0, 0]",
                               "solids:\n"
                               "  - {name: low, material: foam, brick: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}\n"
                               "  - {name: top, material: foam, brick: {size: [0.08, 0.08, 0.1], cells: [2, 2, 2]}, position: [0.003, 0.004, 0.099], "
                               "velocity: [0, 0, 1]}\n");
        const double before = fil_world_momentum(world).z;
        sample_run(world, 1);
        FilVec3 force, torque;
        fil_world_contact_wrench(world, fil_world_find_solid(world, "top"), &force, &torque);
        assert_true(force.z >= -1e-9);
        sample_run(world, 3);
        assert_int_equal(fil_world_contact_count(world), 0);
        assert_true(fabs(fil_world_momentum(world).z - before) < 1e-8 * before);
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack_of_cubes),  cmocka_unit_test(test_cloth_on_cloth),    cmocka_unit_test(test_fast_sheets),
        cmocka_unit_test(test_free_collisions), cmocka_unit_test(test_solids_come_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
