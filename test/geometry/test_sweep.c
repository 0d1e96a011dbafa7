/* Moving segments, points and triangles: impacts are never reported too late, crossings never missed. */
#include "geometry/sweep.h"

#include <string.h>

#include "geometry/closest.h"
#include "random_shapes.h"

enum { SAMPLES = 400 };

static void at_time(const double* start, const double* end, double t, double* x)
{
    for (int k = 0; k < 12; k++) {
        x[k] = start[k] + t * (end[k] - start[k]);
    }
}

static double segments_distance(const double* x)
{
    double s, t;
    return sqrt(fil_segment_segment(x, x + 3, x + 6, x + 9, &s, &t));
}

static double point_triangle_distance(const double* x)
{
    double w[3];
    return sqrt(fil_point_triangle(x, x + 3, x + 6, x + 9, w));
}

static void random_motion(Random* random, double* start, double* end)
{
    for (int i = 0; i < 4; i++) {
        random_vector(random, 1.0, start + 3 * i);
        random_vector(random, 1.0, end + 3 * i);
    }
}

// sampled distances stay above what is promised up to the impact time; and the time is not lazily early
static void check_impact(const double* start, const double* end, double (*distance)(const double*),
                         double (*sweep)(const double*, const double*, double, double), int* impacts)
{
    const double min = 0.01, slack = 0.1, first = distance(start);
    const double time = sweep(start, end, min, slack);
    assert_true(time >= 0.0 && time <= 1.0);
    double x[12], nearest = HUGE_VAL;
    if (first <= min) {
        assert_true(time == 0.0);
        return;
    }
    const double floor = min + slack * (first - min);
    for (int k = 0; k <= SAMPLES; k++) {
        at_time(start, end, time * k / SAMPLES, x);
        nearest = fmin(nearest, distance(x));
    }
    assert_true(nearest >= floor - 1e-12);
    if (time < 1.0) {
        // stopped because the floor was near: at most 1.1 times what had to stay
        (*impacts)++;
        assert_true(nearest <= min + 1.1 * slack * (first - min));
    }
}

static void impacts_are_conservative_and_close(void** state)
{
    (void)state;
    Random random = {91};
    int impacts[2] = {0, 0};
    for (int n = 0; n < 1500; n++) {
        double start[12], end[12];
        random_motion(&random, start, end);
        check_impact(start, end, segments_distance, fil_sweep_segments, &impacts[0]);
        check_impact(start, end, point_triangle_distance, fil_sweep_point_triangle, &impacts[1]);
    }
    assert_true(impacts[0] > 150 && impacts[1] > 50);
}

static void common_motion_is_free(void** state)
{
    (void)state;
    // two segments a hair apart that fly together
    const double start[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 1e-6, 1.0, -0.5, 1e-6};
    double end[12];
    for (int k = 0; k < 12; k++) {
        end[k] = start[k] + 100.0;
    }
    assert_true(fil_sweep_segments(start, end, 0.0, 0.1) == 1.0);
    assert_false(fil_sweep_segments_cross(start, end, NULL));
    assert_true(fil_sweep_segments(start, start, 0.0, 0.1) == 1.0);
}

// two crossed segments, one falls through the other with the given speed and offset
static void fall(double offset, double drop, double* start, double* end)
{
    const double rest[12] = {-1.0, 0.0, 0.0, 1.0, 0.0, 0.0, offset, -1.0, 1.0, offset, 1.0, 1.0};
    memcpy(start, rest, sizeof rest);
    memcpy(end, rest, sizeof rest);
    end[8] -= drop;
    end[11] -= drop;
}

static void falling_rods_cross_or_miss(void** state)
{
    (void)state;
    double start[12], end[12], time;
    fall(0.3, 4.0, start, end);
    assert_true(fil_sweep_segments_cross(start, end, &time));
    assert_near(time, 0.25, 1e-12);
    // past the end, just not far enough, just far enough
    fall(1.001, 4.0, start, end);
    assert_false(fil_sweep_segments_cross(start, end, NULL));
    fall(0.3, 0.999, start, end);
    assert_false(fil_sweep_segments_cross(start, end, NULL));
    fall(0.3, 1.0, start, end);
    assert_true(fil_sweep_segments_cross(start, end, &time));
    assert_near(time, 1.0, 1e-9);
    // at rest
    fall(0.3, 0.0, start, end);
    assert_false(fil_sweep_segments_cross(start, end, NULL));
}

// random motions: a crossing found is a real meeting, and where sampled orientations flip with the segments facing each
// other, one is found
static void random_crossings_are_real_and_complete(void** state)
{
    (void)state;
    Random random = {92};
    int crossings = 0, triangle_crossings = 0;
    for (int n = 0; n < 4000; n++) {
        double start[12], end[12], x[12], time = -1.0;
        random_motion(&random, start, end);
        const bool crosses = fil_sweep_segments_cross(start, end, &time);
        crossings += crosses;
        if (crosses) {
            at_time(start, end, time, x);
            assert_true(time >= 0.0 && time <= 1.0 && segments_distance(x) <= 1e-8);
        }
        const bool pierces = fil_sweep_point_triangle_cross(start, end, &time);
        triangle_crossings += pierces;
        if (pierces) {
            at_time(start, end, time, x);
            assert_true(point_triangle_distance(x) <= 1e-8);
        }
        // the distance's minimum over samples, halved into: zero only where a crossing was found
        double nearest[2] = {HUGE_VAL, HUGE_VAL};
        for (int k = 0; k <= SAMPLES; k++) {
            at_time(start, end, (double)k / SAMPLES, x);
            nearest[0] = fmin(nearest[0], segments_distance(x));
            nearest[1] = fmin(nearest[1], point_triangle_distance(x));
        }
        // points move by at most 2 sqrt(3) in a step, features against each other by twice that: a crossing shows
        // within half a sample's motion
        const double half_sample = 0.5 * 4.0 * sqrt(3.0) / SAMPLES;
        assert_true(!crosses || nearest[0] <= half_sample);
        assert_true(!pierces || nearest[1] <= half_sample);
        // and a motion that comes no closer than rounding to meeting has none missed: advance and compare
        const double advance = fil_sweep_segments(start, end, 1e-7, 1e-3);
        if (!crosses && advance < 1.0) {
            at_time(start, end, advance, x);
            // stopped at a near miss, which must then be a near miss, not a meeting
            assert_true(segments_distance(x) > 1e-7);
        }
        assert_true(!crosses || advance < 1.0);
        assert_true(!pierces || fil_sweep_point_triangle(start, end, 1e-7, 1e-3) < 1.0);
    }
    assert_true(crossings > 300 && triangle_crossings > 100);
}

// constructed crossings: place the meeting point at a random time and run the motion through it
static void constructed_crossings_are_found(void** state)
{
    (void)state;
    Random random = {93};
    for (int n = 0; n < 4000; n++) {
        double meet[12], start[12], end[12];
        const double when = random_between(&random, 0.02, 0.98);
        for (int i = 0; i < 4; i++) {
            random_vector(&random, 1.0, meet + 3 * i);
        }
        // shift the second segment so that two inner points coincide; or the point into the triangle
        const double s = random_between(&random, 0.01, 0.99), t = random_between(&random, 0.01, 0.99);
        const double w[3] = {s * t, s * (1.0 - t), 1.0 - s};
        for (int k = 0; k < 3; k++) {
            if (n % 2) {
                const double shift = meet[k] + s * (meet[3 + k] - meet[k]) - meet[6 + k] - t * (meet[9 + k] - meet[6 + k]);
                meet[6 + k] += shift;
                meet[9 + k] += shift;
            } else {
                meet[k] = w[0] * meet[3 + k] + w[1] * meet[6 + k] + w[2] * meet[9 + k];
            }
        }
        for (int k = 0; k < 12; k++) {
            const double velocity = random_between(&random, -1.0, 1.0);
            start[k] = meet[k] - when * velocity;
            end[k] = meet[k] + (1.0 - when) * velocity;
        }
        double time = 2.0;
        assert_true(n % 2 ? fil_sweep_segments_cross(start, end, &time) : fil_sweep_point_triangle_cross(start, end, &time));
        assert_true(time <= when + 1e-6);  // or an earlier one
        const double impact = n % 2 ? fil_sweep_segments(start, end, 0.0, 0.1) : fil_sweep_point_triangle(start, end, 0.0, 0.1);
        assert_true(impact < when);
    }
}

static void motion_in_a_plane_is_seen(void** state)
{
    (void)state;
    // all in z = 0: the end of one segment runs across the other
    const double start[12] = {-1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.2, 2.0, 0.0, 0.2, 1.0, 0.0};
    double end[12], time;
    memcpy(end, start, sizeof end);
    end[7] -= 4.0;
    end[10] -= 4.0;
    assert_true(fil_sweep_segments_cross(start, end, &time));
    assert_near(time, 0.25, 1e-6);
    end[7] = start[7] - 0.9;
    end[10] = start[10] - 0.9;
    assert_false(fil_sweep_segments_cross(start, end, NULL));
    assert_false(fil_sweep_segments_cross(start, start, NULL));
}

/* Corners of a pair whose features are a `gap` apart at inner points that are `along` them, the second one on the side of `normal`. */
static void lay_close(Random* random, int split, double gap, double along[4], double normal[3], double* x)
{
    double between[3] = {0.0}, side[2][3];
    for (int i = 0; i < 4; i++) {
        random_vector(random, 1.0, x + 3 * i);
    }
    const double s = random_between(random, 0.3, 0.7), t = random_between(random, 0.3, 0.7);
    const double segments[4] = {1.0 - s, s, 1.0 - t, t}, triangle[4] = {1.0, 0.5 * s, 0.5 * t, 1.0 - 0.5 * (s + t)};
    memcpy(along, split == 2 ? segments : triangle, sizeof segments);
    fil_v3_sub(side[0], split == 2 ? x + 3 : x + 9, split == 2 ? x : x + 3);
    fil_v3_sub(side[1], split == 2 ? x + 9 : x + 6, split == 2 ? x + 6 : x + 3);
    fil_v3_cross(normal, side[0], side[1]);
    fil_v3_normalise(normal);
    for (int i = 0; i < 4; i++) {
        fil_v3_axpy(between, i < split ? 1.0 : -1.0, (double[3]){along[i] * x[3 * i], along[i] * x[3 * i + 1], along[i] * x[3 * i + 2]});
    }
    fil_v3_axpy(between, gap, normal);
    for (int i = split; i < 4; i++) {
        fil_v3_add(x + 3 * i, x + 3 * i, between);
    }
}

/* Features so near to each other that rounding turns the line between their closest points: they go through each other at once. */
static void hairs_are_not_passed(void** state)
{
    (void)state;
    static const double gap = 1e-10;
    Random random = {17};
    int approaching = 0;
    for (int n = 0; n < 2000; n++) {
        const int split = 1 + n % 2;
        double start[12], end[12], along[4], normal[3], approach = 0.0;
        lay_close(&random, split, gap, along, normal, start);
        for (int i = 0; i < 4; i++) {
            double motion[3];
            random_vector(&random, 0.01, motion);
            fil_v3_add(end + 3 * i, start + 3 * i, motion);
            approach += (i < split ? 1.0 : -1.0) * along[i] * fil_v3_dot(motion, normal);
        }
        const double time = split == 2 ? fil_sweep_segments(start, end, 0.0, 0.1) : fil_sweep_point_triangle(start, end, 0.0, 0.1);
        if (approach > 1e-4) {
            approaching++;
            // coordinates are rounded by 1e-6 of the gap, and what turns within that time is less
            assert_true(time * approach < gap * (1.0 + 1e-3));
        }
    }
    assert_true(approaching > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_are_conservative_and_close),
        cmocka_unit_test(common_motion_is_free),
        cmocka_unit_test(falling_rods_cross_or_miss),
        cmocka_unit_test(random_crossings_are_real_and_complete),
        cmocka_unit_test(constructed_crossings_are_found),
        cmocka_unit_test(motion_in_a_plane_is_seen),
        cmocka_unit_test(hairs_are_not_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
