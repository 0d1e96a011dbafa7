#include "geometry/bvh.h"

#include <string.h>

#include "base/memory.h"
#include "geometry/bvh_walk.h"

/* Items of one leaf, at most; nodes that wait: 31 levels of a tree whose nodes are numbered by ints leave one each. */
enum { LEAF = FIL_BVH_LEAF, STACK = 256 };

/* How much more a refitted tree may cost than when it was made: a matter of time alone, 1.1 to 1.6 list the same pairs. */
static const double WORSE = 1.3;

void fil_bvh_free(FilBvh* bvh)
{
    fil_free(bvh->nodes);
    fil_free(bvh->order);
    fil_free(bvh->items);
    fil_free(bvh->leaves);
    *bvh = (FilBvh){0};
}

static bool reserve(FilBvh* bvh, int count)
{
    if (count <= bvh->capacity && bvh->nodes != NULL) {
        return true;
    }
    fil_bvh_free(bvh);
    const int capacity = count + count / 2 + 16;
    // halving until at most LEAF = 4 are left takes ceil(log2(capacity / 4)) levels: fewer than capacity nodes,
    // numbered as in a full tree of at most twice as many
    const size_t nodes = 2 * (size_t)capacity + 8;
    bvh->nodes = fil_alloc(nodes, sizeof *bvh->nodes);
    bvh->order = fil_alloc((size_t)capacity, sizeof(int));
    bvh->items = fil_alloc((size_t)capacity, sizeof *bvh->items);
    // of two items and more, but for that of one item alone
    bvh->leaves = fil_alloc((size_t)capacity / 2 + 1, sizeof *bvh->leaves);
    bvh->capacity = capacity;
    const bool whole = bvh->nodes != NULL && bvh->order != NULL && bvh->items != NULL && bvh->leaves != NULL;
    if (!whole) {
        fil_bvh_free(bvh);  // not to be taken for one with room the next time
    }
    return whole;
}

static double middle(const FilAabb* box, int axis)
{
    return box->lo[axis] + box->hi[axis];
}

/* Where an item stands along an axis; equal ones by number, so that the order is one and the same. */
typedef struct Place {
    double middle;
    int item;
} Place;

static Place place_of(const FilBvh* bvh, int axis, int k)
{
    return (Place){middle(&bvh->items[k], axis), bvh->order[k]};
}

static bool before(Place a, Place b)
{
    return a.middle < b.middle || (a.middle == b.middle && a.item < b.item);
}

static void swap_items(FilBvh* bvh, int i, int j)
{
    const int item = bvh->order[i];
    const FilAabb box = bvh->items[i];
    bvh->order[i] = bvh->order[j];
    bvh->items[i] = bvh->items[j];
    bvh->order[j] = item;
    bvh->items[j] = box;
}

/* Puts the item that belongs at place `k` of [low, high) there, smaller ones before it. */
static void select_middle(FilBvh* bvh, int axis, int low, int high, int k)
{
    while (high - low > 1) {
        const Place pivot = place_of(bvh, axis, low + (high - low) / 2);
        int i = low, j = high - 1;
        while (i <= j) {
            while (before(place_of(bvh, axis, i), pivot)) {
                i++;
            }
            while (before(pivot, place_of(bvh, axis, j))) {
                j--;
            }
            if (i <= j) {
                swap_items(bvh, i++, j--);
            }
        }
        if (k <= j) {
            high = j + 1;
        } else if (k >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int widest(const FilAabb* box)
{
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        axis = box->hi[k] - box->lo[k] > box->hi[axis] - box->lo[axis] ? k : axis;
    }
    return axis;
}

/* What a walk meets, by area: that of all nodes, against that of the items. */
static double cost_of(const FilBvh* bvh, double area)
{
    double items = 0.0;
    for (int k = 0; k < bvh->count; k++) {
        items += fil_aabb_area(&bvh->items[k]);
    }
    return items > 0.0 ? area / items : 0.0;
}

static int mark(FilBvh* bvh, int index, const int* marks)
{
    FilBvhNode* node = &bvh->nodes[index];
    node->marks = 0;
    if (node->leaf >= 0) {
        for (int k = node->start; k < node->end; k++) {
            node->marks |= (marks != NULL ? marks[bvh->order[k]] : 1) << (k - node->start);
        }
    } else {
        node->marks = mark(bvh, 2 * index + 1, marks) | mark(bvh, 2 * index + 2, marks);
    }
    return node->marks;
}

void fil_bvh_mark(FilBvh* bvh, const int* marks)
{
    if (bvh->count > 0) {
        mark(bvh, 0, marks);
    }
}

/* Puts boxes of a leaf's items side by side; the one around them. */
static FilAabb fit_leaf(FilBvh* bvh, const FilBvhNode* node)
{
    FilBvhLeaf* leaf = &bvh->leaves[node->leaf];
    FilAabb all = fil_aabb_empty();
    for (int k = 0; k < LEAF; k++) {
        const FilAabb box = node->start + k < node->end ? bvh->items[node->start + k] : fil_aabb_empty();
        all = fil_aabb_union(&all, &box);
        for (int axis = 0; axis < 3; axis++) {
            leaf->lo[axis][k] = box.lo[axis];
            leaf->hi[axis][k] = box.hi[axis];
        }
    }
    return all;
}

FilStatus fil_bvh_build(FilBvh* bvh, const FilAabb* boxes, int count)
{
    if (!reserve(bvh, count)) {
        return FIL_OUT_OF_MEMORY;
    }
    bvh->count = count;
    for (int k = 0; k < count; k++) {
        bvh->order[k] = k;
        bvh->items[k] = boxes[k];
    }
    double area = 0.0;
    int stack[STACK], top = 0, leaves = 0;
    bvh->nodes[0].start = 0;
    bvh->nodes[0].end = count;
    stack[top++] = 0;
    while (top > 0) {
        const int index = stack[--top];
        FilBvhNode* node = &bvh->nodes[index];
        const int low = node->start, high = node->end;
        node->leaf = -1;
        if (high - low <= LEAF) {
            node->leaf = leaves++;
            node->box = fit_leaf(bvh, node);
            area += count > 0 ? fil_aabb_area(&node->box) : 0.0;
            continue;
        }
        node->box = fil_aabb_empty();
        for (int k = low; k < high; k++) {
            node->box = fil_aabb_union(&node->box, &bvh->items[k]);
        }
        area += fil_aabb_area(&node->box);
        const int half = low + (high - low) / 2;
        select_middle(bvh, widest(&node->box), low, high, half);
        FilBvhNode *left = &bvh->nodes[2 * index + 1], *right = left + 1;
        left->start = low;
        left->end = right->start = half;
        right->end = high;
        stack[top++] = 2 * index + 2;
        stack[top++] = 2 * index + 1;
    }
    bvh->cost = cost_of(bvh, area);
    fil_bvh_mark(bvh, NULL);
    return FIL_OK;
}

/* Box of a node from those of its items or children; adds the areas of all. */
static FilAabb refit(FilBvh* bvh, int index, double* area)
{
    FilBvhNode* node = &bvh->nodes[index];
    if (node->leaf >= 0) {
        node->box = fit_leaf(bvh, node);
    } else {
        const FilAabb left = refit(bvh, 2 * index + 1, area), right = refit(bvh, 2 * index + 2, area);
        node->box = fil_aabb_union(&left, &right);
    }
    *area += fil_aabb_area(&node->box);
    return node->box;
}

FilStatus fil_bvh_update(FilBvh* bvh, const FilAabb* boxes, int count)
{
    if (count != bvh->count || count == 0) {
        return fil_bvh_build(bvh, boxes, count);
    }
    for (int k = 0; k < count; k++) {
        bvh->items[k] = boxes[bvh->order[k]];
    }
    double area = 0.0;
    refit(bvh, 0, &area);
    return cost_of(bvh, area) <= WORSE * bvh->cost ? FIL_OK : fil_bvh_build(bvh, boxes, count);
}

/* Branches of a tree, below its first nodes. */
enum { ABOVE = 7, BRANCHES = ABOVE + 1 };

typedef struct Update {
    FilBvh* bvh;
    const FilAabb* boxes;
    const int* marks;
    double area[BRANCHES], items[BRANCHES]; /* of nodes, of items */
} Update;

static void update_branches(void* context, int first, int end, int worker)
{
    Update* update = context;
    FilBvh* bvh = update->bvh;
    (void)worker;
    for (int b = first; b < end; b++) {
        double area = 0.0, items = 0.0;
        for (int k = bvh->nodes[ABOVE + b].start; k < bvh->nodes[ABOVE + b].end; k++) {
            bvh->items[k] = update->boxes[bvh->order[k]];
            items += fil_aabb_area(&bvh->items[k]);
        }
        refit(bvh, ABOVE + b, &area);
        mark(bvh, ABOVE + b, update->marks);
        update->area[b] = area;
        update->items[b] = items;
    }
}

FilStatus fil_bvh_update_marked(FilBvh* bvh, const FilAabb* boxes, const int* marks, int count, FilWorkers* workers)
{
    enum { LARGE = 64 * BRANCHES };  // items from which on a branch takes some microseconds
    FilStatus status = FIL_OK;
    double area = 0.0, items = 0.0;
    if (count != bvh->count || count < LARGE) {
        status = fil_bvh_update(bvh, boxes, count);
        fil_bvh_mark(bvh, marks);
        return status;
    }
    Update update = {.bvh = bvh, .boxes = boxes, .marks = marks};
    fil_workers_run(workers, BRANCHES, 1, update_branches, &update);
    for (int b = 0; b < BRANCHES; b++) {
        area += update.area[b];
        items += update.items[b];
    }
    for (int index = ABOVE - 1; index >= 0; index--) {
        FilBvhNode* node = &bvh->nodes[index];
        const FilBvhNode *left = &bvh->nodes[2 * index + 1], *right = left + 1;
        node->box = fil_aabb_union(&left->box, &right->box);
        node->marks = left->marks | right->marks;
        area += fil_aabb_area(&node->box);
    }
    if (items > 0.0 && area > WORSE * bvh->cost * items) {
        status = fil_bvh_build(bvh, boxes, count);
        fil_bvh_mark(bvh, marks);
    }
    return status;
}

/* Pairs of children, the last first; how many: none of two leaves. In one tree, each pair of nodes once. */
static int split(const FilBvh* a, const FilBvh* b, bool self, FilIndexPair at, FilIndexPair next[3])
{
    const int i = at.a, j = at.b;
    const FilBvhNode *x = &a->nodes[i], *y = &b->nodes[j];
    if (are_leaves(x, y)) {
        return 0;
    }
    if (self && i == j) {
        next[0] = (FilIndexPair){2 * i + 2, 2 * i + 2};
        next[1] = (FilIndexPair){2 * i + 1, 2 * i + 2};
        next[2] = (FilIndexPair){2 * i + 1, 2 * i + 1};
        return 3;
    }
    const bool first = is_first_split(x, y);
    next[0] = first ? (FilIndexPair){2 * i + 2, j} : (FilIndexPair){i, 2 * j + 2};
    next[1] = first ? (FilIndexPair){2 * i + 1, j} : (FilIndexPair){i, 2 * j + 1};
    return 2;
}

FilStatus fil_bvh_split(const FilBvh* a, const FilBvh* b, bool self, int wanted, FilPairs* nodes)
{
    nodes->count = 0;
    if (a->count == 0 || b->count == 0) {
        return FIL_OK;
    }
    // leaves are kept in front of those that are still to be split. The room is always the same, whatever the trees: most pairs that are split have
    // two or three in their place, some none
    const int room = 16 * wanted + 4;
    const FilStatus status = fil_pairs_reserve(nodes, room);
    if (status != FIL_OK) {
        return status;
    }
    int kept = 0, at = 0;
    nodes->items[nodes->count++] = (FilIndexPair){0, 0};
    while (at < nodes->count && kept + nodes->count - at < wanted && nodes->count + 3 <= room) {
        const FilIndexPair pair = nodes->items[at++];
        FilIndexPair next[3];
        const int more = may_meet(boxes_touch, &a->nodes[pair.a], &b->nodes[pair.b]) ? split(a, b, self, pair, next) : -1;
        nodes->items[kept] = pair;
        kept += more == 0;
        for (int k = more - 1; k >= 0; k--) {
            nodes->items[nodes->count++] = next[k];
        }
    }
    memmove(nodes->items + kept, nodes->items + at, sizeof *nodes->items * (size_t)(nodes->count - at));
    nodes->count -= at - kept;
    return FIL_OK;
}

FilStatus fil_bvh_pairs(const FilBvh* a, const FilBvh* b, FilPairs* pairs)
{
    return a->count > 0 && b->count > 0 ? fil_bvh_walk(a, b, false, (FilIndexPair){0, 0}, pairs) : FIL_OK;
}

FilStatus fil_bvh_self_pairs(const FilBvh* bvh, FilPairs* pairs)
{
    return bvh->count > 0 ? fil_bvh_walk(bvh, bvh, true, (FilIndexPair){0, 0}, pairs) : FIL_OK;
}

FilStatus fil_bvh_query(const FilBvh* bvh, const FilAabb* box, int tag, FilPairs* pairs)
{
    int stack[2 * STACK], top = 0;
    FilStatus status = FIL_OK;
    stack[top++] = 0;
    while (top > 0 && bvh->count > 0 && status == FIL_OK) {
        const int index = stack[--top];
        const FilBvhNode* node = &bvh->nodes[index];
        if (!fil_aabb_overlap(&node->box, box)) {
            continue;
        }
        if (node->leaf < 0) {
            stack[top++] = 2 * index + 2;
            stack[top++] = 2 * index + 1;
            continue;
        }
        status = fil_pairs_reserve(pairs, LEAF);
        for (int k = node->start; k < node->end && status == FIL_OK; k++) {
            pairs->items[pairs->count] = (FilIndexPair){bvh->order[k], tag};
            pairs->count += fil_aabb_overlap(&bvh->items[k], box);
        }
    }
    return status;
}
