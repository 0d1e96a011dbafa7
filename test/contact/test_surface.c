/* Surfaces: what two of them make, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contact/surface.h"
#include "sample.h"

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b));
}

static void surfaces_combine(void** state)
{
    (void)state;
    const FilSurface a = {.friction = 0.2, .stiffness = 1e4, .dissipation_time = 0.01, .dissipation = 2.0};
    const FilSurface b = {.friction = 0.6, .stiffness = 3e4, .dissipation_time = 0.02, .dissipation = 10.0};
    const FilSurface s = fil_surface_combine(&a, &b), t = fil_surface_combine(&b, &a);
    assert_true(near(s.friction, 0.3));           // 2 a b / (a + b)
    assert_true(near(s.stiffness, 7.5e3));        // 1 / (1/a + 1/b)
    assert_true(near(s.dissipation_time, 0.03));  // a + b
    assert_true(near(s.dissipation, 4.0));        // the softer side takes three quarters of the deformation
    assert_true(near(s.friction, t.friction) && near(s.stiffness, t.stiffness) && near(s.dissipation, t.dissipation));
}

static void rigid_and_slippery_surfaces_combine(void** state)
{
    (void)state;
    const FilSurface rigid = {.friction = 0.5}, soft = {.friction = 0.0, .stiffness = 1e4, .dissipation = 3.0};
    const FilSurface s = fil_surface_combine(&rigid, &soft);
    assert_true(s.friction == 0.0);
    assert_true(near(s.stiffness, 1e4) && near(s.dissipation, 3.0));
    assert_true(fil_surface_combine(&rigid, &rigid).stiffness == 0.0);
    assert_true(fil_surface_combine(&soft, &soft).friction == 0.0);
}

static void bad_surfaces_are_refused(void** state)
{
    (void)state;
    static const struct {
        FilSurface surface;
        const char* says;
    } cases[] = {
        {{.friction = -0.1}, "friction"},
        {{.friction = NAN}, "friction"},
        {{.friction = INFINITY}, "friction"},
        {{.stiffness = -1.0}, "stiffness"},
        {{.dissipation_time = -1.0}, "dissipation_time"},
        {{.dissipation = NAN}, "dissipation"},
    };
    FilWorld* world = sample_world("sap", 1e-3);
    const FilId ground = sample_ground(world), ball = sample_ball(world, 0.1, 0.0, 0.0, 1.0);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_int_equal(fil_world_set_pair_surface(world, ground, ball, &cases[k].surface), FIL_BAD_INPUT);
        assert_non_null(strstr(fil_world_error(world), cases[k].says));
        FilShapeDef shape = fil_shape_def_default();
        shape.radius = 0.1;
        FilRigidDef def = sample_rigid_def(&shape);
        def.collision.surface = cases[k].surface;
        FilId id;
        assert_int_equal(fil_world_add_rigid(world, &def, &id), FIL_BAD_INPUT);
        assert_non_null(strstr(fil_world_error(world), cases[k].says));
    }
    const FilSurface good = fil_surface_default();
    const FilId nothing = {0, 0}, foreign = {ball.index, ball.generation + 1};
    assert_int_equal(fil_world_set_pair_surface(world, ground, nothing, &good), FIL_BAD_INPUT);
    assert_int_equal(fil_world_set_pair_surface(world, foreign, ground, &good), FIL_BAD_INPUT);
    assert_int_equal(fil_world_set_pair_surface(world, ground, ball, &good), FIL_OK);
    fil_world_destroy(world);
}

/* A soft surface gives way by m g / k, a soft pair by both springs in series. */
static void stiffness_is_what_it_says(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged"};
    for (int m = 0; m < 2; m++) {
        FilWorld* world = sample_world(models[m], 1e-3);
        const FilId ground = sample_ground(world), ball = sample_ball(world, 0.05, 0.0, 0.0, 0.05);
        const FilSurface soft = {.friction = 0.5, .stiffness = 500.0, .dissipation_time = 0.05, .dissipation = 20.0};
        assert_int_equal(fil_world_set_pair_surface(world, ground, ball, &soft), FIL_OK);
        sample_run(world, 3000);
        const double depth = 0.05 - sample_position(world, ball).z, weight = fil_rigid_mass(world, ball) * 9.81;
        assert_true(fabs(depth - weight / 500.0) < 1e-3 * depth);
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_combine),
        cmocka_unit_test(rigid_and_slippery_surfaces_combine),
        cmocka_unit_test(bad_surfaces_are_refused),
        cmocka_unit_test(stiffness_is_what_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
