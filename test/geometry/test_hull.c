/* Convex hulls: convexity, topology, support climbing, polygons of coplanar points, mass, and refused input. */
#include "geometry/hull.h"

#include <string.h>

#include "random_shapes.h"

// closed surface of polygons: V - E + F = 2, every edge seen once from each side, every vertex under every face
static void check_hull(const FilHull* hull, double tolerance)
{
    const int corners = hull->face_first[hull->face_count];
    assert_int_equal(corners % 2, 0);
    assert_int_equal(hull->vertex_count - corners / 2 + hull->face_count, 2);
    assert_int_equal(hull->around_first[hull->vertex_count], corners);
    for (int f = 0; f < hull->face_count; f++) {
        const double* n = hull->normals + 3 * f;
        const int first = hull->face_first[f], end = hull->face_first[f + 1];
        assert_true(end - first >= 3);
        assert_near(fil_v3_norm(n), 1.0, 1e-12);
        const double height = fil_v3_dot(n, hull->vertices + 3 * hull->face_corners[first]);
        for (int v = 0; v < hull->vertex_count; v++) {
            assert_true(fil_v3_dot(n, hull->vertices + 3 * v) <= height + tolerance);
        }
        for (int c = first; c < end; c++) {
            const int from = hull->face_corners[c], to = hull->face_corners[c + 1 < end ? c + 1 : first];
            assert_true(fil_v3_dot(n, hull->vertices + 3 * from) >= height - tolerance);
            // the twin of this edge starts at its end, on another face
            int twins = 0;
            for (int k = hull->around_first[to]; k < hull->around_first[to + 1]; k++) {
                twins += hull->around_vertex[k] == from && hull->around_face[k] != f;
            }
            assert_int_equal(twins, 1);
        }
    }
}

static void check_covers(const FilHull* hull, const double* points, int count, double tolerance)
{
    for (int f = 0; f < hull->face_count; f++) {
        const double* n = hull->normals + 3 * f;
        const double height = fil_v3_dot(n, hull->vertices + 3 * hull->face_corners[hull->face_first[f]]);
        for (int p = 0; p < count; p++) {
            assert_true(fil_v3_dot(n, points + 3 * p) <= height + tolerance);
        }
    }
}

static void random_points_are_covered(void** state)
{
    (void)state;
    Random random = {31};
    for (int n = 0; n < 200; n++) {
        double points[3 * 300];
        const int count = 4 + (int)(random_bits(&random) % 297);
        FilHull* hull;
        for (int p = 0; p < count; p++) {
            // in a ball, on a sphere, or on a lattice, where many points are coplanar
            random_vector(&random, 1.0, points + 3 * p);
            if (n % 3 == 1) {
                random_direction(&random, points + 3 * p);
            } else if (n % 3 == 2) {
                for (int k = 0; k < 3; k++) {
                    points[3 * p + k] = floor(4.0 * points[3 * p + k]);
                }
            }
        }
        const FilStatus status = fil_hull_create(points, count, &hull, NULL);
        if (n % 3 == 2 && count < 8 && status == FIL_BAD_INPUT) {
            continue;  // a few lattice points may lie in a plane
        }
        assert_int_equal(status, FIL_OK);
        // merged faces are flat to 1e-6 of the extent
        check_hull(hull, n % 3 == 2 ? 1e-12 : 3e-6);
        check_covers(hull, points, count, n % 3 == 2 ? 1e-12 : 3e-6);
        assert_true(hull->mass.volume > 0.0);
        fil_hull_destroy(hull);
    }
}

static void a_box_with_many_points_has_six_faces(void** state)
{
    (void)state;
    // a lattice of 5 x 5 x 5 points, far from the origin, in single precision as files have it
    double points[3 * 125];
    FilHull* hull;
    for (int k = 0; k < 125; k++) {
        fil_v3_set(points + 3 * k, (double)(float)(10.0 + 0.1 * (k % 5)), (double)(float)(20.0 + 0.2 * (k / 5 % 5)),
                   (double)(float)(-5.0 + 0.3 * (k / 25)));
    }
    assert_int_equal(fil_hull_create(points, 125, &hull, NULL), FIL_OK);
    assert_int_equal(hull->face_count, 6);
    check_hull(hull, 3e-6);
    // 10.4 is a float to 1e-6, of sides of 0.4, 0.8 and 1.2
    assert_near(hull->mass.volume, 0.4 * 0.8 * 1.2, 1e-5);
    assert_near(hull->mass.centre[0], 10.2, 1e-5);
    assert_near(hull->mass.centre[1], 20.4, 1e-5);
    assert_near(hull->mass.centre[2], -4.4, 1e-5);
    const double half[3] = {0.2, 0.4, 0.6};
    const FilMassProperties box = fil_mass_of_box(half);
    for (int k = 0; k < 9; k++) {
        assert_near(hull->mass.inertia[k], box.inertia[k], 1e-5);
    }
    fil_hull_destroy(hull);
}

static void a_prism_has_polygon_faces(void** state)
{
    (void)state;
    enum { SIDES = 40 };
    double points[6 * SIDES];
    FilHull* hull;
    for (int k = 0; k < 2 * SIDES; k++) {
        const double angle = 2.0 * FIL_PI * (k % SIDES) / SIDES;
        fil_v3_set(points + 3 * k, 0.3 * cos(angle), 0.3 * sin(angle), k < SIDES ? -0.5 : 0.5);
    }
    assert_int_equal(fil_hull_create(points, 2 * SIDES, &hull, NULL), FIL_OK);
    assert_int_equal(hull->face_count, SIDES + 2);
    assert_int_equal(hull->vertex_count, 2 * SIDES);
    check_hull(hull, 1e-6);
    // area of a regular polygon: n/2 r^2 sin(2 pi/n)
    assert_near(hull->mass.volume, 0.5 * SIDES * 0.09 * sin(2.0 * FIL_PI / SIDES), 1e-12);
    assert_near(fil_v3_norm(hull->mass.centre), 0.0, 1e-12);
    fil_hull_destroy(hull);
}

static void climbing_finds_the_farthest_vertex(void** state)
{
    (void)state;
    Random random = {32};
    for (int n = 0; n < 40; n++) {
        double points[3 * 500];
        FilHull* hull;
        for (int p = 0; p < 500; p++) {
            random_direction(&random, points + 3 * p);
        }
        assert_int_equal(fil_hull_create(points, 500, &hull, NULL), FIL_OK);
        assert_true(hull->vertex_count > 400);
        int hint = 0;
        for (int k = 0; k < 200; k++) {
            double d[3], farthest = -HUGE_VAL;
            random_direction(&random, d);
            for (int v = 0; v < hull->vertex_count; v++) {
                farthest = fmax(farthest, fil_v3_dot(hull->vertices + 3 * v, d));
            }
            const int found = fil_hull_support(hull, d, &hint);
            assert_int_equal(found, hint);
            assert_near(fil_v3_dot(hull->vertices + 3 * found, d), farthest, 0.0);
        }
        fil_hull_destroy(hull);
    }
}

static void a_ball_of_many_points_is_fast_and_round(void** state)
{
    (void)state;
    enum { COUNT = 20000 };
    Random random = {33};
    double* points = test_malloc(3 * COUNT * sizeof *points);
    FilHull* hull;
    for (int p = 0; p < COUNT; p++) {
        random_direction(&random, points + 3 * p);
    }
    assert_int_equal(fil_hull_create(points, COUNT, &hull, NULL), FIL_OK);
    // each of 20,000 caps lacks about 4 pi/20,000 of area times its height: 2 pi/20,000 of the volume and a bit
    const FilMassProperties ball = fil_mass_of_sphere(1.0);
    assert_near(hull->mass.volume, ball.volume, 1e-3 * ball.volume);
    assert_near(hull->mass.inertia[0], ball.inertia[0], 2e-3 * ball.inertia[0]);
    fil_hull_destroy(hull);
    test_free(points);
}

static void flat_and_broken_input_is_refused(void** state)
{
    (void)state;
    FilHull* hull;
    FilError error;
    double flat[3 * 16] = {0.0};
    for (int p = 0; p < 16; p++) {
        fil_v3_set(flat + 3 * p, p % 4, p / 4, p % 4 + 2.0 * (p / 4));
    }
    assert_int_equal(fil_hull_create(flat, 16, &hull, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "lie in one plane"));
    assert_null(hull);
    assert_int_equal(fil_hull_create(flat, 3, &hull, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "4 to 262144 points, not 3"));
    assert_int_equal(fil_hull_create(flat, FIL_HULL_MAX_POINTS + 1, &hull, &error), FIL_BAD_INPUT);
    double same[12] = {0.0};
    assert_int_equal(fil_hull_create(same, 4, &hull, &error), FIL_BAD_INPUT);
    flat[7] = NAN;
    assert_int_equal(fil_hull_create(flat, 16, &hull, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "point 2 of a convex hull is not finite"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points_are_covered),
        cmocka_unit_test(a_box_with_many_points_has_six_faces),
        cmocka_unit_test(a_prism_has_polygon_faces),
        cmocka_unit_test(climbing_finds_the_farthest_vertex),
        cmocka_unit_test(a_ball_of_many_points_is_fast_and_round),
        cmocka_unit_test(flat_and_broken_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
