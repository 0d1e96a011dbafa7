#include "plan/plan_ipopt.h"

#include <IpStdCInterface.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/arena.h"

// from 3.14 on the C interface has types of its own
#ifdef IPOPTLIB_EXPORT
typedef bool Truth;
typedef ipnumber Real;
typedef ipindex Count;
#else
typedef Bool Truth;
typedef Number Real;
typedef Index Count;
#endif

// what IPOPT takes for no bound
static const double FAR = 2e19;
// of a warm start, from bounds (default 1e-3 throws the point off every active pair)
static const double CLOSE = 1e-9;

/* Where an entry's value stands. */
typedef enum Source { OWN, BEFORE, CORNER, PAIR_A, PAIR_B } Source;

typedef struct Entry {
    int row, column, stage, place;
    Source source;
} Entry;

typedef struct List {
    Entry* entries; /* NULL while they are counted */
    int count;
} List;

typedef struct Referee {
    const FilPlanProblem* p;
    const FilPlanSettings* settings;
    FilPlanResult* result;
    FilArena arena;
    List jacobian, hessian;
    FilPlanStage stage; /* values of the stage that was evaluated last */
    double* before;     /* p_k */
    double* weights;    /* rows: multipliers over the cost's factor */
    double pairs;       /* worst product at the last point whose rows were asked for */
    int iterations;     /* of the problems before this one */
    bool cancelled;
    double *x, *lower, *upper, *row_lower, *row_upper, *multiplier, *low_multiplier, *high_multiplier;
} Referee;

static double* take(Referee* r, int count)
{
    return fil_arena_alloc(&r->arena, (size_t)count, sizeof(double));
}

/* ---- values ---- */

static bool evaluate(Referee* r, int k, const double* x, const double* multiplier, FilPlanOrder order)
{
    const FilPlanProblem* p = r->p;
    const size_t n = (size_t)p->variables, m = (size_t)p->rows, c = (size_t)p->carried, d = sizeof(double);
    FilPlanStage* s = &r->stage;
    memset(s->row, 0, d * m);
    if (order != FIL_PLAN_VALUES) {
        memset(s->cost_own, 0, d * n);
        memset(s->cost_before, 0, d * c);
        memset(s->row_own, 0, d * m * n);
        memset(s->row_before, 0, d * m * c);
    }
    if (order == FIL_PLAN_SECOND) {
        memset(s->own_own, 0, d * n * n);
        memset(s->own_before, 0, d * n * c);
        memset(s->before_before, 0, d * c * c);
    }
    for (int i = 0; i < p->carried; i++) {
        r->before[i] = k == 0 ? p->before[i] : x[(k - 1) * p->variables + p->carry[i]];
    }
    s->cost = 0.0;
    return p->evaluate(p->data, k, r->before, x + k * p->variables, multiplier, order, s);
}

static Truth eval_f(Count n, Real* x, Truth fresh, Real* value, UserDataPtr user)
{
    Referee* r = user;
    (void)n, (void)fresh;
    *value = 0.0;
    for (int k = 0; k < r->p->stages; k++) {
        if (!evaluate(r, k, x, NULL, FIL_PLAN_VALUES)) {
            return 0;
        }
        *value += r->stage.cost;
    }
    return 1;
}

static Truth eval_grad_f(Count n, Real* x, Truth fresh, Real* gradient, UserDataPtr user)
{
    Referee* r = user;
    const FilPlanProblem* p = r->p;
    (void)fresh;
    memset(gradient, 0, sizeof(Real) * (size_t)n);
    for (int k = 0; k < p->stages; k++) {
        if (!evaluate(r, k, x, NULL, FIL_PLAN_FIRST)) {
            return 0;
        }
        for (int j = 0; j < p->variables; j++) {
            gradient[k * p->variables + j] += r->stage.cost_own[j];
        }
        for (int i = 0; i < p->carried && k > 0; i++) {
            gradient[(k - 1) * p->variables + p->carry[i]] += r->stage.cost_before[i];
        }
    }
    return 1;
}

static Truth eval_g(Count n, Real* x, Truth fresh, Count m, Real* g, UserDataPtr user)
{
    Referee* r = user;
    const FilPlanProblem* p = r->p;
    (void)n, (void)m, (void)fresh;
    r->pairs = 0.0;
    for (int k = 0; k < p->stages; k++) {
        if (!evaluate(r, k, x, NULL, FIL_PLAN_VALUES)) {
            return 0;
        }
        memcpy(g + k * p->rows, r->stage.row, sizeof(double) * (size_t)p->rows);
        for (int i = 0; i < p->pair_count; i++) {
            const double* own = x + k * p->variables;
            const double product = own[p->pairs[i].a] * own[p->pairs[i].b] / p->pairs[i].unit;
            g[p->stages * p->rows + k * p->pair_count + i] = product;
            r->pairs = fmax(r->pairs, fabs(product));
        }
    }
    return 1;
}

/* Entries stand in the order of their stages: each stage is evaluated once. */
static Truth eval_jac_g(Count n, Real* x, Truth fresh, Count m, Count count, Count* rows, Count* columns, Real* values, UserDataPtr user)
{
    Referee* r = user;
    const FilPlanProblem* p = r->p;
    int last = -1;
    (void)n, (void)m, (void)fresh;
    for (int e = 0; e < count; e++) {
        const Entry* entry = &r->jacobian.entries[e];
        if (values == NULL) {
            rows[e] = entry->row, columns[e] = entry->column;
            continue;
        }
        if (entry->stage != last) {
            last = entry->stage;
            if (!evaluate(r, last, x, NULL, FIL_PLAN_FIRST)) {
                return 0;
            }
        }
        const double* own = x + entry->stage * p->variables;
        const FilPlanPair* pair = &p->pairs[entry->source >= PAIR_A ? entry->place : 0];
        switch (entry->source) {
            case OWN:
                values[e] = r->stage.row_own[entry->place];
                break;
            case BEFORE:
                values[e] = r->stage.row_before[entry->place];
                break;
            case PAIR_A:
                values[e] = own[pair->b] / pair->unit;
                break;
            default:
                values[e] = own[pair->a] / pair->unit;
                break;
        }
    }
    return 1;
}

static Truth eval_h(Count n, Real* x, Truth fresh, Real factor, Count m, Real* lambda, Truth fresh_lambda, Count count, Count* rows, Count* columns,
                    Real* values, UserDataPtr user)
{
    Referee* r = user;
    const FilPlanProblem* p = r->p;
    // stages give the Hessian of cost + multiplier . row: multipliers are divided by the cost's factor, and all is multiplied
    // by it. In IPOPT's restoration the factor is zero, and a small one serves
    const double f = factor > 0.0 ? factor : 1e-12;
    int last = -1;
    (void)n, (void)m, (void)fresh, (void)fresh_lambda;
    for (int e = 0; e < count; e++) {
        const Entry* entry = &r->hessian.entries[e];
        if (values == NULL) {
            rows[e] = entry->row, columns[e] = entry->column;
            continue;
        }
        if (entry->stage != last) {
            last = entry->stage;
            for (int i = 0; i < p->rows; i++) {
                r->weights[i] = lambda[last * p->rows + i] / f;
            }
            if (!evaluate(r, last, x, r->weights, FIL_PLAN_SECOND)) {
                return 0;
            }
        }
        switch (entry->source) {
            case OWN:
                values[e] = f * r->stage.own_own[entry->place];
                break;
            case BEFORE:
                values[e] = f * r->stage.own_before[entry->place];
                break;
            case CORNER:
                values[e] = f * r->stage.before_before[entry->place];
                break;
            default:
                values[e] = lambda[p->stages * p->rows + last * p->pair_count + entry->place] / p->pairs[entry->place].unit;
                break;
        }
    }
    return 1;
}

/* ---- the pattern ---- */

static void add(List* list, Entry entry)
{
    if (list->entries != NULL) {
        list->entries[list->count] = entry;
    }
    list->count++;
}

/* All that the stages' dense matrices can hold, and the pairs' products; the Hessian's lower triangle. Rows that hold no
 * variable at all are few, and MUMPS leaves zeros alone. */
static void list_stage(Referee* r, int k)
{
    const FilPlanProblem* p = r->p;
    const int n = p->variables, m = p->rows, c = p->carried;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            if (r->stage.row_own[j * m + i] != 0.0) {
                add(&r->jacobian, (Entry){k * m + i, k * n + j, k, j * m + i, OWN});
            }
        }
        for (int i = j; i < n; i++) {
            if (r->stage.own_own[j * n + i] != 0.0 || i == j) {
                add(&r->hessian, (Entry){k * n + i, k * n + j, k, j * n + i, OWN});
            }
        }
    }
    for (int j = 0; j < c && k > 0; j++) {
        const int column = (k - 1) * n + p->carry[j];
        for (int i = 0; i < m; i++) {
            if (r->stage.row_before[j * m + i] != 0.0) {
                add(&r->jacobian, (Entry){k * m + i, column, k, j * m + i, BEFORE});
            }
        }
        for (int i = 0; i < n; i++) {
            if (r->stage.own_before[j * n + i] != 0.0) {
                add(&r->hessian, (Entry){k * n + i, column, k, j * n + i, BEFORE});
            }
        }
        for (int i = 0; i < c; i++) {
            const int row = (k - 1) * n + p->carry[i];
            if (row >= column && r->stage.before_before[j * c + i] != 0.0) {
                add(&r->hessian, (Entry){row, column, k, j * c + i, CORNER});
            }
        }
    }
    for (int i = 0; i < p->pair_count; i++) {
        const int a = p->pairs[i].a, b = p->pairs[i].b, low = a > b ? a : b, row = p->stages * m + k * p->pair_count + i;
        add(&r->jacobian, (Entry){row, k * n + a, k, i, PAIR_A});
        add(&r->jacobian, (Entry){row, k * n + b, k, i, PAIR_B});
        add(&r->hessian, (Entry){k * n + low, k * n + a + b - low, k, i, PAIR_A});
    }
}

/* The pattern is what is not zero beside the start, with all multipliers at work: offsets are incommensurable, so that no entry
 * vanishes by accident, and small, so that the functions are defined there. */
static bool find_pattern(Referee* r)
{
    const FilPlanProblem* p = r->p;
    const int all = p->stages * p->variables;
    double* y = take(r, all);
    for (int j = 0; j < all && y != NULL; j++) {
        // 1.7 and 2.3 rad: any that are no part of a turn, so that no two entries are alike
        y[j] = r->x[j] + p->scale[j % p->variables] * (0.1 + 0.05 * sin(1.0 + 1.7 * j));
    }
    for (int i = 0; i < p->rows; i++) {
        r->weights[i] = 1.0 + 0.5 * sin(2.0 + 2.3 * i);
    }
    for (int pass = 0; pass < 2 && y != NULL; pass++) {
        r->jacobian.count = r->hessian.count = 0;
        for (int k = 0; k < p->stages; k++) {
            if (!evaluate(r, k, y, r->weights, FIL_PLAN_SECOND)) {
                return false;
            }
            list_stage(r, k);
        }
        if (pass == 0) {
            r->jacobian.entries = fil_arena_alloc(&r->arena, (size_t)r->jacobian.count, sizeof(Entry));
            r->hessian.entries = fil_arena_alloc(&r->arena, (size_t)r->hessian.count, sizeof(Entry));
            if (r->jacobian.entries == NULL || r->hessian.entries == NULL) {
                return false;
            }
        }
    }
    return y != NULL;
}

/* ---- the schedule ---- */

static Truth watch(Count mode, Count iteration, Real cost, Real violation, Real dual, Real barrier, Real size, Real shift, Real dual_length,
                   Real length, Count trials, UserDataPtr user)
{
    Referee* r = user;
    FilPlanProgress* last = &r->result->last;
    (void)mode, (void)size, (void)dual_length, (void)trials;
    *last = (FilPlanProgress){.iteration = r->iterations + iteration,
                              .cost = cost,
                              .violation = violation,
                              .pairs = r->pairs,
                              .dual = dual,
                              .barrier = barrier,
                              .relaxation = last->relaxation,
                              .shift = shift,
                              .step = length};
    r->cancelled = r->settings->report != NULL && !r->settings->report(r->settings->user, last);
    return !r->cancelled;
}

static void set_options(IpoptProblem nlp, const FilPlanSettings* s, double eps, bool first, int iterations)
{
    AddIpoptIntOption(nlp, "print_level", 0);
    AddIpoptStrOption(nlp, "sb", "yes");
    AddIpoptIntOption(nlp, "max_iter", iterations);
    AddIpoptNumOption(nlp, "tol", s->tolerance);
    AddIpoptNumOption(nlp, "constr_viol_tol", s->tolerance);
    AddIpoptNumOption(nlp, "compl_inf_tol", s->tolerance);
    AddIpoptNumOption(nlp, "bound_relax_factor", 0.0);  // else pairs are loosened by a tenth of the last eps
    AddIpoptNumOption(nlp, "mu_init", fmin(0.1, fmax(eps, 1e-8)));
    if (!first) {
        AddIpoptStrOption(nlp, "warm_start_init_point", "yes");
        AddIpoptNumOption(nlp, "warm_start_bound_push", CLOSE);
        AddIpoptNumOption(nlp, "warm_start_bound_frac", CLOSE);
        AddIpoptNumOption(nlp, "warm_start_slack_bound_push", CLOSE);
        AddIpoptNumOption(nlp, "warm_start_slack_bound_frac", CLOSE);
        AddIpoptNumOption(nlp, "warm_start_mult_bound_push", CLOSE);
    }
}

/* One relaxed problem from where the last one ended; IPOPT's own verdict on it. */
static FilPlanOutcome solve_relaxed(Referee* r, double eps, bool first)
{
    const FilPlanProblem* p = r->p;
    const int n = p->stages * p->variables, rows = p->stages * p->rows, pairs = p->stages * p->pair_count;
    for (int i = 0; i < pairs; i++) {
        r->row_lower[rows + i] = -FAR;
        r->row_upper[rows + i] = eps;
    }
    IpoptProblem nlp = CreateIpoptProblem(n, r->lower, r->upper, rows + pairs, r->row_lower, r->row_upper, r->jacobian.count, r->hessian.count, 0,
                                          eval_f, eval_g, eval_grad_f, eval_jac_g, eval_h);
    if (nlp == NULL) {
        return FIL_PLAN_NO_MEMORY;
    }
    double cost;
    set_options(nlp, r->settings, eps, first, r->settings->max_iterations - r->result->iterations);
    SetIntermediateCallback(nlp, watch);
    r->iterations = r->result->iterations;
    r->result->last.relaxation = eps;
    const int status = (int)IpoptSolve(nlp, r->x, NULL, &cost, r->multiplier, r->low_multiplier, r->high_multiplier, r);
    r->result->iterations = r->result->last.iteration;
    FreeIpoptProblem(nlp);
    switch (status) {
        case Solve_Succeeded:
        case Solved_To_Acceptable_Level:
            return FIL_PLAN_SOLVED;
        case Maximum_Iterations_Exceeded:
            return FIL_PLAN_EXHAUSTED;
        case User_Requested_Stop:
            return FIL_PLAN_CANCELLED;
        case Invalid_Number_Detected:
            return FIL_PLAN_UNDEFINED;
        case Insufficient_Memory:
            return FIL_PLAN_NO_MEMORY;
        default:
            return FIL_PLAN_STALLED;
    }
}

static bool create(Referee* r, const FilPlanPoint* point)
{
    const FilPlanProblem* p = r->p;
    const int n = p->variables, m = p->rows, c = p->carried, all = p->stages * n, rows = p->stages * (m + p->pair_count);
    r->stage = (FilPlanStage){.row = take(r, m),
                              .cost_own = take(r, n),
                              .cost_before = take(r, c),
                              .row_own = take(r, m * n),
                              .row_before = take(r, m * c),
                              .own_own = take(r, n * n),
                              .own_before = take(r, n * c),
                              .before_before = take(r, c * c)};
    double** const arrays[] = {&r->before,    &r->weights,   &r->x,          &r->lower,          &r->upper,
                               &r->row_lower, &r->row_upper, &r->multiplier, &r->low_multiplier, &r->high_multiplier};
    const int sizes[] = {c, m, all, all, all, rows, rows, rows, all, all};
    bool ok = r->stage.row && r->stage.cost_own && r->stage.cost_before && r->stage.row_own && r->stage.row_before && r->stage.own_own &&
              r->stage.own_before && r->stage.before_before;
    for (int i = 0; i < 10; i++) {
        *arrays[i] = take(r, sizes[i]);
        ok = ok && *arrays[i] != NULL;
    }
    for (int j = 0; j < all && ok; j++) {
        r->x[j] = point->x[j];
        r->lower[j] = fmax(p->lower[j], -FAR);
        r->upper[j] = fmin(p->upper[j], FAR);
    }
    for (int i = 0; i < rows && ok; i++) {
        r->row_lower[i] = r->row_upper[i] = 0.0;
    }
    return ok;
}

bool fil_plan_ipopt_present(void)
{
    return true;
}

FilPlanResult fil_plan_ipopt(const FilPlanProblem* problem, const FilPlanSettings* settings, FilPlanPoint* point)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    FilPlanResult result = {.outcome = FIL_PLAN_NO_MEMORY};
    Referee r = {.p = problem, .settings = settings, .result = &result};
    if (create(&r, point) && find_pattern(&r)) {
        const double fall = settings->fall * settings->fall;  // a problem each: fewer than the structured method's, which never begins anew
        double eps = settings->relaxation_start;
        pthread_mutex_lock(&one_at_a_time);
        for (bool first = true, last = false; !last; first = false, eps = fmax(settings->relaxation_end, fall * eps)) {
            result.outcome = solve_relaxed(&r, eps, first);
            last = eps <= settings->relaxation_end || problem->pair_count == 0 || r.cancelled || result.iterations >= settings->max_iterations ||
                   result.outcome == FIL_PLAN_NO_MEMORY || result.outcome == FIL_PLAN_UNDEFINED;
        }
        pthread_mutex_unlock(&one_at_a_time);
        memcpy(point->x, r.x, sizeof(double) * (size_t)(problem->stages * problem->variables));
        if (point->multiplier != NULL) {
            memcpy(point->multiplier, r.multiplier, sizeof(double) * (size_t)(problem->stages * problem->rows));
        }
    }
    fil_arena_free(&r.arena);
    return result;
}
