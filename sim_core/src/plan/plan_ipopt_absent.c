/* A build without IPOPT. */
#include "plan/plan_ipopt.h"

bool fil_plan_ipopt_present(void)
{
    return false;
}

FilPlanResult fil_plan_ipopt(const FilPlanProblem* problem, const FilPlanSettings* settings, FilPlanPoint* point)
{
    (void)problem, (void)settings, (void)point;
    return (FilPlanResult){.outcome = FIL_PLAN_UNDEFINED};
}
