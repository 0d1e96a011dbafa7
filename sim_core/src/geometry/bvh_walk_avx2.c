/* A register holds what one axis bounds of the four items of a leaf. */
#include "geometry/bvh_walk.h"

FIL_VECTOR_INLINE unsigned meet_leaves(const FilBvhLeaf* a, const FilBvhLeaf* b)
{
    unsigned bits = 0;
    for (int k = 0; k < FIL_BVH_LEAF; k++) {
        const FilDouble4Bits met = fil_double4_not_above(fil_double4_all(a->lo[0][k]), fil_double4_load(b->hi[0])) &
                                   fil_double4_not_above(fil_double4_load(b->lo[0]), fil_double4_all(a->hi[0][k])) &
                                   fil_double4_not_above(fil_double4_all(a->lo[1][k]), fil_double4_load(b->hi[1])) &
                                   fil_double4_not_above(fil_double4_load(b->lo[1]), fil_double4_all(a->hi[1][k])) &
                                   fil_double4_not_above(fil_double4_all(a->lo[2][k]), fil_double4_load(b->hi[2])) &
                                   fil_double4_not_above(fil_double4_load(b->lo[2]), fil_double4_all(a->hi[2][k]));
        bits |= fil_double4_which(met) << FIL_BVH_LEAF * k;
    }
    return bits;
}

/* Loads end in what follows, which does not count. */
FIL_VECTOR_INLINE bool boxes_touch_at_once(const FilBvhNode* x, const FilBvhNode* y)
{
    const FilDouble4Bits met = fil_double4_not_above(fil_double4_load(x->box.lo), fil_double4_load(y->box.hi)) &
                               fil_double4_not_above(fil_double4_load(y->box.lo), fil_double4_load(x->box.hi));
    return (fil_double4_which(met) & 7) == 7;
}

/* Four pairs at once, those that count moved in front of the others, which are written over: no branch, which would be guessed wrong. */
FIL_VECTOR_INLINE FilIndexPair* list_rows(FilIndexPair* to, const int* items_a, const int* items_b, unsigned bits, bool sorted)
{
    // of four bits: where pairs come from, as halves, and how many there are
    static const int places[16][8] = {
        {0},    {0, 1},       {2, 3},       {0, 1, 2, 3},       {4, 5},       {0, 1, 4, 5},       {2, 3, 4, 5},       {0, 1, 2, 3, 4, 5},
        {6, 7}, {0, 1, 6, 7}, {2, 3, 6, 7}, {0, 1, 2, 3, 6, 7}, {4, 5, 6, 7}, {0, 1, 4, 5, 6, 7}, {2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
    };
    const __m128i q = _mm_loadu_si128((const __m128i*)(const void*)items_b);  // of fewer than four: what follows them, which does not count
    for (int k = 0; k < FIL_BVH_LEAF; k++, bits >>= FIL_BVH_LEAF) {
        const unsigned row = bits & 15;
        const __m128i p = _mm_set1_epi32(items_a[k]), a = sorted ? _mm_min_epi32(p, q) : p, b = sorted ? _mm_max_epi32(p, q) : q;
        const __m256i pairs = _mm256_set_m128i(_mm_unpackhi_epi32(a, b), _mm_unpacklo_epi32(a, b));
        const __m256i from = _mm256_loadu_si256((const __m256i*)(const void*)places[row]);
        _mm256_storeu_si256((__m256i*)(void*)to, _mm256_permutevar8x32_epi32(pairs, from));
        to += (0x4332322132212110 >> 4 * row) & 15;
    }
    return to;
}

FilStatus fil_bvh_walk_avx2(const FilBvh* a, const FilBvh* b, bool self, FilIndexPair from, FilPairs* pairs)
{
    const WalkKernels kernels = {meet_leaves, boxes_touch_at_once, list_rows};
    return self ? walk(a, b, true, from, kernels, pairs) : walk(a, b, false, from, kernels, pairs);
}
