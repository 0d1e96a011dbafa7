/* Distance of two segments as a smooth function of their four end points (P2 eq. 8-15).
 *
 * Segments are x0 x1 and x2 x3, twelve coordinates. P2 softens Lumelsky's clamps by H and his case distinction by B,
 * which is H's derivative; `sharpness` is its k. Eq. 15 as printed lacks the second clamp of eq. 11, which is here.
 * Everything depends on the dot products of three vectors only, e = x1 - x0, f = x3 - x2, r = x2 - x0:  D1 = e.e, D2 =
 * f.f, S1 = e.r, S2 = f.r, R = e.f, Q = r.r, so derivatives are taken by these six numbers and turned into coordinates
 * at the end (docs/imc.md). Scaling of the coordinates scales the distance and nothing else. Segments must have length.
 * Nothing here allocates. */
#ifndef FILUM_GEOMETRY_SMOOTH_DISTANCE_H
#define FILUM_GEOMETRY_SMOOTH_DISTANCE_H

#include "base/vector.h"

enum { FIL_GRAM = 6 }; /* D1, D2, S1, S2, R, Q */

typedef struct FilSmoothDistance {
    double distance;                  /* m */
    double s, t;                      /* where on each segment, about 0 to 1 */
    double e[3], f[3], r[3];          /* m */
    double slope[FIL_GRAM];           /* derivative of the distance by the dot products */
    double bend[FIL_GRAM * FIL_GRAM]; /* second derivative, symmetric; only if asked for */
} FilSmoothDistance;

/* Fills `out`, with or without its second derivatives. */
void fil_smooth_distance(const double x[12], double sharpness, FilSmoothDistance* out);
void fil_smooth_distance_second(const double x[12], double sharpness, FilSmoothDistance* out);

/* P2's k, and 1/k, exp(k/2), exp(-k/2). */
typedef struct FilSoftClamp {
    double k, length, up, down;
} FilSoftClamp;

FilSoftClamp fil_soft_clamp(double sharpness);

/* Several pairs of segments side by side; the same bits as one by one. */
typedef struct FilSmoothWide {
    FilDouble4 distance, s, t, e[3], f[3], r[3], slope[FIL_GRAM];
} FilSmoothWide;

void fil_smooth_distance_wide(const FilDouble4 x[12], const FilSoftClamp* soft, FilSmoothWide* out);
void fil_smooth_wide_gradient(const FilSmoothWide* d, FilDouble4 gradient[12]);

#if defined(FIL_VECTOR_LEVELS)
/* The same, for AVX2. */
void fil_smooth_distance_avx2(const FilDouble4 x[12], const FilSoftClamp* soft, FilSmoothWide* out);
void fil_smooth_gradient_avx2(const FilSmoothWide* d, FilDouble4 gradient[12]);
#endif

/* Gradient by the twelve coordinates. */
void fil_smooth_distance_gradient(const FilSmoothDistance* d, double gradient[12]);

/* first * gradient gradient' + second-derivative matrix * curved, 12 x 12: the Hessian of a function of the distance
 * whose derivatives there are `curved` and `first`. Needs fil_smooth_distance_second() unless `curved` is 0. */
void fil_smooth_distance_hessian(const FilSmoothDistance* d, const double gradient[12], double first, double curved, double hessian[144]);

#endif
