/* Vertex separators: few vertices without which a graph falls into two parts of about equal weight. Multilevel: the graph is
 * coarsened, cut where it is small, and the cut is refined on the way back (Hendrickson and Rothberg 1998; Karypis and Kumar 1998). */
#ifndef FILUM_LINALG_SEPARATOR_H
#define FILUM_LINALG_SEPARATOR_H

#include "linalg/graph_level.h"

/* Coarsening ends where a level has more than 0.95 of the last (separator.c) and halves it where it can: 31 levels of graphs numbered by ints, and
 * room. */
enum { FIL_GRAPH_LEVELS = 40 };

typedef struct FilSeparator {
    FilGraphLevel levels[FIL_GRAPH_LEVELS]; /* the first is the caller's graph */
    FilInts work;
} FilSeparator;

/* Cuts the graph that the caller wrote to levels[0]: sets the side of its vertices. The same cut for the same graph. Allocates only
 * to grow. False when out of memory. */
bool fil_separator_find(FilSeparator* separator);
void fil_separator_free(FilSeparator* separator);

#endif
