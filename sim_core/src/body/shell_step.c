/* One step of a shell: residual, tangent, solve, and the state at the end. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/extrema.h"
#include "base/vec3.h"
#include "base/vector.h"
#include "body/shell.h"

/* ---- elastic forces and stiffness ---- */

/* Folds that a worker takes at once: some 20 us. */
enum { GRAIN = 256 };

typedef struct Bending {
    const FilShellBody* body;
    const double* q;
} Bending;

static void bend_some(void* context, int first, int end, int worker)
{
    const Bending* bending = context;
    const FilShellBody* body = bending->body;
    (void)worker;
    fil_shell_folds_bend(body->folds + first, end - first, body->bending, bending->q, body->bends + first);
}

static void stretch_some(void* context, int first, int end, int worker)
{
    const Bending* bending = context;
    const FilShellBody* body = bending->body;
    (void)worker;
    fil_shell_edges_pull(body->edges + first, end - first, bending->q, body->pulls + first);
}

/* How all folds are bent, and how edges pull. */
static void measure_elements(Bending* bending)
{
    const FilShellBody* body = bending->body;
    fil_workers_run(body->workers, body->fold_count, GRAIN, bend_some, bending);
    fil_workers_run(body->workers, body->edge_count, GRAIN, stretch_some, bending);
}

typedef struct Pulling {
    const FilShellBody* body;
    double* gradient;
    double energy[FIL_SHELL_PARTS]; /* of elements whose first vertex is in a part */
} Pulling;

/* Gradients over the vertices of some parts: elements in their order, whoever does it. */
static void pull_parts(void* context, int first, int end, int worker)
{
    Pulling* pulling = context;
    const FilShellBody* body = pulling->body;
    (void)worker;
    for (int p = first; p < end; p++) {
        const FilShellColumns part = {fil_shell_part(body, p), fil_shell_part(body, p + 1)};
        const int* start = body->part_start + 2 * p;
        double energy = 0.0;
        for (int k = start[0]; k < start[1]; k++) {
            const FilShellEdge* edge = &body->edges[body->part_elements[k]];
            const FilShellPull* pull = &body->pulls[body->part_elements[k]];
            const int a = edge->vertex[0], b = edge->vertex[1];
            const double force = edge->stiffness * pull->across;
            if (fil_shell_has(part, a)) {
                energy += pull->energy;
                fil_v3_axpy(pulling->gradient + 4 * (ptrdiff_t)a, -force, pull->e);
            }
            if (fil_shell_has(part, b)) {
                fil_v3_axpy(pulling->gradient + 4 * (ptrdiff_t)b, force, pull->e);
            }
        }
        for (int k = start[1]; k < start[2]; k++) {
            const int* vertex = body->folds[body->part_elements[k]].vertex;
            const FilShellBend* bend = &body->bends[body->part_elements[k]];
            energy += fil_shell_has(part, vertex[0]) ? bend->energy : 0.0;
            for (int i = 0; i < 4; i++) {
                if (fil_shell_has(part, vertex[i])) {
                    fil_v3_axpy(pulling->gradient + 4 * (ptrdiff_t)vertex[i], bend->slope, bend->gradient + 3 * i);
                }
            }
        }
        pulling->energy[p] = energy;
    }
}

/* Energy at q; its gradient is added, 4 numbers a vertex. Leaves how folds are bent and edges pull. */
static double add_gradient(const FilShellBody* body, const double* q, double* gradient)
{
    Bending bending = {body, q};
    measure_elements(&bending);
    Pulling pulling = {.body = body, .gradient = gradient};
    fil_workers_run(body->workers, FIL_SHELL_PARTS, 1, pull_parts, &pulling);
    double energy = 0.0;
    for (int p = 0; p < FIL_SHELL_PARTS; p++) {
        energy += pulling.energy[p];
    }
    return energy;
}

double fil_shell_elastic_energy(const FilShellBody* body, const double* q)
{
    double energy = 0.0, g[12];
    for (int e = 0; e < body->edge_count; e++) {
        const FilShellEdge* edge = &body->edges[e];
        energy += fil_shell_edge_gradient(edge, q + 4 * edge->vertex[0], q + 4 * edge->vertex[1], g);
    }
    for (int f = 0; f < body->fold_count; f++) {
        const FilShellCorners corners = fil_shell_corners(&body->folds[f], q);
        energy += fil_shell_fold_gradient(&body->folds[f], body->bending, corners.x, g);
    }
    return energy;
}

/* ---- the step ---- */

static bool implicit(const FilShellBody* body)
{
    return body->setup.theta > 0.0;
}

bool fil_shell_share(void* pointer, FilWorkers* workers)
{
    FilShellBody* body = pointer;
    body->workers = workers;
    return true;
}

void fil_shell_lead(void* pointer, int block, const double* velocity)
{
    FilShellBody* body = pointer;
    fil_vertex_holds_lead(body->q0, body->setup.dt, block, velocity, body->held, body->held_q);
}

void fil_shell_let_go(void* pointer)
{
    FilShellBody* body = pointer;
    body->assembled = false;
    fil_vertex_holds_apply(&body->holds, body->vertex_count, body->held, body->held_q);
}

void fil_shell_begin(void* pointer, const FilStepSetup* setup, const double* q, const double* v, const double* h)
{
    FilShellBody* body = pointer;
    body->setup = *setup;
    body->q0 = q;
    body->v0 = v;
    body->h0 = h;
    fil_chambers_begin(&body->chambers, h);
    body->assembled = false;
    fil_vertex_holds_apply(&body->holds, body->vertex_count, body->held, body->held_q);
    if (body->damping != NULL) {
        Bending bending = {body, q};
        measure_elements(&bending);
        fil_shell_stiffen(&(FilShellStiffening){.body = body, .q = q, .scale = body->damping_stiffness, .values = body->damping});
    }
}

void fil_shell_guess(const void* pointer, const double* change, double* v)
{
    const FilShellBody* body = pointer;
    for (int k = 0; k < 4 * body->vertex_count; k++) {
        v[k] = body->held[k] ? (body->held_q[k] - body->q0[k]) / body->setup.dt : body->v0[k] + change[k];
    }
    for (int i = 0; i < body->vertex_count; i++) {
        v[4 * i + 3] = 0.0;
    }
}

static bool is_damped(const FilShellBody* body)
{
    return body->damping != NULL || body->damping_mass != 0.0;
}

/* Configuration and velocity that forces are taken at (P0 eq. 8); the velocity only where something is damped. */
static void set_trial(FilShellBody* body, const double* v)
{
    const double dt = body->setup.dt, theta = body->setup.theta, vq = body->setup.theta_vq;
    for (int i = 0; i < body->vertex_count; i++) {
        for (int k = 4 * i; k < 4 * i + 3; k++) {
            const double move = body->held_q[k] - body->q0[k];
            body->q_theta[k] = body->q0[k] + theta * (body->held[k] ? move : dt * (vq * v[k] + (1.0 - vq) * body->v0[k]));
        }
    }
    for (int i = 0; is_damped(body) && i < body->vertex_count; i++) {
        for (int k = 4 * i; k < 4 * i + 3; k++) {
            body->v_theta[k] = body->held[k] ? (body->held_q[k] - body->q0[k]) / dt : theta * v[k] + (1.0 - theta) * body->v0[k];
        }
    }
}

bool fil_shell_evaluate(void* pointer, const double* v, double shift, double* residual, double* potential)
{
    FilShellBody* body = pointer;
    const double dt = body->setup.dt, theta = body->setup.theta;
    const int unknowns = 4 * body->vertex_count;
    body->shift = shift;
    body->assembled = false;
    set_trial(body, v);
    memset(body->gradient, 0, sizeof(double) * (size_t)unknowns);
    const double over = implicit(body) ? 1.0 / (theta * body->setup.theta_vq) : 0.0;
    bool in_reach;
    double sum = over * add_gradient(body, body->q_theta, body->gradient);
    sum += over * fil_chambers_gradient(&body->chambers, body->q_theta, body->gradient, &in_reach);
    if (body->damping != NULL) {
        const FilBlockPattern pattern = {body->vertex_count, body->block_start, body->block_row};
        fil_block_multiply(&pattern, body->damping, body->v_theta, body->damped);
    }
    const bool damped = is_damped(body), reacts = body->holds.count > 0;
    const double half_over_theta = implicit(body) ? 0.5 * dt / theta : 0.0;
    for (int i = 0; i < body->vertex_count; i++) {
        const double mass = body->mass[i];
        residual[4 * i + 3] = 0.0;
        for (int j = 0; j < 3; j++) {
            const int k = 4 * i + j;
            const double change = v[k] - body->v0[k], force = body->load[k] + mass * body->setup.gravity[j];
            double drag = 0.0;
            if (damped) {
                drag = body->damping_mass * mass * body->v_theta[k] + (body->damping != NULL ? body->damped[k] : 0.0);
                sum += half_over_theta * drag * body->v_theta[k];  // held vertices damp their neighbours
            }
            const double m = mass * change + dt * (body->gradient[k] - force + drag);
            if (reacts) {
                body->reaction[k] = m / dt;
            }
            residual[k] = body->held[k] ? 0.0 : m;
            sum += body->held[k] ? 0.0 : 0.5 * mass * change * change - over * force * body->q_theta[k];
        }
    }
    *potential = sum;
    return in_reach && isfinite(sum);
}

/* The tangent at the last evaluation: M (1 + shift) + theta dt C + theta theta_vq dt^2 K. The larger the shift, the
 * less counts of what makes single elements indefinite; from 10 on that is nothing, which is enough by itself, and only
 * a still larger one adds mass, for the sake of others. */
static void assemble_to(const FilShellBody* body, double* values)
{
    // the first three shifts are FIL_FIRST_SHIFT, 1 and 10
    const double dt = body->setup.dt, theta = body->setup.theta, shift = body->shift > 10.0 ? body->shift : 0.0;
    const double kept = body->shift < 0.1 ? 1.0 : 0.0, scale = theta * body->setup.theta_vq * dt * dt;
    const double inertia = 1.0 + shift + theta * dt * body->damping_mass;
    const bool beside = implicit(body) && body->chambers.count == 0;  // chambers come in between
    if (implicit(body)) {
        fil_shell_stiffen(&(FilShellStiffening){body, body->q_theta, kept, scale, body->damping, theta * dt, values, beside ? inertia : 0.0});
        fil_chambers_stiffness(&body->chambers, body->q_theta, scale, body->shift > 0.0, values);
    } else {
        memset(values, 0, sizeof(double) * FIL_BLOCK_SIZE * (size_t)body->block_count);
    }
    for (int i = 0; !beside && i < body->vertex_count; i++) {
        fil_shell_add_inertia(body, inertia, i, values);
    }
}

static void assemble(FilShellBody* body)
{
    if (!body->assembled) {
        assemble_to(body, body->values);
        body->assembled = true;
    }
}

void fil_shell_diagonal(const void* pointer, const double* v, double* diagonal, double* scale)
{
    FilShellBody* body = (FilShellBody*)(uintptr_t)pointer;  // the tangent is made when first asked for
    assemble(body);
    for (int i = 0; i < body->vertex_count; i++) {
        const double* block = fil_shell_diagonal_block(body, body->values, i);
        for (int j = 0; j < 4; j++) {
            const int k = 4 * i + j;
            const bool is_free = j < 3 && !body->held[4 * i + j];
            diagonal[k] = is_free ? fil_max(block[5 * j], body->mass[i]) : 0.0;
            scale[k] =
                is_free ? body->mass[i] * (fabs(v[k]) + body->setup.dt * fabs(body->setup.gravity[j])) + body->setup.dt * fabs(body->load[k]) : 0.0;
        }
    }
}

bool fil_shell_factor(void* pointer)
{
    FilShellBody* body = pointer;
    const FilBlockPattern pattern = {body->vertex_count, body->block_start, body->block_row};
    if (!body->analysed && fil_block_cholesky_analyze(body->cholesky, &pattern, NULL) != FIL_OK) {
        return false;
    }
    body->analysed = true;
    assemble(body);
    return fil_block_cholesky_factor(body->cholesky, body->values, NULL);
}

void fil_shell_solve(void* pointer, double* x)
{
    FilShellBody* body = pointer;
    if (implicit(body)) {
        fil_block_cholesky_solve(body->cholesky, x);
    }
    for (int i = 0; i < body->vertex_count; i++) {
        for (int j = 0; j < 4; j++) {
            const bool is_free = j < 3 && !body->held[4 * i + j];
            x[4 * i + j] = !is_free ? 0.0 : implicit(body) ? x[4 * i + j] : x[4 * i + j] / body->mass[i];
        }
    }
}

void fil_shell_tangent(void* pointer, double* values)
{
    const FilShellBody* body = pointer;
    if (body->assembled) {
        memcpy(values, body->values, sizeof(double) * FIL_BLOCK_SIZE * (size_t)body->block_count);
    } else {
        assemble_to(body, values);
    }
}

/* ---- the end of a step ---- */

void fil_shell_push(void* pointer, const double* v, const double* impulse, double* scratch)
{
    FilShellBody* body = pointer;
    double potential;
    if (body->holds.count == 0 || (scratch != NULL && !fil_shell_evaluate(body, v, 0.0, scratch, &potential))) {
        return;
    }
    // what holds need not do themselves
    for (int k = 0; k < 4 * body->vertex_count; k++) {
        body->reaction[k] -= impulse[k] / body->setup.dt;
    }
}

void fil_shell_finish(void* pointer, const double* v, double* q1, double* v1, double* h1)
{
    FilShellBody* body = pointer;
    fil_chambers_finish(&body->chambers, body->h0, h1);
    const double dt = body->setup.dt, vq = body->setup.theta_vq;
    for (int i = 0; i < body->vertex_count; i++) {
        for (int k = 4 * i; k < 4 * i + 3; k++) {
            q1[k] = body->held[k] ? body->held_q[k] : body->q0[k] + dt * (vq * v[k] + (1.0 - vq) * body->v0[k]);
            v1[k] = body->held[k] ? (body->held_q[k] - body->q0[k]) / dt : v[k];
        }
        q1[4 * i + 3] = v1[4 * i + 3] = 0.0;
    }
    fil_vertex_holds_collect(&body->holds, body->q_theta, body->reaction);
}
