#include "geometry/tree.h"

#include "base/error.h"
#include "base/memory.h"

// siblings differ by at most one level, so 2^31 leaves have fewer than 46 levels; a walk holds one node per level
#define STACK 64

/* One leaf is inserted anew for so many that have moved in their places. Where boxes fly about until all are among others, the surface of all inner
 * boxes becomes 3 times that of a new tree without it, 1.8 times with 32, 1.3 times with 16 and with 8, 1.0 times with 4 (geometry.tree). */
enum { MOVES_AN_INSERTION = 16 };

void fil_tree_init(FilTree* tree, double margin)
{
    *tree = (FilTree){.free_node = FIL_TREE_NULL, .root = FIL_TREE_NULL, .margin = margin};
}

void fil_tree_free(FilTree* tree)
{
    fil_free(tree->nodes);
    fil_free(tree->tight);
    fil_free(tree->leaf);
    fil_tree_init(tree, tree->margin);
}

// room for so many items and for the 2 n - 1 nodes that they need
static FilStatus grow(FilTree* tree, int items)
{
    const size_t old_items = (size_t)tree->item_capacity, old_nodes = (size_t)tree->node_capacity;
    const size_t new_items = (size_t)items, new_nodes = 2 * new_items;
    void *nodes = tree->nodes, *tight = tree->tight, *leaf = tree->leaf;
    const bool ok = fil_grow(&nodes, old_nodes, new_nodes, sizeof *tree->nodes) && fil_grow(&tight, old_items, new_items, sizeof *tree->tight) &&
                    fil_grow(&leaf, old_items, new_items, sizeof *tree->leaf);
    tree->nodes = nodes;
    tree->tight = tight;
    tree->leaf = leaf;
    if (!ok) {
        return FIL_OUT_OF_MEMORY;
    }
    for (int i = tree->item_capacity; i < items; i++) {
        tree->leaf[i] = FIL_TREE_NULL;
    }
    for (int k = 2 * items - 1; k >= tree->node_capacity; k--) {
        tree->nodes[k].parent = tree->free_node;
        tree->nodes[k].height = -1;
        tree->free_node = k;
    }
    tree->item_capacity = items;
    tree->node_capacity = 2 * items;
    return FIL_OK;
}

static int take_node(FilTree* tree)
{
    const int node = tree->free_node;
    FIL_ASSERT(node != FIL_TREE_NULL);
    tree->free_node = tree->nodes[node].parent;
    tree->nodes[node] = (FilTreeNode){.parent = FIL_TREE_NULL, .child = {FIL_TREE_NULL, FIL_TREE_NULL}};
    return node;
}

static void give_node(FilTree* tree, int node)
{
    tree->nodes[node].parent = tree->free_node;
    tree->nodes[node].height = -1;
    tree->free_node = node;
}

static bool is_leaf(const FilTreeNode* node)
{
    return node->child[0] == FIL_TREE_NULL;
}

// box, height and group of an inner node from its children
static void update(FilTree* tree, int index)
{
    FilTreeNode* node = &tree->nodes[index];
    const FilTreeNode *a = &tree->nodes[node->child[0]], *b = &tree->nodes[node->child[1]];
    node->box = fil_aabb_union(&a->box, &b->box);
    node->height = 1 + (a->height > b->height ? a->height : b->height);
    node->group = a->group == b->group ? a->group : FIL_TREE_NULL;
}

static double union_area(const FilTree* tree, int a, int b)
{
    const FilAabb u = fil_aabb_union(&tree->nodes[a].box, &tree->nodes[b].box);
    return fil_aabb_area(&u);
}

// true if siblings of these heights keep the tree balanced
static bool balanced(int a, int b)
{
    return a - b <= 1 && b - a <= 1;
}

// swaps a child of the node with a child of its other child: to restore balance where the heights of the node's children differ by more than one
// level, or else where that shrinks a box and keeps the balance
static void rotate(FilTree* tree, int index)
{
    FilTreeNode* node = &tree->nodes[index];
    double best = 0.0;
    int best_side = -1, best_grand = 0;
    for (int side = 0; side < 2; side++) {
        const int near = node->child[side];
        const FilTreeNode* other = &tree->nodes[node->child[1 - side]];
        if (is_leaf(other)) {
            continue;
        }
        const int near_height = tree->nodes[near].height;
        for (int grand = 0; grand < 2; grand++) {
            const int up = other->child[grand], stay = other->child[1 - grand];
            const int up_height = tree->nodes[up].height, stay_height = tree->nodes[stay].height;
            const int other_height = 1 + (near_height > stay_height ? near_height : stay_height);
            // a leaning node must lift its higher grandchild; of two equal ones, the better
            const bool unbalanced = other->height - near_height > 1;
            if (unbalanced ? up_height < stay_height : !balanced(near_height, stay_height) || !balanced(up_height, other_height)) {
                continue;
            }
            const double gain = fil_aabb_area(&other->box) - union_area(tree, stay, near);
            if ((unbalanced && best_side < 0) || gain > best) {
                best = gain;
                best_side = side;
                best_grand = grand;
            }
        }
    }
    if (best_side < 0) {
        return;
    }
    const int near = node->child[best_side], far = node->child[1 - best_side];
    const int up = tree->nodes[far].child[best_grand];
    node->child[best_side] = up;
    tree->nodes[up].parent = index;
    tree->nodes[far].child[best_grand] = near;
    tree->nodes[near].parent = far;
    update(tree, far);
    update(tree, index);
}

static void refit_upwards(FilTree* tree, int index)
{
    for (; index != FIL_TREE_NULL; index = tree->nodes[index].parent) {
        update(tree, index);
        rotate(tree, index);
    }
}

// walks down to the leaf beside which the box adds least surface, as far as one step can tell
static int find_sibling(const FilTree* tree, const FilAabb* box)
{
    int index = tree->root;
    while (!is_leaf(&tree->nodes[index])) {
        double cost[2];
        for (int k = 0; k < 2; k++) {
            const FilTreeNode* child = &tree->nodes[tree->nodes[index].child[k]];
            const FilAabb joined = fil_aabb_union(&child->box, box);
            // beside a leaf a whole new box appears, inside a node only the growth
            cost[k] = fil_aabb_area(&joined) - (is_leaf(child) ? 0.0 : fil_aabb_area(&child->box));
        }
        index = tree->nodes[index].child[cost[1] < cost[0] ? 1 : 0];
    }
    return index;
}

static void replace_child(FilTree* tree, int parent, int old_child, int new_child)
{
    tree->nodes[new_child].parent = parent;
    if (parent == FIL_TREE_NULL) {
        tree->root = new_child;
    } else {
        FilTreeNode* node = &tree->nodes[parent];
        node->child[node->child[0] == old_child ? 0 : 1] = new_child;
    }
}

static void insert_leaf(FilTree* tree, int leaf)
{
    if (tree->root == FIL_TREE_NULL) {
        tree->root = leaf;
        tree->nodes[leaf].parent = FIL_TREE_NULL;
        return;
    }
    const int sibling = find_sibling(tree, &tree->nodes[leaf].box);
    const int joint = take_node(tree);
    replace_child(tree, tree->nodes[sibling].parent, sibling, joint);
    tree->nodes[joint].child[0] = sibling;
    tree->nodes[joint].child[1] = leaf;
    tree->nodes[sibling].parent = joint;
    tree->nodes[leaf].parent = joint;
    refit_upwards(tree, joint);
}

static void detach_leaf(FilTree* tree, int leaf)
{
    const int joint = tree->nodes[leaf].parent;
    if (joint == FIL_TREE_NULL) {
        tree->root = FIL_TREE_NULL;
        return;
    }
    const FilTreeNode* node = &tree->nodes[joint];
    const int sibling = node->child[node->child[0] == leaf ? 1 : 0];
    const int above = node->parent;
    replace_child(tree, above, joint, sibling);
    give_node(tree, joint);
    refit_upwards(tree, above);
}

bool fil_tree_stays(FilTree* tree, int item, const FilAabb* box)
{
    if (item >= tree->item_capacity || tree->leaf[item] == FIL_TREE_NULL) {
        return false;
    }
    tree->tight[item] = *box;
    // a leaf that still covers the box, unless it has grown far too fat
    const FilAabb* leaf = &tree->nodes[tree->leaf[item]].box;
    const FilAabb widest = fil_aabb_fattened(box, 4.0 * tree->margin);
    return fil_aabb_contains(leaf, box) && fil_aabb_contains(&widest, leaf);
}

// what is above a leaf that has moved; all above a stale node are stale
static void mark(FilTree* tree, int index)
{
    for (; index != FIL_TREE_NULL && !tree->nodes[index].stale; index = tree->nodes[index].parent) {
        tree->nodes[index].stale = true;
    }
}

static bool is_stale(const FilTree* tree, int index)
{
    return index != FIL_TREE_NULL && tree->nodes[index].stale;
}

static void refit_stale(FilTree* tree)
{
    int index = is_stale(tree, tree->root) ? tree->root : FIL_TREE_NULL;
    while (index != FIL_TREE_NULL) {  // children first
        FilTreeNode* node = &tree->nodes[index];
        if (is_stale(tree, node->child[0]) || is_stale(tree, node->child[1])) {
            index = node->child[is_stale(tree, node->child[0]) ? 0 : 1];
            continue;
        }
        node->stale = false;
        update(tree, index);
        rotate(tree, index);
        index = node->parent;
    }
}

void fil_tree_refit(FilTree* tree)
{
    refit_stale(tree);
    for (; tree->moved >= MOVES_AN_INSERTION; tree->moved -= MOVES_AN_INSERTION) {
        tree->turn = tree->turn + 1 < tree->item_capacity ? tree->turn + 1 : 0;
        const int leaf = tree->leaf[tree->turn];
        if (leaf != FIL_TREE_NULL) {
            detach_leaf(tree, leaf);
            insert_leaf(tree, leaf);
        }
    }
}

FilStatus fil_tree_move(FilTree* tree, int item, int group, const FilAabb* box)
{
    FIL_ASSERT(item >= 0);
    if (item >= tree->item_capacity) {
        // by doubling; 16 more at first, so that small worlds are not moved with each item
        const FilStatus status = grow(tree, item + 1 > 2 * tree->item_capacity ? item + 17 : 2 * tree->item_capacity);
        if (status != FIL_OK) {
            return status;
        }
    }
    if (fil_tree_stays(tree, item, box)) {
        return FIL_OK;
    }
    tree->tight[item] = *box;
    int leaf = tree->leaf[item];
    if (leaf != FIL_TREE_NULL && fil_aabb_overlap(&tree->nodes[leaf].box, box)) {
        // not far: it keeps its place until it is its turn
        tree->nodes[leaf].box = fil_aabb_fattened(box, tree->margin);
        mark(tree, tree->nodes[leaf].parent);
        tree->moved++;
        return FIL_OK;
    }
    refit_stale(tree);
    if (leaf != FIL_TREE_NULL) {
        detach_leaf(tree, leaf);
    } else {
        leaf = take_node(tree);
        tree->leaf[item] = leaf;
        tree->nodes[leaf].item = item;
        tree->nodes[leaf].group = group;
        tree->item_count++;
    }
    tree->nodes[leaf].box = fil_aabb_fattened(box, tree->margin);
    insert_leaf(tree, leaf);
    return FIL_OK;
}

FilStatus fil_tree_set(FilTree* tree, int item, int group, const FilAabb* box)
{
    const FilStatus status = fil_tree_move(tree, item, group, box);
    fil_tree_refit(tree);
    return status;
}

void fil_tree_remove(FilTree* tree, int item)
{
    if (item < 0 || item >= tree->item_capacity || tree->leaf[item] == FIL_TREE_NULL) {
        return;
    }
    refit_stale(tree);
    detach_leaf(tree, tree->leaf[item]);
    give_node(tree, tree->leaf[item]);
    tree->leaf[item] = FIL_TREE_NULL;
    tree->item_count--;
}

// appends the items above `floor` outside the group whose tight boxes overlap, in the tree's order
static FilStatus walk(const FilTree* tree, const FilAabb* box, int floor, int group, FilPairs* pairs)
{
    int stack[STACK];
    int depth = 0;
    if (tree->root != FIL_TREE_NULL) {
        stack[depth++] = tree->root;
    }
    while (depth > 0) {
        const FilTreeNode* node = &tree->nodes[stack[--depth]];
        if ((group != FIL_TREE_NULL && node->group == group) || !fil_aabb_overlap(&node->box, box)) {
            continue;
        }
        if (!is_leaf(node)) {
            FIL_ASSERT(depth + 2 <= STACK);
            stack[depth++] = node->child[1];
            stack[depth++] = node->child[0];
        } else if (node->item > floor && fil_aabb_overlap(&tree->tight[node->item], box)) {
            const FilStatus status = fil_pairs_reserve(pairs, 1);
            if (status != FIL_OK) {
                return status;
            }
            pairs->items[pairs->count++].a = node->item;
        }
    }
    return FIL_OK;
}

// sorts the pairs from `first` on by their first index: insertion sort with shrinking gaps, the lists are short
static void sort_items(FilPairs* pairs, int first)
{
    const int count = pairs->count - first;
    int gap = 1;
    while (gap < count / 9) {
        gap = 3 * gap + 1;
    }
    for (; gap > 0; gap /= 3) {
        for (int i = first + gap; i < pairs->count; i++) {
            const FilIndexPair item = pairs->items[i];
            int k = i;
            for (; k >= first + gap && pairs->items[k - gap].a > item.a; k -= gap) {
                pairs->items[k] = pairs->items[k - gap];
            }
            pairs->items[k] = item;
        }
    }
}

FilStatus fil_tree_query(const FilTree* tree, const FilAabb* box, int tag, FilPairs* pairs)
{
    const int first = pairs->count;
    const FilStatus status = walk(tree, box, -1, FIL_TREE_NULL, pairs);
    sort_items(pairs, first);
    for (int i = first; i < pairs->count; i++) {
        pairs->items[i].b = tag;
    }
    return status;
}

FilStatus fil_tree_self_pairs(const FilTree* tree, FilPairs* pairs)
{
    return fil_tree_pairs_of(tree, 0, tree->item_capacity, pairs);
}

FilStatus fil_tree_pairs_of(const FilTree* tree, int begin, int end, FilPairs* pairs)
{
    for (int item = begin; item < end && item < tree->item_capacity; item++) {
        const int leaf = tree->leaf[item];
        if (leaf == FIL_TREE_NULL) {
            continue;
        }
        const int first = pairs->count;
        const FilStatus status = walk(tree, &tree->tight[item], item, tree->nodes[leaf].group, pairs);
        if (status != FIL_OK) {
            return status;
        }
        sort_items(pairs, first);
        for (int i = first; i < pairs->count; i++) {
            pairs->items[i] = (FilIndexPair){item, pairs->items[i].a};
        }
    }
    return FIL_OK;
}

int fil_tree_height(const FilTree* tree)
{
    return tree->root == FIL_TREE_NULL ? 0 : tree->nodes[tree->root].height;
}
