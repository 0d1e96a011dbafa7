/* The words of base/lane_blocks.h for two rods of one shape that are walked at once, in files for AVX2: both halves of the one, both of the other.
 * Each rod has its own numbers in memory, as FilLanes; a register holds a block of both. Every lane does what it does alone, so bits are the same. */
#ifndef FILUM_BASE_LANE_PAIRS_H
#define FILUM_BASE_LANE_PAIRS_H

#include "base/lanes.h"

#if defined(__AVX2__)

typedef FilDouble4 FilPairLanes;

/* Where the blocks of both rods begin. */
typedef struct FilPairBlocks {
    FilLanes *first, *second;
} FilPairBlocks;

FIL_VECTOR_INLINE FilPairLanes fil_pair_splat(double a)
{
    return (FilPairLanes){a, a, a, a};
}

FIL_VECTOR_INLINE FilPairLanes fil_pair_join(FilLanes first, FilLanes second)
{
    return (FilPairLanes)_mm256_insertf128_pd(_mm256_castpd128_pd256((__m128d)first), (__m128d)second, 1);
}

FIL_VECTOR_INLINE FilLanes fil_pair_first(FilPairLanes a)
{
    return (FilLanes)_mm256_castpd256_pd128((__m256d)a);
}

FIL_VECTOR_INLINE FilLanes fil_pair_second(FilPairLanes a)
{
    return (FilLanes)_mm256_extractf128_pd((__m256d)a, 1);
}

FIL_VECTOR_INLINE FilPairLanes fil_pair_at(FilPairBlocks blocks, size_t k)
{
    return fil_pair_join(blocks.first[k], blocks.second[k]);
}

FIL_VECTOR_INLINE void fil_pair_put(FilPairBlocks blocks, size_t k, FilPairLanes a)
{
    blocks.first[k] = fil_pair_first(a);
    blocks.second[k] = fil_pair_second(a);
}

FIL_VECTOR_INLINE FilPairBlocks fil_pair_from(FilPairBlocks blocks, size_t k)
{
    return (FilPairBlocks){blocks.first + k, blocks.second + k};
}

FIL_VECTOR_INLINE FilPairLanes fil_pair_min(FilPairLanes a, FilPairLanes b)
{
    typedef long long Bits __attribute__((vector_size(32)));
    const Bits less = (Bits)(a < b);
    return (FilPairLanes)((less & (Bits)a) | (~less & (Bits)b));
}

FIL_VECTOR_INLINE FilPairLanes fil_pair_sqrt(FilPairLanes a)
{
    return (FilPairLanes)_mm256_sqrt_pd((__m256d)a);
}

FIL_VECTOR_INLINE bool fil_pair_are_below(FilPairLanes a, double bound)
{
    return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)fil_pair_splat(bound), _CMP_LT_OQ)) == 0xf;
}

/* `count` blocks from memory. */
FIL_VECTOR_INLINE void fil_pair_take(FilPairLanes* to, FilPairBlocks blocks, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        to[k] = fil_pair_at(blocks, k);
    }
}

#define LANES FilPairLanes
#define OF(Name) Name##4
#define BLOCKS FilPairBlocks
#define IN_BLOCKS FilPairBlocks
#define AT(blocks, k) fil_pair_at(blocks, (size_t)(k))
#define PUT(blocks, k, value) fil_pair_put(blocks, (size_t)(k), value)
#define FROM(blocks, k) fil_pair_from(blocks, k)
#define VIEW(Type, name, blocks)                                                                         \
    OF(Type) name##_of_both;                                                                             \
    fil_pair_take((FilPairLanes*)&name##_of_both, blocks, sizeof name##_of_both / sizeof(FilPairLanes)); \
    const OF(Type)* const name = &name##_of_both
#define SPLAT fil_pair_splat
#define MIN fil_pair_min

#endif
#endif
