/* Two faces meet where their outlines overlap: the face that the normal belongs to is the reference, the other one is
 * clipped by the planes through the reference's edges (Sutherland-Hodgman), and each corner that is left becomes a
 * contact with its own distance to the reference plane. */
#include "geometry/manifold.h"

#include "geometry/closest.h"

// a face takes part as a face when the normal is within 1e-3 rad of its own: 1 - cos
#define FLAT 5e-7

// corners of faces are looked at where the normal is within 1 rad of the nearer face's own, 1 - cos: a margin that reaches corners farther round
// is as large as the shapes
#define TILTED 0.46

// lines side by side, when the sine of their angle is below this
#define PARALLEL 0.05

// clipping adds at most one corner per plane
#define CANDIDATES (2 * FIL_FACE_CORNERS)

// ---- points ----

// a contact between surface points x (of a) and y (of b) of the cores, with roundings around them
static void set_point(FilContactPoint* out, const double* x, double radius_x, const double* y, double radius_y, const double* normal,
                      uint32_t feature)
{
    FilContactPoint c = {.feature = feature};
    double between[3];
    fil_v3_sub(between, y, x);
    c.distance = fil_v3_dot(between, normal) - radius_x - radius_y;
    fil_v3_copy(c.normal, normal);
    for (int k = 0; k < 3; k++) {
        c.position[k] = 0.5 * (x[k] + y[k] + (radius_x - radius_y) * normal[k]);
    }
    *out = c;
}

static double distance2(const double* a, const double* b)
{
    double d[3];
    fil_v3_sub(d, a, b);
    return fil_v3_dot(d, d);
}

// twice the area of the triangle, squared
static double area2(const double* a, const double* b, const double* c)
{
    double u[3], v[3], n[3];
    fil_v3_sub(u, b, a);
    fil_v3_sub(v, c, a);
    fil_v3_cross(n, u, v);
    return fil_v3_dot(n, n);
}

// the sum of triangle areas that a fourth corner spans with the edges of the first three
static double spread(const FilContactPoint* kept, const double* p)
{
    return sqrt(area2(kept[0].position, kept[1].position, p)) + sqrt(area2(kept[1].position, kept[2].position, p)) +
           sqrt(area2(kept[2].position, kept[0].position, p));
}

// how much point i is worth as number `kept_count` of the points kept
static double worth(const FilContactPoint* kept, int kept_count, const FilContactPoint* point)
{
    switch (kept_count) {
        case 0:
            return -point->distance;
        case 1:
            return distance2(kept[0].position, point->position);
        case 2:
            return area2(kept[0].position, kept[1].position, point->position);
        default:
            return spread(kept, point->position);
    }
}

// keeps at most four: the deepest, the one farthest from it, and two that span the largest area with them
static int keep_best(FilContactPoint* points, int count, FilContactPoint* out)
{
    if (count <= FIL_MANIFOLD_POINTS) {
        for (int i = 0; i < count; i++) {
            out[i] = points[i];
        }
        return count;
    }
    for (int n = 0; n < FIL_MANIFOLD_POINTS; n++) {
        int best = 0;
        double max = worth(out, n, &points[0]);
        for (int i = 1; i < count; i++) {
            const double value = worth(out, n, &points[i]);
            // a later corner must be clearly better, so that equal ones keep their turn from step to step
            if (value > max + 1e-9 * fabs(max)) {
                max = value;
                best = i;
            }
        }
        out[n] = points[best];
        points[best] = points[--count];
    }
    return FIL_MANIFOLD_POINTS;
}

// ---- clipping ----

// edges are numbered by the corner that they leave, below 2^14; the reference's have this bit in addition
#define REFERENCE_EDGE (1U << 14)

// a corner of the clipped polygon and the number of the edge that leaves it
typedef struct Corner {
    double p[3];
    uint32_t id;
    uint32_t edge;
} Corner;

typedef struct Polygon {
    Corner corner[CANDIDATES];
    int count;
} Polygon;

// where the edge from a to b crosses the plane, at heights ha and hb above it
static Corner crossing(const Corner* a, double ha, const Corner* b, double hb, uint32_t plane)
{
    // numbers of planes are those of edges, below 2^15
    Corner c = {.id = (a->edge + 1) << 15 | plane, .edge = a->edge};
    const double t = ha / (ha - hb);
    for (int k = 0; k < 3; k++) {
        c.p[k] = a->p[k] + t * (b->p[k] - a->p[k]);
    }
    return c;
}

// keeps the part of the polygon (or, of two corners, the segment) with inward . (x - origin) >= -slack
static void clip(const Polygon* in, const double* origin, const double* inward, double slack, uint32_t plane, Polygon* out)
{
    out->count = 0;
    const int edges = in->count == 2 ? 1 : in->count;
    double first_height = 0.0, height = 0.0;
    for (int i = 0; i < in->count; i++) {
        const Corner *a = &in->corner[i], *b = &in->corner[(i + 1) % in->count];
        double to[3];
        if (i == 0) {
            fil_v3_sub(to, a->p, origin);
            first_height = height = fil_v3_dot(inward, to) + slack;
        }
        fil_v3_sub(to, b->p, origin);
        const double next = i + 1 == in->count ? first_height : fil_v3_dot(inward, to) + slack;
        if (height >= 0.0) {
            out->corner[out->count++] = *a;
        }
        if (i < edges && (height >= 0.0) != (next >= 0.0)) {
            out->corner[out->count] = crossing(a, height, b, next, plane);
            // leaving: the outline goes on along the plane
            if (height >= 0.0) {
                out->corner[out->count].edge = plane;
            }
            out->count++;
        }
        height = next;
    }
}

// clips the incident face by the reference's sides, to and fro between two polygons; returns the last one
static const Polygon* clip_by_sides(const FilFace* reference, const FilFace* incident, Polygon room[2])
{
    Polygon *front = &room[0], *back = &room[1];
    front->count = incident->count;
    for (int i = 0; i < incident->count; i++) {
        fil_v3_copy(front->corner[i].p, incident->corner[i]);
        front->corner[i].id = (uint32_t)incident->id[i];
        front->corner[i].edge = (uint32_t)incident->id[i];
    }
    for (int k = 0; k < reference->count && front->count > 0; k++) {
        const double* from = reference->corner[k];
        double along[3], inward[3];
        fil_v3_sub(along, reference->corner[(k + 1) % reference->count], from);
        const double length = fil_v3_normalise(along);
        fil_v3_cross(inward, reference->normal, along);
        // a corner on the very edge stays a corner
        clip(front, from, inward, 1e-9 * length, REFERENCE_EDGE | (uint32_t)reference->id[k], back);
        Polygon* clipped = back;
        back = front;
        front = clipped;
    }
    return front;
}

// contacts between a reference face and whatever the other shape shows
static int face_points(const FilFace* reference, double rounding_r, const FilFace* incident, double rounding_i, bool reference_is_a, double margin,
                       FilContactPoint* out)
{
    Polygon room[2];
    const Polygon* patch = clip_by_sides(reference, incident, room);
    FilContactPoint points[CANDIDATES];
    int count = 0;
    double normal[3];
    fil_v3_scale(normal, reference_is_a ? 1.0 : -1.0, reference->normal);
    for (int i = 0; i < patch->count; i++) {
        const double* y = patch->corner[i].p;
        double up[3], x[3];
        fil_v3_sub(up, y, reference->corner[0]);
        fil_v3_copy(x, y);
        fil_v3_axpy(x, -fil_v3_dot(up, reference->normal), reference->normal);
        const uint32_t feature = patch->corner[i].id << 1 | reference_is_a;
        if (reference_is_a) {
            set_point(&points[count], x, rounding_r, y, rounding_i, normal, feature);
        } else {
            set_point(&points[count], y, rounding_i, x, rounding_r, normal, feature);
        }
        count += points[count].distance <= margin;
    }
    return keep_best(points, count, out);
}

// ---- lines ----

// the edge of a polygon that reaches farthest along d; a line is its own edge
static int farthest_edge(const FilFace* face, const double* d)
{
    int best = 0;
    double max = -HUGE_VAL;
    for (int k = 0; k < (face->count == 2 ? 1 : face->count); k++) {
        const double reach = fil_v3_dot(face->corner[k], d) + fil_v3_dot(face->corner[(k + 1) % face->count], d);
        if (reach > max) {
            max = reach;
            best = k;
        }
    }
    return best;
}

static void point_on(double* out, const double* p, const double* q, double s)
{
    for (int k = 0; k < 3; k++) {
        out[k] = p[k] + s * (q[k] - p[k]);
    }
}

// two points at the ends of the stretch over which two lines run side by side; none when they do not
static int line_points(const double* const line_a[2], double radius_a, const double* const line_b[2], double radius_b, const double* normal,
                       uint32_t feature, double margin, FilContactPoint* out)
{
    double s[2], t[2];
    int count = 0;
    if (!fil_segment_overlap(line_a[0], line_a[1], line_b[0], line_b[1], PARALLEL, s, t)) {
        return 0;
    }
    for (int k = 0; k < 2; k++) {
        double x[3], y[3];
        point_on(x, line_a[0], line_a[1], s[k]);
        point_on(y, line_b[0], line_b[1], t[k]);
        set_point(&out[count], x, radius_a, y, radius_b, normal, feature + 1 + (uint32_t)k);
        count += out[count].distance <= margin;
    }
    return count;
}

// ---- pairs ----

static double nearest(const FilContactPoint* points, int count)
{
    double min = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        min = fmin(min, points[i].distance);
    }
    return min;
}

// how much farther than the distance of the shapes the nearest of their contact points may be
static double nearest_allowed(double distance)
{
    return distance + 1e-4 * fabs(distance) + 1e-9;  // what clipping rounds, and 1 nm for shapes that just touch
}

// Beside the closest point: corners of the faces that the shapes show each other, which come into reach when these turn about that point. Those that
// are deeper than the shapes are lie beyond an edge.
static int add_corners(const FilFace* reference, double rounding_r, const FilFace* incident, double rounding_i, bool reference_is_a, double margin,
                       FilContactPoint out[FIL_MANIFOLD_POINTS])
{
    FilContactPoint corners[FIL_MANIFOLD_POINTS];
    int count = 1;
    const int found = face_points(reference, rounding_r, incident, rounding_i, reference_is_a, margin, corners);
    // the corner that is the closest point itself is seen aside by less than half its distance; a thousandth of an edge where that is none
    const double aside = 0.5 * fabs(out[0].distance) + 1e-3 * sqrt(distance2(reference->corner[0], reference->corner[1]));
    for (int k = 0; k < found && count < FIL_MANIFOLD_POINTS; k++) {
        if (corners[k].distance >= out[0].distance && distance2(corners[k].position, out[0].position) > aside * aside) {
            out[count] = corners[k];
            out[count].feature = corners[k].feature == 0 ? UINT32_MAX : corners[k].feature;  // 0 is the closest point
            count++;
        }
    }
    return count;
}

int fil_manifold_build(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, const FilSeparation* separation,
                       double margin, FilContactPoint out[FIL_MANIFOLD_POINTS])
{
    const double ra = fil_shape_rounding(a), rb = fil_shape_rounding(b);
    const double* n = separation->normal;
    const double back[3] = {-n[0], -n[1], -n[2]};
    if (separation->distance - ra - rb > margin) {
        return 0;
    }
    FilFace fa, fb;
    fil_shape_face(a, pose_a, n, &fa);
    fil_shape_face(b, pose_b, back, &fb);
    const double off_a = fa.count > 2 ? 1.0 - fil_v3_dot(fa.normal, n) : 1.0;
    const double off_b = fb.count > 2 ? 1.0 - fil_v3_dot(fb.normal, back) : 1.0;
    int count = 0;
    if (off_a < FLAT || off_b < FLAT) {
        // two faces flush: a leads, so that the choice does not flicker
        count = off_a < FLAT && off_a <= off_b + 1e-9 ? face_points(&fa, ra, &fb, rb, true, margin, out)
                                                      : face_points(&fb, rb, &fa, ra, false, margin, out);
    } else if (fa.count > 1 && fb.count > 1) {
        const int ea = farthest_edge(&fa, n), eb = farthest_edge(&fb, back);
        const double* const line_a[2] = {fa.corner[ea], fa.corner[(ea + 1) % fa.count]};
        const double* const line_b[2] = {fb.corner[eb], fb.corner[(eb + 1) % fb.count]};
        count = line_points(line_a, ra, line_b, rb, n, (uint32_t)(fa.id[ea] << 17 | fb.id[eb] << 2), margin, out);
        // lines that are nowhere as near as the shapes are not what meets
        count = count > 0 && nearest(out, count) > nearest_allowed(separation->distance - ra - rb) ? 0 : count;
    }
    if (count == 0) {
        set_point(&out[0], separation->a, ra, separation->b, rb, n, 0);
        count = 1;
        if (fa.count > 2 && fb.count > 2 && fmin(off_a, off_b) < TILTED) {
            count = off_a <= off_b ? add_corners(&fa, ra, &fb, rb, true, margin, out) : add_corners(&fb, rb, &fa, ra, false, margin, out);
        }
    }
    return count;
}

// a direction across two segments that meet, from the first towards the second
static void crossing_normal(double* normal, const double* p0, const double* p1, const double* q0, const double* q1)
{
    double u[3], v[3], to[3];
    fil_v3_sub(u, p1, p0);
    fil_v3_sub(v, q1, q0);
    fil_v3_cross(normal, u, v);
    for (int k = 0; k < 3; k++) {
        to[k] = q0[k] + q1[k] - p0[k] - p1[k];
    }
    const double scale = fil_v3_norm(u) * fil_v3_norm(v);
    // sines below this are rounding of what came before: poses and differences of points leave seven digits of it
    if (fil_v3_normalise(normal) <= 1e-9 * scale || scale == 0.0) {
        // parallel or points: any way across the longer one
        double* along = fil_v3_dot(u, u) >= fil_v3_dot(v, v) ? u : v;
        if (fil_v3_normalise(along) == 0.0) {
            fil_v3_set(along, 1.0, 0.0, 0.0);
        }
        fil_v3_orthogonal(normal, along);
    }
    if (fil_v3_dot(normal, to) < 0.0) {
        fil_v3_scale(normal, -1.0, normal);
    }
}

int fil_manifold_segments(const double* p0, const double* p1, double radius_p, const double* q0, const double* q1, double radius_q, double margin,
                          FilContactPoint out[FIL_MANIFOLD_POINTS])
{
    double s, t, x[3], y[3], normal[3];
    const double reach = radius_p + radius_q + margin;
    const double d2 = fil_segment_segment(p0, p1, q0, q1, &s, &t);
    if (d2 > reach * reach) {
        return 0;
    }
    point_on(x, p0, p1, s);
    point_on(y, q0, q1, t);
    fil_v3_sub(normal, y, x);
    // axes that meet: the way between them is rounding
    if (fil_v3_normalise(normal) <= 1e-9 * (radius_p + radius_q)) {
        crossing_normal(normal, p0, p1, q0, q1);
    }
    const int count = line_points((const double* const[2]){p0, p1}, radius_p, (const double* const[2]){q0, q1}, radius_q, normal, 0, margin, out);
    if (count == 0) {
        set_point(&out[0], x, radius_p, y, radius_q, normal, 0);
        return 1;
    }
    return count;
}

int fil_manifold_plane(const FilFace* face, double rounding, const double* origin, const double* up, double margin,
                       FilContactPoint out[FIL_MANIFOLD_POINTS])
{
    FilContactPoint points[FIL_FACE_CORNERS];
    const double down[3] = {-up[0], -up[1], -up[2]};
    int count = 0;
    for (int i = 0; i < face->count; i++) {
        double to[3], foot[3];
        fil_v3_sub(to, face->corner[i], origin);
        fil_v3_copy(foot, face->corner[i]);
        fil_v3_axpy(foot, -fil_v3_dot(to, up), up);
        set_point(&points[count], face->corner[i], rounding, foot, 0.0, down, (uint32_t)face->id[i]);
        count += points[count].distance <= margin;
    }
    return keep_best(points, count, out);
}
