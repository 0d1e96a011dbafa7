#include "geometry/chain.h"

#include "base/memory.h"

// boxes per leaf: below this, comparing boxes costs less than walking nodes
#define LEAF_BOXES 4

// node pairs that wait: a walk of two trees of depth 31 pushes at most 3 per level
#define STACK 256

FilStatus fil_chain_init(FilChain* chain, int count)
{
    int leaves = 1;
    while (leaves * LEAF_BOXES < count) {
        leaves *= 2;
    }
    *chain = (FilChain){.count = count, .leaf_count = leaves};
    chain->boxes = fil_alloc((size_t)count, sizeof *chain->boxes);
    chain->nodes = fil_alloc(2 * (size_t)leaves, sizeof *chain->nodes);
    if (chain->boxes == NULL || chain->nodes == NULL) {
        fil_chain_free(chain);
        return FIL_OUT_OF_MEMORY;
    }
    return FIL_OK;
}

void fil_chain_free(FilChain* chain)
{
    fil_free(chain->boxes);
    fil_free(chain->nodes);
    *chain = (FilChain){0};
}

static int leaf_end(const FilChain* chain, int first)
{
    return first + LEAF_BOXES < chain->count ? first + LEAF_BOXES : chain->count;
}

void fil_chain_refit(FilChain* chain)
{
    for (int leaf = 0; leaf < chain->leaf_count; leaf++) {
        FilAabb box = fil_aabb_empty();
        for (int i = leaf * LEAF_BOXES; i < leaf_end(chain, leaf * LEAF_BOXES); i++) {
            box = fil_aabb_union(&box, &chain->boxes[i]);
        }
        chain->nodes[chain->leaf_count + leaf] = box;
    }
    for (int k = chain->leaf_count - 1; k > 0; k--) {
        chain->nodes[k] = fil_aabb_union(&chain->nodes[2 * k], &chain->nodes[2 * k + 1]);
    }
}

void fil_chain_set_polyline(FilChain* chain, const double* nodes, bool closed, const double* radii, double margin)
{
    for (int i = 0; i < chain->count; i++) {
        const int next = closed && i + 1 == chain->count ? 0 : i + 1;
        chain->boxes[i] = fil_aabb_of_segment(nodes + 3 * i, nodes + 3 * next, radii[i] + margin);
    }
    fil_chain_refit(chain);
}

// appends the overlapping pairs of a leaf's boxes with another's, of the same or another chain
static FilStatus leaf_pairs(const FilChain* a, int first_a, const FilChain* b, int first_b, int min_gap, int max_gap, FilPairs* pairs)
{
    const FilStatus status = fil_pairs_reserve(pairs, LEAF_BOXES * LEAF_BOXES);
    if (status != FIL_OK) {
        return status;
    }
    const int end_a = leaf_end(a, first_a), end_b = leaf_end(b, first_b);
    int count = pairs->count;
    for (int i = first_a; i < end_a; i++) {
        const int from = first_b > i + min_gap ? first_b : i + min_gap;
        const int to = end_b <= i + max_gap ? end_b : i + max_gap + 1;
        for (int j = from; j < to; j++) {
            // written always, kept if they overlap
            pairs->items[count] = (FilIndexPair){i, j};
            count += fil_aabb_overlap(&a->boxes[i], &b->boxes[j]);
        }
    }
    pairs->count = count;
    return FIL_OK;
}

static int first_of_leaf(const FilChain* chain, int node)
{
    return (node - chain->leaf_count) * LEAF_BOXES;
}

FilStatus fil_chain_self_pairs(const FilChain* chain, int skip, bool closed, FilPairs* pairs)
{
    const int min_gap = (skip > 0 ? skip : 0) + 1;
    const int max_gap = closed ? chain->count - min_gap : chain->count;
    FilIndexPair stack[STACK];
    stack[0] = (FilIndexPair){1, 1};
    FilStatus status = FIL_OK;
    for (int depth = 1; depth > 0 && status == FIL_OK;) {
        const FilIndexPair at = stack[--depth];
        if (at.a != at.b && !fil_aabb_overlap(&chain->nodes[at.a], &chain->nodes[at.b])) {
            continue;
        }
        if (at.a >= chain->leaf_count) {
            if ((at.b - at.a + 1) * LEAF_BOXES > min_gap) {  // else all of them are neighbours
                status = leaf_pairs(chain, first_of_leaf(chain, at.a), chain, first_of_leaf(chain, at.b), min_gap, max_gap, pairs);
            }
            continue;
        }
        // children last first, so that pairs come out in rising order
        stack[depth++] = (FilIndexPair){2 * at.a + 1, 2 * at.b + 1};
        if (at.a != at.b) {
            stack[depth++] = (FilIndexPair){2 * at.a + 1, 2 * at.b};
        }
        stack[depth++] = (FilIndexPair){2 * at.a, 2 * at.b + 1};
        stack[depth++] = (FilIndexPair){2 * at.a, 2 * at.b};
    }
    return status;
}

FilStatus fil_chain_pairs(const FilChain* a, const FilChain* b, FilPairs* pairs)
{
    FilIndexPair stack[STACK];
    stack[0] = (FilIndexPair){1, 1};
    FilStatus status = FIL_OK;
    for (int depth = 1; depth > 0 && status == FIL_OK;) {
        const FilIndexPair at = stack[--depth];
        if (!fil_aabb_overlap(&a->nodes[at.a], &b->nodes[at.b])) {
            continue;
        }
        const bool leaf_a = at.a >= a->leaf_count, leaf_b = at.b >= b->leaf_count;
        if (leaf_a && leaf_b) {
            status = leaf_pairs(a, first_of_leaf(a, at.a), b, first_of_leaf(b, at.b), -b->count - a->count, a->count + b->count, pairs);
            continue;
        }
        // the children of both, or of the one that has any
        const FilIndexPair low = {leaf_a ? at.a : 2 * at.a, leaf_b ? at.b : 2 * at.b};
        for (int i = leaf_a ? 0 : 1; i >= 0; i--) {
            for (int j = leaf_b ? 0 : 1; j >= 0; j--) {
                stack[depth++] = (FilIndexPair){low.a + i, low.b + j};
            }
        }
    }
    return status;
}

FilStatus fil_chain_query(const FilChain* chain, const FilAabb* box, int tag, FilPairs* pairs)
{
    int stack[STACK];
    stack[0] = 1;
    for (int depth = 1; depth > 0;) {
        const int at = stack[--depth];
        if (!fil_aabb_overlap(&chain->nodes[at], box)) {
            continue;
        }
        if (at < chain->leaf_count) {
            stack[depth++] = 2 * at + 1;
            stack[depth++] = 2 * at;
            continue;
        }
        const FilStatus status = fil_pairs_reserve(pairs, LEAF_BOXES);
        if (status != FIL_OK) {
            return status;
        }
        const int first = first_of_leaf(chain, at);
        for (int i = first; i < leaf_end(chain, first); i++) {
            pairs->items[pairs->count] = (FilIndexPair){i, tag};
            pairs->count += fil_aabb_overlap(&chain->boxes[i], box);
        }
    }
    return FIL_OK;
}
