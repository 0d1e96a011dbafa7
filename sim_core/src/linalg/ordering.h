/* Fill-reducing elimination orders of sparse symmetric matrices. */
#ifndef FILUM_LINALG_ORDERING_H
#define FILUM_LINALG_ORDERING_H

#include "linalg/block_matrix.h"
#include "linalg/buffer.h"
#include "linalg/runs.h"

typedef struct FilOrdering {
    int columns;
    const int* old_of_new; /* the permutation: pivot k eliminates variable old_of_new[k] */
    const int* new_of_old;
    FilInts work; /* owned */
    FilRuns runs; /* owned, as the next: of ordering_runs.h */
    FilInts left;
} FilOrdering;

/* Approximate minimum degree order of the sum of `count` patterns of the same size. Variables that the last of several
 * patterns touches are eliminated after all others, unless `loose`. Allocates only to grow `work`. False when out of memory. */
bool fil_ordering_min_degree(FilOrdering* ordering, const FilBlockPattern* const* patterns, int count, bool loose);
/* The same, but variables of a smaller group come first: group[v] from 0 to one less than the number of variables. */
bool fil_ordering_by_groups(FilOrdering* ordering, const FilBlockPattern* const* patterns, int count, const int* group);
/* An order of any number of variables, which is copied; false when out of memory. */
bool fil_ordering_put(FilOrdering* ordering, int columns, const int* old_of_new);
/* Another order of as many variables. */
void fil_ordering_set(FilOrdering* ordering, const int* old_of_new);
void fil_ordering_free(FilOrdering* ordering);

#endif
