/* Nested dissection: groups of variables for the elimination of large compact graphs (solids, piles), where minimum degree alone
 * fills too much. A separator is eliminated after the two parts it leaves, which are dissected in turn; within groups minimum
 * degree orders (Ashcraft and Liu 1998). */
#ifndef FILUM_LINALG_NESTED_DISSECTION_H
#define FILUM_LINALG_NESTED_DISSECTION_H

#include "linalg/block_graph.h"
#include "linalg/separator.h"

typedef struct FilDissection {
    FilSeparator separator;
    FilGraphLevel graph; /* variables with the same neighbours are one vertex */
    FilInts work;
} FilDissection;

/* Writes the group of each variable: those of a smaller number are eliminated first; numbers are below `columns`, not all are used.
 * `weight` of each variable: its unknowns, at least 1. The same groups for the same graph. Allocates only to grow. False when out
 * of memory. */
bool fil_nested_dissection(FilDissection* dissection, const FilBlockGraph* graph, const int* weight, int* group);
void fil_dissection_free(FilDissection* dissection);

#endif
