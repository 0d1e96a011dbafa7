/* The residual of a Newton iteration at potential level, its measure, and vectors between the system and the matrix. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/extrema.h"
#include "solver/solver.h"

void fil_potential_stage_free(FilPotentialStage* stage)
{
    fil_free(stage->contacts);
    fil_free(stage->forces);
    fil_free(stage->edges);
    fil_free(stage->distances.at);
    fil_free(stage->rounds.at);
    fil_free(stage->impulse.at);
    fil_broyden_free(&stage->broyden);
    fil_free(stage->edge_scratch.at);
    fil_block_cholesky_destroy(stage->cholesky);
    fil_block_pcg_free(&stage->pcg);
    fil_block_sum_free(&stage->hessian);
    fil_block_sum_free(&stage->friction);
    fil_free(stage->vectors.at);
    fil_free(stage->laws);
    fil_free(stage->column_block.at);
    fil_free(stage->lists.end.at);
    fil_free(stage->lists.variable.at);
    fil_free(stage->rubbing.end.at);
    fil_free(stage->rubbing.variable.at);
}

bool fil_potential_takes_part(const FilSolver* solver, int b)
{
    return solver->contact.active && solver->contact.offset[b] >= 0;
}

/* Numbers at a time: some two microseconds. What is no more is left to one thread. */
enum { VECTOR_GRAIN = 4096 };

/* A pass over the numbers of a body. */
typedef struct Pass {
    const double *a, *b;
    double scale, *to;
} Pass;

/* Does it for every body that takes part; `a`, `b` and `to` are as long as all velocities, and b may be NULL. */
static void pass_over(const FilSolver* solver, FilWork* work, const Pass* all)
{
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (fil_potential_takes_part(solver, b)) {
            Pass own = {all->a + body->v, all->b != NULL ? all->b + body->v : NULL, all->scale, all->to + body->v};
            fil_workers_run(body->v_count > VECTOR_GRAIN ? solver->system->workers : NULL, body->v_count, VECTOR_GRAIN, work, &own);
        }
    }
}

static void spare_some(void* context, int first, int end, int worker)
{
    const Pass* pass = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        pass->to[k] = pass->a[k] > 0.0 ? pass->to[k] : 0.0;
    }
}

void fil_potential_spare_held(const FilSolver* solver, double* residual)
{
    const Pass pass = {.a = solver->system->scratch.weight, .to = residual};
    pass_over(solver, spare_some, &pass);
}

/* ---- the measure ---- */

/* Sum of a b weight (NULL: a b) over a body's velocities, which come in blocks of four: four sums do not wait for each other. */
static double sum_products(const double* a, const double* b, const double* weight, int count)
{
    double sum[4] = {0.0};
    for (int k = 0; k < count; k += 4) {
        for (int m = 0; m < 4; m++) {
            sum[m] += a[k + m] * b[k + m] * (weight != NULL ? weight[k + m] : 1.0);
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

typedef struct Diagonals {
    FilSolver* solver;
    const double* v;
} Diagonals;

static void take_diagonals(void* context, int first, int end, int worker)
{
    const Diagonals* diagonals = context;
    const FilSolver* solver = diagonals->solver;
    const FilNewtonScratch* s = &solver->system->scratch;
    (void)worker;
    for (int b = first; b < end; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (fil_potential_takes_part(solver, b)) {
            body->ops->diagonal(body->impl, diagonals->v + body->v, s->weight + body->v, s->scale + body->v);
        }
    }
}

/* Sums one after the other over all bodies, which nothing but each other's end waits for: of diagonals, and of how far anything is. */
typedef struct Extent {
    const FilSolver* solver;
    double stiffness, reach;
} Extent;

static void sum_diagonals(Extent* extent)
{
    const FilSolver* solver = extent->solver;
    double sum = 0.0;
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        const double* weight = solver->system->scratch.weight + body->v;
        for (int k = 0; k < body->v_count && fil_potential_takes_part(solver, b); k++) {
            sum += weight[k];
        }
    }
    extent->stiffness = sum;
}

static void find_reach(Extent* extent)
{
    const FilSolver* solver = extent->solver;
    double reach = 0.0;
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        for (int k = body->q; k < body->q + body->q_count && fil_potential_takes_part(solver, b); k++) {
            reach = fil_max(fabs(solver->system->state.q[k]), reach);
        }
    }
    extent->reach = reach;
}

static void find_extents(void* context, int first, int end, int worker)
{
    (void)worker;
    for (int k = first; k < end; k++) {
        (k == 0 ? sum_diagonals : find_reach)(context);
    }
}

static void invert_some(void* context, int first, int end, int worker)
{
    const Pass* pass = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        const double inverse = 1.0 / (pass->to[k] > 0.0 ? pass->to[k] : 1.0);
        pass->to[k] = pass->to[k] > 0.0 ? inverse : 0.0;
    }
}

/* Inverse diagonals as weights, diagonals as Broyden's metric; returns the size of momenta at work, and what rounding leaves. */
double fil_potential_set_measure(FilSolver* solver, double dt, const double* v, double* rounding)
{
    double sum = 0.0;
    FilSystem* system = solver->system;
    FilNewtonScratch* s = &system->scratch;
    double* metric = solver->potential.broyden.metric.at;
    const bool steps = solver->potential.broyden.size > 0;
    if (steps) {
        memset(metric, 0, sizeof(double) * (size_t)system->v_count);
    }
    Diagonals diagonals = {solver, v};
    fil_system_run(system, take_diagonals, &diagonals);
    Extent extent = {.solver = solver};
    fil_workers_run(system->v_count > VECTOR_GRAIN ? system->workers : NULL, 2, 1, find_extents, &extent);
    for (int b = 0; b < system->body_count && steps; b++) {
        const FilBody* body = &system->bodies[b];
        if (fil_potential_takes_part(solver, b)) {
            memcpy(metric + body->v, s->weight + body->v, sizeof(double) * (size_t)body->v_count);
        }
    }
    const Pass pass = {.a = s->weight, .to = s->weight};
    pass_over(solver, invert_some, &pass);
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (fil_potential_takes_part(solver, b)) {
            const double* scale = s->scale + body->v;
            sum += sum_products(scale, scale, s->weight + body->v, body->v_count);
        }
    }
    *rounding = 4.0 * DBL_EPSILON * extent.reach / dt * sqrt(extent.stiffness);
    return sqrt(sum);
}

/* Size of a residual: weighted, or as plain force where a force is what Newton shall stop at. */
double fil_potential_size(const FilSolver* solver, const double* residual, bool as_force)
{
    double sum = 0.0;
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        const double* own = residual + body->v;
        const int count = fil_potential_takes_part(solver, b) ? body->v_count : 0;
        sum += sum_products(own, own, as_force ? NULL : solver->system->scratch.weight + body->v, count);
    }
    return sqrt(sum) / (as_force ? solver->potential.problem.dt : 1.0);
}

/* Slope of the potential along -direction where the residual is known. */
double fil_potential_slope(const FilSolver* solver, const double* residual, const double* direction)
{
    double slope = 0.0;
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        const int count = fil_potential_takes_part(solver, b) ? body->v_count : 0;
        slope -= sum_products(residual + body->v, direction + body->v, NULL, count);
    }
    return slope;
}

/* Both, side by side. */
typedef struct Fall {
    const FilSolver* solver;
    const double *residual, *direction;
    double slope, size;
} Fall;

static void look_at_fall(void* context, int first, int end, int worker)
{
    Fall* fall = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        if (k == 0) {
            fall->slope = fil_potential_slope(fall->solver, fall->residual, fall->direction);
        } else {
            fall->size = fil_potential_size(fall->solver, fall->residual, false);
        }
    }
}

double fil_potential_slope_and_size(const FilSolver* solver, const double* residual, const double* direction, double* size)
{
    double slope = 0.0, square = 0.0;
    if (solver->system->workers != NULL && solver->system->v_count > VECTOR_GRAIN) {
        Fall fall = {solver, residual, direction, 0.0, 0.0};
        fil_workers_run(solver->system->workers, 2, 1, look_at_fall, &fall);
        *size = fall.size;
        return fall.slope;
    }
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        const double *r = residual + body->v, *d = direction + body->v, *weight = solver->system->scratch.weight + body->v;
        const int count = fil_potential_takes_part(solver, b) ? body->v_count : 0;
        double along[4] = {0.0}, own[4] = {0.0};  // each as sum_products() has it
        for (int k = 0; k < count; k += 4) {
            for (int m = 0; m < 4; m++) {
                along[m] += r[k + m] * d[k + m];
                own[m] += r[k + m] * r[k + m] * weight[k + m];
            }
        }
        slope -= (along[0] + along[1]) + (along[2] + along[3]);
        square += (own[0] + own[1]) + (own[2] + own[3]);
    }
    *size = sqrt(square);
    return slope;
}

/* ---- vectors ---- */

static void try_some(void* context, int first, int end, int worker)
{
    const Pass* pass = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        pass->to[k] = pass->a[k] - pass->scale * pass->b[k];
    }
}

/* v - step * direction of everything that takes part. */
void fil_potential_try(const FilSolver* solver, const double* v, const double* direction, double step, double* trial)
{
    const Pass pass = {v, direction, step, trial};
    pass_over(solver, try_some, &pass);
}

void fil_potential_guess(const FilSolver* solver, int b, const double* change, double* v)
{
    const FilBody* body = &solver->system->bodies[b];
    if (body->ops->points) {
        body->ops->guess(body->impl, change + body->v, v + body->v);
        return;
    }
    // nothing holds it, and its free motion is far from what contacts and joints leave of it
    for (int k = body->v; k < body->v + body->v_count; k++) {
        v[k] = solver->system->state.v[k] + change[k];
    }
}

void fil_potential_gather(const FilSolver* solver, const double* residual, double* to)
{
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (fil_potential_takes_part(solver, b)) {
            fil_system_copy(solver->system, to + 4 * solver->contact.offset[b], residual + body->v, body->v_count);
        }
    }
}

void fil_potential_direct(const FilSolver* solver, double* direction)
{
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (fil_potential_takes_part(solver, b)) {
            fil_system_copy(solver->system, direction + body->v, solver->contact.v + 4 * solver->contact.offset[b], body->v_count);
        }
    }
}

void fil_potential_row_block(const double* a, const double* g, const double* b, double scale, double* block)
{
    for (int c = 0; c < 4; c++) {
        double turned[3];
        for (int i = 0; i < 3; i++) {
            turned[i] = scale * (g[3 * i] * b[c] + g[3 * i + 1] * b[4 + c] + g[3 * i + 2] * b[8 + c]);
        }
        for (int r = 0; r < 4; r++) {
            block[4 * c + r] = a[r] * turned[0] + a[4 + r] * turned[1] + a[8 + r] * turned[2];
        }
    }
}
