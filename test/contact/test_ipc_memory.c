/* ctest: wrap-malloc */
/* Cloth on a ball under 'ipc': a step whose pattern does not grow allocates nothing, and a restored world, the same or a new
 * one, goes on with the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "heap_calls.h"
#include "scenes.h"

/* 342 vertices, solved by conjugate gradients; touches the ball, itself and what hangs it on a rod by a ring. */
static FilWorld* drape(FilIntegrator integrator)
{
    static const char* const scene =
        "world: {gravity: [0, 0, -9.81], dt: 0.004, contact: ipc}\n"
        "materials: {cloth: {young: 1e5, poisson: 0.3, density: 1000, friction: 0.2}}\n"
        "rods:\n"
        "  - {name: rod, material: cloth, section: {circle: {radius: 0.001}}, collision: {enabled: false}, shape: {straight: {from: [-0.1, -0.06, "
        "0.031], to: [0.1, -0.06, 0.031], nodes: 12}}}\n"
        "rigid_bodies:\n"
        "  - {name: ball, motion: static, shapes: [{sphere: {radius: 0.03}}]}\n"
        "shells:\n"
        "  - {name: cloth, material: cloth, thickness: 0.001, noise: 1e-4, sheet: {corner: [-0.06, -0.06, 0.031], along: [0.12, 0, 0], across: [0, "
        "0.12, 0], columns: 18, rows: 19}, collision: {self: true}}\n"
        "attachments: [{name: left, pin: {rod: rod, node: 0}}, {name: right, pin: {rod: rod, node: -1}}]\n"
        "rings: [{name: ring, rod: rod, node: {shell: cloth, vertex: 9}, range: 0.01, stiffness: 10, friction: 0.2}]\n";
    FilWorld* world = load_text(scene);
    assert_int_equal(fil_world_set_integrator(world, integrator), FIL_OK);
    return world;
}

enum { BEFORE = 30, AFTER = 15 };

/* The hash after some steps; how often the heap was called in them. */
static uint64_t run(FilWorld* world, int steps, int* calls)
{
    *calls = 0;
    for (int k = 0; k < steps; k++) {
        heap_calls = 0;
        const FilStatus status = fil_world_step(world, NULL);
        *calls += heap_calls;
        if (status != FIL_OK) {
            fail_msg("%s", fil_world_error(world));
        }
    }
    return fil_world_hash(world);
}

static void check_memory(FilIntegrator integrator)
{
    FilWorld *world = drape(integrator), *other = drape(integrator);
    int calls;
    run(world, BEFORE, &calls);
    assert_true(calls > 0);
    void* saved = malloc(fil_world_snapshot_size(world));
    assert_non_null(saved);
    fil_world_save(world, saved);
    const uint64_t first = run(world, AFTER, &calls);
    FilStepInfo info;
    assert_int_equal(fil_world_step(world, &info), FIL_OK);
    assert_true(info.contacts > 20);
    // the same steps again: everything has its place
    assert_int_equal(fil_world_restore(world, saved, fil_world_snapshot_size(world)), FIL_OK);
    assert_true(run(world, AFTER, &calls) == first);
    assert_int_equal(calls, 0);
    // a world that knows nothing of what was before
    assert_int_equal(fil_world_restore(other, saved, fil_world_snapshot_size(other)), FIL_OK);
    assert_true(run(other, AFTER, &calls) == first);
    free(saved);
    fil_world_destroy(other);
    fil_world_destroy(world);
}

static void test_one_stage(void** state)
{
    (void)state;
    check_memory(FIL_BACKWARD_EULER);
}

static void test_two_stages(void** state)
{
    (void)state;
    check_memory(FIL_SDIRK2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_stage), cmocka_unit_test(test_two_stages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
