/* Minimum degree order of matrices that are mostly rows of variables which couple with the next two, as nodes of rods do: these are eliminated run by
 * run, from end to end, which is what minimum degree finds at many times the price; it orders what is left. */
#ifndef FILUM_LINALG_ORDERING_RUNS_H
#define FILUM_LINALG_ORDERING_RUNS_H

#include "linalg/ordering.h"

/* Orders the sum of several patterns; what the last of them touches comes last. *worth is false, and there is no order, where there are few such
 * rows. False when out of memory. */
bool fil_ordering_runs(FilOrdering* ordering, const FilBlockPattern* const* patterns, int count, bool* worth);

#endif
