/* Points that go with a triangle: their velocity is the derivative of the place, and forces there keep momentum and angular
 * momentum. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "body/triangle.h"
#include "random.h"

enum { CASES = 200 };

static const int vertex[3] = {2, 0, 1};

/* weights, and height above the plane, of a point */
static void take_point(const double* q, const double* w, double height, double* out)
{
    double ab[3], ac[3], n[3];
    fil_v3_sub(ab, q + 4 * vertex[1], q + 4 * vertex[0]);
    fil_v3_sub(ac, q + 4 * vertex[2], q + 4 * vertex[0]);
    fil_v3_cross(n, ab, ac);
    fil_v3_normalise(n);
    fil_v3_set(out, 0.0, 0.0, 0.0);
    for (int k = 0; k < 3; k++) {
        fil_v3_axpy(out, w[k], q + 4 * vertex[k]);
    }
    fil_v3_axpy(out, height, n);
}

static void test_velocity_and_momentum(void** state)
{
    (void)state;
    Random random = {7};
    for (int c = 0; c < CASES; c++) {
        double q[12] = {0.0}, v[12] = {0.0}, w[3], point[3], jacobian[36], speed[3] = {0.0}, force[3];
        int blocks[3];
        for (int k = 0; k < 12; k++) {
            q[k] = random_between(&random, -1.0, 1.0);
            v[k] = random_between(&random, -1.0, 1.0);
        }
        w[0] = random_between(&random, -0.5, 1.5);  // beside the triangle too
        w[1] = random_between(&random, -0.5, 1.5);
        w[2] = 1.0 - w[0] - w[1];
        const double height = random_between(&random, -0.5, 0.5);
        take_point(q, w, height, point);
        assert_int_equal(fil_triangle_jacobian(vertex, point, q, blocks, jacobian), 3);
        double total[3] = {0.0}, moment[3], turn[3] = {0.0}, largest = 1.0;
        fil_v3_set(force, random_between(&random, -1.0, 1.0), random_between(&random, -1.0, 1.0), 0.3);
        for (int b = 0; b < 3; b++) {
            double share[3] = {0.0}, arm[3];
            assert_int_equal(blocks[b], vertex[b]);
            for (int j = 0; j < 3; j++) {
                for (int k = 0; k < 4; k++) {
                    speed[j] += jacobian[12 * b + 4 * j + k] * v[4 * blocks[b] + k];
                    largest = fmax(largest, fabs(jacobian[12 * b + 4 * j + k]));
                }
                fil_v3_axpy(share, force[j], jacobian + 12 * b + 4 * j);
            }
            fil_v3_cross(arm, q + 4 * blocks[b], share);
            fil_v3_add(total, total, share);
            fil_v3_add(turn, turn, arm);
        }
        fil_v3_cross(moment, point, force);
        // central differences: truncation and rounding balance at 1e-10 of the largest entry, cubed for thin triangles
        const double step = 1e-6 / largest;
        double ends[2][3], moved[12];
        for (int e = 0; e < 2; e++) {
            for (int k = 0; k < 12; k++) {
                moved[k] = q[k] + (e == 0 ? -step : step) * v[k];
            }
            take_point(moved, w, height, ends[e]);
        }
        for (int k = 0; k < 3; k++) {
            assert_true(fabs((ends[1][k] - ends[0][k]) / (2.0 * step) - speed[k]) < 1e-8 * largest * largest);
            assert_true(fabs(total[k] - force[k]) < 1e-12 * largest);
            assert_true(fabs(turn[k] - moment[k]) < 1e-12 * largest);
        }
    }
}

/* A triangle that moves as a rigid one turns as it does, and a couple on it becomes forces that make up nothing else. */
static void test_turn_and_couple(void** state)
{
    (void)state;
    Random random = {11};
    for (int c = 0; c < CASES; c++) {
        double q[12] = {0.0}, v[12] = {0.0}, omega[3], couple[3], linear[3], jacobian[36], turns[3] = {0.0}, total[3] = {0.0}, moment[3] = {0.0};
        int blocks[3];
        for (int k = 0; k < 12; k++) {
            q[k] = random_between(&random, -1.0, 1.0);
        }
        for (int k = 0; k < 3; k++) {
            omega[k] = random_between(&random, -1.0, 1.0);
            couple[k] = random_between(&random, -1.0, 1.0);
            linear[k] = random_between(&random, -1.0, 1.0);
        }
        for (int i = 0; i < 3; i++) {
            fil_v3_cross(v + 4 * i, omega, q + 4 * i);
            fil_v3_add(v + 4 * i, v + 4 * i, linear);
        }
        assert_int_equal(fil_triangle_turn_jacobian(vertex, q, blocks, jacobian), 3);
        double largest = 1.0;
        for (int b = 0; b < 3; b++) {
            double share[3] = {0.0}, arm[3];
            for (int j = 0; j < 3; j++) {
                turns[j] += fil_v3_dot(jacobian + 12 * b + 4 * j, v + 4 * blocks[b]);
                fil_v3_axpy(share, couple[j], jacobian + 12 * b + 4 * j);
                largest = fmax(largest, fil_v3_norm(jacobian + 12 * b + 4 * j));
            }
            fil_v3_cross(arm, q + 4 * blocks[b], share);
            fil_v3_add(total, total, share);
            fil_v3_add(moment, moment, arm);
        }
        for (int k = 0; k < 3; k++) {  // rounding of the inverse grows with its square
            assert_true(fabs(turns[k] - omega[k]) < 1e-12 * largest * largest);
            assert_true(fabs(total[k]) < 1e-12 * largest * largest);
            assert_true(fabs(moment[k] - couple[k]) < 1e-12 * largest * largest);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_velocity_and_momentum), cmocka_unit_test(test_turn_and_couple)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
