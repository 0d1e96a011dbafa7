/* A ray meets a convex shape between two points: the shape is what its planes and curved sides leave of the line. Of capsules the
 * three pieces overlap, so that they are one such stretch together. */
#include "geometry/ray.h"

#include "geometry/tri_mesh.h"

static const FilRayMeeting nothing = {.distance = INFINITY};

/* Where a line is inside: from s[0] to s[1] (m), with the outward normals there; empty if s[0] > s[1]. */
typedef struct Stretch {
    double s[2];
    double normal[2][3];
} Stretch;

static const Stretch whole_line = {.s = {-INFINITY, INFINITY}}, no_line = {.s = {INFINITY, -INFINITY}};

static void limit(Stretch* stretch, int end, double s, const double* normal)
{
    if (end == 0 ? s > stretch->s[0] : s < stretch->s[1]) {
        stretch->s[end] = s;
        fil_v3_copy(stretch->normal[end], normal);
    }
}

/* Leaves what is below the plane of the points x with normal . x = height. */
static void cut_plane(Stretch* stretch, const FilHalfLine* ray, const double* normal, double height)
{
    const double above = fil_v3_dot(normal, ray->origin) - height, rise = fil_v3_dot(normal, ray->direction);
    if (rise != 0.0) {
        limit(stretch, rise > 0.0, -above / rise, normal);
    } else if (above > 0.0) {
        *stretch = no_line;
    }
}

/* Leaves what is within `radius` of a point on the z axis, by the first `count` coordinates: 3 for a sphere, 2 for a cylinder. The middle of the
 * stretch is found first, so that nothing cancels far away. */
static void cut_round(Stretch* stretch, const FilHalfLine* ray, double radius, double z, int count)
{
    const double from[3] = {ray->origin[0], ray->origin[1], count > 2 ? ray->origin[2] - z : 0.0};
    const double along[3] = {ray->direction[0], ray->direction[1], count > 2 ? ray->direction[2] : 0.0};
    const double square = fil_v3_dot(along, along), middle = square > 0.0 ? -fil_v3_dot(from, along) / square : 0.0;
    double nearest[3];
    fil_v3_copy(nearest, from);
    fil_v3_axpy(nearest, middle, along);
    const double rest = radius * radius - fil_v3_dot(nearest, nearest);
    if (rest < 0.0) {
        *stretch = no_line;
    } else if (square > 0.0) {
        const double half = sqrt(rest / square);
        for (int end = 0; end < 2; end++) {
            const double s = end == 0 ? middle - half : middle + half;
            double normal[3];
            fil_v3_copy(normal, from);
            fil_v3_axpy(normal, s, along);
            fil_v3_normalise(normal);
            limit(stretch, end, s, normal);
        }
    }
}

static void cut_across(Stretch* stretch, const FilHalfLine* ray, int axis, double half)
{
    double normal[3] = {0.0, 0.0, 0.0};
    normal[axis] = 1.0;
    cut_plane(stretch, ray, normal, half);
    normal[axis] = -1.0;
    cut_plane(stretch, ray, normal, half);
}

static Stretch cut_capsule(const FilHalfLine* ray, const FilShape* shape)
{
    Stretch pieces[3] = {whole_line, whole_line, whole_line}, all = no_line;
    cut_round(&pieces[0], ray, shape->radius, 0.0, 2);
    cut_across(&pieces[0], ray, 2, shape->half[2]);
    cut_round(&pieces[1], ray, shape->radius, shape->half[2], 3);
    cut_round(&pieces[2], ray, shape->radius, -shape->half[2], 3);
    for (int k = 0; k < 3; k++) {
        for (int end = 0; end < 2 && pieces[k].s[0] <= pieces[k].s[1]; end++) {
            if (end == 0 ? pieces[k].s[0] < all.s[0] : pieces[k].s[1] > all.s[1]) {
                all.s[end] = pieces[k].s[end];
                fil_v3_copy(all.normal[end], pieces[k].normal[end]);
            }
        }
    }
    return all;
}

static Stretch cut_hull(const FilHalfLine* ray, const FilHull* hull)
{
    Stretch stretch = whole_line;
    for (int f = 0; f < hull->face_count; f++) {
        const double* normal = hull->normals + 3 * f;
        cut_plane(&stretch, ray, normal, fil_v3_dot(normal, hull->vertices + 3 * hull->face_corners[hull->face_first[f]]));
    }
    return stretch;
}

/* In the shape's own frame. */
static Stretch cut_shape(const FilHalfLine* ray, const FilShape* shape)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    Stretch stretch = whole_line;
    switch (shape->kind) {
        case FIL_PRIMITIVE_SPHERE:
            cut_round(&stretch, ray, shape->radius, 0.0, 3);
            break;
        case FIL_PRIMITIVE_CAPSULE:
            stretch = cut_capsule(ray, shape);
            break;
        case FIL_PRIMITIVE_CYLINDER:
            cut_round(&stretch, ray, shape->radius, 0.0, 2);
            cut_across(&stretch, ray, 2, shape->half[2]);
            break;
        case FIL_PRIMITIVE_BOX:
            for (int k = 0; k < 3; k++) {
                cut_across(&stretch, ray, k, shape->half[k]);
            }
            break;
        case FIL_PRIMITIVE_HALF_SPACE:
            cut_plane(&stretch, ray, up, 0.0);
            break;
        case FIL_PRIMITIVE_HULL:
            stretch = cut_hull(ray, shape->hull);
            break;
        case FIL_PRIMITIVE_KINDS:
            stretch = no_line;
            break;
    }
    return stretch;
}

static FilRayMeeting meet(const FilHalfLine* ray, double distance, const double* normal)
{
    const double sign = fil_v3_dot(normal, ray->direction) > 0.0 ? -1.0 : 1.0;
    return (FilRayMeeting){distance, {sign * normal[0], sign * normal[1], sign * normal[2]}};
}

/* ---- triangles ---- */

/* Barycentric weights may be below zero by this: rays on an edge pass between no two triangles. */
static const double BORDER = 1e-12;

/* Without a radius. P x E of the edges at a, after Moller and Trumbore. */
static FilRayMeeting meet_triangle(const FilHalfLine* ray, const double* a, const double* b, const double* c)
{
    double ab[3], ac[3], from[3], p[3], q[3], normal[3];
    fil_v3_sub(ab, b, a);
    fil_v3_sub(ac, c, a);
    fil_v3_sub(from, ray->origin, a);
    fil_v3_cross(p, ray->direction, ac);
    fil_v3_cross(q, from, ab);
    fil_v3_cross(normal, ab, ac);
    const double volume = fil_v3_dot(ab, p);
    if (volume == 0.0) {
        return nothing;
    }
    const double u = fil_v3_dot(from, p) / volume, v = fil_v3_dot(ray->direction, q) / volume, distance = fil_v3_dot(ac, q) / volume;
    if (!(u >= -BORDER && v >= -BORDER && u + v <= 1.0 + BORDER && distance >= 0.0)) {
        return nothing;
    }
    fil_v3_normalise(normal);
    return meet(ray, distance, normal);
}

FilRayMeeting fil_ray_triangle(const FilHalfLine* ray, const double* a, const double* b, const double* c, double radius)
{
    if (radius == 0.0) {
        return meet_triangle(ray, a, b, c);
    }
    // two faces, and a capsule around each edge
    const double* corners[3] = {a, b, c};
    double ab[3], ac[3], normal[3], moved[3][3];
    FilRayMeeting first = nothing;
    fil_v3_sub(ab, b, a);
    fil_v3_sub(ac, c, a);
    fil_v3_cross(normal, ab, ac);
    fil_v3_normalise(normal);
    for (int side = -1; side <= 1; side += 2) {
        for (int k = 0; k < 3; k++) {
            fil_v3_copy(moved[k], corners[k]);
            fil_v3_axpy(moved[k], side * radius, normal);
        }
        const FilRayMeeting face = meet_triangle(ray, moved[0], moved[1], moved[2]);
        first = face.distance < first.distance ? face : first;
    }
    for (int k = 0; k < 3; k++) {
        FilPose pose;
        const FilShape edge = fil_shape_of_segment(corners[k], corners[(k + 1) % 3], radius, &pose);
        const FilRayMeeting round = fil_ray_shape(ray, &edge, &pose);
        first = round.distance < first.distance ? round : first;
    }
    return first;
}

/* ---- trees ---- */

double fil_ray_box(const FilHalfLine* ray, const FilAabb* box, double limit)
{
    double enter = 0.0, leave = limit;
    for (int k = 0; k < 3; k++) {
        const double d = ray->direction[k], low = box->lo[k] - ray->origin[k], high = box->hi[k] - ray->origin[k];
        if (d == 0.0) {
            leave = low > 0.0 || high < 0.0 ? -INFINITY : leave;
        } else {
            const double a = (d > 0.0 ? low : high) / d, b = (d > 0.0 ? high : low) / d;
            enter = a > enter ? a : enter;
            leave = b < leave ? b : leave;
        }
    }
    return enter <= leave ? enter : INFINITY;
}

typedef struct Walk {
    const FilHalfLine* ray;
    const FilBvh* tree;
    FilRayVisit* visit;
    void* context;
    double limit;
} Walk;

static void walk_node(Walk* walk, int node)
{
    const FilBvh* tree = walk->tree;
    if (tree->nodes[node].leaf >= 0) {
        for (int k = tree->nodes[node].start; k < tree->nodes[node].end; k++) {
            if (fil_ray_box(walk->ray, &tree->items[k], walk->limit) < INFINITY) {
                walk->limit = walk->visit(walk->context, tree->order[k]);
            }
        }
        return;
    }
    const int child[2] = {2 * node + 1, 2 * node + 2};
    double enter[2];
    for (int k = 0; k < 2; k++) {
        enter[k] = fil_ray_box(walk->ray, &tree->nodes[child[k]].box, walk->limit);
    }
    const int first = enter[1] < enter[0];
    for (int k = 0; k < 2; k++) {
        const int which = k == 0 ? first : 1 - first;
        if (enter[which] <= walk->limit && enter[which] < INFINITY) {
            walk_node(walk, child[which]);
        }
    }
}

void fil_ray_walk(const FilHalfLine* ray, const FilBvh* tree, double limit, FilRayVisit* visit, void* context)
{
    Walk walk = {ray, tree, visit, context, limit};
    if (tree->count > 0 && fil_ray_box(ray, &tree->nodes[0].box, limit) < INFINITY) {
        walk_node(&walk, 0);
    }
}

/* ---- shapes ---- */

typedef struct MeshLook {
    const FilHalfLine* ray;
    const FilBoundary* surface;
    FilRayMeeting first;
} MeshLook;

static double look_at_face(void* context, int face)
{
    MeshLook* look = context;
    const FilBoundaryFace* f = &look->surface->faces[face];
    const FilRayMeeting met = meet_triangle(look->ray, f->corner[0], f->corner[1], f->corner[2]);
    look->first = met.distance < look->first.distance ? met : look->first;
    return look->first.distance;
}

FilRayMeeting fil_ray_shape(const FilHalfLine* ray, const FilShape* shape, const FilPose* pose)
{
    FilHalfLine own;
    FilRayMeeting met = nothing;
    fil_pose_apply_inverse(own.origin, pose, ray->origin);
    fil_m3_apply_transposed(own.direction, pose->r, ray->direction);
    if (shape->mesh != NULL) {
        MeshLook look = {&own, &shape->mesh->boundary, nothing};
        fil_ray_walk(&own, &look.surface->tree, INFINITY, look_at_face, &look);
        met = look.first;
    } else {
        const Stretch stretch = cut_shape(&own, shape);
        const int end = stretch.s[0] >= 0.0 ? 0 : 1;
        if (stretch.s[0] <= stretch.s[1] && stretch.s[end] >= 0.0 && stretch.s[end] < INFINITY) {
            met = meet(&own, stretch.s[end], stretch.normal[end]);
        }
    }
    double normal[3];
    fil_m3_apply(normal, pose->r, met.normal);
    fil_v3_copy(met.normal, normal);
    return met;
}
