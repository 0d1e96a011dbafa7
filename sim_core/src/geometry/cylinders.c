#include "geometry/cylinders.h"

#include <math.h>

/* Lines that are nearer to parallel touch at two points (geometry/manifold.c): the normal is another one's. */
static const double PARALLEL = 0.05;

/* Cosine of the normal to the axis up to which a barrel is touched, and from 1 less that on a cap. Ten times what the general method is off by. */
static const double ALONG = 1e-6;

/* A polished answer that is farther from the first one than this, of the smaller cylinder, or in angle, is that of something else. */
static const double NEAR = 1e-4;

/* Newton's method begins within NEAR: five steps of quadratic convergence reach rounding; three are to spare. */
enum { NEWTON_STEPS = 8 };

typedef struct Cylinder {
    const double* center;
    double axis[3], radius, half;
} Cylinder;

typedef enum Place { BARREL, RIM, CAP } Place;

static Cylinder cylinder_of(const FilShape* shape, const FilPose* pose)
{
    Cylinder c = {.center = pose->p, .radius = shape->radius, .half = shape->half[2]};
    fil_pose_axis(c.axis, pose, 2);
    return c;
}

/* What is farthest out along a direction: the general method's points, where cores overlap, are less exact than its normal. */
static Place place_of(const Cylinder* c, const double* outward)
{
    const double along = fabs(fil_v3_dot(outward, c->axis));
    return along <= ALONG ? BARREL : along >= 1.0 - ALONG ? CAP : RIM;
}

/* Whether a point of the axis, or beside it, is within the length. */
static bool within(const Cylinder* c, const double* point)
{
    double from[3];
    fil_v3_sub(from, point, c->center);
    return fabs(fil_v3_dot(from, c->axis)) <= c->half;
}

/* Two barrels that cross: the normal is across both axes. */
static bool cross_barrels(const Cylinder* a, const Cylinder* b, FilSeparation* s)
{
    double n[3], apart[3], x[3], y[3];
    fil_v3_cross(n, a->axis, b->axis);
    if (fil_v3_normalise(n) <= PARALLEL) {
        return false;
    }
    if (fil_v3_dot(n, s->normal) < 0.0) {
        fil_v3_scale(n, -1.0, n);
    }
    fil_v3_sub(apart, b->center, a->center);
    const double c = fil_v3_dot(a->axis, b->axis), da = fil_v3_dot(apart, a->axis), db = fil_v3_dot(apart, b->axis), sine2 = 1.0 - c * c;
    fil_v3_copy(x, a->center);
    fil_v3_axpy(x, (da - c * db) / sine2, a->axis);
    fil_v3_copy(y, b->center);
    fil_v3_axpy(y, (c * da - db) / sine2, b->axis);
    if (!within(a, x) || !within(b, y)) {
        return false;
    }
    fil_v3_sub(apart, y, x);
    s->distance = fil_v3_dot(apart, n) - a->radius - b->radius;
    fil_v3_copy(s->normal, n);
    fil_v3_copy(s->a, x);
    fil_v3_axpy(s->a, a->radius, n);
    fil_v3_copy(s->b, y);
    fil_v3_axpy(s->b, -b->radius, n);
    return true;
}

/* A point of a rim: the way out to it from the axis, and along the circle. */
typedef struct RimPoint {
    double center[3], r[3], t[3], x[3];
} RimPoint;

/* The one that is farthest out along a direction. */
static void rim_point(const Cylinder* c, double sign, const double* normal, RimPoint* p)
{
    fil_v3_scale(p->r, sign, normal);
    const double along = fil_v3_dot(p->r, c->axis);
    fil_v3_copy(p->center, c->center);
    fil_v3_axpy(p->center, copysign(c->half, along), c->axis);
    fil_v3_axpy(p->r, -along, c->axis);
    (void)fil_v3_normalise(p->r);
}

/* Goes around by an angle. */
static void go_around(const Cylinder* c, double angle, RimPoint* p)
{
    if (angle != 0.0) {
        const double cosine = cos(angle), sine = sin(angle);
        for (int k = 0; k < 3; k++) {
            p->r[k] = cosine * p->r[k] + sine * p->t[k];
        }
        (void)fil_v3_normalise(p->r);
    }
    fil_v3_cross(p->t, c->axis, p->r);
    fil_v3_copy(p->x, p->center);
    fil_v3_axpy(p->x, c->radius, p->r);
}

/* A rim and a barrel: the point of the circle whose way g to the barrel's axis w is across the circle, t . g = 0 with g = (1 - w w') (c - x).
 * Along the circle t changes by -r and g by -radius (1 - w w') t, of an angle. `s` is from the rim to the barrel. */
static bool meet_rim(const Cylinder* rim, const Cylinder* barrel, FilSeparation* s)
{
    RimPoint p;
    double g[3], n[3], foot[3];
    rim_point(rim, 1.0, s->normal, &p);
    go_around(rim, 0.0, &p);
    for (int step = 0; step <= NEWTON_STEPS; step++) {
        fil_v3_sub(g, barrel->center, p.x);
        fil_v3_axpy(g, -fil_v3_dot(g, barrel->axis), barrel->axis);
        const double along = fil_v3_dot(p.t, barrel->axis), slope = -fil_v3_dot(p.r, g) - rim->radius * (1.0 - along * along);
        // a slope that is smaller has no root nearby: Newton's step would be beyond a turn for residuals above 1e-8 radii
        if (step < NEWTON_STEPS && fabs(slope) > 1e-9 * rim->radius) {
            go_around(rim, -fil_v3_dot(p.t, g) / slope, &p);
        }
    }
    fil_v3_add(foot, p.x, g);
    fil_v3_copy(n, g);
    const double length = fil_v3_normalise(n);
    if (!(length > 0.0) || !within(barrel, foot) || fabs(fil_v3_dot(p.t, n)) > 1e-12) {  // not polished to rounding
        return false;
    }
    s->distance = length - barrel->radius;
    fil_v3_copy(s->normal, n);
    fil_v3_copy(s->a, p.x);
    fil_v3_copy(s->b, foot);
    fil_v3_axpy(s->b, -barrel->radius, n);
    return true;
}

/* Two rims that cross: the way g from one to the other is across both circles, t_a . g = t_b . g = 0. The normal is t_a x t_b, however short g is. */
static bool cross_rims(const Cylinder* a, const Cylinder* b, FilSeparation* s)
{
    RimPoint p, q;
    double g[3], n[3];
    rim_point(a, 1.0, s->normal, &p);
    rim_point(b, -1.0, s->normal, &q);
    go_around(a, 0.0, &p);
    go_around(b, 0.0, &q);
    for (int step = 0; step < NEWTON_STEPS; step++) {
        fil_v3_sub(g, q.x, p.x);
        const double c = fil_v3_dot(p.t, q.t), fa = fil_v3_dot(p.t, g), fb = fil_v3_dot(q.t, g);
        // by the angles: t_a changes by -r_a, g by radius_b t_b - radius_a t_a
        const double aa = -fil_v3_dot(p.r, g) - a->radius, ab = b->radius * c, ba = -a->radius * c, bb = -fil_v3_dot(q.r, g) + b->radius;
        const double determinant = aa * bb - ab * ba;
        // nearly singular: circles that all but coincide there; left to the general method, as Newton loses three digits a
        // step
        if (!(fabs(determinant) > 1e-3 * a->radius * b->radius)) {
            return false;
        }
        go_around(a, -(bb * fa - ab * fb) / determinant, &p);
        go_around(b, -(aa * fb - ba * fa) / determinant, &q);
    }
    fil_v3_sub(g, q.x, p.x);
    fil_v3_cross(n, p.t, q.t);
    // a thousand times rounding: Newton has not arrived
    if (fil_v3_normalise(n) <= PARALLEL || fabs(fil_v3_dot(p.t, g)) + fabs(fil_v3_dot(q.t, g)) > 1e-13 * (a->radius + b->radius)) {
        return false;
    }
    if (fil_v3_dot(n, s->normal) < 0.0) {
        fil_v3_scale(n, -1.0, n);
    }
    s->distance = fil_v3_dot(g, n);
    fil_v3_copy(s->normal, n);
    fil_v3_copy(s->a, p.x);
    fil_v3_copy(s->b, q.x);
    return true;
}

static void swap_sides(FilSeparation* s)
{
    for (int k = 0; k < 3; k++) {
        const double a = s->a[k];
        s->a[k] = s->b[k];
        s->b[k] = a;
        s->normal[k] = -s->normal[k];
    }
}

void fil_cylinders_polish(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, FilSeparation* separation)
{
    const Cylinder ca = cylinder_of(a, pose_a), cb = cylinder_of(b, pose_b);
    const Place place_a = place_of(&ca, separation->normal), place_b = place_of(&cb, separation->normal);
    FilSeparation better = *separation;
    bool found = false;
    if (place_a == BARREL && place_b == BARREL) {
        found = cross_barrels(&ca, &cb, &better);
    } else if (place_a == RIM && place_b == BARREL) {
        found = meet_rim(&ca, &cb, &better);
    } else if (place_a == BARREL && place_b == RIM) {
        swap_sides(&better);
        found = meet_rim(&cb, &ca, &better);
        swap_sides(&better);
    } else if (place_a == RIM && place_b == RIM) {
        found = cross_rims(&ca, &cb, &better);
    }
    const double size = fmin(fmin(ca.radius, ca.half), fmin(cb.radius, cb.half));
    if (found && fil_v3_dot(better.normal, separation->normal) > 1.0 - NEAR * NEAR && fabs(better.distance - separation->distance) < NEAR * size) {
        *separation = better;
    }
}
