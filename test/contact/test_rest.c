/* What lies still: in each step it is borne by its weight, however small or thin it is and whatever the step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample.h"

static const double g = 9.81;
static const char* const models[] = {"sap", "sap_lagged"};
static const double steps[] = {1e-3, 2e-3, 5e-3, 8e-3};

static FilId put_down(FilWorld* world, const FilShapeDef* shape, double height)
{
    FilRigidDef def = sample_rigid_def(shape);
    def.position.z = height;
    FilId body = {0, 0};
    assert_int_equal(fil_world_add_rigid(world, &def, &body), FIL_OK);
    return body;
}

/* 0.5 s after it was put down, ten steps on end */
static void check_rest(const char* model, double dt, const FilShapeDef* shape, double height)
{
    FilWorld* world = sample_world(model, dt);
    sample_ground(world);
    const FilId body = put_down(world, shape, height);
    const double weight = g * fil_rigid_mass(world, body);
    sample_run(world, (int)(0.5 / dt));
    for (int k = 0; k < 10; k++) {
        sample_run(world, 1);
        // what creeps towards rest by less than a thousandth of what a step falls
        if (!(fabs(sample_lift(world, body) - weight) < 1e-3 * weight)) {
            fail_msg("%s, step of %g s, %g m: borne by %g of its weight", model, dt, height, sample_lift(world, body) / weight);
        }
    }
    fil_world_destroy(world);
}

static void balls_lie_still(void** state)
{
    (void)state;
    const double radii[] = {2e-3, 1e-2, 1e-1};
    for (int k = 0; k < 24; k++) {
        FilShapeDef ball = fil_shape_def_default();
        ball.radius = radii[k % 3];
        check_rest(models[k / 12], steps[k / 3 % 4], &ball, ball.radius);
    }
}

static void plates_lie_still(void** state)
{
    (void)state;
    const double halves[] = {2e-4, 1e-3, 5e-3};
    for (int k = 0; k < 24; k++) {
        FilShapeDef plate = fil_shape_def_default();
        const double half = halves[k % 3];
        plate.type = FIL_SHAPE_BOX;
        plate.size = (FilVec3){200.0 * half, 200.0 * half, 2.0 * half};
        check_rest(models[k / 12], steps[k / 3 % 4], &plate, half);
    }
}

/* Up to the depth d, 1e-3 of the radius, a contact is as soft as R = w/(4 pi^2), so that a ball sinks by s = dt^2 R m g; beyond it by s d^3 = x^4.
 * w is the mean of 1/m and twice 1/m + r^2/(2/5 m r^2). */
static void balls_sink_by_their_weight(void** state)
{
    (void)state;
    const double radii[] = {2e-3, 1e-2, 1e-1};
    for (int k = 0; k < 12; k++) {
        const double r = radii[k % 3], dt = steps[k / 3], d = 1e-3 * r, soft = dt * dt * g * (8.0 / 3.0) / (4.0 * M_PI * M_PI);
        FilWorld* world = sample_world("sap_lagged", dt);
        FilShapeDef shape = fil_shape_def_default();
        shape.radius = r;
        sample_ground(world);
        const FilId ball = put_down(world, &shape, r);
        sample_run(world, (int)(0.5 / dt));
        const double sunk = r - sample_position(world, ball).z, expected = soft > d ? pow(soft * d * d * d, 0.25) : soft;
        assert_true(fabs(sunk - expected) < 1e-3 * expected);
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_lie_still),
        cmocka_unit_test(plates_lie_still),
        cmocka_unit_test(balls_sink_by_their_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
