/* What a step reports: iterations, residual, sub-steps, time; and what it does about too hard ones. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "sample.h"

enum { NODES = 21 };

/* a soft rod held at one end, let go sideways */
static FilWorld* make_world(double dt, int iterations, int halvings, FilId* rod)
{
    FilWorldDef def = fil_world_def_default();
    def.dt = dt;
    def.newton_max_iterations = iterations;
    def.max_halvings = halvings;
    FilWorld* world = sample_world_of(&def);
    FilRodDef rod_def = fil_rod_def_default();
    rod_def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 1e-3, .young = 1e8, .poisson = 0.3, .density = 1000.0};
    *rod = sample_straight_rod(world, &rod_def, NODES, 0.05);
    FilAttachmentDef pin = fil_attachment_def_default();
    pin.object = *rod;
    (void)sample_attach(world, &pin);
    return world;
}

static void info_reports_the_step(void** state)
{
    (void)state;
    FilId rod;
    FilWorld* world = make_world(1e-3, 50, 8, &rod);
    for (int i = 1; i <= 20; ++i) {
        FilStepInfo info = {0};
        assert_int_equal(fil_world_step(world, &info), FIL_OK);
        assert_int_equal(info.step, i);
        assert_int_equal(fil_world_step_count(world), i);
        assert_true(info.time == fil_world_time(world));
        assert_true(fabs(info.time - 1e-3 * i) < 1e-15);
        assert_true(info.dt == 1e-3);
        assert_int_equal(info.halvings, 0);
        assert_true(info.newton_iterations >= 1 && info.residual <= 1e-6);
        assert_true(info.timings.free_motion > 0.0 && info.timings.other >= 0.0);
    }
    fil_world_destroy(world);
}

/* a step done as two halves is two steps of half the length, to the last bit */
static void halves_are_steps(void** state)
{
    (void)state;
    int compared = 0;
    for (int iterations = 2; iterations < 40; ++iterations) {
        FilId rod, plain_rod;
        FilWorld* halving = make_world(0.05, iterations, 1, &rod);
        FilStepInfo info;
        if (fil_world_step(halving, &info) == FIL_OK && info.halvings == 1) {
            double halved[3 * NODES], whole[3 * NODES];
            FilWorld* plain = make_world(0.025, iterations, 0, &plain_rod);
            assert_int_equal(fil_world_step(plain, NULL), FIL_OK);
            assert_int_equal(fil_world_step(plain, NULL), FIL_OK);
            fil_rod_get_positions(halving, rod, halved);
            fil_rod_get_positions(plain, plain_rod, whole);
            assert_memory_equal(halved, whole, sizeof whole);
            fil_rod_get_velocities(halving, rod, halved);
            fil_rod_get_velocities(plain, plain_rod, whole);
            assert_memory_equal(halved, whole, sizeof whole);
            assert_true(fil_world_time(halving) == 0.05);
            assert_int_equal(fil_world_step_count(halving), 1);
            fil_world_destroy(plain);
            ++compared;
        }
        fil_world_destroy(halving);
    }
    /* some number of iterations is too few for the whole and enough for its halves */
    assert_true(compared > 0);
}

/* a pinned node arrives at its target at the end of a halved step, and the target's way is divided with the step */
static void halved_steps_follow_their_drives(void** state)
{
    (void)state;
    FilId rod, drive;
    FilWorld* world = make_world(0.25, 12, 10, &rod);
    FilDriveDef def = fil_drive_def_default();
    def.kind = FIL_DRIVE_VELOCITY;
    def.attachment = fil_world_find_attachment(world, "attachment1");
    def.knot_count = 2;
    def.times = (double[]){0.0, 0.25};
    def.values = (double[]){0.0, 0.0, 0.0, 0.8, 0.0, 0.4};
    assert_int_equal(fil_world_add_drive(world, &def, &drive), FIL_OK);
    FilStepInfo info;
    assert_int_equal(fil_world_step(world, &info), FIL_OK);
    assert_true(info.halvings > 0);
    double nodes[3 * NODES];
    fil_rod_get_positions(world, rod, nodes);
    /* velocity ramps up evenly: half its end value on average, integrated exactly by midpoints */
    assert_true(fabs(nodes[0] - 0.1) < 1e-15);
    assert_true(fabs(nodes[2] - 0.05) < 1e-15);
    fil_world_destroy(world);
}

static void failing_steps_say_how_far_they_went(void** state)
{
    (void)state;
    FilId rod;
    FilWorld* world = make_world(0.25, 1, 2, &rod);
    FilStepInfo info;
    const uint64_t before = fil_world_hash(world);
    for (int again = 0; again < 2; ++again) {
        assert_int_equal(fil_world_step(world, &info), FIL_NOT_CONVERGED);
        assert_non_null(strstr(fil_world_error(world), "from t = 0 s did not converge, even with sub-steps of 0.0625 s"));
        assert_int_equal(info.halvings, 2);
        assert_int_equal(info.step, 0);
        assert_true(info.time == 0.0);
        assert_true(fil_world_hash(world) == before);
    }
    fil_world_destroy(world);
}

/* its rest curvature, over a second */
static void bend_more(FilWorld* world, FilId rod)
{
    FilId drive;
    FilDriveDef def = fil_drive_def_default();
    def.kind = FIL_DRIVE_CURVATURE;
    def.object = rod;
    def.knot_count = 2;
    def.times = (double[]){0.0, 1.0};
    def.values = (double[]){0.0, 0.0, 3.0, 2.0};
    assert_int_equal(fil_world_add_drive(world, &def, &drive), FIL_OK);
}

/* what drives write into the state on the way, such as a rest curvature, goes with a failing step */
static void failing_steps_take_back_live_rest_shapes(void** state)
{
    (void)state;
    for (int halvings = 0; halvings < 3; ++halvings) {
        FilId rod;
        FilWorld* world = make_world(0.25, 1, halvings, &rod);
        bend_more(world, rod);
        const uint64_t before = fil_world_hash(world);
        assert_int_equal(fil_world_step(world, NULL), FIL_NOT_CONVERGED);
        assert_true(fil_world_hash(world) == before);
        fil_world_destroy(world);
    }
}

typedef struct Asker {
    int asked, patience; /* how often it was asked, and from when on it says yes */
} Asker;

static bool has_enough(void* context)
{
    Asker* asker = context;
    return asker->asked++ >= asker->patience;
}

/* A rod that moves in sub-steps, and whose rest curvature is driven. */
static FilWorld* make_divided_world(Asker* asker)
{
    FilId rod;
    FilWorld* world = make_world(0.25, 12, 10, &rod);
    bend_more(world, rod);
    fil_world_set_stop(world, has_enough, asker);
    return world;
}

/* wherever a divided step ends before its time, within its first sub-step, after it or after more of them, nothing of it is left */
static void divided_steps_return_to_their_start(void** state)
{
    (void)state;
    Asker calm = {.patience = INT_MAX}, asker = {0};
    FilWorld *undisturbed = make_divided_world(&calm), *world = make_divided_world(&asker);
    for (int n = 0; n < 2; ++n) {
        const uint64_t before = fil_world_hash(world);
        FilStepInfo info;
        int interruptions = 0;
        while (fil_world_step(world, &info) == FIL_INTERRUPTED) {
            assert_true(fil_world_hash(world) == before);
            asker = (Asker){.patience = ++interruptions};
        }
        assert_true(info.halvings > 0 && interruptions > 10);
        assert_int_equal(fil_world_step(undisturbed, NULL), FIL_OK);
        assert_true(fil_world_hash(world) == fil_world_hash(undisturbed));
        asker = (Asker){0};
    }
    fil_world_destroy(undisturbed);
    fil_world_destroy(world);
}

/* two nodes that fly through each other turn their edge by 180 degrees: no frame can follow that in one step */
static void frames_that_cannot_follow_are_an_error(void** state)
{
    (void)state;
    FilWorldDef def = fil_world_def_default();
    FilWorld* world;
    FilError error;
    FilId rod;
    def.integrator = FIL_SYMPLECTIC_EULER;
    def.gravity = (FilVec3){0.0, 0.0, 0.0};
    def.dt = 0.1;
    def.max_halvings = 0;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    FilRodDef rod_def = fil_rod_def_default();
    rod_def.node_count = 2;
    rod_def.nodes = (double[]){0.0, 0.0, 0.0, 0.1, 0.0, 0.0};
    rod_def.velocities = (double[]){1.0, 0.0, 0.0, -1.0, 0.0, 0.0};
    rod_def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 1e-3, .young = 1e3, .poisson = 0.3, .density = 1000.0};
    assert_int_equal(fil_world_add_rod(world, &rod_def, &rod), FIL_OK);
    assert_int_equal(fil_world_step(world, NULL), FIL_NOT_CONVERGED);
    double frame[9];
    fil_rod_get_frames(world, rod, frame);
    for (int k = 0; k < 9; ++k) {
        assert_true(isfinite(frame[k]));
    }
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_reports_the_step),
        cmocka_unit_test(halves_are_steps),
        cmocka_unit_test(halved_steps_follow_their_drives),
        cmocka_unit_test(failing_steps_say_how_far_they_went),
        cmocka_unit_test(failing_steps_take_back_live_rest_shapes),
        cmocka_unit_test(divided_steps_return_to_their_start),
        cmocka_unit_test(frames_that_cannot_follow_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
