/* A symmetric positive definite 4x4 block a = l d l' without roots, which take as long as divisions: m = l^-1 is unit lower triangular. */
#ifndef FILUM_LINALG_BLOCK_SPLIT_H
#define FILUM_LINALG_BLOCK_SPLIT_H

#include <math.h>
#include <stdbool.h>

typedef struct FilBlockSplit {
    double m10, m20, m30, m21, m31, m32; /* below the diagonal of m */
    double i0, i1, i2, i3;               /* 1/d */
} FilBlockSplit;

/* Of a block by columns, whose lower triangle is read. False when a pivot is not positive and finite. */
static inline bool fil_block_split(const double* a, FilBlockSplit* out)
{
    // u = l d below the diagonal
    const double d0 = a[0], i0 = 1.0 / d0;
    const double l10 = a[1] * i0, l20 = a[2] * i0, l30 = a[3] * i0;
    const double d1 = a[5] - l10 * a[1], i1 = 1.0 / d1;
    const double u21 = a[6] - l10 * a[2], u31 = a[7] - l10 * a[3];
    const double l21 = u21 * i1, l31 = u31 * i1;
    const double d2 = a[10] - l20 * a[2] - l21 * u21, i2 = 1.0 / d2;
    const double u32 = a[11] - l20 * a[3] - l21 * u31;
    const double l32 = u32 * i2;
    const double d3 = a[15] - l30 * a[3] - l31 * u31 - l32 * u32, i3 = 1.0 / d3;
    const bool positive = d0 > 0.0 && d1 > 0.0 && d2 > 0.0 && d3 > 0.0;
    const bool finite = d0 < INFINITY && d1 < INFINITY && d2 < INFINITY && d3 < INFINITY;
    const double m20 = l21 * l10 - l20;
    *out = (FilBlockSplit){-l10, m20, l31 * l10 - l30 - l32 * m20, -l21, l32 * l21 - l31, -l32, i0, i1, i2, i3};
    return positive && finite;
}

#endif
