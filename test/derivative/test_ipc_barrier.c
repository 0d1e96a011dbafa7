/* Barriers, ring potentials and slip: derivatives, smoothness at the thresholds, and what they promise. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "contact/ipc_barrier.h"
#include "random.h"

/* fourth-order central differences: truncation step^4, rounding 1e-16/step */
static const double weights[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
static const double offsets[4] = {-2.0, -1.0, 1.0, 2.0};

typedef FilJet (*JetFn)(double x);

static FilJet contact_jet(double x)
{
    return fil_barrier(x, 0.4, 3.0);
}

static FilJet ring_jet(double x)
{
    return fil_ring_barrier(x, 0.4, 3.0);
}

static FilJet slip_jet(double x)
{
    return fil_slip(x, 0.4);
}

static void check_jet(JetFn fn, double x)
{
    const double step = 1e-4;
    double first = 0.0, second = 0.0;
    for (int s = 0; s < 4; ++s) {
        const FilJet side = fn(x + step * offsets[s]);
        first += weights[s] * side.value / step;
        second += weights[s] * side.first / step;
    }
    const FilJet jet = fn(x);
    assert_true(fabs(first - jet.first) < 1e-9 * (1.0 + fabs(jet.first)));
    assert_true(fabs(second - jet.second) < 1e-8 * (1.0 + fabs(jet.second)));
}

static void test_jets(void** state)
{
    (void)state;
    for (int k = 1; k < 35; ++k) {
        check_jet(contact_jet, 0.02 + 0.01 * k);
        check_jet(ring_jet, 0.01 * k);
        check_jet(slip_jet, 0.01 * k);
    }
    check_jet(slip_jet, 0.7);
}

/* value, slope and curvature have no jump where a potential begins or ends; they go as a power of the distance to it, so
 * an ulp-sized step shows ulp-sized differences times their slope */
static void test_thresholds(void** state)
{
    (void)state;
    const double near = 1e-9;
    const FilJet contact = contact_jet(0.4 - near), ring = ring_jet(near), below = slip_jet(0.4 - near), above = slip_jet(0.4);
    assert_true(contact.value < 1e-24 && fabs(contact.first) < 1e-15 && fabs(contact.second) < 1e-6);
    assert_true(ring.value < 1e-24 && ring.first < 1e-15 && fabs(ring.second) < 1e-6);
    assert_true(fabs(below.value - above.value) < 2.0 * near && fabs(below.first - above.first) < 1e-15);
    assert_true(fabs(below.second - above.second) < 1e-7);
    assert_true(contact_jet(0.4).value == 0.0 && contact_jet(0.5).second == 0.0);
    assert_true(isinf(contact_jet(0.0).value) && isinf(ring_jet(0.4).value));
    assert_true(slip_jet(0.0).first == 0.0 && fabs(slip_jet(0.0).value - 0.4 / 3.0) < 1e-16);
}

/* ---- over corners ---- */

typedef double (*EnergyFn)(const void* context, const double* x, double* gradient, double* hessian);

static double repulsion_of(const void* context, const double* x, double* gradient, double* hessian)
{
    return fil_repulsion_energy(context, x, gradient, hessian, false);
}

static double ring_of(const void* context, const double* x, double* gradient, double* hessian)
{
    const double* offset = context;
    return fil_ring_energy(*offset, 1.5, 2.0, x, gradient, hessian);
}

/* largest differences of gradient and Hessian from those by differences, relative to their sizes */
static void differences(EnergyFn fn, const void* context, double* x, int n, double step, double errors[2])
{
    double gradient[12], hessian[144], side_gradient[12], sizes[2] = {1e-3, 1e-3};
    errors[0] = errors[1] = 0.0;
    fn(context, x, gradient, hessian);
    for (int k = 0; k < n; ++k) {
        double slope = 0.0, row[12] = {0.0};
        const double keep = x[k];
        for (int s = 0; s < 4; ++s) {
            x[k] = keep + step * offsets[s];
            slope += weights[s] * fn(context, x, side_gradient, NULL) / step;
            for (int j = 0; j < n; ++j) {
                row[j] += weights[s] * side_gradient[j] / step;
            }
        }
        x[k] = keep;
        errors[0] = fmax(errors[0], fabs(slope - gradient[k]));
        sizes[0] = fmax(sizes[0], fabs(gradient[k]));
        for (int j = 0; j < n; ++j) {
            errors[1] = fmax(errors[1], fabs(row[j] - hessian[n * k + j]));
            sizes[1] = fmax(sizes[1], fabs(hessian[n * k + j]));
        }
    }
    errors[0] /= sizes[0];
    errors[1] /= sizes[1];
}

/* where the closest points change from inside to an end the Hessian jumps: there differences say nothing */
static bool near_switch(FilFeature pair, const double* at)
{
    const FilClosest c = fil_feature_closest(pair, at);
    double x[12];
    memcpy(x, at, sizeof(double) * 3 * (size_t)fil_feature_corners(pair));
    for (int k = 0; k < 6 * fil_feature_corners(pair); ++k) {
        const double keep = x[k / 2];
        x[k / 2] += k % 2 == 0 ? -3e-4 : 3e-4;
        const FilClosest moved = fil_feature_closest(pair, x);
        x[k / 2] = keep;
        bool same = moved.free_count == c.free_count;
        for (int i = 0; i < fil_feature_corners(pair); ++i) {
            same = same && (moved.weight[i] == 0.0) == (c.weight[i] == 0.0);
        }
        if (!same) {
            return true;
        }
    }
    return false;
}

static void random_corners(Random* random, double* x)
{
    for (int k = 0; k < 12; ++k) {
        x[k] = random_between(random, -1.0, 1.0);
    }
}

static void check_pair(FilFeature pair, Random* random)
{
    const int n = 3 * fil_feature_corners(pair);
    int checked = 0, kinds[3] = {0};
    for (int round = 0; checked < 300 && round < 100000; ++round) {
        double x[12], errors[2];
        random_corners(random, x);
        const FilRepulsion r = {.pair = pair, .offset = 0.1, .range = 1.0, .stiffness = 2.0};
        const FilClosest c = fil_feature_closest(pair, x);
        const double d = sqrt(2.0 * c.half_square);
        if (d < 0.3 || d > 1.0 || near_switch(pair, x)) {
            continue;
        }
        differences(repulsion_of, &r, x, n, 1e-4, errors);
        assert_true(errors[0] < 1e-8);
        assert_true(errors[1] < 1e-6); // nearly flat triangles and parallel segments have large third derivatives
        checked++;
        kinds[c.free_count]++;
    }
    assert_int_equal(checked, 300);
    // all kinds of closest points have been met
    assert_true(pair == FIL_POINT_POINT || kinds[1] > 10);
    assert_true(pair < FIL_SEGMENT_SEGMENT || kinds[2] > 10);
}

static void test_pairs(void** state)
{
    (void)state;
    Random random = {21};
    check_pair(FIL_POINT_POINT, &random);
    check_pair(FIL_POINT_SEGMENT, &random);
    check_pair(FIL_SEGMENT_SEGMENT, &random);
    check_pair(FIL_POINT_TRIANGLE, &random);
}

/* nearly parallel segments, where ends take over: derivatives of the blend, and no jump as they turn through parallel */
static void test_parallel_segments(void** state)
{
    (void)state;
    Random random = {22};
    for (int round = 0; round < 200; ++round) {
        double x[12] = {-1.0, 0.0, 0.0, 1.0, 0.0, 0.0, -0.6, 0.0, 0.3, 1.3, 0.0, 0.3}, errors[2];
        const double turn = random_between(&random, 0.004, 0.02) * (round % 2 == 0 ? 1.0 : -1.0);
        x[7] -= turn;
        x[10] += 0.7 * turn;
        x[8] += random_between(&random, -0.02, 0.02);
        x[9] += random_between(&random, -0.1, 0.1);
        const FilRepulsion r = {.pair = FIL_SEGMENT_SEGMENT, .offset = 0.1, .range = 0.5, .stiffness = 2.0,
                                .parallel = fil_parallel_threshold(2.0, 1.9)};
        if (near_switch(FIL_SEGMENT_SEGMENT, x)) {
            continue;
        }
        // closest points run along the segments over a turn of 1e-2: steps must be far shorter, and rounding grows
        differences(repulsion_of, &r, x, 12, 1e-6, errors);
        assert_true(errors[0] < 1e-7);
        assert_true(errors[1] < 1e-4);
    }
    double last = NAN, jump = 0.0, drift = 0.0;
    for (int k = -400; k <= 400; ++k) {
        const double turn = 1e-7 * k;
        const double x[12] = {-1.0, 0.0, 0.0, 1.0, 0.0, 0.0, -0.6, -turn, 0.3, 1.3, turn, 0.3};
        const FilRepulsion r = {.pair = FIL_SEGMENT_SEGMENT, .offset = 0.1, .range = 0.5, .stiffness = 2.0,
                                .parallel = fil_parallel_threshold(2.0, 1.9)};
        double gradient[12];
        const double energy = fil_repulsion_energy(&r, x, gradient, NULL, false);
        jump = k > -400 ? fmax(jump, fabs(gradient[2] - last)) : jump;
        last = gradient[2];
        drift = fmax(drift, fabs(energy));
        assert_true(energy > 0.0);
    }
    assert_true(jump < 1e-4 * drift);
}

static void test_positive_hessians(void** state)
{
    (void)state;
    Random random = {23};
    for (int round = 0; round < 2000; ++round) {
        const FilFeature pair = (FilFeature)(round % 4);
        const int n = 3 * fil_feature_corners(pair);
        const FilRepulsion r = {.pair = pair, .range = 1.5, .stiffness = 2.0, .parallel = round % 8 < 4 ? 0.0 : 0.1};
        double x[12], y[12], gradient[12], hessian[144];
        random_corners(&random, x);
        random_corners(&random, y);
        if (!isfinite(fil_repulsion_energy(&r, x, gradient, hessian, true))) {
            continue;
        }
        double bent = 0.0, size = 0.0;
        for (int j = 0; j < n; ++j) {
            for (int k = 0; k < n; ++k) {
                bent += y[j] * hessian[n * j + k] * y[k];
                size += fabs(y[j] * hessian[n * j + k] * y[k]);
            }
        }
        assert_true(bent >= -1e-13 * size);
    }
}

static void test_ring(void** state)
{
    (void)state;
    Random random = {24};
    for (int round = 0; round < 300; ++round) {
        double x[12], errors[2];
        const double offset = round % 2 == 0 ? 0.0 : 0.2;
        random_corners(&random, x);
        const FilClosest c = fil_feature_closest(FIL_POINT_SEGMENT, x);
        const double d = sqrt(2.0 * c.half_square);
        if (d > 1.2 || d < offset + 0.05 || near_switch(FIL_POINT_SEGMENT, x)) {
            continue;
        }
        differences(ring_of, &offset, x, 9, 1e-4, errors);
        assert_true(errors[0] < 1e-8);
        assert_true(errors[1] < 1e-6);
    }
    // on the rod itself everything is finite and zero
    const double on[9] = {0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    double gradient[9], hessian[81];
    assert_true(fil_ring_energy(0.0, 1.0, 2.0, on, gradient, hessian) == 0.0);
    for (int k = 0; k < 81; ++k) {
        assert_true(hessian[k] == 0.0 && gradient[k % 9] == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jets),           cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_pairs),          cmocka_unit_test(test_parallel_segments),
        cmocka_unit_test(test_positive_hessians), cmocka_unit_test(test_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
