#include "contact/sap_direction.h"

#include <string.h>

/* A factor in single precision that needs more iterations than this is none: the condition is beyond it. One or two are usual. */
#define SINGLE_PATIENCE 20

/* Of the gradient: what an old factor may leave where its patience ends. Such a direction is as good as any while Newton's model is off by more than
 * that; in its place there was a factor and a solution with it (0.1 and 0.3 are alike on box_pile). */
#define ENOUGH 0.3

/* Of the iterations in the time of a factor: what one solution with bodies may take. Most take fewer, so that it is not the end of them. */
enum { SLOWEST = 2 };

/* A pass over the constraints of a solution. */
typedef struct Pass {
    FilSap* sap;
    const FilSapProblem* problem;
    bool more; /* the change of Hessians is asked for, too */
} Pass;

static void take_hessians(void* context, int first, int end, int worker)
{
    const Pass* pass = context;
    FilSap* sap = pass->sap;
    (void)worker;
    for (int i = first; i < end; i++) {
        const FilSapKindOps* kind = &fil_sap_kinds[pass->problem->constraints[i].kind];
        double* now = sap->responses[i].hessian;
        if (sap->dual && kind->dual_hessian != NULL) {
            kind->dual_hessian(&sap->laws[i], sap->v_c + 3 * i, now);
        }
        for (int k = 0; k < 9 && pass->more; k++) {
            sap->change[9 * i + k] = now[k] - sap->hessian[9 * i + k];
        }
        memcpy(sap->hessian + 9 * i, now, 9 * sizeof *now);
    }
}

/* C with G at the current v, which is kept. Where conjugate gradients solve, from the last C: most contacts that stick or are apart stay as
 * they are, and what rounding leaves of a G that is gone does not matter to them. */
static void assemble(FilSap* sap, const FilSapProblem* problem)
{
    Pass pass = {sap, problem, sap->hessians > 0 && sap->iterative.patience > 0};
    fil_workers_run(problem->workers, problem->constraint_count, FIL_SAP_GRAIN, take_hessians, &pass);
    if (pass.more) {
        fil_sap_system_assemble_more(&sap->system, problem, sap->change);
    } else {
        fil_sap_system_assemble(&sap->system, problem, sap->hessian);
    }
    sap->hessians++;
}

/* dx = -(S + C)^-1 gradient by the last factor */
void fil_sap_solve_direct(FilSap* sap)
{
    memcpy(sap->dx, sap->dp, (size_t)sap->n * sizeof *sap->dx);
    fil_sap_system_solve(&sap->system, sap->dx);
}

/* The same for C as assembled, by conjugate gradients and the last factor. */
static FilStatus solve_iterative(FilSap* sap, const FilSapProblem* problem, double tolerance, double enough, int patience, bool* done)
{
    memcpy(sap->j, sap->dp, (size_t)sap->n * sizeof *sap->j);
    return fil_sap_iterative_solve(&sap->iterative, &sap->system, problem, sap->mass_inverse, tolerance, enough, patience, sap->j, sap->dx, done);
}

static double row_times(const double* row, const double* u)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += row[k] * u[k];
    }
    return sum;
}

/* G dv_c, as last factored */
static void multiply_hessians(void* context, int first, int end, int worker)
{
    const Pass* pass = context;
    const FilSap* sap = pass->sap;
    (void)worker;
    for (int i = first; i < end; i++) {
        for (int row = 0; row < 3; row++) {
            sap->trial_c[3 * i + row] = row_times(sap->hessian + 9 * i + 3 * row, sap->dv_c + 3 * i);
        }
    }
}

/* With dx: dv_c = J dx and dp = S dx. Where dx is a solution, with G as last factored, its equation gives
 * S dx = -gradient - J' G dv_c. */
void fil_sap_complete_direction(FilSap* sap, const FilSapProblem* problem, bool is_solution)
{
    fil_sap_system_multiply(&sap->system, problem, sap->dx, sap->dv_c);
    if (!is_solution) {
        fil_sap_system_apply(&sap->system, problem, false, sap->dx, sap->dp);
        return;
    }
    Pass pass = {sap, problem, false};
    fil_workers_run(problem->workers, problem->constraint_count, FIL_SAP_GRAIN, multiply_hessians, &pass);
    fil_sap_system_multiply_transposed(&sap->system, problem, sap->trial_c, sap->j);
    for (int k = 0; k < sap->n; k++) {
        sap->dp[k] -= sap->j[k];
    }
}

/* dx by a new factor of the Hessian as assembled; in single precision where that holds. */
static FilStatus solve_fresh(FilSap* sap, const FilSapProblem* problem, double tolerance, bool* definite)
{
    bool done = false;
    *definite = fil_sap_system_factor_assembled(&sap->system, problem);
    if (sap->iterative.single) {
        const FilStatus status = *definite ? solve_iterative(sap, problem, tolerance, 0.0, SINGLE_PATIENCE, &done) : FIL_OK;
        if (status != FIL_OK) {
            return status;
        }
        if (!done) {
            fil_sap_iterative_sharpen(&sap->iterative, &sap->system);
            *definite = fil_sap_system_factor_assembled(&sap->system, problem);
        }
    }
    if (!done && *definite) {
        fil_sap_solve_direct(sap);
    }
    return FIL_OK;
}

/* dx by conjugate gradients with bodies; from where these are too slow on, not again. */
static FilStatus solve_bodies(FilSap* sap, const FilSapProblem* problem, double tolerance, bool* done)
{
    FilSapIterative* iterative = &sap->iterative;
    const FilStatus status = fil_sap_bodies_solve(&iterative->bodies, &sap->system, problem, sap->mass_inverse, tolerance,
                                                  SLOWEST * iterative->bodies_patience, sap->dp, sap->dx, done);
    iterative->bodies_patience = *done ? iterative->bodies_patience : 0;
    return status;
}

FilStatus fil_sap_take_hessian(FilSap* sap, const FilSapProblem* problem, double tolerance, int patience, bool* definite)
{
    bool done = false;
    FilStatus status = FIL_OK;
    *definite = true;
    sap->iterative.cut = false;
    assemble(sap, problem);
    if (sap->iterative.bodies_patience > 0) {
        status = solve_bodies(sap, problem, tolerance, &done);
    } else if (sap->system.factorisations > 0 && patience > 0) {
        status = solve_iterative(sap, problem, tolerance, ENOUGH, patience, &done);
    }
    return done || status != FIL_OK ? status : solve_fresh(sap, problem, tolerance, definite);
}
