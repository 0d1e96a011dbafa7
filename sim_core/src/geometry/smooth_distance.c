#include "geometry/smooth_distance.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "geometry/smooth_wide.h"

FilSoftClamp fil_soft_clamp(double sharpness)
{
    return (FilSoftClamp){sharpness, 1.0 / sharpness, exp(0.5 * sharpness), exp(-0.5 * sharpness)};
}

/* ---- four pairs ---- */

void fil_smooth_distance_wide(const FilDouble4 x[12], const FilSoftClamp* soft, FilSmoothWide* out)
{
#if defined(FIL_VECTOR_AVX2)
    if (fil_vector_level() >= FIL_VECTOR_256) {
        fil_smooth_distance_avx2(x, soft, out);
        return;
    }
#endif
    distance_wide(x, soft, out);
}

void fil_smooth_wide_gradient(const FilSmoothWide* d, FilDouble4 gradient[12])
{
    gradient_wide(d, gradient);
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
