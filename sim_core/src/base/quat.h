/* Unit quaternions as small inline functions: products, rotation vectors. */
#ifndef FILUM_BASE_QUAT_H
#define FILUM_BASE_QUAT_H

#include "base/vec3.h"

/* Scales to unit length; false if there is no rotation in it. */
static inline bool fil_quat_normalise(FilQuat* q)
{
    const double size = sqrt(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w);
    // shorter ones are zero but for rounding of what they were made from: 1e4 roundings of numbers of order 1
    if (!(isfinite(size) && size > 1e-12)) {
        return false;
    }
    *q = (FilQuat){q->x / size, q->y / size, q->z / size, q->w / size};
    return true;
}

/* First b, then a. */
static inline FilQuat fil_quat_multiply(FilQuat a, FilQuat b)
{
    return (FilQuat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/* The quaternion of a rotation vector. */
static inline FilQuat fil_quat_exponential(const double* w)
{
    const double angle = fil_v3_norm(w);
    // the series' next term, angle^4/3840, is nothing there
    const double s = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5 - angle * angle / 48.0;
    return (FilQuat){s * w[0], s * w[1], s * w[2], cos(0.5 * angle)};
}

/* The rotation vector of a unit quaternion, at most pi long. */
static inline void fil_quat_logarithm(FilQuat q, double* w)
{
    const double sign = q.w < 0.0 ? -1.0 : 1.0, size = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    // there it is 2 but for size^2, which rounding does not see
    const double scale = sign * (size > 1e-12 ? 2.0 * atan2(size, sign * q.w) / size : 2.0);
    fil_v3_set(w, scale * q.x, scale * q.y, scale * q.z);
}

/* Between two orientations, 0 to pi. */
static inline double fil_quat_angle_between(FilQuat a, FilQuat b)
{
    const FilQuat turn = fil_quat_multiply(a, (FilQuat){-b.x, -b.y, -b.z, b.w});
    return 2.0 * atan2(sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z), fabs(turn.w));
}

#endif
