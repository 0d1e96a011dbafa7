/* Two blocks, or two columns of one, side by side in registers of 256 bits, which are chosen at run time (base/vector.h). */
#include "linalg/single_rows_take.h"
#include "linalg/single_rows_times.h"

FIL_VECTOR_INLINE FilFloat4 thin_times(const float* block, const int* column, int count, const float* x)
{
    FilFloat8 s0 = {0.0F}, s1 = s0, s2 = s0;
    int k = 0;
    for (; k + 2 <= count; k += 2, block += 18) {
        const FilFloat8 both = fil_float8_join(x + (ptrdiff_t)4 * column[k], x + (ptrdiff_t)4 * column[k + 1]);
        s0 = fil_float8_add_product(s0, fil_float8_join(block, block + 9), __builtin_shufflevector(both, both, 0, 0, 0, 0, 4, 4, 4, 4));
        s1 = fil_float8_add_product(s1, fil_float8_join(block + 3, block + 12), __builtin_shufflevector(both, both, 1, 1, 1, 1, 5, 5, 5, 5));
        s2 = fil_float8_add_product(s2, fil_float8_join(block + 6, block + 15), __builtin_shufflevector(both, both, 2, 2, 2, 2, 6, 6, 6, 6));
    }
    FilFloat4 t0 = fil_float8_lower(s0), t1 = fil_float8_lower(s1), t2 = fil_float8_lower(s2);
    if (k < count) {
        const FilFloat4 xk = fil_float4_load(x + (ptrdiff_t)4 * column[k]);
        t0 = fil_float4_add_lane(t0, fil_float4_load(block), xk, 0);
        t1 = fil_float4_add_lane(t1, fil_float4_load(block + 3), xk, 1);
        t2 = fil_float4_add_lane(t2, fil_float4_load(block + 6), xk, 2);
    }
    const FilFloat4 all = ((t0 + t1) + t2) + ((fil_float8_upper(s0) + fil_float8_upper(s1)) + fil_float8_upper(s2));
    return __builtin_shufflevector(all, (FilFloat4){0.0F}, 0, 1, 2, 4);  // what follows a column is not of it
}

FIL_VECTOR_INLINE FilFloat4 wide_times(const float* block, const int* column, int count, const float* x)
{
    FilFloat8 front = {0.0F}, back = front;
    for (int k = 0; k < count; k++, block += FIL_BLOCK_SIZE) {
        const FilFloat4 xk = fil_float4_load(x + (ptrdiff_t)4 * column[k]);
        front = fil_float8_add_product(front, FIL_VECTOR_IN(FilFloat8, block), __builtin_shufflevector(xk, xk, 0, 0, 0, 0, 1, 1, 1, 1));
        back = fil_float8_add_product(back, FIL_VECTOR_IN(FilFloat8, block + 8), __builtin_shufflevector(xk, xk, 2, 2, 2, 2, 3, 3, 3, 3));
    }
    return (fil_float8_lower(front) + fil_float8_upper(front)) + (fil_float8_lower(back) + fil_float8_upper(back));
}

float fil_single_rows_times_avx2(const FilSingleRows* a, const FilSingleRows* b, int first, int end, const float* z, float* w)
{
    return rows_times((RowKernels){thin_times, wide_times}, a, b, first, end, z, w);
}

int fil_single_rows_take_avx2(const FilSingleTaking* taking, int first, int end)
{
    return take_columns(taking, first, end);
}
