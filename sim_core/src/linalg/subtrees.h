/* Subtrees of an elimination tree: their columns depend on none of another subtree, so that workers may take them side by side without a
 * change of bits. What is left are the columns above all of them. */
#ifndef FILUM_LINALG_SUBTREES_H
#define FILUM_LINALG_SUBTREES_H

#include "linalg/buffer.h"

typedef struct FilSubtrees {
    int count;
    FilInts start;  /* count + 2: where the columns of each begin in `column`, those above all last */
    FilInts column; /* of each in rising order */
    FilInts task;   /* per column: its subtree; count: above all */
    FilDoubles work;
} FilSubtrees;

void fil_subtrees_free(FilSubtrees* trees);

/* Of the first `columns` of a tree in which parents come after their children; `work` of each column, at least 0, becomes that of its subtree. False
 * when out of memory; room for `work` has been made by fil_subtrees_reserve(). */
bool fil_subtrees_reserve(FilSubtrees* trees, int columns);
void fil_subtrees_find(FilSubtrees* trees, int columns, const int* parent);

#endif
