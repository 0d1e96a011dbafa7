#include "contact/lcp.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "contact/lcp_problem.h"

/* Sweeps of Gauss-Seidel before Newton's method starts, and Ruiz's iterations: measured, docs/lcp.md. */
enum { FIRST_SWEEPS = 5, MORE_SWEEPS = 100, RUIZ_ITERATIONS = 3, MOST_ROUNDS = 50 };

void openblas_set_num_threads(int count);

struct FilLcp {
    FilLcpAssembly assembly;
    FilLcpScratch scratch;
    FilLcpProblem problem;
};

const FilLcpSolverOps fil_lcp_solvers[FIL_LCP_SOLVER_COUNT] = {
    [FIL_LCP_NEWTON] = {"newton", fil_lcp_newton},
    [FIL_LCP_LEMKE] = {"lemke", fil_lcp_lemke},
    [FIL_LCP_GAUSS_SEIDEL] = {"gauss_seidel", fil_lcp_gauss_seidel},
};

FilLcpSettings fil_lcp_settings_default(void)
{
    return (FilLcpSettings){.directions = 8,
                            .rank_selection = true,
                            .equilibration = true,
                            .regularisation = true,
                            .solver = FIL_LCP_NEWTON,
                            .fallback = true,
                            .rank_tolerance = 1e-6,
                            .compliance = 1e-8,
                            .stabilisation = 0.2,
                            .recovery_speed = 0.1,
                            .tolerance = 1e-8,
                            .max_iterations = 100};
}

FilStatus fil_lcp_settings_check(const FilLcpSettings* s, FilError* error)
{
    if (s->directions < 4 || s->directions > FIL_LCP_MOST_DIRECTIONS || s->directions % 2 != 0) {
        return fil_error(error, FIL_BAD_INPUT, "world: lcp: directions must be an even number from 4 to %d, not %d",
                         FIL_LCP_MOST_DIRECTIONS, s->directions);
    }
    if ((unsigned)s->solver >= FIL_LCP_SOLVER_COUNT) {
        return fil_error(error, FIL_BAD_INPUT, "world: lcp: unknown solver %d", (int)s->solver);
    }
    const struct {
        const char* name;
        double value, most;
    } numbers[] = {
        {"rank_tolerance", s->rank_tolerance, 1.0}, {"compliance", s->compliance, 1.0},
        {"stabilisation", s->stabilisation, 1.0},   {"recovery_speed", s->recovery_speed, 1e6},
        {"tolerance", s->tolerance, 1.0},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        if (!(numbers[k].value >= 0.0 && numbers[k].value <= numbers[k].most)) {
            return fil_error(error, FIL_BAD_INPUT, "world: lcp: %s must lie between 0 and %g, not %g", numbers[k].name,
                             numbers[k].most, numbers[k].value);
        }
    }
    if (s->max_iterations < 1) {
        return fil_error(error, FIL_BAD_INPUT, "world: lcp: max_iterations must be positive, not %d",
                         s->max_iterations);
    }
    return FIL_OK;
}

FilLcp* fil_lcp_create(void)
{
    openblas_set_num_threads(1);  // matrices of some tens of rows: threads would only wait for each other
    FilLcp* lcp = fil_alloc(1, sizeof *lcp);
    if (lcp != NULL && !fil_lcp_assembly_init(&lcp->assembly)) {
        fil_free(lcp);
        lcp = NULL;
    }
    return lcp;
}

void fil_lcp_destroy(FilLcp* lcp)
{
    if (lcp != NULL) {
        fil_lcp_assembly_free(&lcp->assembly);
        fil_free(lcp->scratch.numbers.at);
        fil_free(lcp->scratch.indices.at);
        fil_free(lcp);
    }
}

static void use_all(FilLcpProblem* problem)
{
    problem->active_count = problem->unit_count;
    for (int i = 0; i < problem->unit_count; i++) {
        problem->active[i] = i;
    }
}

/* Largest velocity that the units start from: what residuals are relative to. */
static double speed_at_work(const FilLcpProblem* problem)
{
    double most = FIL_LCP_SPEED;
    for (int i = 0; i < problem->unit_count; i++) {
        const FilLcpUnit* unit = &problem->units[i];
        most = fmax(most, fmax(fabs(unit->free[2] - unit->target), hypot(unit->free[0], unit->free[1])));
    }
    return most;
}

/* Takes in units that were left out and are violated; returns how many. The list stays in order. */
static int swap_in(FilLcpProblem* problem, double tolerance)
{
    const double limit = -tolerance * speed_at_work(problem);
    int count = 0, at = problem->active_count - 1, added = 0;
    for (int i = 0, a = 0; i < problem->unit_count; i++) {
        if (a < problem->active_count && problem->active[a] == i) {
            a++;
            continue;
        }
        double c[3];
        fil_lcp_velocity(problem, i, problem->u, c);
        count += c[2] - problem->units[i].target < limit;
    }
    // from the back, so that the list can be merged in place
    for (int i = problem->unit_count - 1, to = problem->active_count + count - 1; i >= 0 && count > added; i--) {
        if (at >= 0 && problem->active[at] == i) {
            problem->active[to--] = problem->active[at--];
            continue;
        }
        double c[3];
        fil_lcp_velocity(problem, i, problem->u, c);
        if (c[2] - problem->units[i].target < limit) {
            problem->active[to--] = i;
            added++;
        }
    }
    problem->active_count += count;
    return count;
}

/* Stages 2 and 3, then the solver, then Lemke's method if it must. */
static FilStatus solve_round(FilLcp* lcp, const FilLcpSettings* settings, FilLcpStats* stats)
{
    FilLcpProblem* problem = &lcp->problem;
    if (!fil_lcp_equilibrate(problem, settings->equilibration ? RUIZ_ITERATIONS : 0, &lcp->scratch)) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_lcp_soften(problem, settings->regularisation ? settings->compliance : 0.0);
    const bool newton = settings->solver == FIL_LCP_NEWTON;
    fil_lcp_sweep(problem, newton ? FIRST_SWEEPS : 0);
    FilStatus status = fil_lcp_solvers[settings->solver].solve(problem, settings, &lcp->scratch, &stats->iterations);
    if (status == FIL_NOT_CONVERGED && newton) {
        // stuck in a minimum of |phi| that is none of the problem: from elsewhere
        fil_lcp_sweep(problem, MORE_SWEEPS);
        status = fil_lcp_newton(problem, settings, &lcp->scratch, &stats->iterations);
    }
    if (status == FIL_NOT_CONVERGED && settings->fallback && settings->solver != FIL_LCP_LEMKE) {
        stats->fallbacks++;
        status = fil_lcp_lemke(problem, settings, &lcp->scratch, &stats->iterations);
    }
    return status;
}

/* How far the solution is from one of the problem as it was before conditioning, all units counted. */
static void judge(FilLcp* lcp, FilLcpStats* stats)
{
    FilLcpProblem* problem = &lcp->problem;
    const double speed = speed_at_work(problem);
    double lowest = 0.0, product = 0.0, impulses = 0.0, w[FIL_LCP_MOST_DIRECTIONS + 2];
    fil_lcp_soften(problem, 0.0);
    for (int i = 0; i < problem->unit_count; i++) {
        const FilLcpUnit* unit = &problem->units[i];
        const double* z = problem->z + (size_t)problem->size * (size_t)i;
        double c[3];
        fil_lcp_velocity(problem, i, problem->u, c);
        fil_lcp_slacks(problem, i, c, z, w);
        impulses += z[0];
        for (int k = 0; k < problem->size; k++) {
            if (fil_lcp_used(problem, unit, k)) {
                product += fabs(w[k] * z[k]);
                lowest = k < problem->size - 1 ? fmin(lowest, w[k]) : lowest;
            }
        }
    }
    stats->negativity = -lowest / speed;
    stats->complementarity = product > 0.0 ? product / (speed * impulses) : 0.0;
    stats->residual = fmax(stats->negativity, stats->complementarity);
}

/* z >= 0 to the last bit, no friction without load, and slip speeds no larger than they need to be: those of contacts
 * that bear no load may be anything above the slip. */
static void tidy(FilLcpProblem* problem)
{
    for (int i = 0; i < problem->unit_count; i++) {
        double* z = problem->z + (size_t)problem->size * (size_t)i;
        for (int k = 0; k < problem->size; k++) {
            z[k] = k <= problem->directions && k > 0 && !(z[0] > 0.0) ? 0.0 : fmax(z[k], 0.0);
        }
    }
    fil_lcp_gather(problem, problem->z, problem->u);
    for (int i = 0; i < problem->unit_count; i++) {
        if (problem->units[i].kind == FIL_LCP_CONTACT) {
            double c[3];
            fil_lcp_velocity(problem, i, problem->u, c);
            problem->z[(size_t)problem->size * (size_t)(i + 1) - 1] = fil_lcp_slip(problem, c);
        }
    }
}

FilStatus fil_lcp_solve(FilLcp* lcp, const FilSapProblem* from, const FilLcpSettings* settings, double* v,
                        double* impulse, FilLcpStats* stats)
{
    FilLcpStats local;
    stats = stats != NULL ? stats : &local;
    *stats = (FilLcpStats){0};
    if (from->constraint_count == 0) {
        for (int k = 0; k < FIL_BLOCK * from->pattern.columns; k++) {
            v[k] = from->v_free[k];
        }
        return FIL_OK;
    }
    FilLcpProblem* problem = &lcp->problem;
    FilStatus status = fil_lcp_assemble(&lcp->assembly, from, settings, problem);
    stats->analyses = lcp->assembly.system.analyses;
    stats->indefinite = status == FIL_NOT_CONVERGED;
    if (status != FIL_OK) {
        return status;
    }
    stats->units = problem->unit_count;
    use_all(problem);
    if (settings->rank_selection && problem->unit_count > 1 &&
        !fil_lcp_select(problem, settings->rank_tolerance, &lcp->scratch)) {
        return FIL_OUT_OF_MEMORY;
    }
    do {
        status = solve_round(lcp, settings, stats);
        stats->rounds++;
    } while (status == FIL_OK && stats->rounds < MOST_ROUNDS && swap_in(problem, settings->tolerance) > 0);
    stats->active = problem->active_count;
    tidy(problem);
    judge(lcp, stats);
    fil_lcp_recover(&lcp->assembly, from, problem, v, impulse);
    return status;
}
