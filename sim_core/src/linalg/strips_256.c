/* Strips with registers of 256 bits, and of 512, which are chosen at run time (base/vector.h). Without fused products: those would round once less.
 */
#include "base/vector.h"
#include "linalg/strips.h"

typedef double Number;
#include "linalg/strips_loops.h"

INLINE void four_subtract(double* p, FilDouble4 v)
{
    FIL_VECTOR_AT(FilDouble4, p) -= v;
}

static void tile_four(double* c, const double* a, const double* b, int k)
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

static void tiles_four(double* c, double* d, const double* a0, const double* a1, const double* b, int k)
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

static void subtract_256(double* c, size_t c_stride, const double* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by((TileKernels){tile_four, tiles_four, NULL}, c, c_stride, a, a_stride, first, rows, columns, k);
}

static void scale_256(double* tile, size_t stride, int count, const double* w)
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

const FilStripKernels fil_strips_256 = {"four", subtract_256, scale_256};

#if defined(FIL_AT_AVX512)
/* Columns of two strips in one register: half of the products and sums, as many as the sums' latency leaves room for. */
FIL_AT_AVX512 INLINE FilDouble8 eight_load(const double* upper, const double* lower)
{
    return __builtin_shufflevector(FIL_VECTOR_IN(FilDouble4, upper), FIL_VECTOR_IN(FilDouble4, lower), 0, 1, 2, 3, 4, 5, 6, 7);
}

FIL_AT_AVX512 INLINE void eight_subtract(double* upper, double* lower, FilDouble8 v)
{
    four_subtract(upper, __builtin_shufflevector(v, v, 0, 1, 2, 3));
    four_subtract(lower, __builtin_shufflevector(v, v, 4, 5, 6, 7));
}

FIL_AT_AVX512 static void tiles_eight(double* c, double* d, const double* a0, const double* a1, const double* b, int k)
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

FIL_AT_AVX512 static void subtract_512(double* c, size_t c_stride, const double* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by((TileKernels){tile_four, tiles_eight, NULL}, c, c_stride, a, a_stride, first, rows, columns, k);
}

const FilStripKernels fil_strips_512 = {"eight", subtract_512, scale_256};
#endif
