/* Edges and folds side by side: whoever includes this builds them for the level of vectors that its file is compiled for (base/vector.h). */
#ifndef FILUM_BODY_SHELL_LANES_H
#define FILUM_BODY_SHELL_LANES_H

#include "base/vector.h"
#include "body/shell_elements.h"

/* As fil_shell_edges_pull(), and as fil_shell_folds_bend() under the law of normals, with registers of 256 bits and the same bits. */
void fil_shell_edges_pull_avx2(const FilShellEdge* edges, int count, const double* q, FilShellPull* pulls);
void fil_shell_folds_bend_avx2(const FilShellFold* folds, int count, const double* q, FilShellBend* bends);

typedef struct Wide3 {
    FilDouble4 x, y, z;
} Wide3;

FIL_VECTOR_INLINE Wide3 wide_between(Wide3 a, Wide3 b)
{
    return (Wide3){b.x - a.x, b.y - a.y, b.z - a.z};
}

FIL_VECTOR_INLINE FilDouble4 wide_dot(Wide3 a, Wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

FIL_VECTOR_INLINE Wide3 wide_cross(Wide3 a, Wide3 b)
{
    return (Wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

FIL_VECTOR_INLINE Wide3 wide_sum(FilDouble4 a, Wide3 u, FilDouble4 b, Wide3 v)
{
    return (Wide3){a * u.x + b * v.x, a * u.y + b * v.y, a * u.z + b * v.z};
}

FIL_VECTOR_INLINE void edges_pull(const FilShellEdge* edges, int count, const double* q, FilShellPull* pulls)
{
    const FilDouble4 zero = fil_double4_all(0.0);
    for (int i = 0; i < count; i += FIL_DOUBLE4_COUNT) {
        const int lanes = count - i < FIL_DOUBLE4_COUNT ? count - i : FIL_DOUBLE4_COUNT;
        int ends[2][FIL_DOUBLE4_COUNT];
        double length_of[FIL_DOUBLE4_COUNT];
        for (int lane = 0; lane < FIL_DOUBLE4_COUNT; lane++) {
            const FilShellEdge* edge = &edges[i + (lane < lanes ? lane : 0)];
            ends[0][lane] = edge->vertex[0];
            ends[1][lane] = edge->vertex[1];
            length_of[lane] = edge->length;
        }
        const FilDouble4 rest = fil_double4_of(length_of[0], length_of[1], length_of[2], length_of[3]);
        const Wide3 from = {fil_double4_gather(q, ends[0], 4), fil_double4_gather(q + 1, ends[0], 4), fil_double4_gather(q + 2, ends[0], 4)};
        const Wide3 to = {fil_double4_gather(q, ends[1], 4), fil_double4_gather(q + 1, ends[1], 4), fil_double4_gather(q + 2, ends[1], 4)};
        const Wide3 e = wide_between(from, to);
        const FilDouble4 length = fil_double4_sqrt(wide_dot(e, e)), stretch = length - rest;
        const FilDouble4 inverse = fil_double4_choose_below(zero, length, 1.0 / length, zero), across = stretch * inverse, over = inverse * inverse;
        for (int lane = 0; lane < lanes; lane++) {
            const double s = fil_double4_get(&stretch, lane);
            pulls[i + lane] = (FilShellPull){.e = {fil_double4_get(&e.x, lane), fil_double4_get(&e.y, lane), fil_double4_get(&e.z, lane), 0.0},
                                             .energy = 0.5 * edges[i + lane].stiffness * s * s,
                                             .across = fil_double4_get(&across, lane),
                                             .over = fil_double4_get(&over, lane)};
        }
    }
}

/* Corner k of some folds. */
FIL_VECTOR_INLINE Wide3 wide_corner(const FilShellFold* const folds[FIL_DOUBLE4_COUNT], int k, const double* q)
{
    int at[FIL_DOUBLE4_COUNT];
    for (int lane = 0; lane < FIL_DOUBLE4_COUNT; lane++) {
        at[lane] = folds[lane]->vertex[k];
    }
    return (Wide3){fil_double4_gather(q, at, 4), fil_double4_gather(q + 1, at, 4), fil_double4_gather(q + 2, at, 4)};
}

/* How they are bent, but for their stiffness. */
typedef struct WideBend {
    FilDouble4 energy, slope, curve;
    Wide3 gradient[4];
} WideBend;

FIL_VECTOR_INLINE WideBend wide_bend(const Wide3 x[4], FilDouble4 rest_sine)
{
    const FilDouble4 zero = fil_double4_all(0.0);
    const Wide3 e = wide_between(x[0], x[1]), f = wide_between(x[0], x[2]), g = wide_between(x[1], x[3]);
    // N of (a, b, c), and of (b, a, d): -e x g
    const Wide3 n = wide_cross(e, f), m = wide_cross(g, e);
    const FilDouble4 e2 = wide_dot(e, e), nn = wide_dot(n, n), mm = wide_dot(m, m), e_size = fil_double4_sqrt(e2), both = fil_double4_sqrt(nn * mm);
    const FilDouble4 over_e = fil_double4_choose_below(zero, e2, 1.0 / e2, zero), over = fil_double4_choose_below(zero, both, 1.0 / both, zero);
    // |e| N / |N|^2 with 1 / |N|^2 = |M|^2 / (|N| |M|)^2; feet of c and d on their edges
    const FilDouble4 squared = e_size * over * over, un = squared * mm, um = squared * nn, t = wide_dot(f, e) * over_e, s = -wide_dot(g, e) * over_e;
    const FilDouble4 cosine = wide_dot(n, m) * over, sine = wide_dot(wide_cross(n, m), e) * over * (e_size * over_e);
    // half the angle, see half_turn(): the larger of its sine and cosine, and the other
    const FilDouble4 large = fil_double4_sqrt(0.5 * (1.0 + fil_double4_abs(cosine))), small = 0.5 * fil_double4_abs(sine) / large;
    const FilDouble4 half_cosine = fil_double4_choose_below(cosine, zero, small, large);
    const FilDouble4 half_sine = fil_double4_with_sign(fil_double4_choose_below(cosine, zero, large, small), sine), off = half_sine - rest_sine;
    return (WideBend){.energy = 2.0 * off * off,
                      .slope = 2.0 * off * half_cosine,
                      .curve = half_cosine * half_cosine - off * half_sine,
                      .gradient = {wide_sum((1.0 - t) * un, n, s * um, m), wide_sum(t * un, n, (1.0 - s) * um, m), wide_sum(-un, n, zero, m),
                                   wide_sum(zero, n, -um, m)}};
}

/* Folds whose law is that of normals. */
FIL_VECTOR_INLINE void folds_bend(const FilShellFold* folds, int count, const double* q, FilShellBend* bends)
{
    for (int f = 0; f < count; f += FIL_DOUBLE4_COUNT) {
        const FilShellFold* some[FIL_DOUBLE4_COUNT];
        const int lanes = count - f < FIL_DOUBLE4_COUNT ? count - f : FIL_DOUBLE4_COUNT;
        for (int lane = 0; lane < FIL_DOUBLE4_COUNT; lane++) {
            some[lane] = &folds[f + (lane < lanes ? lane : 0)];
        }
        const FilDouble4 rest_sine = fil_double4_of(some[0]->rest_sine, some[1]->rest_sine, some[2]->rest_sine, some[3]->rest_sine);
        const Wide3 x[4] = {wide_corner(some, 0, q), wide_corner(some, 1, q), wide_corner(some, 2, q), wide_corner(some, 3, q)};
        const WideBend bend = wide_bend(x, rest_sine);
        for (int lane = 0; lane < lanes; lane++) {
            const double k = some[lane]->stiffness;
            FilShellBend* to = &bends[f + lane];
            to->energy = k * fil_double4_get(&bend.energy, lane);
            to->slope = k * fil_double4_get(&bend.slope, lane);
            to->curve = k * fil_double4_get(&bend.curve, lane);
            for (int i = 0; i < 4; i++) {
                to->gradient[3 * i] = fil_double4_get(&bend.gradient[i].x, lane);
                to->gradient[3 * i + 1] = fil_double4_get(&bend.gradient[i].y, lane);
                to->gradient[3 * i + 2] = fil_double4_get(&bend.gradient[i].z, lane);
            }
        }
    }
}

#endif
