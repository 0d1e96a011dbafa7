/* Numbers of rows: whoever includes this builds what takes them for the level of vectors that its file is compiled for (base/vector.h). */
#ifndef FILUM_LINALG_SINGLE_ROWS_TAKE_H
#define FILUM_LINALG_SINGLE_ROWS_TAKE_H

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "linalg/single_rows.h"

typedef struct FilSingleTaking {
    const FilSingleRows* rows;
    const FilBlockPattern* term;
    const double* values;
    const int *to, *fourth;
    int* misfits; /* of each worker */
} FilSingleTaking;

/* As take_columns(), with registers of 256 bits and the same bits. */
int fil_single_rows_take_avx2(const FilSingleTaking* taking, int first, int end);

/* What stands in a block's fourth column, or row, and is not idle. */
FIL_VECTOR_INLINE double fourth_of(const double* b, int stride, bool diagonal)
{
    return fabs(b[0]) + fabs(b[stride]) + fabs(b[2 * stride]) + (diagonal && b[3 * stride] == 1.0 ? 0.0 : fabs(b[3 * stride]));
}

FIL_VECTOR_INLINE void store_block(float* to, const FilFloat4 c[FIL_BLOCK], bool wide)
{
    for (int m = 0; m < FIL_BLOCK && wide; m++) {
        fil_float4_store(to + 4 * m, c[m]);
    }
    // what a column writes beyond its three numbers the next one writes over
    for (int m = 0; m < 2 && !wide; m++) {
        fil_float4_store(to + 3 * m, c[m]);
    }
    if (!wide) {
        memcpy(to + 6, &c[2], 3 * sizeof *to);
    }
}

/* Columns `first` to `end` - 1; how many numbers do not fit. */
FIL_VECTOR_INLINE int take_columns(const FilSingleTaking* taking, int first, int end)
{
    const FilBlockPattern* term = taking->term;
    const int *wide = taking->rows->wide.at, *fourth = taking->fourth;
    float* at = taking->rows->values.at;
    int misfits = 0;
    FilFloat4 unused = fil_float4_all(0.0F);
    for (int j = first; j < end; j++) {
        for (int k = term->start[j]; k < term->start[j + 1]; k++) {
            const double* block = taking->values + FIL_BLOCK_SIZE * (size_t)k;
            const int i = term->row[k], *to = taking->to + 2 * (ptrdiff_t)k;
            const FilFloat4 c[FIL_BLOCK] = {fil_float4_round(block, 1), fil_float4_round(block + 4, 1), fil_float4_round(block + 8, 1),
                                            fil_float4_round(block + 12, 1)};
            FilFloat4 r[FIL_BLOCK];
            store_block(at + to[0], c, wide[i]);
            if (i == j) {
                misfits += !fourth[j] && fourth_of(block + 12, 1, true) + fourth_of(block + 3, 4, true) != 0.0;
                continue;
            }
            fil_float4_turn(c, r);
            store_block(at + to[1], r, wide[j]);
            unused = fourth[j] ? unused : fil_float4_add_product(unused, c[3], c[3]);
            unused = fourth[i] ? unused : fil_float4_add_product(unused, r[3], r[3]);
        }
    }
    return misfits + (fil_float4_sum(unused) != 0.0F);
}

#endif
