/* What the interior-point method does, iteration by iteration, for who looks for a fault: PLAN_VERBOSE=1. Needs cmocka.h before it. */
#ifndef FILUM_TEST_SHOW_PROGRESS_H
#define FILUM_TEST_SHOW_PROGRESS_H

#include <stdlib.h>

#include "plan/interior_point.h"

static inline bool show_progress(void* user, const FilPlanProgress* p)
{
    (void)user;
    if (getenv("PLAN_VERBOSE") != NULL) {
        print_message("%4d cost %.6g rows %.1e pairs %.1e dual %.1e mu %.0e eps %.0e shift %.0e step %.2g\n", p->iteration, p->cost, p->violation,
                      p->pairs, p->dual, p->barrier, p->relaxation, p->shift, p->step);
    }
    return true;
}

#endif
