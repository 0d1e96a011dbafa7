/* ctest: wrap-malloc */
/* Piles whose contact systems are solved by conjugate gradients with an older factor: same result, same bits, no memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "heap_calls.h"
#include "sample.h"

enum { SIDE = 10, BOXES = SIDE * SIDE * SIDE, CONTACTS = 4 * (SIDE * SIDE + (SIDE - 1) * (2 * SIDE - 1) * (2 * SIDE - 1)) };

typedef struct Pile {
    FilWorld* world;
    FilId box[BOXES];
    void* snapshot;
    size_t size;
} Pile;

/* The scene box_pile: layers, every second one a quarter of a box aside. */
static Pile make_pile(void)
{
    const double size = 0.1, pitch = 0.105;
    Pile pile = {.world = sample_world("sap", 2e-3)};
    sample_ground(pile.world);
    for (int k = 0; k < BOXES; k++) {
        const int layer = k / (SIDE * SIDE);
        const double shift = layer % 2 == 0 ? 0.0 : 0.25;
        pile.box[k] = sample_cube(pile.world, size, (k % SIDE + shift) * pitch, (k / SIDE % SIDE + shift) * pitch, (layer + 0.5) * size);
    }
    pile.size = fil_world_snapshot_size(pile.world);
    pile.snapshot = malloc(pile.size);
    assert_non_null(pile.snapshot);
    return pile;
}

static void free_pile(Pile* pile)
{
    fil_world_destroy(pile->world);
    free(pile->snapshot);
}

/* One step with another tolerance, from the snapshot; Newton steps of it. */
static int step_with(Pile* pile, double tolerance, FilVec3* velocity)
{
    FilSapSettings settings = fil_world_sap_settings(pile->world);
    settings.tolerance = tolerance;
    assert_int_equal(fil_world_set_sap_settings(pile->world, &settings), FIL_OK);
    assert_int_equal(fil_world_restore(pile->world, pile->snapshot, pile->size), FIL_OK);
    FilStepInfo info;
    assert_int_equal(fil_world_step(pile->world, &info), FIL_OK);
    assert_true(info.contact_residual <= tolerance);
    for (int k = 0; k < BOXES; k++) {
        velocity[k] = sample_velocity(pile->world, pile->box[k]);
    }
    return info.contact_iterations;
}

/* The residual is relative to the momenta at work, g dt of each box times the root of their number; all of it on one box, and ten times that
 * for soft modes of the pile. */
static void tolerance_is_kept(void** state)
{
    (void)state;
    static FilVec3 usual[BOXES], sharp[BOXES];
    Pile pile = make_pile();
    for (int part = 0; part < 3; part++) {
        assert_int_equal(sample_run(pile.world, 3).contacts, CONTACTS);
        fil_world_save(pile.world, pile.snapshot);
        step_with(&pile, 1e-9, sharp);
        step_with(&pile, 1e-6, usual);
        for (int k = 0; k < BOXES; k++) {
            assert_true(sample_distance(usual[k], sharp[k]) <= 1e-5 * 9.81 * 2e-3 * sqrt(BOXES));
        }
    }
    free_pile(&pile);
}

/* A pile that begins stands in its first step: falling together and stopped layer by layer from below it would take 32 iterations. */
static void begins_standing(void** state)
{
    (void)state;
    static FilVec3 usual[BOXES], sharp[BOXES];
    Pile pile = make_pile();
    fil_world_save(pile.world, pile.snapshot);
    step_with(&pile, 1e-9, sharp);
    assert_true(step_with(&pile, 1e-6, usual) <= 20);
    for (int k = 0; k < BOXES; k++) {
        assert_true(sample_distance(usual[k], sharp[k]) <= 1e-5 * 9.81 * 2e-3 * sqrt(BOXES));
    }
    free_pile(&pile);
}

/* What a step does depends on the state alone: not on factors of the steps before. */
static void restored_piles_repeat(void** state)
{
    (void)state;
    Pile pile = make_pile(), other = make_pile();
    sample_run(pile.world, 2);
    fil_world_save(pile.world, pile.snapshot);
    sample_run(pile.world, 2);
    assert_int_equal(fil_world_restore(other.world, pile.snapshot, pile.size), FIL_OK);
    sample_run(other.world, 2);
    assert_true(fil_world_hash(pile.world) == fil_world_hash(other.world));
    free_pile(&other);
    free_pile(&pile);
}

static void steps_do_not_allocate(void** state)
{
    (void)state;
    Pile pile = make_pile();
    sample_run(pile.world, 2);
    for (int k = 0; k < 3; k++) {
        heap_calls = 0;
        const FilStatus status = fil_world_step(pile.world, NULL);
        const int counted = heap_calls;
        assert_int_equal(status, FIL_OK);
        assert_int_equal(counted, 0);
    }
    free_pile(&pile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tolerance_is_kept),
        cmocka_unit_test(begins_standing),
        cmocka_unit_test(restored_piles_repeat),
        cmocka_unit_test(steps_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
