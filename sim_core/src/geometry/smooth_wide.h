/* Distances of four pairs of segments side by side: whoever includes this builds them for the level of vectors that its file is compiled for
 * (base/vector.h). */
#ifndef FILUM_GEOMETRY_SMOOTH_WIDE_H
#define FILUM_GEOMETRY_SMOOTH_WIDE_H

#include "base/vector_math.h"
#include "geometry/smooth_distance.h"

/* Of nearly parallel segments the closest points jump from end to end with the least turn, and forces with them; P2's quotient for s has
 * no digits left there. Added to the square of the sine of their angle this lets s go to the middle instead, where that is below
 * the root of it. What a segment's end is then seen too far away by is less than length / 2 times that angle. */
static const double PARALLEL = 1e-3;

enum { D1, D2, S1, S2, R, Q };

/* ---- the softened clamp ---- */

/* H (P2 eq. 13) and its first derivatives; the first is B (eq. 14). H - 1/2 is odd about 1/2, so this looks at w = k |x
 * - 1/2| and has for the two logistic steps exp(-|k x|), exp(-|k (x - 1)|) = exp(-w -+ k/2), exp(-|w - k/2|), smaller
 * first. */
static inline void smooth_clamp(FilDouble4 x, const FilSoftClamp* soft, int derivatives, FilDouble4 h[4])
{
    const FilDouble4 k = fil_double4_all(soft->k), soft_up = fil_double4_all(soft->up), soft_down = fil_double4_all(soft->down);
    // 600: within fil_double4_exp()'s 700; exp(-600) adds nothing to 1
    const FilDouble4 half = 0.5 * k, one = fil_double4_all(1.0), max = fil_double4_all(600.0), zero = fil_double4_all(0.0);
    const FilDouble4 from = x - 0.5, w = k * fil_double4_abs(from);
    const FilDouble4Exp e = fil_double4_exp(w);
    // nothing is left of exp(-w) where the series ends
    const FilDouble4 inverse = fil_double4_choose_below(w, max, e.inverse, zero);
    const FilDouble4 difference = fil_double4_choose_below(w, max, e.difference, zero);
    const FilDouble4 far = difference * (soft_down * inverse);
    const FilDouble4 near =
        fil_double4_choose_below(w, half, e.sum, difference) * fil_double4_choose_below(w, half, soft_down * e.power, soft_up * inverse);

    // the next step waits for H alone: its part that needs no exponential is ready by then
    const FilDouble4 scale = fil_double4_with_sign(fil_double4_all(soft->length), from);
    h[0] = (0.5 + scale * fil_double4_min(w, half)) + fil_double4_log_ratio(far, near, scale);
    // 1 / (1 + far) and 1 / (1 + near) by one division
    const FilDouble4 a = 1.0 + far, b = 1.0 + near, i = 1.0 / (a * b), i_far = i * b, i_near = i * a;
    const FilDouble4 logistic = fil_double4_choose_below(w, half, near, one) * i_near;
    h[1] = i_far - logistic;
    if (derivatives > 1) {
        const FilDouble4 s_far = far * i_far * i_far, s_near = near * i_near * i_near;
        h[2] = k * fil_double4_with_sign(s_far - s_near, from);
        if (derivatives > 2) {
            h[3] = k * k * (s_far * (1.0 - 2.0 * i_far) - s_near * (1.0 - 2.0 * logistic));
        }
    }
}

/* ---- first derivatives: P2 eq. 15 forwards, then its chain rule backwards ---- */

static inline FilDouble4 dot(const FilDouble4* a, const FilDouble4* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void measure_dots(const FilDouble4 x[12], FilDouble4 e[3], FilDouble4 f[3], FilDouble4 r[3], FilDouble4 p[5])
{
    for (int i = 0; i < 3; i++) {
        e[i] = x[3 + i] - x[i];
        f[i] = x[9 + i] - x[6 + i];
        r[i] = x[6 + i] - x[i];
    }
    p[D1] = dot(e, e);
    p[D2] = dot(f, f);
    p[S1] = dot(e, r);
    p[S2] = dot(f, r);
    p[R] = dot(e, f);
}

/* The distance of the points at s and t, from coordinates: squares lose digits. */
static inline FilDouble4 measure_distance(const FilDouble4 e[3], const FilDouble4 f[3], const FilDouble4 r[3], FilDouble4 s, FilDouble4 t)
{
    FilDouble4 between[3];
    for (int i = 0; i < 3; i++) {
        between[i] = s * e[i] - t * f[i] - r[i];
    }
    return fil_double4_sqrt(dot(between, between));
}

FIL_VECTOR_INLINE void distance_wide(const FilDouble4 x[12], const FilSoftClamp* soft, FilSmoothWide* out)
{
    FilDouble4 p[5], h1[4], h2[4], h3[4], g[5];
    measure_dots(x, out->e, out->f, out->r, p);
    // 1 / D1 and 1 / D2 by one division
    const FilDouble4 squares = p[D1] * p[D2], lambda = (1.0 + PARALLEL) * squares - p[R] * p[R];
    const FilDouble4 inverse = 1.0 / squares, i1 = inverse * p[D2], i2 = inverse * p[D1], over = 1.0 / lambda;

    // where the points are (eq. 15); the second t is clamped as in eq. 11, which eq. 15 leaves out: unclamped it would
    // measure the distance of ends from the first segment's endless line
    const FilDouble4 t1 = (p[S1] * p[D2] - p[S2] * p[R] + 0.5 * PARALLEL * squares) * over;
    smooth_clamp(t1, soft, 1, h1);
    const FilDouble4 t2 = h1[0], u1 = (t2 * p[R] - p[S2]) * i2;
    smooth_clamp(u1, soft, 2, h2);
    const FilDouble4 u2 = h2[0], box = h2[1], loose = (u2 * p[R] + p[S1]) * i1;
    smooth_clamp(loose, soft, 1, h3);
    const FilDouble4 again = h3[0], s = again + box * (t2 - again), t = u2;
    out->s = s;
    out->t = t;
    out->distance = measure_distance(out->e, out->f, out->r, s, t);

    // d^2 = s^2 D1 + t^2 D2 - 2 s t R - 2 s S1 + 2 t S2 + Q, s and t being its variables too
    const FilDouble4 by_s = 2.0 * (s * p[D1] - t * p[R] - p[S1]), by_t = 2.0 * (t * p[D2] - s * p[R] + p[S2]);
    const FilDouble4 by_loose = by_s * (1.0 - box) * h3[1] * i1;
    const FilDouble4 by_u = ((by_t + by_loose * p[R]) * h2[1] + by_s * (t2 - again) * h2[2]) * i2;
    const FilDouble4 by_t1 = (by_s * box + by_u * p[R]) * h1[1] * over;
    const FilDouble4 shift = 0.5 * PARALLEL - (1.0 + PARALLEL) * t1;  // of t1 by D1 D2
    g[D1] = s * s - by_loose * loose + by_t1 * shift * p[D2];
    g[D2] = t * t - by_u * u1 + by_t1 * (p[S1] + shift * p[D1]);
    g[S1] = -2.0 * s + by_loose + by_t1 * p[D2];
    g[S2] = 2.0 * t - by_u - by_t1 * p[R];
    g[R] = -2.0 * s * t + by_loose * u2 + by_u * t2 + by_t1 * (2.0 * t1 * p[R] - p[S2]);
    const FilDouble4 half = 0.5 / out->distance;
    for (int i = 0; i < Q; i++) {
        out->slope[i] = half * g[i];
    }
    out->slope[Q] = half;
}

FIL_VECTOR_INLINE void gradient_wide(const FilSmoothWide* d, FilDouble4 gradient[12])
{
    const FilDouble4 *g = d->slope, e2 = 2.0 * g[D1], f2 = 2.0 * g[D2], r2 = 2.0 * g[Q];
    for (int k = 0; k < 3; k++) {
        const FilDouble4 e = e2 * d->e[k] + g[R] * d->f[k] + g[S1] * d->r[k];
        const FilDouble4 f = g[R] * d->e[k] + f2 * d->f[k] + g[S2] * d->r[k];
        const FilDouble4 r = g[S1] * d->e[k] + g[S2] * d->f[k] + r2 * d->r[k];
        gradient[k] = -e - r;
        gradient[3 + k] = e;
        gradient[6 + k] = r - f;
        gradient[9 + k] = f;
    }
}

#endif
