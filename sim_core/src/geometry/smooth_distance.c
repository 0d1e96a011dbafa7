#include "geometry/smooth_distance.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

/* Segments whose angle has a sine below the root of this count as parallel: the quotient for s has no digits left. */
static const double PARALLEL = 1e-14;

enum { D1, D2, S1, S2, R, Q };

/* ---- the softened clamp ---- */

/* log(1 + x) for x in [0, 1] */
static inline double log_beyond(double x)
{
    return x < 1e-8 ? x : log1p(x);
}

/* H (P2 eq. 13) and its first three derivatives; the first is B (eq. 14). `unit` is exp(-k). */
static inline void clamp_softly(double x, double k, double unit, double h[4])
{
    // exp(-|k x|) and exp(-|k (x - 1)|): one is exp(-k) times or over the other
    const double first = exp(x < 1.0 ? -k * fabs(x) : -k * (x - 1.0));
    const double small[2] = {x < 1.0 ? first : first * unit, x < 0.0 ? first * unit : x < 1.0 ? unit / first : first};
    const double both = 1.0 / ((1.0 + small[0]) * (1.0 + small[1]));
    h[0] = h[1] = h[2] = h[3] = 0.0;
    for (int side = 0; side < 2; side++) {
        const double y = k * (x - side), sign = side == 0 ? 1.0 : -1.0, e = small[side],
                     i = both * (1.0 + small[1 - side]);
        const double logistic = (y > 0.0 ? 1.0 : e) * i, slope = e * i * i;
        h[0] += sign * (fmax(y, 0.0) + log_beyond(e));
        h[1] += sign * logistic;
        h[2] += sign * k * slope;
        h[3] += sign * k * k * slope * (1.0 - 2.0 * logistic);
    }
    h[0] /= k;
}

/* ---- first derivatives: P2 eq. 15 forwards, then its chain rule backwards ---- */

static void measure_dots(const double x[12], FilSmoothDistance* out, double p[5])
{
    fil_v3_sub(out->e, x + 3, x);
    fil_v3_sub(out->f, x + 9, x + 6);
    fil_v3_sub(out->r, x + 6, x);
    p[D1] = fil_v3_dot(out->e, out->e);
    p[D2] = fil_v3_dot(out->f, out->f);
    p[S1] = fil_v3_dot(out->e, out->r);
    p[S2] = fil_v3_dot(out->f, out->r);
    p[R] = fil_v3_dot(out->e, out->f);
}

/* The distance of the points at s and t, from coordinates: squares lose digits. */
static void measure_distance(FilSmoothDistance* out, double s, double t)
{
    double between[3];
    for (int i = 0; i < 3; i++) {
        between[i] = s * out->e[i] - t * out->f[i] - out->r[i];
    }
    out->s = s;
    out->t = t;
    out->distance = fil_v3_norm(between);
}

void fil_smooth_distance(const double x[12], double k, FilSmoothDistance* out)
{
    double p[5], h1[4], h2[4], h3[4], g[5];
    measure_dots(x, out, p);
    const double i1 = 1.0 / p[D1], i2 = 1.0 / p[D2], unit = exp(-k);

    // where the points are (eq. 15); the second t is clamped as in eq. 11, which eq. 15 leaves out: unclamped it would
    // measure the distance of ends from the first segment's endless line
    const double lambda = p[D1] * p[D2] - p[R] * p[R];
    const double over = lambda > PARALLEL * p[D1] * p[D2] ? 1.0 / lambda : 0.0;
    const double t1 = (p[S1] * p[D2] - p[S2] * p[R]) * over;
    clamp_softly(t1, k, unit, h1);
    const double t2 = h1[0], u1 = (t2 * p[R] - p[S2]) * i2;
    clamp_softly(u1, k, unit, h2);
    const double u2 = h2[0], box = h2[1], loose = (u2 * p[R] + p[S1]) * i1;
    clamp_softly(loose, k, unit, h3);
    const double again = h3[0], s = again + box * (t2 - again), t = u2;
    measure_distance(out, s, t);

    // d^2 = s^2 D1 + t^2 D2 - 2 s t R - 2 s S1 + 2 t S2 + Q, s and t being its variables too
    const double by_s = 2.0 * (s * p[D1] - t * p[R] - p[S1]), by_t = 2.0 * (t * p[D2] - s * p[R] + p[S2]);
    const double by_loose = by_s * (1.0 - box) * h3[1] * i1;
    const double by_u = ((by_t + by_loose * p[R]) * h2[1] + by_s * (t2 - again) * h2[2]) * i2;
    const double by_t1 = (by_s * box + by_u * p[R]) * h1[1] * over;
    g[D1] = s * s - by_loose * loose - by_t1 * t1 * p[D2];
    g[D2] = t * t - by_u * u1 + by_t1 * (p[S1] - t1 * p[D1]);
    g[S1] = -2.0 * s + by_loose + by_t1 * p[D2];
    g[S2] = 2.0 * t - by_u - by_t1 * p[R];
    g[R] = -2.0 * s * t + by_loose * u2 + by_u * t2 + by_t1 * (2.0 * t1 * p[R] - p[S2]);
    const double half = 0.5 / out->distance;
    for (int i = 0; i < Q; i++) {
        out->slope[i] = half * g[i];
    }
    out->slope[Q] = half;
}

/* ---- second derivatives: numbers that carry theirs by D1, D2, S1, S2, R ---- */

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

/* As in fil_smooth_distance(): P2 eq. 15, its t3 and u2. */
static inline void find_points(const Jet p[VARIABLES], double k, Jet* s, Jet* t)
{
    double h[4];
    const double unit = exp(-k);
    const Jet square = multiply(p[R], p[R]);
    const Jet lambda = add(multiply(p[D1], p[D2]), -1.0, square);
    Jet t1 = {.value = 0.0};
    if (lambda.value > PARALLEL * p[D1].value * p[D2].value) {
        const Jet cross = multiply(p[S2], p[R]);
        t1 = divide(add(multiply(p[S1], p[D2]), -1.0, cross), lambda);
    }
    clamp_softly(t1.value, k, unit, h);
    const Jet t2 = apply(t1, h[0], h[1], h[2]);
    const Jet u1 = divide(add(multiply(t2, p[R]), -1.0, p[S2]), p[D2]);
    clamp_softly(u1.value, k, unit, h);
    const Jet u2 = apply(u1, h[0], h[1], h[2]), box = apply(u1, h[1], h[2], h[3]);
    // (1 - B) again + B t2
    const Jet loose = divide(add(multiply(u2, p[R]), 1.0, p[S1]), p[D1]);
    clamp_softly(loose.value, k, unit, h);
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
    double dots[VARIABLES];
    measure_dots(x, out, dots);
    Jet p[VARIABLES], s, t;
    for (int i = 0; i < VARIABLES; i++) {
        p[i] = variable(i, dots[i]);
    }
    find_points(p, sharpness, &s, &t);
    const Jet square = squared_distance(p, s, t);
    measure_distance(out, s.value, t.value);

    // d = sqrt(square + Q)
    const double d1 = 0.5 / out->distance, d2 = -d1 * d1 / out->distance;
    for (int i = 0, m = 0; i < VARIABLES; i++) {
        out->slope[i] = d1 * square.g[i];
        for (int j = i; j < VARIABLES; j++, m++) {
            out->bend[FIL_GRAM * i + j] = out->bend[FIL_GRAM * j + i] =
                d1 * square.h[m] + d2 * square.g[i] * square.g[j];
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

void fil_smooth_distance_gradient(const FilSmoothDistance* d, double gradient[12])
{
    double m[3][3];
    pair_weights(d, m);
    for (int k = 0; k < 3; k++) {
        const double e = m[0][0] * d->e[k] + m[0][1] * d->f[k] + m[0][2] * d->r[k];
        const double f = m[1][0] * d->e[k] + m[1][1] * d->f[k] + m[1][2] * d->r[k];
        const double r = m[2][0] * d->e[k] + m[2][1] * d->f[k] + m[2][2] * d->r[k];
        gradient[k] = -e - r;
        gradient[3 + k] = e;
        gradient[6 + k] = r - f;
        gradient[9 + k] = f;
    }
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

void fil_smooth_distance_hessian(const FilSmoothDistance* d, const double gradient[12], double first, double curved,
                                 double hessian[144])
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
