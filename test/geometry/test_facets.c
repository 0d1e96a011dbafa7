/* Surfaces of triangles: where they would pass through each other, and their edges beside a shape. */
#include "geometry/facets.h"

#include "base/memory.h"
#include "geometry/facets_pair.h"
#include "random_shapes.h"

static const int ONE[3] = {0, 1, 2};

/* A surface of one triangle, of corners in the plane of z = height of a pose. */
static FilFacets triangle_at(const double* corners, double height, const FilPose* pose, double radius)
{
    FilFacets facets;
    assert_int_equal(fil_facets_init(&facets, 3, ONE, 1, false, radius), FIL_OK);
    for (int k = 0; k < 3; k++) {
        const double local[3] = {corners[2 * k], corners[2 * k + 1], height};
        fil_pose_apply(facets.x + 3 * k, pose, local);
    }
    return facets;
}

/* ---- in the plane ---- */

static const double* corner(const double* triangle, int k)
{
    return triangle + 2 * (k % 3);
}

// twice the area of a, b, p
static double area2(const double* a, const double* b, const double* p)
{
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

// the share of a-b at which it crosses c-d; -1: it does not
static double crossing(const double* a, const double* b, const double* c, const double* d)
{
    const double from = area2(c, d, a), to = area2(c, d, b);
    return from * to < 0.0 && area2(a, b, c) * area2(a, b, d) < 0.0 ? from / (from - to) : -1.0;
}

static bool contains(const double* t, const double* p)
{
    const double a = area2(t, t + 2, p), b = area2(t + 2, t + 4, p), c = area2(t + 4, t, p);
    return (a > 0.0) == (b > 0.0) && (b > 0.0) == (c > 0.0);
}

// whether two edges are nearly parallel, or a triangle has hardly an area: left out
static bool is_degenerate(const double* a, const double* b)
{
    bool flat = fabs(area2(a, a + 2, a + 4)) < 0.05 || fabs(area2(b, b + 2, b + 4)) < 0.05;
    for (int m = 0; m < 9; m++) {
        const double *p = corner(a, m / 3), *q = corner(a, m / 3 + 1), *r = corner(b, m), *s = corner(b, m + 1);
        const double e[2] = {q[0] - p[0], q[1] - p[1]}, f[2] = {s[0] - r[0], s[1] - r[1]};
        flat = flat || fabs(e[0] * f[1] - e[1] * f[0]) < 0.01 * hypot(e[0], e[1]) * hypot(f[0], f[1]);
    }
    return flat;
}

/* ---- passing through ---- */

/* Where objects meet in the plane: 2 each. */
typedef struct Places {
    double at[FIL_FACETS_PASSING][2];
    int vertices, count;
} Places;

static Places expected(const double* a, const double* b)
{
    Places places = {.count = 0};
    for (int k = 0; k < 3; k++) {
        if (contains(b, a + 2 * k)) {
            places.at[places.count][0] = a[2 * k];
            places.at[places.count++][1] = a[2 * k + 1];
        }
    }
    places.vertices = places.count;
    for (int m = 0; m < 9; m++) {
        const double *p = corner(a, m / 3), *q = corner(a, m / 3 + 1), s = crossing(p, q, corner(b, m), corner(b, m + 1));
        if (s >= 0.0) {
            places.at[places.count][0] = p[0] + s * (q[0] - p[0]);
            places.at[places.count++][1] = p[1] + s * (q[1] - p[1]);
        }
    }
    return places;
}

// of two triangles in parallel planes, the one that comes down passes the other where they cover each other
static void triangles_pass(void** state)
{
    (void)state;
    const double height = 0.4, radius_a = 0.01, radius_b = 0.03;
    Random random = {90};
    int edges[9] = {0}, passed = 0;
    for (int n = 0; n < 400; n++) {
        const FilPose pose = random_pose(&random, 0.5);
        double a[6], b[6], ahead[9];
        for (int k = 0; k < 12; k++) {
            (k < 6 ? a : b)[k % 6] = random_between(&random, -1.0, 1.0);
        }
        if (is_degenerate(a, b)) {
            continue;
        }
        FilFacets upper = triangle_at(a, height, &pose, radius_a), lower = triangle_at(b, 0.0, &pose, radius_b);
        for (int k = 0; k < 3; k++) {
            const double local[3] = {a[2 * k], a[2 * k + 1], -0.7 * height};
            fil_pose_apply(ahead + 3 * k, &pose, local);
        }
        FilFacetTouch touches[FIL_FACETS_PASSING];
        const Places want = expected(a, b);
        assert_int_equal(fil_facets_sweep(&upper, ahead, 0, &lower, lower.x, 0, false, touches), want.vertices);
        assert_int_equal(fil_facets_sweep(&upper, ahead, 0, &lower, lower.x, 0, true, touches), want.count);
        for (int i = 0; i < want.count; i++) {
            double at[3], normal[3], nearest = HUGE_VAL;
            fil_pose_apply_inverse(at, &pose, touches[i].point.position);
            fil_m3_apply_transposed(normal, pose.r, touches[i].point.normal);
            for (int k = 0; k < want.count; k++) {
                nearest = fmin(nearest, hypot(at[0] - want.at[k][0], at[1] - want.at[k][1]));
            }
            assert_near(nearest, 0.0, 1e-9);
            assert_near(normal[2], -1.0, 1e-12);
            assert_near(touches[i].point.distance, height - radius_a - radius_b, 1e-12);
            assert_near(at[2], 0.5 * (height - radius_a + radius_b), 1e-12);  // midway between the surfaces
        }
        passed += want.count;
        for (int m = 0; m < 9; m++) {
            edges[m] += crossing(corner(a, m / 3), corner(a, m / 3 + 1), corner(b, m), corner(b, m + 1)) >= 0.0;
        }
        fil_facets_free(&upper);
        fil_facets_free(&lower);
    }
    assert_true(passed > 300);
    for (int m = 0; m < 9; m++) {
        assert_true(edges[m] > 0);
    }
}

/* ---- edges ---- */

// a ball beside each edge of a triangle, in its plane
static void edges_meet_a_ball(void** state)
{
    (void)state;
    static const double corners[6] = {0.0, 0.0, 1.0, 0.1, 0.3, 0.8};
    const double radius = 0.02, ball = 0.1, gap = 0.015;
    Random random = {91};
    for (int n = 0; n < 30; n++) {
        const FilPose pose = random_pose(&random, 0.5);
        FilFacets facets = triangle_at(corners, 0.0, &pose, radius);
        FilFacetContacts contacts = {0};
        const int k = n % 3, next = (k + 1) % 3;
        const double *p = corners + 2 * k, *q = corners + 2 * next, length = hypot(q[0] - p[0], q[1] - p[1]), share = n % 2 == 0 ? 0.3 : 0.7;
        const double out[3] = {(q[1] - p[1]) / length, (p[0] - q[0]) / length, 0.0}, away = radius + gap + ball;
        const double local[3] = {p[0] + share * (q[0] - p[0]) + away * out[0], p[1] + share * (q[1] - p[1]) + away * out[1], 0.0};
        double want[3];
        FilFacetOther other = {.shape = fil_shape_sphere(ball), .pose = fil_pose_identity()};
        fil_pose_apply(other.pose.p, &pose, local);
        fil_m3_apply(want, pose.r, out);
        assert_int_equal(fil_facets_meet_shape(&facets, 0, &other, 0.5 * gap, &contacts), FIL_OK);
        assert_int_equal(contacts.count, 0);
        assert_int_equal(fil_facets_meet_shape(&facets, 0, &other, 1.5 * gap, &contacts), FIL_OK);
        assert_int_equal(contacts.count, 1);
        assert_int_equal(contacts.items[0].vertex, share < 0.5 ? k : next);
        assert_near(contacts.items[0].point.distance, gap, 1e-12);
        assert_near(fil_v3_dot(contacts.items[0].point.normal, want), 1.0, 1e-12);
        fil_free(contacts.items);
        fil_facets_free(&facets);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_pass),
        cmocka_unit_test(edges_meet_a_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
