/* Generated knots: equal edges, no overlap, the right number of crossings, the right knot. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "geometry/closest.h"
#include "scene/knot.h"
#include "validate/knots.h"

enum { MAX_NODES = 2001 };

static double nodes[3 * MAX_NODES];

static void build(int n, int count, double length, double diameter)
{
    const FilKnotDef def = {.n = n, .node_count = count, .length = length, .diameter = diameter};
    FilError error = {{0}};
    const FilStatus status = fil_knot_build(&def, nodes, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(status, FIL_OK);
}

/* Least distance of edges that are further apart along the rod than `apart`. */
static double min_distance(int count, double edge, double apart)
{
    double min = INFINITY;
    for (int i = 0; i + 1 < count; i++) {
        for (int j = i + 1 + (int)ceil(apart / edge); j + 1 < count; j++) {
            double s, t;
            min = fmin(min, fil_segment_segment(nodes + 3 * i, nodes + 3 * i + 3, nodes + 3 * j, nodes + 3 * j + 3, &s, &t));
        }
    }
    return sqrt(min);
}

static const struct {
    int n, nodes;
    double length, diameter;
} sizes[] = {{1, 301, 1.0, 3e-3}, {2, 301, 1.0, 3e-3}, {3, 301, 1.0, 3e-3},   {4, 301, 1.0, 3e-3},
             {1, 151, 0.5, 5e-3}, {6, 601, 1.0, 2e-3}, {10, 1001, 2.0, 3e-3}, {1, 151, 1.0, 1e-2}};

static void edges_are_equal(void** state)
{
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        build(sizes[k].n, sizes[k].nodes, sizes[k].length, sizes[k].diameter);
        const double edge = sizes[k].length / (sizes[k].nodes - 1);
        for (int i = 0; i + 1 < sizes[k].nodes; i++) {
            // rounding only
            assert_true(fabs(fil_v3_distance(nodes + 3 * i, nodes + 3 * i + 3) - edge) < 1e-12 * sizes[k].length);
        }
    }
}

static void strands_keep_their_distance(void** state)
{
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        build(sizes[k].n, sizes[k].nodes, sizes[k].length, sizes[k].diameter);
        const double edge = sizes[k].length / (sizes[k].nodes - 1), d = sizes[k].diameter;
        // neighbours are closer than a diameter along the rod itself; anything else is another strand
        assert_true(min_distance(sizes[k].nodes, edge, 3.0 * d) > d);
    }
}

/* Polyline angles stay moderate: no kinks where the pieces meet. */
static void curve_is_smooth(void** state)
{
    (void)state;
    for (int n = 1; n <= 4; n++) {
        build(n, 301, 1.0, 3e-3);
        double last = 0.0;
        for (int i = 1; i + 1 < 301; i++) {
            double a[3], b[3], turn[3];
            fil_v3_sub(a, nodes + 3 * i, nodes + 3 * i - 3);
            fil_v3_sub(b, nodes + 3 * i + 3, nodes + 3 * i);
            fil_v3_cross(turn, a, b);
            const double angle = asin(fil_v3_norm(turn) / (fil_v3_norm(a) * fil_v3_norm(b)));
            // helices of radius 1.8 mm with a crossing every 17 mm turn by 0.26 a node where their slope is greatest
            assert_true(angle < 0.35);
            assert_true(fabs(angle - last) < 0.12);
            last = angle;
        }
    }
}

static void crossings_are_counted(void** state)
{
    (void)state;
    for (int n = 1; n <= 4; n++) {
        build(n, 301, 1.0, 3e-3);
        FilCrossing crossings[64];
        const int count = fil_knots_crossings(nodes, 301, false, nodes, 301, false, crossings, 64);
        assert_int_equal(count, 2 * n + 1);
        for (int k = 0; k < count; k++) {
            assert_int_equal(crossings[k].sign, crossings[0].sign);
        }
    }
}

/* det T(2, q) = q tells the knots apart, however the curve is turned in space. */
static void knots_are_what_they_claim(void** state)
{
    (void)state;
    for (int n = 1; n <= 10; n++) {
        build(n, 1001, 2.0, 3e-3);
        assert_true(fabs(fil_knots_determinant(nodes, 1001) - (2 * n + 1)) < 1e-6);
        // seen from elsewhere the crossings change, the knot does not
        for (int i = 0; i < 1001; i++) {
            double* x = nodes + 3 * i;
            fil_v3_set(x, 0.5 * x[0] - 0.8 * x[2] + 0.2 * sin(9.0 * x[1]), x[1], 0.8 * x[0] + 0.5 * x[2]);
        }
        assert_true(fabs(fil_knots_determinant(nodes, 1001) - (2 * n + 1)) < 1e-6);
    }
    // a straight line, and one with a kink, are no knots
    for (int i = 0; i < 100; i++) {
        fil_v3_set(nodes + 3 * i, 0.1 * sin(0.3 * i), cos(0.2 * i) + 0.05 * i, sin(0.2 * i));
    }
    assert_true(fabs(fil_knots_determinant(nodes, 100) - 1.0) < 1e-6);
}

static void rings_link(void** state)
{
    (void)state;
    double a[60], b[60];
    for (int i = 0; i < 20; i++) {
        const double c = cos(0.1 * FIL_PI * i), s = sin(0.1 * FIL_PI * i);
        fil_v3_set(a + 3 * i, c, s, 0.0);
        fil_v3_set(b + 3 * i, c, 0.0, s + 1.0);
    }
    assert_int_equal(abs(fil_knots_linking(a, 20, b, 20)), 0);
    for (int i = 0; i < 20; i++) {
        b[3 * i] += 1.0;
        b[3 * i + 2] -= 1.0;
    }
    assert_int_equal(abs(fil_knots_linking(a, 20, b, 20)), 1);
    assert_int_equal(fil_knots_linking(a, 20, b, 20), fil_knots_linking(b, 20, a, 20));
}

static void bad_knots_are_refused(void** state)
{
    (void)state;
    static const struct {
        FilKnotDef def;
        const char* says;
    } cases[] = {
        {{0, 301, 1.0, 3e-3}, "n = 0"},
        {{1, 5, 1.0, 3e-3}, "5 nodes"},
        {{1, 301, -1.0, 3e-3}, "positive"},
        {{1, 301, NAN, 3e-3}, "positive"},
        {{1, 301, 1.0, 0.0}, "positive"},
        {{4, 301, 1.0, 1e-2}, "do not fit in 1 m: at least"},
        {{4, 101, 1.0, 3e-3}, "more than 101 nodes"},
        {{1, 301, 1.0, 0.025}, "too thick"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        FilError error = {{0}};
        assert_int_equal(fil_knot_build(&cases[k].def, nodes, &error), FIL_BAD_INPUT);
        assert_non_null(strstr(error.text, cases[k].says));
        assert_int_equal(fil_knot_build(&cases[k].def, nodes, NULL), FIL_BAD_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_equal),       cmocka_unit_test(strands_keep_their_distance), cmocka_unit_test(curve_is_smooth),
        cmocka_unit_test(crossings_are_counted), cmocka_unit_test(knots_are_what_they_claim),   cmocka_unit_test(rings_link),
        cmocka_unit_test(bad_knots_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
