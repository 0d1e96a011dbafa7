#include "contact/sap.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/sap_system.h"

struct FilSap {
    FilSapSystem system;
    FilSapScales scales;
    FilDoubles vectors; /* what the pointers below share */
    size_t law_capacity, response_capacity;
    void* law_block;
    void* response_block;

    /* of the current solve; n numbers each */
    int n;
    double* scaling;  /* D = diag(A)^-1/2 */
    double* p_free;   /* A v* */
    double* p_change; /* A (v - v*) */
    double* j;        /* J' gamma */
    double* dv;       /* search direction */
    double* dp;       /* A dv */
    double* w;        /* inverse Cholesky factors of A's diagonal blocks, 16 per variable */
    /* 3 per constraint */
    double* v_c;     /* J v + b */
    double* dv_c;    /* J dv */
    double* trial_c; /* v_c of a line-search trial */
    FilSapLaw* laws;
    FilSapResponse* responses; /* at the current v, or at the last trial */
};

FilSapSettings fil_sap_settings_default(void)
{
    return (FilSapSettings){
        .tolerance = 1e-6,
        .max_iterations = 100,
        .max_line_search = 100,
        .rigidity = 1.0,
        .stick = 1e-3,
        .slip_velocity = 1e-4,
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
        fil_free(sap->vectors.at);
        fil_free(sap->law_block);
        fil_free(sap->response_block);
        fil_free(sap);
    }
}

static bool reserve(FilSap* sap, const FilSapProblem* problem)
{
    const size_t n = FIL_BLOCK * (size_t)problem->pattern.columns, m = (size_t)problem->constraint_count;
    if (!fil_doubles_reserve(&sap->vectors, (6 + FIL_BLOCK) * n + 9 * m) ||
        !fil_buffer_reserve(&sap->law_block, &sap->law_capacity, m, sizeof(FilSapLaw)) ||
        !fil_buffer_reserve(&sap->response_block, &sap->response_capacity, m, sizeof(FilSapResponse))) {
        return false;
    }
    double* next = sap->vectors.at;
    double** const vectors[] = {&sap->scaling, &sap->p_free, &sap->p_change, &sap->j, &sap->dv, &sap->dp};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++, next += n) {
        *vectors[k] = next;
    }
    sap->w = next;
    sap->v_c = next + FIL_BLOCK * n;
    sap->dv_c = sap->v_c + 3 * m;
    sap->trial_c = sap->dv_c + 3 * m;
    sap->laws = sap->law_block;
    sap->responses = sap->response_block;
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

static double scaled_norm(const double* scaling, const double* a, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        const double x = scaling[k] * a[k];
        sum += x * x;
    }
    return sqrt(sum);
}

/* ---- what A says about scales ---- */

/* D = diag(A)^-1/2, and W with W' W = A_bb^-1 for each diagonal block. False when one is not positive definite. */
static bool read_diagonal(FilSap* sap, const FilSapProblem* problem)
{
    const FilBlockPattern* pattern = &problem->pattern;
    for (int j = 0; j < pattern->columns; j++) {
        int k = pattern->start[j];
        while (k < pattern->start[j + 1] && pattern->row[k] != j) {
            k++;
        }
        const double* block = problem->a + FIL_BLOCK_SIZE * (size_t)k;
        if (k == pattern->start[j + 1] || !fil_block_inverse_factor(block, sap->w + FIL_BLOCK_SIZE * (size_t)j)) {
            return false;
        }
        for (int d = 0; d < FIL_BLOCK; d++) {
            sap->scaling[FIL_BLOCK * j + d] = 1.0 / sqrt(block[5 * d]);
        }
    }
    return true;
}

/* w: mean diagonal of J A^-1 J' with only A's diagonal blocks inverted, sum |W_b j|^2 over rows j of J_b. */
static double estimate_compliance(const FilSap* sap, const FilSapProblem* problem, const FilSapConstraint* constraint)
{
    double sum = 0.0;
    for (int k = constraint->first_block; k < constraint->first_block + constraint->block_count; k++) {
        const double* w = sap->w + FIL_BLOCK_SIZE * (size_t)problem->block[k];
        for (int row = 0; row < 3; row++) {
            const double* j = problem->jacobian + FIL_SAP_JACOBIAN * (size_t)k + 4 * row;
            const double x0 = w[0] * j[0], x1 = w[1] * j[0] + w[5] * j[1];
            const double x2 = w[2] * j[0] + w[6] * j[1] + w[10] * j[2];
            const double x3 = w[3] * j[0] + w[7] * j[1] + w[11] * j[2] + w[15] * j[3];
            sum += x0 * x0 + x1 * x1 + x2 * x2 + x3 * x3;
        }
    }
    const int rows = constraint->kind == FIL_SAP_BOUNDED ? constraint->bounded.equations : 3;
    return sum > 0.0 ? sum / rows : 1.0;  // a constraint between unmovable things: any scale will do
}

static void prepare_laws(FilSap* sap, const FilSapProblem* problem)
{
    memset(sap->laws, 0, (size_t)problem->constraint_count * sizeof *sap->laws);
    for (int i = 0; i < problem->constraint_count; i++) {
        const FilSapConstraint* constraint = &problem->constraints[i];
        const double compliance =
            constraint->compliance > 0.0 ? constraint->compliance : estimate_compliance(sap, problem, constraint);
        fil_sap_kinds[constraint->kind].prepare(constraint, compliance, &sap->scales, &sap->laws[i]);
    }
}

/* ---- costs ---- */

static void evaluate(FilSap* sap, const FilSapProblem* problem, const double* v_c)
{
    for (int i = 0; i < problem->constraint_count; i++) {
        fil_sap_kinds[problem->constraints[i].kind].evaluate(&sap->laws[i], v_c + 3 * i, &sap->responses[i]);
    }
}

/* Slope and curvature of l along dv at v + alpha dv; leaves the responses there. */
typedef struct Slope {
    double value, curvature;
    double size; /* of the terms that cancel in the slope: what its round-off is relative to */
} Slope;

static Slope slope_at(FilSap* sap, const FilSapProblem* problem, double alpha, double dv_p, double dv_dp)
{
    const int m = problem->constraint_count;
    for (int k = 0; k < 3 * m; k++) {
        sap->trial_c[k] = sap->v_c[k] + alpha * sap->dv_c[k];
    }
    evaluate(sap, problem, sap->trial_c);
    // l' = dv' A (v + alpha dv - v*) - gamma' dv_c,  l'' = dv' A dv + dv_c' G dv_c
    Slope slope = {dv_p + alpha * dv_dp, dv_dp, fabs(dv_p) + fabs(alpha * dv_dp)};
    for (int i = 0; i < m; i++) {
        const double* u = sap->dv_c + 3 * i;
        const double* g = sap->responses[i].hessian;
        const double work = dot(sap->responses[i].impulse, u, 3);
        slope.value -= work;
        slope.size += fabs(work);
        slope.curvature += u[0] * dot(g, u, 3) + u[1] * dot(g + 3, u, 3) + u[2] * dot(g + 6, u, 3);
    }
    return slope;
}

/* The minimum of l along dv: Newton on l' = 0, kept inside a bracket and bisected where it does not halve the slope.
 * l' increases, so the bracket always closes. */
static double line_search(FilSap* sap, const FilSapProblem* problem, const FilSapSettings* settings, FilSapStats* stats)
{
    const double dv_p = dot(sap->dv, sap->p_change, sap->n), dv_dp = dot(sap->dv, sap->dp, sap->n);
    double start = dv_p;
    for (int i = 0; i < problem->constraint_count; i++) {
        start -= dot(sap->responses[i].impulse, sap->dv_c + 3 * i, 3);
    }
    double low = 0.0, high = INFINITY, alpha = 1.0, last = fabs(start);
    for (int k = 0; k < settings->max_line_search; k++) {
        const Slope slope = slope_at(sap, problem, alpha, dv_p, dv_dp);
        stats->line_search_evaluations++;
        const double rest = fabs(slope.value);
        if (rest <= 1e-8 * fabs(start) || rest <= 4.0 * DBL_EPSILON * slope.size || high - low <= DBL_EPSILON * low ||
            k + 1 == settings->max_line_search) {
            break;
        }
        if (slope.value < 0.0) {
            low = alpha;
        } else {
            high = alpha;
        }
        const double newton = alpha - slope.value / slope.curvature;
        const bool inside = newton > low && newton < high;
        if (inside && (rest < 0.5 * last || k == 0)) {
            alpha = newton;
        } else {
            alpha = isinf(high) ? 2.0 * low : 0.5 * (low + high);
        }
        last = rest;
    }
    return alpha;
}

/* ---- Newton ---- */

/* Sets up everything that holds for the whole solve, and the state at the guess v. */
static FilStatus begin(FilSap* sap, const FilSapProblem* problem, const FilSapSettings* settings, const double* v)
{
    if (!reserve(sap, problem)) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilStatus status = fil_sap_system_begin(&sap->system, problem);
    if (status != FIL_OK) {
        return status;
    }
    sap->scales = (FilSapScales){problem->dt, settings->rigidity, settings->stick, settings->slip_velocity};
    if (!read_diagonal(sap, problem)) {
        return FIL_NOT_CONVERGED;
    }
    prepare_laws(sap, problem);
    fil_block_multiply(&problem->pattern, problem->a, problem->v_free, sap->p_free);
    for (int k = 0; k < sap->n; k++) {
        sap->dv[k] = v[k] - problem->v_free[k];
    }
    fil_block_multiply(&problem->pattern, problem->a, sap->dv, sap->p_change);
    fil_sap_jacobian_multiply(problem, v, sap->v_c);
    for (int i = 0; i < problem->constraint_count; i++) {
        for (int row = 0; row < 3; row++) {
            sap->v_c[3 * i + row] += problem->constraints[i].bias[row];
        }
    }
    evaluate(sap, problem, sap->v_c);
    return FIL_OK;
}

/* dv = -gradient = J' gamma - A (v - v*); returns its size relative to the momenta at work, infinite if there are none
 * yet. */
static double residual(FilSap* sap, const FilSapProblem* problem)
{
    fil_sap_jacobian_transposed(problem, sap->responses, sap->j);
    double momentum = 0.0;
    for (int k = 0; k < sap->n; k++) {
        sap->dv[k] = sap->j[k] - sap->p_change[k];
        const double p = sap->scaling[k] * (sap->p_free[k] + sap->p_change[k]);
        momentum += p * p;
    }
    const double rest = scaled_norm(sap->scaling, sap->dv, sap->n);
    const double scale = fmax(sqrt(momentum), scaled_norm(sap->scaling, sap->j, sap->n));
    return rest == 0.0 ? 0.0 : rest / scale;
}

static double total_cost(const FilSap* sap, const FilSapProblem* problem, const double* v)
{
    double cost = 0.0;
    for (int k = 0; k < sap->n; k++) {
        cost += 0.5 * (v[k] - problem->v_free[k]) * sap->p_change[k];
    }
    for (int i = 0; i < problem->constraint_count; i++) {
        cost += sap->responses[i].cost;
    }
    return cost;
}

/* v <- v + alpha dv; the responses are there already */
static void move(FilSap* sap, double alpha, double* v)
{
    for (int k = 0; k < sap->n; k++) {
        v[k] += alpha * sap->dv[k];
        sap->p_change[k] += alpha * sap->dp[k];
    }
    double* v_c = sap->v_c;
    sap->v_c = sap->trial_c;
    sap->trial_c = v_c;
}

static FilStatus iterate(FilSap* sap, const FilSapProblem* problem, const FilSapSettings* settings, double* v,
                         FilSapStats* stats)
{
    for (stats->residual = residual(sap, problem); stats->residual > settings->tolerance;
         stats->residual = residual(sap, problem)) {
        if (stats->iterations == settings->max_iterations ||
            !fil_sap_system_factor(&sap->system, problem, sap->responses)) {
            return FIL_NOT_CONVERGED;
        }
        fil_sap_system_solve(&sap->system, sap->dv);
        fil_block_multiply(&problem->pattern, problem->a, sap->dv, sap->dp);
        fil_sap_jacobian_multiply(problem, sap->dv, sap->dv_c);
        move(sap, line_search(sap, problem, settings, stats), v);
        stats->iterations++;
    }
    return isnan(stats->residual) ? FIL_NOT_CONVERGED : FIL_OK;
}

FilStatus fil_sap_solve(FilSap* sap, const FilSapProblem* problem, const FilSapSettings* settings, double* v,
                        double* impulse, FilSapStats* stats)
{
    FilSapStats local;
    stats = stats != NULL ? stats : &local;
    *stats = (FilSapStats){0};
    if (problem->constraint_count == 0) {
        memcpy(v, problem->v_free, FIL_BLOCK * (size_t)problem->pattern.columns * sizeof *v);
        return FIL_OK;
    }
    FilStatus status = begin(sap, problem, settings, v);
    if (status == FIL_OK) {
        status = iterate(sap, problem, settings, v, stats);
        stats->cost = total_cost(sap, problem, v);
        for (int i = 0; i < problem->constraint_count; i++) {
            memcpy(impulse + 3 * i, sap->responses[i].impulse, 3 * sizeof *impulse);
        }
    }
    stats->analyses = sap->system.analyses;
    stats->factorisations = sap->system.factorisations;
    return status;
}
