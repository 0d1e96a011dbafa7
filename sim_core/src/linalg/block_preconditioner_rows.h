/* Solutions with a factor in single precision, column by column and row by row. */
#ifndef FILUM_LINALG_BLOCK_PRECONDITIONER_ROWS_H
#define FILUM_LINALG_BLOCK_PRECONDITIONER_ROWS_H

#include "base/prefetch.h"
#include "base/vector.h"
#include "linalg/block_preconditioner_data.h"

/* Columns whose blocks are asked for before they are needed: subtrees lie apart, and a factor is more than a cache holds. 4 and 16 gain less. */
enum { COLUMNS_AHEAD = 8 };

/* Always inline: a function that does nothing else may be left out as one without effect. */
static inline __attribute__((always_inline)) void look_ahead(const FilBlockPreconditioner* precond, int j, int width)
{
    const float *blocks = block_at(precond->factor.at, precond->symbolic.column_start.at[j] + 1, width),
                *pivot = block_at(precond->inverse.at, j, width);
    FIL_PREFETCH(pivot);
    FIL_PREFETCH(blocks);
    FIL_PREFETCH(blocks + 16);
}

/* x_j <- W_j x_j */
static inline FilFloat4 apply_pivot(const FilBlockPreconditioner* precond, int j, float* x, int width)
{
    const float* w = block_at(precond->inverse.at, j, width);
    const FilFloat4 b = fil_float4_load(x + 4 * j);
    FilFloat4 y = fil_float4_all(0.0F);
    for (int k = 0; k < width; k++) {
        y = fil_float4_add_lane(y, fil_float4_load(w + 4 * k), b, k);
    }
    fil_float4_store(x + 4 * j, y);
    return y;
}

/* z - L_p y */
static inline FilFloat4 less_block(const FilBlockPreconditioner* precond, int p, FilFloat4 y, FilFloat4 z, int width)
{
    const float* l = block_at(precond->factor.at, p, width);
    for (int k = 0; k < width; k++) {
        z = fil_float4_sub_lane(z, fil_float4_load(l + 4 * k), y, k);
    }
    return z;
}

/* x_i <- x_i - L_p y */
static inline void subtract_block(const FilBlockPreconditioner* precond, int p, FilFloat4 y, float* xi, int width)
{
    fil_float4_store(xi, less_block(precond, p, y, fil_float4_load(xi), width));
}

/* Columns begin to end of L y = b, in place: two that go on alike together, so that what is below them is read and written once. */
static inline void solve_forward(const FilBlockPreconditioner* precond, int begin, int end, float* x, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    for (int j = begin, columns; j < end; j += columns) {
        const int *start = s->column_start.at + j, *row = s->row.at;
        const FilFloat4 y = apply_pivot(precond, j, x, width);
        columns = j + 1 < end && start[1] - start[0] > 1 && row[start[0] + 1] == j + 1 && start[2] - start[1] == start[1] - start[0] - 1 ? 2 : 1;
        if (columns == 1) {
            for (int p = start[0] + 1; p < start[1]; p++) {
                subtract_block(precond, p, y, x + (ptrdiff_t)4 * row[p], width);
            }
            continue;
        }
        subtract_block(precond, start[0] + 1, y, x + (ptrdiff_t)4 * (j + 1), width);
        const FilFloat4 next = apply_pivot(precond, j + 1, x, width);
        for (int p = start[0] + 2, q = start[1] + 1; p < start[1]; p++, q++) {
            float* xi = x + (ptrdiff_t)4 * row[p];
            fil_float4_store(xi, less_block(precond, q, next, less_block(precond, p, y, fil_float4_load(xi), width), width));
        }
    }
}

/* The same of a subtree, in its own rows; those above gather theirs. */
static inline void solve_tree_forward(const FilBlockPreconditioner* precond, int tree, float* x, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const FilSubtrees* trees = &precond->trees;
    for (int c = trees->start.at[tree]; c < trees->start.at[tree + 1]; c++) {
        const int j = trees->column.at[c];
        if (c + COLUMNS_AHEAD < trees->start.at[trees->count + 1]) {
            look_ahead(precond, trees->column.at[c + COLUMNS_AHEAD], width);
        }
        const FilFloat4 y = apply_pivot(precond, j, x, width);
        for (int p = s->column_start.at[j] + 1; p < s->column_start.at[j + 1]; p++) {
            const int i = s->row.at[p];
            if (i >= s->first_changing || trees->task.at[i] != tree) {
                break;  // all that follow are above, too
            }
            subtract_block(precond, p, y, x + (ptrdiff_t)4 * i, width);
        }
    }
}

/* Entries whose blocks are asked for before they are needed: 12 gain a seventh. */
enum { ENTRIES_AHEAD = 12 };

/* What is left of a row by entry q of those that fixed columns subtract. */
static inline FilFloat4 less_gathered(const FilBlockPreconditioner* precond, int q, const float* x, FilFloat4 z, int width)
{
    const int* gather = precond->gather.at + (ptrdiff_t)2 * q;
    if (q + ENTRIES_AHEAD < precond->gather_start.at[precond->symbolic.columns]) {
        const float* block = block_at(precond->factor.at, gather[2 * ENTRIES_AHEAD + 1], width);
        FIL_PREFETCH(block);
        FIL_PREFETCH(block + 8);
    }
    return less_block(precond, gather[1], fil_float4_load(x + (ptrdiff_t)4 * gather[0]), z, width);
}

/* What fixed columns subtract from row i, in their order. */
static inline void gather_row(const FilBlockPreconditioner* precond, int i, float* x, int width)
{
    FilFloat4 z = fil_float4_load(x + (ptrdiff_t)4 * i);
    for (int q = precond->gather_start.at[i]; q < precond->gather_start.at[i + 1]; q++) {
        z = less_gathered(precond, q, x, z, width);
    }
    fil_float4_store(x + (ptrdiff_t)4 * i, z);
}

/* The same of rows i and i + 1, which do not depend on each other, side by side: a row waits for one sum after the other. */
static inline void gather_two_rows(const FilBlockPreconditioner* precond, int i, float* x, int width)
{
    const int* start = precond->gather_start.at + i;
    FilFloat4 z = fil_float4_load(x + (ptrdiff_t)4 * i), next = fil_float4_load(x + (ptrdiff_t)4 * i + 4);
    int q = start[0], r = start[1];
    for (; q < start[1] && r < start[2]; q++, r++) {
        z = less_gathered(precond, q, x, z, width);
        next = less_gathered(precond, r, x, next, width);
    }
    for (; q < start[1]; q++) {
        z = less_gathered(precond, q, x, z, width);
    }
    for (; r < start[2]; r++) {
        next = less_gathered(precond, r, x, next, width);
    }
    fil_float4_store(x + (ptrdiff_t)4 * i, z);
    fil_float4_store(x + (ptrdiff_t)4 * i + 4, next);
}

static inline void gather_rows(const FilBlockPreconditioner* precond, int begin, int end, float* x, int width)
{
    for (int i = begin; i + 1 < end; i += 2) {
        gather_two_rows(precond, i, x, width);
    }
    if ((end - begin) % 2 != 0) {
        gather_row(precond, end - 1, x, width);
    }
}

/* Row j of L' x = y, in place; those below are done. */
static inline void solve_row(const FilBlockPreconditioner* precond, int j, float* x, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int *start = s->column_start.at, *row = s->row.at;
    const float *w = block_at(precond->inverse.at, j, width), *l = block_at(precond->factor.at, start[j] + 1, width);
    FilFloat4 sum[FIL_BLOCK] = {fil_float4_all(0.0F), fil_float4_all(0.0F), fil_float4_all(0.0F), fil_float4_all(0.0F)};
    for (int p = start[j] + 1; p < start[j + 1]; p++, l += 4 * width) {
        const FilFloat4 z = fil_float4_load(x + 4 * row[p]);
        for (int k = 0; k < width; k++) {
            sum[k] = fil_float4_add_product(sum[k], fil_float4_load(l + 4 * k), z);
        }
    }
    // W' rest
    const FilFloat4 rest = fil_float4_load(x + 4 * j) - fil_float4_sums(sum[0], sum[1], sum[2], sum[3]);
    for (int k = 0; k < width; k++) {
        sum[k] = fil_float4_load(w + 4 * k) * rest;
    }
    fil_float4_store(x + 4 * j, fil_float4_sums(sum[0], sum[1], sum[2], sum[3]));
}

#endif
