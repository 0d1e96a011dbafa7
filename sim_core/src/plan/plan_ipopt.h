/* IPOPT as a solver of stage problems, where it is found at build: the same contract as fil_interior_point, by a schedule of
 * relaxed problems a b <= eps, each from the one before with its multipliers.
 *
 * IPOPT before 3.14 is not re-entrant (MUMPS keeps state of its own), so that one problem of the process is solved at a time. */
#ifndef FILUM_PLAN_PLAN_IPOPT_H
#define FILUM_PLAN_PLAN_IPOPT_H

#include "plan/interior_point.h"

bool fil_plan_ipopt_present(void);

/* `push`, `relaxation_ratio`, `polish` and `warm` of the settings have no effect. FIL_PLAN_UNDEFINED in a build without IPOPT. */
FilPlanResult fil_plan_ipopt(const FilPlanProblem* problem, const FilPlanSettings* settings, FilPlanPoint* point);

#endif
