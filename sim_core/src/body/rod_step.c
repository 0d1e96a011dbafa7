/* One step of a rod body: residual, tangent, solve, and the state at the end. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/extrema.h"
#include "base/vec3.h"
#include "body/rod.h"

/* Added to the diagonal of a held unknown: it stays put to the last bit, and its row needs no special care: a force of
 * 1e10 N over it moves by 1e-20 m/s in a step of 1 s. */
static const double HOLD = 1e30;

static bool implicit(const FilRodBody* body)
{
    return body->setup.theta > 0.0;
}

bool fil_rod_share(void* pointer, FilWorkers* workers)
{
    FilRodBody* body = pointer;
    const bool shares = body->rod_count >= 4 * FIL_ROD_GRAIN;
    body->workers = shares ? workers : NULL;
    return shares;
}

static void begin_some(void* context, int first, int end, int worker)
{
    const FilRodBody* body = context;
    (void)worker;
    for (int r = first; r < end; r++) {
        FilRod* rod = &body->rods[r];
        const size_t at = (size_t)rod->first_node;
        const double damping = implicit(body) ? rod->damping_stiffness / (body->setup.theta * body->setup.dt) : 0.0;
        if (body->begins_again && !(damping > 0.0)) {
            fil_rod_chain_begin_again(&rod->chain, body->q0 + 4 * at, body->h0 + at, rod->law);
        } else {
            fil_rod_chain_begin(&rod->chain, body->q0 + 4 * at, body->h0 + at, rod->law, damping, body->diagonal + 4 * at);
        }
        rod->chain.expects = rod->chain.expects && body->setup.goes_on;
    }
}

/* Whether the same is held as when the diagonal was found. */
static bool holds_the_same(const FilRodBody* body)
{
    bool same = body->held_count == body->held_before;
    for (int k = 0; k < body->held_count && same; k++) {
        same = body->diagonal[body->held_at[k]] >= HOLD;
    }
    return same;
}

/* Whether masses, loads and holds weigh as in the last step, which the body has begun itself. */
static bool begins_again(const FilRodBody* body, const FilStepSetup* last)
{
    const FilStepSetup* now = &body->setup;
    return body->begun && !body->any_load && now->dt == last->dt && now->theta == last->theta && now->theta_vq == last->theta_vq &&
           memcmp(now->gravity, last->gravity, sizeof now->gravity) == 0 && holds_the_same(body);
}

/* Nodes of large nets are gone through in pieces, which workers share: no more than so many, and no fewer nodes each, some 5 us. */
enum { PIECES = 16, PIECE_NODES = 1024 };

static int grain_of(const FilRodBody* body)
{
    const int min = 1 + body->node_count / PIECES;
    return min > PIECE_NODES ? min : PIECE_NODES;
}

static void weigh_some(void* context, int first, int end, int worker)
{
    const FilRodBody* body = context;
    const double dt = body->setup.dt, theta = body->setup.theta, over = implicit(body) ? 1.0 / body->stiffness_scale : 0.0;
    const double gravity[4] = {body->setup.gravity[0], body->setup.gravity[1], body->setup.gravity[2]};
    const FilLanes zero = fil_lanes_splat(0.0), one = fil_lanes_splat(1.0);
    double *free_ones = body->is_free, *diagonal = body->diagonal;
    (void)worker;
    for (int i = first; i < end; i++) {
        const double alpha = body->alpha[i];
        for (int d = 0; d < 4; d += FIL_LANE_COUNT) {
            const int k = 4 * i + d;
            const FilLanes mass = fil_lanes_load(body->mass + k), damping = alpha * mass + fil_lanes_load(body->drag + k);
            fil_lanes_store(body->damping + k, damping);
            fil_lanes_store(body->force + k, fil_lanes_load(body->load + k) + mass * fil_lanes_load(gravity + d));
            fil_lanes_store(free_ones + k, fil_lanes_where_more(mass, zero, one, zero));
            fil_lanes_store(diagonal + k, over * (mass + theta * dt * damping));
        }
    }
}

/* What a step does not change: damping, forces, and mass and drag over the stiffness scale, P0 eq. 14: A = c (K + diagonal) */
static void weigh(FilRodBody* body)
{
    fil_workers_run(body->workers, body->node_count, grain_of(body), weigh_some, body);
    for (int k = 0; k < body->held_count; k++) {
        body->is_free[body->held_at[k]] = 0.0;
        body->diagonal[body->held_at[k]] += HOLD;
    }
}

/* Whether the angles that hold still do so from the start. */
static bool rests(const FilRodBody* body)
{
    int k = 0;
    while (k < body->still_count && body->v0[body->held_at[k]] == 0.0) {
        k++;
    }
    return k == body->still_count;
}

void fil_rod_begin(void* pointer, const FilStepSetup* setup, const double* q, const double* v, const double* h)
{
    FilRodBody* body = pointer;
    const FilStepSetup last = body->setup;
    body->setup = *setup;
    body->q0 = q;
    body->v0 = v;
    body->h0 = (const FilRodHistory*)h;
    body->stiffness_scale = setup->theta * setup->theta_vq * setup->dt * setup->dt;
    fil_rod_apply_holds(body);
    body->still_count = rests(body) ? body->still_count : 0;
    body->begins_again = begins_again(body, &last);
    if (!body->begins_again) {
        weigh(body);
    }
    body->held_before = body->held_count;
    body->begun = !body->any_load;
    fil_workers_run(body->workers, body->rod_count, FIL_ROD_GRAIN, begin_some, body);
}

typedef struct Guess {
    const FilRodBody* body;
    const double* change;
    double* v;
} Guess;

static void guess_some(void* context, int first, int end, int worker)
{
    const Guess* guess = context;
    const double* v0 = guess->body->v0;
    (void)worker;
    for (int k = 4 * first; k < 4 * end; k++) {
        guess->v[k] = v0[k] + guess->change[k];
    }
}

static void hold_guess(void* context, int first, int end, int worker)
{
    const Guess* guess = context;
    const FilRodBody* body = guess->body;
    (void)worker;
    for (int h = first; h < end; h++) {
        guess->v[body->held_at[h]] = body->held_v[body->held_at[h]];
    }
}

void fil_rod_guess(const void* pointer, const double* change, double* v)
{
    Guess guess = {pointer, change, v};
    fil_workers_run(guess.body->workers, guess.body->node_count, grain_of(guess.body), guess_some, &guess);
    fil_workers_run(guess.body->workers, guess.body->held_count, FIL_HELD_GRAIN, hold_guess, &guess);
}

/* Copies are where their owners are: those of some rods. */
static void follow_owners(const FilRodBody* body, int first, int end, double* a)
{
    const int last = end < body->rod_count ? body->rods[end].first_copy : body->copy_count;
    for (int c = body->rods[first].first_copy; c < last; c++) {
        const int i = body->copies[c];
        fil_v3_copy(a + 4 * i, a + 4 * body->owner[i]);
    }
}

/* What is evaluated. */
typedef struct Trial {
    FilRodBody* body;
    const double* v;
    double over, half_over_theta;
    double* residual;
    double sums[PIECES];
} Trial;

static void set_some(void* context, int first, int end, int worker)
{
    const Trial* trial = context;
    FilRodBody* body = trial->body;
    const double dt = body->setup.dt, theta = body->setup.theta, vq = body->setup.theta_vq;
    const double *q0 = body->q0, *v0 = body->v0, *v = trial->v;
    double *q_theta = body->q_theta, *v_theta = body->v_theta;
    const double a = theta * dt * vq, b = theta * dt * (1.0 - vq);
    (void)worker;
    for (int k = 4 * first; k < 4 * end; k++) {
        q_theta[k] = q0[k] + a * v[k] + b * v0[k];
        v_theta[k] = theta * v[k] + (1.0 - theta) * v0[k];
    }
}

/* Configuration and velocity that forces are taken at (P0 eq. 8). Held unknowns move straight to their place; those that stay at rest are there. */
void fil_rod_begin_trial(FilRodBody* body, const double* v)
{
    Trial trial = {.body = body, .v = v};
    const double theta = body->setup.theta, *q0 = body->q0;
    double *q_theta = body->q_theta, *v_theta = body->v_theta;
    fil_workers_run(body->workers, body->node_count, grain_of(body), set_some, &trial);
    for (int h = body->still_count; h < body->held_count; h++) {
        const int k = body->held_at[h];
        q_theta[k] = q0[k] + theta * (body->held_q[k] - q0[k]);
        v_theta[k] = body->held_v[k];
    }
    if (!implicit(body)) {  // else with each rod: an explicit step goes on from here
        follow_owners(body, 0, body->rod_count, q_theta);
        follow_owners(body, 0, body->rod_count, v_theta);
    }
}

/* Couple that turns the spin of an edge with it, tau = -J gamma_dot t_dot, as forces on its nodes. It does no work and
 * keeps the total angular momentum, sum x X m v + sum J gamma_dot t. Lengths are those that the chain was assembled with. */
static void add_gyroscopic(FilRodBody* body, const FilRod* rod)
{
    enum { NUMBERS = sizeof(Frame1) / sizeof(double), INVERSE = offsetof(Frame1, inverse) / sizeof(double) };
    const FilRodChain* chain = &rod->chain;
    const size_t n = (size_t)chain->matrix.half_nodes;
    const double* x = body->q_theta + 4 * rod->first_node;
    const double* v = body->v_theta + 4 * rod->first_node;
    const double* inertia = body->mass + 4 * rod->first_node;
    double* gradient = body->gradient + 4 * rod->first_node;
    for (int half = 0; half < 2; half++) {
        for (size_t place = 0; place + 1 < n; place++) {
            if (!chain->edge_acts[half][place]) {
                continue;
            }
            const int i = chain->edge_at[half][place], next = i + 1 == rod->node_count ? 0 : i + 1;
            const double inverse = fil_lane_get((const FilLanes*)chain->frames, NUMBERS * n, half, NUMBERS * place + INVERSE);
            const double spin = inertia[4 * i + 3] * v[4 * i + 3];
            double e[3], rate[3], force[3];
            fil_v3_sub(e, x + 4 * next, x + 4 * i);
            fil_v3_sub(rate, v + 4 * next, v + 4 * i);
            // F = (tau x t) / l with t_dot = (rate - t (t . rate)) / l:  F = -spin (rate x e) / l^3
            fil_v3_cross(force, rate, e);
            fil_v3_scale(force, -spin * (inverse * inverse * inverse), force);
            fil_v3_axpy(gradient + 4 * next, -1.0, force);
            fil_v3_axpy(gradient + 4 * i, 1.0, force);
        }
    }
}

typedef struct Assembly {
    FilRodBody* body;
    double shift;
    bool tangent;
} Assembly;

static void assemble_some(void* context, int first, int end, int worker)
{
    const Assembly* assembly = context;
    const FilRodBody* body = assembly->body;
    (void)worker;
    if (implicit(body)) {
        follow_owners(body, first, end, body->q_theta);
        follow_owners(body, first, end, body->v_theta);
    }
    for (int r = first; r < end; r++) {
        FilRod* rod = &body->rods[r];
        const int at = 4 * rod->first_node;
        memset(body->gradient + at, 0, sizeof(double) * 4 * (size_t)rod->node_count);
        if (!implicit(body) && rod->damping_stiffness > 0.0) {
            // an explicit step looks ahead: the gradient at q0 + beta v0 is that at q0 plus beta K v0
            for (int k = at; k < at + 4 * rod->node_count; k++) {
                body->q_theta[k] += rod->damping_stiffness * body->v_theta[k];
            }
        }
        rod->in_reach = fil_rod_chain_assemble(&rod->chain, body->q_theta + at, assembly->shift, assembly->tangent);
    }
}

/* Elastic gradient of all rods at the trial configuration, in their chains, and none in the body's yet; false if it is out of reach. */
static bool assemble(FilRodBody* body, double shift, bool tangent, double* energy)
{
    Assembly assembly = {body, shift, tangent};
    fil_workers_run(body->workers, body->rod_count, FIL_ROD_GRAIN, assemble_some, &assembly);
    *energy = 0.0;
    bool in_reach = true;
    for (int r = 0; r < body->rod_count; r++) {
        in_reach = in_reach && body->rods[r].in_reach;
        *energy += body->rods[r].chain.energy;
    }
    return in_reach;
}

/* Gradients of chains, to where rods have theirs. */
static void add_gradients(void* context, int first, int end, int worker)
{
    FilRodBody* body = context;
    (void)worker;
    for (int r = first; r < end; r++) {
        const FilRod* rod = &body->rods[r];
        fil_rod_chain_add_gradient(&rod->chain, body->gradient + 4 * rod->first_node);
        if (rod->gyroscopic) {
            add_gyroscopic(body, rod);
        }
    }
}

static void fold_copies(const FilRodBody* body, double* a)
{
    for (int c = 0; c < body->copy_count; c++) {
        const int i = body->copies[c];
        fil_v3_axpy(a + 4 * body->owner[i], 1.0, a + 4 * i);
        fil_v3_set(a + 4 * i, 0.0, 0.0, 0.0);
    }
}

/* m(v) = M (v - v0) + dt (gradient - external + damping) into residual and, as forces, into reaction; and its potential
 * over v but for the elastic energy. Four sums side by side: one for each unknown of a node. */
static void balance_some(void* context, int first, int end, int worker)
{
    Trial* trial = context;
    const FilRodBody* body = trial->body;
    const double *v = trial->v, over = trial->over, half_over_theta = trial->half_over_theta;
    double* residual = trial->residual;
    (void)worker;
    // vectors that hold the four sums
    enum { SUMS = 4 / FIL_LANE_COUNT };
    const double dt = body->setup.dt, per_dt = 1.0 / dt;
    const double *masses = body->mass, *v0 = body->v0, *forces = body->force, *dampings = body->damping, *rates = body->v_theta;
    const double *gradient = body->gradient, *free_ones = body->is_free, *q = body->q_theta;
    double* reactions = body->reaction;
    FilLanes sum[SUMS];
    for (int s = 0; s < SUMS; s++) {
        sum[s] = fil_lanes_splat(0.0);
    }
    for (int k = 4 * first; k < 4 * end; k += 4) {
        for (int s = 0; s < SUMS; s++) {
            const int at = k + s * FIL_LANE_COUNT;
            const FilLanes mass = fil_lanes_load(masses + at), change = fil_lanes_load(v + at) - fil_lanes_load(v0 + at);
            const FilLanes force = fil_lanes_load(forces + at), damping = fil_lanes_load(dampings + at), rate = fil_lanes_load(rates + at);
            const FilLanes m = mass * change + dt * (fil_lanes_load(gradient + at) - force + damping * rate);
            const FilLanes is_free = fil_lanes_load(free_ones + at), reaction = m * per_dt, left = is_free * m;
            memcpy(reactions + at, &reaction, sizeof reaction);
            memcpy(residual + at, &left, sizeof left);
            sum[s] += is_free * (0.5 * mass * change * change + half_over_theta * damping * rate * rate - over * force * fil_lanes_load(q + at));
        }
    }
    trial->sums[first / grain_of(body)] = fil_lanes_sum_four(sum);
}

static double balance(Trial* trial)
{
    const FilRodBody* body = trial->body;
    fil_workers_run(body->workers, body->node_count, grain_of(body), balance_some, trial);
    double sum = trial->sums[0];
    for (int k = 1; k < PIECES; k++) {
        sum += trial->sums[k];
    }
    return sum;
}

bool fil_rod_end_trial(FilRodBody* body, const double* v, double energy, double* residual, double* potential)
{
    const double theta = body->setup.theta, over = implicit(body) ? 1.0 / (theta * body->setup.theta_vq) : 0.0;
    Trial trial = {.body = body, .v = v, .over = over, .half_over_theta = implicit(body) ? 0.5 * body->setup.dt / theta : 0.0, .residual = residual};
    energy += fil_rod_add_springs(body);  // into the chains, before their gradients are read
    fil_workers_run(body->workers, body->rod_count, FIL_ROD_GRAIN, add_gradients, body);
    fold_copies(body, body->gradient);
    *potential = balance(&trial) + over * energy;
    return isfinite(*potential);
}

static bool evaluate(FilRodBody* body, const double* v, double shift, bool tangent, double* residual, double* potential)
{
    double energy;
    fil_rod_begin_trial(body, v);
    return assemble(body, shift, tangent, &energy) && fil_rod_end_trial(body, v, energy, residual, potential);
}

bool fil_rod_evaluate(void* pointer, const double* v, double shift, double* residual, double* potential)
{
    FilRodBody* body = pointer;
    return evaluate(body, v, shift, implicit(body), residual, potential);
}

bool fil_rod_residual(void* pointer, const double* v, double* residual, double* potential)
{
    return evaluate(pointer, v, 0.0, false, residual, potential);
}

typedef struct Diagonal {
    const FilRodBody* body;
    const double* v;
    double *diagonal, *scale;
} Diagonal;

static void add_diagonals(void* context, int first, int end, int worker)
{
    const Diagonal* d = context;
    (void)worker;
    for (int r = first; r < end; r++) {
        FilRod* rod = &d->body->rods[r];
        fil_rod_chain_diagonal(&rod->chain, d->diagonal + 4 * rod->first_node);
    }
}

static void weigh_diagonals(void* context, int first, int end, int worker)
{
    const Diagonal* d = context;
    const FilRodBody* body = d->body;
    const double *mass = body->mass, *force = body->force, *is_free = body->is_free, *v = d->v, dt = body->setup.dt;
    const double factor = implicit(body) ? body->stiffness_scale : 0.0;  // else it is the mass alone
    double* restrict diagonal = d->diagonal, * restrict scale = d->scale;
    (void)worker;
    for (int k = 4 * first; k < 4 * end; k++) {
        diagonal[k] = is_free[k] * fil_max(factor * diagonal[k], mass[k]);
        scale[k] = is_free[k] * (mass[k] * fabs(v[k]) + dt * fabs(force[k]));
    }
}

void fil_rod_diagonal(const void* pointer, const double* v, double* diagonal, double* scale)
{
    const FilRodBody* body = pointer;
    Diagonal d = {body, v, diagonal, scale};
    memset(diagonal, 0, 4 * sizeof(double) * (size_t)body->node_count);
    if (implicit(body)) {
        fil_workers_run(body->workers, body->rod_count, FIL_ROD_GRAIN, add_diagonals, &d);
    }
    fold_copies(body, diagonal);
    fil_workers_run(body->workers, body->node_count, grain_of(body), weigh_diagonals, &d);
}

/* ---- linear solves ---- */

static bool factor_network(FilRodBody* body)
{
    double* values = fil_sparse_values(body->sparse);
    const int* slots = body->slots;
    memset(values, 0, sizeof(double) * (size_t)fil_sparse_value_count(body->sparse));
    for (int r = 0; r < body->rod_count; r++) {
        slots += fil_rod_chain_scatter(&body->rods[r].chain, slots, 1.0, values);
    }
    // idle unknowns are their own equation
    for (int k = 0; k < 4 * body->node_count; k++) {
        values[slots[k]] += body->mass[k] > 0.0 ? 0.0 : 1.0;
    }
    return fil_sparse_factor(body->sparse);
}

bool fil_rod_factor(void* pointer)
{
    FilRodBody* body = pointer;
    if (!implicit(body)) {
        return true;
    }
    if (body->network) {
        return factor_network(body);
    }
    for (int r = 0; r < body->rod_count; r++) {
        if (!fil_rod_chain_factor(&body->rods[r].chain)) {
            return false;
        }
    }
    return true;
}

void fil_rod_scale_solution(const FilRodBody* body, double* x)
{
    const double over = 1.0 / body->stiffness_scale;
    for (int k = 0; k < 4 * body->node_count; k++) {
        x[k] *= over * body->is_free[k];
    }
}

void fil_rod_solve(void* pointer, double* x)
{
    FilRodBody* body = pointer;
    const int unknowns = 4 * body->node_count;
    if (!implicit(body)) {
        for (int k = 0; k < unknowns; k++) {
            x[k] = body->is_free[k] != 0.0 ? x[k] / body->mass[k] : 0.0;
        }
        return;
    }
    if (body->network) {
        fil_sparse_solve(body->sparse, x);
    } else {
        for (int r = 0; r < body->rod_count; r++) {
            fil_rod_chain_solve(&body->rods[r].chain, x + 4 * body->rods[r].first_node);
        }
    }
    fil_rod_scale_solution(body, x);
}

/* ---- the end of a step ---- */

typedef struct Pushing {
    FilRodBody* body;
    const double* impulse;
} Pushing;

/* What holds need not do themselves. */
static void push_some(void* context, int first, int end, int worker)
{
    const Pushing* pushing = context;
    const FilRodBody* body = pushing->body;
    (void)worker;
    for (int k = 4 * first; k < 4 * end; k++) {
        body->reaction[k] -= pushing->impulse[k] / body->setup.dt;
    }
}

void fil_rod_push(void* pointer, const double* v, const double* impulse, double* scratch)
{
    FilRodBody* body = pointer;
    double potential;
    if (body->attachment_count == 0 || (scratch != NULL && fil_rod_pull_handles(body, v)) ||
        (scratch != NULL && !fil_rod_residual(body, v, scratch, &potential))) {
        return;
    }
    Pushing pushing = {body, impulse};
    fil_workers_run(body->workers, body->node_count, grain_of(body), push_some, &pushing);
}

typedef struct Ending {
    FilRodBody* body;
    const double* v;
    double *q1, *v1;
    FilRodHistory* history;
} Ending;

static void end_some(void* context, int first, int end, int worker)
{
    const Ending* ending = context;
    const FilRodBody* body = ending->body;
    const double dt = body->setup.dt, vq = body->setup.theta_vq, *q0 = body->q0, *v0 = body->v0, *v = ending->v;
    double *q1 = ending->q1, *v1 = ending->v1;
    (void)worker;
    for (int k = 4 * first; k < 4 * end; k++) {
        v1[k] = v[k];
        q1[k] = q0[k] + dt * (vq * v[k] + (1.0 - vq) * v0[k]);
    }
}

/* Unknowns that are held. */
static void hold_some(void* context, int first, int end, int worker)
{
    const Ending* ending = context;
    const FilRodBody* body = ending->body;
    (void)worker;
    for (int h = first; h < end; h++) {
        const int k = body->held_at[h];
        ending->q1[k] = body->held_q[k];
        ending->v1[k] = body->held_v[k];
    }
}

static void transport_some(void* context, int first, int end, int worker)
{
    const Ending* ending = context;
    const FilRodBody* body = ending->body;
    (void)worker;
    follow_owners(body, first, end, ending->q1);
    follow_owners(body, first, end, ending->v1);
    for (int r = first; r < end; r++) {
        FilRod* rod = &body->rods[r];
        const size_t at = (size_t)rod->first_node;
        const double* q1 = ending->q1 + 4 * at;
        memcpy(ending->history + at, body->h0 + at, sizeof(FilRodHistory) * (size_t)rod->node_count);
        // a step that ends where it was last evaluated has its frames already
        const size_t size = 4 * sizeof(double) * (size_t)rod->node_count;
        const bool known = memcmp(q1, body->q_theta + 4 * at, size) == 0;
        fil_rod_chain_transport(&rod->chain, known ? NULL : q1, ending->history + at);
        if (!known) {  // the chain is there now, should someone ask again
            memcpy(body->q_theta + 4 * at, q1, size);
        }
    }
}

void fil_rod_finish(void* pointer, const double* v, double* q1, double* v1, double* h1)
{
    FilRodBody* body = pointer;
    Ending ending = {body, v, q1, v1, (FilRodHistory*)h1};
    fil_workers_run(body->workers, body->node_count, grain_of(body), end_some, &ending);
    fil_workers_run(body->workers, body->held_count, FIL_HELD_GRAIN, hold_some, &ending);
    fil_workers_run(body->workers, body->rod_count, FIL_ROD_GRAIN, transport_some, &ending);
    fil_rod_collect_reactions(body);
}
