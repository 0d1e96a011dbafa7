#include "contact/lcp.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "contact/lcp_augmented.h"
#include "contact/lcp_islands.h"
#include "contact/lcp_problem.h"

/* Sweeps of Gauss-Seidel before Newton's method starts, and Ruiz's iterations: measured, docs/lcp.md. */
enum { FIRST_SWEEPS = 5, MORE_SWEEPS = 100, RUIZ_ITERATIONS = 3, MAX_ROUNDS = 50 };

/* From this dimension on a Newton step costs more than the convex problem, whose solution is a good first guess. */
enum { GUESS_FROM = 20 };

/* What one island is solved with: its analyses hold while its pattern does. */
typedef struct Workspace {
    FilSap* sap;
    FilLcpAssembly assembly;
    FilLcpScratch scratch;
    FilLcpProblem problem;
    FilLcpAugmented augmented;
    void* constraints; /* of the guess */
    size_t constraint_capacity;
    FilDoubles solution; /* velocities and impulses */
} Workspace;

struct FilLcp {
    FilLcpIslands islands;
    Workspace* workspaces; /* one per island, by number */
    int workspace_count;
};

const FilLcpSolverOps fil_lcp_solvers[FIL_LCP_SOLVER_COUNT] = {
    [FIL_LCP_NEWTON] = {"newton", fil_lcp_newton},
    [FIL_LCP_LEMKE] = {"lemke", fil_lcp_lemke},
    [FIL_LCP_GAUSS_SEIDEL] = {"gauss_seidel", fil_lcp_gauss_seidel},
};

FilLcpSettings fil_lcp_settings_default(void)
{
    // P1 sec. III names eps_rank, eps_W and alpha, and prints none of them. Tried on arm_box with all disks flat: rank_tolerance 1e-8 to 1e-3 and
    // compliance 1e-10 leave the tip within 1 um after 0.3 s; compliance 1e-6 moves it by 0.1 mm and takes four times as long. directions, tolerance:
    // docs/lcp.md says what others give, and why no smaller one. dense_limit: box_stack and gripper_pinch (40 and 52 contacts) take as long
    // with 100. stabilisation: Baumgarte's 0.2 of engines (b2_baumgarte of Box2D). recovery_speed: what sinks 1 mm is out after 10 ms, and does not
    // leap. max_iterations: several times what Newton takes (docs/lcp.md). With these all cells of docs/matrix.md hold
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
                            .max_iterations = 100,
                            .dense_limit = 30};
}

FilStatus fil_lcp_settings_check(const FilLcpSettings* s, FilError* error)
{
    if (s->directions < 4 || s->directions > FIL_LCP_MAX_DIRECTIONS || s->directions % 2 != 0) {
        return fil_error(error, FIL_BAD_INPUT, "world: lcp: directions must be an even number from 4 to %d, not %d", FIL_LCP_MAX_DIRECTIONS,
                         s->directions);
    }
    if ((unsigned)s->solver >= FIL_LCP_SOLVER_COUNT) {
        return fil_error(error, FIL_BAD_INPUT, "world: lcp: unknown solver %d", (int)s->solver);
    }
    // shares end at 1; a speed of 1e6 m/s only refuses what is none
    const struct {
        const char* name;
        double value, max;
    } numbers[] = {
        {"rank_tolerance", s->rank_tolerance, 1.0}, {"compliance", s->compliance, 1.0}, {"stabilisation", s->stabilisation, 1.0},
        {"recovery_speed", s->recovery_speed, 1e6}, {"tolerance", s->tolerance, 1.0},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        if (!(numbers[k].value >= 0.0 && numbers[k].value <= numbers[k].max)) {
            return fil_error(error, FIL_BAD_INPUT, "world: lcp: %s must lie between 0 and %g, not %g", numbers[k].name, numbers[k].max,
                             numbers[k].value);
        }
    }
    if (s->max_iterations < 1) {
        return fil_error(error, FIL_BAD_INPUT, "world: lcp: max_iterations must be positive, not %d", s->max_iterations);
    }
    if (s->dense_limit < 0) {
        return fil_error(error, FIL_BAD_INPUT, "world: lcp: dense_limit must not be negative, not %d", s->dense_limit);
    }
    return FIL_OK;
}

FilLcp* fil_lcp_create(void)
{
    return fil_alloc(1, sizeof(FilLcp));
}

void fil_lcp_destroy(FilLcp* lcp)
{
    if (lcp == NULL) {
        return;
    }
    for (int k = 0; k < lcp->workspace_count; k++) {
        Workspace* w = &lcp->workspaces[k];
        fil_sap_destroy(w->sap);
        fil_lcp_assembly_free(&w->assembly);
        fil_lcp_augmented_free(&w->augmented);
        fil_free(w->scratch.numbers.at);
        fil_free(w->scratch.indices.at);
        fil_free(w->constraints);
        fil_free(w->solution.at);
    }
    fil_free(lcp->workspaces);
    fil_lcp_islands_free(&lcp->islands);
    fil_free(lcp);
}

/* A workspace for each of `count` islands. */
static bool make_workspaces(FilLcp* lcp, int count)
{
    if (count <= lcp->workspace_count) {
        return true;
    }
    Workspace* grown = fil_alloc((size_t)count, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    if (lcp->workspace_count > 0) {
        memcpy(grown, lcp->workspaces, sizeof *grown * (size_t)lcp->workspace_count);
    }
    fil_free(lcp->workspaces);
    lcp->workspaces = grown;
    for (; lcp->workspace_count < count; lcp->workspace_count++) {
        Workspace* w = &grown[lcp->workspace_count];
        *w = (Workspace){.sap = fil_sap_create()};
        if (w->sap == NULL || !fil_lcp_assembly_init(&w->assembly) || !fil_lcp_augmented_init(&w->augmented)) {
            fil_sap_destroy(w->sap);
            fil_lcp_assembly_free(&w->assembly);
            return false;
        }
    }
    return true;
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
    double max = FIL_LCP_SPEED;
    for (int i = 0; i < problem->unit_count; i++) {
        const FilLcpUnit* unit = &problem->units[i];
        max = fmax(max, fmax(fabs(unit->free[2] - unit->target), hypot(unit->free[0], unit->free[1])));
    }
    return max;
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
static FilStatus solve_round(Workspace* w, const FilLcpSettings* settings, FilLcpStats* stats)
{
    FilLcpProblem* problem = &w->problem;
    if (!fil_lcp_equilibrate(problem, settings->equilibration ? RUIZ_ITERATIONS : 0, &w->scratch)) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_lcp_soften(problem, settings->regularisation ? settings->compliance : 0.0);
    const bool newton = settings->solver == FIL_LCP_NEWTON;
    fil_lcp_sweep(problem, newton ? FIRST_SWEEPS : 0);
    FilStatus status = fil_lcp_solvers[settings->solver].solve(problem, settings, &w->scratch, &stats->iterations);
    if (status == FIL_NOT_CONVERGED && newton) {
        // stuck in a minimum of |phi| that is none of the problem: from elsewhere
        fil_lcp_sweep(problem, MORE_SWEEPS);
        status = fil_lcp_newton(problem, settings, &w->scratch, &stats->iterations);
    }
    if (status == FIL_NOT_CONVERGED && settings->fallback && settings->solver != FIL_LCP_LEMKE) {
        stats->fallbacks++;
        status = fil_lcp_lemke(problem, settings, &w->scratch, &stats->iterations);
    }
    return status;
}

/* How far the solution is from one of the problem as it was before conditioning, all units counted. */
static void judge(Workspace* w, FilLcpStats* stats)
{
    FilLcpProblem* problem = &w->problem;
    const double speed = speed_at_work(problem);
    double lowest = 0.0, product = 0.0, impulses = 0.0, slack[FIL_LCP_MAX_DIRECTIONS + 2];
    fil_lcp_soften(problem, 0.0);
    for (int i = 0; i < problem->unit_count; i++) {
        const FilLcpUnit* unit = &problem->units[i];
        const double* z = problem->z + (size_t)problem->size * (size_t)i;
        double c[3];
        fil_lcp_velocity(problem, i, problem->u, c);
        fil_lcp_slacks(problem, i, c, z, slack);
        impulses += z[0];
        for (int k = 0; k < problem->size; k++) {
            if (fil_lcp_used(problem, unit, k)) {
                product += fabs(slack[k] * z[k]);
                lowest = k < problem->size - 1 ? fmin(lowest, slack[k]) : lowest;
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

/* Unknowns of all active units from the solution of the convex problem: much the same contacts bear load there, and it
 * is quickly found. */
static void take_guess(FilLcpProblem* problem, const double* impulse)
{
    for (int pass = 0; pass < 2; pass++) {  // slip speeds follow from the impulses
        for (int a = 0; a < problem->active_count; a++) {
            const int i = problem->active[a];
            const FilLcpUnit* unit = &problem->units[i];
            double *z = problem->z + (size_t)problem->size * (size_t)i, c[3] = {0.0};
            const double* gamma = impulse + 3 * (size_t)unit->constraint;
            if (unit->kind == FIL_LCP_CONTACT) {
                if (pass > 0) {
                    fil_lcp_velocity(problem, i, problem->u, c);
                }
                fil_lcp_set_contact(problem, gamma, c, z);
            } else {
                z[0] = fmin(fmax(unit->sign * (gamma[unit->row] - unit->offset), 0.0), unit->range);
            }
        }
        fil_lcp_gather(problem, problem->z, problem->u);
    }
}

/* From free velocities, so that the result depends on the problem alone. */
static FilStatus guess(Workspace* w, const FilSapProblem* from, double* v, double* impulse)
{
    const FilSapOptions settings = fil_sap_options_default();
    memcpy(v, from->v_free, FIL_BLOCK * (size_t)from->pattern.columns * sizeof *v);
    const FilStatus status = fil_sap_solve(w->sap, from, &settings, v, impulse, NULL);
    if (status == FIL_OK) {
        take_guess(&w->problem, impulse);
    }
    return status == FIL_OUT_OF_MEMORY ? status : FIL_OK;
}

static FilStatus solve_island(Workspace* w, const FilSapProblem* from, const FilLcpSettings* settings, double* v, double* impulse, FilLcpStats* stats)
{
    FilLcpProblem* problem = &w->problem;
    FilStatus status = fil_lcp_assemble(&w->assembly, from, settings, problem);
    stats->analyses = w->assembly.system.analyses;
    stats->indefinite = status == FIL_NOT_CONVERGED;
    if (status != FIL_OK) {
        return status;
    }
    stats->units = problem->unit_count;
    problem->watch = from->watch;
    use_all(problem);
    if (settings->rank_selection && problem->unit_count > 1 && !fil_lcp_select(problem, settings->rank_tolerance, &w->scratch)) {
        return FIL_OUT_OF_MEMORY;
    }
    status = settings->solver == FIL_LCP_NEWTON && problem->dimension >= GUESS_FROM ? guess(w, from, v, impulse) : FIL_OK;
    if (status != FIL_OK) {
        return status;
    }
    do {
        status = solve_round(w, settings, stats);
        stats->rounds++;
    } while (status == FIL_OK && stats->rounds < MAX_ROUNDS && swap_in(problem, settings->tolerance) > 0);
    stats->active = problem->active_count;
    tidy(problem);
    judge(w, stats);
    fil_lcp_recover(&w->assembly, from, problem, v, impulse);
    return status;
}

/* ---- large islands ---- */

/* Velocities up to which the dense solvers are as fast for any number of contacts: an arm and a ball have 20. Six boxes with
 * patches, 48, took 3.5 s a step instead of 20 ms. */
enum { FEW_VELOCITIES = 24 };

/* Whether an island is beyond the dense solvers. */
static bool is_large(const FilSapProblem* island, int limit)
{
    const int few = limit < FEW_VELOCITIES ? limit : FEW_VELOCITIES;
    return 3 * island->constraint_count > limit && FIL_BLOCK * island->pattern.columns > few;
}

/* Constraints for the guess: rigid contacts aim at the velocity that the LCP asks for, penetrations at no more than the
 * recovery speed. */
static const FilSapConstraint* aim(const FilSapProblem* from, const FilLcpSettings* settings, FilSapConstraint* constraints)
{
    for (int i = 0; i < from->constraint_count; i++) {
        constraints[i] = from->constraints[i];
        if (constraints[i].kind != FIL_SAP_BOUNDED && !isfinite(constraints[i].contact.stiffness)) {
            constraints[i].contact.distance = -from->dt * fil_lcp_contact_unit(from, settings, i).target;
            constraints[i].contact.dissipation_time = 0.0;
        }
    }
    return constraints;
}

/* `v` holds the velocities of the step's start: much the same contacts bear load as in the last step. */
static FilStatus solve_large(Workspace* w, const FilSapProblem* from, const FilLcpSettings* settings, double* v, double* impulse, FilLcpStats* stats)
{
    const FilSapOptions options = fil_sap_options_default();
    FilSapStats convex = {0};
    if (!fil_buffer_reserve(&w->constraints, &w->constraint_capacity, (size_t)from->constraint_count, sizeof(FilSapConstraint))) {
        return FIL_OUT_OF_MEMORY;
    }
    FilSapProblem first = *from;
    first.constraints = aim(from, settings, w->constraints);
    const FilStatus status = fil_sap_solve(w->sap, &first, &options, v, impulse, &convex);
    stats->iterations += convex.iterations;
    stats->analyses += convex.analyses;
    stats->indefinite = convex.indefinite;
    if (status == FIL_OUT_OF_MEMORY || convex.indefinite) {
        return status;
    }
    return fil_lcp_augmented_solve(&w->augmented, from, settings, v, impulse, stats);
}

/* All islands together: sums of counts, the worst of residuals. */
static void add_stats(FilLcpStats* all, const FilLcpStats* one)
{
    all->iterations += one->iterations;
    all->rounds = one->rounds > all->rounds ? one->rounds : all->rounds;
    all->units += one->units;
    all->active += one->active;
    all->fallbacks += one->fallbacks;
    all->analyses += one->analyses;
    all->indefinite = all->indefinite || one->indefinite;
    all->residual = fmax(all->residual, one->residual);
    all->negativity = fmax(all->negativity, one->negativity);
    all->complementarity = fmax(all->complementarity, one->complementarity);
}

FilStatus fil_lcp_solve(FilLcp* lcp, const FilSapProblem* from, const FilLcpSettings* settings, double* v, double* impulse, FilLcpStats* stats)
{
    FilLcpStats local;
    stats = stats != NULL ? stats : &local;
    *stats = (FilLcpStats){0};
    if (from->constraint_count == 0) {
        memcpy(v, from->v_free, FIL_BLOCK * (size_t)from->pattern.columns * sizeof *v);
        return FIL_OK;
    }
    memset(impulse, 0, 3 * (size_t)from->constraint_count * sizeof *impulse);
    if (!fil_lcp_islands_find(&lcp->islands, from) || !make_workspaces(lcp, lcp->islands.count)) {
        return FIL_OUT_OF_MEMORY;
    }
    FilStatus worst = FIL_OK;
    for (int k = 0; k < lcp->islands.count; k++) {
        Workspace* w = &lcp->workspaces[k];
        const FilSapProblem island = fil_lcp_islands_at(&lcp->islands, from, k);
        const size_t n = FIL_BLOCK * (size_t)island.pattern.columns;
        if (!fil_doubles_reserve(&w->solution, n + 3 * (size_t)island.constraint_count)) {
            return FIL_OUT_OF_MEMORY;
        }
        FilLcpStats own = {0};
        double *island_v = w->solution.at, *island_impulse = island_v + n;
        fil_lcp_islands_take(&lcp->islands, k, v, island_v);
        const bool large = settings->solver == FIL_LCP_NEWTON && is_large(&island, settings->dense_limit);
        FilStatus status = (large ? solve_large : solve_island)(w, &island, settings, island_v, island_impulse, &own);
        if (status == FIL_NOT_CONVERGED && !own.indefinite && !large && settings->fallback) {
            // what pivots did not solve either
            fil_lcp_islands_take(&lcp->islands, k, v, island_v);
            status = solve_large(w, &island, settings, island_v, island_impulse, &own);
        }
        add_stats(stats, &own);
        if (status == FIL_OK || status == FIL_NOT_CONVERGED) {
            worst = status != FIL_OK ? status : worst;
        } else {
            return status;
        }
        if (!own.indefinite) {
            fil_lcp_islands_put(&lcp->islands, k, island_v, island_impulse, v, impulse);
        }
    }
    fil_lcp_islands_release(&lcp->islands, from, v);
    return worst;
}
