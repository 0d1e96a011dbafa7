#include "linalg/block_matrix.h"

#include <math.h>
#include <string.h>

#include "linalg/pair.h"

/* y_j += B' x_i, y_i += B x_j for an off-diagonal block B at (i, j) */
static inline void multiply_both(const double* b, const double* xi, const double* xj, double* yi, double* yj)
{
    const FilPair x0 = fil_pair_load(xi), x1 = fil_pair_load(xi + 2);
    FilPair y0 = fil_pair_load(yi), y1 = fil_pair_load(yi + 2);
    for (int c = 0; c < FIL_BLOCK; c++) {
        const FilPair b0 = fil_pair_load(b + 4 * c), b1 = fil_pair_load(b + 4 * c + 2);
        const FilPair scale = fil_pair_both(xj[c]);
        y0 = fil_pair_add_product(y0, b0, scale);
        y1 = fil_pair_add_product(y1, b1, scale);
        yj[c] += fil_pair_sum(fil_pair_add_product(fil_pair_add_product(fil_pair_both(0.0), b0, x0), b1, x1));
    }
    fil_pair_store(yi, y0);
    fil_pair_store(yi + 2, y1);
}

static inline void multiply_diagonal(const double* b, const double* x, double* y)
{
    FilPair y0 = fil_pair_load(y), y1 = fil_pair_load(y + 2);
    for (int c = 0; c < FIL_BLOCK; c++) {
        const FilPair scale = fil_pair_both(x[c]);
        y0 = fil_pair_add_product(y0, fil_pair_load(b + 4 * c), scale);
        y1 = fil_pair_add_product(y1, fil_pair_load(b + 4 * c + 2), scale);
    }
    fil_pair_store(y, y0);
    fil_pair_store(y + 2, y1);
}

void fil_block_multiply(const FilBlockPattern* pattern, const double* values, const double* x, double* y)
{
    memset(y, 0, (size_t)pattern->columns * FIL_BLOCK * sizeof *y);
    fil_block_multiply_add(pattern, values, x, y);
}

void fil_block_multiply_add(const FilBlockPattern* pattern, const double* values, const double* x, double* y)
{
    for (int j = 0; j < pattern->columns; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            const int i = pattern->row[k];
            const double* block = values + FIL_BLOCK_SIZE * (size_t)k;
            if (i == j) {
                multiply_diagonal(block, x + 4 * j, y + 4 * j);
            } else {
                multiply_both(block, x + 4 * i, x + 4 * j, y + 4 * i, y + 4 * j);
            }
        }
    }
}

bool fil_block_inverse_factor(const double* a, double* w)
{
    // a = l d l' with unit lower l; u = l d below the diagonal
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
    if (!positive || !finite) {
        return false;
    }

    // w = d^-1/2 l^-1
    const double m20 = l21 * l10 - l20, m31 = l32 * l21 - l31;
    const double m30 = l31 * l10 - l30 - l32 * m20;
    const double s0 = sqrt(i0), s1 = sqrt(i1), s2 = sqrt(i2), s3 = sqrt(i3);
    const double columns[FIL_BLOCK_SIZE] = {
        s0,  -s1 * l10, s2 * m20,  s3 * m30,   //
        0.0, s1,        -s2 * l21, s3 * m31,   //
        0.0, 0.0,       s2,        -s3 * l32,  //
        0.0, 0.0,       0.0,       s3,
    };
    memcpy(w, columns, sizeof columns);
    return true;
}
