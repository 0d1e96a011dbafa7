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
    subtract_by((TileKernels){tile_plain, NULL, NULL}, c, c_stride, a, a_stride, first, rows, columns, k);
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
    subtract_by((TileKernels){tile_pair, NULL, NULL}, c, c_stride, a, a_stride, first, rows, columns, k);
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

const FilStripKernels* fil_strip_kernels_at(int level)
{
    static const FilStripKernels* const kernels[FIL_STRIP_LEVELS] = {
        &plain,
        &pairs,
#if defined(FIL_VECTOR_LEVELS)
        &fil_strips_256,
#endif
#if defined(FIL_AT_AVX512)
        &fil_strips_512,
#endif
    };
    return level <= 1 + (int)fil_vector_level() ? kernels[level] : NULL;
}

const FilStripKernels* fil_strip_kernels(void)
{
    return fil_strip_kernels_at(1 + (int)fil_vector_level());
}
