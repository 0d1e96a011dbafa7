/* Dense kernels of the supernodal factorisation, on strips.
 *
 * A strip is four rows of a matrix, stored by columns: element (r, k) at strip[4 k + r]. Sixteen numbers in a row are a
 * 4x4 tile by columns, as a block of linalg/block_matrix.h. Both factors of A B' are read from front to back as they
 * lie; AVX-512 packs what it takes four strips of. Products and sums are rounded one by one and each element sums in the order of k, whatever
 * the width of the machine's vectors: every level of the table gives the same bits. */
#ifndef FILUM_LINALG_STRIPS_H
#define FILUM_LINALG_STRIPS_H

#include <stddef.h>

#include "base/vector.h"

/* As the blocks of linalg/block_matrix.h: 4 rows, 4x4 numbers. */
enum { FIL_STRIP = 4, FIL_TILE = 16 };

/* Columns whose products are summed before C hears of them: three strips of these stay in the first cache (6 KB). 32 and 128 are within 5 %, 256 is
 * slower on large fronts. */
enum { FIL_STRIP_DEPTH = 64 };

typedef struct FilStripKernels {
    const char* name;
    /* C_ij -= sum of A_i A_j' over the first k columns of the strips A_i, FIL_STRIP_DEPTH of them after the other, for the tiles j <= i, j < columns
     * of strips `first` to rows - 1. Strip i of A begins at a + i a_stride; that of C at c + i c_stride, or where c_stride is 0, tightly: at c
     * + 8 i (i + 1). */
    void (*subtract)(double* c, size_t c_stride, const double* a, size_t a_stride, int first, int rows, int columns, int k);
    /* T <- T w' for `count` tiles, one every `stride` numbers, and a lower triangular tile w */
    void (*scale)(double* tile, size_t stride, int count, const double* w);
} FilStripKernels;

/* The same in single precision, for preconditioners. Each element has two sums, of columns with even and with odd numbers. Where every machine of
 * its kind has fused products (arm64) they are rounded once: bits are the same at every level, not on every kind of machine. */
typedef struct FilStripKernelsSingle {
    const char* name;
    void (*subtract)(float* c, size_t c_stride, const float* a, size_t a_stride, int first, int rows, int columns, int k);
    void (*scale)(float* tile, size_t stride, int count, const float* w);
} FilStripKernelsSingle;

const FilStripKernelsSingle* fil_strip_kernels_single(void);
const FilStripKernelsSingle* fil_strip_kernels_single_at(int level);

/* The fastest kernels that this machine runs. */
const FilStripKernels* fil_strip_kernels(void);
/* All levels, number by number first, then those of base/vector.h; NULL where the machine lacks it. */
enum { FIL_STRIP_LEVELS = 1 + FIL_VECTOR_LEVEL_COUNT };
const FilStripKernels* fil_strip_kernels_at(int level);

/* Wider than what every machine of its kind has. */
extern const FilStripKernels fil_strips_256, fil_strips_512;
extern const FilStripKernelsSingle fil_strips_single_256, fil_strips_single_512;

#endif
