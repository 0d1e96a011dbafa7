#include "geometry/collide.h"

#include "geometry/boxes.h"
#include "geometry/closest.h"
#include "geometry/cylinders.h"

typedef struct Pair {
    const FilShape *a, *b;
    const FilPose *pose_a, *pose_b;
    double margin;
} Pair;

typedef int (*CollideFn)(const Pair* pair, FilContactPoint* out);

// ---- spheres against what has a signed distance ----

// a sphere at p, a surface at signed distance d with outward normal n (both local to b)
static int sphere_point(const Pair* pair, const double* p, double d, const double* n, FilContactPoint* out)
{
    const double radius = pair->a->radius;
    if (d - radius > pair->margin) {
        return 0;
    }
    double middle[3];
    fil_v3_copy(middle, p);
    fil_v3_axpy(middle, -0.5 * (radius + d), n);
    *out = (FilContactPoint){.distance = d - radius};
    fil_pose_apply(out->position, pair->pose_b, middle);
    fil_m3_apply(out->normal, pair->pose_b->r, n);
    fil_v3_scale(out->normal, -1.0, out->normal);
    return 1;
}

static int sphere_sphere(const Pair* pair, FilContactPoint* out)
{
    return fil_manifold_segments(pair->pose_a->p, pair->pose_a->p, pair->a->radius, pair->pose_b->p, pair->pose_b->p, pair->b->radius, pair->margin,
                                 out);
}

static int sphere_cylinder(const Pair* pair, FilContactPoint* out)
{
    double p[3], n[3];
    fil_pose_apply_inverse(p, pair->pose_b, pair->pose_a->p);
    const double d = fil_point_cylinder(p, pair->b->radius, pair->b->half[2], n);
    return sphere_point(pair, p, d, n, out);
}

static int sphere_box(const Pair* pair, FilContactPoint* out)
{
    double p[3], n[3];
    fil_pose_apply_inverse(p, pair->pose_b, pair->pose_a->p);
    const double d = fil_point_box(p, pair->b->half, n);
    return sphere_point(pair, p, d, n, out);
}

// ---- segments: spheres and capsules ----

static void capsule_ends(const FilShape* shape, const FilPose* pose, double* p, double* q)
{
    double axis[3];
    fil_pose_axis(axis, pose, 2);
    fil_v3_copy(p, pose->p);
    fil_v3_axpy(p, -shape->half[2], axis);
    fil_v3_copy(q, pose->p);
    fil_v3_axpy(q, shape->half[2], axis);
}

static int sphere_capsule(const Pair* pair, FilContactPoint* out)
{
    double q0[3], q1[3];
    capsule_ends(pair->b, pair->pose_b, q0, q1);
    return fil_manifold_segments(pair->pose_a->p, pair->pose_a->p, pair->a->radius, q0, q1, pair->b->radius, pair->margin, out);
}

static int capsule_capsule(const Pair* pair, FilContactPoint* out)
{
    double p0[3], p1[3], q0[3], q1[3];
    capsule_ends(pair->a, pair->pose_a, p0, p1);
    capsule_ends(pair->b, pair->pose_b, q0, q1);
    return fil_manifold_segments(p0, p1, pair->a->radius, q0, q1, pair->b->radius, pair->margin, out);
}

// ---- any convex pair ----

static double reach(const Pair* pair)
{
    return pair->margin + fil_shape_rounding(pair->a) + fil_shape_rounding(pair->b);
}

static int convex_convex(const Pair* pair, FilContactPoint* out)
{
    FilSeparation s;
    if (!fil_convex_separation(pair->a, pair->pose_a, pair->b, pair->pose_b, reach(pair), &s)) {
        return 0;
    }
    return fil_manifold_build(pair->a, pair->pose_a, pair->b, pair->pose_b, &s, pair->margin, out);
}

static int cylinder_cylinder(const Pair* pair, FilContactPoint* out)
{
    FilSeparation s;
    if (!fil_convex_separation(pair->a, pair->pose_a, pair->b, pair->pose_b, reach(pair), &s)) {
        return 0;
    }
    fil_cylinders_polish(pair->a, pair->pose_a, pair->b, pair->pose_b, &s);
    return fil_manifold_build(pair->a, pair->pose_a, pair->b, pair->pose_b, &s, pair->margin, out);
}

static int box_box(const Pair* pair, FilContactPoint* out)
{
    FilSeparation s;
    if (!fil_boxes_separation(pair->a, pair->pose_a, pair->b, pair->pose_b, reach(pair), &s)) {
        return 0;
    }
    return fil_manifold_build(pair->a, pair->pose_a, pair->b, pair->pose_b, &s, pair->margin, out);
}

// ---- a capsule's segment against solids with a closed form ----

// a capsule whose core is at `distance` from b at parameter s, where b's normal is n
static int capsule_at(const Pair* pair, const double* p, const double* q, double s, double distance, const double* n, FilContactPoint* out)
{
    double x[3], y[3];
    for (int k = 0; k < 3; k++) {
        x[k] = p[k] + s * (q[k] - p[k]);
    }
    FilSeparation separation = {.distance = distance};
    fil_v3_copy(y, x);
    fil_v3_axpy(y, -distance, n);
    fil_pose_apply(separation.a, pair->pose_b, x);
    fil_pose_apply(separation.b, pair->pose_b, y);
    fil_m3_apply(separation.normal, pair->pose_b->r, n);
    fil_v3_scale(separation.normal, -1.0, separation.normal);
    return fil_manifold_build(pair->a, pair->pose_a, pair->b, pair->pose_b, &separation, pair->margin, out);
}

// a capsule whose core is closest to b at parameter s; a core inside b is left to the general method but for what cylinders know themselves
static int capsule_solid(const Pair* pair, const double* p, const double* q, double s, double d2, FilContactPoint* out)
{
    // nearer than this to b's surface a core has no direction from it but by rounding: at 1e-9 of a radius it still has
    // six digits
    const double touching = 1e-9 * pair->a->radius;
    const FilShape* b = pair->b;
    double x[3], n[3];
    if (d2 > reach(pair) * reach(pair)) {
        return 0;
    }
    if (d2 <= touching * touching) {
        const double depth = b->kind == FIL_PRIMITIVE_CYLINDER ? fil_segment_in_cylinder(p, q, b->radius, b->half[2], &s, n) : -1.0;
        return depth >= 0.0 ? capsule_at(pair, p, q, s, -depth, n, out) : convex_convex(pair, out);
    }
    for (int k = 0; k < 3; k++) {
        x[k] = p[k] + s * (q[k] - p[k]);
    }
    if (b->kind == FIL_PRIMITIVE_BOX) {
        fil_point_box(x, b->half, n);
    } else {
        fil_point_cylinder(x, b->radius, b->half[2], n);
    }
    return capsule_at(pair, p, q, s, sqrt(d2), n, out);
}

// the capsule's ends in the frame of b
static void local_ends(const Pair* pair, double* p, double* q)
{
    double p_world[3], q_world[3];
    capsule_ends(pair->a, pair->pose_a, p_world, q_world);
    fil_pose_apply_inverse(p, pair->pose_b, p_world);
    fil_pose_apply_inverse(q, pair->pose_b, q_world);
}

static int capsule_cylinder(const Pair* pair, FilContactPoint* out)
{
    double p[3], q[3], s;
    local_ends(pair, p, q);
    const double d2 = fil_segment_cylinder(p, q, pair->b->radius, pair->b->half[2], &s);
    return capsule_solid(pair, p, q, s, d2, out);
}

static int capsule_box(const Pair* pair, FilContactPoint* out)
{
    double p[3], q[3], s;
    local_ends(pair, p, q);
    const double d2 = fil_segment_box(p, q, pair->b->half, &s);
    return capsule_solid(pair, p, q, s, d2, out);
}

// ---- half-spaces ----

static int any_half_space(const Pair* pair, FilContactPoint* out)
{
    double up[3];
    fil_pose_axis(up, pair->pose_b, 2);
    const double down[3] = {-up[0], -up[1], -up[2]};
    FilFace face;
    fil_shape_face(pair->a, pair->pose_a, down, &face);
    return fil_manifold_plane(&face, fil_shape_rounding(pair->a), pair->pose_b->p, up, pair->margin, out);
}

// ---- the table ----

static int swapped(const Pair* pair, FilContactPoint* out);

static int never(const Pair* pair, FilContactPoint* out)
{
    (void)pair;
    (void)out;
    return 0;
}

// rows: kind of a; columns: kind of b, in the order of FilShapeKind
static const CollideFn table[FIL_PRIMITIVE_KINDS][FIL_PRIMITIVE_KINDS] = {
    {sphere_sphere, sphere_capsule, sphere_cylinder, sphere_box, any_half_space, convex_convex},
    {swapped, capsule_capsule, capsule_cylinder, capsule_box, any_half_space, convex_convex},
    {swapped, swapped, cylinder_cylinder, convex_convex, any_half_space, convex_convex},
    {swapped, swapped, swapped, box_box, any_half_space, convex_convex},
    {swapped, swapped, swapped, swapped, never, swapped},
    {swapped, swapped, swapped, swapped, any_half_space, convex_convex},
};

static int swapped(const Pair* pair, FilContactPoint* out)
{
    const Pair other = {pair->b, pair->a, pair->pose_b, pair->pose_a, pair->margin};
    const int count = table[other.a->kind][other.b->kind](&other, out);
    for (int i = 0; i < count; i++) {
        fil_v3_scale(out[i].normal, -1.0, out[i].normal);
    }
    return count;
}

int fil_collide(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, double margin,
                FilContactPoint out[FIL_MANIFOLD_POINTS])
{
    const Pair pair = {a, b, pose_a, pose_b, margin};
    return table[a->kind][b->kind](&pair, out);
}

double fil_signed_distance(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, double cutoff)
{
    FilContactPoint points[FIL_MANIFOLD_POINTS];
    const int count = fil_collide(a, pose_a, b, pose_b, cutoff, points);
    double min = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        min = fmin(min, points[i].distance);
    }
    return min;
}
