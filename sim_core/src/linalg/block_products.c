#include "linalg/block_products.h"

#include "linalg/block_products_loops.h"

static void take_panel(const FilPanel* to, const FilPanel* from, int skipped, int count, int first, int last, int begin, int end, const int* place,
                       int width)
{
    subtract_from_panel(subtract_panel_tile, to, from, skipped, count, first, last, begin, end, place, width);
}

static void take_column(float* column, const float* factor, const int* from, int run, const int* row, int count, const int* place, int width)
{
    subtract_from_column(subtract_column_tile, 2, column, factor, from, run, row, count, place, width);
}

const FilBlockProducts* fil_block_products(void)
{
    static const FilBlockProducts plain = {take_panel, take_column};
#if defined(FIL_VECTOR_AVX2)
    if (fil_vector_level() >= FIL_VECTOR_256) {
        return &fil_block_products_avx2;
    }
#endif
    return &plain;
}
