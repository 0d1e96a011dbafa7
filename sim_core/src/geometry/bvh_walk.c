#include "geometry/bvh_walk.h"

FIL_VECTOR_INLINE unsigned meet_leaves(const FilBvhLeaf* a, const FilBvhLeaf* b)
{
    unsigned bits = 0;
    for (int k = 0; k < FIL_BVH_LEAF; k++) {
        FilDouble2Bits met[2];
        for (int half = 0; half < 2; half++) {
            for (int axis = 0; axis < 3; axis++) {
                const FilDouble2 lo = fil_double2_load(b->lo[axis] + 2 * half), hi = fil_double2_load(b->hi[axis] + 2 * half);
                const FilDouble2Bits touch = (fil_double2_all(a->lo[axis][k]) <= hi) & (lo <= fil_double2_all(a->hi[axis][k]));
                met[half] = axis == 0 ? touch : met[half] & touch;
            }
        }
        bits |= fil_double2_which(met[0], met[1]) << FIL_BVH_LEAF * k;
    }
    return bits;
}

FIL_VECTOR_INLINE FilIndexPair* list_pairs(FilIndexPair* to, const int* items_a, const int* items_b, unsigned bits, bool sorted)
{
    for (unsigned left = bits; left != 0; left &= left - 1, to++) {
        const int bit = __builtin_ctz(left), p = items_a[bit >> 2], q = items_b[bit & 3];
        to->a = sorted && p > q ? q : p;
        to->b = sorted && p > q ? p : q;
    }
    return to;
}

FilStatus fil_bvh_walk(const FilBvh* a, const FilBvh* b, bool self, FilIndexPair from, FilPairs* pairs)
{
#if defined(FIL_VECTOR_AVX2)
    if (fil_vector_level() >= FIL_VECTOR_256) {
        return fil_bvh_walk_avx2(a, b, self, from, pairs);
    }
#endif
    const WalkKernels kernels = {meet_leaves, boxes_touch, list_pairs};
    return self ? walk(a, b, true, from, kernels, pairs) : walk(a, b, false, from, kernels, pairs);
}
