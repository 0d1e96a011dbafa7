#include "contact/sap.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/sap_iterative.h"
#include "contact/sap_system.h"

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
/* A factor in single precision that needs more iterations than this is none: the condition is beyond it. One or two are usual. */
#define SINGLE_PATIENCE 20

/* Bounds follow the solution once the residual is less than this share of the impulses (tried from 0.01 to 1 on capstan, ropes, rings). */
#define FOLLOW_BELOW 0.3

/* A diagonal this large holds its variable at v*: the guess starts there, and its momentum measures nothing. */
#define HELD 1e20

/* Constraints that are evaluated at a time, and whose sums are one: some hundred microseconds. */
enum { CONSTRAINT_GRAIN = 1024 };

/* Slope and curvature of l along dx at v + alpha dx. */
typedef struct Slope {
    double value, curvature;
    double size; /* of the terms that cancel in the slope: what its round-off is relative to */
} Slope;

struct FilSap {
    FilSapSystem system;
    FilSapIterative iterative;
    FilDoubles vectors; /* what the pointers below share */
    size_t law_capacity, response_capacity, slope_capacity;
    void *law_block, *response_block, *slope_block;

    /* of the current solve: all variables, in the caller's order */
    double* p_free;   /* A v* */
    double* p_change; /* A (v - v*) of the guess */
    /* n numbers each: participating variables */
    int n;
    double* mass_inverse;  /* 1/diag(A); 0 if held */
    double* p0;            /* A v* */
    double* x;             /* v - v* */
    double* p;             /* A (v - v*) = S x */
    double* dx;            /* search direction */
    double* dp;            /* S dx */
    double* j;             /* J' gamma */
    double* w;             /* inverse Cholesky factors of A's diagonal blocks, 16 per variable */
    int hessians;            /* taken in this solve */
    int followed_at;         /* how many when bounds last followed the solution */
    double impulse_residual; /* of the last residual: relative to |D J' gamma| alone */
    double fixed_momentum; /* |D A v*|^2 of the other variables, which never changes */
    /* 3 per constraint */
    double* v_c;     /* J v + b */
    double* dv_c;    /* J dx */
    double* trial_c; /* v_c of a line-search trial */
    double* gamma;
    double* hessian; /* 9 per constraint: G in the last factorisation ... */
    double* change;  /* ... and by how much another one differs, where conjugate gradients solve */
    FilSapLaw* laws;
    FilSapResponse* responses; /* at the current v, or at the last trial */
    Slope* slopes;     /* of each chunk of constraints */
};

FilSapOptions fil_sap_options_default(void)
{
    return (FilSapOptions){
        .tolerance = 1e-6,
        .max_factorisations = 100,
        .max_line_search = 100,
        .bound_tolerance = 5e-3, // a capstan amplifies it by mu phi; 0.01 was off by 2 % at mu phi = 4.7, less than this changes nothing
        .max_rounds = 20,
        .rigidity = 1.0,
        .stick = 1e-3,
        .slip_velocity = 1e-5,
    };
}

FilSap* fil_sap_create(void)
{
    FilSap* sap = fil_alloc(1, sizeof *sap);
    if (sap != NULL && !fil_sap_system_init(&sap->system)) {
        fil_free(sap);
        sap = NULL;
    }
    return sap;
}

void fil_sap_destroy(FilSap* sap)
{
    if (sap != NULL) {
        fil_sap_system_free(&sap->system);
        fil_sap_iterative_free(&sap->iterative);
        fil_free(sap->vectors.at);
        fil_free(sap->law_block);
        fil_free(sap->response_block);
        fil_free(sap->slope_block);
        fil_free(sap);
    }
}

static bool reserve(FilSap* sap, const FilSapProblem* problem)
{
    const size_t all = FIL_BLOCK * (size_t)problem->pattern.columns, m = (size_t)problem->constraint_count;
    const size_t n = FIL_BLOCK * (size_t)sap->system.participants;
    const struct {
        double** vector;
        size_t size;
    } parts[] = {
        {&sap->p_free, all},
        {&sap->p_change, all},
        {&sap->mass_inverse, n},
        {&sap->p0, n},
        {&sap->x, n},
        {&sap->p, n},
        {&sap->dx, n},
        {&sap->dp, n},
        {&sap->j, n},
        {&sap->w, FIL_BLOCK * n},
        {&sap->v_c, 3 * m},
        {&sap->dv_c, 3 * m},
        {&sap->trial_c, 3 * m},
        {&sap->gamma, 3 * m},
        {&sap->hessian, 9 * m},
        {&sap->change, sap->iterative.patience > 0 ? 9 * m : 0},
    };
    size_t total = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        total += parts[k].size;
    }
    if (!fil_doubles_reserve(&sap->vectors, total) ||
        !fil_buffer_reserve(&sap->law_block, &sap->law_capacity, m, sizeof(FilSapLaw)) ||
        !fil_buffer_reserve(&sap->response_block, &sap->response_capacity, m, sizeof(FilSapResponse)) ||
        !fil_buffer_reserve(&sap->slope_block, &sap->slope_capacity, 1 + m / CONSTRAINT_GRAIN, sizeof(Slope))) {
        return false;
    }
    double* next = sap->vectors.at;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k].vector = next;
        next += parts[k].size;
    }
    sap->laws = sap->law_block;
    sap->responses = sap->response_block;
    sap->slopes = sap->slope_block;
    sap->n = (int)n;
    return true;
}

static double dot(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* ---- what A says about scales ---- */

/* 1/diag(A) of one variable, 0 if it is held. */
static double inverse_diagonal(const double* block, int d)
{
    return block[5 * d] > HELD ? 0.0 : 1.0 / block[5 * d];
}

/* x = v - v*, of the guess; what is held stays. False when a diagonal block is missing. */
static bool start_from(const FilSapProblem* problem, const double* v, double* x)
{
    for (int column = 0; column < problem->pattern.columns; column++) {
        const double* block = fil_sap_diagonal_block(problem, column);
        if (block == NULL) {
            return false;
        }
        for (int d = 0; d < FIL_BLOCK; d++) {
            const int k = FIL_BLOCK * column + d;
            x[k] = block[5 * d] > HELD ? 0.0 : v[k] - problem->v_free[k];
        }
    }
    return true;
}

/* Sorts v - v*, A v* and the diagonal of A into participants and others. For participants also W with W' W = A_bb^-1 of
 * each diagonal block. False when a diagonal block is missing or not positive definite. */
static bool gather(FilSap* sap, const FilSapProblem* problem, const double* v)
{
    sap->fixed_momentum = 0.0;
    for (int column = 0; column < problem->pattern.columns; column++) {
        const double* block = fil_sap_diagonal_block(problem, column);
        if (block == NULL) {
            return false;
        }
        const double* p = sap->p_free + FIL_BLOCK * column;
        const int local = fil_sap_system_participant(&sap->system, column);
        for (int d = 0; d < FIL_BLOCK && local < 0; d++) {
            sap->fixed_momentum += p[d] * p[d] * inverse_diagonal(block, d);
        }
        if (local < 0) {
            continue;
        }
        for (int d = 0; d < FIL_BLOCK; d++) {
            const int k = FIL_BLOCK * local + d, all = FIL_BLOCK * column + d;
            sap->mass_inverse[k] = inverse_diagonal(block, d);
            sap->p0[k] = p[d];
            sap->x[k] = block[5 * d] > HELD ? 0.0 : v[all] - problem->v_free[all];
            sap->dx[k] = problem->v_free[all] + sap->x[k];
        }
        if (!fil_block_inverse_factor(block, sap->w + FIL_BLOCK_SIZE * (size_t)local)) {
            return false;
        }
    }
    return true;
}

static void prepare_laws(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings)
{
    const FilSapScales scales = {problem->dt, settings->rigidity, settings->stick, settings->slip_velocity};
    const int* participant = sap->system.participant.at;
    for (int i = 0; i < problem->constraint_count; i++) {
        const FilSapConstraint* constraint = &problem->constraints[i];
        const double* j = problem->jacobian + FIL_SAP_JACOBIAN * (size_t)constraint->first_block;
        double compliance = constraint->compliance;
        if (compliance <= 0.0) {
            compliance = fil_sap_estimate_compliance(sap->w, j, participant, constraint->block_count);
        }
        fil_sap_kinds[constraint->kind].prepare(constraint, compliance, &scales, &sap->laws[i]);
        participant += constraint->block_count;
    }
}

/* ---- costs ---- */

typedef struct Evaluation {
    FilSap* sap;
    const FilSapProblem* problem;
    const double* v_c;
    double alpha;
    Slope start; /* of the first chunk's sums */
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
    fil_workers_run(problem->workers, problem->constraint_count, CONSTRAINT_GRAIN, evaluate_some, &evaluation);
}

static void slope_of_some(void* context, int first, int end, int worker)
{
    const Evaluation* e = context;
    FilSap* sap = e->sap;
    for (int k = 3 * first; k < 3 * end; k++) {
        sap->trial_c[k] = sap->v_c[k] + e->alpha * sap->dv_c[k];
    }
    evaluate_some(context, first, end, worker);
    Slope slope = first == 0 ? e->start : (Slope){0};
    for (int i = first; i < end; i++) {
        const double* u = sap->dv_c + 3 * i;
        const double* g = sap->responses[i].hessian;
        const double work = dot(sap->responses[i].impulse, u, 3);
        slope.value -= work;
        slope.size += fabs(work);
        slope.curvature += g[0] * u[0] * u[0] + g[4] * u[1] * u[1] + g[8] * u[2] * u[2] +
                           2.0 * (g[1] * u[0] * u[1] + g[2] * u[0] * u[2] + g[5] * u[1] * u[2]);
    }
    sap->slopes[first / CONSTRAINT_GRAIN] = slope;
}

/* Leaves the responses at v + alpha dx. */
static Slope slope_at(FilSap* sap, const FilSapProblem* problem, double alpha, double dx_p, double dx_dp)
{
    // l' = dx' S (x + alpha dx) - gamma' dv_c,  l'' = dx' S dx + dv_c' G dv_c
    const Slope start = {dx_p + alpha * dx_dp, dx_dp, fabs(dx_p) + fabs(alpha * dx_dp)};
    Evaluation evaluation = {sap, problem, sap->trial_c, alpha, start};
    fil_workers_run(problem->workers, problem->constraint_count, CONSTRAINT_GRAIN, slope_of_some, &evaluation);
    Slope slope = problem->constraint_count > 0 ? sap->slopes[0] : start;
    for (int k = 1; k < (problem->constraint_count + CONSTRAINT_GRAIN - 1) / CONSTRAINT_GRAIN; k++) {
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
    const double dx_p = dot(sap->dx, sap->p, sap->n), dx_dp = dot(sap->dx, sap->dp, sap->n);
    const double start = fabs(dx_p - dot(sap->gamma, sap->dv_c, 3 * problem->constraint_count));
    double low = 0.0, high = INFINITY, alpha = 1.0, last = start;
    for (int k = 1;; k++) {
        const Slope slope = slope_at(sap, problem, alpha, dx_p, dx_dp);
        stats->line_search_evaluations++;
        const double rest = fabs(slope.value);
        if (!(rest > LINE_SEARCH_TOLERANCE * start) || rest <= 4.0 * DBL_EPSILON * slope.size ||
            high - low <= DBL_EPSILON * low || k == settings->max_line_search) {
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

/* Sets up everything that holds for the whole solve, and the state at the guess v. */
static FilStatus begin(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, const double* v,
                       FilSapStats* stats)
{
    const FilStatus status = fil_sap_system_begin(&sap->system, problem);
    if (status != FIL_OK) {
        return status;
    }
    fil_sap_iterative_begin(&sap->iterative, &sap->system);
    if (!reserve(sap, problem)) {
        return FIL_OUT_OF_MEMORY;
    }
    // A (v - v*), then A v*; the difference borrows p_free
    if (!start_from(problem, v, sap->p_free)) {
        stats->indefinite = true;
        return FIL_NOT_CONVERGED;
    }
    fil_sap_system_multiply_a(&sap->system, problem, sap->p_free, sap->p_change);
    fil_sap_system_multiply_a(&sap->system, problem, problem->v_free, sap->p_free);
    for (int k = 0; k < FIL_BLOCK * problem->pattern.columns && problem->push != NULL; k++) {
        sap->p_change[k] += problem->push[k];
        sap->p_free[k] -= problem->push[k];
    }
    if (!gather(sap, problem, v) || !fil_sap_system_eliminate(&sap->system, problem)) {
        stats->indefinite = true;
        return FIL_NOT_CONVERGED;
    }
    // S x, as if what does not participate had followed
    fil_sap_system_reduce(&sap->system, sap->p_change, sap->p);
    prepare_laws(sap, problem, settings);
    fil_sap_system_multiply(&sap->system, problem, sap->dx, sap->v_c); // gather() left v in dx
    for (int i = 0; i < problem->constraint_count; i++) {
        for (int row = 0; row < 3; row++) {
            sap->v_c[3 * i + row] += problem->constraints[i].bias[row];
        }
    }
    evaluate(sap, problem, sap->v_c);
    return FIL_OK;
}

/* dp = -gradient = J' gamma - S x; returns its size relative to the momenta at work, infinite if there are none yet. */
static double residual(FilSap* sap, const FilSapProblem* problem)
{
    for (int i = 0; i < problem->constraint_count; i++) {
        memcpy(sap->gamma + 3 * i, sap->responses[i].impulse, 3 * sizeof *sap->gamma);
    }
    fil_sap_system_multiply_transposed(&sap->system, problem, sap->gamma, sap->j);
    double rest = 0.0, momentum = sap->fixed_momentum, impulse = 0.0;
    for (int k = 0; k < sap->n; k++) {
        const double p = sap->p0[k] + sap->p[k], j = sap->j[k], r = j - sap->p[k];
        sap->dp[k] = r;
        rest += r * r * sap->mass_inverse[k];
        momentum += p * p * sap->mass_inverse[k];
        impulse += j * j * sap->mass_inverse[k];
    }
    sap->impulse_residual = sqrt(rest / impulse);
    const double scale = momentum < impulse ? impulse : momentum; // a NaN stays one
    return rest == 0.0 && isfinite(scale) ? 0.0 : sqrt(rest / scale);
}

/* C with G at the current v, which is kept. Where conjugate gradients solve, from the last C: most contacts that stick or are apart stay as
 * they are, and what rounding leaves of a G that is gone does not matter to them. */
static void assemble(FilSap* sap, const FilSapProblem* problem)
{
    const bool more = sap->hessians > 0 && sap->iterative.patience > 0;
    for (int i = 0; i < problem->constraint_count; i++) {
        const double* now = sap->responses[i].hessian;
        for (int k = 0; k < 9 && more; k++) {
            sap->change[9 * i + k] = now[k] - sap->hessian[9 * i + k];
        }
        memcpy(sap->hessian + 9 * i, now, 9 * sizeof *now);
    }
    if (more) {
        fil_sap_system_assemble_more(&sap->system, problem, sap->change);
    } else {
        fil_sap_system_assemble(&sap->system, problem, sap->hessian);
    }
    sap->hessians++;
}

/* dx = -(S + C)^-1 gradient by the last factor */
static void solve_direct(FilSap* sap)
{
    memcpy(sap->dx, sap->dp, (size_t)sap->n * sizeof *sap->dx);
    fil_sap_system_solve(&sap->system, sap->dx);
}

/* The same for C as assembled, by conjugate gradients and the last factor. */
static FilStatus solve_iterative(FilSap* sap, const FilSapProblem* problem, double tolerance, int patience, bool* done)
{
    memcpy(sap->j, sap->dp, (size_t)sap->n * sizeof *sap->j);
    return fil_sap_iterative_solve(&sap->iterative, &sap->system, problem, sap->mass_inverse, tolerance, patience, sap->j, sap->dx, done);
}

/* With dx: dv_c = J dx and dp = S dx. Where dx is a solution, with G as last factored, its equation gives
 * S dx = -gradient - J' G dv_c. */
static void complete_direction(FilSap* sap, const FilSapProblem* problem, bool is_solution)
{
    fil_sap_system_multiply(&sap->system, problem, sap->dx, sap->dv_c);
    if (!is_solution) {
        fil_sap_system_apply(&sap->system, problem, false, sap->dx, sap->dp);
        return;
    }
    for (int i = 0; i < problem->constraint_count; i++) {
        for (int row = 0; row < 3; row++) {
            sap->trial_c[3 * i + row] = dot(sap->hessian + 9 * i + 3 * row, sap->dv_c + 3 * i, 3);
        }
    }
    fil_sap_system_multiply_transposed(&sap->system, problem, sap->trial_c, sap->j);
    for (int k = 0; k < sap->n; k++) {
        sap->dp[k] -= sap->j[k];
    }
}

/* v <- v + alpha dx; the responses are there already */
static void move(FilSap* sap, double alpha)
{
    for (int k = 0; k < sap->n; k++) {
        sap->x[k] += alpha * sap->dx[k];
        sap->p[k] += alpha * sap->dp[k];
    }
    double* v_c = sap->v_c;
    sap->v_c = sap->trial_c;
    sap->trial_c = v_c;
}

/* By how much the bounds would change if they followed the solution, relative, mean over constraints that feel them. Not relative to
 * their sum: what holds least, at the slack end of a capstan, decides about all that follows. */
static double bound_change(const FilSap* sap, const FilSapProblem* problem)
{
    double change = 0.0, weight = 0.0;
    for (int i = 0; i < problem->constraint_count; i++) {
        const FilSapKindOps* kind = &fil_sap_kinds[problem->constraints[i].kind];
        if (kind->bound_change != NULL) {
            change += kind->bound_change(&sap->laws[i], sap->v_c + 3 * i, &sap->responses[i], &weight);
        }
    }
    return weight > 0.0 ? change / weight : 0.0;
}

/* Bounds from the solution as far as it is known, where that changes anything; true if momenta have to be balanced anew. */
static bool follow_bounds(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, FilSapStats* stats)
{
    if (stats->rounds >= settings->max_rounds || !(bound_change(sap, problem) > settings->bound_tolerance)) {
        return false;
    }
    for (int i = 0; i < problem->constraint_count; i++) {
        const FilSapKindOps* kind = &fil_sap_kinds[problem->constraints[i].kind];
        if (kind->follow != NULL) {
            kind->follow(&sap->laws[i], &sap->responses[i]);
        }
    }
    evaluate(sap, problem, sap->v_c);
    stats->residual = residual(sap, problem);
    stats->rounds++;
    sap->followed_at = sap->hessians;
    return stats->residual > settings->tolerance;
}

/* dx by a new factor of the Hessian as assembled; in single precision where that holds. */
static FilStatus solve_fresh(FilSap* sap, const FilSapProblem* problem, double tolerance, bool* definite)
{
    bool done = false;
    *definite = fil_sap_system_factor_assembled(&sap->system, problem);
    if (sap->iterative.single) {
        const FilStatus status = *definite ? solve_iterative(sap, problem, tolerance, SINGLE_PATIENCE, &done) : FIL_OK;
        if (status != FIL_OK) {
            return status;
        }
        if (!done) {
            fil_sap_iterative_sharpen(&sap->iterative, &sap->system);
            *definite = fil_sap_system_factor_assembled(&sap->system, problem);
        }
    }
    if (!done && *definite) {
        solve_direct(sap);
    }
    return FIL_OK;
}

/* dx with the Hessian at the current v: by the last factor, if conjugate gradients take no more than `patience` iterations, or by its own. */
static FilStatus take_hessian(FilSap* sap, const FilSapProblem* problem, double tolerance, int patience, bool* definite)
{
    bool done = false;
    FilStatus status = FIL_OK;
    *definite = true;
    assemble(sap, problem);
    if (patience > 0) {
        status = solve_iterative(sap, problem, tolerance, patience, &done);
    }
    return done || status != FIL_OK ? status : solve_fresh(sap, problem, tolerance, definite);
}

/* Newton. Where factors are cheap, the last one is used again while that pays, with the Hessian that it is of; where they are not, every
 * iteration has its own Hessian, and the last factor is its preconditioner while that pays (`most` iterations do). Bounds that the solution
 * decides follow it as soon as impulses are known well enough: the iterations that are left find both. */
static FilStatus iterate(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, FilSapStats* stats)
{
    const int most = sap->iterative.patience;
    int patience = 0; // the first factor has to be made
    sap->hessians = sap->followed_at = 0;
    stats->residual = residual(sap, problem);
    for (bool fresh = true; stats->residual > settings->tolerance || follow_bounds(sap, problem, settings, stats); stats->iterations++) {
        if ((fresh && sap->hessians - sap->followed_at >= settings->max_factorisations) || fil_watch_ended(problem->watch)) {
            return FIL_NOT_CONVERGED;
        }
        if (fresh) {
            bool definite;
            const double forcing = fmax(FORCING, FORCING_AT_END * settings->tolerance / stats->residual);
            const FilStatus status = take_hessian(sap, problem, forcing, patience, &definite);
            stats->indefinite = !definite;
            if (status != FIL_OK || !definite) {
                return status != FIL_OK ? status : FIL_NOT_CONVERGED;
            }
        } else {
            solve_direct(sap);
        }
        complete_direction(sap, problem, most == 0);
        move(sap, line_search(sap, problem, settings, stats));
        const double last = stats->residual;
        stats->residual = residual(sap, problem);
        const bool pays = stats->residual < (fresh && most == 0 ? REUSE_AFTER_FRESH : REUSE_AFTER_STALE) * last;
        patience = pays || sap->system.factorisations == 1 ? most : 0;
        fresh = most > 0 || !pays;
        if (stats->residual > settings->tolerance && sap->impulse_residual < FOLLOW_BELOW) {
            follow_bounds(sap, problem, settings, stats);
        }
    }
    return isnan(stats->residual) ? FIL_NOT_CONVERGED : FIL_OK;
}

static double total_cost(const FilSap* sap, const FilSapProblem* problem)
{
    double cost = 0.5 * dot(sap->x, sap->p, sap->n);
    for (int i = 0; i < problem->constraint_count; i++) {
        cost += sap->responses[i].cost;
    }
    return cost;
}

FilStatus fil_sap_solve(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, double* v,
                        double* impulse, FilSapStats* stats)
{
    FilSapStats local;
    stats = stats != NULL ? stats : &local;
    *stats = (FilSapStats){0};
    if (problem->constraint_count == 0) {
        memcpy(v, problem->v_free, FIL_BLOCK * (size_t)problem->pattern.columns * sizeof *v);
        return FIL_OK;
    }
    FilStatus status = begin(sap, problem, settings, v, stats);
    if (status == FIL_OK) {
        status = iterate(sap, problem, settings, stats);
        stats->cost = total_cost(sap, problem);
        fil_sap_system_expand(&sap->system, problem, sap->x, v);
        memcpy(impulse, sap->gamma, 3 * (size_t)problem->constraint_count * sizeof *impulse);
    }
    stats->analyses = sap->system.analyses;
    stats->factorisations = sap->system.factorisations;
    return status;
}
