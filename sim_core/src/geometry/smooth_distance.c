#include "geometry/smooth_distance.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "base/vector_math.h"

/* Of nearly parallel segments the closest points jump from end to end with the least turn, and forces with them; P2's quotient for s has
 * no digits left there. Added to the square of the sine of their angle this lets s go to the middle instead, where that is below
 * the root of it. What a segment's end is then seen too far away by is less than length / 2 times that angle. */
static const double PARALLEL = 1e-3;

enum { D1, D2, S1, S2, R, Q };

/* ---- the softened clamp ---- */

FilSoftClamp fil_soft_clamp(double sharpness)
{
    return (FilSoftClamp){sharpness, 1.0 / sharpness, exp(0.5 * sharpness), exp(-0.5 * sharpness)};
}

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

void fil_smooth_distance_wide(const FilDouble4 x[12], const FilSoftClamp* soft, FilSmoothWide* out)
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

void fil_smooth_wide_gradient(const FilSmoothWide* d, FilDouble4 gradient[12])
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

/* ---- one pair: the first of several that are the same ---- */

static double first_of(FilDouble4 a)
{
    return fil_double4_get(&a, 0);
}

static void take_first(const FilDouble4* from, int count, double* to)
{
    for (int i = 0; i < count; i++) {
        to[i] = first_of(from[i]);
    }
}

static void splat(const double x[12], FilDouble4 wide[12])
{
    for (int i = 0; i < 12; i++) {
        wide[i] = fil_double4_all(x[i]);
    }
}

void fil_smooth_distance(const double x[12], double sharpness, FilSmoothDistance* out)
{
    const FilSoftClamp soft = fil_soft_clamp(sharpness);
    FilSmoothWide d;
    FilDouble4 wide[12];
    splat(x, wide);
    fil_smooth_distance_wide(wide, &soft, &d);
    out->distance = first_of(d.distance);
    out->s = first_of(d.s);
    out->t = first_of(d.t);
    take_first(d.e, 3, out->e);
    take_first(d.f, 3, out->f);
    take_first(d.r, 3, out->r);
    take_first(d.slope, FIL_GRAM, out->slope);
}

void fil_smooth_distance_gradient(const FilSmoothDistance* d, double gradient[12])
{
    FilSmoothWide wide = {.distance = fil_double4_all(d->distance)};
    FilDouble4 all[12];
    for (int i = 0; i < 3; i++) {
        wide.e[i] = fil_double4_all(d->e[i]);
        wide.f[i] = fil_double4_all(d->f[i]);
        wide.r[i] = fil_double4_all(d->r[i]);
    }
    for (int i = 0; i < FIL_GRAM; i++) {
        wide.slope[i] = fil_double4_all(d->slope[i]);
    }
    fil_smooth_wide_gradient(&wide, all);
    take_first(all, 12, gradient);
}

/* ---- second derivatives: numbers that carry theirs by D1, D2, S1, S2, R ---- */

/* the five above, and 5 * 6 / 2 pairs of them */
enum { VARIABLES = 5, PAIRS = 15 };

/* A value, its gradient and its Hessian (upper triangle by rows). */
typedef struct Jet {
    double value, g[VARIABLES], h[PAIRS];
} Jet;

static inline Jet variable(int index, double value)
{
    Jet a = {.value = value};
    a.g[index] = 1.0;
    return a;
}

/* f(a), given f and its derivatives at a */
static inline Jet apply(Jet a, double f, double f1, double f2)
{
    Jet c = {.value = f};
    for (int i = 0, k = 0; i < VARIABLES; i++) {
        c.g[i] = f1 * a.g[i];
        for (int j = i; j < VARIABLES; j++, k++) {
            c.h[k] = f1 * a.h[k] + f2 * a.g[i] * a.g[j];
        }
    }
    return c;
}

static inline Jet multiply(Jet a, Jet b)
{
    Jet c = {.value = a.value * b.value};
    for (int i = 0, k = 0; i < VARIABLES; i++) {
        c.g[i] = a.value * b.g[i] + b.value * a.g[i];
        for (int j = i; j < VARIABLES; j++, k++) {
            c.h[k] = a.value * b.h[k] + b.value * a.h[k] + a.g[i] * b.g[j] + a.g[j] * b.g[i];
        }
    }
    return c;
}

/* a + scale b */
static inline Jet add(Jet a, double scale, Jet b)
{
    a.value += scale * b.value;
    for (int i = 0; i < VARIABLES; i++) {
        a.g[i] += scale * b.g[i];
    }
    for (int k = 0; k < PAIRS; k++) {
        a.h[k] += scale * b.h[k];
    }
    return a;
}

static inline Jet divide(Jet a, Jet b)
{
    const double i = 1.0 / b.value;
    return multiply(a, apply(b, i, -i * i, 2.0 * i * i * i));
}

/* H(x), B(x) and their next two derivatives. */
static void clamp_one(double x, const FilSoftClamp* soft, double h[4])
{
    FilDouble4 wide[4];
    smooth_clamp(fil_double4_all(x), soft, 3, wide);
    take_first(wide, 4, h);
}

/* As in fil_smooth_distance_wide(): P2 eq. 15, its t3 and u2. */
static inline void find_points(const Jet p[VARIABLES], const FilSoftClamp* soft, Jet* s, Jet* t)
{
    double h[4];
    const Jet square = multiply(p[R], p[R]), squares = multiply(p[D1], p[D2]);
    const Jet lambda = add(add(squares, PARALLEL, squares), -1.0, square);
    const Jet cross = add(multiply(p[S2], p[R]), -0.5 * PARALLEL, squares);
    const Jet t1 = divide(add(multiply(p[S1], p[D2]), -1.0, cross), lambda);
    clamp_one(t1.value, soft, h);
    const Jet t2 = apply(t1, h[0], h[1], h[2]);
    const Jet u1 = divide(add(multiply(t2, p[R]), -1.0, p[S2]), p[D2]);
    clamp_one(u1.value, soft, h);
    const Jet u2 = apply(u1, h[0], h[1], h[2]), box = apply(u1, h[1], h[2], h[3]);
    // (1 - B) again + B t2
    const Jet loose = divide(add(multiply(u2, p[R]), 1.0, p[S1]), p[D1]);
    clamp_one(loose.value, soft, h);
    const Jet again = apply(loose, h[0], h[1], h[2]);
    *s = add(again, 1.0, multiply(box, add(t2, -1.0, again)));
    *t = u2;
}

/* |s e - t f - r|^2 but for Q */
static inline Jet squared_distance(const Jet p[VARIABLES], Jet s, Jet t)
{
    // s (s D1 - 2 t R - 2 S1) + t (t D2 + 2 S2)
    const Jet a = add(add(multiply(s, p[D1]), -2.0, multiply(t, p[R])), -2.0, p[S1]);
    const Jet b = add(multiply(t, p[D2]), 2.0, p[S2]);
    return add(multiply(s, a), 1.0, multiply(t, b));
}

void fil_smooth_distance_second(const double x[12], double sharpness, FilSmoothDistance* out)
{
    const FilSoftClamp soft = fil_soft_clamp(sharpness);
    fil_smooth_distance(x, sharpness, out);
    const double dots[VARIABLES] = {fil_v3_dot(out->e, out->e), fil_v3_dot(out->f, out->f), fil_v3_dot(out->e, out->r), fil_v3_dot(out->f, out->r),
                                    fil_v3_dot(out->e, out->f)};
    Jet p[VARIABLES], s, t;
    for (int i = 0; i < VARIABLES; i++) {
        p[i] = variable(i, dots[i]);
    }
    find_points(p, &soft, &s, &t);
    const Jet square = squared_distance(p, s, t);

    // d = sqrt(square + Q)
    const double d1 = 0.5 / out->distance, d2 = -d1 * d1 / out->distance;
    for (int i = 0, m = 0; i < VARIABLES; i++) {
        out->slope[i] = d1 * square.g[i];
        for (int j = i; j < VARIABLES; j++, m++) {
            out->bend[FIL_GRAM * i + j] = out->bend[FIL_GRAM * j + i] = d1 * square.h[m] + d2 * square.g[i] * square.g[j];
        }
        out->bend[FIL_GRAM * i + Q] = out->bend[FIL_GRAM * Q + i] = d2 * square.g[i];
    }
    out->slope[Q] = d1;
    out->bend[FIL_GRAM * Q + Q] = d2;
}

/* ---- from dot products to coordinates ---- */

/* x0 enters e and r with -1; x1 enters e; x2 enters r with +1 and f with -1; x3 enters f: rows e, f, r. */
static const double ENTERS[3][4] = {{-1.0, 1.0, 0.0, 0.0}, {0.0, 0.0, -1.0, 1.0}, {-1.0, 0.0, 1.0, 0.0}};

/* Second derivatives of sum_p slope_p p by e, f, r: this times the unit matrix. */
static void pair_weights(const FilSmoothDistance* d, double m[3][3])
{
    const double* g = d->slope;
    const double weights[3][3] = {{2.0 * g[D1], g[R], g[S1]}, {g[R], 2.0 * g[D2], g[S2]}, {g[S1], g[S2], 2.0 * g[Q]}};
    memcpy(m, weights, sizeof weights);
}

/* Gradients of the six dot products by the twelve coordinates. */
static void dot_gradients(const FilSmoothDistance* d, double out[FIL_GRAM][12])
{
    const double* v[3] = {d->e, d->f, d->r};
    static const int pair[FIL_GRAM][2] = {{0, 0}, {1, 1}, {0, 2}, {1, 2}, {0, 1}, {2, 2}};
    for (int p = 0; p < FIL_GRAM; p++) {
        const int a = pair[p][0], b = pair[p][1];
        for (int n = 0; n < 4; n++) {
            for (int k = 0; k < 3; k++) {
                out[p][3 * n + k] = ENTERS[a][n] * v[b][k] + ENTERS[b][n] * v[a][k];
            }
        }
    }
}

/* hessian += curved (bend seen through the dot products + their own second derivatives) */
static void add_curvature(const FilSmoothDistance* d, double curved, double hessian[144])
{
    double m[3][3], unit[4][4] = {{0.0}}, dots[FIL_GRAM][12], bent[FIL_GRAM][12] = {{0.0}};
    pair_weights(d, m);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            for (int i = 0; i < 4; i++) {
                for (int j = 0; j < 4; j++) {
                    unit[i][j] += curved * ENTERS[a][i] * m[a][b] * ENTERS[b][j];
                }
            }
        }
    }
    dot_gradients(d, dots);
    for (int p = 0; p < FIL_GRAM; p++) {
        for (int q = 0; q < FIL_GRAM; q++) {
            for (int j = 0; j < 12; j++) {
                bent[p][j] += curved * d->bend[FIL_GRAM * p + q] * dots[q][j];
            }
        }
    }
    for (int i = 0; i < 12; i++) {
        for (int p = 0; p < FIL_GRAM; p++) {
            for (int j = 0; j < 12; j++) {
                hessian[12 * i + j] += dots[p][i] * bent[p][j];
            }
        }
        for (int n = 0; n < 4; n++) {
            hessian[12 * i + 3 * n + i % 3] += unit[i / 3][n];
        }
    }
}

void fil_smooth_distance_hessian(const FilSmoothDistance* d, const double gradient[12], double first, double curved, double hessian[144])
{
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++) {
            hessian[12 * i + j] = first * gradient[i] * gradient[j];
        }
    }
    if (curved != 0.0) {
        add_curvature(d, curved, hessian);
    }
}
