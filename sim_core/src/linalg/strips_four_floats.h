/* A column of a strip in single precision at a time, for every level of vectors. */
#ifndef FILUM_LINALG_STRIPS_FOUR_FLOATS_H
#define FILUM_LINALG_STRIPS_FOUR_FLOATS_H

#include <string.h>

#include "base/vector.h"
#include "linalg/strips_loops.h"

INLINE void four_subtract(float* p, FilFloat4 v)
{
    fil_float4_store(p, fil_float4_load(p) - v);
}

/* The four columns of a tile: sums over columns of its factors with even and with odd numbers. */
typedef struct TileSums {
    FilFloat4 even[FIL_STRIP], odd[FIL_STRIP];
} TileSums;

/* sums += a b', a column of each factor. b is loaded as a whole: number by number that would take longer than the products. */
INLINE void add_column(FilFloat4* sums, FilFloat4 a, FilFloat4 b)
{
#if defined(__aarch64__)
    sums[0] = vfmaq_laneq_f32(sums[0], a, b, 0);
    sums[1] = vfmaq_laneq_f32(sums[1], a, b, 1);
    sums[2] = vfmaq_laneq_f32(sums[2], a, b, 2);
    sums[3] = vfmaq_laneq_f32(sums[3], a, b, 3);
#else
    sums[0] += a * __builtin_shufflevector(b, b, 0, 0, 0, 0);
    sums[1] += a * __builtin_shufflevector(b, b, 1, 1, 1, 1);
    sums[2] += a * __builtin_shufflevector(b, b, 2, 2, 2, 2);
    sums[3] += a * __builtin_shufflevector(b, b, 3, 3, 3, 3);
#endif
}

INLINE void subtract_sums(float* c, const TileSums* sums)
{
    for (int column = 0; column < FIL_STRIP; column++) {
        four_subtract(c + FIL_STRIP * column, sums->even[column] + sums->odd[column]);
    }
}

INLINE void tile_vector4(float* c, const float* a, const float* b, int k)
{
    TileSums sums = {{{0.0F}}, {{0.0F}}};
    int p = 0;
    for (; p + 1 < k; p += 2, a += 2 * FIL_STRIP, b += 2 * FIL_STRIP) {
        add_column(sums.even, fil_float4_load(a), fil_float4_load(b));
        add_column(sums.odd, fil_float4_load(a + FIL_STRIP), fil_float4_load(b + FIL_STRIP));
    }
    if (p < k) {
        add_column(sums.even, fil_float4_load(a), fil_float4_load(b));
    }
    subtract_sums(c, &sums);
}

static void scale_vector4(float* tile, size_t stride, int count, const float* w)
{
    for (int t = 0; t < count; t++, tile += stride) {
        const FilFloat4 c0 = fil_float4_load(tile), c1 = fil_float4_load(tile + 4), c2 = fil_float4_load(tile + 8), c3 = fil_float4_load(tile + 12);
        const FilFloat4 x[FIL_STRIP] = {c0 * w[0], c0 * w[1] + c1 * w[5], c0 * w[2] + c1 * w[6] + c2 * w[10],
                                        c0 * w[3] + c1 * w[7] + c2 * w[11] + c3 * w[15]};
        memcpy(tile, x, sizeof x);
    }
}

#endif
