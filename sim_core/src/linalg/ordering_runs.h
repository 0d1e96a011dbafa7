/* Minimum degree order of matrices that are mostly rows of variables which couple with the next two, as nodes of rods do: these are eliminated run by
 * run, from end to end, which is what minimum degree finds at many times the price; it orders what is left. */
#ifndef FILUM_LINALG_ORDERING_RUNS_H
#define FILUM_LINALG_ORDERING_RUNS_H

#include "linalg/ordering.h"

/* As fil_ordering_min_degree() of several patterns: variables that the last of them touches come last. Where there are few such rows, it is the same.
 * False when out of memory. */
bool fil_ordering_by_runs(FilOrdering* ordering, const FilBlockPattern* const* patterns, int count);

#endif
