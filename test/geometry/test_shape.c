/* Shapes: supports, bounds, faces and refused sizes. */
#include "geometry/shape.h"

#include <string.h>

#include "random_shapes.h"

static FilShapeKind bounded_kind(int n)
{
    static const FilShapeKind kinds[] = {FIL_PRIMITIVE_SPHERE, FIL_PRIMITIVE_CAPSULE, FIL_PRIMITIVE_CYLINDER, FIL_PRIMITIVE_BOX, FIL_PRIMITIVE_HULL};
    return kinds[n % 5];
}

// a random point inside, by definition of the shape
static void random_inside(Random* random, const FilShape* shape, double* p)
{
    if (shape->kind == FIL_PRIMITIVE_HULL) {
        // a random mean of vertices
        double sum = 0.0;
        fil_v3_set(p, 0.0, 0.0, 0.0);
        for (int v = 0; v < shape->hull->vertex_count; v++) {
            const double w = pow(random_between(random, 0.0, 1.0), 8.0);
            fil_v3_axpy(p, w, shape->hull->vertices + 3 * v);
            sum += w;
        }
        fil_v3_scale(p, 1.0 / sum, p);
        return;
    }
    const double r = shape->radius, *h = shape->half;
    for (;;) {
        random_vector(random, 2.0, p);
        const double rho = sqrt(p[0] * p[0] + p[1] * p[1]);
        const double beyond = fmax(fabs(p[2]) - h[2], 0.0);
        const bool inside = shape->kind == FIL_PRIMITIVE_BOX        ? fabs(p[0]) <= h[0] && fabs(p[1]) <= h[1] && fabs(p[2]) <= h[2]
                            : shape->kind == FIL_PRIMITIVE_CYLINDER ? rho <= r && beyond == 0.0
                                                                    : rho * rho + beyond * beyond <= r * r;
        if (inside) {
            return;
        }
    }
}

static void nothing_reaches_beyond_support_and_bounds(void** state)
{
    (void)state;
    Random random = {61};
    for (int n = 0; n < 500; n++) {
        FilHull* hull;
        const FilShape shape = random_shape(&random, bounded_kind(n), &hull);
        const FilPose pose = random_pose(&random, 1.0);
        const FilAabb box = fil_shape_aabb(&shape, &pose);
        assert_int_equal(fil_shape_check(&shape, NULL), FIL_OK);
        for (int k = 0; k < 50; k++) {
            double p[3], world[3], d[3], top[3];
            random_inside(&random, &shape, p);
            random_direction(&random, d);
            fil_shape_support(&shape, d, top);
            assert_true(fil_v3_dot(p, d) <= fil_v3_dot(top, d) + 1e-12);
            fil_pose_apply(world, &pose, p);
            for (int i = 0; i < 3; i++) {
                assert_true(world[i] >= box.lo[i] - 1e-12 && world[i] <= box.hi[i] + 1e-12);
            }
        }
        // the bounds are tight: the support along each axis touches them
        for (int i = 0; i < 6; i++) {
            double axis[3] = {0.0, 0.0, 0.0}, local[3], top[3], world[3];
            axis[i / 2] = i & 1 ? 1.0 : -1.0;
            fil_m3_apply_transposed(local, pose.r, axis);
            fil_shape_support(&shape, local, top);
            fil_pose_apply(world, &pose, top);
            assert_near(world[i / 2], i & 1 ? box.hi[i / 2] : box.lo[i / 2], 1e-12);
        }
        fil_hull_destroy(hull);
    }
}

static void faces_hold_the_farthest_point_and_are_flat(void** state)
{
    (void)state;
    Random random = {62};
    for (int n = 0; n < 2000; n++) {
        FilHull* hull;
        const FilShape shape = random_shape(&random, bounded_kind(n), &hull);
        const FilPose pose = random_pose(&random, 1.0);
        double d[3], local[3], top[3], world[3], farthest = -HUGE_VAL;
        FilFace face;
        int hint = 0;
        random_direction(&random, d);
        fil_shape_face(&shape, &pose, d, &face);
        fil_m3_apply_transposed(local, pose.r, d);
        fil_shape_core_support(&shape, local, &hint, top);
        fil_pose_apply(world, &pose, top);
        for (int i = 0; i < face.count; i++) {
            farthest = fmax(farthest, fil_v3_dot(face.corner[i], d));
            if (face.count > 2) {
                double along[3], next[3], turn[3], up[3];
                fil_v3_sub(up, face.corner[i], face.corner[0]);
                assert_near(fil_v3_dot(up, face.normal), 0.0, 1e-6);
                fil_v3_sub(along, face.corner[(i + 1) % face.count], face.corner[i]);
                fil_v3_sub(next, face.corner[(i + 2) % face.count], face.corner[(i + 1) % face.count]);
                fil_v3_cross(turn, along, next);
                assert_true(fil_v3_dot(turn, face.normal) > 0.0);  // counter-clockwise and convex
            }
            for (int j = 0; j < i; j++) {
                assert_true(face.id[i] != face.id[j]);
            }
        }
        assert_near(farthest, fil_v3_dot(world, d), 1e-9);
        fil_hull_destroy(hull);
    }
}

static void masses_are_those_of_the_kinds(void** state)
{
    (void)state;
    Random random = {63};
    FilHull* hull = random_hull(&random, 30);
    const FilShape shape = fil_shape_hull(hull), floor = fil_shape_half_space(), box = fil_shape_box(1.0, 2.0, 3.0);
    assert_near(fil_shape_mass(&shape).volume, hull->mass.volume, 0.0);
    assert_near(fil_shape_mass(&floor).volume, 0.0, 0.0);
    assert_near(fil_shape_mass(&box).volume, 48.0, 1e-12);
    fil_hull_destroy(hull);
}

static void a_segment_is_a_capsule(void** state)
{
    (void)state;
    Random random = {64};
    for (int n = 0; n < 100; n++) {
        double p[3], q[3], axis[3], end[3];
        FilPose pose;
        random_vector(&random, 1.0, p);
        random_vector(&random, 1.0, q);
        if (n == 0) {
            fil_v3_copy(q, p);
        }
        const FilShape capsule = fil_shape_of_segment(p, q, 0.1, &pose);
        fil_pose_axis(axis, &pose, 2);
        fil_v3_copy(end, pose.p);
        fil_v3_axpy(end, capsule.half[2], axis);
        assert_near(fil_v3_distance(end, q), 0.0, 1e-15);
        fil_v3_axpy(end, -2.0 * capsule.half[2], axis);
        assert_near(fil_v3_distance(end, p), 0.0, 1e-15);
        // a right-handed rotation
        double x[3], y[3], z[3];
        fil_pose_axis(x, &pose, 0);
        fil_pose_axis(y, &pose, 1);
        fil_v3_cross(z, x, y);
        assert_near(fil_v3_distance(z, axis), 0.0, 1e-15);
        assert_near(fil_v3_norm(x), 1.0, 1e-15);
    }
}

static void refuse(FilShape shape, const char* message)
{
    FilError error = {""};
    assert_int_equal(fil_shape_check(&shape, &error), FIL_BAD_INPUT);
    if (strstr(error.text, message) == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", message, error.text);
    }
}

static void bad_sizes_are_refused(void** state)
{
    (void)state;
    refuse(fil_shape_sphere(0.0), "the radius 0 of a sphere is not a positive number");
    refuse(fil_shape_sphere(NAN), "of a sphere");
    refuse(fil_shape_capsule(-1.0, 1.0), "the radius -1 of a capsule");
    refuse(fil_shape_capsule(1.0, 0.0), "the half length 0 of a capsule");
    refuse(fil_shape_cylinder(1.0, INFINITY), "the half length inf of a cylinder");
    refuse(fil_shape_box(1.0, 0.0, 1.0), "the half sizes 1, 0, 1 of a box");
    refuse(fil_shape_hull(NULL), "a hull without points");
    refuse((FilShape){.kind = FIL_PRIMITIVE_KINDS}, "6 is not a kind of shape");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_reaches_beyond_support_and_bounds),
        cmocka_unit_test(faces_hold_the_farthest_point_and_are_flat),
        cmocka_unit_test(masses_are_those_of_the_kinds),
        cmocka_unit_test(a_segment_is_a_capsule),
        cmocka_unit_test(bad_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
