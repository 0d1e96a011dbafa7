#include "linalg/strips.h"

#include "base/vector.h"

typedef double Number;
#include "linalg/strips_loops.h"

/* ---- number by number ---- */

static void tile_plain(double* c, const double* a, const double* b, int k)
{
    double sum[FIL_TILE] = {0.0};
    for (int p = 0; p < k; p++) {
        for (int j = 0; j < FIL_STRIP; j++) {
            for (int i = 0; i < FIL_STRIP; i++) {
                sum[FIL_STRIP * j + i] += a[FIL_STRIP * p + i] * b[FIL_STRIP * p + j];
            }
        }
    }
    for (int e = 0; e < FIL_TILE; e++) {
        c[e] -= sum[e];
    }
}

static void subtract_plain(double* c, size_t c_stride, const double* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by(tile_plain, NULL, c, c_stride, a, a_stride, first, rows, columns, k);
}

static const FilStripKernels plain = {"plain", subtract_plain, scale_plain};

/* ---- two numbers at a time ---- */

INLINE void two_subtract(double* p, FilDouble2 v)
{
    fil_double2_store(p, fil_double2_load(p) - v);
}

INLINE void tile_pair(double* c, const double* a, const double* b, int k)
{
    FilDouble2 u0 = {0.0, 0.0}, l0 = u0, u1 = u0, l1 = u0, u2 = u0, l2 = u0, u3 = u0, l3 = u0;
    for (int p = 0; p < k; p++, a += FIL_STRIP, b += FIL_STRIP) {
        const FilDouble2 u = fil_double2_load(a), l = fil_double2_load(a + 2);
        const FilDouble2 b0 = fil_double2_all(b[0]), b1 = fil_double2_all(b[1]);
        u0 += u * b0;
        l0 += l * b0;
        u1 += u * b1;
        l1 += l * b1;
        const FilDouble2 b2 = fil_double2_all(b[2]), b3 = fil_double2_all(b[3]);
        u2 += u * b2;
        l2 += l * b2;
        u3 += u * b3;
        l3 += l * b3;
    }
    two_subtract(c, u0);
    two_subtract(c + 2, l0);
    two_subtract(c + 4, u1);
    two_subtract(c + 6, l1);
    two_subtract(c + 8, u2);
    two_subtract(c + 10, l2);
    two_subtract(c + 12, u3);
    two_subtract(c + 14, l3);
}

static void subtract_pairs(double* c, size_t c_stride, const double* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by(tile_pair, NULL, c, c_stride, a, a_stride, first, rows, columns, k);
}

static void scale_pairs(double* tile, size_t stride, int count, const double* w)
{
    for (int t = 0; t < count; t++, tile += stride) {
        for (int r = 0; r < FIL_STRIP; r += 2) {
            const FilDouble2 c0 = fil_double2_load(tile + r), c1 = fil_double2_load(tile + 4 + r), c2 = fil_double2_load(tile + 8 + r);
            const FilDouble2 c3 = fil_double2_load(tile + 12 + r);
            const FilDouble2 x[FIL_STRIP] = {c0 * w[0], c0 * w[1] + c1 * w[5], c0 * w[2] + c1 * w[6] + c2 * w[10],
                                             c0 * w[3] + c1 * w[7] + c2 * w[11] + c3 * w[15]};
            for (int k = 0; k < FIL_STRIP; k++) {
                fil_double2_store(tile + FIL_STRIP * k + r, x[k]);
            }
        }
    }
}

static const FilStripKernels pairs = {"two", subtract_pairs, scale_pairs};

/* ---- wider where this machine has it, without fused products: those would round once less ---- */

#if defined(FIL_VECTOR_LEVELS)
FIL_AT_AVX2 INLINE void four_subtract(double* p, FilDouble4 v)
{
    FIL_VECTOR_AT(FilDouble4, p) -= v;
}

FIL_AT_AVX2 static void tile_avx2(double* c, const double* a, const double* b, int k)
{
    FilDouble4 c0 = {0.0, 0.0, 0.0, 0.0}, c1 = c0, c2 = c0, c3 = c0;
    for (int p = 0; p < k; p++, a += FIL_STRIP, b += FIL_STRIP) {
        const FilDouble4 column = FIL_VECTOR_IN(FilDouble4, a);
        c0 += column * b[0];
        c1 += column * b[1];
        c2 += column * b[2];
        c3 += column * b[3];
    }
    four_subtract(c, c0);
    four_subtract(c + 4, c1);
    four_subtract(c + 8, c2);
    four_subtract(c + 12, c3);
}

FIL_AT_AVX2 static void tiles_avx2(double* c, double* d, const double* a0, const double* a1, const double* b, int k)
{
    FilDouble4 c0 = {0.0, 0.0, 0.0, 0.0}, c1 = c0, c2 = c0, c3 = c0, d0 = c0, d1 = c0, d2 = c0, d3 = c0;
    for (int p = 0; p < k; p++, a0 += FIL_STRIP, a1 += FIL_STRIP, b += FIL_STRIP) {
        const FilDouble4 upper = FIL_VECTOR_IN(FilDouble4, a0), lower = FIL_VECTOR_IN(FilDouble4, a1);
        const double b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
        c0 += upper * b0;
        d0 += lower * b0;
        c1 += upper * b1;
        d1 += lower * b1;
        c2 += upper * b2;
        d2 += lower * b2;
        c3 += upper * b3;
        d3 += lower * b3;
    }
    four_subtract(c, c0);
    four_subtract(c + 4, c1);
    four_subtract(c + 8, c2);
    four_subtract(c + 12, c3);
    four_subtract(d, d0);
    four_subtract(d + 4, d1);
    four_subtract(d + 8, d2);
    four_subtract(d + 12, d3);
}

FIL_AT_AVX2 static void subtract_avx2(double* c, size_t c_stride, const double* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by(tile_avx2, tiles_avx2, c, c_stride, a, a_stride, first, rows, columns, k);
}

FIL_AT_AVX2 static void scale_avx2(double* tile, size_t stride, int count, const double* w)
{
    for (int t = 0; t < count; t++, tile += stride) {
        const FilDouble4 c0 = FIL_VECTOR_IN(FilDouble4, tile), c1 = FIL_VECTOR_IN(FilDouble4, tile + 4), c2 = FIL_VECTOR_IN(FilDouble4, tile + 8),
                         c3 = FIL_VECTOR_IN(FilDouble4, tile + 12);
        const FilDouble4 x[FIL_STRIP] = {c0 * w[0], c0 * w[1] + c1 * w[5], c0 * w[2] + c1 * w[6] + c2 * w[10],
                                         c0 * w[3] + c1 * w[7] + c2 * w[11] + c3 * w[15]};
        for (int k = 0; k < FIL_STRIP; k++) {
            FIL_VECTOR_AT(FilDouble4, tile + FIL_STRIP * k) = x[k];
        }
    }
}

static const FilStripKernels avx2_kernels = {"avx2", subtract_avx2, scale_avx2};

/* Columns of two strips in one register: half of the products and sums of AVX2, as many as the sums' latency leaves room for. */
FIL_AT_AVX512 INLINE FilDouble8 eight_load(const double* upper, const double* lower)
{
    return __builtin_shufflevector(FIL_VECTOR_IN(FilDouble4, upper), FIL_VECTOR_IN(FilDouble4, lower), 0, 1, 2, 3, 4, 5, 6, 7);
}

FIL_AT_AVX512 INLINE void eight_subtract(double* upper, double* lower, FilDouble8 v)
{
    four_subtract(upper, __builtin_shufflevector(v, v, 0, 1, 2, 3));
    four_subtract(lower, __builtin_shufflevector(v, v, 4, 5, 6, 7));
}

FIL_AT_AVX512 static void tiles_avx512(double* c, double* d, const double* a0, const double* a1, const double* b, int k)
{
    FilDouble8 s0 = {0.0}, s1 = s0, s2 = s0, s3 = s0;
    for (int p = 0; p < k; p++, a0 += FIL_STRIP, a1 += FIL_STRIP, b += FIL_STRIP) {
        const FilDouble8 column = eight_load(a0, a1);
        s0 += column * b[0];
        s1 += column * b[1];
        s2 += column * b[2];
        s3 += column * b[3];
    }
    eight_subtract(c, d, s0);
    eight_subtract(c + 4, d + 4, s1);
    eight_subtract(c + 8, d + 8, s2);
    eight_subtract(c + 12, d + 12, s3);
}

FIL_AT_AVX512 static void subtract_avx512(double* c, size_t c_stride, const double* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by(tile_avx2, tiles_avx512, c, c_stride, a, a_stride, first, rows, columns, k);
}

static const FilStripKernels avx512_kernels = {"avx512", subtract_avx512, scale_avx2};
#endif

const FilStripKernels* fil_strip_kernels_at(int level)
{
    static const FilStripKernels* const kernels[FIL_STRIP_LEVELS] = {
        &plain,
        &pairs,
#if defined(FIL_VECTOR_LEVELS)
        &avx2_kernels,
        &avx512_kernels,
#endif
    };
    return level <= 1 + (int)fil_vector_level() ? kernels[level] : NULL;
}

const FilStripKernels* fil_strip_kernels(void)
{
    return fil_strip_kernels_at(1 + (int)fil_vector_level());
}
