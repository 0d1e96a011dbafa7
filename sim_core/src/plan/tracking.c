#include "plan/tracking.h"

#include <string.h>

#include "plan/riccati.h"

// what deviations and efforts are weighed by: 1 mm, 0.1 m/s and 5 N count alike (gains of some 4000 N/m, of chambers with 265)
static const double ELONGATION = 1e-3, RATE = 0.1, EFFORT = 5.0;

/* The arm's part of a stage's derivatives: rows and variables l, v, and tau. */
static bool linearise(const FilBallProblem* problem, const FilBallLayout* o, int stage, const double* p,
                      const double* x, FilArena* arena, FilRiccatiStage* out)
{
    const int n = o->joints, m = 2 * n;
    const size_t variables = (size_t)o->variables, rows = (size_t)o->rows, carried = (size_t)o->carried;
    const FilPlanStage s = {.row = fil_arena_alloc(arena, rows, sizeof(double)),
                            .cost_own = fil_arena_alloc(arena, variables, sizeof(double)),
                            .cost_before = fil_arena_alloc(arena, carried, sizeof(double)),
                            .row_own = fil_arena_alloc(arena, rows * variables, sizeof(double)),
                            .row_before = fil_arena_alloc(arena, rows * carried, sizeof(double))};
    FilPlanStage copy = s;
    if (!s.row || !s.cost_own || !s.cost_before || !s.row_own || !s.row_before ||
        !fil_ball_evaluate(&problem->turn, stage, p, x, NULL, FIL_PLAN_FIRST, &copy)) {
        return false;
    }
    for (int j = 0; j < 3 * n; j++) {  // l and v come first, among rows and among variables
        const int from = j < m ? j : o->tau + j - m;
        memcpy(out->own + j * m, s.row_own + from * o->rows, sizeof(double) * (size_t)m);
        const double size = j < n ? ELONGATION : j < m ? RATE : EFFORT;
        out->hessian[j * 3 * n + j] = 1.0 / (size * size);
        if (j < m) {
            memcpy(out->before + j * m, s.row_before + j * o->rows, sizeof(double) * (size_t)m);
        }
    }
    return true;
}

bool fil_tracking_gains(const FilBallProblem* problem, const double* x, double* gains)
{
    const FilBallLayout o = fil_ball_layout(&problem->turn);
    const int n = o.joints;
    FilArena arena = {0};
    FilRiccati riccati;
    const FilPlanProblem arm = {.stages = problem->turn.stages,
                                .variables = 3 * n,
                                .rows = 2 * n,
                                .carried = 2 * n,
                                .carry = problem->carry};
    bool ok = fil_riccati_create(&arm, &arena, &riccati);
    double p[128];
    memcpy(p, problem->problem.before, sizeof(double) * (size_t)o.carried);
    for (int k = 0; k < arm.stages && ok; k++) {
        const double* own = x + k * o.variables;
        FilArena scratch = {0};
        ok = linearise(problem, &o, k, p, own, &scratch, &riccati.stage[k]);
        fil_arena_free(&scratch);
        memcpy(p, own, sizeof(double) * (size_t)o.gap);
        p[o.carried - 1] = own[o.f];
    }
    ok = ok && fil_riccati_factor(&riccati) == FIL_RICCATI_DONE;
    for (int k = 0; k < arm.stages && ok; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 2 * n; j++) {
                gains[(k * n + i) * 2 * n + j] = riccati.stage[k].gain[j * n + i];
            }
        }
    }
    fil_arena_free(&arena);
    return ok;
}
