/* Semismooth Newton for the LCP: phi(w, z) = w + z - sqrt(w^2 + z^2) = 0 for each pair (Fischer and Burmeister), with
 * phi_w = 1 - w/rho =: p and phi_z = 1 - z/rho =: s. A step solves
 *     p (dw + lambda dz) + s dz = -phi
 * for scaled pairs, with Levenberg and Marquardt's rule for lambda: less after a step that lowers |phi|^2, more after
 * one that does not. Adding lambda to the slacks' own derivative rather than to the normal equations keeps the step of
 * one unit a closed formula of its change of velocity, dgamma_i = -G_i dc_i - h_i,   dc_i = Y_i du so that what is left
 * to solve has the dimension of u, (1 + sum Y_i' G_i Y_i) du = -sum Y_i' h_i.
 *
 * Near a solution that is all. Where it stalls, the kinks are rounded, sqrt(w^2 + z^2 + 2 tau^2), whose solutions w z =
 * tau^2 lead from the inside to one of the problem as tau goes to zero. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/lcp_problem.h"

/* Of Levenberg and Marquardt, in units of the scaled system: where it starts, and its floor, which keeps the system regular at 1e4 times rounding;
 * the first is another 1e4 above, so that a first step is Newton's to single precision. */
#define LAMBDA_FIRST 1e-8
#define MIN_LAMBDA 1e-12

/* Rounding falls to this share when the rounded problem is solved to this share of it. */
#define ROUNDING_FALLS 0.1
#define ROUNDED_SOLVED 0.5

/* Steps in a row that fail before the kinks are rounded. */
#define STALLS 3

/* How good a point is. */
typedef struct Value {
    double merit; /* 1/2 |phi|^2 */
    double miss;  /* worst |min(w, z)| */
} Value;

typedef struct Newton {
    FilLcpProblem* problem;
    double* matrix;       /* dimension^2, by rows */
    double *du, *u_trial; /* dimension */
    double *phi, *p, *s;  /* of each unknown, at z */
    double *phi_trial, *p_trial, *s_trial;
    double *dz, *z_trial;
    Value value; /* at z */
    double tau;
} Newton;

/* phi and its derivatives without cancellation. */
static inline void fischer(double w, double z, double tau, double* phi, double* p, double* s)
{
    const double rho = sqrt(w * w + z * z + 2.0 * tau * tau);
    if (rho < DBL_MIN) {
        *phi = 0.0;
        *p = *s = 1.0 - M_SQRT1_2;
        return;
    }
    const double inverse = 1.0 / rho, sum = w + z;
    *phi = sum > 0.0 ? 2.0 * (w * z - tau * tau) / (sum + rho) : sum - rho;
    *p = w > 0.0 ? (z * z + 2.0 * tau * tau) * inverse / (rho + w) : 1.0 - w * inverse;
    *s = z > 0.0 ? (w * w + 2.0 * tau * tau) * inverse / (rho + z) : 1.0 - z * inverse;
}

/* phi and its derivatives at z. */
static Value evaluate(const FilLcpProblem* problem, const double* z, const double* u, double tau, double* phi, double* p, double* s)
{
    Value value = {0.0, 0.0};
    double w[FIL_LCP_MAX_DIRECTIONS + 2];
    for (int a = 0; a < problem->active_count; a++) {
        const int unit = problem->active[a];
        const FilLcpUnit* data = &problem->units[unit];
        const size_t first = (size_t)problem->size * (size_t)unit;
        double c[3];
        fil_lcp_velocity(problem, unit, u, c);
        fil_lcp_slacks(problem, unit, c, z + first, w);
        for (int k = 0; k < problem->size; k++) {
            const size_t at = first + (size_t)k;
            if (fil_lcp_used(problem, data, k)) {
                const double scaled_w = problem->row_scale[at] * w[k], scaled_z = z[at] / problem->column_scale[at];
                fischer(scaled_w, scaled_z, tau, &phi[at], &p[at], &s[at]);
                value.merit += 0.5 * phi[at] * phi[at];
                value.miss = fmax(value.miss, fabs(fmin(scaled_w, scaled_z)));
            }
        }
    }
    return value;
}

/* ---- one unit: dgamma = -G dc - h ---- */

/* Derivatives of unknown k with respect to unscaled w and z. */
static inline void unscaled(const Newton* n, size_t at, double lambda, double* dw, double* dz)
{
    *dw = n->p[at] * n->problem->row_scale[at];
    *dz = (n->s[at] + lambda * n->p[at]) / n->problem->column_scale[at];
}

/* Of a contact's directions: sums of g_k = dw_k/dz_k and h_k = phi_k/dz_k, with d_k and d_k d_k'. */
typedef struct Fan {
    double g, gd[2], gdd[3], h, hd[2];
} Fan;

static Fan fan_of(const Newton* n, size_t first, double lambda)
{
    Fan fan = {0};
    for (int k = 0; k < n->problem->directions; k++) {
        const double* d = n->problem->direction + 2 * k;
        const size_t at = first + 1 + (size_t)k;
        double dw, dz;
        unscaled(n, at, lambda, &dw, &dz);
        const double inverse = 1.0 / dz, g = dw * inverse, h = n->phi[at] * inverse;
        fan.g += g;
        fan.gd[0] += g * d[0];
        fan.gd[1] += g * d[1];
        fan.gdd[0] += g * d[0] * d[0];
        fan.gdd[1] += g * d[0] * d[1];
        fan.gdd[2] += g * d[1] * d[1];
        fan.h += h;
        fan.hd[0] += h * d[0];
        fan.hd[1] += h * d[1];
    }
    return fan;
}

/* df = -gn dc_n - hn */
static void normal_step(const Newton* n, int unit, double lambda, double* gn, double* hn)
{
    const FilLcpUnit* data = &n->problem->units[unit];
    const size_t first = (size_t)n->problem->size * (size_t)unit, last = first + (size_t)n->problem->size - 1;
    double dw, dz;
    unscaled(n, first, lambda, &dw, &dz);
    double divisor = dw * (data->compliance + n->problem->softness[unit]) + dz, right = n->phi[first];
    if (data->kind == FIL_LCP_LIMIT && fil_lcp_used(n->problem, data, n->problem->size - 1)) {
        // dg = (dw_g df - phi_g)/dz_g enters the slack of f
        double dw_g, dz_g;
        unscaled(n, last, lambda, &dw_g, &dz_g);
        divisor += dw * dw_g / dz_g;
        right -= dw * n->phi[last] / dz_g;
    }
    *gn = dw / divisor;
    *hn = right / divisor;
}

/* G (9, by rows) and h (3) of a unit. */
static void unit_step(const Newton* n, int unit, double lambda, double* step)
{
    const FilLcpUnit* data = &n->problem->units[unit];
    const size_t first = (size_t)n->problem->size * (size_t)unit, last = first + (size_t)n->problem->size - 1;
    double gn, hn;
    memset(step, 0, 12 * sizeof *step);
    normal_step(n, unit, lambda, &gn, &hn);
    step[8] = gn;
    step[11] = hn;
    if (data->kind == FIL_LCP_LIMIT) {
        return;
    }
    // dg = -(phi_g + dw_g (mu df + h + gd . dc_t))/q,  dgamma_t = -hd - gdd dc_t - gd dg
    const Fan fan = fan_of(n, first, lambda);
    double dw, dz;
    unscaled(n, last, lambda, &dw, &dz);
    const double q = dz + dw * fan.g, share = dw / q;
    const double slip = (n->phi[last] + dw * fan.h) / q - share * data->mu * hn;
    step[0] = fan.gdd[0] - share * fan.gd[0] * fan.gd[0];
    step[1] = step[3] = fan.gdd[1] - share * fan.gd[0] * fan.gd[1];
    step[4] = fan.gdd[2] - share * fan.gd[1] * fan.gd[1];
    step[2] = share * data->mu * gn * fan.gd[0];
    step[5] = share * data->mu * gn * fan.gd[1];
    step[9] = fan.hd[0] - fan.gd[0] * slip;
    step[10] = fan.hd[1] - fan.gd[1] * slip;
}

/* dz of a unit from its change of velocity. */
static void back_substitute(const Newton* n, int unit, double lambda, const double* dc, double* out)
{
    const FilLcpProblem* problem = n->problem;
    const FilLcpUnit* data = &problem->units[unit];
    const size_t first = (size_t)problem->size * (size_t)unit, last = first + (size_t)problem->size - 1;
    double gn, hn, dw, dz;
    normal_step(n, unit, lambda, &gn, &hn);
    const double df = -gn * dc[2] - hn;
    double* dg = out + problem->size - 1;
    out[0] = df;
    unscaled(n, last, lambda, &dw, &dz);
    if (data->kind == FIL_LCP_LIMIT) {
        *dg = fil_lcp_used(problem, data, problem->size - 1) ? (dw * df - n->phi[last]) / dz : 0.0;
        return;
    }
    const Fan fan = fan_of(n, first, lambda);
    *dg = -(n->phi[last] + dw * (data->mu * df + fan.h + fan.gd[0] * dc[0] + fan.gd[1] * dc[1])) / (dz + dw * fan.g);
    for (int k = 0; k < problem->directions; k++) {
        const double* d = problem->direction + 2 * k;
        double dw_k, dz_k;
        unscaled(n, first + 1 + (size_t)k, lambda, &dw_k, &dz_k);
        out[1 + k] = -(n->phi[first + 1 + (size_t)k] + dw_k * (d[0] * dc[0] + d[1] * dc[1] + *dg)) / dz_k;
    }
}

/* ---- all units ---- */

/* Gauss with row exchanges on an n x n matrix by rows; x becomes the solution. */
static bool solve_dense(double* a, int n, double* x)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int r = k + 1; r < n; r++) {
            best = fabs(a[r * n + k]) > fabs(a[best * n + k]) ? r : best;
        }
        if (!(fabs(a[best * n + k]) > 0.0)) {
            return false;
        }
        for (int c = k; c < n && best != k; c++) {
            const double swap = a[k * n + c];
            a[k * n + c] = a[best * n + c];
            a[best * n + c] = swap;
        }
        const double top = x[best];
        x[best] = x[k];
        x[k] = top;
        const double inverse = 1.0 / a[k * n + k];
        for (int r = k + 1; r < n; r++) {
            const double factor = a[r * n + k] * inverse;
            for (int c = k + 1; c < n; c++) {
                a[r * n + c] -= factor * a[k * n + c];
            }
            x[r] -= factor * x[k];
        }
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int c = r + 1; c < n; c++) {
            x[r] -= a[r * n + c] * x[c];
        }
        x[r] /= a[r * n + r];
    }
    return true;
}

/* matrix += Y' G Y, du -= Y' h */
static void add_unit(Newton* n, int unit, const double* step)
{
    const int d = n->problem->dimension;
    const double* y = n->problem->rows + 3 * (size_t)unit * (size_t)d;
    for (int r = 0; r < d; r++) {
        const double y0 = y[r], y1 = y[d + r], y2 = y[2 * d + r];
        if (y0 == 0.0 && y1 == 0.0 && y2 == 0.0) {
            continue;  // no part of this unit's bodies
        }
        // row r of Y' G: G's columns against y
        const double a = y0 * step[0] + y1 * step[3] + y2 * step[6], b = y0 * step[1] + y1 * step[4] + y2 * step[7],
                     c = y0 * step[2] + y1 * step[5] + y2 * step[8];
        double* row = n->matrix + (size_t)r * (size_t)d;
        for (int k = 0; k < d; k++) {
            row[k] += a * y[k] + b * y[d + k] + c * y[2 * d + k];
        }
        n->du[r] -= y0 * step[9] + y1 * step[10] + y2 * step[11];
    }
}

/* dz for a lambda; false if the equations are singular. */
static bool find_step(Newton* n, double lambda)
{
    FilLcpProblem* problem = n->problem;
    const int d = problem->dimension;
    memset(n->matrix, 0, sizeof(double) * (size_t)d * (size_t)d);
    memset(n->du, 0, sizeof(double) * (size_t)d);
    for (int k = 0; k < d; k++) {
        n->matrix[(size_t)k * (size_t)(d + 1)] = 1.0;
    }
    for (int a = 0; a < problem->active_count; a++) {
        double step[12];
        unit_step(n, problem->active[a], lambda, step);
        add_unit(n, problem->active[a], step);
    }
    if (!solve_dense(n->matrix, d, n->du) || !fil_all_finite(n->du, d)) {
        return false;
    }
    for (int a = 0; a < problem->active_count; a++) {
        const int unit = problem->active[a];
        double dc[3];
        fil_lcp_velocity(problem, unit, n->du, dc);
        fil_v3_sub(dc, dc, problem->units[unit].free);
        back_substitute(n, unit, lambda, dc, n->dz + (size_t)problem->size * (size_t)unit);
    }
    return true;
}

static bool reserve(Newton* n, FilLcpScratch* scratch)
{
    const size_t d = (size_t)n->problem->dimension;
    const size_t all = (size_t)n->problem->size * (size_t)n->problem->unit_count;
    if (!fil_doubles_reserve(&scratch->numbers, d * d + 2 * d + 8 * all)) {
        return false;
    }
    double* next = scratch->numbers.at;
    n->matrix = next, next += d * d;
    n->du = next, next += d;
    n->u_trial = next, next += d;
    double** vectors[] = {&n->phi, &n->p, &n->s, &n->phi_trial, &n->p_trial, &n->s_trial, &n->dz, &n->z_trial};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        *vectors[k] = next;
        next += all;
    }
    return true;
}

/* The trial point z + alpha dz. */
static Value try_step(Newton* n, double alpha)
{
    FilLcpProblem* problem = n->problem;
    for (int a = 0; a < problem->active_count; a++) {
        const size_t first = (size_t)problem->size * (size_t)problem->active[a];
        for (size_t k = first; k < first + (size_t)problem->size; k++) {
            n->z_trial[k] = problem->z[k] + alpha * n->dz[k];
        }
    }
    fil_lcp_gather(problem, n->z_trial, n->u_trial);
    return evaluate(problem, n->z_trial, n->u_trial, n->tau, n->phi_trial, n->p_trial, n->s_trial);
}

static void swap(double** a, double** b)
{
    double* old = *a;
    *a = *b;
    *b = old;
}

static void accept(Newton* n, Value value)
{
    FilLcpProblem* problem = n->problem;
    for (int a = 0; a < problem->active_count; a++) {
        const size_t first = (size_t)problem->size * (size_t)problem->active[a];
        memcpy(problem->z + first, n->z_trial + first, sizeof(double) * (size_t)problem->size);
    }
    memcpy(problem->u, n->u_trial, sizeof(double) * (size_t)problem->dimension);
    swap(&n->phi, &n->phi_trial);
    swap(&n->p, &n->p_trial);
    swap(&n->s, &n->s_trial);
    n->value = value;
}

/* Largest |phi|. */
static double worst(const Newton* n)
{
    double max = 0.0;
    for (int a = 0; a < n->problem->active_count; a++) {
        const int unit = n->problem->active[a];
        for (int k = 0; k < n->problem->size; k++) {
            if (fil_lcp_used(n->problem, &n->problem->units[unit], k)) {
                max = fmax(max, fabs(n->phi[(size_t)n->problem->size * (size_t)unit + (size_t)k]));
            }
        }
    }
    return max;
}

/* Newton from z with kinks rounded by tau, or as they are; ends unsolved after `stalls` steps that failed in a row. */
static FilStatus descend(Newton* n, double tau, int stalls, const FilLcpSettings* settings, int max, int* iterations)
{
    FilLcpProblem* problem = n->problem;
    double lambda = LAMBDA_FIRST;
    n->tau = tau;
    n->value = evaluate(problem, problem->z, problem->u, tau, n->phi, n->p, n->s);
    const double enough = settings->tolerance * fil_lcp_scale(problem);
    for (int k = 0, failed = 0; n->value.miss > enough; k++) {
        if (k == max || failed == stalls || !isfinite(n->value.merit) || fil_watch_ended(problem->watch)) {
            return FIL_NOT_CONVERGED;
        }
        ++*iterations;
        const Value nowhere = {INFINITY, INFINITY};
        double alpha = 1.0;
        Value value = find_step(n, lambda) ? try_step(n, alpha) : nowhere;
        while (!(value.merit < (1.0 - 1e-4 * alpha) * n->value.merit) && alpha > 0.02 && isfinite(value.merit)) {  // Armijo; six halvings
            alpha *= 0.5;
            value = try_step(n, alpha);
        }
        if (value.merit < n->value.merit) {
            accept(n, value);
            // Marquardt's factor of ten, both ways
            lambda = fmax(alpha == 1.0 ? 0.1 * lambda : lambda, MIN_LAMBDA);
            failed = 0;
        } else {
            lambda *= 10.0;
            failed++;
        }
        if (n->tau > 0.0 && worst(n) <= ROUNDED_SOLVED * n->tau) {
            n->tau *= ROUNDING_FALLS;
            n->value = evaluate(problem, problem->z, problem->u, n->tau, n->phi, n->p, n->s);
        }
    }
    return FIL_OK;
}

FilStatus fil_lcp_newton(FilLcpProblem* problem, const FilLcpSettings* settings, FilLcpScratch* scratch, int* iterations)
{
    Newton n = {.problem = problem};
    if (!reserve(&n, scratch)) {
        return FIL_OUT_OF_MEMORY;
    }
    FilStatus status = descend(&n, 0.0, STALLS, settings, settings->max_iterations, iterations);
    if (status == FIL_NOT_CONVERGED) {
        n.tau = 0.0;
        // rounded by the worst miss; with more failures in a row than at first, as this is the last try
        status = descend(&n, worst(&n), 10, settings, settings->max_iterations, iterations);
    }
    return status;
}
