/* Both methods look at the Minkowski difference D = A - B, in the frame of A, through its support points only. The
 * cores are apart when the origin is outside D, and then the nearest point of D gives distance and direction; they
 * overlap when it is inside, and then the nearest face of D gives the shortest way out. */
#include "geometry/convex.h"

#include <ccd/ccd.h>

#include "base/extrema.h"
#include "geometry/closest.h"
#include "geometry/polytope.h"
#include "geometry/simplex.h"

#define GJK_STEPS 128   /* a bound only: on smooth shapes it converges linearly, and rounding may let it go on */
#define TOUCHING 1e-10  /* of the extent of D: closer than this the direction is left to the polytope */
#define POINTS 128      /* of the polytope */
#define DEPTH_GAP 1e-10 /* of the extent: the face cannot be pushed out by more */
#define EXACT_GAP 1e-13 /* of the extent: the answer of flat faces */
#define FAILED_GAP 1e-6 /* of the extent: an answer that may be worse than this is compared with libccd's */
#define POLISH_STEPS 16

typedef struct Difference {
    const FilShape *a, *b;
    FilPose b_in_a;
    int hint_a, hint_b;
    double extent; /* largest coordinate of D met so far */
} Difference;

// a point of D and the point of A that it comes from
typedef struct Support {
    double w[3], a[3];
} Support;

static Support support_of(Difference* d, const double* direction)
{
    Support s;
    double back[3], local[3], b[3];
    fil_shape_core_support(d->a, direction, &d->hint_a, s.a);
    fil_m3_apply_transposed(back, d->b_in_a.r, direction);
    fil_v3_scale(back, -1.0, back);
    fil_shape_core_support(d->b, back, &d->hint_b, local);
    fil_pose_apply(b, &d->b_in_a, local);
    fil_v3_sub(s.w, s.a, b);
    for (int k = 0; k < 3; k++) {
        d->extent = fil_max(fil_max(fabs(s.a[k]), fabs(b[k])), d->extent);
    }
    return s;
}

// ---- GJK ----

typedef enum GjkResult { GJK_APART, GJK_BEYOND_CUTOFF, GJK_TOUCHING } GjkResult;

typedef struct Gjk {
    Support simplex[4];
    double weight[4];
    int count;
    double v[3]; /* nearest point of D so far */
    double vv;
} Gjk;

// moves to the nearest point of the simplex and drops the corners that it does not need
static void reduce_simplex(Gjk* g)
{
    double points[4][3], weight[4], v[3];
    for (int k = 0; k < g->count; k++) {
        fil_v3_copy(points[k], g->simplex[k].w);
    }
    g->vv = fil_simplex_nearest((const double(*)[3])points, g->count, weight, v);
    fil_v3_copy(g->v, v);
    int kept = 0;
    for (int k = 0; k < g->count; k++) {
        if (weight[k] > 0.0) {
            g->simplex[kept] = g->simplex[k];
            g->weight[kept++] = weight[k];
        }
    }
    g->count = kept;
}

static bool in_simplex(const Gjk* g, const double* w)
{
    for (int k = 0; k < g->count; k++) {
        if (g->simplex[k].w[0] == w[0] && g->simplex[k].w[1] == w[1] && g->simplex[k].w[2] == w[2]) {
            return true;
        }
    }
    return false;
}

static GjkResult gjk_run(Difference* d, double cutoff, Gjk* g)
{
    // start towards the other's centre
    double start[3], centre[3];
    fil_shape_centre(d->b, centre);
    fil_pose_apply(start, &d->b_in_a, centre);
    fil_shape_centre(d->a, centre);
    fil_v3_sub(start, start, centre);
    if (fil_v3_dot(start, start) == 0.0) {
        start[0] = 1.0;
    }
    g->simplex[0] = support_of(d, start);
    g->count = 1;
    reduce_simplex(g);
    for (int step = 0; step < GJK_STEPS; step++) {
        const double touching = TOUCHING * d->extent;
        if (g->vv <= touching * touching) {
            return GJK_TOUCHING;
        }
        const double direction[3] = {-g->v[0], -g->v[1], -g->v[2]};
        const Support s = support_of(d, direction);
        // the plane through s across v lies between the origin and D: |v| - v.w/|v| bounds the error
        const double reach = fil_v3_dot(g->v, s.w), length = sqrt(g->vv);
        if (reach > cutoff * length) {
            return GJK_BEYOND_CUTOFF;
        }
        // rounding: 1e-14 of the square, and two last bits of the extent in supports
        if (g->vv - reach <= 1e-14 * g->vv + 4e-16 * d->extent * length || in_simplex(g, s.w)) {
            return GJK_APART;
        }
        const Gjk before = *g;
        g->simplex[g->count++] = s;
        reduce_simplex(g);
        if (g->count == 4) {
            return GJK_TOUCHING;  // all four corners count: the origin is inside
        }
        if (g->vv >= before.vv) {
            *g = before;  // rounding: no closer than before
            return GJK_APART;
        }
    }
    return GJK_APART;
}

// the separation, in the frame of a, of cores that are apart
static void separation_of_simplex(const Gjk* g, FilSeparation* out)
{
    out->distance = sqrt(g->vv);
    fil_v3_scale(out->normal, -1.0 / out->distance, g->v);
    fil_v3_set(out->a, 0.0, 0.0, 0.0);
    for (int k = 0; k < g->count; k++) {
        fil_v3_axpy(out->a, g->weight[k], g->simplex[k].a);
    }
    fil_v3_sub(out->b, out->a, g->v);
}

// ---- the expanding polytope ----

typedef struct Expansion {
    double w[3 * POINTS], a[3 * POINTS];
    int point_count;
    FilPolytope polytope;
    FilPolytopeFace faces[2 * POINTS];
    int scratch[FIL_POLYTOPE_SCRATCH(POINTS, 2 * POINTS)];
} Expansion;

static void add_point(Expansion* e, const Support* s)
{
    fil_v3_copy(e->w + 3 * e->point_count, s->w);
    fil_v3_copy(e->a + 3 * e->point_count, s->a);
    e->point_count++;
}

// adds the points of D farthest along a direction and against it
static void add_both_ways(Difference* d, const double* direction, Expansion* e)
{
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    const Support there = support_of(d, direction), here = support_of(d, back);
    add_point(e, &there);
    add_point(e, &here);
}

// a tetrahedron of the simplex that GJK ended with and of points that surely leave its line and its plane
static bool start_polytope(Difference* d, const Gjk* g, Expansion* e)
{
    static const double x_axis[3] = {1.0, 0.0, 0.0};
    double u[3], v[3], w[3];
    e->point_count = 0;
    for (int k = 0; k < g->count; k++) {
        add_point(e, &g->simplex[k]);
    }
    add_both_ways(d, x_axis, e);
    const double* last = e->w + 3 * (e->point_count - 2);
    fil_v3_sub(u, last, last + 3);
    if (fil_v3_normalise(u) == 0.0) {
        return false;
    }
    fil_v3_orthogonal(v, u);
    fil_v3_cross(w, u, v);
    add_both_ways(d, v, e);
    add_both_ways(d, w, e);
    // the plane of the line and of the point farthest from it; then the points farthest across that plane
    double across[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < e->point_count; i++) {
        fil_v3_sub(v, e->w + 3 * i, last);
        fil_v3_cross(w, u, v);
        if (fil_v3_dot(w, w) > fil_v3_dot(across, across)) {
            fil_v3_copy(across, w);
        }
    }
    add_both_ways(d, across, e);
    int corner[4];
    // thinner than a billionth of its extent a tetrahedron is flat: the normals of its faces have no more than six digits left
    if (!fil_polytope_seed(e->w, e->point_count, 1e-9 * d->extent, corner)) {
        return false;
    }
    // thickness of a face: rounding
    fil_polytope_start(&e->polytope, e->w, corner, 1e-14 * d->extent, e->faces, 2 * POINTS, e->scratch);
    return true;
}

// the face whose plane is nearest to the origin, counted negative where the origin is outside
static int nearest_face(const Expansion* e)
{
    int best = -1;
    for (int f = 0; f < e->polytope.face_count; f++) {
        if (fil_polytope_alive(&e->faces[f]) && (best < 0 || e->faces[f].offset < e->faces[best].offset)) {
            best = f;
        }
    }
    return best;
}

// fills the separation (in the frame of a) from a face of the polytope, along whose normal the depth is known
static void separation_of_face(const Expansion* e, const FilPolytopeFace* face, double depth, FilSeparation* out)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    const int* v = face->vertex;
    double weight[3];
    fil_point_triangle(origin, e->w + 3 * v[0], e->w + 3 * v[1], e->w + 3 * v[2], weight);
    fil_v3_set(out->a, 0.0, 0.0, 0.0);
    for (int k = 0; k < 3; k++) {
        fil_v3_axpy(out->a, weight[k], e->a + 3 * v[k]);
    }
    fil_v3_copy(out->normal, face->normal);
    fil_v3_copy(out->b, out->a);
    fil_v3_axpy(out->b, -depth, face->normal);
    out->distance = -depth;
}

// expands towards the nearest face until it is a face of D. Returns how far that may still be off, in m.
static double expand(Difference* d, const Gjk* g, Expansion* e, FilSeparation* out)
{
    double upper = HUGE_VAL;  // depth along the best direction tried
    if (!start_polytope(d, g, e)) {
        return HUGE_VAL;
    }
    for (;;) {
        const FilPolytopeFace* face = &e->faces[nearest_face(e)];
        const Support s = support_of(d, face->normal);
        const double depth = fil_v3_dot(s.w, face->normal);
        if (depth < upper) {
            upper = depth;
            separation_of_face(e, face, depth, out);
        }
        const double gap = upper - face->offset;
        if (gap <= DEPTH_GAP * d->extent || e->point_count == POINTS) {
            return gap;
        }
        add_point(e, &s);
        if (fil_polytope_grow(&e->polytope, e->point_count - 1, (int)(face - e->faces)) == 0) {
            return gap;
        }
    }
}

// Improves a way out that is not exact: of round shapes the polytope gives the direction only to the square root of its
// gap, and inside a barrel, where a whole ring of faces is equally near, it may run out of points. With b moved out
// along n to x = (depth + more) n outside of D, the point c of D nearest to x has the normal n' = (x - c)/|x - c|, and
// the depth along it, n'.c, is never larger.
static void polish(const Difference* d, FilSeparation* out)
{
    for (int step = 0; step < POLISH_STEPS; step++) {
        const double depth = -out->distance;
        Difference moved = *d;
        Gjk g;
        fil_v3_axpy(moved.b_in_a.p, 2.0 * depth, out->normal);
        if (!(depth > 0.0) || gjk_run(&moved, HUGE_VAL, &g) != GJK_APART) {
            return;
        }
        FilSeparation better;
        separation_of_simplex(&g, &better);
        Difference here = *d;
        const Support s = support_of(&here, better.normal);
        better.distance = -fil_v3_dot(s.w, better.normal);
        const double gain = better.distance - out->distance;
        if (gain <= 0.0) {
            return;
        }
        fil_v3_copy(better.b, better.a);
        fil_v3_axpy(better.b, better.distance, better.normal);
        *out = better;
        if (gain <= EXACT_GAP * d->extent) {
            return;
        }
    }
}

// ---- libccd ----

typedef struct CcdObject {
    const FilShape* shape;
    FilPose pose;
} CcdObject;

static void ccd_support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* out)
{
    const CcdObject* o = object;
    double local[3], point[3];
    int hint = 0;
    fil_m3_apply_transposed(local, o->pose.r, direction->v);
    fil_shape_core_support(o->shape, local, &hint, point);
    fil_pose_apply(out->v, &o->pose, point);
}

static void ccd_centre(const void* object, ccd_vec3_t* out)
{
    const CcdObject* o = object;
    double local[3];
    fil_shape_centre(o->shape, local);
    fil_pose_apply(out->v, &o->pose, local);
}

// portal refinement: a way out, if not always the shortest. False when libccd sees no overlap.
static bool separation_by_mpr(const Difference* d, FilSeparation* out)
{
    const CcdObject a = {d->a, fil_pose_identity()}, b = {d->b, d->b_in_a};
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccd_support;
    ccd.center1 = ccd.center2 = ccd_centre;
    // a method of last resort shall not end for want of steps: 1e-9 takes some tens of its refinements
    ccd.max_iterations = 1000;
    ccd.mpr_tolerance = 1e-9 * d->extent;
    double depth;
    ccd_vec3_t direction, position;
    if (ccdMPRPenetration(&a, &b, &ccd, &depth, &direction, &position) != 0 || !(depth > 0.0)) {
        return false;
    }
    // the depth along its direction, rather than its own word for it
    Difference here = *d;
    const Support s = support_of(&here, direction.v);
    fil_v3_copy(out->normal, direction.v);
    depth = fil_v3_dot(s.w, direction.v);
    out->distance = -depth;
    for (int k = 0; k < 3; k++) {
        out->a[k] = position.v[k] + 0.5 * depth * direction.v[k];
        out->b[k] = position.v[k] - 0.5 * depth * direction.v[k];
    }
    return true;
}

// ---- both ----

// from the frame of a to the world
static void to_world(const FilPose* pose, FilSeparation* s)
{
    double normal[3], a[3], b[3];
    fil_m3_apply(normal, pose->r, s->normal);
    fil_pose_apply(a, pose, s->a);
    fil_pose_apply(b, pose, s->b);
    fil_v3_copy(s->normal, normal);
    fil_v3_copy(s->a, a);
    fil_v3_copy(s->b, b);
}

bool fil_convex_separation(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, double cutoff, FilSeparation* out)
{
    Difference d = {.a = a, .b = b};
    fil_pose_relative(&d.b_in_a, pose_a, pose_b);
    Gjk g;
    const GjkResult result = gjk_run(&d, cutoff, &g);
    if (result == GJK_BEYOND_CUTOFF) {
        return false;
    }
    if (result == GJK_APART) {
        separation_of_simplex(&g, out);
        if (out->distance > cutoff) {
            return false;
        }
    } else {
        Expansion e;
        const double gap = expand(&d, &g, &e, out);
        if (gap > EXACT_GAP * d.extent && gap < HUGE_VAL) {
            polish(&d, out);
        }
        FilSeparation other;
        if (gap > FAILED_GAP * d.extent && separation_by_mpr(&d, &other) && (gap == HUGE_VAL || other.distance > out->distance)) {
            *out = other;
        } else if (gap == HUGE_VAL) {
            // flat on flat: any direction will do, they touch
            *out = (FilSeparation){.normal = {0.0, 0.0, 1.0}};
            fil_v3_copy(out->a, g.simplex[0].a);
            fil_v3_copy(out->b, g.simplex[0].a);
        }
    }
    to_world(pose_a, out);
    return true;
}
