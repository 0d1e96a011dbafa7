/* Three-vectors, 3x3 rotations and quaternions as small inline functions on double arrays. */
#ifndef FILUM_BASE_VEC3_H
#define FILUM_BASE_VEC3_H

#include <math.h>

#include "filum/base.h"

#define FIL_PI 3.14159265358979323846 /* 21 digits: the nearest double */

static inline void fil_v3_set(double* out, double x, double y, double z)
{
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline void fil_v3_copy(double* out, const double* a)
{
    fil_v3_set(out, a[0], a[1], a[2]);
}

static inline double fil_v3_dot(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out = a x b; out must not alias. */
static inline void fil_v3_cross(double* out, const double* a, const double* b)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void fil_v3_sub(double* out, const double* a, const double* b)
{
    fil_v3_set(out, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

static inline void fil_v3_add(double* out, const double* a, const double* b)
{
    fil_v3_set(out, a[0] + b[0], a[1] + b[1], a[2] + b[2]);
}

/* out += s a */
static inline void fil_v3_axpy(double* out, double s, const double* a)
{
    out[0] += s * a[0];
    out[1] += s * a[1];
    out[2] += s * a[2];
}

static inline void fil_v3_scale(double* out, double s, const double* a)
{
    fil_v3_set(out, s * a[0], s * a[1], s * a[2]);
}

static inline double fil_v3_norm(const double* a)
{
    return sqrt(fil_v3_dot(a, a));
}

static inline double fil_v3_distance(const double* a, const double* b)
{
    double d[3];
    fil_v3_sub(d, a, b);
    return fil_v3_norm(d);
}

/* Scales a to unit length and returns its old length; a zero vector stays zero. */
static inline double fil_v3_normalise(double* a)
{
    const double length = fil_v3_norm(a);
    if (length > 0.0) {
        fil_v3_scale(a, 1.0 / length, a);
    }
    return length;
}

/* Any unit vector orthogonal to the unit vector t. */
static inline void fil_v3_orthogonal(double* out, const double* t)
{
    // the axis along which t is least
    const double ax = fabs(t[0]), ay = fabs(t[1]), az = fabs(t[2]);
    double axis[3] = {0.0, 0.0, 0.0};
    axis[ax <= ay && ax <= az ? 0 : (ay <= az ? 1 : 2)] = 1.0;
    fil_v3_cross(out, t, axis);
    fil_v3_normalise(out);
}

/* Six times the volume of a tetrahedron, with its sign: (b - a) . (c - a) x (d - a). */
static inline double fil_v3_determinant(const double* a, const double* b, const double* c, const double* d)
{
    double ab[3], ac[3], ad[3], n[3];
    fil_v3_sub(ab, b, a);
    fil_v3_sub(ac, c, a);
    fil_v3_sub(ad, d, a);
    fil_v3_cross(n, ac, ad);
    return fil_v3_dot(ab, n);
}

/* Rotates m, orthogonal to unit t0, by the shortest rotation that takes t0 to unit t1; out may alias m.
 * For m orthogonal to t0: P m = m - (m.t1)/(1 + t0.t1) (t0 + t1). */
static inline void fil_v3_transport(double* out, const double* m, const double* t0, const double* t1)
{
    const double w = fil_v3_dot(m, t1) / (1.0 + fil_v3_dot(t0, t1));
    for (int k = 0; k < 3; k++) {
        out[k] = m[k] - w * (t0[k] + t1[k]);
    }
}

/* r = c I + a [w]x + b w w', row-major: Rodrigues' formula. About a unit axis w by an angle: a = sin, b = 1 - cos, c = cos. */
static inline void fil_m3_rodrigues(double* r, const double* w, double a, double b, double c)
{
    r[0] = c + b * w[0] * w[0];
    r[1] = b * w[0] * w[1] - a * w[2];
    r[2] = b * w[0] * w[2] + a * w[1];
    r[3] = b * w[0] * w[1] + a * w[2];
    r[4] = c + b * w[1] * w[1];
    r[5] = b * w[1] * w[2] - a * w[0];
    r[6] = b * w[0] * w[2] - a * w[1];
    r[7] = b * w[1] * w[2] + a * w[0];
    r[8] = c + b * w[2] * w[2];
}

/* Row-major rotation matrix of the rotation vector w (axis times angle). */
static inline void fil_m3_from_rotation_vector(double* r, const double* w)
{
    const double angle2 = fil_v3_dot(w, w);
    const double angle = sqrt(angle2);
    // sin(a)/a and (1 - cos(a))/a^2, by series near zero: their next terms, a^4/120 and a^4/720, are below 1e-18
    const double a = angle > 1e-4 ? sin(angle) / angle : 1.0 - angle2 / 6.0;
    const double b = angle > 1e-4 ? (1.0 - cos(angle)) / angle2 : 0.5 - angle2 / 24.0;
    const double c = 1.0 - b * angle2;
    fil_m3_rodrigues(r, w, a, b, c);
}

/* out = r a for a row-major 3x3 r; out must not alias. */
static inline void fil_m3_apply(double* out, const double* r, const double* a)
{
    out[0] = fil_v3_dot(r, a);
    out[1] = fil_v3_dot(r + 3, a);
    out[2] = fil_v3_dot(r + 6, a);
}

/* out = r' a; out must not alias. */
static inline void fil_m3_apply_transposed(double* out, const double* r, const double* a)
{
    for (int k = 0; k < 3; k++) {
        out[k] = r[k] * a[0] + r[3 + k] * a[1] + r[6 + k] * a[2];
    }
}

/* out = m^-1 by rows; false, and out as it was, where m is singular. */
static inline double fil_m3_determinant(const double* m)
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static inline bool fil_m3_invert(double* out, const double* m)
{
    double c0[3], c1[3], c2[3];
    fil_v3_cross(c0, m + 3, m + 6);
    fil_v3_cross(c1, m + 6, m);
    fil_v3_cross(c2, m, m + 3);
    const double det = fil_v3_dot(m, c0);
    if (!(fabs(det) > 0.0) || !isfinite(1.0 / det)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        out[3 * k] = c0[k] / det;
        out[3 * k + 1] = c1[k] / det;
        out[3 * k + 2] = c2[k] / det;
    }
    return true;
}

/* Row-major rotation matrix of a unit quaternion. */
static inline void fil_m3_from_quat(double* r, FilQuat q)
{
    r[0] = 1.0 - 2.0 * (q.y * q.y + q.z * q.z);
    r[1] = 2.0 * (q.x * q.y - q.z * q.w);
    r[2] = 2.0 * (q.x * q.z + q.y * q.w);
    r[3] = 2.0 * (q.x * q.y + q.z * q.w);
    r[4] = 1.0 - 2.0 * (q.x * q.x + q.z * q.z);
    r[5] = 2.0 * (q.y * q.z - q.x * q.w);
    r[6] = 2.0 * (q.x * q.z - q.y * q.w);
    r[7] = 2.0 * (q.y * q.z + q.x * q.w);
    r[8] = 1.0 - 2.0 * (q.x * q.x + q.y * q.y);
}

/* The unit quaternion of a row-major rotation matrix: from its largest component, so that no
 * small number divides. */
static inline FilQuat fil_quat_from_m3(const double* r)
{
    const double trace = r[0] + r[4] + r[8];
    if (trace > 0.0) {
        const double w = 0.5 * sqrt(1.0 + trace), f = 0.25 / w;
        return (FilQuat){f * (r[7] - r[5]), f * (r[2] - r[6]), f * (r[3] - r[1]), w};
    }
    const int i = r[0] >= r[4] && r[0] >= r[8] ? 0 : (r[4] >= r[8] ? 1 : 2), j = (i + 1) % 3, k = (i + 2) % 3;
    double q[3];
    q[i] = 0.5 * sqrt(1.0 + r[4 * i] - r[4 * j] - r[4 * k]);
    const double f = 0.25 / q[i], w = f * (r[3 * k + j] - r[3 * j + k]);
    q[j] = f * (r[3 * i + j] + r[3 * j + i]);
    q[k] = f * (r[3 * i + k] + r[3 * k + i]);
    return (FilQuat){q[0], q[1], q[2], w};
}

/* 0 times anything finite is 0, else NaN; four sums side by side. */
static inline bool fil_all_finite(const double* a, int count)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        for (int m = 0; m < 4; m++) {
            sum[m] += 0.0 * a[k + m];
        }
    }
    for (; k < count; k++) {
        sum[0] += 0.0 * a[k];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

#endif
