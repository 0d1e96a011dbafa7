/* A list of index pairs that grows and is used again: what a broad phase hands to a narrow phase. */
#ifndef FILUM_GEOMETRY_PAIRS_H
#define FILUM_GEOMETRY_PAIRS_H

#include "filum/base.h"

typedef struct FilIndexPair {
    int a, b;
} FilIndexPair;

/* Zero-initialised it is empty. */
typedef struct FilPairs {
    FilIndexPair* items;
    int count, capacity;
} FilPairs;

void fil_pairs_free(FilPairs* pairs);

/* Makes room for `more` pairs beyond count; allocates only when there is none, and then at least doubles. */
FIL_MUST_CHECK FilStatus fil_pairs_reserve(FilPairs* pairs, int more);

/* Into rising order by a, then by b; a is below `count`. Allocates only to grow. */
FIL_MUST_CHECK FilStatus fil_pairs_sort(FilPairs* pairs, int count, FilPairs* scratch);

#endif
