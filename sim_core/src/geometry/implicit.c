/* Ellipsoids have no closed form of distance; with k0 = |x/r|, k1 = |x/r^2| the value k0 (k0 - 1)/k1 has the ellipsoid
 * as its zero set and slope 1 there. A smooth union is -b log(sum exp(-d_i/b)): symmetric in its parts, and at most b
 * log(count) larger than their union. */
#include "geometry/implicit.h"

#include "base/error.h"
#include "geometry/closest.h"

/* A row per kind: the value and a box around it, both in the part's own frame, and how many sizes count. */
typedef struct Row {
    const char* name;
    double (*value)(const FilImplicitPart* part, const double* x);
    FilAabb (*box)(const FilImplicitPart* part);
    int sizes;
} Row;

static FilAabb centred_box(double x, double y, double z)
{
    return (FilAabb){{-x, -y, -z}, {x, y, z}};
}

static double ball_value(const FilImplicitPart* part, const double* x)
{
    return fil_v3_norm(x) - part->size[0];
}

static FilAabb ball_box(const FilImplicitPart* part)
{
    return centred_box(part->size[0], part->size[0], part->size[0]);
}

static double box_value(const FilImplicitPart* part, const double* x)
{
    double normal[3];
    return fil_point_box(x, part->size, normal);
}

static FilAabb box_box(const FilImplicitPart* part)
{
    return centred_box(part->size[0], part->size[1], part->size[2]);
}

static double cylinder_value(const FilImplicitPart* part, const double* x)
{
    double normal[3];
    return fil_point_cylinder(x, part->size[0], part->size[1], normal);
}

static FilAabb cylinder_box(const FilImplicitPart* part)
{
    return centred_box(part->size[0], part->size[0], part->size[1]);
}

static double ellipsoid_value(const FilImplicitPart* part, const double* x)
{
    const double* r = part->size;
    const double u[3] = {x[0] / r[0], x[1] / r[1], x[2] / r[2]}, w[3] = {u[0] / r[0], u[1] / r[1], u[2] / r[2]};
    const double k0 = fil_v3_norm(u), k1 = fil_v3_norm(w);
    return k1 > 0.0 ? k0 * (k0 - 1.0) / k1 : -fmin(r[0], fmin(r[1], r[2]));
}

static double torus_value(const FilImplicitPart* part, const double* x)
{
    const double across = sqrt(x[0] * x[0] + x[1] * x[1]) - part->size[0];
    return sqrt(across * across + x[2] * x[2]) - part->size[1];
}

static FilAabb torus_box(const FilImplicitPart* part)
{
    const double reach = part->size[0] + part->size[1];
    return centred_box(reach, reach, part->size[1]);
}

static double mesh_value(const FilImplicitPart* part, const double* x)
{
    return fil_mesh_distance(part->mesh, x);
}

static FilAabb mesh_box(const FilImplicitPart* part)
{
    return fil_mesh_distance_bounds(part->mesh);
}

static const Row rows[FIL_IMPLICIT_KIND_COUNT] = {
    [FIL_IMPLICIT_BALL] = {"ball", ball_value, ball_box, 1},
    [FIL_IMPLICIT_BOX] = {"box", box_value, box_box, 3},
    [FIL_IMPLICIT_CYLINDER] = {"cylinder", cylinder_value, cylinder_box, 2},
    [FIL_IMPLICIT_ELLIPSOID] = {"ellipsoid", ellipsoid_value, box_box, 3},
    [FIL_IMPLICIT_TORUS] = {"torus", torus_value, torus_box, 2},
    [FIL_IMPLICIT_MESH] = {"mesh", mesh_value, mesh_box, 0},
};

FilStatus fil_implicit_check(const FilImplicit* implicit, const char* name, FilError* error)
{
    if (implicit->part_count < 1) {
        return fil_error(error, FIL_BAD_INPUT, "%s: there are no parts", name);
    }
    if (!(isfinite(implicit->blend) && implicit->blend >= 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "%s: the blend %g m must not be negative", name, implicit->blend);
    }
    for (int i = 0; i < implicit->part_count; i++) {
        const FilImplicitPart* part = &implicit->parts[i];
        FIL_ASSERT(part->kind >= 0 && part->kind < FIL_IMPLICIT_KIND_COUNT);
        for (int k = 0; k < rows[part->kind].sizes; k++) {
            if (!(isfinite(part->size[k]) && part->size[k] > 0.0)) {
                return fil_error(error, FIL_BAD_INPUT, "%s: size %d of part %d (%s) is %g m: it must be positive", name, k + 1, i + 1,
                                 rows[part->kind].name, part->size[k]);
            }
        }
        if (!fil_all_finite(part->pose.p, 3) || !fil_all_finite(part->pose.r, 9)) {
            return fil_error(error, FIL_BAD_INPUT, "%s: the pose of part %d (%s) is not finite", name, i + 1, rows[part->kind].name);
        }
    }
    return FIL_OK;
}

static double part_value(const FilImplicitPart* part, const double* p)
{
    double x[3];
    fil_pose_apply_inverse(x, &part->pose, p);
    return rows[part->kind].value(part, x);
}

double fil_implicit_value(const FilImplicit* implicit, const double* p)
{
    // the union first: exponents below are then not positive
    double value = HUGE_VAL;
    for (int i = 0; i < implicit->part_count; i++) {
        value = fmin(value, part_value(&implicit->parts[i], p));
    }
    if (implicit->blend > 0.0 && implicit->part_count > 1) {
        double sum = 0.0;
        for (int i = 0; i < implicit->part_count; i++) {
            sum += exp((value - part_value(&implicit->parts[i], p)) / implicit->blend);
        }
        value -= implicit->blend * log(sum);
    }
    const double size = fil_v3_norm(implicit->cut_normal);
    if (size > 0.0) {
        value = fmax(value, (fil_v3_dot(implicit->cut_normal, p) - implicit->cut_offset) / size);
    }
    return value;
}

FilAabb fil_implicit_bounds(const FilImplicit* implicit)
{
    FilAabb bounds = fil_aabb_empty();
    for (int i = 0; i < implicit->part_count; i++) {
        const FilImplicitPart* part = &implicit->parts[i];
        const FilAabb box = rows[part->kind].box(part);
        double corner[3], at[3];
        for (int c = 0; c < 8; c++) {
            fil_v3_set(corner, c & 1 ? box.hi[0] : box.lo[0], c & 2 ? box.hi[1] : box.lo[1], c & 4 ? box.hi[2] : box.lo[2]);
            fil_pose_apply(at, &part->pose, corner);
            fil_aabb_add_point(&bounds, at);
        }
    }
    // twice: values of ellipsoids fall behind the distance
    return fil_aabb_fattened(&bounds, 2.0 * implicit->blend * log((double)implicit->part_count));
}
