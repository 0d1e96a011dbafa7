/* The gap that Newton's model of a barrier is made about: the one that the pair is expected to have at the end of the iteration.
 *
 * Where a barrier begins its force f = -B' is a square of the depth, a double root: about gaps as they are, a pair that leaves comes half the way to
 * the barrier's edge in each iteration, and a quarter of its force is left; what has come too near is slow as well. But what an iteration does to a
 * gap is nearly what it would do if no corner moved others. With the residual r, the rates J of the gap, the diagonal D of all else's tangent and
 * dv = -D^-1 (r - J' dt (f(g + dg) - f(g))), the change dg = dt J dv solves
 *     dg = p + c (f(g + dg) - f(g)),   p = -dt J D^-1 r,   c = dt^2 J D^-1 J',
 * which has one root, as f falls with the gap. At a solution r = 0 and dg = 0: models are those of Newton's method there. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "solver/solver.h"

static FilJet barrier_at(const FilIpcPair* pair, double gap)
{
    return fil_barrier(gap, pair->repulsion.range, pair->repulsion.stiffness);
}

/* Adds what depends on a block: the rates of the gap with its velocities. */
typedef void AtBlock(void* context, int block, const double* rates);

/* Rates of a pair's gap, which its gradient over the corners is a multiple of, the barrier's slope. */
static inline __attribute__((always_inline)) void for_blocks(const FilSolver* solver, const FilIpcPair* pair, const double* gradient, double slope,
                                                             AtBlock* at, void* context)
{
    const FilIpcField* field = &solver->ipc;
    const double scale = 1.0 / slope;
    for (int i = 0; i < pair->corner_count; i++) {
        int blocks[FIL_JACOBIAN_BLOCKS];
        double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3], way[4] = {0.0};
        const double* x = field->points.at + 3 * pair->point[i];
        const int node = fil_ipc_node_block(solver, pair->point[i]);
        fil_v3_scale(way, scale, gradient + 3 * i);
        if (node >= 0) {
            at(context, node, way);
            continue;
        }
        const int count = fil_ipc_corner_blocks(solver, pair->point[i], x, field->x.at, blocks, jacobian, bias);
        for (int b = 0; b < count; b++) {
            const double* j = jacobian + 12 * b;
            double rates[4];
            for (int m = 0; m < 4; m++) {
                rates[m] = j[m] * way[0] + j[4 + m] * way[1] + j[8 + m] * way[2];
            }
            at(context, blocks[b], rates);
        }
    }
}

static double square_of(const double* rates)
{
    return rates[0] * rates[0] + rates[1] * rates[1] + rates[2] * rates[2] + rates[3] * rates[3];
}

/* ---- what else holds a block ---- */

typedef struct Hold {
    double* held; /* by block */
    double stiffness;
} Hold;

static inline void hold(void* context, int block, const double* rates)
{
    const Hold* own = context;
    own->held[block] += own->stiffness * square_of(rates);
}

/* What sticks on its rod goes nowhere along it. */
static void hold_rings(const FilSolver* solver, double* held)
{
    const FilIpcField* field = &solver->ipc;
    for (int k = 0; k < field->ring_count; k++) {
        const FilFriction* friction = &field->rings[k].friction;
        const FilSlipping slipping = fil_ring_slipping(&field->rings[k]);
        double curvature[4];
        fil_friction_curvature(friction, &slipping, solver->settings.model.ipc.slip_speed, false, NULL, curvature);
        for (int b = 0; b < slipping.count; b++) {
            double rates[8];
            fil_friction_rates(friction, slipping.jacobian + 12 * b, rates);
            held[slipping.block[b]] += curvature[0] * square_of(rates) + curvature[3] * square_of(rates + 4);
        }
    }
}

/* ---- the gap ---- */

typedef struct Balance {
    const FilNewtonScratch* scratch;
    const double *residual, *held;
    double dt, stiffness;
    double change, give; /* p and c */
} Balance;

static inline void balance(void* context, int block, const double* rates)
{
    Balance* b = context;
    // all that others add to the diagonal, whatever their direction: a pair that is one of many is left where it is
    const double others = fmax(b->held[block] - b->stiffness * square_of(rates), 0.0);
    for (int m = 0; m < 4; m++) {
        const double weight = b->scratch->weight[4 * block + m];  // zero: held
        const double moves = b->dt * rates[m] * weight / (1.0 + weight * others);
        b->change -= moves * b->residual[4 * block + m];
        b->give += b->dt * rates[m] * moves;
    }
}

double fil_ipc_expected_gap(const FilIpcPair* pair, double change, double give)
{
    // to a hundredth, by Newton's method kept between bounds: it is a model. 40: bisection is there by then
    enum { LOOKS = 40 };
    const double range = pair->repulsion.range, force = -barrier_at(pair, pair->gap).first;
    double low = 0.0, high = fmax(range, pair->gap + change), gap = pair->gap;
    double last = 0.0;
    for (int k = 0; k < LOOKS && fabs(gap - last) > 0.01 * last; k++) {
        const FilJet jet = barrier_at(pair, gap);
        const double excess = gap - pair->gap - change - give * (-jet.first - force), next = gap - excess / (1.0 + give * jet.second);
        low = excess > 0.0 ? low : gap;
        high = excess > 0.0 ? gap : high;
        last = gap;
        gap = next >= low && next <= high ? next : 0.5 * (low + high);
    }
    return fmin(gap, range);
}

/* Active pairs, in parallel. */
typedef struct Batch {
    FilSolver* solver;
    const double* residual;
} Batch;

static void find_jets(void* context, int first, int end, int worker)
{
    const Batch* batch = context;
    const FilIpcField* field = &batch->solver->ipc;
    (void)worker;
    for (int k = first; k < end; k++) {
        FilIpcPair* pair = &field->pairs[field->active.at[k]];
        field->jets[k] = barrier_at(pair, pair->gap);
        pair->expected = pair->gap;
    }
}

static void find_gaps(void* context, int first, int end, int worker)
{
    const Batch* batch = context;
    const FilIpcField* field = &batch->solver->ipc;
    (void)worker;
    for (int k = first; k < end; k++) {
        FilIpcPair* pair = &field->pairs[field->active.at[k]];
        const FilJet jet = field->jets[k];
        Balance b = {.scratch = &batch->solver->system->scratch,
                     .residual = batch->residual,
                     .held = field->held.at,
                     .dt = field->dt,
                     .stiffness = field->dt * field->dt * jet.second};
        if (jet.first < 0.0 && jet.second > 0.0) {  // not rounded to nothing at the range's end
            for_blocks(batch->solver, pair, field->pushes.at + 12 * k, jet.first, balance, &b);
            pair->expected = fil_ipc_expected_gap(pair, b.change, b.give);
        }
        field->jets[k].value = pair->expected != pair->gap ? fil_ipc_model(pair).force - 1.0 : 0.0;
    }
}

void fil_ipc_anticipate(FilSolver* solver, double* residual)
{
    FilIpcField* field = &solver->ipc;
    const FilSystem* system = solver->system;
    field->anticipates = residual != NULL;
    if (!field->anticipates || field->active_count == 0) {
        return;
    }
    Batch batch = {solver, residual};
    fil_workers_run(system->workers, field->active_count, FIL_IPC_GRAIN, find_jets, &batch);
    memset(field->held.at, 0, sizeof(double) * (size_t)system->v_count / 4);
    for (int k = 0; k < field->active_count; k++) {
        const FilIpcPair* pair = &field->pairs[field->active.at[k]];
        const FilJet jet = field->jets[k];
        Hold own = {field->held.at, field->dt * field->dt * jet.second};
        if (jet.first < 0.0) {
            for_blocks(solver, pair, field->pushes.at + 12 * k, jet.first, hold, &own);
        }
    }
    hold_rings(solver, field->held.at);
    fil_workers_run(system->workers, field->active_count, FIL_IPC_GRAIN, find_gaps, &batch);
    fil_ipc_add_gradients(solver, field->active_count, field->active.at, &field->jets->value, residual);
}
