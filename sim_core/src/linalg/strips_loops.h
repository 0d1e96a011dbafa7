/* The loops around the tiles of strip kernels, for numbers of any size: whoever includes this has defined Number. */
#ifndef FILUM_LINALG_STRIPS_LOOPS_H
#define FILUM_LINALG_STRIPS_LOOPS_H

#include <stddef.h>

#include "linalg/strips.h"

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* T <- T w', number by number */
static inline void scale_plain(Number* tile, size_t stride, int count, const Number* w)
{
    for (int t = 0; t < count; t++, tile += stride) {
        for (int r = 0; r < FIL_STRIP; r++) {
            const Number c0 = tile[r], c1 = tile[4 + r], c2 = tile[8 + r], c3 = tile[12 + r];
            tile[r] = c0 * w[0];
            tile[4 + r] = c0 * w[1] + c1 * w[5];
            tile[8 + r] = c0 * w[2] + c1 * w[6] + c2 * w[10];
            tile[12 + r] = c0 * w[3] + c1 * w[7] + c2 * w[11] + c3 * w[15];
        }
    }
}

/* Strips that are used while they lie in the second cache: 16 of 768 columns are 196 KB in single precision. */
enum { GROUP = 16 };

/* c -= a b' for one tile, or for the tiles of two or of four strips, where those of a lie one stride apart */
typedef void TileProduct(Number* c, const Number* a, const Number* b, int k);
typedef void TilesProduct(Number* c0, Number* c1, const Number* a0, const Number* a1, const Number* b, int k);
typedef void FourTilesProduct(Number* const* c, const Number* a, size_t a_stride, const Number* b, int k);

INLINE Number* strip_of(Number* c, size_t stride, int i)
{
    return stride > 0 ? c + (size_t)i * stride : c + 8 * (size_t)i * (size_t)(i + 1);
}

/* What the loops are made of: `two` and `four` may be NULL. */
typedef struct TileKernels {
    TileProduct* one;
    TilesProduct* two;
    FourTilesProduct* four;
} TileKernels;

/* Products of FIL_STRIP_DEPTH columns after the other. */
INLINE int depth_at(int p, int k)
{
    return k - p < FIL_STRIP_DEPTH ? k - p : FIL_STRIP_DEPTH;
}

INLINE void subtract_one(TileKernels tiles, Number* c, const Number* a, const Number* b, int k)
{
    for (int p = 0; p < k; p += FIL_STRIP_DEPTH) {
        tiles.one(c, a + FIL_STRIP * p, b + FIL_STRIP * p, depth_at(p, k));
    }
}

/* Tiles of strips i and i + 1, at c0 and c1, in columns `begin` to `end` - 1, as far as they are not right of the diagonal. */
INLINE void subtract_two(TileKernels tiles, Number* c0, Number* c1, const Number* a, size_t a_stride, int i, int begin, int end, int k)
{
    const Number* a0 = a + (size_t)i * a_stride;
    for (int j = begin; j <= i && j < end; j++) {
        const Number* b = a + (size_t)j * a_stride;
        for (int p = 0; p < k; p += FIL_STRIP_DEPTH) {
            const Number* from = a0 + FIL_STRIP * p;
            tiles.two(c0 + FIL_TILE * (size_t)j, c1 + FIL_TILE * (size_t)j, from, from + a_stride, b + FIL_STRIP * p, depth_at(p, k));
        }
    }
    if (i + 1 < end) {
        subtract_one(tiles, c1 + FIL_TILE * (size_t)(i + 1), a0 + a_stride, a0 + a_stride, k);
    }
}

/* The loops around the tiles, for strips one by one, in pairs, or four by four. */
INLINE void subtract_by(TileKernels tiles, Number* c, size_t c_stride, const Number* a, size_t a_stride, int first, int rows, int columns, int k)
{
    for (int begin = 0; begin < columns; begin += GROUP) {
        const int end = begin + GROUP < columns ? begin + GROUP : columns;
        for (int i = begin > first ? begin : first, step; i < rows; i += step) {
            step = tiles.four != NULL && i + 3 < rows ? 4 : tiles.two != NULL && i + 1 < rows ? 2 : 1;
            const Number* a0 = a + (size_t)i * a_stride;
            Number* to[4];
            for (int r = 0; r < step; r++) {
                to[r] = strip_of(c, c_stride, i + r);
            }
            if (step == 1) {
                for (int j = begin; j <= i && j < end; j++) {
                    subtract_one(tiles, to[0] + FIL_TILE * (size_t)j, a0, a + (size_t)j * a_stride, k);
                }
            } else if (step == 2) {
                subtract_two(tiles, to[0], to[1], a, a_stride, i, begin, end, k);
            } else {
                for (int j = begin; j <= i && j < end; j++) {
                    Number* const tile[4] = {to[0] + FIL_TILE * (size_t)j, to[1] + FIL_TILE * (size_t)j, to[2] + FIL_TILE * (size_t)j,
                                             to[3] + FIL_TILE * (size_t)j};
                    for (int p = 0; p < k; p += FIL_STRIP_DEPTH) {
                        tiles.four(tile, a0 + FIL_STRIP * p, a_stride, a + (size_t)j * a_stride + FIL_STRIP * p, depth_at(p, k));
                    }
                }
                if (i + 1 < end) {
                    subtract_one(tiles, to[1] + FIL_TILE * (size_t)(i + 1), a0 + a_stride, a0 + a_stride, k);
                }
                subtract_two(tiles, to[2], to[3], a, a_stride, i + 2, i + 1, end, k);
            }
        }
    }
}

#endif
