/* ctest: wrap-malloc */
/* Nothing is allocated in a step after the first one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "heap_calls.h"
#include "lively.h"

/* the counters see the library's calls: creating a world must move them */
static void counters_count(void** state)
{
    (void)state;
    heap_calls = 0;
    FilWorld* world = lively_world(FIL_MIDPOINT);
    assert_true(heap_calls > 10);
    heap_calls = 0;
    fil_world_destroy(world);
    assert_true(heap_calls > 10);
}

static void steps_do_not_allocate(void** state)
{
    (void)state;
    static const FilIntegrator integrators[] = {FIL_BACKWARD_EULER, FIL_MIDPOINT, FIL_SYMPLECTIC_EULER, FIL_SDIRK2};
    for (int i = 0; i < 4; ++i) {
        FilWorld* world = lively_world(integrators[i]);
        /* the first step may */
        lively_run(world, 1);
        heap_calls = 0;
        for (int step = 0; step < 200; ++step) {
            FilStatus status = fil_world_step(world, NULL);
            int counted = heap_calls;
            assert_int_equal(status, FIL_OK);
            assert_int_equal(counted, 0);
            heap_calls = 0;
        }
        fil_world_destroy(world);
    }
}

/* nor do save, restore, hash, commands and reading */
static void state_calls_do_not_allocate(void** state)
{
    (void)state;
    FilWorld* world = lively_world(FIL_BACKWARD_EULER);
    lively_run(world, 2);
    size_t size = fil_world_snapshot_size(world);
    void* snapshot = malloc(size);
    assert_non_null(snapshot);
    FilId beam = fil_world_find_rod(world, "beam"), load = fil_world_find_drive(world, "load");
    double numbers[9 * 16], force[3] = {0.1, 0.0, 0.0};

    heap_calls = 0;
    fil_world_save(world, snapshot);
    FilStatus restored = fil_world_restore(world, snapshot, size);
    uint64_t hash = fil_world_hash(world);
    FilStatus set = fil_drive_set(world, load, force, 3);
    fil_rod_get_positions(world, beam, numbers);
    fil_rod_get_frames(world, beam, numbers);
    fil_rod_get_curvatures(world, beam, numbers);
    fil_rod_get_tensions(world, beam, numbers);
    FilEnergy energy = fil_world_energy(world);
    double probe = fil_world_probe_value(world, 0);
    int counted = heap_calls;

    assert_int_equal(counted, 0);
    assert_int_equal(restored, FIL_OK);
    assert_int_equal(set, FIL_OK);
    assert_true(hash != 0);
    assert_true(probe == energy.kinetic + energy.elastic + energy.gravity);
    free(snapshot);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_count),
        cmocka_unit_test(steps_do_not_allocate),
        cmocka_unit_test(state_calls_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
