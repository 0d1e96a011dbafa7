/* Four numbers at a time where the machine has AVX2, chosen at run time: FIL_FOUR is defined where a compiler can build that, and functions
 * that use it are marked FIL_AVX2. Products are not fused with sums: those would round once less than pairs do (pair.h). */
#ifndef FILUM_LINALG_FOUR_H
#define FILUM_LINALG_FOUR_H

#include <stdbool.h>
#include <string.h>

#if defined(__GNUC__) && defined(__x86_64__) && !defined(FIL_SCALAR_LANES)
#define FIL_FOUR
#define FIL_AVX2 __attribute__((target("avx2")))
#define FIL_AVX2_INLINE FIL_AVX2 static inline __attribute__((always_inline))

typedef double FilFour __attribute__((vector_size(32)));

static inline bool fil_four_is_there(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

FIL_AVX2_INLINE FilFour fil_four_load(const double* p)
{
    FilFour v;
    memcpy(&v, p, sizeof v);
    return v;
}

FIL_AVX2_INLINE void fil_four_store(double* p, FilFour v)
{
    memcpy(p, &v, sizeof v);
}

FIL_AVX2_INLINE FilFour fil_four_of(double x)
{
    return (FilFour){x, x, x, x};
}
#endif

#endif
