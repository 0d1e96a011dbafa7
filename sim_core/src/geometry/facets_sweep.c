/* Triangles that move so far in a step that they would pass through each other: contacts where they would. */
#include <math.h>

#include "geometry/facets_pair.h"
#include "geometry/sweep.h"

/* Sine of the angle between two edges below which their common normal is not known. */
static const double PARALLEL = 1e-3;

/* Where four vertices are, and will be: those of `first` from a, the others from b. */
typedef struct Sweep {
    double start[12], end[12];
} Sweep;

static void take(Sweep* sweep, int k, const FilFacets* facets, const double* ahead, int vertex)
{
    fil_v3_copy(sweep->start + 3 * k, facets->x + 3 * vertex);
    fil_v3_copy(sweep->end + 3 * k, ahead + 3 * vertex);
}

/* Whether the boxes around the ways of the first `split` points and of the others are apart. */
static bool pass_by(const Sweep* sweep, int split)
{
    bool apart = false;
    for (int k = 0; k < 3 && !apart; k++) {
        double lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {-HUGE_VAL, -HUGE_VAL};
        for (int i = 0; i < 4; i++) {
            const double from = sweep->start[3 * i + k], to = sweep->end[3 * i + k];
            const int side = i >= split;
            lo[side] = fmin(lo[side], fmin(from, to));
            hi[side] = fmax(hi[side], fmax(from, to));
        }
        apart = lo[0] > hi[1] || lo[1] > hi[0];
    }
    return apart;
}

/* Places at a time of the way. */
static void place_at(const Sweep* sweep, double time, double x[12])
{
    for (int k = 0; k < 12; k++) {
        x[k] = sweep->start[k] + time * (sweep->end[k] - sweep->start[k]);
    }
}

/* Unit normal of two directions, 0 if they are parallel. */
static double normal_of(const double* e, const double* f, double* n)
{
    fil_v3_cross(n, e, f);
    const double size = fil_v3_norm(e) * fil_v3_norm(f), length = fil_v3_normalise(n);
    return size > 0.0 && length > PARALLEL * size ? length : 0.0;
}

/* What is between x of the first surface and y of the second, along n, which is turned to point from the first to the second. False if they
 * are on neither side of each other. */
static bool set_apart(FilFacetTouch* touch, const double* x, const double* y, const double* n, double radius_a, double radius_b)
{
    double between[3];
    fil_v3_sub(between, y, x);
    const double height = fil_v3_dot(between, n);
    fil_v3_scale(touch->point.normal, height < 0.0 ? -1.0 : 1.0, n);
    touch->point.distance = fabs(height) - radius_a - radius_b;
    // midway between the surfaces, and between the two points across
    for (int k = 0; k < 3; k++) {
        touch->point.position[k] = 0.5 * (x[k] + y[k]) + 0.5 * (radius_a - radius_b) * touch->point.normal[k];
    }
    return height != 0.0;
}

static bool sweep_vertex(const FilFacets* a, const double* ahead_a, int vertex, const FilFacets* b, const double* ahead_b, int t, FilFacetTouch* out)
{
    const int* c = b->triangles + 3 * t;
    Sweep sweep;
    double time, x[12], n[3], e[3], f[3], w[3], hit[3] = {0.0, 0.0, 0.0};
    take(&sweep, 0, a, ahead_a, vertex);
    for (int k = 0; k < 3; k++) {
        take(&sweep, 1 + k, b, ahead_b, c[k]);
    }
    if (pass_by(&sweep, 1) || !fil_sweep_point_triangle_cross(sweep.start, sweep.end, &time)) {
        return false;
    }
    // the point of the triangle that will be hit
    place_at(&sweep, time, x);
    fil_v3_sub(e, x + 6, x + 3);
    fil_v3_sub(f, x + 9, x + 3);
    fil_v3_cross(n, e, f);
    const double area2 = fil_v3_normalise(n);
    if (!(area2 > 0.0)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        double u[3], v[3], across[3];
        fil_v3_sub(u, x + 3 + 3 * ((k + 2) % 3), x + 3 + 3 * ((k + 1) % 3));
        fil_v3_sub(v, x, x + 3 + 3 * ((k + 1) % 3));
        fil_v3_cross(across, u, v);
        w[k] = fil_v3_dot(across, n) / area2;
        fil_v3_axpy(hit, w[k], sweep.start + 3 + 3 * k);
    }
    *out = (FilFacetTouch){.vertex = {vertex, c[fil_facets_largest(w)]}, .triangle = {-1, t}, .point = {.feature = 2}, .height = HUGE_VAL};
    return fil_facets_normal(b, t, n) > 0.0 && set_apart(out, sweep.start, hit, n, a->radius, b->radius);
}

static bool sweep_edges(const FilFacets* a, const double* ahead_a, int e, const FilFacets* b, const double* ahead_b, int f, FilFacetTouch* out)
{
    const int *ends_a = a->edges + 2 * e, *ends_b = b->edges + 2 * f;
    Sweep sweep;
    double time, x[12], along[2][3], n[3], to[3], side[3], at[2], hit[2][3];
    for (int k = 0; k < 2; k++) {
        take(&sweep, k, a, ahead_a, ends_a[k]);
        take(&sweep, 2 + k, b, ahead_b, ends_b[k]);
    }
    if (pass_by(&sweep, 2) || !fil_sweep_segments_cross(sweep.start, sweep.end, &time)) {
        return false;
    }
    place_at(&sweep, time, x);
    fil_v3_sub(along[0], x + 3, x);
    fil_v3_sub(along[1], x + 9, x + 6);
    const double length = normal_of(along[0], along[1], n);
    if (length == 0.0) {
        return false;
    }
    // shares of the edges where they will meet
    fil_v3_sub(to, x + 6, x);
    for (int k = 0; k < 2; k++) {
        fil_v3_cross(side, to, along[1 - k]);
        at[k] = fil_v3_dot(side, n) / length;
        fil_v3_sub(hit[k], sweep.start + 6 * k + 3, sweep.start + 6 * k);
        fil_v3_scale(hit[k], at[k], hit[k]);
        fil_v3_add(hit[k], hit[k], sweep.start + 6 * k);
    }
    // the normal that they have now, if they have one
    double now[3];
    fil_v3_sub(along[0], sweep.start + 3, sweep.start);
    fil_v3_sub(along[1], sweep.start + 9, sweep.start + 6);
    if (normal_of(along[0], along[1], now) > 0.0) {
        fil_v3_copy(n, now);
    }
    *out = (FilFacetTouch){.vertex = {ends_a[at[0] > 0.5], ends_b[at[1] > 0.5]},
                           .triangle = {a->wings[2 * e], b->wings[2 * f]},
                           .point = {.feature = 3},
                           .height = HUGE_VAL};
    return set_apart(out, hit[0], hit[1], n, a->radius, b->radius);
}

int fil_facets_sweep(const FilFacets* a, const double* ahead_a, int s, const FilFacets* b, const double* ahead_b, int t, bool edges,
                     FilFacetTouch out[FIL_FACETS_PASSING])
{
    int count = 0;
    for (int m = 0; m < 3; m++) {
        const int vertex = a->triangles[3 * s + m];
        count += a->fans[a->fan_first[vertex]] == s && !(a == b && fil_facets_is_part_of(a, vertex, t)) &&
                 sweep_vertex(a, ahead_a, vertex, b, ahead_b, t, &out[count]);
    }
    for (int m = 0; m < 9 && edges; m++) {
        const int e = a->sides[3 * s + m / 3], f = b->sides[3 * t + m % 3];
        count += a->wings[2 * e] == s && b->wings[2 * f] == t && !(a == b && fil_facets_are_joined(a, e, f)) &&
                 sweep_edges(a, ahead_a, e, b, ahead_b, f, &out[count]);
    }
    return count;
}
