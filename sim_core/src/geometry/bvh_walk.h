/* Walks down two trees: whoever includes this builds them for the level of vectors that its file is compiled for (base/vector.h). */
#ifndef FILUM_GEOMETRY_BVH_WALK_H
#define FILUM_GEOMETRY_BVH_WALK_H

#include "base/vector.h"
#include "geometry/bvh.h"

/* As fil_bvh_walk(), with registers of 256 bits: the same pairs in the same order. */
FIL_MUST_CHECK FilStatus fil_bvh_walk_avx2(const FilBvh* a, const FilBvh* b, bool self, FilIndexPair from, FilPairs* pairs);

/* Bit 4 k + l: box k of leaf a touches box l of leaf b. */
typedef unsigned LeafMeeting(const FilBvhLeaf* a, const FilBvhLeaf* b);

/* Whether boxes of nodes touch. */
typedef bool NodeMeeting(const FilBvhNode* x, const FilBvhNode* y);

FIL_VECTOR_INLINE bool boxes_touch(const FilBvhNode* x, const FilBvhNode* y)
{
    return fil_aabb_overlap(&x->box, &y->box);
}

/* Puts down the pairs of items whose bits are set, in the order of bits; returns what is behind them. There is room for all 16. `sorted`: the smaller
 * item first. */
typedef FilIndexPair* PairListing(FilIndexPair* to, const int* items_a, const int* items_b, unsigned bits, bool sorted);

/* Kernels of a level. */
typedef struct WalkKernels {
    LeafMeeting* leaves;
    NodeMeeting* nodes;
    PairListing* list;
} WalkKernels;

/* Whether a pair of nodes has pairs of items to look for. */
FIL_VECTOR_INLINE bool may_meet(NodeMeeting* meeting, const FilBvhNode* x, const FilBvhNode* y)
{
    return ((x->marks | y->marks) != 0) & meeting(x, y);
}

FIL_VECTOR_INLINE bool are_leaves(const FilBvhNode* x, const FilBvhNode* y)
{
    return (x->leaf | y->leaf) >= 0;
}

/* Of two nodes that are not both leaves, and not one and the same, the larger one is split: whether that is x. */
FIL_VECTOR_INLINE bool is_first_split(const FilBvhNode* x, const FilBvhNode* y)
{
    return (y->leaf >= 0) | ((x->leaf < 0) & (x->end - x->start >= y->end - y->start));
}

/* Bits 4 k + l of the pairs that count: of which one is marked, and in one leaf each once. */
FIL_VECTOR_INLINE unsigned wanted_of(const FilBvhNode* x, const FilBvhNode* y, bool self)
{
    // a bit of each row; the bits k < l
    static const unsigned NIBBLES = 0x1111, ABOVE_DIAGONAL = 0x08ce;
    const unsigned m = (unsigned)x->marks, rows = ((m & 1) | (m & 2) << 3 | (m & 4) << 6 | (m & 8) << 9) * 15;
    const unsigned all = rows | (unsigned)y->marks * NIBBLES;
    return self && x == y ? all & ABOVE_DIAGONAL : all;
}

/* Nodes of a pair as one number: two that are stored one by one and loaded together keep the machine waiting. */
typedef uint64_t NodePair;

FIL_VECTOR_INLINE NodePair pair_nodes(int a, int b)
{
    return (NodePair)(uint32_t)a << 32 | (uint32_t)b;
}

FIL_VECTOR_INLINE int first_of(NodePair pair)
{
    return (int)(pair >> 32);
}

FIL_VECTOR_INLINE int second_of(NodePair pair)
{
    return (int)(uint32_t)pair;
}

/* Appends the pairs of items of some pairs of leaves. */
FIL_VECTOR_INLINE FilStatus append_leaves(const FilBvh* a, const FilBvh* b, bool self, const NodePair* leaves, int count, WalkKernels kernels,
                                          FilPairs* pairs)
{
    const FilStatus status = fil_pairs_reserve(pairs, FIL_BVH_LEAF * FIL_BVH_LEAF * count);
    if (status != FIL_OK) {
        return status;
    }
    FilIndexPair* to = pairs->items + pairs->count;
    for (int n = 0; n < count; n++) {
        const FilBvhNode *x = &a->nodes[first_of(leaves[n])], *y = &b->nodes[second_of(leaves[n])];
        const unsigned bits = kernels.leaves(&a->leaves[x->leaf], &b->leaves[y->leaf]) & wanted_of(x, y, self);
        to = kernels.list(to, a->order + x->start, b->order + y->start, bits, self);
    }
    pairs->count = (int)(to - pairs->items);
    return FIL_OK;
}

/* Down both trees where boxes overlap. Pairs of nodes are written where they would go and kept if they count: no branch to guess wrong. */
FIL_VECTOR_INLINE FilStatus walk(const FilBvh* a, const FilBvh* b, bool self, FilIndexPair from, WalkKernels kernels, FilPairs* pairs)
{
    // nodes that wait: of trees that are numbered by ints each of 31 levels leaves two at most
    enum { STACKED = 256, LISTED = 64 };
    NodePair stack[STACKED], leaves[LISTED + 2];
    int top = 0, listed = 0;
    FilStatus status = FIL_OK;
    stack[0] = pair_nodes(from.a, from.b);
    top += may_meet(kernels.nodes, &a->nodes[from.a], &b->nodes[from.b]);
    while (top > 0 && status == FIL_OK) {
        const NodePair at = stack[--top];
        const int i = first_of(at), j = second_of(at);
        const FilBvhNode *x = &a->nodes[i], *y = &b->nodes[j];
        if (are_leaves(x, y)) {
            leaves[listed++] = at;
        } else if (self && i == j) {
            const FilBvhNode* child = &a->nodes[2 * i + 1];
            stack[top] = pair_nodes(2 * i + 2, 2 * i + 2);
            top += child[1].marks != 0;
            stack[top] = pair_nodes(2 * i + 1, 2 * i + 2);
            top += may_meet(kernels.nodes, child, child + 1);
            stack[top] = pair_nodes(2 * i + 1, 2 * i + 1);
            top += child[0].marks != 0;
        } else {
            const bool first = is_first_split(x, y);
            const NodePair left = first ? pair_nodes(2 * i + 1, j) : pair_nodes(i, 2 * j + 1), right = left + (first ? pair_nodes(1, 0) : 1);
            const FilBvhNode *child = first ? &a->nodes[2 * i + 1] : &b->nodes[2 * j + 1], *other = first ? y : x;
            const bool meets = may_meet(kernels.nodes, child, other), goes_on = meets & !are_leaves(child, other);
            const bool next_meets = may_meet(kernels.nodes, child + 1, other), listable = are_leaves(child + 1, other) & !goes_on;
            // pairs of leaves are listed at once, but for one that comes after what is still to be split
            leaves[listed] = left;
            listed += meets & !goes_on;
            leaves[listed] = right;
            listed += next_meets & listable;
            stack[top] = right;
            top += next_meets & !listable;
            stack[top] = left;
            top += goes_on;
        }
        if (listed >= LISTED) {
            status = append_leaves(a, b, self, leaves, listed, kernels, pairs);
            listed = 0;
        }
    }
    return status == FIL_OK ? append_leaves(a, b, self, leaves, listed, kernels, pairs) : status;
}

#endif
