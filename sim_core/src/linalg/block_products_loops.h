/* The loops around the tiles of block_products.h: whoever includes this builds them for the level that its file is compiled for. `width`, the number
 * of columns of a block, and how many rows a tile has are constants wherever they matter. */
#ifndef FILUM_LINALG_BLOCK_PRODUCTS_LOOPS_H
#define FILUM_LINALG_BLOCK_PRODUCTS_LOOPS_H

#include "base/vector.h"
#include "linalg/block_matrix.h"
#include "linalg/block_products.h"

/* Rows and columns of panels at once: 24 sums of thin blocks, so that four units that take four cycles each are kept busy. */
enum { ROWS = 4, TARGETS = 2 };

/* Blocks at `to` less the products of `count` blocks in each of the rows at `a` with those at `b`. */
typedef void PanelTile(float* const (*to)[TARGETS], int rows, int targets, const float* const* a, const float* const* b, int count, int width);

/* `rows` blocks of a column, less the products of `run` columns whose blocks begin at `from`: of their blocks in these rows, the first of them the
 * i-th, with the first. */
typedef void ColumnTile(float* const* to, int rows, const float* factor, const int* from, int run, int i, int width);

FIL_VECTOR_INLINE void subtract_panel_tile(float* const (*to)[TARGETS], int rows, int targets, const float* const* a, const float* const* b,
                                           int count, int width)
{
    FilFloat4 c[ROWS][TARGETS][FIL_BLOCK];
    for (int r = 0; r < rows; r++) {
        for (int t = 0; t < targets; t++) {
            for (int m = 0; m < width; m++) {
                c[r][t][m] = fil_float4_load(to[r][t] + 4 * m);
            }
        }
    }
    for (ptrdiff_t k = 0; k < (ptrdiff_t)4 * width * count; k += 4) {
        FilFloat4 right[TARGETS];
        for (int t = 0; t < targets; t++) {
            right[t] = fil_float4_load(b[t] + k);
        }
        for (int r = 0; r < rows; r++) {
            const FilFloat4 left = fil_float4_load(a[r] + k);
            for (int t = 0; t < targets; t++) {
                for (int m = 0; m < width; m++) {
                    c[r][t][m] = fil_float4_sub_lane(c[r][t][m], left, right[t], m);
                }
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int t = 0; t < targets; t++) {
            for (int m = 0; m < width; m++) {
                fil_float4_store(to[r][t] + 4 * m, c[r][t][m]);
            }
        }
    }
}

FIL_VECTOR_INLINE void subtract_column_tile(float* const* to, int rows, const float* factor, const int* from, int run, int i, int width)
{
    FilFloat4 c[ROWS][FIL_BLOCK];
    for (int r = 0; r < rows; r++) {
        for (int m = 0; m < width; m++) {
            c[r][m] = fil_float4_load(to[r] + 4 * m);
        }
    }
    for (int k = 0; k < run; k++) {
        const float* column = factor + (ptrdiff_t)4 * width * from[k];
        for (int s = 0; s < width; s++) {
            const FilFloat4 b = fil_float4_load(column + 4 * s);
            for (int r = 0; r < rows; r++) {
                const FilFloat4 a = fil_float4_load(column + 4 * (width * (i + r) + s));
                for (int m = 0; m < width; m++) {
                    c[r][m] = fil_float4_sub_lane(c[r][m], a, b, m);
                }
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int m = 0; m < width; m++) {
            fil_float4_store(to[r] + 4 * m, c[r][m]);
        }
    }
}

FIL_VECTOR_INLINE void subtract_blocks_from_panel(PanelTile* tile, const FilPanel* to, const FilPanel* from, int skipped, int count, int first,
                                                  int last, int begin, int end, const int* place, int width)
{
    const ptrdiff_t block = (ptrdiff_t)4 * width, stride = block * from->columns;
    const float* of = from->at + block * skipped;
    for (int i = begin; i < end;) {
        const int rows = i + ROWS <= end ? ROWS : i + 2 <= end ? 2 : 1;
        float* line[ROWS];
        const float* a[ROWS];
        for (int r = 0; r < rows; r++) {
            line[r] = to->at + block * to->columns * place[from->row[i + r]] - block * to->first;
            a[r] = of + stride * (i + r);
        }
        const int below = i + rows < last ? i + rows : last;
        for (int t = first; t < below; t += TARGETS) {
            const int targets = t + 1 < last ? 2 : 1;
            const float* const b[TARGETS] = {of + stride * t, of + stride * (t + targets - 1)};
            float* blocks[ROWS][TARGETS];
            for (int r = 0; r < rows; r++) {
                blocks[r][0] = line[r] + block * from->row[t];
                blocks[r][1] = line[r] + block * from->row[t + targets - 1];
            }
            if (rows == ROWS && targets == 2) {
                tile((float* const(*)[TARGETS])blocks, ROWS, 2, a, b, count, width);
            } else if (rows == ROWS) {
                tile((float* const(*)[TARGETS])blocks, ROWS, 1, a, b, count, width);
            } else if (rows == 2 && targets == 2) {
                tile((float* const(*)[TARGETS])blocks, 2, 2, a, b, count, width);
            } else if (rows == 2) {
                tile((float* const(*)[TARGETS])blocks, 2, 1, a, b, count, width);
            } else if (targets == 2) {
                subtract_panel_tile((float* const(*)[TARGETS])blocks, 1, 2, a, b, count, width);
            } else {
                subtract_panel_tile((float* const(*)[TARGETS])blocks, 1, 1, a, b, count, width);
            }
        }
        i += rows;
    }
}

/* `together` rows go side by side, 2 or 4; of others two, then one. */
FIL_VECTOR_INLINE void subtract_blocks_from_column(ColumnTile* tile, int together, float* column, const float* factor, const int* from, int run,
                                                   const int* row, int count, const int* place, int width)
{
    int i = 0;
    for (; together == ROWS && i + ROWS <= count; i += ROWS) {
        float* const to[ROWS] = {column + place[row[i]], column + place[row[i + 1]], column + place[row[i + 2]], column + place[row[i + 3]]};
        tile(to, ROWS, factor, from, run, i, width);
    }
    for (; i + 1 < count; i += 2) {
        float* const to[2] = {column + place[row[i]], column + place[row[i + 1]]};
        tile(to, 2, factor, from, run, i, width);
    }
    if (i < count) {
        float* const to[1] = {column + place[row[i]]};
        subtract_column_tile(to, 1, factor, from, run, i, width);
    }
}

/* The same for either width. */
FIL_VECTOR_INLINE void subtract_from_panel(PanelTile* tile, const FilPanel* to, const FilPanel* from, int skipped, int count, int first, int last,
                                           int begin, int end, const int* place, int width)
{
    if (width == 3) {
        subtract_blocks_from_panel(tile, to, from, skipped, count, first, last, begin, end, place, 3);
    } else {
        subtract_blocks_from_panel(tile, to, from, skipped, count, first, last, begin, end, place, FIL_BLOCK);
    }
}

FIL_VECTOR_INLINE void subtract_from_column(ColumnTile* tile, int together, float* column, const float* factor, const int* from, int run,
                                            const int* row, int count, const int* place, int width)
{
    if (width == 3) {
        subtract_blocks_from_column(tile, together, column, factor, from, run, row, count, place, 3);
    } else {
        subtract_blocks_from_column(tile, together, column, factor, from, run, row, count, place, FIL_BLOCK);
    }
}

#endif
