/* A bounding tree over a row of boxes that lie in order, such as a rod's edges: fixed topology, refitted each step.
 *
 * Neighbours in the row are neighbours in space, so halving the row again and again gives a good tree that needs no
 * insertion: a refit is one pass. Pairs come out in an order that depends on the indices only. */
#ifndef FILUM_GEOMETRY_CHAIN_H
#define FILUM_GEOMETRY_CHAIN_H

#include "geometry/aabb.h"
#include "geometry/pairs.h"

typedef struct FilChain {
    int count;      /* boxes in the row */
    int leaf_count; /* a power of two */
    FilAabb* boxes; /* the row, written by the owner before a refit */
    FilAabb* nodes; /* 2 * leaf_count; node k has children 2 k and 2 k + 1, leaves start at leaf_count */

    /* what fil_chain_self_pairs() keeps: pairs of wider boxes, among which those of the row are for as long as its boxes stay in them, moved along
     * with the row */
    FilAabb* wide;
    FilPairs own;
    double place[3]; /* of the row, where they were made */
    int skip;        /* that they are of */
    bool listed;
    int age, wait; /* refits that they have lasted, and those until the next are worth a try */
} FilChain;

/* A chain of `count` boxes, at least one. Allocates. */
FIL_MUST_CHECK FilStatus fil_chain_init(FilChain* chain, int count);
void fil_chain_free(FilChain* chain);

/* Rebuilds the nodes from the boxes; to be called whenever these have changed. */
void fil_chain_refit(FilChain* chain);

/* Boxes of the edges of a polyline (3 doubles per node; the last edge of a closed one leads back to the first node),
 * each grown by its radius (one per edge) and by `margin`; then refits. */
void fil_chain_set_polyline(FilChain* chain, const double* nodes, bool closed, const double* radii, double margin);

/* Bounds of the whole chain, after a refit. */
static inline const FilAabb* fil_chain_bounds(const FilChain* chain)
{
    return &chain->nodes[1];
}

/* Appends the pairs (i, j), j - i > skip, of the chain's own boxes that overlap. `closed`: the row is a ring, and
 * pairs that are no more than `skip` apart around its end are left out too. Allocates only to grow `pairs`, and lists of
 * its own. */
FIL_MUST_CHECK FilStatus fil_chain_self_pairs(FilChain* chain, int skip, bool closed, FilPairs* pairs);

/* Appends the pairs (i of a, j of b) that overlap. */
FIL_MUST_CHECK FilStatus fil_chain_pairs(const FilChain* a, const FilChain* b, FilPairs* pairs);

/* Appends (i, tag) for each box i that overlaps `box`. */
FIL_MUST_CHECK FilStatus fil_chain_query(const FilChain* chain, const FilAabb* box, int tag, FilPairs* pairs);

#endif
