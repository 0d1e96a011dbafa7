/* Closest points against brute force: no sampled pair is closer, and the reported points realise the distance. */
#include "geometry/closest.h"

#include "random_shapes.h"

#define SAMPLES 40

// values are of order one: rounding of a few operations, squared distances included
#define TIGHT 1e-12

static void lerp(double* out, const double* a, const double* b, double s)
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] + s * (b[k] - a[k]);
    }
}

static double distance2(const double* a, const double* b)
{
    const double d = fil_v3_distance(a, b);
    return d * d;
}

static void check_segments(const double* p0, const double* p1, const double* q0, const double* q1, double tolerance)
{
    double s, t, x[3], y[3];
    const double d2 = fil_segment_segment(p0, p1, q0, q1, &s, &t);
    assert_true(s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0);
    lerp(x, p0, p1, s);
    lerp(y, q0, q1, t);
    assert_true(fabs(distance2(x, y) - d2) <= TIGHT);
    for (int i = 0; i <= SAMPLES; i++) {
        // the other end is exact: point against segment
        double u;
        lerp(x, p0, p1, (double)i / SAMPLES);
        assert_true(fil_point_segment(x, q0, q1, &u) >= d2 - tolerance);
        lerp(y, q0, q1, (double)i / SAMPLES);
        assert_true(fil_point_segment(y, p0, p1, &u) >= d2 - tolerance);
    }
}

static void segment_segment_is_the_minimum(void** state)
{
    (void)state;
    Random random = {1};
    for (int n = 0; n < 3000; n++) {
        double p[4][3], swap_s, swap_t, s, t;
        for (int k = 0; k < 4; k++) {
            random_vector(&random, 1.0, p[k]);
        }
        check_segments(p[0], p[1], p[2], p[3], TIGHT);
        // swapping the two swaps the parameters
        const double d2 = fil_segment_segment(p[0], p[1], p[2], p[3], &s, &t);
        assert_true(fabs(fil_segment_segment(p[2], p[3], p[0], p[1], &swap_t, &swap_s) - d2) <= TIGHT);
    }
}

static void nearly_parallel_segments_are_robust(void** state)
{
    (void)state;
    Random random = {2};
    for (int n = 0; n < 3000; n++) {
        // angles from 1 down to 1e-17 rad, lines crossing or apart
        double p0[3], u[3], across[3], p1[3], q0[3], q1[3];
        const double angle = pow(10.0, -random_between(&random, 0.0, 17.0));
        const double apart = n % 3 == 0 ? 0.0 : random_between(&random, 0.0, 0.5);
        random_vector(&random, 1.0, p0);
        random_direction(&random, u);
        fil_v3_orthogonal(across, u);
        const double from = random_between(&random, -1.5, 1.5), to = random_between(&random, -1.5, 1.5);
        for (int k = 0; k < 3; k++) {
            p1[k] = p0[k] + u[k];
            q0[k] = p0[k] + from * u[k] + (apart + angle * from) * across[k];
            q1[k] = p0[k] + to * u[k] + (apart + angle * to) * across[k];
        }
        // an angle of 1e-8 turns rounding of the parameter (1e-16 / angle^2) into 1e-8 of distance at the worst
        check_segments(p0, p1, q0, q1, 1e-9);
    }
}

static void degenerate_segments_are_points(void** state)
{
    (void)state;
    const double p[3] = {1.0, 2.0, 3.0}, q[3] = {1.0, 2.0, 5.0}, r[3] = {2.0, 2.0, 4.0};
    double s, t;
    assert_near(fil_segment_segment(p, p, q, q, &s, &t), 4.0, 0.0);
    assert_near(fil_segment_segment(p, q, r, r, &s, &t), 1.0, TIGHT);
    assert_near(s, 0.5, TIGHT);
    assert_near(fil_segment_segment(r, r, p, q, &s, &t), 1.0, TIGHT);
    assert_near(t, 0.5, TIGHT);
    assert_near(fil_point_segment(r, p, p, &s), 2.0, TIGHT);
}

static void parallel_segments_overlap_in_a_stretch(void** state)
{
    (void)state;
    const double p0[3] = {0.0, 0.0, 0.0}, p1[3] = {2.0, 0.0, 0.0};
    const double q0[3] = {3.0, 1.0, 0.0}, q1[3] = {1.0, 1.0, 0.0};
    double s[2], t[2];
    assert_true(fil_segment_overlap(p0, p1, q0, q1, 0.05, s, t));
    assert_near(s[0], 0.5, TIGHT);
    assert_near(s[1], 1.0, TIGHT);
    assert_near(t[0], 1.0, TIGHT);
    assert_near(t[1], 0.5, TIGHT);
    // beyond each other, crossing, or without length
    const double far0[3] = {3.0, 1.0, 0.0}, far1[3] = {4.0, 1.0, 0.0}, steep[3] = {2.9, 2.0, 0.0};
    assert_false(fil_segment_overlap(p0, p1, far0, far1, 0.05, s, t));
    assert_false(fil_segment_overlap(p0, p1, q1, steep, 0.05, s, t));
    assert_false(fil_segment_overlap(p0, p1, q0, q0, 0.05, s, t));
}

static void point_triangle_is_the_minimum(void** state)
{
    (void)state;
    Random random = {3};
    for (int n = 0; n < 2000; n++) {
        double p[3], c[3][3], w[3], x[3] = {0.0, 0.0, 0.0};
        random_vector(&random, 2.0, p);
        for (int k = 0; k < 3; k++) {
            random_vector(&random, 1.0, c[k]);
        }
        if (n % 10 == 0) {
            lerp(c[2], c[0], c[1], random_between(&random, -1.0, 2.0));  // no area
        }
        const double d2 = fil_point_triangle(p, c[0], c[1], c[2], w);
        assert_true(w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0);
        assert_near(w[0] + w[1] + w[2], 1.0, TIGHT);
        for (int k = 0; k < 3; k++) {
            fil_v3_axpy(x, w[k], c[k]);
        }
        // a triangle that is nearly a line has lost half its digits
        const double tolerance = n % 10 == 0 ? 1e-7 : 1e-10;
        assert_true(fabs(distance2(p, x) - d2) <= tolerance);
        for (int i = 0; i <= SAMPLES; i++) {
            double y[3], s;
            lerp(y, c[0], c[1], (double)i / SAMPLES);
            assert_true(fil_point_segment(p, y, c[2], &s) >= d2 - tolerance);
        }
    }
}

static void segment_triangle_is_the_minimum(void** state)
{
    (void)state;
    Random random = {4};
    int pierced = 0;
    for (int n = 0; n < 2000; n++) {
        double p[3], q[3], c[3][3], w[3], x[3], y[3] = {0.0, 0.0, 0.0}, s;
        random_vector(&random, 1.0, p);
        random_vector(&random, 1.0, q);
        for (int k = 0; k < 3; k++) {
            random_vector(&random, 1.0, c[k]);
        }
        const double d2 = fil_segment_triangle(p, q, c[0], c[1], c[2], &s, w);
        pierced += d2 < 1e-20;
        lerp(x, p, q, s);
        for (int k = 0; k < 3; k++) {
            fil_v3_axpy(y, w[k], c[k]);
        }
        assert_true(fabs(distance2(x, y) - d2) <= 1e-10);
        for (int i = 0; i <= SAMPLES; i++) {
            double z[3], v[3];
            lerp(z, p, q, (double)i / SAMPLES);
            assert_true(fil_point_triangle(z, c[0], c[1], c[2], v) >= d2 - 1e-10);
        }
    }
    // the random cases hold both kinds
    assert_true(pierced > 100 && pierced < 1900);
}

// signed distance by the definition: to sampled surface points, its sign from inside or outside
static void point_box_is_signed(void** state)
{
    (void)state;
    Random random = {5};
    for (int n = 0; n < 2000; n++) {
        double p[3], normal[3], surface[3];
        const double half[3] = {random_between(&random, 0.1, 1.0), random_between(&random, 0.1, 1.0), random_between(&random, 0.1, 1.0)};
        random_vector(&random, 1.5, p);
        const double d = fil_point_box(p, half, normal);
        bool inside = true, on = false;
        for (int k = 0; k < 3; k++) {
            inside = inside && fabs(p[k]) < half[k];
            surface[k] = p[k] - d * normal[k];
            assert_true(fabs(surface[k]) <= half[k] + TIGHT);
            on = on || fabs(fabs(surface[k]) - half[k]) <= TIGHT;
        }
        assert_true(on && inside == (d < 0.0));
        assert_near(fil_v3_norm(normal), 1.0, TIGHT);
        // no point of the surface is nearer
        for (int i = 0; i < 50; i++) {
            double x[3];
            random_vector(&random, 1.0, x);
            const int k = i % 3;
            for (int j = 0; j < 3; j++) {
                x[j] *= half[j];
            }
            x[k] = copysign(half[k], x[k]);
            assert_true(fil_v3_distance(p, x) >= fabs(d) - TIGHT);
        }
    }
}

static void point_cylinder_is_signed(void** state)
{
    (void)state;
    Random random = {6};
    for (int n = 0; n < 2000; n++) {
        double p[3], normal[3], x[3];
        const double radius = random_between(&random, 0.1, 1.0), half = random_between(&random, 0.1, 1.0);
        random_vector(&random, 1.5, p);
        if (n % 20 == 0) {
            p[0] = p[1] = 0.0;  // on the axis
        }
        const double d = fil_point_cylinder(p, radius, half, normal);
        const double rho = sqrt(p[0] * p[0] + p[1] * p[1]);
        assert_true((rho < radius && fabs(p[2]) < half) == (d < 0.0));
        assert_near(fil_v3_norm(normal), 1.0, TIGHT);
        for (int k = 0; k < 3; k++) {
            x[k] = p[k] - d * normal[k];
        }
        const double foot = sqrt(x[0] * x[0] + x[1] * x[1]);
        assert_true(foot <= radius + TIGHT && fabs(x[2]) <= half + TIGHT);
        assert_true(fabs(foot - radius) <= TIGHT || fabs(fabs(x[2]) - half) <= TIGHT);
        for (int i = 0; i < 50; i++) {
            const double angle = random_between(&random, 0.0, 2.0 * FIL_PI);
            const double z = random_between(&random, -half, half), r = radius * random_between(&random, 0.0, 1.0);
            const bool cap = i % 2 == 0;
            fil_v3_set(x, (cap ? r : radius) * cos(angle), (cap ? r : radius) * sin(angle), cap ? copysign(half, z) : z);
            assert_true(fil_v3_distance(p, x) >= fabs(d) - TIGHT);
        }
    }
}

static double outside2(double d)
{
    return d > 0.0 ? d * d : 0.0;
}

static void segment_box_is_the_minimum(void** state)
{
    (void)state;
    Random random = {7};
    for (int n = 0; n < 3000; n++) {
        double p[3], q[3], x[3], normal[3], s;
        const double half[3] = {random_between(&random, 0.1, 1.0), random_between(&random, 0.1, 1.0), random_between(&random, 0.1, 1.0)};
        random_vector(&random, 2.0, p);
        random_vector(&random, 2.0, q);
        if (n % 4 == 0) {
            q[n / 4 % 3] = p[n / 4 % 3];  // along a face
        }
        const double d2 = fil_segment_box(p, q, half, &s);
        lerp(x, p, q, s);
        assert_near(outside2(fil_point_box(x, half, normal)), d2, TIGHT);
        for (int i = 0; i <= 4 * SAMPLES; i++) {
            lerp(x, p, q, 0.25 * i / SAMPLES);
            assert_true(outside2(fil_point_box(x, half, normal)) >= d2 - TIGHT);
        }
    }
    // a segment above a face, longer than it: the middle of the stretch
    double s;
    const double half[3] = {1.0, 1.0, 1.0}, p[3] = {-3.0, 0.0, 2.0}, q[3] = {1.0, 0.0, 2.0};
    assert_near(fil_segment_box(p, q, half, &s), 1.0, TIGHT);
    assert_near(s, 0.75, TIGHT);
    // no length
    assert_near(fil_segment_box(p, p, half, &s), 5.0, TIGHT);
}

static void segment_cylinder_is_the_minimum(void** state)
{
    (void)state;
    Random random = {8};
    for (int n = 0; n < 3000; n++) {
        double p[3], q[3], x[3], normal[3], s;
        const double radius = random_between(&random, 0.1, 1.0), half = random_between(&random, 0.1, 1.0);
        random_vector(&random, 2.0, p);
        random_vector(&random, 2.0, q);
        if (n % 4 == 0) {
            q[2] = p[2];
        } else if (n % 4 == 1) {
            q[0] = p[0];
            q[1] = p[1];
        }
        const double d2 = fil_segment_cylinder(p, q, radius, half, &s);
        assert_true(s >= 0.0 && s <= 1.0);
        lerp(x, p, q, s);
        assert_near(outside2(fil_point_cylinder(x, radius, half, normal)), d2, TIGHT);
        for (int i = 0; i <= 4 * SAMPLES; i++) {
            lerp(x, p, q, 0.25 * i / SAMPLES);
            assert_true(outside2(fil_point_cylinder(x, radius, half, normal)) >= d2 - TIGHT);
        }
    }
    double s;
    const double p[3] = {3.0, 0.0, 0.0};
    assert_near(fil_segment_cylinder(p, p, 1.0, 1.0, &s), 4.0, TIGHT);
}

/* How far the segment has to move along n to leave the cylinder. */
static double way_out(const double* p, const double* q, double radius, double half, const double* n)
{
    return radius * hypot(n[0], n[1]) + half * fabs(n[2]) - fmin(fil_v3_dot(n, p), fil_v3_dot(n, q));
}

static void segments_leave_cylinders_the_shortest_way(void** state)
{
    (void)state;
    Random random = {9};
    int sideways = 0, endways = 0, left = 0;
    for (int k = 0; k < 3000; k++) {
        double p[3], q[3], x[3], n[3], other[3], s;
        const double radius = random_between(&random, 0.1, 1.0), half = random_between(&random, 0.1, 1.0);
        random_vector(&random, 1.0, p);
        random_vector(&random, k % 2 == 0 ? 1.0 : 0.2, q);
        if (k % 2 == 1) {
            fil_v3_axpy(q, 1.0, p);
        }
        if (fil_segment_cylinder(p, q, radius, half, &s) > 0.0) {
            continue;
        }
        const double depth = fil_segment_in_cylinder(p, q, radius, half, &s, n);
        if (depth < 0.0) {
            left++;
            continue;
        }
        *(n[2] == 0.0 ? &sideways : &endways) += 1;
        assert_near(way_out(p, q, radius, half, n), depth, TIGHT);
        // from the parameter that it names ...
        lerp(x, p, q, s);
        assert_near(way_out(x, x, radius, half, n), depth, TIGHT);
        // ... and no direction is shorter: all over the sphere, and close to n
        for (int i = 0; i < 2000; i++) {
            random_vector(&random, 1.0, other);
            if (i % 2 == 1) {
                fil_v3_scale(other, 0.1, other);
                fil_v3_axpy(other, 1.0, n);
            }
            assert_true(fil_v3_normalise(other) > 0.0 && way_out(p, q, radius, half, other) >= depth - TIGHT);
        }
    }
    assert_true(sideways > 300 && endways > 100 && left > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segment_segment_is_the_minimum),
        cmocka_unit_test(nearly_parallel_segments_are_robust),
        cmocka_unit_test(degenerate_segments_are_points),
        cmocka_unit_test(parallel_segments_overlap_in_a_stretch),
        cmocka_unit_test(point_triangle_is_the_minimum),
        cmocka_unit_test(segment_triangle_is_the_minimum),
        cmocka_unit_test(point_box_is_signed),
        cmocka_unit_test(point_cylinder_is_signed),
        cmocka_unit_test(segment_box_is_the_minimum),
        cmocka_unit_test(segment_cylinder_is_the_minimum),
        cmocka_unit_test(segments_leave_cylinders_the_shortest_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
