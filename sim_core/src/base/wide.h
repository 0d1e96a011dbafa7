/* FilWide: several independent numbers side by side, for long chains of arithmetic whose steps wait for each other: the
 * machine works on the next ones meanwhile. Choices come without branches and functions by one polynomial each, so that
 * compilers without vector types, which take one number at a time, give the same bits. */
#ifndef FILUM_BASE_WIDE_H
#define FILUM_BASE_WIDE_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#if defined(__GNUC__) && !defined(FIL_SCALAR_LANES)
/* 32 bytes: one register of AVX2, two of NEON and SSE2, whose steps overlap */
#define FIL_WIDE_COUNT 4
typedef double FilWide __attribute__((vector_size(32)));
typedef uint64_t FilWideBits __attribute__((vector_size(32)));
typedef int64_t FilWideSigns __attribute__((vector_size(32)));

/* Put together in registers: numbers that are stored one by one and loaded together keep the machine waiting. */
static inline FilWide fil_wide_of(double a, double b, double c, double d)
{
#if defined(__AVX__)
    return (FilWide){a, b, c, d};
#else
    typedef double Half __attribute__((vector_size(16)));
    const Half halves[2] = {{a, b}, {c, d}};
    FilWide all;
    memcpy(&all, halves, sizeof all);
    return all;
#endif
}
#else
#define FIL_WIDE_COUNT 1
typedef double FilWide;
typedef uint64_t FilWideBits;
#endif

static inline double fil_wide_get(const FilWide* a, int k)
{
    return ((const double*)a)[k];
}

static inline void fil_wide_set(FilWide* a, int k, double value)
{
    ((double*)a)[k] = value;
}

static inline FilWide fil_wide_splat(double a)
{
#if FIL_WIDE_COUNT > 1
    return fil_wide_of(a, a, a, a);
#else
    return a;
#endif
}

static inline FilWide fil_wide_load(const double* from)
{
    FilWide a;
    memcpy(&a, from, sizeof a);
    return a;
}

static inline void fil_wide_store(double* to, FilWide a)
{
    memcpy(to, &a, sizeof a);
}

/* from[stride * at[k]] */
static inline FilWide fil_wide_gather(const double* from, const int* at, int stride)
{
#if FIL_WIDE_COUNT > 1
    return fil_wide_of(from[stride * at[0]], from[stride * at[1]], from[stride * at[2]], from[stride * at[3]]);
#else
    return from[stride * at[0]];
#endif
}

static inline FilWideBits fil_wide_bits(FilWide a)
{
    FilWideBits bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static inline FilWide fil_wide_of_bits(FilWideBits bits)
{
    FilWide a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

static inline FilWide fil_wide_sqrt(FilWide a)
{
#if FIL_WIDE_COUNT > 1 && defined(__AVX__)
    return _mm256_sqrt_pd(a);  // halves would be stored one by one and loaded together
#else
    FilWide root;
    for (int k = 0; k < FIL_WIDE_COUNT; k++) {
        fil_wide_set(&root, k, sqrt(fil_wide_get(&a, k)));
    }
    return root;
#endif
}

/* a < b ? x : y */
static inline FilWide fil_wide_choose_below(FilWide a, FilWide b, FilWide x, FilWide y)
{
#if FIL_WIDE_COUNT > 1
    // the difference's sign everywhere
    const FilWideBits below = (FilWideBits)((FilWideSigns)(a - b) >> 63);
    return fil_wide_of_bits((below & fil_wide_bits(x)) | (~below & fil_wide_bits(y)));
#else
    return a < b ? x : y;
#endif
}

static inline FilWide fil_wide_min(FilWide a, FilWide b)
{
    return fil_wide_choose_below(a, b, a, b);
}

static inline FilWide fil_wide_abs(FilWide a)
{
    return fil_wide_of_bits(fil_wide_bits(a) & ~(UINT64_C(1) << 63));
}

/* size >= 0 with the sign of another number, or a number turned round where the other is negative */
static inline FilWide fil_wide_with_sign(FilWide size, FilWide of)
{
    return fil_wide_of_bits(fil_wide_bits(size) ^ (fil_wide_bits(of) & (UINT64_C(1) << 63)));
}

/* exp(a) and exp(-a) for 0 <= a <= 700: the sum and the difference of even and odd part of a series, each times a power
 * of two; within 6e-16. The powers are there long before the rest. */
typedef struct FilWideExp {
    FilWide sum, difference, power, inverse;
} FilWideExp;

static inline FilWideExp fil_wide_exp(FilWide a)
{
    // 1/ln 2, and ln 2 in two parts (Cody and Waite): the first has 33 bits, so that its product with n <= 2^11 is exact
    static const double PER_LN2 = 0x1.71547652b82fep0, LN2 = 0x1.62e42fefap-1, LN2_REST = 0x1.cf79abc9e3b3ap-40;
    static const double WHOLE = 0x1.8p52;  // added, it leaves an integer in the last bits
    const FilWide shifted = a * PER_LN2 + WHOLE, n = shifted - WHOLE;
    const FilWide r = (a - n * LN2) - n * LN2_REST, z = r * r, z2 = z * z, z4 = z2 * z2;
    // terms 1/k! up to 13 in pairs, so that few have to wait; what is left, (ln 2/2)^14/14!, is 4e-18
    const FilWide even =
        ((1.0 + z * (1.0 / 2)) + z2 * (1.0 / 24 + z * (1.0 / 720))) + z4 * ((1.0 / 40320 + z * (1.0 / 3628800)) + z2 * (1.0 / 479001600));
    const FilWide odd =
        r * (((1.0 + z * (1.0 / 6)) + z2 * (1.0 / 120 + z * (1.0 / 5040))) + z4 * ((1.0 / 362880 + z * (1.0 / 39916800)) + z2 * (1.0 / 6227020800)));
    const FilWideBits whole = fil_wide_bits(shifted);
    // IEEE 754: exponents stand above 52 bits, and count from 1023
    return (FilWideExp){even + odd, even - odd, fil_wide_of_bits((whole + UINT64_C(1023)) << 52), fil_wide_of_bits((UINT64_C(1023) - whole) << 52)};
}

/* scale log((1 + a)/(1 + b)) for a and b in [0, 1]: 2 scale atanh((a - b)/(2 + a + b)). The polynomial is that of
 * atanh(y)/y in y^2 <= 1/9, by Chebyshev points; its error is 5e-17, and that of all roundings 7e-16. */
static inline FilWide fil_wide_log_ratio(FilWide a, FilWide b, FilWide scale)
{
    const FilWide y = (a - b) / (2.0 + (a + b)), z = y * y, z2 = z * z, z4 = z2 * z2;
    const FilWide low = (1.0 + z * 0.33333333333341286) + z2 * (0.199999999976438 + z * 0.1428571455582858);
    const FilWide middle = (0.11111095430673142 + z * 0.09091429900236955) + z2 * (0.07681838124445817 + z * 0.06795652742789947);
    const FilWide high = 0.04940394524382393 + z * 0.08890381913056651;
    return (2.0 * scale * y) * (low + z4 * (middle + z4 * high));
}

#endif
