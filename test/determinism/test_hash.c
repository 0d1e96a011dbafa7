/* The state hash: the same for the same history, whatever happens around it. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lively.h"

static const FilIntegrator integrators[] = {FIL_BACKWARD_EULER, FIL_MIDPOINT, FIL_SYMPLECTIC_EULER, FIL_SDIRK2};

static void repeated_runs_agree(void** state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        uint64_t hash[2];
        for (int k = 0; k < 2; ++k) {
            FilWorld* world = lively_world(integrators[i]);
            lively_run(world, 100);
            hash[k] = fil_world_hash(world);
            fil_world_destroy(world);
        }
        assert_int_equal(hash[0], hash[1]);
    }
}

static void hash_follows_the_state(void** state)
{
    (void)state;
    FilWorld* world = lively_world(FIL_BACKWARD_EULER);
    uint64_t start = fil_world_hash(world);
    assert_int_equal(fil_world_hash(world), start);
    lively_run(world, 1);
    uint64_t after = fil_world_hash(world);
    assert_int_not_equal(after, start);
    /* a command that only the next step will see is part of the state too */
    double force[3] = {0.0, 0.0, 1.0};
    assert_int_equal(fil_drive_set(world, fil_world_find_drive(world, "load"), force, 3), FIL_OK);
    assert_int_not_equal(fil_world_hash(world), after);
    fil_world_destroy(world);
}

static void restoring_in_the_middle_changes_nothing(void** state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        FilWorld* world = lively_world(integrators[i]);
        size_t size = fil_world_snapshot_size(world);
        void* snapshot = malloc(size);
        assert_non_null(snapshot);
        lively_run(world, 50);
        fil_world_save(world, snapshot);
        uint64_t middle = fil_world_hash(world);
        lively_run(world, 50);
        uint64_t end = fil_world_hash(world);
        assert_int_not_equal(middle, end);

        /* back in the same world */
        assert_int_equal(fil_world_restore(world, snapshot, size), FIL_OK);
        assert_int_equal(fil_world_hash(world), middle);
        lively_run(world, 50);
        assert_int_equal(fil_world_hash(world), end);
        fil_world_destroy(world);

        /* on in a fresh one that has never stepped */
        world = lively_world(integrators[i]);
        assert_int_equal(fil_world_restore(world, snapshot, size), FIL_OK);
        assert_int_equal(fil_world_hash(world), middle);
        lively_run(world, 50);
        assert_int_equal(fil_world_hash(world), end);
        fil_world_destroy(world);
        free(snapshot);
    }
}

static void restore_refuses_other_worlds(void** state)
{
    (void)state;
    FilWorld* world = lively_world(FIL_MIDPOINT);
    size_t size = fil_world_snapshot_size(world);
    unsigned char* snapshot = malloc(size);
    assert_non_null(snapshot);
    fil_world_save(world, snapshot);
    lively_run(world, 3);
    uint64_t hash = fil_world_hash(world);
    assert_int_equal(fil_world_restore(world, snapshot, size - 1), FIL_BAD_INPUT);
    assert_int_equal(fil_world_hash(world), hash);
    free(snapshot);
    fil_world_destroy(world);
}

static void reset_starts_over(void** state)
{
    (void)state;
    FilWorld* world = lively_world(FIL_BACKWARD_EULER);
    uint64_t start = fil_world_hash(world);
    lively_run(world, 80);
    uint64_t end = fil_world_hash(world);
    assert_int_equal(fil_world_reset(world), FIL_OK);
    assert_int_equal(fil_world_hash(world), start);
    assert_true(fil_world_time(world) == 0.0);
    assert_int_equal(fil_world_step_count(world), 0);
    lively_run(world, 80);
    assert_int_equal(fil_world_hash(world), end);
    fil_world_destroy(world);
}

static void* run_to_hash(void* argument)
{
    uint64_t* hash = argument;
    FilWorld* world = lively_world(FIL_MIDPOINT);
    for (int i = 0; i < 200; ++i) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            return NULL;
        }
    }
    *hash = fil_world_hash(world);
    fil_world_destroy(world);
    return NULL;
}

static void threads_do_not_meet(void** state)
{
    (void)state;
    uint64_t alone = 0, together[2] = {1, 2};
    pthread_t threads[2];
    run_to_hash(&alone);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, run_to_hash, &together[i]), 0);
    }
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(together[0], alone);
    assert_int_equal(together[1], alone);
}

/* looking changes nothing */
static void reading_changes_nothing(void** state)
{
    (void)state;
    uint64_t hash[2];
    for (int looks = 0; looks < 2; ++looks) {
        FilWorld* world = lively_world(FIL_MIDPOINT);
        FilId beam = fil_world_find_rod(world, "beam");
        for (int i = 0; i < 60; ++i) {
            lively_run(world, 1);
            if (!looks) {
                continue;
            }
            double numbers[9 * 16];
            fil_rod_get_positions(world, beam, numbers);
            fil_rod_get_frames(world, beam, numbers);
            fil_rod_get_curvatures(world, beam, numbers);
            fil_rod_get_twists(world, beam, numbers);
            fil_rod_get_tensions(world, beam, numbers);
            (void)fil_world_energy(world);
            (void)fil_world_angular_momentum(world);
            (void)fil_world_probe_value(world, 0);
        }
        hash[looks] = fil_world_hash(world);
        fil_world_destroy(world);
    }
    assert_int_equal(hash[0], hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_runs_agree),
        cmocka_unit_test(hash_follows_the_state),
        cmocka_unit_test(restoring_in_the_middle_changes_nothing),
        cmocka_unit_test(restore_refuses_other_worlds),
        cmocka_unit_test(reset_starts_over),
        cmocka_unit_test(threads_do_not_meet),
        cmocka_unit_test(reading_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
