#include "contact/sap_workspace.h"

#include <stdatomic.h>
#include <string.h>

#include "base/lanes.h"

/* A diagonal this large holds its variable at v*: the guess starts there, and its momentum measures nothing. */
#define HELD 1e20

/* Columns at a time: some 10 us. */
enum { COLUMN_GRAIN = 256 };

FilSapOptions fil_sap_options_default(void)
{
    // tolerance, max_factorisations, rigidity (beta), stick (sigma): as in the implementation of SAP by its authors, in Drake (docs/sap.md)
    return (FilSapOptions){
        .tolerance = 1e-6,
        .max_factorisations = 100,
        .max_line_search = 100,   // more than bisection takes to rounding
        .bound_tolerance = 5e-3,  // a capstan amplifies it by mu phi; 0.01 was off by 2 % at mu phi = 4.7, less than this changes nothing
        .max_rounds = 20,
        .presumption = 0.05,  // 0.01 to 0.4 were tried on entangling_gripper
        .rigidity = 1.0,
        .stick = 1e-3,
        .slip_velocity = 1e-5,  // at 1e-4 a block whose friction is 2 % above what it takes crept by 5e-4 m/s; 15 % fewer iterations
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
        fil_free(sap->bound_rounds.at);
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
        {&sap->weight, all},
        {&sap->mass_inverse, n},
        {&sap->p0, n},
        {&sap->x, n},
        {&sap->p, n},
        {&sap->dx, n},
        {&sap->dp, n},
        {&sap->j, n},
        {&sap->inverse, FIL_BLOCK * n},
        {&sap->momenta, 3 * (1 + all / (FIL_BLOCK * COLUMN_GRAIN))},
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
    if (!fil_doubles_reserve(&sap->vectors, total) || !fil_buffer_reserve(&sap->law_block, &sap->law_capacity, m, sizeof(FilSapLaw)) ||
        !fil_buffer_reserve(&sap->response_block, &sap->response_capacity, m, sizeof(FilSapResponse)) ||
        !fil_buffer_reserve(&sap->slope_block, &sap->slope_capacity, 1 + m / FIL_SAP_GRAIN, sizeof(FilSapSlope))) {
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

/* ---- what A says about scales ---- */

/* A pass over the columns of A. */
typedef struct Columns {
    FilSap* sap;
    const FilSapProblem* problem;
    double* v; /* the guess */
    atomic_bool failed;
    atomic_int first, end; /* of columns where the guess is not v* */
} Columns;

/* A pass has found a column that moves: the first of all passes, and the end of the last. */
static void extend(Columns* c, int first, int end)
{
    int known = atomic_load_explicit(&c->first, memory_order_relaxed);
    while (first < known && !atomic_compare_exchange_weak(&c->first, &known, first)) {
    }
    known = atomic_load_explicit(&c->end, memory_order_relaxed);
    while (end > known && !atomic_compare_exchange_weak(&c->end, &known, end)) {
    }
}

/* p_free = x = v - v*, of the guess; what is held stays. Also 1/diag(A). */
static void start_some(void* context, int first, int end, int worker)
{
    Columns* c = context;
    double *x = c->sap->p_free, *weight = c->sap->weight;
    const double* v_free = c->problem->v_free;
    const FilLanes max = fil_lanes_splat(HELD), zero = fil_lanes_splat(0.0);
    int first_moved = end, end_moved = first;
    (void)worker;
    for (int column = first; column < end; column++) {
        const double* block = fil_sap_diagonal_block(c->problem, column);
        if (block == NULL) {
            atomic_store_explicit(&c->failed, true, memory_order_relaxed);
            return;
        }
        const double diagonal[FIL_BLOCK] = {block[0], block[5], block[10], block[15]};
        bool moves = false;
        for (int d = 0; d < FIL_BLOCK; d += FIL_LANE_COUNT) {
            const int k = FIL_BLOCK * column + d;
            const FilLanes own = fil_lanes_load(diagonal + d), free = fil_lanes_load(v_free + k);
            const FilLanes guess = fil_lanes_where_more(own, max, free, fil_lanes_load(c->v + k)), change = guess - free;
            fil_lanes_store(c->v + k, guess);
            fil_lanes_store(x + k, change);
            fil_lanes_store(weight + k, fil_lanes_where_more(own, max, zero, 1.0 / own));
            for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
                moves |= fil_lanes_get(change, lane) != 0.0;
            }
        }
        if (moves) {
            first_moved = column < first_moved ? column : first_moved;
            end_moved = column + 1;
        }
    }
    if (first_moved < end_moved) {
        extend(c, first_moved, end_moved);
    }
}

/* Runs a pass; false when a diagonal block is missing, or not positive definite. */
static bool pass(Columns* columns, FilWork* work)
{
    const FilSapProblem* problem = columns->problem;
    fil_workers_run(problem->workers, problem->pattern.columns, COLUMN_GRAIN, work, columns);
    return !atomic_load(&columns->failed);
}

/* A participant's part of v - v*, A v*, A (v - v*) + push and the diagonal of A, and the inverse of its diagonal block; false if that is not positive
 * definite. */
static bool gather_participant(const Columns* c, int column, int local)
{
    FilSap* sap = c->sap;
    for (int d = 0; d < FIL_BLOCK; d++) {
        const int k = FIL_BLOCK * local + d, all = FIL_BLOCK * column + d;
        sap->mass_inverse[k] = sap->weight[all];
        sap->p0[k] = sap->p_free[all];
        sap->p[k] = sap->p_change[all];
        sap->x[k] = c->v[all] - c->problem->v_free[all];
        sap->dx[k] = c->v[all];
    }
    return fil_block_inverse_parts(fil_sap_diagonal_block(c->problem, column), sap->inverse + FIL_BLOCK_SIZE * (size_t)local);
}

/* p_free = A v* - push. Sorts all that into participants and others, and sums up momenta, in pairs of sums side by side; those that a guess is judged
 * by only where it is v*. */
static void gather_some(void* context, int first, int end, int worker)
{
    enum { FIXED, AT_WORK, REST, SUMS };
    Columns* c = context;
    FilSap* sap = c->sap;
    const int *pivot = fil_block_factor_pivots(&sap->system.factor), first_local = fil_block_factor_first_changing(&sap->system.factor);
    const double* push = c->problem->push;
    FilDouble2 sums[SUMS][2] = {{{0.0, 0.0}}};
    (void)worker;
    for (int column = first; column < end; column++) {
        const int local = pivot[column] - first_local;
        for (int k = 0; k < 2; k++) {
            const int at = FIL_BLOCK * column + 2 * k;
            const FilDouble2 product = fil_double2_load(sap->p_free + at), weight = fil_double2_load(sap->weight + at);
            const FilDouble2 p = push != NULL ? product - fil_double2_load(push + at) : product;
            fil_double2_store(sap->p_free + at, p);
            if (local < 0) {
                sums[FIXED][k] += p * p * weight;
            }
            if (sap->at_free) {
                const FilDouble2 change = fil_double2_load(sap->p_change + at);
                sums[AT_WORK][k] += (p + change) * (p + change) * weight;
                sums[local < 0 ? REST : AT_WORK][k] += change * change * weight;
            }
        }
        if (local >= 0 && !gather_participant(c, column, local)) {
            atomic_store_explicit(&c->failed, true, memory_order_relaxed);
            return;
        }
    }
    for (int k = 0; k < SUMS; k++) {
        sap->momenta[SUMS * (first / COLUMN_GRAIN) + k] = fil_double2_sum(sums[k][0] + sums[k][1]);
    }
}

static bool gather(FilSap* sap, const FilSapProblem* problem, double* v)
{
    Columns columns = {.sap = sap, .problem = problem, .v = v};
    if (!pass(&columns, gather_some)) {
        return false;
    }
    sap->fixed_momentum = sap->at_work = sap->fixed_rest = 0.0;
    for (int k = 0; k < (problem->pattern.columns + COLUMN_GRAIN - 1) / COLUMN_GRAIN; k++) {
        sap->fixed_momentum += sap->momenta[3 * k];
        sap->at_work += sap->momenta[3 * k + 1];
        sap->fixed_rest += sap->momenta[3 * k + 2];
    }
    return true;
}

/* Constraints whose laws are prepared at a time: some 3 us. */
enum { LAW_GRAIN = 64 };

/* What laws are made of. */
typedef struct Preparation {
    FilSap* sap;
    const FilSapProblem* problem;
    FilSapScales scales;
    atomic_bool bounds; /* a law has some that its solution decides */
} Preparation;

static void prepare_some(void* context, int first, int end, int worker)
{
    Preparation* p = context;
    FilSap* sap = p->sap;
    bool bounds = false;
    const int* participant = sap->system.participant.at + (first > 0 ? sap->system.constraint_end.at[first - 1] : 0);
    (void)worker;
    for (int i = first; i < end; i++) {
        const FilSapConstraint* constraint = &p->problem->constraints[i];
        const double* j = p->problem->jacobian + FIL_SAP_JACOBIAN * (size_t)constraint->first_block;
        double compliance = constraint->compliance;
        if (compliance <= 0.0 && fil_sap_is_scaled(constraint)) {
            compliance = fil_sap_estimate_compliance(sap->inverse, j, participant, constraint->block_count);
        }
        fil_sap_kinds[constraint->kind].prepare(constraint, compliance, &p->scales, &sap->laws[i]);
        participant += constraint->block_count;
        bounds |= fil_sap_kinds[constraint->kind].bound_change != NULL;
    }
    if (bounds) {
        atomic_store_explicit(&p->bounds, true, memory_order_relaxed);
    }
}

static void prepare_laws(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings)
{
    Preparation preparation = {.sap = sap, .problem = problem, .scales = {problem->dt, settings->rigidity, settings->stick, settings->slip_velocity}};
    fil_workers_run(problem->workers, problem->constraint_count, LAW_GRAIN, prepare_some, &preparation);
    sap->bounds = atomic_load(&preparation.bounds);
}

/* p_free = A v*. Where the guess cannot be the solution, all that does not participate is eliminated in the same pass over A; false when that
 * is not positive definite. */
static bool find_free_momentum(FilSap* sap, const FilSapProblem* problem)
{
    bool definite = true;
    sap->started = !sap->at_free && sap->system.factor.condensed;
    if (sap->started) {
        definite = fil_sap_system_start_at_once(&sap->system, problem, sap->p_change, problem->v_free, sap->p_free);
    } else {
        fil_sap_system_multiply_a(&sap->system, problem, problem->v_free, sap->p_free);
    }
    return definite;
}

FilStatus fil_sap_begin(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, double* v, FilSapStats* stats)
{
    FilStatus status = fil_sap_system_begin(&sap->system, problem);
    if (status == FIL_OK) {
        status = fil_sap_iterative_begin(&sap->iterative, &sap->system, problem);
    }
    if (status != FIL_OK) {
        return status;
    }
    if (!reserve(sap, problem)) {
        return FIL_OUT_OF_MEMORY;
    }
    // A (v - v*) + push, then A v*; the difference borrows p_free
    Columns columns = {.sap = sap, .problem = problem, .v = v, .first = problem->pattern.columns};
    if (!pass(&columns, start_some)) {
        stats->indefinite = true;
        return FIL_NOT_CONVERGED;
    }
    const int first = atomic_load(&columns.first), end = atomic_load(&columns.end);
    sap->at_free = first >= end;
    const size_t size = FIL_BLOCK * (size_t)problem->pattern.columns * sizeof *sap->p_change;
    if (problem->push != NULL) {
        memcpy(sap->p_change, problem->push, size);
    } else {
        memset(sap->p_change, 0, size);
    }
    if (!sap->at_free) {
        fil_sap_system_add_product(&sap->system, problem, sap->p_free, first, end, sap->p_change);
    }
    if (!find_free_momentum(sap, problem)) {
        stats->indefinite = true;
        return FIL_NOT_CONVERGED;
    }
    if (!gather(sap, problem, v)) {
        stats->indefinite = true;
        return FIL_NOT_CONVERGED;
    }
    prepare_laws(sap, problem, settings);
    fil_sap_system_multiply(&sap->system, problem, sap->dx, sap->v_c);  // gather() left v in dx
    for (int i = 0; i < problem->constraint_count; i++) {
        for (int row = 0; row < 3; row++) {
            sap->v_c[3 * i + row] += problem->constraints[i].bias[row];
        }
    }
    return FIL_OK;
}

FilStatus fil_sap_eliminate(FilSap* sap, const FilSapProblem* problem, FilSapStats* stats)
{
    if (sap->started) {
        fil_sap_system_started(&sap->system, sap->p);
        return FIL_OK;
    }
    if (!fil_sap_system_eliminate(&sap->system, problem)) {
        stats->indefinite = true;
        return FIL_NOT_CONVERGED;
    }
    // as if what does not participate had followed
    fil_sap_system_start(&sap->system, sap->p_change, sap->p);
    return FIL_OK;
}
