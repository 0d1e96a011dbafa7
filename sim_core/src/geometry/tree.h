/* A dynamic bounding tree: boxes come, go and move; overlaps are found without looking at all pairs.
 *
 * Leaves hold boxes fattened by a margin, so that small motions leave the tree alone. Insertion goes where the surface
 * area grows least; rotations keep the tree low. Which pairs are reported and in which order depends on the boxes
 * given last, never on the tree's history: fat boxes only steer the walk. */
#ifndef FILUM_GEOMETRY_TREE_H
#define FILUM_GEOMETRY_TREE_H

#include "geometry/aabb.h"
#include "geometry/pairs.h"

#define FIL_TREE_NULL (-1)

typedef struct FilTreeNode {
    FilAabb box;  /* fat */
    int parent;   /* next free node while on the free list */
    int child[2]; /* FIL_TREE_NULL for a leaf */
    int height;   /* of a leaf 0, of a free node -1 */
    int item;     /* of a leaf */
    int group;    /* that all leaves below belong to, or FIL_TREE_NULL */
    bool stale;   /* leaves below have moved: its box is to be found again, and so are those above it */
} FilTreeNode;

typedef struct FilTree {
    FilTreeNode* nodes;
    int node_capacity, free_node, root;
    FilAabb* tight; /* per item: the box given last */
    int* leaf;      /* per item: its node, or FIL_TREE_NULL */
    int item_capacity, item_count;
    double margin; /* m, by which leaves are fattened */
    int moved;     /* leaves that have kept their places, since some were inserted anew ... */
    int turn;      /* ... the last of which was this item's */
} FilTree;

/* An empty tree; nothing is allocated yet. */
void fil_tree_init(FilTree* tree, double margin);
void fil_tree_free(FilTree* tree);

/* Inserts the item (a small number of the caller's, such as an index), or moves it when it is there. Finite boxes only.
 * `group`: it is not paired with others of the same group, FIL_TREE_NULL for none; an item that moves keeps its group.
 * Allocates only when an item number is larger than all before. */
FIL_MUST_CHECK FilStatus fil_tree_set(FilTree* tree, int item, int group, const FilAabb* box);

/* Many items that move a little, as all do in a step: each is asked first whether its leaf still covers it, then moved if it does not, and at the end
 * the boxes above all of them are found once. (One by one they would be found as often as there are items.) */

/* Takes the box; true if there is nothing else to do, as the item is there and its leaf still covers the box. Different items may be asked at the
 * same time. */
bool fil_tree_stays(FilTree* tree, int item, const FilAabb* box);
/* As fil_tree_set(); fil_tree_refit() has to follow before anything is asked. */
FIL_MUST_CHECK FilStatus fil_tree_move(FilTree* tree, int item, int group, const FilAabb* box);
void fil_tree_refit(FilTree* tree);

/* Removes the item; nothing happens if it is not there. */
void fil_tree_remove(FilTree* tree, int item);

/* Appends (item, tag) for each item whose box overlaps `box`, items rising. Allocates only to grow `pairs`. */
FIL_MUST_CHECK FilStatus fil_tree_query(const FilTree* tree, const FilAabb* box, int tag, FilPairs* pairs);

/* Appends all pairs of items a < b whose boxes overlap and that are not of one group, sorted. Nodes whose leaves all belong to
 * the item's own group are not entered. */
FIL_MUST_CHECK FilStatus fil_tree_self_pairs(const FilTree* tree, FilPairs* pairs);
/* The same for a from `begin` to `end` - 1. */
FIL_MUST_CHECK FilStatus fil_tree_pairs_of(const FilTree* tree, int begin, int end, FilPairs* pairs);

int fil_tree_height(const FilTree* tree);

#endif
