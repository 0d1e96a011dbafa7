#include "geometry/facets_pair.h"

#include <math.h>

#include "base/memory.h"

/* A vertex of a closed surface touches a face that it points at: its neighbours are not farther below than this share of their
 * distance. Chosen: far from the 1 of a neighbour straight below, and more than rough or bulging meshes need. */
static const double BULGE = 0.3;

/* Sine of the angle between two edges below which they are parallel: their vertices are in charge. Chosen; of this and the next 0.005 to 0.05 give
 * `solid.rest` the same bits. */
static const double PARALLEL = 0.02;

/* Sine of a fold below which an edge is flat. */
static const double FLAT = 0.02;

/* Share of the thickness that crossing edges of sheets may be too near each other before they touch whatever their folds are: faces
 * and vertices beside them should hold them, and do not where a sheet is crumpled. Chosen: far more than contact gives way, 1 %. */
static const double TOO_NEAR = 0.1;

/* Sine by which neighbours of a vertex at a rim may rise over the plane across the normal: a hundredth, as of edges. */
static const double RIM_TILT = 1e-2;

/* Cosine between normals of faces that are one plane. */
static const double SAME_NORMAL = 0.9999;

static FilStatus append(FilFacetTouches* out, const FilFacetTouch* touch)
{
    if (!fil_array_reserve((void**)&out->items, out->count, &out->capacity, sizeof *out->items)) {
        return FIL_OUT_OF_MEMORY;
    }
    out->items[out->count++] = *touch;
    return FIL_OK;
}

/* ---- vertices ---- */

/* Sum of the normals around a vertex. */
static void vertex_normal(const FilFacets* facets, int vertex, double* sum)
{
    fil_v3_set(sum, 0.0, 0.0, 0.0);
    for (int k = facets->fan_first[vertex]; k < facets->fan_first[vertex + 1]; k++) {
        double n[3];
        fil_facets_normal(facets, facets->fans[k], n);
        fil_v3_add(sum, sum, n);
    }
}

/* Whether points of two surfaces with thickness, p and q, `count` each, are farther apart along an axis than contact reaches. Surfaces
 * with an inside are looked at deeper. */
static bool are_far(const FilFacets* a, const double* const* p, int p_count, const FilFacets* b, const double* const* q, int q_count, double margin)
{
    const double reach = a->radius + b->radius + margin;
    bool far = false;
    for (int k = 0; k < 3 && !far && !a->closed && !b->closed; k++) {
        double lo[2] = {p[0][k], q[0][k]}, hi[2] = {p[0][k], q[0][k]};
        for (int i = 1; i < p_count; i++) {
            lo[0] = p[i][k] < lo[0] ? p[i][k] : lo[0];
            hi[0] = p[i][k] > hi[0] ? p[i][k] : hi[0];
        }
        for (int i = 1; i < q_count; i++) {
            lo[1] = q[i][k] < lo[1] ? q[i][k] : lo[1];
            hi[1] = q[i][k] > hi[1] ? q[i][k] : hi[1];
        }
        far = lo[0] - hi[1] > reach || lo[1] - hi[0] > reach;
    }
    return far;
}

static FilStatus meet_vertex(const FilFacets* a, int vertex, const FilFacets* b, int t, double margin, bool swapped, FilFacetTouches* out)
{
    const double* p = a->x + 3 * vertex;
    const double* const corners[3] = {fil_facets_corner(b, t, 0), fil_facets_corner(b, t, 1), fil_facets_corner(b, t, 2)};
    double n[3], to[3], w[3], own[3];
    if (are_far(a, &p, 1, b, corners, 3, margin) || (a == b && fil_facets_is_part_of(a, vertex, t))) {
        return FIL_OK;
    }
    const double area2 = fil_facets_normal(b, t, n);
    fil_v3_sub(to, p, fil_facets_corner(b, t, 0));
    const double above = fil_v3_dot(n, to);
    if (!(area2 > 0.0) || fabs(above) - a->radius - b->radius > fmax(margin, sqrt(area2))) {
        return FIL_OK;
    }
    fil_facets_weights(b, t, n, area2, p, w);
    if (w[0] < -FIL_FACETS_BORDER || w[1] < -FIL_FACETS_BORDER || w[2] < -FIL_FACETS_BORDER) {
        return FIL_OK;
    }
    // from which side: the outside of what has one
    double side = above < 0.0 ? -1.0 : 1.0;
    if (b->closed) {
        side = 1.0;
    } else if (a->closed) {
        vertex_normal(a, vertex, own);
        side = fil_v3_dot(own, n) < 0.0 ? 1.0 : -1.0;
    }
    const double height = side * above, distance = height - a->radius - b->radius;
    if (distance > margin || height < -FIL_FACETS_DEEPEST * sqrt(area2)) {
        return FIL_OK;
    }
    double up[3];
    fil_v3_scale(up, side, n);
    if (a->closed && !fil_facets_is_extreme(a, vertex, up, -BULGE)) {
        return FIL_OK;
    }
    FilFacetTouch touch = {.point = {.distance = distance}, .height = height};
    touch.vertex[swapped] = vertex;
    touch.triangle[swapped] = -1;
    touch.vertex[!swapped] = b->triangles[3 * t + fil_facets_largest(w)];
    touch.triangle[!swapped] = t;
    fil_v3_scale(touch.point.normal, swapped ? 1.0 : -1.0, up);
    fil_v3_copy(touch.point.position, p);
    fil_v3_axpy(touch.point.position, -(a->radius + 0.5 * distance), up);
    return append(out, &touch);
}

FilStatus fil_facets_meet_vertices(const FilFacets* a, int s, const FilFacets* b, int t, double margin, bool swapped, FilFacetTouches* out)
{
    FilStatus status = FIL_OK;
    for (int k = 0; k < 3 && status == FIL_OK; k++) {
        const int vertex = a->triangles[3 * s + k];
        if (a->fans[a->fan_first[vertex]] == s) {
            status = meet_vertex(a, vertex, b, t, margin, swapped, out);
        }
    }
    return status;
}

/* Whether the other contact of the same vertex makes this one superfluous: it is nearer, and on the same plane or the way out. */
static bool is_covered(const FilFacetTouch* touch, const FilFacetTouch* other, bool earlier)
{
    const double mine = fabs(touch->height), its = fabs(other->height);
    const bool nearer = its < mine || (its == mine && earlier);
    return nearer && (touch->height < 0.0 || fil_v3_dot(touch->point.normal, other->point.normal) > SAME_NORMAL);
}

void fil_facets_settle_vertices(FilFacetTouches* touches, int first, bool swapped)
{
    int kept = first;
    for (int i = first; i < touches->count; i++) {
        bool covered = false;
        for (int j = first; j < touches->count && !covered; j++) {
            covered = j != i && touches->items[j].vertex[swapped] == touches->items[i].vertex[swapped] &&
                      is_covered(&touches->items[i], &touches->items[j], j < i);
        }
        if (!covered) {
            const FilFacetTouch keep = touches->items[i];
            touches->items[i] = touches->items[kept];
            touches->items[kept++] = keep;
        }
    }
    touches->count = kept;
}

/* ---- edges ---- */

/* Sum of the normals of the faces at an edge; false: it is flat, and has two. */
static bool edge_normal(const FilFacets* facets, int edge, double* sum)
{
    const int* wings = facets->wings + 2 * edge;
    double n[2][3], fold[3];
    fil_facets_normal(facets, wings[0], sum);
    if (wings[1] < 0) {
        return true;
    }
    fil_v3_copy(n[0], sum);
    fil_facets_normal(facets, wings[1], n[1]);
    fil_v3_add(sum, sum, n[1]);
    fil_v3_cross(fold, n[0], n[1]);
    return fil_v3_norm(fold) > FLAT || fil_v3_dot(n[0], n[1]) < 0.0;
}

/* Two edges. */
typedef struct Edges {
    const FilFacets* facets[2];
    int edge[2], triangle[2];
} Edges;

/* Where two lines that are not parallel are closest, as shares of the edges; false unless within both. */
static bool cross_lines(const double* p, const double* e, const double* q, const double* f, const double* n, double n2, double* s, double* t)
{
    double to[3], side[3];
    fil_v3_sub(to, q, p);
    fil_v3_cross(side, to, f);
    *s = fil_v3_dot(side, n) / n2;
    fil_v3_cross(side, to, e);
    *t = fil_v3_dot(side, n) / n2;
    return *s > FIL_FACETS_BORDER && *s<1.0 - FIL_FACETS_BORDER&& * t> FIL_FACETS_BORDER && *t < 1.0 - FIL_FACETS_BORDER;
}

static FilStatus meet_edge(const Edges* pair, double margin, FilFacetTouches* out)
{
    const FilFacets *a = pair->facets[0], *b = pair->facets[1];
    const int *ea = a->edges + 2 * pair->edge[0], *eb = b->edges + 2 * pair->edge[1];
    const double *p = a->x + 3 * ea[0], *q = b->x + 3 * eb[0];
    const double *const ends_a[2] = {p, a->x + 3 * ea[1]}, *const ends_b[2] = {q, b->x + 3 * eb[1]};
    double e[3], f[3], n[3], own[2][3], x[3], y[3], between[3], s, t;
    if (are_far(a, ends_a, 2, b, ends_b, 2, margin) || (a == b && fil_facets_are_joined(a, pair->edge[0], pair->edge[1]))) {
        return FIL_OK;
    }
    fil_v3_sub(e, a->x + 3 * ea[1], p);
    fil_v3_sub(f, b->x + 3 * eb[1], q);
    fil_v3_cross(n, e, f);
    const double n2 = fil_v3_dot(n, n), size = sqrt(fmin(fil_v3_dot(e, e), fil_v3_dot(f, f)));
    if (!(n2 > PARALLEL * PARALLEL * fil_v3_dot(e, e) * fil_v3_dot(f, f)) || !cross_lines(p, e, q, f, n, n2, &s, &t)) {
        return FIL_OK;
    }
    fil_v3_copy(x, p);
    fil_v3_axpy(x, s, e);
    fil_v3_copy(y, q);
    fil_v3_axpy(y, t, f);
    fil_v3_sub(between, y, x);
    const double thickness = a->radius + b->radius, gap = fil_v3_norm(between);
    const bool too_near = !a->closed && !b->closed && gap < (1.0 - TOO_NEAR) * thickness;
    const bool folded = edge_normal(a, pair->edge[0], own[0]) && edge_normal(b, pair->edge[1], own[1]);
    if (gap > thickness + fmax(margin, size) || !(folded || too_near)) {
        return FIL_OK;
    }
    // from a to b: out of a, or into b, or as they lie
    const double along = a->closed ? fil_v3_dot(n, own[0]) : (b->closed ? -fil_v3_dot(n, own[1]) : fil_v3_dot(n, between));
    fil_v3_scale(n, (along < 0.0 ? -1.0 : 1.0) / sqrt(n2), n);
    const double back[3] = {-n[0], -n[1], -n[2]}, height = fil_v3_dot(n, between), distance = height - thickness;
    const bool outward = fil_facets_is_outward(a, pair->edge[0], n) && fil_facets_is_outward(b, pair->edge[1], back);
    if (distance > margin || height < -FIL_FACETS_DEEPEST * size || !(outward || too_near)) {
        return FIL_OK;
    }
    FilFacetTouch touch = {.vertex = {s < 0.5 ? ea[0] : ea[1], t < 0.5 ? eb[0] : eb[1]},
                           .triangle = {pair->triangle[0], pair->triangle[1]},
                           .point = {.distance = distance, .feature = 1},
                           .height = HUGE_VAL};
    fil_v3_copy(touch.point.normal, n);
    fil_v3_copy(touch.point.position, x);
    fil_v3_axpy(touch.point.position, a->radius + 0.5 * distance, n);
    return append(out, &touch);
}

FilStatus fil_facets_meet_edges(const FilFacets* a, int s, const FilFacets* b, int t, double margin, FilFacetTouches* out)
{
    FilStatus status = FIL_OK;
    for (int k = 0; k < 9 && status == FIL_OK; k++) {
        const Edges pair = {{a, b}, {a->sides[3 * s + k / 3], b->sides[3 * t + k % 3]}, {s, t}};
        if (a->wings[2 * pair.edge[0]] == s && b->wings[2 * pair.edge[1]] == t) {
            status = meet_edge(&pair, margin, out);
        }
    }
    return status;
}

/* ---- rims: vertices beside faces ---- */

/* A vertex of a and the point y of an edge or vertex of b. */
static bool set_rim(const FilFacets* a, int vertex, const FilFacets* b, const double* y, double margin, FilFacetTouch* touch)
{
    const double* x = a->x + 3 * vertex;
    fil_v3_sub(touch->point.normal, y, x);
    touch->point.distance = fil_v3_normalise(touch->point.normal) - a->radius - b->radius;
    fil_v3_copy(touch->point.position, x);
    fil_v3_axpy(touch->point.position, a->radius + 0.5 * touch->point.distance, touch->point.normal);
    const double back[3] = {-touch->point.normal[0], -touch->point.normal[1], -touch->point.normal[2]};
    return touch->point.distance <= margin && fil_facets_is_extreme(a, vertex, back, -RIM_TILT);
}

static FilStatus meet_rim_edge(const FilFacets* a, int vertex, const FilFacets* b, int t, int edge, double margin, FilFacetTouches* out)
{
    const int* ends = b->edges + 2 * edge;
    const double *p = a->x + 3 * vertex, *const line[2] = {b->x + 3 * ends[0], b->x + 3 * ends[1]};
    if (are_far(a, &p, 1, b, line, 2, margin) || (a == b && (fil_facets_one_piece(a, vertex, ends[0]) || fil_facets_one_piece(a, vertex, ends[1])))) {
        return FIL_OK;
    }
    double along[3], to[3], y[3], back[3];
    fil_v3_sub(along, line[1], line[0]);
    fil_v3_sub(to, p, line[0]);
    const double share = fil_v3_dot(to, along) / fil_v3_dot(along, along);
    FilFacetTouch touch = {.vertex = {vertex, ends[share > 0.5]}, .triangle = {-1, t}, .point = {.feature = 4}, .height = HUGE_VAL};
    if (!(share > FIL_FACETS_BORDER && share < 1.0 - FIL_FACETS_BORDER)) {
        return FIL_OK;
    }
    fil_v3_copy(y, line[0]);
    fil_v3_axpy(y, share, along);
    if (!set_rim(a, vertex, b, y, margin, &touch)) {
        return FIL_OK;
    }
    fil_v3_scale(back, -1.0, touch.point.normal);
    return fil_facets_is_outward(b, edge, back) ? append(out, &touch) : FIL_OK;
}

static FilStatus meet_rim_vertex(const FilFacets* a, int vertex, const FilFacets* b, int other, double margin, FilFacetTouches* out)
{
    const double *p = a->x + 3 * vertex, *q = b->x + 3 * other;
    FilFacetTouch touch = {.vertex = {vertex, other}, .triangle = {-1, -1}, .point = {.feature = 5}, .height = HUGE_VAL};
    if (are_far(a, &p, 1, b, &q, 1, margin) || (a == b && fil_facets_one_piece(a, vertex, other)) || !set_rim(a, vertex, b, q, margin, &touch) ||
        !fil_facets_is_extreme(b, other, touch.point.normal, -RIM_TILT)) {
        return FIL_OK;
    }
    return append(out, &touch);
}

FilStatus fil_facets_meet_rims(const FilFacets* a, int s, const FilFacets* b, int t, double margin, FilFacetTouches* out)
{
    FilStatus status = FIL_OK;
    for (int k = 0; k < 9 && status == FIL_OK; k++) {
        const int vertex = a->triangles[3 * s + k / 3], edge = b->sides[3 * t + k % 3], other = b->triangles[3 * t + k % 3];
        if (a->fans[a->fan_first[vertex]] != s) {
            continue;
        }
        status = b->wings[2 * edge] == t ? meet_rim_edge(a, vertex, b, t, edge, margin, out) : FIL_OK;
        if (status == FIL_OK && b->fans[b->fan_first[other]] == t && (a != b || vertex < other)) {
            status = meet_rim_vertex(a, vertex, b, other, margin, out);
        }
    }
    return status;
}
