/* One step of a soft arm by the theta-method, m(v) = M (v - v0) - dt (f - K q_theta - B v_theta + tau) = 0.
 * Stiffness and damping are always implicit (as far as theta says). Semi-implicit steps take M and f at the start, so
 * that m is linear and one solution does; implicit ones take them at q_theta, v_theta and solve with the tangent of the
 * rest, which converges fast while the shape changes little in a step.
 *
 * With RK23 the free motion is known beforehand; m is then A (v - v_free), the semi-implicit m less its value at
 * v_free, for the contact model to add impulses to. */
#include <math.h>
#include <string.h>

#include "base/script.h"
#include "base/vec3.h"
#include "body/soft_arm.h"

static int unknowns(const FilSoftArm* arm)
{
    return fil_soft_arm_unknowns(arm);
}

/* ---- chambers ---- */

/* Pressure of a chamber over the step: its mean, whose impulse is exact whatever dt, and its value at the end.
 * p' = (command - p) / T gives p = command + (p0 - command) exp(-t / T). */
static void valve(const FilSoftArm* arm, int chamber, double* mean, double* end)
{
    const double *commanded = arm->h0 + arm->chamber_count, *wanted = commanded + arm->chamber_count;
    const double command = *fil_script_or_command(commanded[chamber], &arm->command[chamber], &wanted[chamber]);
    *mean = *end = command;
    if (arm->valve_time > 0.0) {
        const double ratio = arm->setup.dt / arm->valve_time, behind = arm->h0[chamber] - command;
        *mean += behind * -expm1(-ratio) / ratio;
        *end += behind * exp(-ratio);
    }
}

/* tau = sum p area dl/dq */
static void push_chambers(FilSoftArm* arm)
{
    memset(arm->drive, 0, sizeof(double) * (size_t)unknowns(arm));
    for (int c = 0; c < arm->chamber_count; c++) {
        const int section = arm->chamber_section[c];
        double mean, end;
        valve(arm, c, &mean, &end);
        fil_v3_axpy(arm->drive + 4 * section, mean * arm->sections[section].chamber_area, arm->chamber_map + 3 * c);
    }
}

/* ---- the equations ---- */

static bool follows(const FilSoftArm* arm)
{
    return arm->scheme != FIL_ARM_RK23 && arm->setup.theta > 0.0 && (arm->scheme == FIL_ARM_IMPLICIT || arm->setup.theta < 1.0);
}

/* Positions and velocities at the theta-point for v at the end; false if a section would have no length. */
static bool move_to(FilSoftArm* arm, const double* v)
{
    const double dt = arm->setup.dt, theta = arm->setup.theta, vq = arm->setup.theta_vq;
    for (int k = 0; k < unknowns(arm); k++) {
        arm->v_theta[k] = vq * v[k] + (1.0 - vq) * arm->v0[k];
    }
    // q_theta = theta q1 + (1 - theta) q0
    fil_soft_arm_move(arm, arm->q0, arm->v_theta, theta * dt, arm->q_theta);
    for (int k = 0; k < unknowns(arm); k++) {
        arm->v_theta[k] = theta * v[k] + (1.0 - theta) * arm->v0[k];
    }
    return fil_soft_arm_has_length(arm, arm->q_theta);
}

static void residual_of(const FilSoftArm* arm, const double* v, double* residual)
{
    const int n = unknowns(arm);
    const double dt = arm->setup.dt;
    for (int r = 0; r < n; r++) {
        double sum = 0.0;
        for (int c = 0; c < n; c++) {
            sum += arm->mass[r * n + c] * (v[c] - arm->v0[c]);
        }
        const double spring = fil_soft_arm_stiffness(arm, r / 4) * arm->q_theta[r];
        const double damper = fil_soft_arm_damping(arm, r / 4) * arm->v_theta[r];
        residual[r] = r % 4 == 3 ? 0.0 : sum - dt * (arm->force[r] + arm->drive[r] - spring - damper) - arm->offset[r];
    }
}

void fil_soft_arm_begin(void* pointer, const FilStepSetup* setup, const double* q, const double* v, const double* h)
{
    FilSoftArm* arm = pointer;
    arm->setup = *setup;
    arm->q0 = q;
    arm->v0 = v;
    arm->h0 = h;
    push_chambers(arm);
    arm->lost = arm->scheme == FIL_ARM_RK23 && !fil_soft_arm_rk23(arm);
    if (follows(arm)) {
        return;
    }
    fil_soft_arm_dynamics(arm, q, v, setup->gravity, arm->mass, arm->force);
    memset(arm->offset, 0, sizeof(double) * (size_t)unknowns(arm));
    if (arm->scheme == FIL_ARM_RK23 && !arm->lost) {
        double* v_free = arm->free_motion + unknowns(arm);
        (void)move_to(arm, v_free);
        residual_of(arm, v_free, arm->residual0);
        memcpy(arm->offset, arm->residual0, sizeof(double) * (size_t)unknowns(arm));
    }
    (void)move_to(arm, v);  // m(v0) is wanted even where the step cannot stay
    residual_of(arm, v, arm->residual0);
}

void fil_soft_arm_guess(const void* pointer, const double* change, double* v)
{
    const FilSoftArm* arm = pointer;
    for (int k = 0; k < unknowns(arm); k++) {
        const double found = arm->scheme == FIL_ARM_RK23 ? arm->free_motion[unknowns(arm) + k] : arm->v0[k] + change[k];
        v[k] = k % 4 == 3 ? 0.0 : found;
    }
}

bool fil_soft_arm_evaluate(void* pointer, const double* v, double shift, double* residual, double* potential)
{
    FilSoftArm* arm = pointer;
    const int n = unknowns(arm);
    const double dt = arm->setup.dt, theta = arm->setup.theta, vq = arm->setup.theta_vq;
    if (arm->lost || !fil_all_finite(v, n) || !move_to(arm, v)) {
        return false;
    }
    if (follows(arm)) {
        fil_soft_arm_dynamics(arm, arm->q_theta, arm->v_theta, arm->setup.gravity, arm->mass, arm->force);
    }
    residual_of(arm, v, residual);
    // A = M + dt theta B + dt^2 theta theta_vq K
    for (int r = 0; r < n; r++) {
        for (int c = 0; c <= r; c++) {
            arm->tangent[r * n + c] = (1.0 + shift) * arm->mass[r * n + c];
        }
        if (r % 4 != 3) {
            arm->tangent[r * n + r] += dt * theta * (fil_soft_arm_damping(arm, r / 4) + dt * vq * fil_soft_arm_stiffness(arm, r / 4));
        }
    }
    // m is linear: its potential above that of v0; where it is not there is none, and the residual decides alone
    *potential = follows(arm) ? NAN : 0.0;
    for (int k = 0; k < n && !follows(arm); k++) {
        *potential += 0.5 * (residual[k] + arm->residual0[k]) * (v[k] - arm->v0[k]);
    }
    // explicit steps solve at once
    return fil_all_finite(residual, n) && (theta > 0.0 || fil_soft_arm_factor(arm));
}

void fil_soft_arm_diagonal(const void* pointer, const double* v, double* diagonal, double* scale)
{
    const FilSoftArm* arm = pointer;
    const int n = unknowns(arm);
    for (int k = 0; k < n; k++) {
        const bool used = k % 4 != 3;
        diagonal[k] = used ? arm->tangent[k * n + k] : 0.0;
        scale[k] = used ? diagonal[k] * fabs(v[k]) + arm->setup.dt * (fabs(arm->force[k]) + fabs(arm->drive[k])) : 0.0;
    }
}

void fil_soft_arm_finish(void* pointer, const double* v, double* q1, double* v1, double* h1)
{
    FilSoftArm* arm = pointer;
    const int n = unknowns(arm);
    const double dt = arm->setup.dt, vq = arm->setup.theta_vq;
    for (int k = 0; k < n; k++) {
        v1[k] = k % 4 == 3 ? 0.0 : v[k];
        arm->v_theta[k] = vq * v1[k] + (1.0 - vq) * arm->v0[k];
    }
    fil_soft_arm_move(arm, arm->q0, arm->v_theta, dt, q1);
    // where nothing pushed, RK23 knows the positions; else they follow from the velocities, as contact models assume
    const size_t bytes = sizeof(double) * (size_t)n;
    if (arm->scheme == FIL_ARM_RK23 && memcmp(v, arm->free_motion + n, bytes) == 0) {
        memcpy(q1, arm->free_motion, bytes);
    }
    for (int c = 0; c < arm->chamber_count; c++) {
        double mean;
        valve(arm, c, &mean, &h1[c]);
    }
    const int rest = (FIL_ARM_HISTORY - 1) * arm->chamber_count;
    memcpy(h1 + arm->chamber_count, arm->h0 + arm->chamber_count, sizeof(double) * (size_t)rest);
}
