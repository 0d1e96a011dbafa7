/* One step of a tree of links.
 *
 * Euler steps take the mass matrix and the bias of Coriolis and gyroscopic terms from the start, damping from the end
 * (P3 sec. VI): m(v) = M (v - v0) - dt (f - D v) is linear, and the free motion is known at once. A stage of a step takes mass matrix
 * and bias from its end, as contact and joints leave it (of free motion they would be off by first order), the midpoint rule half-way; both
 * solve with the tangent M + dt theta D, which lacks only terms of order dt. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "body/articulated.h"

/* Free motion of a stage is found to this share of velocities, or as well as so many repeats do: double pendulums take 4 to 6 at 4 ms. */
#define PREDICTED 1e-15
enum { MAX_PREDICTIONS = 12 };

static bool is_midpoint(const FilArticulated* robot)
{
    return robot->setup.theta > 0.0 && robot->setup.theta < 1.0;
}

/* Weight of the end in the damping: implicit even where the rest is explicit. */
static double damping_weight(const FilArticulated* robot)
{
    return is_midpoint(robot) ? robot->setup.theta : 1.0;
}

/* Mass matrix, tangent, and the force at a state: efforts of commands and bias. */
static void assemble(FilArticulated* robot, const double* q, const double* v)
{
    const double weight = robot->setup.dt * damping_weight(robot);
    fil_articulated_dynamics(robot, q, v, robot->setup.gravity, robot->mass, robot->force);
    for (int d = 0; d < robot->dof_count; d++) {
        robot->force[d] = -robot->force[d];
    }
    for (int j = 0; j < robot->joint_count; j++) {
        robot->force[robot->bodies[robot->joints[j].body].v] += robot->target[j].effort;
    }
    memcpy(robot->tangent, robot->mass, sizeof(double) * (size_t)robot->entry_count);
    for (int d = 0; d < robot->dof_count; d++) {
        robot->tangent[robot->row[d] + robot->depth[d]] += weight * robot->damping[d];
    }
}

/* Free motion v0 + A^-1 dt (f - D v0) with what was assembled. */
static void move_freely(FilArticulated* robot)
{
    const double dt = robot->setup.dt;
    for (int d = 0; d < robot->dof_count; d++) {
        robot->v_free[d] = dt * (robot->force[d] - robot->damping[d] * robot->v0[d]);
    }
    if (fil_articulated_factor(robot)) {
        fil_articulated_solve_entries(robot, robot->factor, robot->v_free);
    }
    for (int d = 0; d < robot->dof_count; d++) {
        robot->v_free[d] += robot->v0[d];
    }
}

void fil_articulated_begin(void* pointer, const FilStepSetup* setup, const double* q, const double* v, const double* h)
{
    FilArticulated* robot = pointer;
    robot->setup = *setup;
    robot->q0 = q;
    robot->v0 = v;
    robot->h0 = h;
    fil_articulated_aim(robot);
    if (robot->dof_count == 0 || is_midpoint(robot)) {
        return;
    }
    assemble(robot, q, v);
    move_freely(robot);
    // a stage's own end; each time the error falls by dt times rates
    double change = setup->staged ? INFINITY : 0.0;
    for (int k = 0; k < MAX_PREDICTIONS && change > PREDICTED; k++) {
        memcpy(robot->v_theta, robot->v_free, sizeof(double) * (size_t)robot->dof_count);
        fil_articulated_move(robot, q, robot->v_theta, setup->dt, robot->q_theta);
        assemble(robot, robot->q_theta, robot->v_theta);
        move_freely(robot);
        double size = change = 0.0;
        for (int d = 0; d < robot->dof_count; d++) {
            change = fmax(change, fabs(robot->v_free[d] - robot->v_theta[d]));
            size = fmax(size, fabs(robot->v_free[d]));
        }
        change = size > 0.0 ? change / size : 0.0;
    }
}

void fil_articulated_guess(const void* pointer, const double* change, double* v)
{
    const FilArticulated* robot = pointer;
    memset(v, 0, sizeof(double) * (size_t)robot->v_count);
    for (int d = 0; d < robot->dof_count; d++) {
        v[d] = is_midpoint(robot) ? robot->v0[d] + change[d] : robot->v_free[d];
    }
}

/* m(v) half-way, or at a stage's end. */
static bool evaluate_implicit(FilArticulated* robot, const double* v, double* residual)
{
    const double dt = robot->setup.dt, theta = damping_weight(robot);
    for (int d = 0; d < robot->dof_count; d++) {
        robot->v_theta[d] = theta * v[d] + (1.0 - theta) * robot->v0[d];
        robot->scratch[d] = v[d] - robot->v0[d];
    }
    fil_articulated_move(robot, robot->q0, robot->v_theta, theta * dt, robot->q_theta);
    if (!fil_all_finite(robot->q_theta, robot->q_count)) {
        return false;
    }
    assemble(robot, robot->q_theta, robot->v_theta);
    fil_articulated_multiply(robot, robot->mass, robot->scratch, residual);
    for (int d = 0; d < robot->dof_count; d++) {
        residual[d] -= dt * (robot->force[d] - robot->damping[d] * robot->v_theta[d]);
    }
    return true;
}

bool fil_articulated_evaluate(void* pointer, const double* v, double shift, double* residual, double* potential)
{
    (void)shift;  // the tangent is mass and damping
    FilArticulated* robot = pointer;
    const int n = robot->dof_count;
    memset(residual, 0, sizeof(double) * (size_t)robot->v_count);
    *potential = 0.0;
    if (!fil_all_finite(v, n)) {
        return false;
    }
    if (is_midpoint(robot)) {
        *potential = NAN;  // there is none: the residual decides alone
        return evaluate_implicit(robot, v, residual) && fil_all_finite(residual, n);
    }
    for (int d = 0; d < n; d++) {
        robot->scratch[d] = v[d] - robot->v_free[d];
    }
    fil_articulated_multiply(robot, robot->tangent, robot->scratch, residual);
    for (int d = 0; d < n; d++) {
        *potential += 0.5 * residual[d] * robot->scratch[d];
    }
    return isfinite(*potential) && (!robot->setup.staged || (evaluate_implicit(robot, v, residual) && fil_all_finite(residual, n)));
}

void fil_articulated_diagonal(const void* pointer, const double* v, double* diagonal, double* scale)
{
    const FilArticulated* robot = pointer;
    memset(diagonal, 0, sizeof(double) * (size_t)robot->v_count);
    memset(scale, 0, sizeof(double) * (size_t)robot->v_count);
    for (int d = 0; d < robot->dof_count; d++) {
        diagonal[d] = robot->tangent[robot->row[d] + robot->depth[d]];
        scale[d] = diagonal[d] * fabs(v[d]) + robot->setup.dt * fabs(robot->force[d]);
    }
}

bool fil_articulated_factor(void* pointer)
{
    const FilArticulated* robot = pointer;
    memcpy(robot->factor, robot->tangent, sizeof(double) * (size_t)robot->entry_count);
    return fil_articulated_factor_entries(robot, robot->factor);
}

void fil_articulated_solve(void* pointer, double* x)
{
    const FilArticulated* robot = pointer;
    fil_articulated_solve_entries(robot, robot->factor, x);
}

void fil_articulated_finish(void* pointer, const double* v, double* q1, double* v1, double* h1)
{
    const FilArticulated* robot = pointer;
    const double vq = robot->setup.theta_vq;
    memset(v1, 0, sizeof(double) * (size_t)robot->v_count);
    for (int d = 0; d < robot->dof_count; d++) {
        v1[d] = v[d];
        robot->scratch[d] = vq * v[d] + (1.0 - vq) * robot->v0[d];
    }
    fil_articulated_move(robot, robot->q0, robot->scratch, robot->setup.dt, q1);
    fil_articulated_carry_commands(robot, robot->h0, h1);
}

/* ---- for contact ---- */

int fil_articulated_tangent_pattern(void* pointer, int* columns, int* rows)
{
    const FilArticulated* robot = pointer;
    const int n = robot->v_count / 4;
    for (int c = 0; c < n && columns != NULL && rows != NULL; c++) {
        for (int r = c; r < n; r++) {
            const int at = robot->block_at[r * n + c];
            if (at >= 0) {
                columns[at] = c;
                rows[at] = r;
            }
        }
    }
    return robot->block_count;
}

void fil_articulated_tangent(void* pointer, double* values)
{
    const FilArticulated* robot = pointer;
    const int n = robot->v_count / 4;
    memset(values, 0, sizeof(double) * 16 * (size_t)robot->block_count);
    for (int k = 0; k < robot->dof_count; k++) {
        const int* below = robot->below + robot->row[k];
        for (int t = 0; t <= robot->depth[k]; t++) {
            const int c = below[t];
            double* block = values + 16 * robot->block_at[(k / 4) * n + c / 4];
            const double value = robot->tangent[robot->row[k] + t];
            block[4 * (c % 4) + k % 4] = value;
            if (k / 4 == c / 4) {  // a block on the diagonal is full
                block[4 * (k % 4) + c % 4] = value;
            }
        }
    }
    for (int k = robot->dof_count; k < robot->v_count; k++) {  // idle unknowns
        values[16 * robot->block_at[(k / 4) * n + k / 4] + 5 * (k % 4)] = 1.0;
    }
}
