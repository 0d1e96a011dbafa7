#include "linalg/strips.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef float Number;
#include "linalg/strips_loops.h"

#if defined(__GNUC__) && !defined(FIL_SCALAR_LANES)
#define FIL_STRIP_VECTORS
#if defined(__x86_64__)
#define FIL_STRIP_AVX2
#endif
#endif

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

#if defined(FIL_STRIP_VECTORS)
#if defined(__aarch64__)
typedef float32x4_t Four;
#else
typedef float Four __attribute__((vector_size(16)));
#endif

INLINE Four four_load(const float* p)
{
    Four v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void four_subtract(float* p, Four v)
{
    const Four rest = four_load(p) - v;
    memcpy(p, &rest, sizeof rest);
}

/* The four columns of a tile: sums over columns of its factors with even and with odd numbers. */
typedef struct TileSums {
    Four even[FIL_STRIP], odd[FIL_STRIP];
} TileSums;

/* sums += a b', a column of each factor. b is loaded as a whole: number by number that would take longer than the products. */
INLINE void add_column(Four* sums, Four a, Four b)
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
        add_column(sums.even, four_load(a), four_load(b));
        add_column(sums.odd, four_load(a + FIL_STRIP), four_load(b + FIL_STRIP));
    }
    if (p < k) {
        add_column(sums.even, four_load(a), four_load(b));
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
        const Four even = four_load(b), odd = four_load(b + FIL_STRIP);
        add_column(upper.even, four_load(a0), even);
        add_column(lower.even, four_load(a1), even);
        add_column(upper.odd, four_load(a0 + FIL_STRIP), odd);
        add_column(lower.odd, four_load(a1 + FIL_STRIP), odd);
    }
    if (p < k) {
        add_column(upper.even, four_load(a0), four_load(b));
        add_column(lower.even, four_load(a1), four_load(b));
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
        const Four c0 = four_load(tile), c1 = four_load(tile + 4), c2 = four_load(tile + 8), c3 = four_load(tile + 12);
        const Four x[FIL_STRIP] = {c0 * w[0], c0 * w[1] + c1 * w[5], c0 * w[2] + c1 * w[6] + c2 * w[10],
                                   c0 * w[3] + c1 * w[7] + c2 * w[11] + c3 * w[15]};
        memcpy(tile, x, sizeof x);
    }
}

static const FilStripKernelsSingle vector4 = {"four", subtract_vector4, scale_vector4};
#endif

/* ---- columns of two strips at a time, without fused products: those would round once less ---- */

#if defined(FIL_STRIP_AVX2)
#define AVX2 __attribute__((target("avx2")))
typedef float Eight __attribute__((vector_size(32)));

/* Joined in registers: two stores and a load of both would wait for each other. */
AVX2 INLINE Eight eight_load(const float* upper, const float* lower)
{
    return __builtin_shufflevector(four_load(upper), four_load(lower), 0, 1, 2, 3, 4, 5, 6, 7);
}

AVX2 INLINE Eight eight_of(float x)
{
    return (Eight){x, x, x, x, x, x, x, x};
}

AVX2 INLINE void eight_subtract(float* upper, float* lower, Eight v)
{
    four_subtract(upper, __builtin_shufflevector(v, v, 0, 1, 2, 3));
    four_subtract(lower, __builtin_shufflevector(v, v, 4, 5, 6, 7));
}

AVX2 static void tile_of_strip(float* c, const float* a, const float* b, int k)
{
    tile_vector4(c, a, b, k);
}

AVX2 static void tiles_of_strips(float* c, float* d, const float* a0, const float* a1, const float* b, int k)
{
    Eight e0 = eight_of(0.0F), e1 = e0, e2 = e0, e3 = e0, o0 = e0, o1 = e0, o2 = e0, o3 = e0;
    int p = 0;
    for (; p + 1 < k; p += 2, a0 += 2 * FIL_STRIP, a1 += 2 * FIL_STRIP, b += 2 * FIL_STRIP) {
        const Eight even = eight_load(a0, a1), odd = eight_load(a0 + FIL_STRIP, a1 + FIL_STRIP);
        e0 += even * eight_of(b[0]);
        e1 += even * eight_of(b[1]);
        e2 += even * eight_of(b[2]);
        e3 += even * eight_of(b[3]);
        o0 += odd * eight_of(b[4]);
        o1 += odd * eight_of(b[5]);
        o2 += odd * eight_of(b[6]);
        o3 += odd * eight_of(b[7]);
    }
    if (p < k) {
        const Eight even = eight_load(a0, a1);
        e0 += even * eight_of(b[0]);
        e1 += even * eight_of(b[1]);
        e2 += even * eight_of(b[2]);
        e3 += even * eight_of(b[3]);
    }
    eight_subtract(c, d, e0 + o0);
    eight_subtract(c + 4, d + 4, e1 + o1);
    eight_subtract(c + 8, d + 8, e2 + o2);
    eight_subtract(c + 12, d + 12, e3 + o3);
}

AVX2 static void subtract_vector8(float* c, size_t c_stride, const float* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by(tile_of_strip, tiles_of_strips, c, c_stride, a, a_stride, first, rows, columns, k);
}

static const FilStripKernelsSingle vector8 = {"avx2", subtract_vector8, scale_vector4};
#endif

const FilStripKernelsSingle* fil_strip_kernels_single_at(int level)
{
#if defined(FIL_STRIP_AVX2)
    if (level == 2 && __builtin_cpu_supports("avx2")) {
        return &vector8;
    }
#endif
#if defined(FIL_STRIP_VECTORS)
    if (level == 1) {
        return &vector4;
    }
#endif
    return level == 0 ? &plain : NULL;
}

const FilStripKernelsSingle* fil_strip_kernels_single(void)
{
    for (int level = 2; level > 0; level--) {
        if (fil_strip_kernels_single_at(level) != NULL) {
            return fil_strip_kernels_single_at(level);
        }
    }
    return &plain;
}
