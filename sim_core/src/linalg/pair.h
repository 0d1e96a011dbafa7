/* Two doubles in one register, with fused multiply-add on arm64, and on amd64 where FILUM_FUSED asks for it: what the 4x4 block kernels are made
 * of. `first` and `second` name the element of b that multiplies both elements of a. */
#ifndef FILUM_LINALG_PAIR_H
#define FILUM_LINALG_PAIR_H

#include <string.h>

#if defined(__GNUC__) && !defined(FIL_SCALAR_LANES)
#define FIL_PAIR_VECTOR
#if defined(__aarch64__)
#define FIL_PAIR_NEON
#include <arm_neon.h>
#elif defined(__FMA__) && defined(FILUM_FUSED)
#define FIL_PAIR_FMA
#include <immintrin.h>
#endif
#endif

#if defined(FIL_PAIR_VECTOR)
typedef double FilPair __attribute__((vector_size(16)));
#define FIL_PAIR_GET(a, k) ((a)[k])
#define FIL_PAIR_MAKE(x, y) ((FilPair){(x), (y)})
#else
typedef struct FilPair {
    double e[2];
} FilPair;
#define FIL_PAIR_GET(a, k) ((a).e[k])
#define FIL_PAIR_MAKE(x, y) ((FilPair){{(x), (y)}})
#endif

static inline FilPair fil_pair_load(const double* p)
{
    FilPair a;
    memcpy(&a, p, sizeof a);
    return a;
}

static inline void fil_pair_store(double* p, FilPair a)
{
    memcpy(p, &a, sizeof a);
}

static inline FilPair fil_pair_both(double x)
{
    return FIL_PAIR_MAKE(x, x);
}

static inline double fil_pair_sum(FilPair a)
{
    return FIL_PAIR_GET(a, 0) + FIL_PAIR_GET(a, 1);
}

static inline FilPair fil_pair_add(FilPair a, FilPair b)
{
#if defined(FIL_PAIR_VECTOR)
    return a + b;
#else
    return FIL_PAIR_MAKE(FIL_PAIR_GET(a, 0) + FIL_PAIR_GET(b, 0), FIL_PAIR_GET(a, 1) + FIL_PAIR_GET(b, 1));
#endif
}

static inline FilPair fil_pair_firsts(FilPair a, FilPair b)
{
    return FIL_PAIR_MAKE(FIL_PAIR_GET(a, 0), FIL_PAIR_GET(b, 0));
}

static inline FilPair fil_pair_seconds(FilPair a, FilPair b)
{
    return FIL_PAIR_MAKE(FIL_PAIR_GET(a, 1), FIL_PAIR_GET(b, 1));
}

/* c + a b and c - a b, element by element */
static inline FilPair fil_pair_add_product(FilPair c, FilPair a, FilPair b)
{
#if defined(FIL_PAIR_NEON)
    return vfmaq_f64(c, a, b);
#elif defined(FIL_PAIR_FMA)
    return _mm_fmadd_pd(a, b, c);
#elif defined(FIL_PAIR_VECTOR)
    return c + a * b;
#else
    return FIL_PAIR_MAKE(FIL_PAIR_GET(c, 0) + FIL_PAIR_GET(a, 0) * FIL_PAIR_GET(b, 0), FIL_PAIR_GET(c, 1) + FIL_PAIR_GET(a, 1) * FIL_PAIR_GET(b, 1));
#endif
}

static inline FilPair fil_pair_sub_product(FilPair c, FilPair a, FilPair b)
{
#if defined(FIL_PAIR_NEON)
    return vfmsq_f64(c, a, b);
#elif defined(FIL_PAIR_FMA)
    return _mm_fnmadd_pd(a, b, c);
#elif defined(FIL_PAIR_VECTOR)
    return c - a * b;
#else
    return FIL_PAIR_MAKE(FIL_PAIR_GET(c, 0) - FIL_PAIR_GET(a, 0) * FIL_PAIR_GET(b, 0), FIL_PAIR_GET(c, 1) - FIL_PAIR_GET(a, 1) * FIL_PAIR_GET(b, 1));
#endif
}

/* c + a b0, c + a b1, c - a b0, c - a b1 */
static inline FilPair fil_pair_add_first(FilPair c, FilPair a, FilPair b)
{
#if defined(FIL_PAIR_NEON)
    return vfmaq_laneq_f64(c, a, b, 0);
#else
    return fil_pair_add_product(c, a, fil_pair_both(FIL_PAIR_GET(b, 0)));
#endif
}

static inline FilPair fil_pair_add_second(FilPair c, FilPair a, FilPair b)
{
#if defined(FIL_PAIR_NEON)
    return vfmaq_laneq_f64(c, a, b, 1);
#else
    return fil_pair_add_product(c, a, fil_pair_both(FIL_PAIR_GET(b, 1)));
#endif
}

static inline FilPair fil_pair_sub_first(FilPair c, FilPair a, FilPair b)
{
#if defined(FIL_PAIR_NEON)
    return vfmsq_laneq_f64(c, a, b, 0);
#else
    return fil_pair_sub_product(c, a, fil_pair_both(FIL_PAIR_GET(b, 0)));
#endif
}

static inline FilPair fil_pair_sub_second(FilPair c, FilPair a, FilPair b)
{
#if defined(FIL_PAIR_NEON)
    return vfmsq_laneq_f64(c, a, b, 1);
#else
    return fil_pair_sub_product(c, a, fil_pair_both(FIL_PAIR_GET(b, 1)));
#endif
}

/* x += j' g of four numbers, for a 3x4 matrix j by rows: what a Jacobian block makes of an impulse */
static inline void fil_pair_add_impulse(double* restrict x, const double* j, const double* g)
{
    const FilPair g0 = fil_pair_both(g[0]), g1 = fil_pair_both(g[1]), g2 = fil_pair_both(g[2]);
    for (int half = 0; half < 4; half += 2) {
        FilPair sum = fil_pair_add_product(fil_pair_load(x + half), fil_pair_load(j + half), g0);
        sum = fil_pair_add_product(sum, fil_pair_load(j + 4 + half), g1);
        fil_pair_store(x + half, fil_pair_add_product(sum, fil_pair_load(j + 8 + half), g2));
    }
}

#endif
