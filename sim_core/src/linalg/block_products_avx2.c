/* Two rows of blocks side by side in registers of 256 bits, which are chosen at run time (base/vector.h). */
#include "linalg/block_products.h"
#include "linalg/block_products_loops.h"

FIL_VECTOR_INLINE void part(float* lower, float* upper, FilFloat8 v)
{
    fil_float4_store(lower, fil_float8_lower(v));
    fil_float4_store(upper, fil_float8_upper(v));
}

FIL_VECTOR_INLINE void subtract_panel_pairs(float* const (*to)[TARGETS], int rows, int targets, const float* const* a, const float* const* b,
                                            int count, int width)
{
    FilFloat8 c[ROWS / 2][TARGETS][FIL_BLOCK];
    for (int r = 0; r < rows; r += 2) {
        for (int t = 0; t < targets; t++) {
            for (int m = 0; m < width; m++) {
                c[r / 2][t][m] = fil_float8_join(to[r][t] + 4 * m, to[r + 1][t] + 4 * m);
            }
        }
    }
    for (ptrdiff_t k = 0; k < (ptrdiff_t)4 * width * count; k += 4) {
        FilFloat8 left[ROWS / 2];
        for (int r = 0; r < rows; r += 2) {
            left[r / 2] = fil_float8_join(a[r] + k, a[r + 1] + k);
        }
        for (int t = 0; t < targets; t++) {
            for (int m = 0; m < width; m++) {
                const float right = b[t][k + m];
                for (int r = 0; r < rows; r += 2) {
                    c[r / 2][t][m] = fil_float8_sub_scaled(c[r / 2][t][m], left[r / 2], right);
                }
            }
        }
    }
    for (int r = 0; r < rows; r += 2) {
        for (int t = 0; t < targets; t++) {
            for (int m = 0; m < width; m++) {
                part(to[r][t] + 4 * m, to[r + 1][t] + 4 * m, c[r / 2][t][m]);
            }
        }
    }
}

FIL_VECTOR_INLINE void subtract_column_pairs(float* const* to, int rows, const float* factor, const int* from, int run, int i, int width)
{
    FilFloat8 c[ROWS / 2][FIL_BLOCK];
    for (int r = 0; r < rows; r += 2) {
        for (int m = 0; m < width; m++) {
            c[r / 2][m] = fil_float8_join(to[r] + 4 * m, to[r + 1] + 4 * m);
        }
    }
    for (int k = 0; k < run; k++) {
        const float* column = factor + (ptrdiff_t)4 * width * from[k];
        for (int s = 0; s < 4 * width; s += 4) {
            for (int r = 0; r < rows; r += 2) {
                const float* left = column + 4 * width * (i + r) + s;
                const FilFloat8 both = fil_float8_join(left, left + 4 * width);
                for (int m = 0; m < width; m++) {
                    c[r / 2][m] = fil_float8_sub_scaled(c[r / 2][m], both, column[s + m]);
                }
            }
        }
    }
    for (int r = 0; r < rows; r += 2) {
        for (int m = 0; m < width; m++) {
            part(to[r] + 4 * m, to[r + 1] + 4 * m, c[r / 2][m]);
        }
    }
}

static void take_panel(const FilPanel* to, const FilPanel* from, int skipped, int count, int first, int last, int begin, int end, const int* place,
                       int width)
{
    subtract_from_panel(subtract_panel_pairs, to, from, skipped, count, first, last, begin, end, place, width);
}

static void take_column(float* column, const float* factor, const int* from, int run, const int* row, int count, const int* place, int width)
{
    subtract_from_column(subtract_column_pairs, ROWS, column, factor, from, run, row, count, place, width);
}

const FilBlockProducts fil_block_products_avx2 = {take_panel, take_column};
