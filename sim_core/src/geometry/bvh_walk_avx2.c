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

FilStatus fil_bvh_walk_avx2(const FilBvh* a, const FilBvh* b, bool self, FilIndexPair from, FilPairs* pairs)
{
    const WalkKernels kernels = {meet_leaves, boxes_touch_at_once};
    return self ? walk(a, b, true, from, kernels, pairs) : walk(a, b, false, from, kernels, pairs);
}
