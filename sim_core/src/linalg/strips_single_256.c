/* Strips in single precision with registers of 256 bits, and of 512, which are chosen at run time (base/vector.h). */
#include "base/vector.h"
#include "linalg/strips.h"

typedef float Number;
#include "linalg/strips_loops.h"
/* after the loops */
#include "linalg/strips_four_floats.h"

static void tile_of_strip(float* c, const float* a, const float* b, int k)
{
    tile_vector4(c, a, b, k);
}

#if defined(FIL_VECTOR_SVE)
/* ---- two columns of a strip at a time: even and odd ones lie side by side, in a strip and in the sums; fused, as NEON's ---- */

typedef svfloat32_t Eight __attribute__((arm_sve_vector_bits(256)));

/* A lane is one of each half. */
INLINE void add_columns(Eight* sums, Eight a, Eight b)
{
    sums[0] = svmla_lane_f32(sums[0], a, b, 0);
    sums[1] = svmla_lane_f32(sums[1], a, b, 1);
    sums[2] = svmla_lane_f32(sums[2], a, b, 2);
    sums[3] = svmla_lane_f32(sums[3], a, b, 3);
}

INLINE void subtract_halves(float* c, const Eight* sums)
{
    const svbool_t half = svptrue_pat_b32(SV_VL4);
    for (int column = 0; column < FIL_STRIP; column++, c += FIL_STRIP) {
        const svfloat32_t sum = svadd_f32_x(half, sums[column], svext_f32(sums[column], sums[column], FIL_STRIP));
        svst1_f32(half, c, svsub_f32_x(half, svld1_f32(half, c), sum));
    }
}

static void tiles_vector8(float* c, float* d, const float* a0, const float* a1, const float* b, int k)
{
    // a last, even column alone: nothing is added to the odd ones' sums but products with zero, of zeros
    const svbool_t all = svptrue_b32(), half = svptrue_pat_b32(SV_VL4);
    Eight upper[FIL_STRIP], lower[FIL_STRIP];
    for (int column = 0; column < FIL_STRIP; column++) {
        upper[column] = svdup_n_f32(0.0F);
        lower[column] = svdup_n_f32(0.0F);
    }
    for (int p = 0; p < k; p += 2, a0 += 2 * FIL_STRIP, a1 += 2 * FIL_STRIP, b += 2 * FIL_STRIP) {
        const svbool_t there = p + 1 < k ? all : half;
        const Eight columns = svld1_f32(there, b);
        add_columns(upper, svld1_f32(there, a0), columns);
        add_columns(lower, svld1_f32(there, a1), columns);
    }
    subtract_halves(c, upper);
    subtract_halves(d, lower);
}
#else
/* ---- columns of two strips at a time, without fused products: those would round once less ---- */

INLINE void eight_subtract(float* c, float* d, FilFloat8 v)
{
    four_subtract(c, fil_float8_lower(v));
    four_subtract(d, fil_float8_upper(v));
}

static void tiles_vector8(float* c, float* d, const float* a0, const float* a1, const float* b, int k)
{
    FilFloat8 e0 = {0.0F}, e1 = e0, e2 = e0, e3 = e0, o0 = e0, o1 = e0, o2 = e0, o3 = e0;
    int p = 0;
    for (; p + 1 < k; p += 2, a0 += 2 * FIL_STRIP, a1 += 2 * FIL_STRIP, b += 2 * FIL_STRIP) {
        const FilFloat8 even = fil_float8_join(a0, a1), odd = fil_float8_join(a0 + FIL_STRIP, a1 + FIL_STRIP);
        e0 += even * b[0];
        e1 += even * b[1];
        e2 += even * b[2];
        e3 += even * b[3];
        o0 += odd * b[4];
        o1 += odd * b[5];
        o2 += odd * b[6];
        o3 += odd * b[7];
    }
    if (p < k) {
        const FilFloat8 even = fil_float8_join(a0, a1);
        e0 += even * b[0];
        e1 += even * b[1];
        e2 += even * b[2];
        e3 += even * b[3];
    }
    eight_subtract(c, d, e0 + o0);
    eight_subtract(c + 4, d + 4, e1 + o1);
    eight_subtract(c + 8, d + 8, e2 + o2);
    eight_subtract(c + 12, d + 12, e3 + o3);
}
#endif

static void subtract_vector8(float* c, size_t c_stride, const float* a, size_t a_stride, int first, int rows, int columns, int k)
{
    subtract_by((TileKernels){tile_of_strip, tiles_vector8, NULL}, c, c_stride, a, a_stride, first, rows, columns, k);
}

const FilStripKernelsSingle fil_strips_single_256 = {"eight", subtract_vector8, scale_vector4};

#if defined(FIL_AT_AVX512)
/* Two columns of two strips at a time: even and odd ones lie side by side, in a strip and in the sums. */
FIL_AT_AVX512 INLINE FilFloat16 sixteen_of(FilFloat8 upper, FilFloat8 lower)
{
    return __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* A last, even column alone: nothing is added to the odd ones' sums but products with zero, of zeros. */
FIL_AT_AVX512 INLINE FilFloat8 even_of(const float* p)
{
    return __builtin_shufflevector(fil_float4_load(p), (FilFloat4){0.0F}, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* Each number of two columns four times. */
FIL_AT_AVX512 INLINE void spread(FilFloat8 both, FilFloat16* b)
{
    b[0] = __builtin_shufflevector(both, both, 0, 0, 0, 0, 4, 4, 4, 4, 0, 0, 0, 0, 4, 4, 4, 4);
    b[1] = __builtin_shufflevector(both, both, 1, 1, 1, 1, 5, 5, 5, 5, 1, 1, 1, 1, 5, 5, 5, 5);
    b[2] = __builtin_shufflevector(both, both, 2, 2, 2, 2, 6, 6, 6, 6, 2, 2, 2, 2, 6, 6, 6, 6);
    b[3] = __builtin_shufflevector(both, both, 3, 3, 3, 3, 7, 7, 7, 7, 3, 3, 3, 3, 7, 7, 7, 7);
}

FIL_AT_AVX512 INLINE void add_columns(FilFloat16* sums, FilFloat16 a, const FilFloat16* b)
{
    for (int column = 0; column < FIL_STRIP; column++) {
        sums[column] += a * b[column];
    }
}

FIL_AT_AVX512 INLINE void subtract_halves(float* c, float* d, const FilFloat16* sums)
{
    for (int column = 0; column < FIL_STRIP; column++) {
        const FilFloat16 s = sums[column];
        four_subtract(c + FIL_STRIP * column, __builtin_shufflevector(s, s, 0, 1, 2, 3) + __builtin_shufflevector(s, s, 4, 5, 6, 7));
        four_subtract(d + FIL_STRIP * column, __builtin_shufflevector(s, s, 8, 9, 10, 11) + __builtin_shufflevector(s, s, 12, 13, 14, 15));
    }
}

/* `pairs` times two strips with one, whose numbers are spread once for all. */
FIL_AT_AVX512 INLINE void subtract_pairs(float* const* c, int pairs, const float* a, size_t a_stride, const float* b, int k)
{
    FilFloat16 sums[2][FIL_STRIP] = {{{0.0F}}, {{0.0F}}}, spread_b[FIL_STRIP];
    int p = 0;
    for (; p + 1 < k; p += 2, a += 2 * FIL_STRIP, b += 2 * FIL_STRIP) {
        spread(FIL_VECTOR_IN(FilFloat8, b), spread_b);
        for (int pair = 0; pair < pairs; pair++) {
            const float* own = a + 2 * (size_t)pair * a_stride;
            add_columns(sums[pair], sixteen_of(FIL_VECTOR_IN(FilFloat8, own), FIL_VECTOR_IN(FilFloat8, own + a_stride)), spread_b);
        }
    }
    if (p < k) {
        spread(even_of(b), spread_b);
        for (int pair = 0; pair < pairs; pair++) {
            const float* own = a + 2 * (size_t)pair * a_stride;
            add_columns(sums[pair], sixteen_of(even_of(own), even_of(own + a_stride)), spread_b);
        }
    }
    for (int pair = 0; pair < pairs; pair++) {
        subtract_halves(c[2 * pair], c[2 * pair + 1], sums[pair]);
    }
}

FIL_AT_AVX512 static void tiles_vector16(float* c, float* d, const float* a0, const float* a1, const float* b, int k)
{
    subtract_pairs((float* const[]){c, d}, 1, a0, (size_t)(a1 - a0), b, k);
}

FIL_AT_AVX512 static void four_tiles_vector16(float* const* c, const float* a, size_t a_stride, const float* b, int k)
{
    subtract_pairs(c, 2, a, a_stride, b, k);
}

/* ---- many columns: a number of four strips in each register ---- */

/* Strips that are packed at a time, of FIL_STRIP_DEPTH columns 32 KB; columns of tiles from which on that pays (chosen: packing takes about as long
 * as one of them). */
enum { QUAD = 4, QUADS = 8, PACKED = QUAD * QUADS, PACKED_COLUMNS_MIN = 4 };

/* Four numbers of each strip: those of one strip become sixteen in a row. */
FIL_AT_AVX512 INLINE void turn(FilFloat16* v)
{
    const FilFloat16 a = __builtin_shufflevector(v[0], v[1], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const FilFloat16 b = __builtin_shufflevector(v[0], v[1], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    const FilFloat16 c = __builtin_shufflevector(v[2], v[3], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const FilFloat16 d = __builtin_shufflevector(v[2], v[3], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    v[1] = __builtin_shufflevector(b, d, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    v[2] = __builtin_shufflevector(a, c, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    v[3] = __builtin_shufflevector(b, d, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
}

/* Columns of four strips in registers; strips that are not there are zero. */
FIL_AT_AVX512 static void pack_quad(FilFloat16* packed, const float* a, size_t a_stride, int strips, int k)
{
    const FilFloat4 none = {0.0F};
    for (int p = 0; p < k; p++, a += FIL_STRIP) {
        FilFloat4 v[QUAD];
        for (int r = 0; r < QUAD; r++) {
            v[r] = r < strips ? fil_float4_load(a + (size_t)r * a_stride) : none;
        }
        const FilFloat8 upper = __builtin_shufflevector(v[0], v[1], 0, 1, 2, 3, 4, 5, 6, 7);
        const FilFloat8 lower = __builtin_shufflevector(v[2], v[3], 0, 1, 2, 3, 4, 5, 6, 7);
        packed[p] = sixteen_of(upper, lower);
    }
}

/* Tiles of `quads` times four strips, FIL_STRIP_DEPTH registers apart, with one strip: even and odd columns have sums of their own. */
FIL_AT_AVX512 INLINE void sum_quads(FilFloat16 (*sums)[FIL_STRIP], int quads, const FilFloat16* packed, const float* b, int k)
{
    FilFloat16 odd[2][FIL_STRIP] = {{{0.0F}}, {{0.0F}}}, even[2][FIL_STRIP] = {{{0.0F}}, {{0.0F}}};
    int p = 0;
    for (; p + 1 < k; p += 2, b += 2 * FIL_STRIP) {
        for (int q = 0; q < quads; q++) {
            const FilFloat16 first = packed[q * FIL_STRIP_DEPTH + p], second = packed[q * FIL_STRIP_DEPTH + p + 1];
            for (int column = 0; column < FIL_STRIP; column++) {
                even[q][column] += first * b[column];
                odd[q][column] += second * b[FIL_STRIP + column];
            }
        }
    }
    for (int q = 0; q < quads; q++) {
        for (int column = 0; column < FIL_STRIP; column++) {
            if (p < k) {
                even[q][column] += packed[q * FIL_STRIP_DEPTH + p] * b[column];
            }
            sums[q][column] = even[q][column] + odd[q][column];
        }
        turn(sums[q]);
    }
}

/* Packed strips from `begin` to `end` - 1 of C. */
typedef struct Packed {
    FilFloat16 numbers[QUADS * FIL_STRIP_DEPTH];
    int begin, end;
} Packed;

/* Tiles of column j of two quads, or of one, from strip `first` on. */
FIL_AT_AVX512 INLINE void subtract_quads(const Packed* packed, int quads, int first, float* c, size_t c_stride, int j, const float* b, int k)
{
    FilFloat16 sums[2][FIL_STRIP];
    sum_quads(sums, quads, packed->numbers + (size_t)((first - packed->begin) / QUAD) * FIL_STRIP_DEPTH, b, k);
    for (int r = 0; r < quads * QUAD; r++) {
        const int i = first + r;
        if (i >= j && i < packed->end) {
            FIL_VECTOR_AT(FilFloat16, strip_of(c, c_stride, i) + FIL_TILE * (size_t)j) -= sums[r / QUAD][r % QUAD];
        }
    }
}

FIL_AT_AVX512 static void subtract_packed(float* c, size_t c_stride, const float* a, size_t a_stride, int first, int rows, int columns, int k)
{
    Packed packed;
    for (packed.begin = first; packed.begin < rows; packed.begin = packed.end) {
        packed.end = packed.begin + PACKED < rows ? packed.begin + PACKED : rows;
        for (int p = 0; p < k; p += FIL_STRIP_DEPTH) {
            const int depth = depth_at(p, k);
            for (int i = packed.begin; i < packed.end; i += QUAD) {
                pack_quad(packed.numbers + (size_t)((i - packed.begin) / QUAD) * FIL_STRIP_DEPTH, a + (size_t)i * a_stride + FIL_STRIP * p, a_stride,
                          packed.end - i, depth);
            }
            for (int j = 0; j < columns && j < packed.end; j++) {
                const float* b = a + (size_t)j * a_stride + FIL_STRIP * p;
                int i = j > packed.begin ? j - (j - packed.begin) % QUAD : packed.begin;
                for (; i + QUAD < packed.end; i += 2 * QUAD) {
                    subtract_quads(&packed, 2, i, c, c_stride, j, b, depth);
                }
                if (i < packed.end) {
                    subtract_quads(&packed, 1, i, c, c_stride, j, b, depth);
                }
            }
        }
    }
}

FIL_AT_AVX512 static void subtract_vector16(float* c, size_t c_stride, const float* a, size_t a_stride, int first, int rows, int columns, int k)
{
    if (columns >= PACKED_COLUMNS_MIN) {
        subtract_packed(c, c_stride, a, a_stride, first, rows, columns, k);
        return;
    }
    subtract_by((TileKernels){tile_of_strip, tiles_vector16, four_tiles_vector16}, c, c_stride, a, a_stride, first, rows, columns, k);
}

const FilStripKernelsSingle fil_strips_single_512 = {"sixteen", subtract_vector16, scale_vector4};
#endif
