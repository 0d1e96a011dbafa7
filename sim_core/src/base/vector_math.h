/* Functions of four numbers side by side, by one polynomial each and without branches. */
#ifndef FILUM_BASE_VECTOR_MATH_H
#define FILUM_BASE_VECTOR_MATH_H

#include "base/vector.h"

/* exp(a) and exp(-a) for 0 <= a <= 700: the sum and the difference of even and odd part of a series, each times a power
 * of two; within 6e-16. The powers are there long before the rest. */
typedef struct FilDouble4Exp {
    FilDouble4 sum, difference, power, inverse;
} FilDouble4Exp;

FIL_VECTOR_INLINE FilDouble4Exp fil_double4_exp(FilDouble4 a)
{
    // 1/ln 2, and ln 2 in two parts (Cody and Waite): the first has 33 bits, so that its product with n <= 2^11 is exact
    static const double PER_LN2 = 0x1.71547652b82fep0, LN2 = 0x1.62e42fefap-1, LN2_REST = 0x1.cf79abc9e3b3ap-40;
    static const double WHOLE = 0x1.8p52;  // added, it leaves an integer in the last bits
    const FilDouble4 shifted = a * PER_LN2 + WHOLE, n = shifted - WHOLE;
    const FilDouble4 r = (a - n * LN2) - n * LN2_REST, z = r * r, z2 = z * z, z4 = z2 * z2;
    // terms 1/k! up to 13 in pairs, so that few have to wait; what is left, (ln 2/2)^14/14!, is 4e-18
    const FilDouble4 even =
        ((1.0 + z * (1.0 / 2)) + z2 * (1.0 / 24 + z * (1.0 / 720))) + z4 * ((1.0 / 40320 + z * (1.0 / 3628800)) + z2 * (1.0 / 479001600));
    const FilDouble4 odd =
        r * (((1.0 + z * (1.0 / 6)) + z2 * (1.0 / 120 + z * (1.0 / 5040))) + z4 * ((1.0 / 362880 + z * (1.0 / 39916800)) + z2 * (1.0 / 6227020800)));
    const FilDouble4Bits whole = fil_double4_bits(shifted);
    // IEEE 754: exponents stand above 52 bits, and count from 1023
    return (FilDouble4Exp){even + odd, even - odd, fil_double4_of_bits((whole + UINT64_C(1023)) << 52),
                           fil_double4_of_bits((UINT64_C(1023) - whole) << 52)};
}

/* scale log((1 + a)/(1 + b)) for a and b in [0, 1]: 2 scale atanh((a - b)/(2 + a + b)). The polynomial is that of
 * atanh(y)/y in y^2 <= 1/9, by Chebyshev points; its error is 5e-17, and that of all roundings 7e-16. */
FIL_VECTOR_INLINE FilDouble4 fil_double4_log_ratio(FilDouble4 a, FilDouble4 b, FilDouble4 scale)
{
    const FilDouble4 y = (a - b) / (2.0 + (a + b)), z = y * y, z2 = z * z, z4 = z2 * z2;
    const FilDouble4 low = (1.0 + z * 0.33333333333341286) + z2 * (0.199999999976438 + z * 0.1428571455582858);
    const FilDouble4 middle = (0.11111095430673142 + z * 0.09091429900236955) + z2 * (0.07681838124445817 + z * 0.06795652742789947);
    const FilDouble4 high = 0.04940394524382393 + z * 0.08890381913056651;
    return (2.0 * scale * y) * (low + z4 * (middle + z4 * high));
}

#endif
