/* The smooth distance of segments: against P2's formulas in complex arithmetic, and its Hessian against differences. */
#include "geometry/smooth_distance.h"

#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/closest.h"
#include "random.h"

static const double K = 50.0;

/* ---- P2 eq. 8-15, line by line, for complex coordinates; with the clamp of eq. 11 that eq. 15 drops ---- */

static double complex dot(const double complex* a, const double complex* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double complex soft(double complex y)
{
    return creal(y) > 0.0 ? y + clog(1.0 + cexp(-y)) : clog(1.0 + cexp(y));
}

static double complex logistic(double complex y)
{
    return creal(y) > 0.0 ? 1.0 / (1.0 + cexp(-y)) : cexp(y) / (1.0 + cexp(y));
}

static double complex fix_bound(double complex x)
{
    return (soft(K * x) - soft(K * (x - 1.0))) / K;
}

static double complex boxcar(double complex x)
{
    return logistic(K * x) - logistic(K * (x - 1.0));
}

static double complex printed_distance(const double complex x[12])
{
    double complex e[3], f[3], r[3], between[3];
    for (int k = 0; k < 3; k++) {
        e[k] = x[3 + k] - x[k];
        f[k] = x[9 + k] - x[6 + k];
        r[k] = x[6 + k] - x[k];
    }
    const double complex d1 = dot(e, e), d2 = dot(f, f), s1 = dot(e, r), s2 = dot(f, r), c = dot(e, f);
    // but for what lets parallel segments meet at the middle, a thousandth, where the print divides by zero
    const double complex lambda = d1 * d2 - c * c, parallel = 1e-3 * d1 * d2;
    const double complex t1 = (s1 * d2 - s2 * c + 0.5 * parallel) / (lambda + parallel);
    const double complex t2 = fix_bound(t1);
    const double complex u1 = (t2 * c - s2) / d2, u2 = fix_bound(u1);
    const double complex t3 = (1.0 - boxcar(u1)) * fix_bound((u2 * c + s1) / d1) + boxcar(u1) * t2;
    for (int k = 0; k < 3; k++) {
        between[k] = t3 * e[k] - u2 * f[k] - r[k];
    }
    return csqrt(dot(between, between));
}

/* ---- comparisons ---- */

static void numerical_gradient(const double x[12], double gradient[12])
{
    for (int i = 0; i < 12; i++) {
        double complex z[12];
        for (int j = 0; j < 12; j++) {
            z[j] = x[j];
        }
        z[i] += 1e-30 * I;
        gradient[i] = cimag(printed_distance(z)) / 1e-30;
    }
}

/* Sixth-order differences of the complex-step gradient. */
static void numerical_hessian(const double x[12], double step, double hessian[144])
{
    static const double weight[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    memset(hessian, 0, 144 * sizeof *hessian);
    for (int i = 0; i < 12; i++) {
        for (int m = 0; m < 3; m++) {
            for (int side = -1; side <= 1; side += 2) {
                double moved[12], g[12];
                memcpy(moved, x, sizeof moved);
                moved[i] += side * (m + 1) * step;
                numerical_gradient(moved, g);
                for (int j = 0; j < 12; j++) {
                    hessian[12 * i + j] += side * weight[m] * g[j] / step;
                }
            }
        }
    }
}

static double largest(const double* a, int count)
{
    double size = 0.0;
    for (int k = 0; k < count; k++) {
        size = fmax(size, fabs(a[k]));
    }
    return size;
}

/* Relative errors of gradient and Hessian, the latter found with differences over `step`. */
static void check(const double x[12], double step, double gradient_tolerance, double hessian_tolerance)
{
    FilSmoothDistance d;
    double g[12], expected[12], h[144], numerical[144];
    double complex z[12];
    for (int j = 0; j < 12; j++) {
        z[j] = x[j];
    }
    fil_smooth_distance(x, K, &d);
    assert_true(fabs(d.distance - creal(printed_distance(z))) <= 1e-13 * d.distance);
    fil_smooth_distance_gradient(&d, g);
    numerical_gradient(x, expected);
    const double size = largest(expected, 12);
    for (int i = 0; i < 12; i++) {
        assert_true(fabs(g[i] - expected[i]) <= gradient_tolerance * size);
    }
    fil_smooth_distance_second(x, K, &d);
    fil_smooth_distance_hessian(&d, g, 0.0, 1.0, h);
    numerical_hessian(x, step, numerical);
    const double bend = largest(numerical, 144);
    for (int i = 0; i < 144; i++) {
        assert_true(fabs(h[i] - numerical[i]) <= hessian_tolerance * bend);
    }
    // a function of the distance: log d has derivatives 1/d and -1/d^2
    fil_smooth_distance_hessian(&d, g, -1.0 / (d.distance * d.distance), 1.0 / d.distance, h);
    for (int i = 0; i < 144; i++) {
        const double log_bend = numerical[i] / d.distance - g[i / 12] * g[i % 12] / (d.distance * d.distance);
        assert_true(fabs(h[i] - log_bend) <= hessian_tolerance * (bend / d.distance + 1.0));
    }
}

static void place(double x[12], const double from[3], const double e[3], const double to[3], const double f[3])
{
    for (int k = 0; k < 3; k++) {
        x[k] = from[k];
        x[3 + k] = from[k] + e[k];
        x[6 + k] = to[k];
        x[9 + k] = to[k] + f[k];
    }
}

// differences over 1e-3 of a length where the sharpest term varies over 1/50: their truncation is below 1e-7
#define STEP 2e-4
#define EXACT 1e-11
#define BY_DIFFERENCES 1e-7

static void test_crossing(void** state)
{
    (void)state;
    Random random = {1};
    for (int trial = 0; trial < 200; trial++) {
        double x[12];
        for (int k = 0; k < 12; k++) {
            x[k] = random_between(&random, -1.0, 1.0);
        }
        x[6] += 2.0, x[9] += 2.0;
        check(x, STEP, EXACT, BY_DIFFERENCES);
    }
}

static void test_near_parallel(void** state)
{
    (void)state;
    // the angle is the length over which s runs along the segment: differences must be finer, and have fewer digits
    for (double angle = 0.1; angle > 2e-3; angle *= 0.5) {
        const double from[3] = {0.0, 0.0, 0.0}, e[3] = {1.0, 0.1, -0.05}, to[3] = {0.2, 1.0, 0.1};
        const double f[3] = {cos(angle), 0.1, sin(angle) - 0.05};
        double x[12];
        place(x, from, e, to, f);
        check(x, STEP * angle, 1e-14 / (angle * angle), 1e-6);
    }
}

static void test_parallel(void** state)
{
    (void)state;
    // exactly parallel: they meet at the middle of the first, and the distance stays smooth about it
    const double from[3] = {0.0, 0.0, 0.0}, e[3] = {1.0, 0.0, 0.0}, to[3] = {0.3, 1.0, 0.0};
    double x[12], g[12], along = 0.0, across = 0.0;
    place(x, from, e, to, e);
    FilSmoothDistance d;
    fil_smooth_distance_second(x, K, &d);
    fil_smooth_distance_gradient(&d, g);
    // within the softening of the clamps, which is 1/50 of the length
    assert_true(fabs(d.distance - 1.0) < 1e-3);
    for (int n = 0; n < 4; n++) {
        along += fabs(g[3 * n]);
        across += fabs(g[3 * n + 1]);
        for (int i = 0; i < 3; i++) {
            assert_true(isfinite(g[3 * n + i]));
        }
    }
    assert_true(along < 0.05 && fabs(across - 2.0) < 0.05);
    assert_true(isfinite(largest(d.bend, FIL_GRAM * FIL_GRAM)));
}

static void test_end_to_end(void** state)
{
    (void)state;
    // one behind the other in nearly one line, and an end above the inside of the other segment
    const double from[3] = {0.0, 0.0, 0.0}, e[3] = {1.0, 0.0, 0.0};
    const double behind[3] = {1.4, 0.1, 0.0}, on[3] = {1.0, 0.3, 0.1};
    const double above[3] = {0.5, 0.4, 0.0}, up[3] = {0.1, 1.0, 0.2};
    double x[12];
    place(x, from, e, behind, on);
    check(x, STEP, EXACT, BY_DIFFERENCES);
    place(x, from, e, above, up);
    check(x, STEP, EXACT, BY_DIFFERENCES);
    // ends exactly side by side: in the middle of both transitions
    const double beside[3] = {1.0, 0.5, 0.0}, away[3] = {0.0, 0.2, 1.0};
    place(x, from, e, beside, away);
    check(x, STEP, EXACT, BY_DIFFERENCES);
}

static void test_exact_inside(void** state)
{
    (void)state;
    // where both points lie inside their segments the softening is below 1e-3 of the distance
    Random random = {7};
    int inside = 0;
    for (int trial = 0; trial < 500; trial++) {
        double x[12], s, t;
        for (int k = 0; k < 12; k++) {
            x[k] = random_between(&random, -1.0, 1.0);
        }
        const double exact = sqrt(fil_segment_segment(x, x + 3, x + 6, x + 9, &s, &t));
        FilSmoothDistance d;
        fil_smooth_distance(x, K, &d);
        if (s > 0.15 && s < 0.85 && t > 0.15 && t < 0.85) {
            inside++;
            assert_true(fabs(d.distance - exact) <= 1e-3 * exact + 1e-6);
        }
        // anywhere, by the width of the softening, ln 2 / 50 of both lengths, and rarely more
        assert_true(fabs(d.distance - exact) <= 0.1);
    }
    assert_true(inside > 20);
}

static void test_scaling(void** state)
{
    (void)state;
    // coordinates scaled by 1/h scale the distance and nothing else (P2 section 2.5)
    Random random = {3};
    double x[12], scaled[12];
    for (int k = 0; k < 12; k++) {
        x[k] = random_between(&random, -1.0, 1.0);
        scaled[k] = x[k] / 1.6e-3;
    }
    FilSmoothDistance d, e;
    double g[12], h[12];
    fil_smooth_distance(x, K, &d);
    fil_smooth_distance(scaled, K, &e);
    fil_smooth_distance_gradient(&d, g);
    fil_smooth_distance_gradient(&e, h);
    assert_true(fabs(e.distance * 1.6e-3 - d.distance) < 1e-13 * d.distance);
    for (int k = 0; k < 12; k++) {
        assert_true(fabs(g[k] - h[k]) < 1e-11);
    }
}

/* Side by side they are what they are one by one, to the last bit. */
static void test_side_by_side(void** state)
{
    (void)state;
    Random random = {31};
    const FilSoftClamp soft = fil_soft_clamp(K);
    for (int trial = 0; trial < 100; trial++) {
        FilDouble4 x[12], gradient[12];
        FilSmoothWide several;
        for (int k = 0; k < 12 * FIL_DOUBLE4_COUNT; k++) {
            fil_double4_set(&x[k % 12], k / 12, random_between(&random, -1.0, 1.0));
        }
        fil_smooth_distance_wide(x, &soft, &several);
        fil_smooth_wide_gradient(&several, gradient);
        for (int lane = 0; lane < FIL_DOUBLE4_COUNT; lane++) {
            FilSmoothDistance d;
            double alone[12], g[12];
            for (int k = 0; k < 12; k++) {
                alone[k] = fil_double4_get(&x[k], lane);
            }
            fil_smooth_distance(alone, K, &d);
            fil_smooth_distance_gradient(&d, g);
            assert_true(d.distance == fil_double4_get(&several.distance, lane));
            for (int k = 0; k < 12; k++) {
                assert_true(g[k] == fil_double4_get(&gradient[k], lane));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crossing),     cmocka_unit_test(test_near_parallel), cmocka_unit_test(test_parallel),
        cmocka_unit_test(test_end_to_end),   cmocka_unit_test(test_exact_inside),  cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
