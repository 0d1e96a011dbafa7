/* Generators of nodes against closed forms. Tolerances: 1e-12 m on curves of about 1 m is rounding of a few operations.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "near.h"
#include "scene/shapes.h"

#define ROUNDING 1e-12

static void assert_point(const double* point, double x, double y, double z)
{
    assert_near(point[0], x, ROUNDING);
    assert_near(point[1], y, ROUNDING);
    assert_near(point[2], z, ROUNDING);
}

static void assert_equal_edges(const double* nodes, int count, double length)
{
    for (int i = 0; i + 1 < count; i++) {
        assert_near(fil_v3_distance(nodes + 3 * i, nodes + 3 * (i + 1)), length, ROUNDING);
    }
}

static void straight_ends_where_asked(void** state)
{
    (void)state;
    const double from[3] = {0.1, -0.2, 0.3}, to[3] = {1.1, 0.7, -0.4};
    double nodes[3 * 8];
    fil_shape_straight(from, to, 8, nodes);
    // ends are exact, so that junctions at ends are
    assert_memory_equal(nodes, from, sizeof from);
    assert_memory_equal(nodes + 21, to, sizeof to);
    assert_equal_edges(nodes, 8, fil_v3_distance(from, to) / 7.0);
}

static void arc_turns_right_handed(void** state)
{
    (void)state;
    const double center[3] = {1.0, 0.0, 0.0}, normal[3] = {0.0, 0.0, 2.0}, start[3] = {1.5, 0.0, 0.25};
    double nodes[3 * 5];
    fil_shape_arc(center, normal, start, FIL_PI, 5, nodes);
    assert_point(nodes, 1.5, 0.0, 0.25);
    assert_point(nodes + 6, 1.0, 0.5, 0.25);
    assert_point(nodes + 12, 0.5, 0.0, 0.25);
    assert_equal_edges(nodes, 5, 2.0 * 0.5 * sin(FIL_PI / 8.0));
}

/* A belt around two wheels: nodes are on the line, evenly, and turn right-handed. */
static void a_stadium_goes_around_two_wheels(void** state)
{
    (void)state;
    const FilStadium stadium = {
        .center = {1.0, 2.0, 3.0}, .normal = {0.0, 1.0, 0.0}, .toward = {2.0, 0.0, 0.0}, .radius = 0.2, .distance = 0.3 * FIL_PI};
    enum { COUNT = 50 };  // each step is pi/50 of the radius 0.2: half a circle has 10 and a straight 15
    double nodes[3 * COUNT];
    fil_shape_stadium(&stadium, COUNT, nodes);
    // across is normal x toward = -z; the first node stands before the wheel at +x
    assert_point(nodes, 1.0 + 0.15 * FIL_PI, 2.0, 3.2);
    assert_point(nodes + 15, 1.0 + 0.15 * FIL_PI + 0.2, 2.0, 3.0);
    assert_point(nodes + 30, 1.0 + 0.15 * FIL_PI, 2.0, 2.8);
    assert_point(nodes + 75, 1.0 - 0.15 * FIL_PI, 2.0, 2.8);
    assert_point(nodes + 90, 1.0 - 0.15 * FIL_PI - 0.2, 2.0, 3.0);
    assert_equal_edges(nodes, 11, 0.4 * sin(FIL_PI / 20.0));
    assert_equal_edges(nodes + 30, 16, 0.02 * FIL_PI);
    assert_near(fil_v3_distance(nodes, nodes + 3 * (COUNT - 1)), 0.02 * FIL_PI, ROUNDING);
}

static void ring_closes(void** state)
{
    (void)state;
    enum { COUNT = 12 };
    const double center[3] = {0.0, 0.0, 1.0}, normal[3] = {0.0, 1.0, 0.0}, toward[3] = {3.0, 1.0, 0.0};
    double nodes[3 * COUNT + 3];
    fil_shape_ring(center, normal, toward, 0.5, COUNT, nodes);
    fil_v3_copy(nodes + 3 * COUNT, nodes);
    assert_point(nodes, 0.5, 0.0, 1.0);
    // a quarter turn about +y takes +x to -z
    assert_point(nodes + 9, 0.0, 0.0, 0.5);
    assert_equal_edges(nodes, COUNT + 1, 2.0 * 0.5 * sin(FIL_PI / COUNT));
}

static void ring_without_direction_is_round(void** state)
{
    (void)state;
    enum { COUNT = 7 };
    const double center[3] = {0}, normal[3] = {1.0, 2.0, 3.0}, toward[3] = {0};
    double nodes[3 * COUNT];
    fil_shape_ring(center, normal, toward, 2.0, COUNT, nodes);
    for (int i = 0; i < COUNT; i++) {
        assert_near(fil_v3_norm(nodes + 3 * i), 2.0, ROUNDING);
        assert_near(fil_v3_dot(nodes + 3 * i, normal), 0.0, 10.0 * ROUNDING);
    }
}

static void helix_climbs_by_its_pitch(void** state)
{
    (void)state;
    enum { COUNT = 33 };
    const FilHelix helix = {.origin = {1.0, 0.0, 0.0}, .axis = {0.0, 0.0, 3.0}, .toward = {1.0, 0.0, 0.0}, .radius = 0.2, .pitch = 0.1, .turns = 2.0};
    double nodes[3 * COUNT];
    fil_shape_helix(&helix, COUNT, nodes);
    assert_point(nodes, 1.2, 0.0, 0.0);
    assert_point(nodes + 3 * 4, 1.0, 0.2, 0.025);
    assert_point(nodes + 3 * 16, 1.2, 0.0, 0.1);
    assert_point(nodes + 3 * 32, 1.2, 0.0, 0.2);
}

static void resampling_spaces_evenly(void** state)
{
    (void)state;
    // an L of two and one metres: seven nodes are half a metre apart along it
    const double points[] = {0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 1.0, 0.0};
    double nodes[3 * 7];
    assert_near(fil_shape_length(points, 3, false), 3.0, ROUNDING);
    fil_shape_resample(points, 3, false, 7, nodes);
    assert_equal_edges(nodes, 7, 0.5);
    assert_point(nodes + 12, 2.0, 0.0, 0.0);
    assert_memory_equal(nodes + 18, points + 6, 3 * sizeof(double));
}

static void resampling_a_closed_polyline_comes_back(void** state)
{
    (void)state;
    // a unit square: eight nodes at half metres, the last one half a metre before the first
    const double points[] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0};
    double nodes[3 * 8];
    assert_near(fil_shape_length(points, 4, true), 4.0, ROUNDING);
    fil_shape_resample(points, 4, true, 8, nodes);
    assert_equal_edges(nodes, 8, 0.5);
    assert_point(nodes + 21, 0.0, 0.5, 0.0);
}

static void resampling_keeps_the_points_of_an_even_polyline(void** state)
{
    (void)state;
    const double points[] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.1, 0.1, 0.0, 0.1, 0.1, 0.1};
    double nodes[3 * 4];
    fil_shape_resample(points, 4, false, 4, nodes);
    for (int i = 0; i < 4; i++) {
        assert_point(nodes + 3 * i, points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    }
}

static void noise_repeats_with_its_seed(void** state)
{
    (void)state;
    enum { COUNT = 1000 };
    static double first[3 * COUNT], second[3 * COUNT], other[3 * COUNT];
    uint64_t a = 7, b = 7, c = 8;
    fil_shape_disturb(1e-3, &a, COUNT, first);
    fil_shape_disturb(1e-3, &b, COUNT, second);
    fil_shape_disturb(1e-3, &c, COUNT, other);
    assert_memory_equal(first, second, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
    double mean = 0.0, largest = 0.0;
    for (int k = 0; k < 3 * COUNT; k++) {
        mean += first[k] / (3 * COUNT);
        largest = fmax(largest, fabs(first[k]));
    }
    // 3000 uniform numbers: the mean's deviation is amplitude / sqrt(3 * 3000) = 1.05e-5, five of them allowed
    assert_true(fabs(mean) < 5.3e-5);
    assert_true(largest <= 1e-3 && largest > 0.99e-3);
}

/* Every edge touches the circle with its middle, the tails are straight, and the directions differ by the angle. */
static void wrap_touches_its_post(void** state)
{
    (void)state;
    const FilWrap wrap = {.center = {1.0, 2.0, 3.0},
                          .axis = {0.0, 0.0, 2.0},
                          .toward = {0.0, 1.0, 0.5},
                          .radius = 0.5,
                          .pitch = 0.25,
                          .angle = 3.0 * FIL_PI,
                          .segments = 60,
                          .tail_edges = {4, 7}};
    double nodes[3 * 71], first[3], last[3];
    assert_int_equal(fil_wrap_node_count(&wrap), 71);
    fil_shape_wrap(&wrap, nodes);
    const double across = 2.0 * 0.5 * tan(FIL_PI / 40.0), climb = 0.25 / 40.0;
    assert_near(fil_wrap_edge_length(&wrap), hypot(across, climb), ROUNDING);
    assert_equal_edges(nodes, 71, hypot(across, climb));
    for (int i = 3; i < 64; i++) {  // from the last edge of one tail to the first of the other
        const double x = 0.5 * (nodes[3 * i] + nodes[3 * i + 3]) - 1.0, y = 0.5 * (nodes[3 * i + 1] + nodes[3 * i + 4]) - 2.0;
        assert_near(hypot(x, y), 0.5, ROUNDING);
    }
    // it touches first at the height of the centre, where `toward` points to, and turns one and a half times from there
    assert_near(0.5 * (nodes[3 * 3 + 1] + nodes[3 * 4 + 1]), 2.5, ROUNDING);
    assert_near(0.5 * (nodes[3 * 3 + 2] + nodes[3 * 4 + 2]), 3.0, ROUNDING);
    fil_v3_sub(first, nodes + 3, nodes);
    fil_v3_sub(last, nodes + 3 * 70, nodes + 3 * 69);
    assert_near(first[0], -across, ROUNDING);
    assert_near(last[0], across, ROUNDING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_ends_where_asked),
        cmocka_unit_test(arc_turns_right_handed),
        cmocka_unit_test(a_stadium_goes_around_two_wheels),
        cmocka_unit_test(ring_closes),
        cmocka_unit_test(ring_without_direction_is_round),
        cmocka_unit_test(helix_climbs_by_its_pitch),
        cmocka_unit_test(resampling_spaces_evenly),
        cmocka_unit_test(resampling_a_closed_polyline_comes_back),
        cmocka_unit_test(resampling_keeps_the_points_of_an_even_polyline),
        cmocka_unit_test(noise_repeats_with_its_seed),
        cmocka_unit_test(wrap_touches_its_post),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
