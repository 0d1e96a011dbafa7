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

/* a ring on a track of five nodes, of which the three in the middle of the array may move */
typedef struct RingCase {
    FilTrack track;
    FilTrackPlace place;
    double offset, fixed[20]; /* 4 numbers a node */
    int piece_nodes[3];
} RingCase;

static double ring_of(const void* context, const double* x, double* gradient, double* hessian)
{
    RingCase ring = *(const RingCase*)context;
    for (int k = 0; k < 3; ++k) {
        fil_v3_copy(ring.fixed + 4 * ring.piece_nodes[k], x + 3 + 3 * k);
    }
    FilTrackPoint point;
    fil_track_closest(&ring.track, ring.fixed, x, &ring.place, &point);
    return fil_ring_energy(ring.offset, 0.8, 2.0, &point, gradient, hessian, false);
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
        assert_true(errors[1] < 1e-6);  // nearly flat triangles and parallel segments have large third derivatives
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
        const FilRepulsion r = {
            .pair = FIL_SEGMENT_SEGMENT, .offset = 0.1, .range = 0.5, .stiffness = 2.0, .parallel = fil_parallel_threshold(2.0, 1.9)};
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
        const FilRepulsion r = {
            .pair = FIL_SEGMENT_SEGMENT, .offset = 0.1, .range = 0.5, .stiffness = 2.0, .parallel = fil_parallel_threshold(2.0, 1.9)};
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
    int squares = 0;
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
        double bent = 0.0, size = 0.0, along, g[12];
        const bool square = fil_repulsion_square(&r, x, true, &along, g);
        assert_true(square == !fil_repulsion_parallel(&r, x));
        squares += square && along > 0.0;
        for (int k = 0; k < n * n && square; ++k) {
            assert_true(along == 0.0 ? hessian[k] == 0.0 : hessian[k] == along * g[k / n] * g[k % n]);
        }
        for (int j = 0; j < n; ++j) {
            for (int k = 0; k < n; ++k) {
                bent += y[j] * hessian[n * j + k] * y[k];
                size += fabs(y[j] * hessian[n * j + k] * y[k]);
            }
        }
        assert_true(bent >= -1e-13 * size);
        // all of it is more than a square
        assert_true(along == 0.0 || !fil_repulsion_square(&r, x, false, &along, g));
    }
    assert_true(squares > 500);
}

static void test_ring(void** state)
{
    (void)state;
    static const int nodes[5] = {0, 1, 2, 3, 4};
    Random random = {24};
    int checked = 0;
    for (int round = 0; round < 3000; ++round) {
        RingCase ring = {.track = {.count = 5, .loop = round % 4 == 3, .open = {round % 3 == 0, round % 3 == 0}, .node = nodes},
                         .offset = round % 2 == 0 ? 0.0 : 0.1};
        double p[3], x[12], errors[2];
        for (int i = 0; i < 5; ++i) {
            const double turn = 0.5 * i + random_between(&random, -0.1, 0.1);
            fil_v3_set(ring.fixed + 4 * i, 2.0 * cos(turn), 2.0 * sin(turn), random_between(&random, -0.3, 0.3));
        }
        for (int k = 0; k < 3; ++k) {
            p[k] = ring.fixed[4 * (round % 5) + k] + random_between(&random, -0.5, 0.5);
        }
        ring.place = fil_track_search(&ring.track, ring.fixed, p);
        FilTrackPoint point;
        fil_track_closest(&ring.track, ring.fixed, p, &ring.place, &point);
        const double d = sqrt(2.0 * point.half_square);
        // pieces meet with a jump of curvature, and so the Hessian
        const bool at_border = fabs(ring.place.u) < 0.02 || fabs(ring.place.u - 1.0) < 0.02 || fabs(ring.place.u - 0.5) < 1e-3;
        const bool repeats = point.node[0] == point.node[1] || point.node[1] == point.node[2];
        if (d > 0.7 || d < ring.offset + 0.05 || (at_border && !point.held) || repeats || point.held) {
            continue;
        }
        fil_v3_copy(x, p);
        for (int k = 0; k < 3; ++k) {
            ring.piece_nodes[k] = point.node[k];
            fil_v3_copy(x + 3 + 3 * k, ring.fixed + 4 * point.node[k]);
        }
        differences(ring_of, &ring, x, 12, 1e-4, errors);
        assert_true(errors[0] < 1e-8);
        assert_true(errors[1] < 1e-6);
        checked++;
    }
    assert_true(checked > 300);
}

/* the curve goes on smoothly from piece to piece, stops at a closed end and goes beyond an open one */
static void test_track(void** state)
{
    (void)state;
    static const int nodes[4] = {0, 1, 2, 3};
    const double x[16] = {0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.5, 0.0, 0.0, 3.0, 0.5, 0.5, 0.0};
    FilTrack track = {.count = 4, .node = nodes};
    FilTrackPlace place = {0, 0.5};
    double last = 0.0;
    for (int k = 0; k <= 400; ++k) {  // a point led along the curve at a distance
        const double p[3] = {0.3 + 0.006 * k, 0.3, 0.1};
        FilTrackPoint point;
        fil_track_closest(&track, x, p, &place, &point);
        const double d = sqrt(2.0 * point.half_square), length = fil_track_length(&track, x, place);
        assert_true(d < 0.6 && (k == 0 || (length > last && length - last < 0.05)));
        assert_true(fabs(fil_v3_dot(point.r, point.slope)) < 1e-12);
        last = length;
    }
    const double off[3] = {-0.4, 0.1, 0.0};
    place = fil_track_search(&track, x, off);
    FilTrackPoint stopped;
    fil_track_closest(&track, x, off, &place, &stopped);
    assert_true(stopped.held && !stopped.past && fabs(2.0 * stopped.half_square - 0.17) < 1e-14);
    track.open[0] = true;
    FilTrackPoint gone;
    fil_track_closest(&track, x, off, &place, &gone);
    assert_true(!gone.held && gone.past && fabs(2.0 * gone.half_square - 0.01) < 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jets),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_parallel_segments),
        cmocka_unit_test(test_positive_hessians),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_track),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
