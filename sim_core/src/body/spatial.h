/* Spatial vectors about a common point (Featherstone 2008, ch. 2): motions (angular velocity, velocity of what is at the point) and forces (moment
 * about the point, force). */
#ifndef FILUM_BODY_SPATIAL_H
#define FILUM_BODY_SPATIAL_H

#include "base/vec3.h"

/* Mass, first moment, second moment xx, yy, zz, xy, xz, yz. */
typedef struct FilSpatialInertia {
    double m, h[3], j[6];
} FilSpatialInertia;

/* out += a x m for motions a and m. */
static inline void fil_spatial_add_cross(double* out, const double* a, const double* m)
{
    double c[3];
    fil_v3_cross(c, a, m);
    fil_v3_axpy(out, 1.0, c);
    fil_v3_cross(c, a, m + 3);
    fil_v3_axpy(out + 3, 1.0, c);
    fil_v3_cross(c, a + 3, m);
    fil_v3_axpy(out + 3, 1.0, c);
}

/* out += a x f for a motion a and a force f. */
static inline void fil_spatial_add_cross_force(double* out, const double* a, const double* f)
{
    double c[3];
    fil_v3_cross(c, a, f);
    fil_v3_axpy(out, 1.0, c);
    fil_v3_cross(c, a + 3, f + 3);
    fil_v3_axpy(out, 1.0, c);
    fil_v3_cross(c, a, f + 3);
    fil_v3_axpy(out + 3, 1.0, c);
}

static inline double fil_spatial_dot(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* (J w + h x v, m v - h x w) */
static inline void fil_spatial_apply(double* out, const FilSpatialInertia* i, const double* motion)
{
    const double *w = motion, *v = motion + 3, *h = i->h, *j = i->j;
    out[0] = j[0] * w[0] + j[3] * w[1] + j[4] * w[2] + h[1] * v[2] - h[2] * v[1];
    out[1] = j[3] * w[0] + j[1] * w[1] + j[5] * w[2] + h[2] * v[0] - h[0] * v[2];
    out[2] = j[4] * w[0] + j[5] * w[1] + j[2] * w[2] + h[0] * v[1] - h[1] * v[0];
    out[3] = i->m * v[0] - h[1] * w[2] + h[2] * w[1];
    out[4] = i->m * v[1] - h[2] * w[0] + h[0] * w[2];
    out[5] = i->m * v[2] - h[0] * w[1] + h[1] * w[0];
}

#endif
