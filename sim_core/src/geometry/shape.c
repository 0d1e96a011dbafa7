#include "geometry/shape.h"

#include "base/error.h"

FilShape fil_shape_sphere(double radius)
{
    return (FilShape){.kind = FIL_PRIMITIVE_SPHERE, .radius = radius};
}

FilShape fil_shape_capsule(double radius, double half_length)
{
    return (FilShape){.kind = FIL_PRIMITIVE_CAPSULE, .radius = radius, .half = {0.0, 0.0, half_length}};
}

FilShape fil_shape_cylinder(double radius, double half_length)
{
    return (FilShape){.kind = FIL_PRIMITIVE_CYLINDER, .radius = radius, .half = {0.0, 0.0, half_length}};
}

FilShape fil_shape_box(double half_x, double half_y, double half_z)
{
    return (FilShape){.kind = FIL_PRIMITIVE_BOX, .half = {half_x, half_y, half_z}};
}

FilShape fil_shape_half_space(void)
{
    return (FilShape){.kind = FIL_PRIMITIVE_HALF_SPACE};
}

FilShape fil_shape_hull(const FilHull* hull)
{
    return (FilShape){.kind = FIL_PRIMITIVE_HULL, .hull = hull};
}

FilShape fil_shape_revolution(const FilHull* hull, const FilProfile* profile)
{
    return (FilShape){.kind = FIL_PRIMITIVE_HULL, .hull = hull, .profile = profile};
}

FilShape fil_shape_of_segment(const double* p, const double* q, double radius, FilPose* pose)
{
    double x[3], y[3], z[3];
    fil_v3_sub(z, q, p);
    const double length = fil_v3_normalise(z);
    if (length == 0.0) {
        z[2] = 1.0;
    }
    fil_v3_orthogonal(x, z);
    fil_v3_cross(y, z, x);
    for (int k = 0; k < 3; k++) {
        pose->p[k] = 0.5 * (p[k] + q[k]);
        pose->r[3 * k] = x[k];
        pose->r[3 * k + 1] = y[k];
        pose->r[3 * k + 2] = z[k];
    }
    return fil_shape_capsule(radius, 0.5 * length);
}

const char* fil_shape_kind_name(FilShapeKind kind)
{
    static const char* const names[FIL_PRIMITIVE_KINDS] = {"sphere", "capsule", "cylinder", "box", "half-space", "hull"};
    return kind < FIL_PRIMITIVE_KINDS ? names[kind] : "unknown shape";
}

static bool positive(double x)
{
    return isfinite(x) && x > 0.0;
}

FilStatus fil_shape_check(const FilShape* shape, FilError* error)
{
    const char* name = fil_shape_kind_name(shape->kind);
    const double* half = shape->half;
    switch (shape->kind) {
        case FIL_PRIMITIVE_SPHERE:
        case FIL_PRIMITIVE_CAPSULE:
        case FIL_PRIMITIVE_CYLINDER:
            if (!positive(shape->radius)) {
                return fil_error(error, FIL_BAD_INPUT, "the radius %g of a %s is not a positive number", shape->radius, name);
            }
            if (shape->kind != FIL_PRIMITIVE_SPHERE && !positive(half[2])) {
                return fil_error(error, FIL_BAD_INPUT, "the half length %g of a %s is not a positive number", half[2], name);
            }
            return FIL_OK;
        case FIL_PRIMITIVE_BOX:
            if (!positive(half[0]) || !positive(half[1]) || !positive(half[2])) {
                return fil_error(error, FIL_BAD_INPUT, "the half sizes %g, %g, %g of a box are not positive numbers", half[0], half[1], half[2]);
            }
            return FIL_OK;
        case FIL_PRIMITIVE_HALF_SPACE:
            return FIL_OK;
        case FIL_PRIMITIVE_HULL:
            return shape->hull != NULL ? FIL_OK : fil_error(error, FIL_BAD_INPUT, "a hull without points");
        case FIL_PRIMITIVE_KINDS:
            break;
    }
    return fil_error(error, FIL_BAD_INPUT, "%d is not a kind of shape", (int)shape->kind);
}

FilMassProperties fil_shape_mass(const FilShape* shape)
{
    switch (shape->kind) {
        case FIL_PRIMITIVE_SPHERE:
            return fil_mass_of_sphere(shape->radius);
        case FIL_PRIMITIVE_CAPSULE:
            return fil_mass_of_capsule(shape->radius, shape->half[2]);
        case FIL_PRIMITIVE_CYLINDER:
            return fil_mass_of_cylinder(shape->radius, shape->half[2]);
        case FIL_PRIMITIVE_BOX:
            return fil_mass_of_box(shape->half);
        case FIL_PRIMITIVE_HULL:
            return shape->profile != NULL ? fil_mass_of_profile(shape->profile) : shape->hull->mass;
        case FIL_PRIMITIVE_HALF_SPACE:
        case FIL_PRIMITIVE_KINDS:
            break;
    }
    return (FilMassProperties){0};
}

// ---- support ----

void fil_shape_core_support(const FilShape* shape, const double* direction, int* hint, double* out)
{
    const double* d = direction;
    const double z = copysign(shape->half[2], d[2]);
    switch (shape->kind) {
        case FIL_PRIMITIVE_CAPSULE:
            fil_v3_set(out, 0.0, 0.0, z);
            return;
        case FIL_PRIMITIVE_CYLINDER: {
            const double across = sqrt(d[0] * d[0] + d[1] * d[1]);
            const double s = across > 0.0 ? shape->radius / across : 0.0;
            fil_v3_set(out, s * d[0], s * d[1], z);
            return;
        }
        case FIL_PRIMITIVE_BOX:
            fil_v3_set(out, copysign(shape->half[0], d[0]), copysign(shape->half[1], d[1]), z);
            return;
        case FIL_PRIMITIVE_HULL:
            fil_v3_copy(out, shape->hull->vertices + 3 * fil_hull_support(shape->hull, d, hint));
            return;
        case FIL_PRIMITIVE_SPHERE:
        case FIL_PRIMITIVE_HALF_SPACE:
        case FIL_PRIMITIVE_KINDS:
            break;
    }
    fil_v3_set(out, 0.0, 0.0, 0.0);
}

void fil_shape_support(const FilShape* shape, const double* direction, double* out)
{
    int hint = 0;
    fil_shape_core_support(shape, direction, &hint, out);
    const double length = fil_v3_norm(direction);
    if (length > 0.0) {
        fil_v3_axpy(out, fil_shape_rounding(shape) / length, direction);
    }
}

void fil_shape_centre(const FilShape* shape, double* out)
{
    if (shape->kind == FIL_PRIMITIVE_HULL) {
        fil_v3_copy(out, shape->hull->mass.centre);
    } else {
        fil_v3_set(out, 0.0, 0.0, 0.0);
    }
}

// ---- bounds ----

FilAabb fil_shape_aabb(const FilShape* shape, const FilPose* pose)
{
    FilAabb box;
    if (shape->kind == FIL_PRIMITIVE_HALF_SPACE) {
        return (FilAabb){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    }
    for (int k = 0; k < 3; k++) {
        const double* row = pose->r + 3 * k;  // world axis k, seen from the shape
        double reach = fil_shape_rounding(shape), centre = pose->p[k];
        if (shape->kind == FIL_PRIMITIVE_CAPSULE) {
            reach += shape->half[2] * fabs(row[2]);
        } else if (shape->kind == FIL_PRIMITIVE_BOX) {
            reach += shape->half[0] * fabs(row[0]) + shape->half[1] * fabs(row[1]) + shape->half[2] * fabs(row[2]);
        } else if (shape->kind == FIL_PRIMITIVE_CYLINDER) {
            reach += shape->half[2] * fabs(row[2]) + shape->radius * sqrt(row[0] * row[0] + row[1] * row[1]);
        } else if (shape->kind == FIL_PRIMITIVE_HULL) {
            // not symmetric: look both ways
            const double* vertices = shape->hull->vertices;
            const double back[3] = {-row[0], -row[1], -row[2]};
            int hint = 0;
            const double hi = fil_v3_dot(row, vertices + 3 * fil_hull_support(shape->hull, row, &hint));
            const double lo = fil_v3_dot(row, vertices + 3 * fil_hull_support(shape->hull, back, &hint));
            centre += 0.5 * (hi + lo);
            reach += 0.5 * (hi - lo);
        }
        box.lo[k] = centre - reach;
        box.hi[k] = centre + reach;
    }
    return box;
}

// ---- faces ----

static void add_corner(FilFace* face, const FilPose* pose, int id, double x, double y, double z)
{
    fil_pose_apply(face->corner[face->count], pose, (const double[3]){x, y, z});
    face->id[face->count++] = id;
}

// the face of the box whose axis is nearest to d
static void box_face(const FilShape* shape, const FilPose* pose, const double* d, FilFace* face)
{
    const double* h = shape->half;
    int k = fabs(d[1]) > fabs(d[0]) ? 1 : 0;
    k = fabs(d[2]) > fabs(d[k]) ? 2 : k;
    const int u = (k + 1) % 3, v = (k + 2) % 3;
    const double side = copysign(1.0, d[k]);
    static const double loop[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    for (int i = 0; i < 4; i++) {
        double x[3];
        x[k] = side * h[k];
        x[u] = loop[i][0] * side * h[u];  // mirrored on the back, so that the order stays counter-clockwise
        x[v] = loop[i][1] * h[v];
        add_corner(face, pose, (x[0] > 0.0) + 2 * (x[1] > 0.0) + 4 * (x[2] > 0.0), x[0], x[1], x[2]);
    }
    fil_pose_axis(face->normal, pose, k);
    fil_v3_scale(face->normal, side, face->normal);
}

// the cap as a polygon that starts at the farthest rim point, or the line of the barrel that looks along d
static void cylinder_face(const FilShape* shape, const FilPose* pose, const double* d, FilFace* face)
{
    const double across = sqrt(d[0] * d[0] + d[1] * d[1]);
    const double side = copysign(1.0, d[2]), z = shape->half[2], r = shape->radius;
    // a direction along the axis (to 1e-6, chosen) leaves the start open: take x, so that a flush cap keeps its corners
    const double ex = across > 1e-6 ? d[0] / across : 1.0, ey = across > 1e-6 ? d[1] / across : 0.0;
    if (across > fabs(d[2])) {
        add_corner(face, pose, 0, r * ex, r * ey, -z);
        add_corner(face, pose, 1, r * ex, r * ey, z);
        return;
    }
    for (int i = 0; i < FIL_CAP_CORNERS; i++) {
        const double angle = side * i * (2.0 * FIL_PI / FIL_CAP_CORNERS);
        const double c = cos(angle), s = sin(angle);
        add_corner(face, pose, 2 + i + (side > 0.0 ? FIL_CAP_CORNERS : 0), r * (c * ex - s * ey), r * (c * ey + s * ex), side * z);
    }
    fil_pose_axis(face->normal, pose, 2);
    fil_v3_scale(face->normal, side, face->normal);
}

static void hull_face(const FilHull* hull, const FilPose* pose, const double* d, FilFace* face)
{
    int hint = 0;
    const int top = fil_hull_support(hull, d, &hint);
    const int f = fil_hull_face(hull, top, d);
    const int first = hull->face_first[f], corners = hull->face_first[f + 1] - first;
    const int count = corners < FIL_FACE_CORNERS ? corners : FIL_FACE_CORNERS;
    // start at the farthest vertex, so that thinning keeps it
    int start = 0;
    while (hull->face_corners[first + start] != top) {
        start++;
    }
    for (int i = 0; i < count; i++) {
        const int vertex = hull->face_corners[first + (start + i * corners / count) % corners];
        const double* x = hull->vertices + 3 * vertex;
        // below 2^14, as manifold.c counts corners
        add_corner(face, pose, vertex & 0x3fff, x[0], x[1], x[2]);
    }
    fil_m3_apply(face->normal, pose->r, hull->normals + 3 * f);
}

void fil_shape_face(const FilShape* shape, const FilPose* pose, const double* direction, FilFace* face)
{
    double d[3];
    fil_m3_apply_transposed(d, pose->r, direction);
    face->count = 0;
    switch (shape->kind) {
        case FIL_PRIMITIVE_CAPSULE:
            add_corner(face, pose, 0, 0.0, 0.0, -shape->half[2]);
            add_corner(face, pose, 1, 0.0, 0.0, shape->half[2]);
            return;
        case FIL_PRIMITIVE_CYLINDER:
            cylinder_face(shape, pose, d, face);
            return;
        case FIL_PRIMITIVE_BOX:
            box_face(shape, pose, d, face);
            return;
        case FIL_PRIMITIVE_HULL:
            hull_face(shape->hull, pose, d, face);
            return;
        case FIL_PRIMITIVE_SPHERE:
        case FIL_PRIMITIVE_HALF_SPACE:
        case FIL_PRIMITIVE_KINDS:
            break;
    }
    add_corner(face, pose, 0, 0.0, 0.0, 0.0);
}
