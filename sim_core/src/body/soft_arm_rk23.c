/* Free motion of a soft arm by the explicit Runge-Kutta pair of Bogacz and Shampine, of third order with an estimate of
 * its error of second order. Sub-steps inside the world's step follow the tolerance; they start anew from the whole
 * step each time, so that the result depends on nothing but the state. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "body/soft_arm.h"

/* Lengths and velocities below this (m, m/s) need not be resolved relative to themselves. */
static const double SCALE = 1e-2;

/* Of a step: a bound only, 10 ns each of a step of 1 ms; an arm that needs more fails, and the world halves its step. */
enum { MAX_STEPS = 100000 };

/* Derivative of y = (q, v): (v, M^-1 (f + tau - K q - B v)); false if a section has no length or M no factor. */
static bool slope(FilSoftArm* arm, const double* y, double* out)
{
    const int n = 4 * arm->section_count;
    const double *q = y, *v = y + n;
    if (!fil_soft_arm_has_length(arm, q)) {
        return false;
    }
    fil_soft_arm_dynamics(arm, q, v, arm->setup.gravity, arm->mass, arm->force);
    memcpy(arm->tangent, arm->mass, sizeof(double) * (size_t)n * (size_t)n);
    memcpy(out, v, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++) {
        const double spring = fil_soft_arm_stiffness(arm, k / 4) * q[k], damper = fil_soft_arm_damping(arm, k / 4) * v[k];
        out[n + k] = k % 4 == 3 ? 0.0 : arm->force[k] + arm->drive[k] - spring - damper;
    }
    if (!fil_soft_arm_factor(arm)) {
        return false;
    }
    fil_soft_arm_solve(arm, out + n);
    return fil_all_finite(out, 2 * n);
}

/* to = y + h sum w_i k_i over the first `count` stages */
static void advance(double* to, const double* y, double h, const double* weights, const double* stages, int count, int size)
{
    for (int j = 0; j < size; j++) {
        double sum = 0.0;
        for (int i = 0; i < count; i++) {
            sum += weights[i] * stages[i * size + j];
        }
        to[j] = y[j] + h * sum;
    }
}

/* One step from y to `next` with the slope at y in the first stage; leaves that at the end in the last. Returns its
 * error in units of the tolerance, or infinity. */
static double try_step(FilSoftArm* arm, const double* y, double h, double* stages, double* next)
{
    // Bogacz and Shampine 1989: nodes 1/2 and 3/4, the third order's weights, and how the second order's differ from them
    static const double second[] = {0.5}, third[] = {0.0, 0.75}, solution[] = {2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0};
    static const double error[] = {-5.0 / 72.0, 1.0 / 12.0, 1.0 / 9.0, -1.0 / 8.0};
    const int size = 8 * arm->section_count;
    advance(next, y, h, second, stages, 1, size);
    if (!slope(arm, next, stages + size)) {
        return INFINITY;
    }
    advance(next, y, h, third, stages, 2, size);
    if (!slope(arm, next, stages + 2 * size)) {
        return INFINITY;
    }
    advance(next, y, h, solution, stages, 3, size);
    if (!slope(arm, next, stages + 3 * size)) {
        return INFINITY;
    }
    double worst = 0.0;
    for (int j = 0; j < size; j++) {
        double sum = 0.0;
        for (int i = 0; i < 4; i++) {
            sum += error[i] * stages[i * size + j];
        }
        worst = fmax(worst, fabs(h * sum) / (SCALE + fmax(fabs(y[j]), fabs(next[j]))));
    }
    return worst / arm->rk_tolerance;
}

bool fil_soft_arm_rk23(FilSoftArm* arm)
{
    const int n = 4 * arm->section_count, size = 2 * n;
    const size_t bytes = sizeof(double) * (size_t)size;
    double *y = arm->free_motion, *next = arm->rk, *stages = next + size;
    memcpy(y, arm->q0, bytes / 2);
    memcpy(y + n, arm->v0, bytes / 2);
    if (!slope(arm, y, stages)) {
        return false;
    }
    double t = 0.0, h = arm->setup.dt;
    for (int step = 0; t < arm->setup.dt; step++) {
        const double left = arm->setup.dt - t;
        const bool last = h >= left * (1.0 - 1e-12);  // no step of rounding's size is left over
        h = last ? left : h;
        const double error = try_step(arm, y, h, stages, next);
        // so short a step, of slopes that are no longer smooth, gets nowhere: it would take 1e9 of them, 1e4 times MAX_STEPS
        if (step == MAX_STEPS || h < 1e-9 * arm->setup.dt) {
            return false;
        }
        if (error <= 1.0) {
            t = last ? arm->setup.dt : t + h;
            memcpy(y, next, bytes);
            memcpy(stages, stages + 3 * size, bytes);  // the slope at the end is that of the next start
        }
        // the error is of third order in h; 0.9 for safety, and no wild changes
        h *= fmin(5.0, fmax(0.2, 0.9 * pow(fmax(error, DBL_MIN), -1.0 / 3.0)));
    }
    return true;
}
