#include "geometry/patch_reduce.h"

// corners with a smaller part of the weight than this are left out: below it their numbers are rounding
#define NOTHING 1e-12

// ---- sums over points ----

typedef struct Sums {
    double weight, force[3], centre[3]; /* weight: f, or k of points that do not touch */
    double torsion, spread;             /* sum w r, sum w r^2 around the centre, across `normal` */
} Sums;

static double weight_of(const FilPatchPoint* point, bool touching)
{
    return touching ? fil_patch_force(point) : fil_patch_stiffness(point);
}

static bool belongs(const FilPatchPoint* point, bool touching)
{
    return (point->pressure > 0.0) == touching;
}

static Sums add_up(const FilPatchPoint* points, int count, bool touching)
{
    Sums sums = {0};
    for (int i = 0; i < count; i++) {
        if (belongs(&points[i], touching)) {
            const double w = weight_of(&points[i], touching);
            sums.weight += w;
            fil_v3_axpy(sums.force, w, points[i].normal);
            fil_v3_axpy(sums.centre, w, points[i].position);
        }
    }
    if (sums.weight > 0.0) {
        fil_v3_scale(sums.centre, 1.0 / sums.weight, sums.centre);
    }
    return sums;
}

static double radius_of(const double* position, const double* centre, const double* normal)
{
    double to[3];
    fil_v3_sub(to, position, centre);
    fil_v3_axpy(to, -fil_v3_dot(to, normal), normal);
    return fil_v3_norm(to);
}

static void add_radii(Sums* sums, const FilPatchPoint* points, int count, bool touching, const double* normal)
{
    for (int i = 0; i < count; i++) {
        if (belongs(&points[i], touching)) {
            const double w = weight_of(&points[i], touching), r = radius_of(points[i].position, sums->centre, normal);
            sums->torsion += w * r;
            sums->spread += w * r * r;
        }
    }
}

// ---- the box ----

typedef struct Box {
    double axis[3][3];     /* along, across, normal */
    double lo[2], size[2]; /* m, from the centre */
} Box;

static Box box_of(const FilPatchPoint* points, int count, bool touching, const Sums* sums, const double* along)
{
    Box box = {.lo = {HUGE_VAL, HUGE_VAL}};
    double hi[2] = {-HUGE_VAL, -HUGE_VAL};
    fil_v3_copy(box.axis[2], sums->force);
    if (fil_v3_normalise(box.axis[2]) == 0.0) {
        fil_v3_set(box.axis[2], 0.0, 0.0, 1.0);
    }
    fil_v3_copy(box.axis[0], along);
    fil_v3_normalise(box.axis[0]);
    fil_v3_axpy(box.axis[0], -fil_v3_dot(box.axis[0], box.axis[2]), box.axis[2]);
    // an axis along the normal, to 1e-3 rad (chosen), says nothing
    if (fil_v3_normalise(box.axis[0]) < 1e-3) {
        fil_v3_orthogonal(box.axis[0], box.axis[2]);
    }
    fil_v3_cross(box.axis[1], box.axis[2], box.axis[0]);
    for (int i = 0; i < count; i++) {
        double to[3];
        fil_v3_sub(to, points[i].position, sums->centre);
        for (int k = 0; k < 2 && belongs(&points[i], touching); k++) {
            const double at = fil_v3_dot(to, box.axis[k]);
            box.lo[k] = fmin(box.lo[k], at);
            hi[k] = fmax(hi[k], at);
        }
    }
    for (int k = 0; k < 2; k++) {
        box.size[k] = hi[k] - box.lo[k];
    }
    return box;
}

// what a corner of the box is given
typedef struct Corner {
    double weight, force[3], stiffness, area, height;
} Corner;

static void share_out(const FilPatchPoint* points, int count, bool touching, const Sums* sums, const Box* box, Corner corner[4])
{
    for (int i = 0; i < count; i++) {
        double to[3], part[2];
        if (!belongs(&points[i], touching)) {
            continue;
        }
        fil_v3_sub(to, points[i].position, sums->centre);
        for (int k = 0; k < 2; k++) {
            const double at = (fil_v3_dot(to, box->axis[k]) - box->lo[k]) / box->size[k];
            part[k] = box->size[k] > 0.0 ? fmin(1.0, fmax(0.0, at)) : 0.5;
        }
        for (int j = 0; j < 4; j++) {
            const double share = (j % 2 ? part[0] : 1.0 - part[0]) * (j / 2 ? part[1] : 1.0 - part[1]);
            const double w = share * weight_of(&points[i], touching);
            corner[j].weight += w;
            fil_v3_axpy(corner[j].force, share * points[i].area * points[i].pressure, points[i].normal);
            corner[j].stiffness += share * fil_patch_stiffness(&points[i]);
            corner[j].area += share * points[i].area;
            corner[j].height += w * fil_v3_dot(to, box->axis[2]);
        }
    }
}

static void corner_place(const Box* box, int j, double* u, double* v)
{
    *u = box->lo[0] + (j % 2 ? box->size[0] : 0.0);
    *v = box->lo[1] + (j / 2 ? box->size[1] : 0.0);
}

// ---- new points ----

// a point from what it was given; none if that is nothing
static int emit(FilPatchPoint* out, const Corner* corner, double part, const double* position, bool touching, uint32_t feature)
{
    FilPatchPoint point = {.feature = feature};
    fil_v3_copy(point.position, position);
    // the force of points that do not touch yet is a negative one along the normal
    fil_v3_scale(point.normal, touching ? 1.0 : -1.0, corner->force);
    const double size = fil_v3_normalise(point.normal);
    point.area = part * corner->area;
    if (!(point.area > 0.0) || !(size > 0.0) || !(corner->stiffness > 0.0)) {
        return 0;
    }
    point.pressure = (touching ? size : -size) / corner->area;
    point.gradient = corner->stiffness / corner->area;
    *out = point;
    return 1;
}

// how far corners move towards the centre, and which part of everything stays with them, so that sum w r and sum w r^2
// are kept:
//     part scale T1 = T,   part scale^2 S1 = S
static void find_scale(const Sums* sums, const Corner corner[4], const Box* box, double* scale, double* part)
{
    double torsion = 0.0, spread = 0.0;
    for (int j = 0; j < 4; j++) {
        double u, v;
        corner_place(box, j, &u, &v);
        torsion += corner[j].weight * sqrt(u * u + v * v);
        spread += corner[j].weight * (u * u + v * v);
    }
    *scale = *part = 1.0;
    if (!(torsion > 0.0) || !(sums->torsion > 0.0) || !(spread > 0.0)) {
        return;
    }
    *scale = sums->spread * torsion / (sums->torsion * spread);
    *part = sums->torsion / (*scale * torsion);
    if (!(*part <= 1.0)) {
        *part = 1.0;
        *scale = sums->torsion / torsion;
    }
}

// points of one group, touching or not, as at most five; `points` and `out` are different
static int reduce_group(const FilPatchPoint* points, int count, bool touching, const double* axis, int feature, FilPatchPoint* out)
{
    Sums sums = add_up(points, count, touching);
    if (!(sums.weight > 0.0)) {
        return 0;
    }
    const Box box = box_of(points, count, touching, &sums, axis);
    Corner corner[4] = {{0}}, middle = {0};
    share_out(points, count, touching, &sums, &box, corner);
    double scale = 1.0, part = 1.0;
    if (touching) {
        add_radii(&sums, points, count, touching, box.axis[2]);
        find_scale(&sums, corner, &box, &scale, &part);
    }
    int made = 0;
    for (int j = 0; j < 4; j++) {
        double u, v, x[3];
        fil_v3_axpy(middle.force, 1.0, corner[j].force);
        middle.stiffness += corner[j].stiffness;
        middle.area += corner[j].area;
        if (!(corner[j].weight > NOTHING * sums.weight)) {
            continue;
        }
        corner_place(&box, j, &u, &v);
        fil_v3_copy(x, sums.centre);
        fil_v3_axpy(x, scale * u, box.axis[0]);
        fil_v3_axpy(x, scale * v, box.axis[1]);
        fil_v3_axpy(x, corner[j].height / corner[j].weight, box.axis[2]);
        made += emit(&out[made], &corner[j], part, x, touching, fil_patch_feature(feature, j, touching ? 2 : 3));
    }
    if (1.0 - part > NOTHING) {
        made += emit(&out[made], &middle, 1.0 - part, sums.centre, touching, fil_patch_feature(feature, 4, 2));
    }
    return made;
}

static FilPatchChange compare(const FilPatchPoint* before, int count, const FilPatchPoint* after, int made)
{
    FilPatchChange change = {0};
    Sums a = add_up(before, count, true), b = add_up(after, made, true);
    double normal[3], d[3];
    if (!(a.weight > 0.0)) {
        return change;
    }
    fil_v3_copy(normal, a.force);
    fil_v3_normalise(normal);
    add_radii(&a, before, count, true, normal);
    add_radii(&b, after, made, true, normal);
    fil_v3_sub(d, a.force, b.force);
    change.force = fil_v3_norm(d) / a.weight;
    if (a.spread > 0.0) {
        change.centre = fil_v3_distance(a.centre, b.centre) / sqrt(a.spread / a.weight);
        change.torsion = fabs(b.torsion / a.torsion - 1.0);
        change.tilt = fabs(b.spread / a.spread - 1.0);
    }
    return change;
}

FilPatchChange fil_patch_reduce(FilPatch* patch, int first, const double* axis, int feature)
{
    FilPatchPoint out[FIL_PATCH_REDUCED + 1], *points = patch->points + first;
    const int count = patch->count - first;
    if (count <= FIL_PATCH_TOUCHING) {
        return (FilPatchChange){0};
    }
    int made = reduce_group(points, count, true, axis, feature, out);
    made += reduce_group(points, count, false, axis, feature, out + made);
    // where there is nothing to gain, points stay as they are
    if (made >= count) {
        return (FilPatchChange){0};
    }
    const FilPatchChange change = compare(points, count, out, made);
    for (int i = 0; i < made; i++) {
        points[i] = out[i];
    }
    patch->count = first + made;
    return change;
}
