/* A sum of symmetric 4x4-block matrices in single precision, by whole rows: for many products with the same numbers, where single precision is
 * enough. Both triangles are stored, so that each row is made by itself, by whoever there is, and nothing else is written: a sheet of 1,400 vertices
 * takes 0.7 MB, which a second-level cache holds, instead of 1.3. Blocks are columns of three numbers, one after the other, unless a variable of the
 * row has its fourth place in use. */
#ifndef FILUM_LINALG_SINGLE_ROWS_H
#define FILUM_LINALG_SINGLE_ROWS_H

#include "base/vector.h"
#include "linalg/block_matrix.h"

typedef struct FilSingleRows {
    FilInts start;  /* columns + 1: the first block of each row */
    FilInts column; /* of each block */
    FilInts offset; /* where the numbers of each row begin */
    FilInts wide;   /* rows with fourth columns */
    FilInts to;     /* of each block as stored: where its numbers go, and where those of its transpose do; -1: nowhere */
    FilFloats values;
} FilSingleRows;

void fil_single_rows_free(FilSingleRows* rows);

/* Adopts the sum of `count` patterns of the same size. `fourth` says of each variable whether its fourth place is in use. False when out of memory.
 * Allocates only to grow. */
FIL_MUST_CHECK bool fil_single_rows_find(FilSingleRows* rows, const FilBlockPattern* terms, int count, const int* fourth);

/* Takes the numbers. False: some stand in fourth places that are not in use. */
FIL_MUST_CHECK bool fil_single_rows_take(FilSingleRows* rows, FilWorkers* workers, const FilBlockPattern* terms, const double* const* values,
                                         int count, const int* fourth);

/* Marks variables whose fourth places these matrices use: all but those with 1 or 0 on the diagonal and 0 beside it. */
void fil_single_rows_mark(const FilBlockPattern* terms, const double* const* values, int count, int* fourth);

/* What blocks of a row add to its product with x: of three columns of three, in two sums side by side, so that neither waits long for itself, ... */
static inline FilFloat4 fil_single_thin_times(const float* block, const int* column, int count, const float* x)
{
    const FilFloat4 zero = fil_float4_all(0.0F);
    FilFloat4 sum[2][3] = {{zero, zero, zero}, {zero, zero, zero}};
    int k = 0;
    for (; k + 2 <= count; k += 2, block += 18) {
        for (int m = 0; m < 2; m++) {
            const FilFloat4 xk = fil_float4_load(x + (ptrdiff_t)4 * column[k + m]);
            for (int c = 0; c < 3; c++) {
                sum[m][c] = fil_float4_add_lane(sum[m][c], fil_float4_load(block + 9 * m + 3 * c), xk, c);
            }
        }
    }
    for (; k < count; k++) {
        const FilFloat4 xk = fil_float4_load(x + (ptrdiff_t)4 * column[k]);
        for (int c = 0; c < 3; c++) {
            sum[0][c] = fil_float4_add_lane(sum[0][c], fil_float4_load(block + 3 * c), xk, c);
        }
    }
    const FilFloat4 even = (sum[0][0] + sum[0][1]) + sum[0][2];
    const FilFloat4 all = even + ((sum[1][0] + sum[1][1]) + sum[1][2]);
    return (FilFloat4){all[0], all[1], all[2], 0.0F};  // what follows a column is not of it
}

/* ... and of four of four. */
static inline FilFloat4 fil_single_wide_times(const float* block, const int* column, int count, const float* x)
{
    FilFloat4 sum[FIL_BLOCK] = {fil_float4_all(0.0F), fil_float4_all(0.0F), fil_float4_all(0.0F), fil_float4_all(0.0F)};
    for (int k = 0; k < count; k++, block += FIL_BLOCK_SIZE) {
        const FilFloat4 xk = fil_float4_load(x + (ptrdiff_t)4 * column[k]);
        for (int c = 0; c < FIL_BLOCK; c++) {
            sum[c] = fil_float4_add_lane(sum[c], fil_float4_load(block + 4 * c), xk, c);
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Row i of the product with x. */
static inline FilFloat4 fil_single_row_times(const FilSingleRows* rows, int i, const float* x)
{
    const int first = rows->start.at[i], count = rows->start.at[i + 1] - first, *column = rows->column.at + first;
    const float* block = rows->values.at + rows->offset.at[i];
    return rows->wide.at[i] ? fil_single_wide_times(block, column, count, x) : fil_single_thin_times(block, column, count, x);
}

#endif
