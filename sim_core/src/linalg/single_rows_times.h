/* Products of rows: whoever includes this builds them for the level of vectors that its file is compiled for (base/vector.h). */
#ifndef FILUM_LINALG_SINGLE_ROWS_TIMES_H
#define FILUM_LINALG_SINGLE_ROWS_TIMES_H

#include "base/vector.h"
#include "linalg/single_rows.h"

/* What blocks of a row add to its product with x, of three columns of three or of four of four. */
typedef FilFloat4 RowTimes(const float* block, const int* column, int count, const float* x);

/* Kernels of a level. */
typedef struct RowKernels {
    RowTimes *thin, *wide;
} RowKernels;

FIL_VECTOR_INLINE FilFloat4 row_times(RowKernels kernels, const FilSingleRows* rows, int i, const float* x)
{
    const int first = rows->start.at[i], count = rows->start.at[i + 1] - first, *column = rows->column.at + first;
    const float* block = rows->values.at + rows->offset.at[i];
    return rows->wide.at[i] ? kernels.wide(block, column, count, x) : kernels.thin(block, column, count, x);
}

FIL_VECTOR_INLINE float rows_times(RowKernels kernels, const FilSingleRows* a, const FilSingleRows* b, int first, int end, const float* z, float* w)
{
    FilFloat4 sum = fil_float4_all(0.0F);
    for (int i = first; i < end; i++) {
        FilFloat4 row = row_times(kernels, a, i, z);
        if (b != NULL) {
            row = row + row_times(kernels, b, i, z);
        }
        fil_float4_store(w + (ptrdiff_t)4 * i, row);
        sum = fil_float4_add_product(sum, row, fil_float4_load(z + (ptrdiff_t)4 * i));
    }
    return fil_float4_sum(sum);
}

/* As fil_single_rows_times(), with registers of 256 and of 512 bits and the same bits. */
float fil_single_rows_times_avx2(const FilSingleRows* a, const FilSingleRows* b, int first, int end, const float* z, float* w);
float fil_single_rows_times_avx512(const FilSingleRows* a, const FilSingleRows* b, int first, int end, const float* z, float* w);

#endif
