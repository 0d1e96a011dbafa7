#include "contact/sap.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/lanes.h"
#include "contact/sap_direction.h"
#include "linalg/extrapolate.h"

/* Of l' against its start: a better minimum along one direction saves no iterations (tried from 1e-4 to 0.2 on capstan, ropes, rings, knots:
 * up to here the number of factorisations does not change, evaluations fall by a fifth). */
#define LINE_SEARCH_TOLERANCE 1e-2

/* A factorisation is used once more after it has reduced the residual this much; measured on rings and knots. */
#define REUSE_AFTER_FRESH 0.1
#define REUSE_AFTER_STALE 0.3

/* Of the residual of momenta: what conjugate gradients leave of the equation of an iteration (tried on box_pile: 0.01 to 0.1 take the same time). */
#define FORCING 0.03
/* ... and of the tolerance in the last one */
#define FORCING_AT_END 0.3

/* Bounds follow the solution once the residual is less than this share of the impulses (tried from 0.01 to 1 on capstan, ropes, rings). */
#define FOLLOW_BELOW 0.3
/* Friction on a rod whose edges are shorter than mu times its radius turns each of them by more than it is pressed with: bounds
 * that only follow the solution go round then, and never settle. After so many rounds without a smaller change they are
 * extrapolated, from so many of the last ones. Capstans, ropes and laces settle before. */
enum { UNSETTLED_ROUNDS = 4, EXTRAPOLATED = 10 };

/* By how much friction's compliance grows while its kinks stop line searches; 8 to 128 were tried on hand_ball, bubble_gripper, arches and heaps. */
#define SOFTER 32.0
/* That begins where an iteration leaves more than this of its residual, and more than KINKED in all; it ends at KINKED (0.01 to 0.3 are alike). */
#define STALLED 0.3
#define KINKED 0.1
/* After so many iterations of that kind directions of friction become unknowns of their own. At once takes 7 % more factors of a chain of rings that
 * falls, after three heaps of ropes take a tenth more. */
enum { STALLS_MAX = 2 };
/* Below this residual that is at once, and friction stays as it is (a heap that lies: 8 instead of 11 factors). */
#define CALM 0.5
/* Where a world begins, the way back is in two steps, this factor and the rest, each of which shows what sticks in the next: box_pile of 4,096 takes
 * 9 factors instead of 16 (14 and 17 with 8 and 4, and with 4, 4 and 2). After a stall it gained a tenth on hull_heap, and lost as much on
 * bubble_gripper. */
#define FIRST_HARDER 4.0
/* Of the residual over the impulses: beyond this nothing bears at the guess, but for rounding. */
#define NOTHING_BEARS 1e3

static double dot(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* The same of many numbers: four sums, which need not wait for each other. */
static double long_dot(const double* a, const double* b, int n)
{
    double sum[4] = {0.0};
    int k = 0;
    for (; k + 3 < n; k += 4) {
        for (int j = 0; j < 4; j++) {
            sum[j] += a[k + j] * b[k + j];
        }
    }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + dot(a + k, b + k, n - k);
}

/* ---- costs ---- */

typedef struct Evaluation {
    FilSap* sap;
    const FilSapProblem* problem;
    const double* v_c;
    double alpha;
    FilSapSlope start; /* of the first chunk's sums */
} Evaluation;

static void evaluate_some(void* context, int first, int end, int worker)
{
    const Evaluation* e = context;
    (void)worker;
    for (int i = first; i < end; i++) {
        fil_sap_kinds[e->problem->constraints[i].kind].evaluate(&e->sap->laws[i], e->v_c + 3 * i, &e->sap->responses[i]);
    }
}

static void evaluate(FilSap* sap, const FilSapProblem* problem, const double* v_c)
{
    Evaluation evaluation = {.sap = sap, .problem = problem, .v_c = v_c};
    fil_workers_run(problem->workers, problem->constraint_count, FIL_SAP_GRAIN, evaluate_some, &evaluation);
}

static void slope_of_some(void* context, int first, int end, int worker)
{
    const Evaluation* e = context;
    FilSap* sap = e->sap;
    for (int k = 3 * first; k < 3 * end; k++) {
        sap->trial_c[k] = sap->v_c[k] + e->alpha * sap->dv_c[k];
    }
    evaluate_some(context, first, end, worker);
    FilSapSlope slope = first == 0 ? e->start : (FilSapSlope){0};
    for (int i = first; i < end; i++) {
        const double* u = sap->dv_c + 3 * i;
        const double* g = sap->responses[i].hessian;
        const double work = dot(sap->responses[i].impulse, u, 3);
        slope.value -= work;
        slope.size += fabs(work);
        slope.curvature +=
            g[0] * u[0] * u[0] + g[4] * u[1] * u[1] + g[8] * u[2] * u[2] + 2.0 * (g[1] * u[0] * u[1] + g[2] * u[0] * u[2] + g[5] * u[1] * u[2]);
    }
    sap->slopes[first / FIL_SAP_GRAIN] = slope;
}

/* Leaves the responses at v + alpha dx. */
static FilSapSlope slope_at(FilSap* sap, const FilSapProblem* problem, double alpha, double dx_p, double dx_dp)
{
    // l' = dx' S (x + alpha dx) - gamma' dv_c,  l'' = dx' S dx + dv_c' G dv_c
    const FilSapSlope start = {dx_p + alpha * dx_dp, dx_dp, fabs(dx_p) + fabs(alpha * dx_dp)};
    Evaluation evaluation = {sap, problem, sap->trial_c, alpha, start};
    fil_workers_run(problem->workers, problem->constraint_count, FIL_SAP_GRAIN, slope_of_some, &evaluation);
    FilSapSlope slope = problem->constraint_count > 0 ? sap->slopes[0] : start;
    for (int k = 1; k < (problem->constraint_count + FIL_SAP_GRAIN - 1) / FIL_SAP_GRAIN; k++) {
        slope.value += sap->slopes[k].value;
        slope.curvature += sap->slopes[k].curvature;
        slope.size += sap->slopes[k].size;
    }
    return slope;
}

/* The minimum of l along dx: Newton on l' = 0, kept inside a bracket and bisected where it does not halve the slope.
 * l' increases, so the bracket always closes. */
static double line_search(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, FilSapStats* stats)
{
    const double dx_p = long_dot(sap->dx, sap->p, sap->n), dx_dp = long_dot(sap->dx, sap->dp, sap->n);
    const double start = fabs(dx_p - long_dot(sap->gamma, sap->dv_c, 3 * problem->constraint_count));
    double low = 0.0, high = INFINITY, alpha = 1.0, last = start;
    for (int k = 1;; k++) {
        const FilSapSlope slope = slope_at(sap, problem, alpha, dx_p, dx_dp);
        stats->line_search_evaluations++;
        const double rest = fabs(slope.value);
        if (!(rest > LINE_SEARCH_TOLERANCE * start) || rest <= 4.0 * DBL_EPSILON * slope.size || high - low <= DBL_EPSILON * low ||
            k == settings->max_line_search) {
            return alpha;
        }
        // the matrix of duals is a majoriser, so that the minimum lies beyond: there, contacts that bear would open
        if (k == 1 && sap->dual && slope.value < 0.0) {
            return alpha;
        }
        if (slope.value < 0.0) {
            low = alpha;
        } else {
            high = alpha;
        }
        const double newton = alpha - slope.value / slope.curvature;
        if (newton > low && newton < high && (k == 1 || rest < 0.5 * last)) {
            alpha = newton;
        } else {
            alpha = isinf(high) ? 2.0 * low : 0.5 * (low + high);
        }
        last = rest;
    }
}

/* ---- Newton ---- */

static void take_impulses(void* context, int first, int end, int worker)
{
    const FilSap* sap = context;
    (void)worker;
    for (int i = first; i < end; i++) {
        memcpy(sap->gamma + 3 * i, sap->responses[i].impulse, 3 * sizeof *sap->gamma);
    }
}

/* dp = -gradient = J' gamma - S x, where J' gamma is known; returns its size relative to the momenta at work, infinite if there are none yet. */
static double balance(FilSap* sap)
{
    // four sums each, which need not wait for each other
    enum { SUMS = FIL_BLOCK / FIL_LANE_COUNT };
    FilLanes rests[SUMS], momenta[SUMS], impulses[SUMS];
    for (int s = 0; s < SUMS; s++) {
        rests[s] = momenta[s] = impulses[s] = fil_lanes_splat(0.0);
    }
    for (int k = 0; k < sap->n; k += FIL_BLOCK) {
        for (int s = 0; s < SUMS; s++) {
            const int at = k + s * FIL_LANE_COUNT;
            const FilLanes own = fil_lanes_load(sap->p + at), all = fil_lanes_load(sap->p0 + at) + own, impulse = fil_lanes_load(sap->j + at);
            const FilLanes r = impulse - own, per_mass = fil_lanes_load(sap->mass_inverse + at);
            memcpy(sap->dp + at, &r, sizeof r);
            rests[s] += r * r * per_mass;
            momenta[s] += all * all * per_mass;
            impulses[s] += impulse * impulse * per_mass;
        }
    }
    const double rest = fil_lanes_sum_four(rests), impulse = fil_lanes_sum_four(impulses);
    const double momentum = sap->fixed_momentum + fil_lanes_sum_four(momenta);
    sap->impulse_residual = sqrt(rest / impulse);
    const double scale = sap->scale = momentum < impulse ? impulse : momentum;  // a NaN stays one
    return rest == 0.0 && isfinite(scale) ? 0.0 : sqrt(rest / scale);
}

/* The same with the responses as they are. */
static double residual(FilSap* sap, const FilSapProblem* problem)
{
    fil_workers_run(problem->workers, problem->constraint_count, FIL_SAP_GRAIN, take_impulses, sap);
    fil_sap_system_multiply_transposed(&sap->system, problem, sap->gamma, sap->j);
    return balance(sap);
}

/* v <- v + alpha dx; the responses are there already. Duals go all the way, within their bounds: kinks that stopped v do not stop them. */
static void move(FilSap* sap, const FilSapProblem* problem, double alpha)
{
    if (sap->dual) {
        fil_sap_duals_move(problem->constraints, problem->constraint_count, sap->laws, sap->v_c, sap->dv_c);
    }
    for (int k = 0; k < sap->n; k++) {
        sap->x[k] += alpha * sap->dx[k];
        sap->p[k] += alpha * sap->dp[k];
    }
    double* v_c = sap->v_c;
    sap->v_c = sap->trial_c;
    sap->trial_c = v_c;
}

/* Bounds that the last rounds of them together lead to; false: no memory. */
static bool extrapolate_bounds(FilSap* sap, const FilSapProblem* problem)
{
    const int m = problem->constraint_count;
    if (!fil_doubles_reserve(&sap->bound_rounds, 2 * (size_t)m + fil_extrapolate_size(m))) {
        return false;
    }
    double *bounds = sap->bound_rounds.at, *errors = bounds + m;
    fil_sap_bounds_read(problem->constraints, m, sap->laws, sap->responses, bounds, errors);
    fil_extrapolate(m, ++sap->extrapolated, EXTRAPOLATED, errors + m, errors, bounds);
    fil_sap_bounds_set(problem->constraints, m, sap->laws, bounds);
    return true;
}

/* Bounds from the solution as far as it is known, where that changes anything; true if momenta have to be balanced anew. */
static bool follow_bounds(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, FilSapStats* stats)
{
    if (!sap->bounds || stats->rounds >= settings->max_rounds) {
        return false;
    }
    const double change = fil_sap_bounds_change(problem->constraints, problem->constraint_count, sap->laws, sap->v_c, sap->responses);
    if (!(change > settings->bound_tolerance)) {
        return false;
    }
    if (stats->rounds == 0 || change < sap->min_change) {
        sap->min_change = change;
        sap->min_at = stats->rounds;
    }
    if (!(sap->extrapolated > 0 || stats->rounds - sap->min_at >= UNSETTLED_ROUNDS) || !extrapolate_bounds(sap, problem)) {
        fil_sap_bounds_follow(problem->constraints, problem->constraint_count, sap->laws, sap->responses);
    }
    evaluate(sap, problem, sap->v_c);
    stats->residual = residual(sap, problem);
    stats->rounds++;
    sap->followed_at = sap->hessians;
    return stats->residual > settings->tolerance;
}

/* Friction's kinks have stopped the line search: a softer law, where there is one to soften. */
static bool soften(FilSap* sap, const FilSapProblem* problem)
{
    bool soft = false;
    for (int i = 0; i < problem->constraint_count; i++) {
        const FilSapKindOps* kind = &fil_sap_kinds[problem->constraints[i].kind];
        soft |= kind->soften != NULL && kind->soften(&sap->laws[i], SOFTER);
    }
    sap->softened = true;
    if (soft) {
        sap->softness = SOFTER;
        evaluate(sap, problem, sap->v_c);
    }
    return soft;
}

/* A whole step with the responses as they are; nothing is searched along it. */
static FilStatus leap(FilSap* sap, const FilSapProblem* problem, FilSapStats* stats)
{
    residual(sap, problem);
    bool definite;
    const FilStatus status = fil_sap_take_hessian(sap, problem, FORCING, 0, &definite);
    stats->indefinite = !definite;
    if (status != FIL_OK || !definite) {
        return status != FIL_OK ? status : FIL_NOT_CONVERGED;
    }
    fil_sap_complete_direction(sap, problem, sap->iterative.patience == 0);
    slope_at(sap, problem, 1.0, long_dot(sap->dx, sap->p, sap->n), long_dot(sap->dx, sap->dp, sap->n));
    move(sap, problem, 1.0);
    stats->residual = residual(sap, problem);
    stats->iterations++;
    return FIL_OK;
}

/* Back towards the law itself. What sticks under the softer one most often does so under this, but at smaller velocities: at the present
 * ones it would slide. So the first step lets it stick at any force; nothing is searched along it. */
static FilStatus harden(FilSap* sap, const FilSapProblem* problem, FilSapStats* stats)
{
    const double factor = sap->stood && sap->softness == SOFTER ? FIRST_HARDER : sap->softness;
    for (int i = 0; i < problem->constraint_count; i++) {
        const FilSapKindOps* kind = &fil_sap_kinds[problem->constraints[i].kind];
        if (kind->harden != NULL) {
            kind->harden(&sap->laws[i], factor, sap->v_c + 3 * i, &sap->responses[i]);
        }
    }
    sap->softness /= factor;
    return leap(sap, problem, stats);
}

/* A solution is never a softer law's. */
static FilStatus harden_solution(FilSap* sap, const FilSapProblem* problem, double tolerance, FilSapStats* stats)
{
    FilStatus status = FIL_OK;
    while (status == FIL_OK && sap->softness > 1.0 && stats->residual <= tolerance) {
        status = harden(sap, problem, stats);
    }
    return status;
}

/* The response of what stands, pulling too; false: nothing does. */
static bool stand_all(FilSap* sap, const FilSapProblem* problem)
{
    bool any = false;
    for (int i = 0; i < problem->constraint_count; i++) {
        const FilSapKindOps* kind = &fil_sap_kinds[problem->constraints[i].kind];
        any |= kind->stand != NULL && kind->stand(&problem->constraints[i], &sap->laws[i], sap->v_c + 3 * i, &sap->responses[i]);
    }
    return any;
}

/* Where nothing bears at the guess, a world begins: line searches would let all fall together and stop it layer by layer from below. So all
 * that touches stands in the first step, with softer friction; from there Newton opens the wrong ones. */
static FilStatus stand(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, FilSapStats* stats)
{
    if (!stand_all(sap, problem)) {
        return FIL_OK;
    }
    if (!soften(sap, problem)) {  // no friction
        evaluate(sap, problem, sap->v_c);
        return FIL_OK;
    }
    sap->stood = stand_all(sap, problem);
    const FilStatus status = leap(sap, problem, stats);
    return status == FIL_OK ? harden_solution(sap, problem, settings->tolerance, stats) : status;
}

/* At the guess, contacts that slide are open or closed by chance: they were in touch at the end of the last step, and corners of the other side have
 * passed since. A line search would close them one after the other. */
static FilStatus presume(FilSap* sap, const FilSapProblem* problem, double share, FilSapStats* stats)
{
    for (int i = 0; i < problem->constraint_count; i++) {
        const FilSapKindOps* kind = &fil_sap_kinds[problem->constraints[i].kind];
        if (kind->presume != NULL) {
            kind->presume(&sap->laws[i], share, sap->v_c + 3 * i, &sap->responses[i]);
        }
    }
    return leap(sap, problem, stats);
}

/* From here on the direction of friction is an unknown of its own; where that of v_c says nothing, it begins at zero, whose matrix is a majoriser. */
static void take_duals(FilSap* sap, const FilSapProblem* problem, bool known)
{
    sap->dual = true;
    fil_sap_duals_begin(problem->constraints, problem->constraint_count, sap->laws, sap->v_c);
    for (int i = 0; i < problem->constraint_count && !known; i++) {
        sap->laws[i].dual[0] = sap->laws[i].dual[1] = 0.0;
    }
}

/* Newton. Where factors are cheap, the last one is used again while that pays, with the Hessian that it is of; where they are not, every
 * iteration has its own Hessian, and the last factor is its preconditioner while that pays (`max` iterations do). Where that stalls at kinks of
 * friction, a softer law finds out first what sticks, and directions of friction become unknowns. Bounds that the solution
 * decides follow it as soon as impulses are known well enough: the iterations that are left find both. */
static FilStatus iterate(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, FilSapStats* stats)
{
    const int max = sap->iterative.patience;
    const double kinked = fmax(KINKED, settings->tolerance);
    int patience = 0, stalls = 0;  // the first factor has to be made
    sap->hessians = sap->followed_at = 0;
    sap->softened = sap->stood = false;
    sap->softness = 1.0;
    sap->extrapolated = 0;
    stats->residual = sap->weighed ? balance(sap) : residual(sap, problem);
    FilStatus status = FIL_OK;
    if (stats->residual > settings->tolerance && sap->dual && settings->presumption > 0.0) {
        status = presume(sap, problem, settings->presumption, stats);
    } else if (stats->residual > settings->tolerance && sap->impulse_residual > NOTHING_BEARS) {
        status = stand(sap, problem, settings, stats);
    }
    if (status != FIL_OK) {
        return status;
    }
    // what creeps in a heap slides at its guess by chance, hundreds of contacts in any direction: a softer law would not know better
    const bool heap = problem->constraint_count >= FIL_SAP_HEAP;
    if (heap && !sap->dual && !sap->stood && stats->residual > CALM) {
        take_duals(sap, problem, false);
    }
    for (bool fresh = true; stats->residual > settings->tolerance || follow_bounds(sap, problem, settings, stats); stats->iterations++) {
        if ((fresh && sap->hessians - sap->followed_at >= settings->max_factorisations) || fil_watch_ended(problem->watch)) {
            return FIL_NOT_CONVERGED;
        }
        if (fresh) {
            bool definite;
            const double forcing = fmax(FORCING, FORCING_AT_END * settings->tolerance / stats->residual);
            status = fil_sap_take_hessian(sap, problem, forcing, patience, &definite);
            stats->indefinite = !definite;
            if (status != FIL_OK || !definite) {
                return status != FIL_OK ? status : FIL_NOT_CONVERGED;
            }
        } else {
            fil_sap_solve_direct(sap);
        }
        fil_sap_complete_direction(sap, problem, max == 0);
        move(sap, problem, line_search(sap, problem, settings, stats));
        const double last = stats->residual;
        stats->residual = residual(sap, problem);
        const bool pays = stats->residual < (fresh && max == 0 ? REUSE_AFTER_FRESH : REUSE_AFTER_STALE) * last;
        patience = (pays || sap->system.factorisations == 1) && !sap->iterative.cut ? max : 0;
        fresh = max > 0 || !pays;
        const bool stalled = stats->residual > fmax(kinked, STALLED * last);
        stalls += fmax(stats->residual, sap->impulse_residual) > kinked && stats->residual > STALLED * last;
        const bool calm = stats->residual < CALM;
        if (!sap->dual && !sap->stood && (stalls == STALLS_MAX || (stalled && (calm || heap)))) {
            take_duals(sap, problem, !heap);
            fresh = true;
        }
        if (!heap && !sap->softened && stalled && !calm && soften(sap, problem)) {
            stats->residual = residual(sap, problem);
            fresh = true;
            patience = 0;
        }
        if (sap->softness > 1.0 && stats->residual <= kinked) {
            status = harden(sap, problem, stats);
            if (status == FIL_OK) {
                status = harden_solution(sap, problem, settings->tolerance, stats);
            }
            if (status != FIL_OK) {
                return status;
            }
            fresh = true;
            patience = max;
        }
        if (sap->softness == 1.0 && stats->residual > settings->tolerance && sap->impulse_residual < FOLLOW_BELOW && sap->extrapolated == 0) {
            follow_bounds(sap, problem, settings, stats);
        }
    }
    return isnan(stats->residual) ? FIL_NOT_CONVERGED : FIL_OK;
}

static double total_cost(const FilSap* sap, const FilSapProblem* problem)
{
    double cost = 0.5 * long_dot(sap->x, sap->p, sap->n);
    for (int i = 0; i < problem->constraint_count; i++) {
        cost += sap->responses[i].cost;
    }
    return cost;
}

/* Whether the guess is the solution already, before anything is eliminated: things that hang or lie still. The residual is that of all variables. */
static bool is_solution(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, FilSapStats* stats)
{
    const double allowed = settings->tolerance * settings->tolerance;
    sap->weighed = false;
    if (!sap->at_free || !(sap->fixed_rest <= allowed * sap->at_work)) {
        return false;
    }
    sap->weighed = true;
    const double own = residual(sap, problem), others = sap->fixed_rest > 0.0 ? sap->fixed_rest / sap->scale : 0.0;
    if (!(own * own + others <= allowed) ||
        (settings->max_rounds > 0 &&
         fil_sap_bounds_change(problem->constraints, problem->constraint_count, sap->laws, sap->v_c, sap->responses) > settings->bound_tolerance)) {
        return false;
    }
    stats->residual = sqrt(own * own + others);
    return true;
}

/* Solves from the guess on, with others eliminated; responses are those there. */
static FilStatus solve_from_guess(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, double* v, FilSapStats* stats)
{
    // at once with fixed bounds, and where that is asked for: else bounds that follow the solution need as many rounds, unless it stalls
    sap->dual = false;
    if (sap->bounds && (settings->max_rounds == 0 || settings->duals)) {
        take_duals(sap, problem, true);
    }
    const FilStatus status = iterate(sap, problem, settings, stats);
    fil_sap_system_follow(&sap->system, problem, sap->x, v);
    return status;
}

FilStatus fil_sap_solve(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, double* v, double* impulse, FilSapStats* stats)
{
    FilSapStats local;
    stats = stats != NULL ? stats : &local;
    *stats = (FilSapStats){0};
    if (problem->constraint_count == 0) {
        memcpy(v, problem->v_free, FIL_BLOCK * (size_t)problem->pattern.columns * sizeof *v);
        return FIL_OK;
    }
    FilStatus status = fil_sap_begin(sap, problem, settings, v, stats);
    if (status == FIL_OK) {
        evaluate(sap, problem, sap->v_c);
        const bool solved = is_solution(sap, problem, settings, stats);
        status = solved ? FIL_OK : fil_sap_eliminate(sap, problem, stats);
        if (status == FIL_OK) {
            status = solved ? FIL_OK : solve_from_guess(sap, problem, settings, v, stats);
            stats->cost = total_cost(sap, problem);
            memcpy(impulse, sap->gamma, 3 * (size_t)problem->constraint_count * sizeof *impulse);
        }
    }
    stats->analyses = sap->system.analyses;
    stats->factorisations = sap->system.factorisations;
    return status;
}
