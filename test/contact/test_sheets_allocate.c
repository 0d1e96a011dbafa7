/* ctest: wrap-malloc */
/* Steps in which cloth, solids, rods and shapes touch by triangles allocate nothing when they are gone through again; and give the
 * same bits, though the trees over the triangles remember another past. */
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
#include "scenes.h"

static const char text[] =
    "world: {dt: 0.002, contact: sap}\n"
    "materials: {cotton: {young: 1.0e+6, poisson: 0.3, density: 300}, foam: {young: 1.0e+5, poisson: 0.3, density: 1000}}\n"
    "shells:\n"
    "  - {name: cloth, material: cotton, thickness: 0.001, sheet: {corner: [-0.1, -0.1, 0.06], along: [0.2, 0, 0], across: [0, 0.2, 0], "
    "columns: 6, rows: 6, pattern: squares}}\n"
    "solids:\n"
    "  - {name: low, material: foam, brick: {size: [0.1, 0.1, 0.05], cells: [2, 2, 1]}, position: [0, 0, 0.025]}\n"
    "  - {name: top, material: foam, ball: {radius: 0.03, spacing: 0.02}, position: [0.01, 0, 0.1]}\n"
    "rods: [{name: rod, material: foam, section: {circle: {radius: 0.002}}, shape: {straight: {from: [-0.06, 0.03, 0.07], to: [0.05, 0.04, "
    "0.07], nodes: 8}}}]\n"
    "rigid_bodies:\n"
    "  - {name: ground, motion: static, shapes: [{half_space: {}}]}\n"
    "  - {name: ball, density: 2000, position: [-0.03, -0.02, 0.08], shapes: [{sphere: {radius: 0.006}}]}\n";

static void test_repeated_steps(void** state)
{
    (void)state;
    FilWorld* world = load_text(text);
    uint64_t hash[3];
    int max = 0;
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 100; k++) {
            heap_calls = 0;
            const FilStatus status = fil_world_step(world, NULL);
            const int counted = heap_calls;
            assert_int_equal(status, FIL_OK);
            assert_true(round < 2 || counted == 0);  // the first step after a reset may find room it did not have
            max = fil_world_contact_count(world) > max ? fil_world_contact_count(world) : max;
        }
        hash[round] = fil_world_hash(world);
        assert_int_equal(fil_world_reset(world), FIL_OK);
    }
    assert_true(max > 20);
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_repeated_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
