/* Nested dissection: an elimination order for large compact graphs (solids, piles), where minimum degree fills too
 * much. */
#ifndef FILUM_LINALG_NESTED_DISSECTION_H
#define FILUM_LINALG_NESTED_DISSECTION_H

#include "linalg/block_graph.h"

/* Writes METIS's order of the graph: pivot k eliminates variable old_of_new[k]. `weight` of each variable: its
 * unknowns, at least 1; `scratch` has one place per variable. The same order for the same graph: METIS draws from
 * rand(), which is seeded for it, so calls wait for each other; a program whose other threads call rand() meanwhile may
 * get another order, as good. Allocates. False when out of memory. */
bool fil_nested_dissection(const FilBlockGraph* graph, int* weight, int* old_of_new, int* scratch);

#endif
