/* Numbers side by side: the one place that knows the machine's vector registers.
 *
 *     FilDouble2   16 bytes: what SSE2 and NEON hold, which every amd64 and arm64 has; 4x4 blocks, halves of rods
 *     FilDouble4   32 bytes: one register of AVX2, two of SSE2 and NEON, whose steps overlap; pairs of edges, tetrahedra
 *     FilFloat4    16 bytes: preconditioners
 *     FilFloat8, FilDouble8, FilFloat16: kernels of a level of their own (below)
 *
 * Sums, differences and products of them are written as of numbers. Each number is rounded by itself and in the order of the source, so that a width
 * changes no bit. Products are fused with sums (..._add_product() and its like) on arm64, and on amd64 where FILUM_FUSED asks for it.
 *
 * Vectors are put together in registers: numbers that are stored one by one and loaded together keep the machine waiting. All functions are part of
 * their callers, since vectors wider than the machine's must not be handed over.
 *
 * Levels: what every processor of the family has, which all of a build may use, and above it what this one has. A kernel that gains from more stands
 * in a file of its own, *_256.c, built for AVX2 or for SVE with registers of 256 bits (within it FIL_AT_AVX512 asks for more), and is chosen by
 * fil_vector_level() at run time, with the same bits. *_avx2.c are for AVX2 only: on arm64 the compiler chooses which of their products it fuses, for
 * SVE others than for NEON. *_avx512.c are the same kernels once more, with AVX-512's 32 registers. */
#ifndef FILUM_BASE_VECTOR_H
#define FILUM_BASE_VECTOR_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__aarch64__)
#define FIL_VECTOR_NEON
#include <arm_neon.h>
#elif defined(__FMA__) && defined(FILUM_FUSED)
#define FIL_VECTOR_FMA
#endif
#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__x86_64__)
#include <emmintrin.h>
#endif
#if defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS == 256
#define FIL_VECTOR_SVE  // in this file
#include <arm_sve.h>
#endif

#define FIL_VECTOR_INLINE static inline __attribute__((always_inline))

/* ---- levels ---- */

#if defined(__x86_64__)
#define FIL_VECTOR_LEVELS
#define FIL_VECTOR_AVX2
#define FIL_AT_AVX512 __attribute__((target("avx2,avx512f,avx512vl,avx512bw,avx512dq")))
#elif defined(__aarch64__)
#define FIL_VECTOR_LEVELS
#endif

/* By the bits of a register. */
typedef enum FilVectorLevel {
    FIL_VECTOR_128, /* SSE2 or NEON */
    FIL_VECTOR_256, /* AVX2, or SVE where its registers have this width */
    FIL_VECTOR_512, /* AVX-512 as x86-64-v4 has it: F, VL, BW, DQ */
    FIL_VECTOR_LEVEL_COUNT,
} FilVectorLevel;

/* The highest that this processor has, or the one that the environment's FILUM_VECTORS names, if it is lower. Found at the first call. */
FilVectorLevel fil_vector_level(void);

/* As FILUM_VECTORS has it: "plain", "avx2" or "sve", "avx512". */
const char* fil_vector_level_name(FilVectorLevel level);

/* ---- all types ---- */

/* Numbers in memory, without alignment, as a vector to read or to write: in kernels of a level, which call no function with vectors that others lack.
 */
#define FIL_VECTOR_AT(Type, p) (*(Type##Memory*)(p))
#define FIL_VECTOR_IN(Type, p) (*(const Type##Memory*)(p))

#define FIL_VECTOR_TYPE(Type, Number, bytes)                 \
    typedef Number Type __attribute__((vector_size(bytes))); \
    typedef Number Type##Memory __attribute__((vector_size(bytes), aligned(sizeof(Number)), may_alias));

FIL_VECTOR_TYPE(FilDouble2, double, 16)
FIL_VECTOR_TYPE(FilDouble4, double, 32)
FIL_VECTOR_TYPE(FilDouble8, double, 64)
FIL_VECTOR_TYPE(FilFloat4, float, 16)
FIL_VECTOR_TYPE(FilFloat8, float, 32)
FIL_VECTOR_TYPE(FilFloat16, float, 64)

/* ---- two doubles ---- */

FIL_VECTOR_INLINE FilDouble2 fil_double2_load(const double* from)
{
    FilDouble2 a;
    memcpy(&a, from, sizeof a);
    return a;
}

FIL_VECTOR_INLINE void fil_double2_store(double* to, FilDouble2 a)
{
    memcpy(to, &a, sizeof a);
}

FIL_VECTOR_INLINE FilDouble2 fil_double2_all(double x)
{
    return (FilDouble2){x, x};
}

FIL_VECTOR_INLINE double fil_double2_sum(FilDouble2 a)
{
    return a[0] + a[1];
}

FIL_VECTOR_INLINE FilDouble2 fil_double2_firsts(FilDouble2 a, FilDouble2 b)
{
    return (FilDouble2){a[0], b[0]};
}

FIL_VECTOR_INLINE FilDouble2 fil_double2_seconds(FilDouble2 a, FilDouble2 b)
{
    return (FilDouble2){a[1], b[1]};
}

/* What comparisons of two make: all bits of a number, or none. */
typedef int64_t FilDouble2Bits __attribute__((vector_size(16)));

/* Which of four are true: bits 0 to 3. */
FIL_VECTOR_INLINE unsigned fil_double2_which(FilDouble2Bits a, FilDouble2Bits b)
{
#if defined(FIL_VECTOR_NEON)
    static const uint32_t bits[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(vuzp1q_u32((uint32x4_t)a, (uint32x4_t)b), vld1q_u32(bits)));
#elif defined(__x86_64__)
    return (unsigned)_mm_movemask_pd((__m128d)a) | (unsigned)_mm_movemask_pd((__m128d)b) << 2;
#else
    return (a[0] != 0 ? 1U : 0U) | (a[1] != 0 ? 2U : 0U) | (b[0] != 0 ? 4U : 0U) | (b[1] != 0 ? 8U : 0U);
#endif
}

/* c + a b and c - a b, number by number */
FIL_VECTOR_INLINE FilDouble2 fil_double2_add_product(FilDouble2 c, FilDouble2 a, FilDouble2 b)
{
#if defined(FIL_VECTOR_NEON)
    return vfmaq_f64(c, a, b);
#elif defined(FIL_VECTOR_FMA)
    return _mm_fmadd_pd(a, b, c);
#else
    return c + a * b;
#endif
}

FIL_VECTOR_INLINE FilDouble2 fil_double2_sub_product(FilDouble2 c, FilDouble2 a, FilDouble2 b)
{
#if defined(FIL_VECTOR_NEON)
    return vfmsq_f64(c, a, b);
#elif defined(FIL_VECTOR_FMA)
    return _mm_fnmadd_pd(a, b, c);
#else
    return c - a * b;
#endif
}

/* c + a b0, c + a b1, c - a b0, c - a b1: on arm64 one instruction each */
FIL_VECTOR_INLINE FilDouble2 fil_double2_add_first(FilDouble2 c, FilDouble2 a, FilDouble2 b)
{
#if defined(FIL_VECTOR_NEON)
    return vfmaq_laneq_f64(c, a, b, 0);
#else
    return fil_double2_add_product(c, a, fil_double2_all(b[0]));
#endif
}

FIL_VECTOR_INLINE FilDouble2 fil_double2_add_second(FilDouble2 c, FilDouble2 a, FilDouble2 b)
{
#if defined(FIL_VECTOR_NEON)
    return vfmaq_laneq_f64(c, a, b, 1);
#else
    return fil_double2_add_product(c, a, fil_double2_all(b[1]));
#endif
}

FIL_VECTOR_INLINE FilDouble2 fil_double2_sub_first(FilDouble2 c, FilDouble2 a, FilDouble2 b)
{
#if defined(FIL_VECTOR_NEON)
    return vfmsq_laneq_f64(c, a, b, 0);
#else
    return fil_double2_sub_product(c, a, fil_double2_all(b[0]));
#endif
}

FIL_VECTOR_INLINE FilDouble2 fil_double2_sub_second(FilDouble2 c, FilDouble2 a, FilDouble2 b)
{
#if defined(FIL_VECTOR_NEON)
    return vfmsq_laneq_f64(c, a, b, 1);
#else
    return fil_double2_sub_product(c, a, fil_double2_all(b[1]));
#endif
}

/* ---- four doubles ---- */

enum { FIL_DOUBLE4_COUNT = 4 };  // 32 bytes of 8

typedef uint64_t FilDouble4Bits __attribute__((vector_size(32)));

FIL_VECTOR_INLINE FilDouble4 fil_double4_load(const double* from)
{
    FilDouble4 a;
    memcpy(&a, from, sizeof a);
    return a;
}

FIL_VECTOR_INLINE void fil_double4_store(double* to, FilDouble4 a)
{
    memcpy(to, &a, sizeof a);
}

FIL_VECTOR_INLINE FilDouble4 fil_double4_of(double a, double b, double c, double d)
{
#if defined(__AVX__) || defined(FIL_VECTOR_SVE)
    return (FilDouble4){a, b, c, d};
#else
    const FilDouble2 halves[2] = {{a, b}, {c, d}};
    FilDouble4 all;
    memcpy(&all, halves, sizeof all);
    return all;
#endif
}

FIL_VECTOR_INLINE FilDouble4 fil_double4_all(double x)
{
    return fil_double4_of(x, x, x, x);
}

FIL_VECTOR_INLINE double fil_double4_get(const FilDouble4* a, int k)
{
    return ((const double*)a)[k];
}

FIL_VECTOR_INLINE void fil_double4_set(FilDouble4* a, int k, double value)
{
    ((double*)a)[k] = value;
}

/* from[stride * at[k]] */
FIL_VECTOR_INLINE FilDouble4 fil_double4_gather(const double* from, const int* at, int stride)
{
    return fil_double4_of(from[stride * at[0]], from[stride * at[1]], from[stride * at[2]], from[stride * at[3]]);
}

/* As of two doubles, in each half. */
FIL_VECTOR_INLINE FilDouble4 fil_double4_firsts(FilDouble4 a, FilDouble4 b)
{
    return __builtin_shufflevector(a, b, 0, 4, 2, 6);
}

FIL_VECTOR_INLINE FilDouble4 fil_double4_seconds(FilDouble4 a, FilDouble4 b)
{
    return __builtin_shufflevector(a, b, 1, 5, 3, 7);
}

#if defined(__AVX__)
/* Two halves as one, and one as two halves. */
FIL_VECTOR_INLINE FilDouble4 fil_double4_join(const double* lower, const double* upper)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(lower)), _mm_loadu_pd(upper), 1);
}

FIL_VECTOR_INLINE void fil_double4_part(FilDouble4 a, double* lower, double* upper)
{
    _mm_storeu_pd(lower, _mm256_castpd256_pd128(a));
    _mm_storeu_pd(upper, _mm256_extractf128_pd(a, 1));
}
#endif

/* c + a b and c - a b in kernels of 256 bits, number by number, rounded as fil_double2_add_product() */
FIL_VECTOR_INLINE FilDouble4 fil_double4_add_product(FilDouble4 c, FilDouble4 a, FilDouble4 b)
{
#if defined(FIL_VECTOR_SVE)
    return svmla_f64_x(svptrue_b64(), c, a, b);
#elif defined(FIL_VECTOR_FMA)
    return _mm256_fmadd_pd(a, b, c);
#else
    return c + a * b;
#endif
}

FIL_VECTOR_INLINE FilDouble4 fil_double4_sub_product(FilDouble4 c, FilDouble4 a, FilDouble4 b)
{
#if defined(FIL_VECTOR_SVE)
    return svmls_f64_x(svptrue_b64(), c, a, b);
#elif defined(FIL_VECTOR_FMA)
    return _mm256_fnmadd_pd(a, b, c);
#else
    return c - a * b;
#endif
}

/* ... and of a number b */
FIL_VECTOR_INLINE FilDouble4 fil_double4_add_scaled(FilDouble4 c, FilDouble4 a, double b)
{
#if defined(FIL_VECTOR_SVE)
    return svmla_n_f64_x(svptrue_b64(), c, a, b);
#elif defined(FIL_VECTOR_FMA)
    return _mm256_fmadd_pd(a, _mm256_set1_pd(b), c);
#else
    return c + a * b;
#endif
}

FIL_VECTOR_INLINE FilDouble4 fil_double4_sub_scaled(FilDouble4 c, FilDouble4 a, double b)
{
#if defined(FIL_VECTOR_SVE)
    return svmls_n_f64_x(svptrue_b64(), c, a, b);
#elif defined(FIL_VECTOR_FMA)
    return _mm256_fnmadd_pd(a, _mm256_set1_pd(b), c);
#else
    return c - a * b;
#endif
}

FIL_VECTOR_INLINE FilDouble4Bits fil_double4_bits(FilDouble4 a)
{
    return (FilDouble4Bits)a;
}

FIL_VECTOR_INLINE FilDouble4 fil_double4_of_bits(FilDouble4Bits bits)
{
    return (FilDouble4)bits;
}

/* Where a <= b: all bits of a number, or none. */
FIL_VECTOR_INLINE FilDouble4Bits fil_double4_not_above(FilDouble4 a, FilDouble4 b)
{
    return (FilDouble4Bits)(a <= b);
}

#if defined(__AVX__)
/* Which are true: bits 0 to 3. */
FIL_VECTOR_INLINE unsigned fil_double4_which(FilDouble4Bits a)
{
    return (unsigned)_mm256_movemask_pd((__m256d)a);
}
#endif

FIL_VECTOR_INLINE FilDouble4 fil_double4_sqrt(FilDouble4 a)
{
#if defined(__AVX__)
    return _mm256_sqrt_pd(a);  // halves would be stored one by one and loaded together
#elif defined(FIL_VECTOR_SVE)
    return svsqrt_f64_x(svptrue_b64(), a);
#else
    FilDouble4 root;
    for (int k = 0; k < FIL_DOUBLE4_COUNT; k++) {
        fil_double4_set(&root, k, sqrt(fil_double4_get(&a, k)));
    }
    return root;
#endif
}

/* a < b ? x : y */
FIL_VECTOR_INLINE FilDouble4 fil_double4_choose_below(FilDouble4 a, FilDouble4 b, FilDouble4 x, FilDouble4 y)
{
    // the difference's sign everywhere: compilers make branches of a plain choice
    typedef int64_t Signs __attribute__((vector_size(32)));
    const FilDouble4Bits below = (FilDouble4Bits)((Signs)(a - b) >> 63);
    return fil_double4_of_bits((below & fil_double4_bits(x)) | (~below & fil_double4_bits(y)));
}

FIL_VECTOR_INLINE FilDouble4 fil_double4_min(FilDouble4 a, FilDouble4 b)
{
    return fil_double4_choose_below(a, b, a, b);
}

FIL_VECTOR_INLINE FilDouble4 fil_double4_abs(FilDouble4 a)
{
    return fil_double4_of_bits(fil_double4_bits(a) & ~(UINT64_C(1) << 63));
}

/* size >= 0 with the sign of another number, or a number turned round where the other is negative */
FIL_VECTOR_INLINE FilDouble4 fil_double4_with_sign(FilDouble4 size, FilDouble4 of)
{
    return fil_double4_of_bits(fil_double4_bits(size) ^ (fil_double4_bits(of) & (UINT64_C(1) << 63)));
}

/* ---- four floats ---- */

FIL_VECTOR_INLINE FilFloat4 fil_float4_load(const float* from)
{
    FilFloat4 a;
    memcpy(&a, from, sizeof a);
    return a;
}

FIL_VECTOR_INLINE void fil_float4_store(float* to, FilFloat4 a)
{
    memcpy(to, &a, sizeof a);
}

FIL_VECTOR_INLINE FilFloat4 fil_float4_all(float x)
{
    return (FilFloat4){x, x, x, x};
}

/* Every `stride`-th of double precision, rounded. */
FIL_VECTOR_INLINE FilFloat4 fil_float4_round(const double* p, int stride)
{
#if defined(FIL_VECTOR_NEON)
    if (stride == 1) {
        return vcombine_f32(vcvt_f32_f64(vld1q_f64(p)), vcvt_f32_f64(vld1q_f64(p + 2)));
    }
#elif defined(__AVX__)
    if (stride == 1) {
        return _mm256_cvtpd_ps(fil_double4_load(p));
    }
#endif
    return (FilFloat4){(float)p[0], (float)p[stride], (float)p[2 * stride], (float)p[3 * stride]};
}

FIL_VECTOR_INLINE float fil_float4_sum(FilFloat4 a)
{
    return (a[0] + a[1]) + (a[2] + a[3]);
}

/* Rows of four columns. */
FIL_VECTOR_INLINE void fil_float4_turn(const FilFloat4 c[4], FilFloat4 r[4])
{
#if defined(FIL_VECTOR_NEON)
    const float32x4_t a = vtrn1q_f32(c[0], c[1]), b = vtrn2q_f32(c[0], c[1]), d = vtrn1q_f32(c[2], c[3]), e = vtrn2q_f32(c[2], c[3]);
    r[0] = vcombine_f32(vget_low_f32(a), vget_low_f32(d));
    r[1] = vcombine_f32(vget_low_f32(b), vget_low_f32(e));
    r[2] = vcombine_f32(vget_high_f32(a), vget_high_f32(d));
    r[3] = vcombine_f32(vget_high_f32(b), vget_high_f32(e));
#else
    // left to itself, gcc stores the columns and loads their numbers one by one
    const FilFloat4 a = __builtin_shufflevector(c[0], c[1], 0, 4, 1, 5), b = __builtin_shufflevector(c[0], c[1], 2, 6, 3, 7),
                    d = __builtin_shufflevector(c[2], c[3], 0, 4, 1, 5), e = __builtin_shufflevector(c[2], c[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(a, d, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(a, d, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(b, e, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(b, e, 2, 3, 6, 7);
#endif
}

/* The sums of four, each as fil_float4_sum() has it. */
FIL_VECTOR_INLINE FilFloat4 fil_float4_sums(FilFloat4 a, FilFloat4 b, FilFloat4 c, FilFloat4 d)
{
#if defined(FIL_VECTOR_NEON)
    return vpaddq_f32(vpaddq_f32(a, b), vpaddq_f32(c, d));
#else
    FilFloat4 r[4];
    fil_float4_turn((const FilFloat4[4]){a, b, c, d}, r);
    return (r[0] + r[1]) + (r[2] + r[3]);
#endif
}

/* Zero where the size is below `smallest`; what is no number stays. */
FIL_VECTOR_INLINE FilFloat4 fil_float4_flush(FilFloat4 a, float smallest)
{
    typedef int32_t Bits __attribute__((vector_size(16)));
    const FilFloat4 bound = fil_float4_all(smallest);
    return (FilFloat4)((Bits)a & (((Bits)a & INT32_MAX) >= (Bits)bound));  // sizes are in the order of their bits
}

/* c + a b and c - a b, number by number */
FIL_VECTOR_INLINE FilFloat4 fil_float4_add_product(FilFloat4 c, FilFloat4 a, FilFloat4 b)
{
#if defined(FIL_VECTOR_NEON)
    return vfmaq_f32(c, a, b);
#elif defined(FIL_VECTOR_FMA)
    return _mm_fmadd_ps(a, b, c);
#else
    return c + a * b;
#endif
}

FIL_VECTOR_INLINE FilFloat4 fil_float4_sub_product(FilFloat4 c, FilFloat4 a, FilFloat4 b)
{
#if defined(FIL_VECTOR_NEON)
    return vfmsq_f32(c, a, b);
#elif defined(FIL_VECTOR_FMA)
    return _mm_fnmadd_ps(a, b, c);
#else
    return c - a * b;
#endif
}

/* c + a b_k and c - a b_k; k is a constant wherever these are called, so that on arm64 one instruction does it. */
FIL_VECTOR_INLINE FilFloat4 fil_float4_add_lane(FilFloat4 c, FilFloat4 a, FilFloat4 b, int k)
{
#if defined(FIL_VECTOR_NEON)
    return k == 0   ? vfmaq_laneq_f32(c, a, b, 0)
           : k == 1 ? vfmaq_laneq_f32(c, a, b, 1)
           : k == 2 ? vfmaq_laneq_f32(c, a, b, 2)
                    : vfmaq_laneq_f32(c, a, b, 3);
#else
    return fil_float4_add_product(c, a, fil_float4_all(b[k]));
#endif
}

FIL_VECTOR_INLINE FilFloat4 fil_float4_sub_lane(FilFloat4 c, FilFloat4 a, FilFloat4 b, int k)
{
#if defined(FIL_VECTOR_NEON)
    return k == 0   ? vfmsq_laneq_f32(c, a, b, 0)
           : k == 1 ? vfmsq_laneq_f32(c, a, b, 1)
           : k == 2 ? vfmsq_laneq_f32(c, a, b, 2)
                    : vfmsq_laneq_f32(c, a, b, 3);
#else
    return fil_float4_sub_product(c, a, fil_float4_all(b[k]));
#endif
}

/* ---- eight floats: two times four, in kernels of a level ---- */

/* Joined in registers: two stores and a load of both would wait for each other. */
FIL_VECTOR_INLINE FilFloat8 fil_float8_join(const float* lower, const float* upper)
{
#if defined(__AVX__)
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(lower)), _mm_loadu_ps(upper), 1);
#else
    return __builtin_shufflevector(fil_float4_load(lower), fil_float4_load(upper), 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

FIL_VECTOR_INLINE FilFloat4 fil_float8_lower(FilFloat8 a)
{
    return __builtin_shufflevector(a, a, 0, 1, 2, 3);
}

FIL_VECTOR_INLINE FilFloat4 fil_float8_upper(FilFloat8 a)
{
    return __builtin_shufflevector(a, a, 4, 5, 6, 7);
}

/* c + a b and c - a b, rounded as fil_float4_add_product() on amd64 */
FIL_VECTOR_INLINE FilFloat8 fil_float8_add_product(FilFloat8 c, FilFloat8 a, FilFloat8 b)
{
#if defined(FIL_VECTOR_FMA)
    return _mm256_fmadd_ps(a, b, c);
#else
    return c + a * b;
#endif
}

FIL_VECTOR_INLINE FilFloat8 fil_float8_sub_scaled(FilFloat8 c, FilFloat8 a, float b)
{
#if defined(FIL_VECTOR_FMA)
    return _mm256_fnmadd_ps(a, _mm256_set1_ps(b), c);
#else
    return c - a * b;
#endif
}

#endif
