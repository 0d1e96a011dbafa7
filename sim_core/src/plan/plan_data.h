/* What a plan holds: the finest problem, its solution, and the feedback about it. */
#ifndef FILUM_PLAN_PLAN_DATA_H
#define FILUM_PLAN_PLAN_DATA_H

#include "filum/plan.h"
#include "plan/plan_world.h"
#include "plan/tracking.h"

struct FilPlan {
    FilPlanInfo info;
    FilBallProblem problem;
    double* x;
    FilTracking tracking;
    double area[FIL_PLAN_SECTIONS]; /* m^2, of a chamber */
};

/* fil_plan_solve without the world, which may go on meanwhile. */
FilStatus fil_plan_solve_start(const FilPlanStart* start, const FilPlanDef* def, FilPlan** out, FilError* error);

#endif
