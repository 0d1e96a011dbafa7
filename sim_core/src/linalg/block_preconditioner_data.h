/* What the files of the preconditioner's factor share. */
#ifndef FILUM_LINALG_BLOCK_PRECONDITIONER_DATA_H
#define FILUM_LINALG_BLOCK_PRECONDITIONER_DATA_H

#include <math.h>

#include "base/vector.h"
#include "linalg/block_preconditioner.h"

/* The terms. */
enum { A, C, F };

/* Of parts of a factorisation. */
enum { DONE, INDEFINITE, NOT_THIN };

/* `width` is the number of columns of a block, 3 or 4; a constant wherever it matters. */

/* Where block k of an array of them begins. */
static inline float* block_at(float* blocks, int k, int width)
{
    return blocks + (ptrdiff_t)4 * width * k;
}

/* Size of a block's fourth row and column, on the diagonal but for what they have in common. */
static inline double fourth_of(const double* b, bool diagonal)
{
    return (fabs(b[3]) + fabs(b[7]) + fabs(b[11])) + (fabs(b[12]) + fabs(b[13]) + fabs(b[14])) + (diagonal ? 0.0 : fabs(b[15]));
}

/* Column c of a block that is turned round where its source says so. */
static inline FilFloat4 round_column(const double* block, int source, int c)
{
    return source & 1 ? fil_float4_round(block + c, 4) : fil_float4_round(block + 4 * c, 1);
}

/* W with W a W' = 1 of a symmetric block, both by columns; false if that is not positive definite. Thin: the fourth is left alone. */
static inline bool invert_pivot(const float* a, FilFloat4* w, int width)
{
    const float i0 = 1.0F / a[0];
    const float l10 = a[1] * i0, l20 = a[2] * i0;
    const float d1 = a[5] - l10 * a[1], i1 = 1.0F / d1, u21 = a[6] - l10 * a[2], l21 = u21 * i1;
    const float d2 = a[10] - l20 * a[2] - l21 * u21, i2 = 1.0F / d2;
    if (!(a[0] > 0.0F && d1 > 0.0F && d2 > 0.0F && a[0] < INFINITY && d1 < INFINITY && d2 < INFINITY)) {
        return false;
    }
    const float s0 = sqrtf(i0), s1 = sqrtf(i1), s2 = sqrtf(i2), m20 = l21 * l10 - l20;
    float last[FIL_BLOCK] = {0.0F};
    if (width == FIL_BLOCK) {
        const float l30 = a[3] * i0, u31 = a[7] - l10 * a[3], l31 = u31 * i1, u32 = a[11] - l20 * a[3] - l21 * u31, l32 = u32 * i2;
        const float d3 = a[15] - l30 * a[3] - l31 * u31 - l32 * u32, s3 = sqrtf(1.0F / d3), m31 = l32 * l21 - l31;
        if (!(d3 > 0.0F && d3 < INFINITY)) {
            return false;
        }
        last[0] = s3 * (l31 * l10 - l30 - l32 * m20);
        last[1] = s3 * m31;
        last[2] = -s3 * l32;
        last[3] = s3;
        w[3] = (FilFloat4){0.0F, 0.0F, 0.0F, last[3]};
    }
    w[0] = (FilFloat4){s0, -s1 * l10, s2 * m20, last[0]};
    w[1] = (FilFloat4){0.0F, s1, -s2 * l21, last[1]};
    w[2] = (FilFloat4){0.0F, 0.0F, s2, last[2]};
    return true;
}

/* The same of column j, which is kept. */
static inline bool keep_pivot(FilBlockPreconditioner* precond, const float* a, int j, FilFloat4* w, int width)
{
    if (!invert_pivot(a, w, width)) {
        return false;
    }
    for (int k = 0; k < width; k++) {
        fil_float4_store(block_at(precond->inverse.at, j, width) + 4 * k, w[k]);
    }
    return true;
}

/* A block of L from the gathered one: column r is the sum of c_k w_rk over k <= r. */
static inline void finish_block(const FilFloat4* block, const FilFloat4* w, FilFloat4* l, int width)
{
    for (int r = 0; r < width; r++) {
        l[r] = fil_float4_all(0.0F);
        for (int k = 0; k <= r; k++) {
            l[r] = fil_float4_add_lane(l[r], block[k], w[k], r);
        }
    }
}

static inline int worst_outcome(const FilBlockPreconditioner* precond, int count)
{
    int worst = DONE;
    for (int k = 0; k < count; k++) {
        worst = precond->outcome.at[k] > worst ? precond->outcome.at[k] : worst;
    }
    return worst;
}

static inline float* base_of(const FilBlockPreconditioner* precond, int j, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    return block_at(precond->base.at, s->column_start.at[j] - s->column_start.at[s->first_changing], width);
}

/* Room for each worker's column. */
static inline bool reserve_columns(FilBlockPreconditioner* precond, FilWorkers* workers)
{
    const size_t n = (size_t)precond->symbolic.columns * (size_t)fil_workers_count(workers);
    return fil_ints_reserve(&precond->place, n) && fil_floats_reserve(&precond->column, FIL_BLOCK_SIZE * n);
}

/* Ends what fil_block_preconditioner_reduce() has begun. */
static inline void end_reduction(FilBlockPreconditioner* precond)
{
    if (precond->reducing != NULL) {
        fil_workers_end_aside(precond->reducing);
        precond->reducing = NULL;
    }
}

/* Panels of the changing columns of a new analysis; false when out of memory. */
FIL_MUST_CHECK bool fil_block_panels_find(FilBlockPreconditioner* precond);
void fil_block_panels_free(FilBlockPanels* panels);

#endif
