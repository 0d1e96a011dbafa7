/* What all LCP solvers share: velocities, impulses and slacks of a unit, and how far off a solution is. */
#include "contact/lcp_problem.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

void fil_lcp_set_directions(FilLcpProblem* problem, int directions)
{
    problem->directions = directions;
    problem->size = directions + 2;
    for (int k = 0; k < directions; k++) {
        const double angle = 2.0 * FIL_PI * k / directions;
        problem->direction[2 * k] = cos(angle);
        problem->direction[2 * k + 1] = sin(angle);
    }
}

void fil_lcp_velocity(const FilLcpProblem* problem, int unit, const double* u, double* c)
{
    const int d = problem->dimension;
    const double* y = problem->rows + 3 * (size_t)unit * (size_t)d;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < d; k++) {
        sum[0] += y[k] * u[k];
        sum[1] += y[d + k] * u[k];
        sum[2] += y[2 * d + k] * u[k];
    }
    fil_v3_add(c, problem->units[unit].free, sum);
}

void fil_lcp_impulse(const FilLcpProblem* problem, int unit, const double* z, double* gamma)
{
    fil_v3_set(gamma, 0.0, 0.0, z[0]);
    for (int k = 0; k < problem->directions && problem->units[unit].kind == FIL_LCP_CONTACT; k++) {
        gamma[0] += problem->direction[2 * k] * z[1 + k];
        gamma[1] += problem->direction[2 * k + 1] * z[1 + k];
    }
}

void fil_lcp_slacks(const FilLcpProblem* problem, int index, const double* c, const double* z, double* w)
{
    const FilLcpUnit* unit = &problem->units[index];
    const int last = problem->size - 1;
    w[0] = c[2] - unit->target + (unit->compliance + problem->softness[index]) * z[0];
    if (unit->kind == FIL_LCP_LIMIT) {
        w[0] += z[last];
        w[last] = unit->range - z[0];
        return;
    }
    w[last] = unit->mu * z[0];
    for (int k = 0; k < problem->directions; k++) {
        w[1 + k] = problem->direction[2 * k] * c[0] + problem->direction[2 * k + 1] * c[1] + z[last];
        w[last] -= z[1 + k];
    }
}

void fil_lcp_push(const FilLcpProblem* problem, int unit, const double* gamma, double* u)
{
    const int d = problem->dimension;
    const double* y = problem->rows + 3 * (size_t)unit * (size_t)d;
    for (int k = 0; k < d; k++) {
        u[k] += y[k] * gamma[0] + y[d + k] * gamma[1] + y[2 * d + k] * gamma[2];
    }
}

void fil_lcp_gather(const FilLcpProblem* problem, const double* z, double* u)
{
    memset(u, 0, sizeof(double) * (size_t)problem->dimension);
    for (int a = 0; a < problem->active_count; a++) {
        const int unit = problem->active[a];
        double gamma[3];
        fil_lcp_impulse(problem, unit, z + (size_t)problem->size * (size_t)unit, gamma);
        fil_lcp_push(problem, unit, gamma, u);
    }
}

double fil_lcp_slip(const FilLcpProblem* problem, const double* c)
{
    double lowest = 0.0;
    for (int k = 0; k < problem->directions; k++) {
        lowest = fmin(lowest, problem->direction[2 * k] * c[0] + problem->direction[2 * k + 1] * c[1]);
    }
    return -lowest;
}

void fil_lcp_set_contact(const FilLcpProblem* problem, const double* gamma, const double* c, double* z)
{
    const int r = problem->directions;
    const double* d = problem->direction;
    memset(z, 0, sizeof(double) * (size_t)problem->size);
    z[0] = gamma[2];
    // between the two directions that enclose it: a d_k + b d_k+1 = gamma_t
    const double size = hypot(gamma[0], gamma[1]), angle = atan2(gamma[1], gamma[0]);
    if (size > 0.0) {
        int k = (int)floor(angle / (2.0 * FIL_PI) * r);
        k = ((k % r) + r) % r;
        const int next = (k + 1) % r;
        const double sine = sin(2.0 * FIL_PI / r);
        z[1 + k] = fmax(0.0, (gamma[0] * d[2 * next + 1] - gamma[1] * d[2 * next]) / sine);
        z[1 + next] = fmax(0.0, (d[2 * k] * gamma[1] - d[2 * k + 1] * gamma[0]) / sine);
    }
    z[r + 1] = fil_lcp_slip(problem, c);
}

double fil_lcp_scale(const FilLcpProblem* problem)
{
    double scale = 0.0;
    for (int a = 0; a < problem->active_count; a++) {
        const FilLcpUnit* unit = &problem->units[problem->active[a]];
        const double* row = problem->row_scale + (size_t)problem->size * (size_t)problem->active[a];
        scale = fmax(scale, row[0] * fmax(fabs(unit->free[2] - unit->target), FIL_LCP_SPEED));
        if (unit->kind == FIL_LCP_CONTACT) {
            scale = fmax(scale, row[1] * hypot(unit->free[0], unit->free[1]));
        }
    }
    return scale;
}

double fil_lcp_residual(const FilLcpProblem* problem, const double* z, const double* u)
{
    double worst = 0.0, w[FIL_LCP_MAX_DIRECTIONS + 2];
    for (int a = 0; a < problem->active_count; a++) {
        const int unit = problem->active[a];
        const size_t first = (size_t)problem->size * (size_t)unit;
        const double *row = problem->row_scale + first, *column = problem->column_scale + first;
        double c[3];
        fil_lcp_velocity(problem, unit, u, c);
        fil_lcp_slacks(problem, unit, c, z + first, w);
        for (int k = 0; k < problem->size; k++) {
            if (fil_lcp_used(problem, &problem->units[unit], k)) {
                worst = fmax(worst, fabs(fmin(row[k] * w[k], z[first + (size_t)k] / column[k])));
            }
        }
    }
    return worst == 0.0 ? 0.0 : worst / fil_lcp_scale(problem);
}
