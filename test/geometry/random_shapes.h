/* Random poses, shapes and hulls for the geometry tests. */
#ifndef TEST_RANDOM_SHAPES_H
#define TEST_RANDOM_SHAPES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/shape.h"
#include "random.h"

/* NaN is never near. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static inline void random_vector(Random* random, double size, double* out)
{
    // one after the other: in a call compilers choose the order, and shapes would differ between machines
    for (int k = 2; k >= 0; k--) {
        out[k] = random_between(random, -size, size);
    }
}

/* uniform on the unit sphere */
static inline void random_direction(Random* random, double* out)
{
    do {
        random_vector(random, 1.0, out);
    } while (fil_v3_dot(out, out) > 1.0 || fil_v3_dot(out, out) < 1e-4);
    fil_v3_normalise(out);
}

static inline FilPose random_pose(Random* random, double size)
{
    FilPose pose;
    double turn[3];
    random_vector(random, size, pose.p);
    random_direction(random, turn);
    fil_v3_scale(turn, random_between(random, 0.0, FIL_PI), turn);
    fil_m3_from_rotation_vector(pose.r, turn);
    return pose;
}

/* A hull of `count` points within the unit ball; the caller destroys it. */
static inline FilHull* random_hull(Random* random, int count)
{
    double points[3 * 256];
    FilHull* hull;
    assert_true(count <= 256);
    for (int i = 0; i < count; i++) {
        do {
            random_vector(random, 1.0, points + 3 * i);
        } while (fil_v3_norm(points + 3 * i) > 1.0);
    }
    assert_int_equal(fil_hull_create(points, count, &hull, NULL), FIL_OK);
    return hull;
}

/* A shape of about unit size. A hull is made and owned by the caller through `hull`. */
static inline FilShape random_shape(Random* random, FilShapeKind kind, FilHull** hull)
{
    const double x = random_between(random, 0.2, 1.0), y = random_between(random, 0.2, 1.0);
    const double z = random_between(random, 0.2, 1.0);
    *hull = NULL;
    switch (kind) {
        case FIL_PRIMITIVE_SPHERE:
            return fil_shape_sphere(x);
        case FIL_PRIMITIVE_CAPSULE:
            return fil_shape_capsule(x, z);
        case FIL_PRIMITIVE_CYLINDER:
            return fil_shape_cylinder(x, z);
        case FIL_PRIMITIVE_BOX:
            return fil_shape_box(x, y, z);
        case FIL_PRIMITIVE_HALF_SPACE:
            return fil_shape_half_space();
        default:
            *hull = random_hull(random, 4 + (int)(random_bits(random) % 120));
            return fil_shape_hull(*hull);
    }
}

#endif
