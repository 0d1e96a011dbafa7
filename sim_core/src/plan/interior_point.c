#include "plan/interior_point.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "plan/interior_search.h"

// the barrier falls once errors are below this multiple of it (Waechter, Biegler 2006, algorithm A). It falls linearly: the
// superlinear rule of eq. 7 there would shrink the relaxation faster than modes can change
static const double NEAR = 10.0;
// steps that find no acceptable point are repeated with a larger shift, which turns them towards the rows
static const int MAX_TURNS = 8;
static const double TURN = 30.0, FIRST_TURN = 1e-3;
// a cost that changes by less is as it was, relative to 1 + its size
static const double SAME_COST = 1e-5;
// where no step helps, the barrier and the relaxation go back up by this factor, this often, and fall more slowly
static const double BACK = 30.0;
static const int MAX_BACKS = 6;
// the polish: slivers that fixed variables may stay in (of their scale), where it begins, and what it may cost
static const double SLIVER = 1e-9, POLISH_BARRIER = 1e-7, POLISH_COST = 1e-3;
static const int POLISH_ITERATIONS = 12;

FilPlanSettings fil_plan_settings_default(void)
{
    // relaxation_end: P1's (sec. IV, Scholtes). relaxation_ratio: with 10, as schedules around general solvers have it, half of the starts stalled
    // (docs/planning.md). fall, push, tolerance: kappa_mu, kappa_1 and epsilon_tol of Waechter and Biegler (2006). All three are so in IPOPT's
    // sources, too. relaxation_start: IPOPT's first barrier, mu_init, 0.1. max_iterations: a bound only, twice what the longest plan of
    // docs/planning.md takes
    return (FilPlanSettings){.tolerance = 1e-8,
                             .relaxation_start = 0.1,
                             .relaxation_end = 1e-7,
                             .relaxation_ratio = 0.3,
                             .fall = 0.2,
                             .push = 1e-2,
                             .max_iterations = 1000,
                             .polish = true};
}

/* Moves x inside its bounds. */
static void push_inside(const FilInterior* ip, double push)
{
    const FilPlanProblem* p = &ip->problem;
    for (int j = 0; j < p->stages * p->variables; j++) {
        const double lower = p->lower[j], upper = p->upper[j], room = push * p->scale[j % p->variables];
        // between two bounds no further than a quarter in from either: kappa_2 of Waechter and Biegler (2006) is 0.01, for bounds of
        // unknown size; these are of known scale, and a quarter only keeps the two pushes from meeting
        const double width = fmin(room, 0.25 * (upper - lower));
        if (lower > -INFINITY) {
            ip->at.x[j] = fmax(ip->at.x[j], lower + width);
        }
        if (upper < INFINITY) {
            ip->at.x[j] = fmin(ip->at.x[j], upper - width);
        }
    }
}

/* Slacks of the pairs at least a tenth of the relaxation, and central multipliers. */
static void start_slacks(FilInterior* ip)
{
    const FilPlanProblem* p = &ip->problem;
    const int pairs = p->stages * p->pair_count;
    memset(ip->at.slack, 0, sizeof(double) * (size_t)pairs);
    fil_interior_pairs(ip, ip->at.x, ip->at.slack, ip->pair);
    for (int i = 0; i < pairs; i++) {
        // a tenth: inside, so that multipliers are ten times the central ones at most, but near where the pair's product is the whole relaxation
        ip->at.slack[i] = fmax(-ip->pair[i], 0.1 * ip->relaxation);
        ip->at.relax[i] = ip->barrier / ip->at.slack[i];
    }
}

static void start_multipliers(FilInterior* ip)
{
    const FilPlanProblem* p = &ip->problem;
    for (int j = 0; j < p->stages * p->variables; j++) {
        ip->at.lower[j] = p->lower[j] > -INFINITY ? ip->barrier / (ip->at.x[j] - p->lower[j]) : 0.0;
        ip->at.upper[j] = p->upper[j] < INFINITY ? ip->barrier / (p->upper[j] - ip->at.x[j]) : 0.0;
    }
}

/* One step: with the shift that the Hessian needs, then with larger ones, then anything that violates less. */
static bool advance(FilInterior* ip, FilFilter* filter, double* length)
{
    double min = 0.0;
    for (int turn = 0; turn < MAX_TURNS; turn++) {
        if (!fil_interior_factor(ip, min)) {
            return false;
        }
        fil_interior_solve(ip, ip->row, ip->pair);
        if (fil_interior_search(ip, filter, length)) {
            return true;
        }
        min = fmax(FIRST_TURN, TURN * fmax(min, turn == 0 ? 0.0 : ip->shift));
    }
    return fil_interior_retreat(ip, filter, length);
}

static double worst(FilInteriorError e)
{
    return fmax(fmax(e.row, e.pair), fmax(e.dual, e.complement));
}

typedef struct Loop {
    const FilPlanSettings* settings;
    FilPlanResult* result;
    double barrier_end, relaxation_end, fall;
    int idle; /* iterations that left the cost as it was */
} Loop;

/* Whether patience is at an end. */
static bool is_idle(const FilInterior* ip, Loop* loop, double last_cost)
{
    if (loop->settings->patience == 0) {
        return false;
    }
    const FilInteriorError e = fil_interior_error(ip, ip->barrier);
    const bool met = fmax(e.row, fmax(e.pair, e.complement)) <= NEAR * ip->barrier;
    loop->idle = met && fabs(ip->cost - last_cost) <= SAME_COST * (1.0 + fabs(ip->cost)) ? loop->idle + 1 : 0;
    return loop->idle >= loop->settings->patience;
}

/* Lowers the barrier and the relaxation while the point is close enough, once if it is not but idle; true once it is solved. */
static bool lower_barrier(FilInterior* ip, FilFilter* filter, Loop* loop, bool idle)
{
    for (; idle || worst(fil_interior_error(ip, ip->barrier)) <= NEAR * ip->barrier; idle = false) {
        if (ip->barrier <= loop->barrier_end) {
            return idle || worst(fil_interior_error(ip, 0.0)) <= fmax(loop->settings->tolerance, 2.0 * loop->barrier_end);
        }
        loop->idle = 0;
        ip->barrier = fmax(loop->barrier_end, loop->fall * ip->barrier);
        const double relaxation = fmax(loop->relaxation_end, loop->settings->relaxation_ratio * ip->barrier);
        if (ip->paired && relaxation != ip->relaxation) {
            ip->relaxation = relaxation;
            start_slacks(ip);
            fil_interior_pairs(ip, ip->at.x, ip->at.slack, ip->pair);
        }
        fil_filter_reset(filter, ip);
    }
    return false;
}

static FilPlanProgress progress_of(const FilInterior* ip, int iteration, double length)
{
    const FilInteriorError e = fil_interior_error(ip, ip->barrier);
    return (FilPlanProgress){.iteration = iteration,
                             .cost = ip->cost,
                             .violation = e.row,
                             .pairs = fil_interior_worst_pair(ip, ip->at.x),
                             .dual = e.dual,
                             .barrier = ip->barrier,
                             .relaxation = ip->relaxation,
                             .shift = ip->shift,
                             .step = length};
}

/* Begins anew from the point with more room around it. */
static bool back_off(FilInterior* ip, FilFilter* filter, Loop* loop)
{
    const FilPlanProblem* p = &ip->problem;
    if (!ip->paired) {
        return false;
    }
    ip->barrier = fmin(BACK * ip->barrier, loop->settings->relaxation_start / loop->settings->relaxation_ratio);
    ip->relaxation = fmax(loop->relaxation_end, loop->settings->relaxation_ratio * ip->barrier);
    loop->fall = sqrt(loop->fall);
    ip->shift = 0.0;
    push_inside(ip, loop->settings->push);
    start_slacks(ip);
    start_multipliers(ip);
    memset(ip->at.multiplier, 0, sizeof(double) * (size_t)(p->stages * p->rows));
    if (!fil_interior_evaluate(ip)) {
        return false;
    }
    fil_filter_reset(filter, ip);
    return true;
}

static FilPlanOutcome iterate(FilInterior* ip, Loop* loop)
{
    FilFilter filter;
    double length = 0.0, last_cost = INFINITY;
    int backs = 0;
    FilPlanResult* result = loop->result;
    if (!fil_interior_evaluate(ip)) {
        return FIL_PLAN_UNDEFINED;
    }
    fil_filter_reset(&filter, ip);
    for (;;) {
        const bool solved = lower_barrier(ip, &filter, loop, is_idle(ip, loop, last_cost));
        last_cost = ip->cost;
        result->last = progress_of(ip, result->iterations, length);
        if (loop->settings->report != NULL && !loop->settings->report(loop->settings->user, &result->last)) {
            return FIL_PLAN_CANCELLED;
        }
        if (solved) {
            return FIL_PLAN_SOLVED;
        }
        if (result->iterations >= loop->settings->max_iterations) {
            return FIL_PLAN_EXHAUSTED;
        }
        result->iterations++;
        const bool advanced = advance(ip, &filter, &length);
        if (advanced ? !fil_interior_evaluate(ip) : backs++ == MAX_BACKS || !back_off(ip, &filter, loop)) {
            return FIL_PLAN_STALLED;
        }
    }
}

/* Bounds of the polish: the smaller side of each pair, in units of its scale, is held within a sliver above zero. */
static void fix_modes(FilInterior* ip, double* lower, double* upper, double sliver)
{
    const FilPlanProblem* p = &ip->problem;
    const int n = p->variables;
    for (int k = 0; k < p->stages; k++) {
        for (int i = 0; i < p->pair_count; i++) {
            const int a = p->pairs[i].a, b = p->pairs[i].b;
            const double* x = ip->at.x + k * n;
            const int small = x[a] / p->scale[a] < x[b] / p->scale[b] ? a : b;
            lower[k * n + small] = 0.0;
            upper[k * n + small] = sliver * p->scale[small];
        }
    }
}

/* Solves with fixed modes from the point; keeps the result only if it meets the rows at about the same cost. Slivers leave
 * the multipliers ill-determined, so that the gradient says little there. */
static void polish(FilInterior* ip, const FilPlanSettings* settings, FilPlanPoint* point, FilPlanResult* result)
{
    const FilPlanProblem* p = &ip->problem;
    const size_t bytes = sizeof(double) * (size_t)(p->stages * p->variables);
    double *lower = fil_arena_alloc(&ip->arena, 1, bytes), *upper = fil_arena_alloc(&ip->arena, 1, bytes);
    if (lower == NULL || upper == NULL) {
        return;
    }
    memcpy(lower, p->lower, bytes);
    memcpy(upper, p->upper, bytes);
    fix_modes(ip, lower, upper, SLIVER);
    ip->problem.lower = lower;
    ip->problem.upper = upper;
    ip->paired = false;
    ip->shift = 0.0;
    ip->barrier = POLISH_BARRIER;
    // a millionth of a scale: so little that it begins where it was, and ten times what POLISH_BARRIER holds points off by. 0.2 below is kappa_mu, as
    // above
    push_inside(ip, 1e-6);
    start_multipliers(ip);
    FilPlanSettings once = *settings;
    once.max_iterations = POLISH_ITERATIONS;
    FilPlanResult inner = {.iterations = 0};
    once.patience = 0;
    Loop loop = {&once, &inner, 0.1 * settings->tolerance, 0.0, 0.2, 0};
    const double before = ip->cost;
    (void)iterate(ip, &loop);
    result->iterations += inner.iterations;
    if (inner.last.violation <= settings->tolerance && inner.last.pairs < result->last.pairs &&
        fabs(inner.last.cost - before) <= POLISH_COST * (1.0 + fabs(before))) {
        result->polished = true;
        result->last = inner.last;
        result->last.iteration = result->iterations;
        memcpy(point->x, ip->at.x, bytes);
        if (point->multiplier != NULL) {
            memcpy(point->multiplier, ip->at.multiplier, sizeof(double) * (size_t)(p->stages * p->rows));
        }
    }
}

FilPlanResult fil_interior_point(const FilPlanProblem* problem, const FilPlanSettings* settings, FilPlanPoint* point)
{
    FilPlanResult result = {.outcome = FIL_PLAN_NO_MEMORY};
    FilInterior* ip = fil_alloc(1, sizeof *ip);
    if (ip == NULL || !fil_interior_create(problem, ip)) {
        if (ip != NULL) {
            fil_interior_free(ip);
        }
        fil_free(ip);
        return result;
    }
    const size_t bytes = sizeof(double) * (size_t)(problem->stages * problem->variables);
    const size_t row_bytes = sizeof(double) * (size_t)(problem->stages * problem->rows);
    // the barrier's last value, as of Waechter and Biegler (2006), eq. 7
    const double end = 0.1 * settings->tolerance;
    Loop loop = {settings, &result, end, settings->relaxation_end, settings->fall, 0};
    memcpy(ip->at.x, point->x, bytes);
    if (settings->warm && point->multiplier != NULL) {
        memcpy(ip->at.multiplier, point->multiplier, row_bytes);
    }
    ip->relaxation = settings->relaxation_start;
    ip->barrier = fmax(end, settings->relaxation_start / settings->relaxation_ratio);
    push_inside(ip, settings->push);
    start_slacks(ip);
    start_multipliers(ip);
    result.outcome = iterate(ip, &loop);
    if (result.outcome != FIL_PLAN_UNDEFINED) {
        memcpy(point->x, ip->at.x, bytes);
        if (point->multiplier != NULL) {
            memcpy(point->multiplier, ip->at.multiplier, row_bytes);
        }
    }
    if (settings->polish && result.outcome == FIL_PLAN_SOLVED && problem->pair_count > 0) {
        polish(ip, settings, point, &result);
    }
    result.factorisations = ip->factorisations;
    fil_interior_free(ip);
    fil_free(ip);
    return result;
}
