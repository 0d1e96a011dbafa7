/* The smaller and the larger of two numbers, where it counts how long that takes: amd64's instructions, to the last bit what fmin and fmax are there.
 * Those leave out NaN on either side, for which amd64 has no instruction, so that compilers call the library, which costs every register besides. */
#ifndef FILUM_BASE_EXTREMA_H
#define FILUM_BASE_EXTREMA_H

#include <math.h>

/* Where a is NaN, b; b is not. Of equal ones b: zeros may differ in sign. */
static inline double fil_min(double a, double b)
{
#if defined(__x86_64__)
    return a < b ? a : b;
#else
    return fmin(a, b);
#endif
}

static inline double fil_max(double a, double b)
{
#if defined(__x86_64__)
    return a > b ? a : b;
#else
    return fmax(a, b);
#endif
}

#endif
