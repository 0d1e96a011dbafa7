/* What eliminating the variables of a graph in a given order fills, by columns, and an order in which that is little.
 */
#ifndef FILUM_LINALG_ELIMINATION_H
#define FILUM_LINALG_ELIMINATION_H

#include "filum/base.h"
#include "linalg/block_graph.h"
#include "linalg/nested_dissection.h"
#include "linalg/ordering.h"

typedef struct FilElimination {
    int columns;
    FilInts old_of_new, new_of_old; /* the order */
    FilInts width;                  /* unknowns of each pivot, 0 to 4 */
    FilInts parent;                 /* elimination tree: the first pivot that column j of L reaches below j; -1 at a root */
    FilInts rows;                   /* blocks of column j of L below the diagonal ... */
    FilInts height;                 /* ... and unknowns of them */
    double flops;                   /* of the factorisation: sum of squared heights */
    bool dissected;                 /* whether nested dissection was better than minimum degree */
    FilBlockGraph graph;
    FilOrdering min_degree, nested;
    FilDissection dissection;
    FilInts work, weight;
} FilElimination;

/* Orders the sum of two patterns (c may be NULL): minimum degree or nested dissection, whichever takes fewer
 * operations. Variables that c touches come last. used[v] has a bit for each component of variable v that is an
 * unknown; NULL: all are. */
FIL_MUST_CHECK FilStatus fil_elimination_find(FilElimination* elimination, const FilBlockPattern* a, const FilBlockPattern* c,
                                              const unsigned char* used);
void fil_elimination_free(FilElimination* elimination);

#endif
