/* How long a step may be: a filter of pairs (violation, barrier function) that later points must improve on. */
#ifndef FILUM_PLAN_INTERIOR_SEARCH_H
#define FILUM_PLAN_INTERIOR_SEARCH_H

#include "plan/interior_step.h"

/* Entries that the filter keeps: room; where it is full the oldest goes. */
enum { FIL_FILTER_SIZE = 256 };

typedef struct FilFilter {
    double violation[FIL_FILTER_SIZE], barrier[FIL_FILTER_SIZE];
    int count;
    double largest, small; /* no point may violate more; below `small` the barrier function alone counts */
} FilFilter;

/* Forgets all points; violations are judged against that of the present point. */
void fil_filter_reset(FilFilter* filter, const FilInterior* ip);

/* Moves the point along its step, as far as helps; false if no part of it does. `length` is the fraction taken. */
bool fil_interior_search(FilInterior* ip, FilFilter* filter, double* length);

/* The same, with any point that violates less. */
bool fil_interior_retreat(FilInterior* ip, FilFilter* filter, double* length);

#endif
