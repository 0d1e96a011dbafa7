#include "linalg/strips.h"

#include <stdbool.h>
#include <string.h>

typedef double Number;
#include "linalg/strips_loops.h"

#if defined(__GNUC__) && !defined(FIL_SCALAR_LANES)
#define FIL_STRIP_VECTORS
#if defined(__x86_64__)
#define FIL_STRIP_AVX2
#endif
#endif

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

#if defined(FIL_STRIP_VECTORS)
typedef double Two __attribute__((vector_size(16)));

INLINE Two two_load(const double* p)
{
    Two v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void two_subtract(double* p, Two v)
{
    const Two rest = two_load(p) - v;
    memcpy(p, &rest, sizeof rest);
}

INLINE Two two_of(double x)
{
    return (Two){x, x};
}

INLINE void tile_pair(double* c, const double* a, const double* b, int k)
{
    Two u0 = {0.0, 0.0}, l0 = u0, u1 = u0, l1 = u0, u2 = u0, l2 = u0, u3 = u0, l3 = u0;
    for (int p = 0; p < k; p++, a += FIL_STRIP, b += FIL_STRIP) {
        const Two u = two_load(a), l = two_load(a + 2);
        const Two b0 = two_of(b[0]), b1 = two_of(b[1]);
        u0 += u * b0;
        l0 += l * b0;
        u1 += u * b1;
        l1 += l * b1;
        const Two b2 = two_of(b[2]), b3 = two_of(b[3]);
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
            const Two c0 = two_load(tile + r), c1 = two_load(tile + 4 + r), c2 = two_load(tile + 8 + r);
            const Two c3 = two_load(tile + 12 + r);
            const Two x[FIL_STRIP] = {c0 * w[0], c0 * w[1] + c1 * w[5], c0 * w[2] + c1 * w[6] + c2 * w[10],
                                      c0 * w[3] + c1 * w[7] + c2 * w[11] + c3 * w[15]};
            for (int k = 0; k < FIL_STRIP; k++) {
                memcpy(tile + FIL_STRIP * k + r, &x[k], sizeof x[k]);
            }
        }
    }
}

static const FilStripKernels pairs = {"two", subtract_pairs, scale_pairs};
#endif

/* ---- four numbers at a time, without fused products: those would round once less ---- */

#if defined(FIL_STRIP_AVX2)
#define AVX2 __attribute__((target("avx2")))
typedef double Four __attribute__((vector_size(32)));

AVX2 INLINE Four four_load(const double* p)
{
    Four v;
    memcpy(&v, p, sizeof v);
    return v;
}

AVX2 INLINE void four_subtract(double* p, Four v)
{
    const Four rest = four_load(p) - v;
    memcpy(p, &rest, sizeof rest);
}

AVX2 INLINE Four four_of(double x)
{
    return (Four){x, x, x, x};
}

AVX2 static void tile_avx2(double* c, const double* a, const double* b, int k)
{
    Four c0 = {0.0, 0.0, 0.0, 0.0}, c1 = c0, c2 = c0, c3 = c0;
    for (int p = 0; p < k; p++, a += FIL_STRIP, b += FIL_STRIP) {
        const Four column = four_load(a);
        c0 += column * four_of(b[0]);
        c1 += column * four_of(b[1]);
        c2 += column * four_of(b[2]);
        c3 += column * four_of(b[3]);
    }
    four_subtract(c, c0);
    four_subtract(c + 4, c1);
    four_subtract(c + 8, c2);
    four_subtract(c + 12, c3);
}

AVX2 static void tiles_avx2(double* c, double* d, const double* a0, const double* a1, const double* b, int k)
{
    Four c0 = {0.0, 0.0, 0.0, 0.0}, c1 = c0, c2 = c0, c3 = c0, d0 = c0, d1 = c0, d2 = c0, d3 = c0;
    for (int p = 0; p < k; p++, a0 += FIL_STRIP, a1 += FIL_STRIP, b += FIL_STRIP) {
        const Four upper = four_load(a0), lower = four_load(a1);
        const Four b0 = four_of(b[0]), b1 = four_of(b[1]), b2 = four_of(b[2]), b3 = four_of(b[3]);
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

AVX2 static void subtract_avx2(double* c, size_t c_stride, const double* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by(tile_avx2, tiles_avx2, c, c_stride, a, a_stride, first, rows, columns, k);
}

AVX2 static void scale_avx2(double* tile, size_t stride, int count, const double* w)
{
    for (int t = 0; t < count; t++, tile += stride) {
        const Four c0 = four_load(tile), c1 = four_load(tile + 4), c2 = four_load(tile + 8), c3 = four_load(tile + 12);
        const Four x[FIL_STRIP] = {c0 * w[0], c0 * w[1] + c1 * w[5], c0 * w[2] + c1 * w[6] + c2 * w[10],
                                   c0 * w[3] + c1 * w[7] + c2 * w[11] + c3 * w[15]};
        for (int k = 0; k < FIL_STRIP; k++) {
            memcpy(tile + FIL_STRIP * k, &x[k], sizeof x[k]);
        }
    }
}

static const FilStripKernels avx2_kernels = {"avx2", subtract_avx2, scale_avx2};
#endif

const FilStripKernels* fil_strip_kernels_at(int level)
{
#if defined(FIL_STRIP_AVX2)
    if (level == 2 && __builtin_cpu_supports("avx2")) {
        return &avx2_kernels;
    }
#endif
#if defined(FIL_STRIP_VECTORS)
    if (level == 1) {
        return &pairs;
    }
#endif
    return level == 0 ? &plain : NULL;
}

const FilStripKernels* fil_strip_kernels(void)
{
    for (int level = 2; level > 0; level--) {
        if (fil_strip_kernels_at(level) != NULL) {
            return fil_strip_kernels_at(level);
        }
    }
    return &plain;
}
