/* What a patch adds up to, for the tests of patches. */
#ifndef TEST_PATCH_TOTALS_H
#define TEST_PATCH_TOTALS_H

#include "geometry/patch.h"
#include "random_shapes.h"

typedef struct Totals {
    double force[3], moment[3]; /* on b, about the origin: N, N m */
    double normal_force;        /* sum of A p */
    double stiffness, area;     /* of what touches */
    double centre[3];           /* of pressure */
    double torsion;             /* sum of A p |x - centre|: the moment of friction over mu */
    double highest;             /* Pa */
} Totals;

static inline Totals totals_of(const FilPatchPoint* points, int count)
{
    Totals t = {0};
    for (int i = 0; i < count; i++) {
        const FilPatchPoint* p = &points[i];
        const double f = fil_patch_force(p);
        double arm[3];
        assert_true(fil_all_finite(p->position, 3) && fil_all_finite(p->normal, 3));
        assert_true(isfinite(p->area) && p->area > 0.0 && isfinite(p->pressure) && isfinite(p->gradient) && p->gradient > 0.0);
        assert_near(fil_v3_norm(p->normal), 1.0, 1e-12);
        fil_v3_axpy(t.force, f, p->normal);
        fil_v3_cross(arm, p->position, p->normal);
        fil_v3_axpy(t.moment, f, arm);
        fil_v3_axpy(t.centre, f, p->position);
        t.normal_force += f;
        t.stiffness += f > 0.0 ? fil_patch_stiffness(p) : 0.0;
        t.area += f > 0.0 ? p->area : 0.0;
        t.highest = fmax(t.highest, p->pressure);
    }
    if (t.normal_force > 0.0) {
        fil_v3_scale(t.centre, 1.0 / t.normal_force, t.centre);
    }
    for (int i = 0; i < count; i++) {
        t.torsion += fil_patch_force(&points[i]) * fil_v3_distance(points[i].position, t.centre);
    }
    return t;
}

/* A pose at (0, 0, z), turned about x by `tilt`. */
static inline FilPose pose_at(double z, double tilt)
{
    FilPose pose = fil_pose_identity();
    const double turn[3] = {tilt, 0.0, 0.0};
    fil_m3_from_rotation_vector(pose.r, turn);
    pose.p[2] = z;
    return pose;
}

static inline FilField field_of(FilShape shape, double modulus, double resolution, double margin)
{
    FilField field;
    FilError error = {{0}};
    const FilFieldDef def = {modulus, resolution, margin};
    const FilStatus status = fil_field_create(&shape, &def, &field, &error);
    if (status != FIL_OK) {
        print_error("%s\n", error.text);
    }
    assert_int_equal(status, FIL_OK);
    return field;
}

static inline FilBoundary boundary_of(FilShape shape, double resolution)
{
    FilBoundary boundary;
    assert_int_equal(fil_boundary_create(&shape, resolution, &boundary, NULL), FIL_OK);
    return boundary;
}

/* order p of errors that fall from `coarse` to `fine` when sizes fall by `ratio` */
static inline double order_of(double coarse, double fine, double ratio)
{
    return log(fabs(coarse) / fabs(fine)) / log(ratio);
}

#endif
