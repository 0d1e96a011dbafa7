/* Elimination trees that are one long branch, as those of chains are, take another root: a column in the middle of it, so that both sides of it may
 * be eliminated at the same time. L fills no more by it. */
#ifndef FILUM_LINALG_BLOCK_REROOT_H
#define FILUM_LINALG_BLOCK_REROOT_H

#include "filum/base.h"
#include "linalg/block_symbolic.h"

/* Of the changing columns of an analysis, whose first term is `a`. *rerooted: the ordering is another now, and the patterns have to be analysed again
 * with it. False when out of memory. */
FIL_MUST_CHECK bool fil_block_reroot(FilBlockSymbolic* symbolic, const FilBlockPattern* a, bool* rerooted);

#endif
