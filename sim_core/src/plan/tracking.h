/* Time-varying linear feedback that keeps an arm on its plan, from the plan's own stage matrices. */
#ifndef FILUM_PLAN_TRACKING_H
#define FILUM_PLAN_TRACKING_H

#include "plan/ball_plan.h"

/* Gains of every stage, joints x 2 joints by rows: changes of tau for deviations of l and v at the stage's start. They
 * minimise the sum of deviations and efforts squared (LQR) for the linearised arm under the plan's contact forces. False
 * when out of memory. */
bool fil_tracking_gains(const FilBallProblem* problem, const double* x, double* gains);

#endif
