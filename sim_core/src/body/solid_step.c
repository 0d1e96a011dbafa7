/* One step of a solid. With the mass matrix M, elastic energy E, K its Hessian at the step's start and damping
 * D = alpha M + beta K,
 *     m(v) = M (v - v0) + dt (dE/dq(q_theta) + D v_theta - f)                                                       (1)
 *     A = (1 + theta dt alpha) M + theta dt beta K + theta theta_vq dt^2 d2E/dq2(q_theta)                           (2)
 * For laws that are linear in a step d2E/dq2 = K, so that (2) is P3 eq. 11, constant, and one solve ends the step. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/vec3.h"
#include "body/solid.h"

/* Added to the diagonal of a held vertex: it stays put to the last bit, and its row needs no special care: a force of
 * 1e10 N over it moves by 1e-20 m/s in a step of 1 s. */
static const double HOLD = 1e30;

/* Stiff solids over long steps have condition numbers beyond 1e10 (20 GPa, 40 ms): solutions whose residual is larger
 * than this share of the right side are refined, which brings them down to rounding. */
static const double REFINE = 1e-13;
enum { REFINEMENTS = 2 };

/* ---- elastic forces and stiffness ---- */

static void strain_of(const FilSolidBody* body, int b, FilSolidBatchStrain* strain)
{
    *strain = (FilSolidBatchStrain){.kept = body->pressure.kept};
    if (body->nodal) {
        strain->pressure = fil_double4_load(body->pressure.of_elements + FIL_SOLID_LANES * b);
    }
    if (body->rotations != NULL) {
        memcpy(strain->rotation, body->rotations + 9 * b, sizeof strain->rotation);
    }
}

/* Energy at q; its gradient is added, 4 numbers a vertex. */
static double add_gradient(const FilSolidBody* body, const double* q, double* gradient)
{
    double energy = fil_solid_find_pressure(body, q, true);
    for (int b = 0; b < body->batch_count; b++) {
        const FilSolidBatch* batch = &body->batches[b];
        FilSolidBatchStrain strain;
        FilSolidBatchResult result;
        strain_of(body, b, &strain);
        fil_solid_batch_evaluate(batch, &body->material, q, 4, &strain, false, false, 1.0, &result);
        for (int lane = 0; lane < batch->count; lane++) {
            energy += fil_double4_get(&result.energy, lane);
            for (int k = 0; k < 12; k++) {
                gradient[4 * batch->vertex[k / 3][lane] + k % 3] += fil_double4_get(&result.gradient[k], lane);
            }
        }
    }
    return energy;
}

/* Adds an element's block of vertices (u, v), whose row is the larger one, by columns. */
static void add_block(double* block, const FilDouble4* h, int lane, bool transposed)
{
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            block[4 * c + r] += fil_double4_get(&h[transposed ? 3 * c + r : 3 * r + c], lane);
        }
    }
}

/* Adds scale times the stiffness at q to the blocks. */
static void add_stiffness(const FilSolidBody* body, const double* q, bool definite, double scale, double* values)
{
    static const int pairs[FIL_SOLID_BLOCKS][2] = {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 3}};
    fil_solid_find_pressure(body, q, true);
    fil_solid_add_pressure_stiffness(body, q, scale, values);
    for (int b = 0; b < body->batch_count; b++) {
        const FilSolidBatch* batch = &body->batches[b];
        const int* slots = body->batch_slots + (size_t)(FIL_SOLID_BLOCKS * FIL_SOLID_LANES) * (size_t)b;
        FilSolidBatchStrain strain;
        FilSolidBatchResult result;
        strain_of(body, b, &strain);
        fil_solid_batch_evaluate(batch, &body->material, q, 4, &strain, true, definite, scale, &result);
        for (int k = 0; k < FIL_SOLID_BLOCKS; k++) {
            for (int lane = 0; lane < batch->count; lane++) {
                const bool transposed = batch->vertex[pairs[k][0]][lane] < batch->vertex[pairs[k][1]][lane];
                add_block(values + FIL_BLOCK_SIZE * (size_t)slots[FIL_SOLID_LANES * k + lane], result.hessian[k], lane, transposed);
            }
        }
    }
}

/* y = M x */
static void multiply_mass(const FilSolidBody* body, const double* x, double* y)
{
    memset(y, 0, sizeof(double) * 4 * (size_t)body->mesh.vertex_count);
    for (int k = 0; k < body->block_count; k++) {
        const int a = 4 * body->block_column[k], b = 4 * body->block_row[k];
        fil_v3_axpy(y + b, body->block_mass[k], x + a);
        if (a != b) {
            fil_v3_axpy(y + a, body->block_mass[k], x + b);
        }
    }
}

/* ---- the step ---- */

static bool implicit(const FilSolidBody* body)
{
    return body->setup.theta > 0.0;
}

static FilBlockPattern pattern_of(const FilSolidBody* body)
{
    return (FilBlockPattern){body->mesh.vertex_count, body->block_start, body->block_row};
}

/* What its own pins and plane strain hold. */
static void set_holds(FilSolidBody* body)
{
    body->assembled = body->factored = false;
    fil_vertex_holds_apply(&body->holds, body->mesh.vertex_count, body->held, body->held_q);
    for (int i = 0; i < body->mesh.vertex_count && body->plane_strain > 0; i++) {
        const int k = 4 * i + body->plane_strain - 1;
        body->held[k] = true;
        body->held_q[k] = body->q0[k];
    }
}

void fil_solid_lead(void* pointer, int block, const double* velocity)
{
    FilSolidBody* body = pointer;
    fil_vertex_holds_lead(body->q0, body->setup.dt, block, velocity, body->held, body->held_q);
}

void fil_solid_let_go(void* pointer)
{
    set_holds(pointer);
}

void fil_solid_begin(void* pointer, const FilStepSetup* setup, const double* q, const double* v, const double* h)
{
    FilSolidBody* body = pointer;
    body->setup = *setup;
    body->q0 = q;
    body->v0 = v;
    body->h0 = h;
    fil_chambers_begin(&body->chambers, h);
    set_holds(body);
    for (int b = 0; b < body->batch_count && body->rotations != NULL; b++) {
        fil_solid_batch_rotation(&body->batches[b], q, 4, body->rotations + 9 * b);
    }
    if (body->stiffness != NULL) {
        memset(body->stiffness, 0, sizeof(double) * FIL_BLOCK_SIZE * (size_t)body->block_count);
        add_stiffness(body, q, true, 1.0, body->stiffness);
    }
}

void fil_solid_guess(const void* pointer, const double* change, double* v)
{
    const FilSolidBody* body = pointer;
    for (int k = 0; k < 4 * body->mesh.vertex_count; k++) {
        v[k] = body->held[k] ? (body->held_q[k] - body->q0[k]) / body->setup.dt : body->v0[k] + change[k];
    }
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        v[4 * i + 3] = 0.0;
    }
}

/* Configuration and velocity that forces are taken at (P0 eq. 8), and the change of velocity. */
static void set_trial(FilSolidBody* body, const double* v)
{
    const double dt = body->setup.dt, theta = body->setup.theta, vq = body->setup.theta_vq;
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        for (int k = 4 * i; k < 4 * i + 3; k++) {
            const double move = body->held_q[k] - body->q0[k];
            body->q_theta[k] = body->q0[k] + theta * (body->held[k] ? move : dt * (vq * v[k] + (1.0 - vq) * body->v0[k]));
            body->v_theta[k] = body->held[k] ? move / dt : theta * v[k] + (1.0 - theta) * body->v0[k];
            body->change[k] = (body->held[k] ? move / dt : v[k]) - body->v0[k];
        }
    }
}

/* Damping D v_theta into body->damped. */
static void set_damping(FilSolidBody* body)
{
    const int unknowns = 4 * body->mesh.vertex_count;
    memset(body->damped, 0, sizeof(double) * (size_t)unknowns);
    if (body->damping_stiffness > 0.0) {
        const FilBlockPattern pattern = pattern_of(body);
        fil_block_multiply(&pattern, body->stiffness, body->v_theta, body->damped);
        for (int k = 0; k < unknowns; k++) {
            body->damped[k] *= body->damping_stiffness;
        }
    }
    if (body->damping_mass > 0.0) {
        multiply_mass(body, body->v_theta, body->scratch);
        for (int k = 0; k < unknowns; k++) {
            body->damped[k] += body->damping_mass * body->scratch[k];
        }
    }
}

/* Gas never is. */
bool fil_solid_linear(const void* pointer)
{
    const FilSolidBody* body = pointer;
    return fil_solid_material_is_linear(&body->material) && body->chambers.count == 0;
}

bool fil_solid_evaluate(void* pointer, const double* v, double shift, double* residual, double* potential)
{
    FilSolidBody* body = pointer;
    const double dt = body->setup.dt, theta = body->setup.theta;
    const bool stays = fil_solid_linear(body) && body->shift == shift;
    body->assembled = body->assembled && stays;
    body->factored = body->factored && body->assembled;
    body->shift = shift;
    set_trial(body, v);
    memset(body->gradient, 0, sizeof(double) * 4 * (size_t)body->mesh.vertex_count);
    const double over = implicit(body) ? 1.0 / (theta * body->setup.theta_vq) : 0.0;
    const double half_over_theta = implicit(body) ? 0.5 * dt / theta : 0.0;
    bool in_reach;
    double sum = over * add_gradient(body, body->q_theta, body->gradient);
    sum += over * fil_chambers_gradient(&body->chambers, body->q_theta, body->gradient, &in_reach);
    multiply_mass(body, body->change, body->momentum);
    set_damping(body);
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        residual[4 * i + 3] = 0.0;
        for (int j = 0; j < 3; j++) {
            const int k = 4 * i + j;
            const double force = body->load[k] + body->mass[i] * body->setup.gravity[j];
            const double m = body->momentum[k] + dt * (body->gradient[k] + body->damped[k] - force);  // eq. 1
            body->reaction[k] = m / dt;
            residual[k] = body->held[k] ? 0.0 : m;
            sum += 0.5 * body->change[k] * body->momentum[k] + half_over_theta * body->damped[k] * body->v_theta[k];
            sum -= body->held[k] ? 0.0 : over * force * body->q_theta[k];
        }
    }
    *potential = sum;
    return in_reach && isfinite(sum);
}

/* Makes a component's row and column those of the unit matrix: no unknown. */
static void fix_component(double* block, int component, bool diagonal)
{
    for (int j = 0; j < 4; j++) {
        block[4 * j + component] = block[4 * component + j] = 0.0;
    }
    block[5 * component] = diagonal ? 1.0 : 0.0;
}

/* Eq. 2 at the last evaluation. Any shift makes single elements positive definite; from 10 on it also adds mass, for
 * the sake of others. */
static void assemble(FilSolidBody* body)
{
    if (body->assembled) {
        return;
    }
    // the first three shifts are FIL_FIRST_SHIFT, 1 and 10
    const double dt = body->setup.dt, theta = body->setup.theta, shift = body->shift > 10.0 ? body->shift : 0.0;
    const bool linear = fil_solid_material_is_linear(&body->material);
    const FilSolidFactors factors =
        fil_solid_step_factors(body->damping_mass, body->damping_stiffness, theta, linear ? body->setup.theta_vq : 0.0, dt);
    double* values = body->values;
    for (int k = 0; k < FIL_BLOCK_SIZE * body->block_count; k++) {
        values[k] = body->stiffness != NULL ? factors.stiffness * body->stiffness[k] : 0.0;
    }
    if (implicit(body) && !linear) {
        add_stiffness(body, body->q_theta, body->shift > 0.0, theta * body->setup.theta_vq * dt * dt, values);
    }
    if (implicit(body)) {
        fil_chambers_stiffness(&body->chambers, body->q_theta, theta * body->setup.theta_vq * dt * dt, body->shift > 0.0, values);
    }
    for (int k = 0; k < body->block_count; k++) {
        const bool diagonal = body->block_column[k] == body->block_row[k];
        const bool* held = body->held + 4 * body->block_row[k];
        double* block = values + FIL_BLOCK_SIZE * (size_t)k;
        for (int j = 0; j < 3; j++) {
            block[5 * j] += (factors.mass + shift) * body->block_mass[k] + (diagonal && held[j] ? HOLD : 0.0);
        }
        block[15] += diagonal && block[15] == 0.0 ? 1.0 : 0.0;  // idle but in chambers
        if (body->plane_strain > 0) {
            fix_component(block, body->plane_strain - 1, diagonal);
        }
    }
    body->assembled = true;
    body->factored = false;
}

void fil_solid_diagonal(const void* pointer, const double* v, double* diagonal, double* scale)
{
    FilSolidBody* body = (FilSolidBody*)(uintptr_t)pointer;  // the tangent is made when first asked for
    assemble(body);
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        const double* block = body->values + FIL_BLOCK_SIZE * (size_t)body->block_start[i];
        for (int j = 0; j < 4; j++) {
            const int k = 4 * i + j;
            const bool is_free = j < 3 && !body->held[4 * i + j];
            diagonal[k] = is_free ? fmax(block[5 * j], body->block_mass[body->block_start[i]]) : 0.0;
            scale[k] =
                is_free ? body->mass[i] * (fabs(v[k]) + body->setup.dt * fabs(body->setup.gravity[j])) + body->setup.dt * fabs(body->load[k]) : 0.0;
        }
    }
}

bool fil_solid_factor(void* pointer)
{
    FilSolidBody* body = pointer;
    const FilBlockPattern pattern = pattern_of(body);
    if (!body->analysed && fil_supernodal_analyze(body->factor, &pattern, NULL, body->used) != FIL_OK) {
        return false;
    }
    body->analysed = true;
    assemble(body);
    body->factored = body->factored || fil_supernodal_factor(body->factor, body->values, NULL);
    return body->factored;
}

void fil_solid_solve(void* pointer, double* x)
{
    FilSolidBody* body = pointer;
    const FilBlockPattern pattern = pattern_of(body);
    const size_t bytes = sizeof(double) * 4 * (size_t)body->mesh.vertex_count;
    // explicit steps come without factoring: A = M
    if (!body->factored && !fil_solid_factor(body)) {
        memset(x, 0, bytes);
        return;
    }
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        for (int j = 0; j < 4; j++) {
            x[4 * i + j] = j == 3 || body->held[4 * i + j] ? 0.0 : x[4 * i + j];
        }
    }
    double* right = body->scratch;
    memcpy(right, x, bytes);
    fil_supernodal_solve(body->factor, x);
    fil_supernodal_refine(body->factor, &pattern, body->values, NULL, NULL, right, x, REFINE, REFINEMENTS, right + 4 * body->mesh.vertex_count);
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        for (int j = 0; j < 4; j++) {
            x[4 * i + j] = j == 3 || body->held[4 * i + j] ? 0.0 : x[4 * i + j];
        }
    }
}

void fil_solid_tangent(void* pointer, double* values)
{
    FilSolidBody* body = pointer;
    assemble(body);
    memcpy(values, body->values, sizeof(double) * FIL_BLOCK_SIZE * (size_t)body->block_count);
}

/* ---- the end of a step ---- */

void fil_solid_push(void* pointer, const double* v, const double* impulse, double* scratch)
{
    FilSolidBody* body = pointer;
    double potential;
    if (body->holds.count == 0 || (scratch != NULL && !fil_solid_evaluate(body, v, 0.0, scratch, &potential))) {
        return;
    }
    // what holds need not do themselves
    for (int k = 0; k < 4 * body->mesh.vertex_count; k++) {
        body->reaction[k] -= impulse[k] / body->setup.dt;
    }
}

void fil_solid_finish(void* pointer, const double* v, double* q1, double* v1, double* h1)
{
    FilSolidBody* body = pointer;
    fil_chambers_finish(&body->chambers, body->h0, h1);
    const double dt = body->setup.dt, vq = body->setup.theta_vq;
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        for (int k = 4 * i; k < 4 * i + 3; k++) {
            q1[k] = body->held[k] ? body->held_q[k] : body->q0[k] + dt * (vq * v[k] + (1.0 - vq) * body->v0[k]);
            v1[k] = body->held[k] ? (body->held_q[k] - body->q0[k]) / dt : v[k];
        }
        q1[4 * i + 3] = v1[4 * i + 3] = 0.0;
    }
    fil_vertex_holds_collect(&body->holds, body->q_theta, body->reaction);
}
