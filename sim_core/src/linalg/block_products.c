#include "linalg/block_products.h"

#include "linalg/block_products_loops.h"

static void take_panel(const FilPanel* to, const FilPanel* from, int skipped, int count, int first, int last, int begin, int end, const int* place,
                       int width)
{
    if (width == 3) {
        subtract_from_panel(subtract_panel_tile, to, from, skipped, count, first, last, begin, end, place, 3);
    } else {
        subtract_from_panel(subtract_panel_tile, to, from, skipped, count, first, last, begin, end, place, FIL_BLOCK);
    }
}

static void take_column(float* column, const float* factor, const int* from, int run, const int* row, int count, const int* place, int width)
{
    if (width == 3) {
        subtract_from_column(subtract_column_tile, 2, column, factor, from, run, row, count, place, 3);
    } else {
        subtract_from_column(subtract_column_tile, 2, column, factor, from, run, row, count, place, FIL_BLOCK);
    }
}

static const FilBlockProducts plain = {take_panel, take_column};

const FilBlockProducts* fil_block_products_at(int level)
{
    static const FilBlockProducts* const products[FIL_VECTOR_LEVEL_COUNT] = {
        &plain,
#if defined(FIL_VECTOR_AVX2)
        &fil_block_products_avx2,
#endif
    };
    return level <= (int)fil_vector_level() ? products[level] : NULL;
}

const FilBlockProducts* fil_block_products(void)
{
    for (int level = (int)fil_vector_level();; level--) {
        const FilBlockProducts* products = fil_block_products_at(level);
        if (products != NULL) {
            return products;
        }
    }
}
