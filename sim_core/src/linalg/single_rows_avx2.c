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

/* ---- AVX-512: a thin block's columns side by side in one register ---- */

/* Three columns of three and what follows them, from which three times four numbers are taken, zeros in the fourth places. */
FIL_AT_AVX512 FIL_VECTOR_INLINE FilFloat16 three_columns(const float* block)
{
    const __m512i from = _mm512_setr_epi32(0, 1, 2, 0, 3, 4, 5, 0, 6, 7, 8, 0, 0, 0, 0, 0);
    return _mm512_maskz_permutexvar_ps(0x0777, from, _mm512_loadu_ps(block));
}

/* Each number of a column four times. */
FIL_AT_AVX512 FIL_VECTOR_INLINE FilFloat16 four_times(const float* x)
{
    const __m512i from = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_ps(from, _mm512_castps128_ps512(_mm_loadu_ps(x)));
}

FIL_AT_AVX512 FIL_VECTOR_INLINE FilFloat16 add_block(FilFloat16 sum, const float* block, const float* x)
{
#if defined(FIL_VECTOR_FMA)
    return _mm512_fmadd_ps(three_columns(block), four_times(x), sum);
#else
    return sum + three_columns(block) * four_times(x);
#endif
}

FIL_AT_AVX512 FIL_VECTOR_INLINE FilFloat4 sum_columns(FilFloat16 s)
{
    return (__builtin_shufflevector(s, s, 0, 1, 2, 3) + __builtin_shufflevector(s, s, 4, 5, 6, 7)) + __builtin_shufflevector(s, s, 8, 9, 10, 11);
}

FIL_AT_AVX512 FIL_VECTOR_INLINE FilFloat4 thin_times_512(const float* block, const int* column, int count, const float* x)
{
    FilFloat16 even = {0.0F}, odd = even;
    int k = 0;
    for (; k + 2 <= count; k += 2, block += 18) {
        even = add_block(even, block, x + (ptrdiff_t)4 * column[k]);
        odd = add_block(odd, block + 9, x + (ptrdiff_t)4 * column[k + 1]);
    }
    if (k < count) {
        even = add_block(even, block, x + (ptrdiff_t)4 * column[k]);
    }
    return sum_columns(even) + sum_columns(odd);
}

FIL_AT_AVX512 float fil_single_rows_times_avx512(const FilSingleRows* a, const FilSingleRows* b, int first, int end, const float* z, float* w)
{
    return rows_times((RowKernels){thin_times_512, wide_times}, a, b, first, end, z, w);
}

int fil_single_rows_take_avx2(const FilSingleTaking* taking, int first, int end)
{
    return take_columns(taking, first, end);
}
