#include "linalg/strips.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

typedef float Number;
#include "linalg/strips_loops.h"
/* after the loops */
#include "linalg/strips_four_floats.h"

/* ---- number by number ---- */

/* Rounded once where every machine of its kind does so in one instruction, in half the time; else twice, as those that cannot must. */
INLINE float add_product(float sum, float a, float b)
{
#if defined(__aarch64__)
    return fmaf(a, b, sum);
#else
    return sum + a * b;
#endif
}

static void tile_plain(float* c, const float* a, const float* b, int k)
{
    float sum[2][FIL_TILE] = {{0.0F}};
    for (int p = 0; p < k; p++) {
        for (int e = 0; e < FIL_TILE; e++) {
            sum[p % 2][e] = add_product(sum[p % 2][e], a[FIL_STRIP * p + e % FIL_STRIP], b[FIL_STRIP * p + e / FIL_STRIP]);
        }
    }
    for (int e = 0; e < FIL_TILE; e++) {
        c[e] -= sum[0][e] + sum[1][e];
    }
}

static void subtract_plain(float* c, size_t c_stride, const float* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by((TileKernels){tile_plain, NULL, NULL}, c, c_stride, a, a_stride, first, rows, columns, k);
}

static const FilStripKernelsSingle plain = {"plain", subtract_plain, scale_plain};

/* ---- a column of a strip at a time ---- */

#if defined(__aarch64__)
#define TWO_STRIPS tiles_vector4
/* Of two strips, with one load of b: 32 registers hold the sums of both (69 instead of 55 GF/s on a Neoverse-V1; 29 without fused products). */
INLINE void tiles_vector4(float* c, float* d, const float* a0, const float* a1, const float* b, int k)
{
    TileSums upper = {{{0.0F}}, {{0.0F}}}, lower = upper;
    int p = 0;
    for (; p + 1 < k; p += 2, a0 += 2 * FIL_STRIP, a1 += 2 * FIL_STRIP, b += 2 * FIL_STRIP) {
        const FilFloat4 even = fil_float4_load(b), odd = fil_float4_load(b + FIL_STRIP);
        add_column(upper.even, fil_float4_load(a0), even);
        add_column(lower.even, fil_float4_load(a1), even);
        add_column(upper.odd, fil_float4_load(a0 + FIL_STRIP), odd);
        add_column(lower.odd, fil_float4_load(a1 + FIL_STRIP), odd);
    }
    if (p < k) {
        add_column(upper.even, fil_float4_load(a0), fil_float4_load(b));
        add_column(lower.even, fil_float4_load(a1), fil_float4_load(b));
    }
    subtract_sums(c, &upper);
    subtract_sums(d, &lower);
}
#else
#define TWO_STRIPS NULL
#endif

static void subtract_vector4(float* c, size_t c_stride, const float* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by((TileKernels){tile_vector4, TWO_STRIPS, NULL}, c, c_stride, a, a_stride, first, rows, columns, k);
}

static const FilStripKernelsSingle vector4 = {"four", subtract_vector4, scale_vector4};

const FilStripKernelsSingle* fil_strip_kernels_single_at(int level)
{
    static const FilStripKernelsSingle* const kernels[FIL_STRIP_LEVELS] = {
        &plain,
        &vector4,
#if defined(FIL_VECTOR_LEVELS)
        &fil_strips_single_256,
#endif
#if defined(FIL_AT_AVX512)
        &fil_strips_single_512,
#endif
    };
    return level <= 1 + (int)fil_vector_level() ? kernels[level] : NULL;
}

const FilStripKernelsSingle* fil_strip_kernels_single(void)
{
    return fil_strip_kernels_single_at(1 + (int)fil_vector_level());
}
