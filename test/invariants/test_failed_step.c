/* A step that cannot converge says so and leaves the world as it was. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lively.h"
#include "sample.h"

enum { NODES = 21 };

/* a limp cable held at one end, gravity along its axis' side, and a Newton method that may do next to nothing */
static FilWorld* hasty_world(int iterations, int halvings)
{
    FilWorldDef def = fil_world_def_default();
    def.gravity = (FilVec3){0.0, 0.0, -9.81};
    def.dt = 1.0;
    def.newton_max_iterations = iterations;
    def.max_halvings = halvings;
    FilWorld* world = sample_world_of(&def);
    FilRodDef rod = fil_rod_def_default();
    rod.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 1e-3, .young = 1e8, .poisson = 0.3, .density = 1000.0};
    FilAttachmentDef pin = fil_attachment_def_default();
    pin.kind = FIL_ATTACH_PIN;
    pin.object = sample_straight_rod(world, &rod, NODES, 0.05);
    (void)sample_attach(world, &pin);
    return world;
}

static void failure_leaves_the_last_good_state(void** state)
{
    (void)state;
    FilWorld* world = hasty_world(2, 3);
    uint64_t before = fil_world_hash(world);
    FilStepInfo info = {0};
    assert_int_equal(fil_world_step(world, &info), FIL_NOT_CONVERGED);
    assert_int_equal(fil_world_hash(world), before);
    assert_true(fil_world_time(world) == 0.0);
    assert_int_equal(fil_world_step_count(world), 0);
    /* it tried: sub-steps down to the finest, and it says what to do */
    assert_int_equal(info.halvings, 3);
    assert_true(info.newton_iterations > 0);
    assert_non_null(strstr(fil_world_error(world), "did not converge"));

    /* a shorter step goes on from there */
    assert_int_equal(fil_world_set_dt(world, 1e-4), FIL_OK);
    assert_int_equal(fil_world_step(world, &info), FIL_OK);
    assert_int_equal(fil_world_step_count(world), 1);
    assert_true(info.residual <= 1e-6);
    fil_world_destroy(world);
}

/* halving inside a step gets through what one step cannot, lands at the same time, and is reported */
static void halving_gets_through(void** state)
{
    (void)state;
    FilWorld* stuck = hasty_world(12, 0);
    assert_int_equal(fil_world_step(stuck, NULL), FIL_NOT_CONVERGED);
    fil_world_destroy(stuck);

    FilWorld* world = hasty_world(12, 10);
    FilStepInfo info = {0};
    assert_int_equal(fil_world_step(world, &info), FIL_OK);
    assert_true(info.halvings > 0);
    assert_true(fil_world_time(world) == 1.0);
    assert_int_equal(fil_world_step_count(world), 1);
    fil_world_destroy(world);
}

/* loads that no rod can bear must not become NaN */
static void absurd_loads_never_commit_nan(void** state)
{
    (void)state;
    FilWorld* world = lively_world(FIL_MIDPOINT);
    double force[3] = {1e200, -1e200, 1e200}, nodes[3 * 32];
    assert_int_equal(fil_drive_set(world, fil_world_find_drive(world, "load"), force, 3), FIL_OK);
    FilId beam = fil_world_find_rod(world, "beam");
    for (int i = 0; i < 5; ++i) {
        FilStatus status = fil_world_step(world, NULL);
        assert_true(status == FIL_OK || status == FIL_NOT_CONVERGED);
        fil_rod_get_positions(world, beam, nodes);
        for (int k = 0; k < 3 * fil_rod_node_count(world, beam); ++k) {
            assert_true(isfinite(nodes[k]));
        }
    }
    fil_world_destroy(world);
}

/* the explicit rule far beyond its stability limit blows up: an error, never a NaN in the state */
static void explicit_blow_up_is_an_error(void** state)
{
    (void)state;
    FilWorld* world = lively_world(FIL_SYMPLECTIC_EULER);
    assert_int_equal(fil_world_set_dt(world, 0.01), FIL_OK);
    FilId beam = fil_world_find_rod(world, "beam");
    FilStatus status = FIL_OK;
    for (int i = 0; i < 2000 && status == FIL_OK; ++i) {
        status = fil_world_step(world, NULL);
    }
    assert_int_equal(status, FIL_NOT_CONVERGED);
    double nodes[3 * 32];
    fil_rod_get_positions(world, beam, nodes);
    for (int k = 0; k < 3 * fil_rod_node_count(world, beam); ++k) {
        assert_true(isfinite(nodes[k]));
    }
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failure_leaves_the_last_good_state),
        cmocka_unit_test(halving_gets_through),
        cmocka_unit_test(absurd_loads_never_commit_nan),
        cmocka_unit_test(explicit_blow_up_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
