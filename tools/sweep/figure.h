/* A column of a sweep's table over its first key. */
#ifndef FILUM_TOOLS_SWEEP_FIGURE_H
#define FILUM_TOOLS_SWEEP_FIGURE_H

#include "sweep/plan.h"
#include "sweep/store.h"

/* A line per value of the second key of the grid, of eight at most; each point the mean of all runs there. */
FIL_MUST_CHECK FilStatus fil_sweep_draw(const FilSweepPlan* plan, FilSweepStore* store, const char* column, const char* path, FilError* error);

#endif
