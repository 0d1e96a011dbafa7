#include "plan/stage_problem.h"

#include <math.h>

void fil_plan_resample(const FilPlanProblem* from, int states, const double* x, int stages, double* out)
{
    const int n = from->variables;
    for (int k = 0; k < stages; k++) {
        const double t = (k + 1.0) * from->stages / stages;
        // 1e-9: a time that is a stage's end but for rounding
        const int end = (int)ceil(t - 1e-9), later = end < 1 ? 0 : end - 1;
        const double share = t - later;
        for (int j = 0; j < n; j++) {
            const double after = x[later * n + j];
            const double before = later > 0 ? x[(later - 1) * n + j] : j < states ? from->before[j] : after;
            out[k * n + j] = j < states ? (1.0 - share) * before + share * after : after;
        }
    }
}
