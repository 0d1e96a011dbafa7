#include "linalg/strips.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

typedef float Number;
#include "linalg/strips_loops.h"

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
    subtract_by(tile_plain, NULL, c, c_stride, a, a_stride, first, rows, columns, k);
}

static const FilStripKernelsSingle plain = {"plain", subtract_plain, scale_plain};

/* ---- a column of a strip at a time ---- */

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
    subtract_by(tile_vector4, TWO_STRIPS, c, c_stride, a, a_stride, first, rows, columns, k);
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

static const FilStripKernelsSingle vector4 = {"four", subtract_vector4, scale_vector4};

/* ---- columns of two strips at a time, without fused products: those would round once less ---- */

#if defined(FIL_VECTOR_LEVELS)
/* Joined in registers: two stores and a load of both would wait for each other. */
FIL_AT_AVX2 INLINE FilFloat8 eight_load(const float* upper, const float* lower)
{
    return __builtin_shufflevector(fil_float4_load(upper), fil_float4_load(lower), 0, 1, 2, 3, 4, 5, 6, 7);
}

FIL_AT_AVX2 INLINE void eight_subtract(float* upper, float* lower, FilFloat8 v)
{
    four_subtract(upper, __builtin_shufflevector(v, v, 0, 1, 2, 3));
    four_subtract(lower, __builtin_shufflevector(v, v, 4, 5, 6, 7));
}

FIL_AT_AVX2 static void tile_of_strip(float* c, const float* a, const float* b, int k)
{
    tile_vector4(c, a, b, k);
}

FIL_AT_AVX2 static void tiles_of_strips(float* c, float* d, const float* a0, const float* a1, const float* b, int k)
{
    FilFloat8 e0 = {0.0F}, e1 = e0, e2 = e0, e3 = e0, o0 = e0, o1 = e0, o2 = e0, o3 = e0;
    int p = 0;
    for (; p + 1 < k; p += 2, a0 += 2 * FIL_STRIP, a1 += 2 * FIL_STRIP, b += 2 * FIL_STRIP) {
        const FilFloat8 even = eight_load(a0, a1), odd = eight_load(a0 + FIL_STRIP, a1 + FIL_STRIP);
        e0 += even * b[0];
        e1 += even * b[1];
        e2 += even * b[2];
        e3 += even * b[3];
        o0 += odd * b[4];
        o1 += odd * b[5];
        o2 += odd * b[6];
        o3 += odd * b[7];
    }
    if (p < k) {
        const FilFloat8 even = eight_load(a0, a1);
        e0 += even * b[0];
        e1 += even * b[1];
        e2 += even * b[2];
        e3 += even * b[3];
    }
    eight_subtract(c, d, e0 + o0);
    eight_subtract(c + 4, d + 4, e1 + o1);
    eight_subtract(c + 8, d + 8, e2 + o2);
    eight_subtract(c + 12, d + 12, e3 + o3);
}

FIL_AT_AVX2 static void subtract_vector8(float* c, size_t c_stride, const float* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by(tile_of_strip, tiles_of_strips, c, c_stride, a, a_stride, first, rows, columns, k);
}

static const FilStripKernelsSingle vector8 = {"avx2", subtract_vector8, scale_vector4};

/* Two columns of two strips at a time: even and odd ones lie side by side, in a strip and in the sums. */
FIL_AT_AVX512 INLINE void add_columns(FilFloat16* sums, FilFloat16 a, FilFloat16 b)
{
    sums[0] += a * __builtin_shufflevector(b, b, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
    sums[1] += a * __builtin_shufflevector(b, b, 1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13);
    sums[2] += a * __builtin_shufflevector(b, b, 2, 2, 2, 2, 6, 6, 6, 6, 10, 10, 10, 10, 14, 14, 14, 14);
    sums[3] += a * __builtin_shufflevector(b, b, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
}

FIL_AT_AVX512 INLINE FilFloat16 sixteen_of(FilFloat8 upper, FilFloat8 lower)
{
    return __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* A last, even column alone: nothing is added to the odd ones' sums but products with zero, of zeros. */
FIL_AT_AVX512 INLINE FilFloat8 even_of(const float* p)
{
    return __builtin_shufflevector(fil_float4_load(p), (FilFloat4){0.0F}, 0, 1, 2, 3, 4, 5, 6, 7);
}

FIL_AT_AVX512 static void tiles_avx512(float* c, float* d, const float* a0, const float* a1, const float* b, int k)
{
    FilFloat16 sums[FIL_STRIP] = {{0.0F}};
    int p = 0;
    for (; p + 1 < k; p += 2, a0 += 2 * FIL_STRIP, a1 += 2 * FIL_STRIP, b += 2 * FIL_STRIP) {
        const FilFloat8 both = FIL_VECTOR_IN(FilFloat8, b);
        add_columns(sums, sixteen_of(FIL_VECTOR_IN(FilFloat8, a0), FIL_VECTOR_IN(FilFloat8, a1)), sixteen_of(both, both));
    }
    if (p < k) {
        const FilFloat8 even = even_of(b);
        add_columns(sums, sixteen_of(even_of(a0), even_of(a1)), sixteen_of(even, even));
    }
    for (int column = 0; column < FIL_STRIP; column++) {
        const FilFloat16 s = sums[column];
        four_subtract(c + FIL_STRIP * column, __builtin_shufflevector(s, s, 0, 1, 2, 3) + __builtin_shufflevector(s, s, 4, 5, 6, 7));
        four_subtract(d + FIL_STRIP * column, __builtin_shufflevector(s, s, 8, 9, 10, 11) + __builtin_shufflevector(s, s, 12, 13, 14, 15));
    }
}

FIL_AT_AVX512 static void subtract_avx512(float* c, size_t c_stride, const float* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by(tile_of_strip, tiles_avx512, c, c_stride, a, a_stride, first, rows, columns, k);
}

static const FilStripKernelsSingle vector16 = {"avx512", subtract_avx512, scale_vector4};
#endif

const FilStripKernelsSingle* fil_strip_kernels_single_at(int level)
{
    static const FilStripKernelsSingle* const kernels[FIL_STRIP_LEVELS] = {
        &plain,
        &vector4,
#if defined(FIL_VECTOR_LEVELS)
        &vector8,
        &vector16,
#endif
    };
    return level <= 1 + (int)fil_vector_level() ? kernels[level] : NULL;
}

const FilStripKernelsSingle* fil_strip_kernels_single(void)
{
    return fil_strip_kernels_single_at(1 + (int)fil_vector_level());
}
