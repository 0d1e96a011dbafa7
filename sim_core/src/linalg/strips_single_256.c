/* Strips in single precision with registers of 256 bits, and of 512, which are chosen at run time (base/vector.h). */
#include "base/vector.h"
#include "linalg/strips.h"

typedef float Number;
#include "linalg/strips_loops.h"
/* after the loops */
#include "linalg/strips_four_floats.h"

static void tile_of_strip(float* c, const float* a, const float* b, int k)
{
    tile_vector4(c, a, b, k);
}

#if defined(FIL_VECTOR_SVE)
/* ---- two columns of a strip at a time: even and odd ones lie side by side, in a strip and in the sums; fused, as NEON's ---- */

typedef svfloat32_t Eight __attribute__((arm_sve_vector_bits(256)));

/* A lane is one of each half. */
INLINE void add_columns(Eight* sums, Eight a, Eight b)
{
    sums[0] = svmla_lane_f32(sums[0], a, b, 0);
    sums[1] = svmla_lane_f32(sums[1], a, b, 1);
    sums[2] = svmla_lane_f32(sums[2], a, b, 2);
    sums[3] = svmla_lane_f32(sums[3], a, b, 3);
}

INLINE void subtract_halves(float* c, const Eight* sums)
{
    const svbool_t half = svptrue_pat_b32(SV_VL4);
    for (int column = 0; column < FIL_STRIP; column++, c += FIL_STRIP) {
        const svfloat32_t sum = svadd_f32_x(half, sums[column], svext_f32(sums[column], sums[column], FIL_STRIP));
        svst1_f32(half, c, svsub_f32_x(half, svld1_f32(half, c), sum));
    }
}

static void tiles_vector8(float* c, float* d, const float* a0, const float* a1, const float* b, int k)
{
    // a last, even column alone: nothing is added to the odd ones' sums but products with zero, of zeros
    const svbool_t all = svptrue_b32(), half = svptrue_pat_b32(SV_VL4);
    Eight upper[FIL_STRIP], lower[FIL_STRIP];
    for (int column = 0; column < FIL_STRIP; column++) {
        upper[column] = svdup_n_f32(0.0F);
        lower[column] = svdup_n_f32(0.0F);
    }
    for (int p = 0; p < k; p += 2, a0 += 2 * FIL_STRIP, a1 += 2 * FIL_STRIP, b += 2 * FIL_STRIP) {
        const svbool_t there = p + 1 < k ? all : half;
        const Eight columns = svld1_f32(there, b);
        add_columns(upper, svld1_f32(there, a0), columns);
        add_columns(lower, svld1_f32(there, a1), columns);
    }
    subtract_halves(c, upper);
    subtract_halves(d, lower);
}
#else
/* ---- columns of two strips at a time, without fused products: those would round once less ---- */

/* Joined in registers: two stores and a load of both would wait for each other. */
INLINE FilFloat8 eight_load(const float* upper, const float* lower)
{
    return __builtin_shufflevector(fil_float4_load(upper), fil_float4_load(lower), 0, 1, 2, 3, 4, 5, 6, 7);
}

INLINE void eight_subtract(float* upper, float* lower, FilFloat8 v)
{
    four_subtract(upper, __builtin_shufflevector(v, v, 0, 1, 2, 3));
    four_subtract(lower, __builtin_shufflevector(v, v, 4, 5, 6, 7));
}

static void tiles_vector8(float* c, float* d, const float* a0, const float* a1, const float* b, int k)
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
#endif

static void subtract_vector8(float* c, size_t c_stride, const float* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by(tile_of_strip, tiles_vector8, c, c_stride, a, a_stride, first, rows, columns, k);
}

const FilStripKernelsSingle fil_strips_single_256 = {"eight", subtract_vector8, scale_vector4};

#if defined(FIL_AT_AVX512)
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

FIL_AT_AVX512 static void tiles_vector16(float* c, float* d, const float* a0, const float* a1, const float* b, int k)
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

FIL_AT_AVX512 static void subtract_vector16(float* c, size_t c_stride, const float* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by(tile_of_strip, tiles_vector16, c, c_stride, a, a_stride, first, rows, columns, k);
}

const FilStripKernelsSingle fil_strips_single_512 = {"sixteen", subtract_vector16, scale_vector4};
#endif
