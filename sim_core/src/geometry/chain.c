#include "geometry/chain.h"

#include "base/memory.h"

// boxes per leaf: below this, comparing boxes costs less than walking nodes
#define LEAF_BOXES 4

// node pairs that wait: a walk of two trees of depth 31 pushes at most 3 per level
#define STACK 256

/* Wider boxes reach beyond those of the row by this share of their mean size: in entangling_gripper, whose filaments bend by a tenth of it in some
 * ten steps, lists last long, and those of straight rods stay empty. */
#define WIDER 0.1

/* Lists that do not last for so many refits are worth less than a walk; the next is tried after some more. */
enum { WORTH = 3, WAIT = 32 };

FilStatus fil_chain_init(FilChain* chain, int count)
{
    int leaves = 1;
    while (leaves * LEAF_BOXES < count) {
        leaves *= 2;
    }
    *chain = (FilChain){.count = count, .leaf_count = leaves};
    chain->boxes = fil_alloc((size_t)count, sizeof *chain->boxes);
    chain->nodes = fil_alloc(2 * (size_t)leaves, sizeof *chain->nodes);
    chain->wide = fil_alloc((size_t)count, sizeof *chain->wide);
    if (chain->boxes == NULL || chain->nodes == NULL || chain->wide == NULL) {
        fil_chain_free(chain);
        return FIL_OUT_OF_MEMORY;
    }
    return FIL_OK;
}

void fil_chain_free(FilChain* chain)
{
    fil_free(chain->boxes);
    fil_free(chain->nodes);
    fil_free(chain->wide);
    fil_pairs_free(&chain->own);
    *chain = (FilChain){0};
}

static int leaf_end(const FilChain* chain, int first)
{
    return first + LEAF_BOXES < chain->count ? first + LEAF_BOXES : chain->count;
}

/* Where the row is: a corner of the box in its middle. */
static const double* place_of(const FilChain* chain)
{
    return chain->boxes[chain->count / 2].lo;
}

/* Whether boxes are within the wider ones, which move along with the row. */
static bool stay_within(const FilChain* chain)
{
    double moved[3];
    fil_v3_sub(moved, place_of(chain), chain->place);
    bool within = true;
    for (int i = 0; i < chain->count && within; i++) {
        const FilAabb *box = &chain->boxes[i], *wide = &chain->wide[i];
        for (int k = 0; k < 3; k++) {
            within &= (wide->lo[k] + moved[k] <= box->lo[k]) & (box->hi[k] <= wide->hi[k] + moved[k]);
        }
    }
    return within;
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
    chain->wait -= chain->wait > 0;
    chain->age++;
    if (chain->listed && !stay_within(chain)) {
        chain->listed = false;
        chain->wait = chain->age < WORTH ? WAIT : 0;
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

// appends the overlapping pairs of a leaf's boxes, which are wider by `wider`, with another's, of the same or another chain
static inline FilStatus leaf_pairs(const FilChain* a, int first_a, const FilChain* b, int first_b, int min_gap, int max_gap, double wider,
                                   FilPairs* pairs)
{
    const FilStatus status = fil_pairs_reserve(pairs, LEAF_BOXES * LEAF_BOXES);
    if (status != FIL_OK) {
        return status;
    }
    const int end_a = leaf_end(a, first_a), end_b = leaf_end(b, first_b);
    int count = pairs->count;
    for (int i = first_a; i < end_a; i++) {
        const FilAabb box = wider > 0.0 ? fil_aabb_fattened(&a->boxes[i], wider) : a->boxes[i];
        const int from = first_b > i + min_gap ? first_b : i + min_gap;
        const int to = end_b <= i + max_gap ? end_b : i + max_gap + 1;
        for (int j = from; j < to; j++) {
            // written always, kept if they overlap
            pairs->items[count] = (FilIndexPair){i, j};
            count += fil_aabb_overlap(&box, &b->boxes[j]);
        }
    }
    pairs->count = count;
    return FIL_OK;
}

static int first_of_leaf(const FilChain* chain, int node)
{
    return (node - chain->leaf_count) * LEAF_BOXES;
}

// the same of all leaves of a chain
static inline __attribute__((always_inline)) FilStatus walk_itself(const FilChain* chain, int skip, bool closed, double wider, FilPairs* pairs)
{
    const int min_gap = (skip > 0 ? skip : 0) + 1;
    const int max_gap = closed ? chain->count - min_gap : chain->count;
    FilIndexPair stack[STACK];
    stack[0] = (FilIndexPair){1, 1};
    FilStatus status = FIL_OK;
    for (int depth = 1; depth > 0 && status == FIL_OK;) {
        const FilIndexPair at = stack[--depth];
        const FilAabb box = wider > 0.0 ? fil_aabb_fattened(&chain->nodes[at.a], wider) : chain->nodes[at.a];
        if (at.a != at.b && !fil_aabb_overlap(&box, &chain->nodes[at.b])) {
            continue;
        }
        if (at.a >= chain->leaf_count) {
            if ((at.b - at.a + 1) * LEAF_BOXES > min_gap) {  // else all of them are neighbours
                status = leaf_pairs(chain, first_of_leaf(chain, at.a), chain, first_of_leaf(chain, at.b), min_gap, max_gap, wider, pairs);
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

// lists pairs of wider boxes, in the order that a walk finds those of the row in
static FilStatus list_own(FilChain* chain, int skip, bool closed)
{
    double size = 0.0;
    for (int i = 0; i < chain->count; i++) {
        for (int k = 0; k < 3; k++) {
            size += chain->boxes[i].hi[k] - chain->boxes[i].lo[k];
        }
    }
    const double wider = WIDER * size / (3 * chain->count);
    for (int i = 0; i < chain->count; i++) {
        chain->wide[i] = fil_aabb_fattened(&chain->boxes[i], wider);
    }
    fil_v3_copy(chain->place, place_of(chain));
    chain->own.count = chain->age = 0;
    chain->skip = skip;
    // both sides of a pair are, and a little more for rounding
    const FilStatus status = walk_itself(chain, skip, closed, 2.01 * wider, &chain->own);
    chain->listed = status == FIL_OK && wider > 0.0;
    return status;
}

FilStatus fil_chain_self_pairs(FilChain* chain, int skip, bool closed, FilPairs* pairs)
{
    FilStatus status = FIL_OK;
    if (!chain->listed || chain->skip != skip) {
        if (chain->wait > 0) {
            return walk_itself(chain, skip, closed, 0.0, pairs);
        }
        status = list_own(chain, skip, closed);
    }
    status = status == FIL_OK ? fil_pairs_reserve(pairs, chain->own.count + 1) : status;
    for (int k = 0; k < chain->own.count && status == FIL_OK; k++) {
        const FilIndexPair pair = chain->own.items[k];
        // written always, kept if they overlap
        pairs->items[pairs->count] = pair;
        pairs->count += fil_aabb_overlap(&chain->boxes[pair.a], &chain->boxes[pair.b]);
    }
    return status;
}

FilStatus fil_chain_pairs(const FilChain* a, const FilChain* b, FilPairs* pairs)
{
    FilIndexPair stack[STACK];
    stack[0] = (FilIndexPair){1, 1};
    FilStatus status = FIL_OK;
    for (int depth = fil_aabb_overlap(&a->nodes[1], &b->nodes[1]); depth > 0 && status == FIL_OK;) {
        const FilIndexPair at = stack[--depth];
        const bool leaf_a = at.a >= a->leaf_count, leaf_b = at.b >= b->leaf_count;
        if (leaf_a && leaf_b) {
            status = leaf_pairs(a, first_of_leaf(a, at.a), b, first_of_leaf(b, at.b), -b->count - a->count, a->count + b->count, 0.0, pairs);
            continue;
        }
        // the children of both, or of the one that has any: written always, kept if they overlap
        const FilIndexPair low = {leaf_a ? at.a : 2 * at.a, leaf_b ? at.b : 2 * at.b};
        for (int i = leaf_a ? 0 : 1; i >= 0; i--) {
            for (int j = leaf_b ? 0 : 1; j >= 0; j--) {
                stack[depth] = (FilIndexPair){low.a + i, low.b + j};
                depth += fil_aabb_overlap(&a->nodes[low.a + i], &b->nodes[low.b + j]);
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
