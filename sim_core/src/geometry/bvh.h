/* A bounding tree over boxes that are all there at once. Which pairs it reports depends on the boxes alone; in which
 * order, also on those that it was made for if it has been updated since. */
#ifndef FILUM_GEOMETRY_BVH_H
#define FILUM_GEOMETRY_BVH_H

#include "base/workers.h"
#include "geometry/aabb.h"
#include "geometry/pairs.h"

/* Items of one leaf, at most: nodes that hold more have children. */
#define FIL_BVH_LEAF 4

typedef struct FilBvhNode {
    FilAabb box;
    int start, end; /* its range of `order` */
    int marks;      /* of a leaf: bit k for the item start + k; of others: of all leaves below it */
    int leaf;       /* its number, or -1: it has children */
} FilBvhNode;

/* Boxes of a leaf's items side by side, empty ones in places that are left. */
typedef struct FilBvhLeaf {
    double lo[3][FIL_BVH_LEAF], hi[3][FIL_BVH_LEAF];
} FilBvhLeaf;

typedef struct FilBvh {
    FilBvhNode* nodes;  /* of a full binary tree over `order`; node k has children 2 k + 1 and 2 k + 2 */
    int* order;         /* items by leaf */
    FilAabb* items;     /* their boxes, in that order ... */
    FilBvhLeaf* leaves; /* ... and once more, in that of the leaves */
    int count, capacity;
    double cost; /* when it was made: area of its nodes over that of its items */
} FilBvh;

void fil_bvh_free(FilBvh* bvh); /* a zeroed one is fine */

/* Over boxes 0 to count - 1, all marked. Allocates only to grow. */
FIL_MUST_CHECK FilStatus fil_bvh_build(FilBvh* bvh, const FilAabb* boxes, int count);

/* The same; where the last boxes have only moved, their tree is refitted, which is cheaper, while it is nearly as good. Marks
 * have to be set again. */
FIL_MUST_CHECK FilStatus fil_bvh_update(FilBvh* bvh, const FilAabb* boxes, int count);

/* Lets walks look for pairs of those items only whose mark is 1, not 0, with any others; NULL marks all, as a new tree does. */
void fil_bvh_mark(FilBvh* bvh, const int* marks);

/* Both, large trees by their branches: shared by workers. */
FIL_MUST_CHECK FilStatus fil_bvh_update_marked(FilBvh* bvh, const FilAabb* boxes, const int* marks, int count, FilWorkers* workers);

/* Appends (a, b) for items of two trees whose boxes overlap, at least one of them marked. */
FIL_MUST_CHECK FilStatus fil_bvh_pairs(const FilBvh* a, const FilBvh* b, FilPairs* pairs);

/* The same by parts: pairs of nodes, some `wanted` of them if there are so many, below which all pairs of items are, each once ... */
FIL_MUST_CHECK FilStatus fil_bvh_split(const FilBvh* a, const FilBvh* b, bool self, int wanted, FilPairs* nodes);
/* ... and the pairs below one. `self`: both are the same tree. */
FIL_MUST_CHECK FilStatus fil_bvh_walk(const FilBvh* a, const FilBvh* b, bool self, FilIndexPair from, FilPairs* pairs);

/* Appends (a, tag) for items whose boxes overlap `box`, marked or not. */
FIL_MUST_CHECK FilStatus fil_bvh_query(const FilBvh* bvh, const FilAabb* box, int tag, FilPairs* pairs);

/* Appends (a, b), a < b, for items of one tree whose boxes overlap, at least one of them marked. */
FIL_MUST_CHECK FilStatus fil_bvh_self_pairs(const FilBvh* bvh, FilPairs* pairs);

#endif
