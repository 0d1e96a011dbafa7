/* Block Gauss-Seidel for the LCP: the problem of one unit is solved exactly while all others are held, one after the
 * other. Slow where units depend on each other, but it cannot fail, and a few sweeps show who will bear load. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/lcp_problem.h"

/* A contact alone: c = c0 + W gamma. */
typedef struct Single {
    const FilLcpProblem* problem;
    double c0[3]; /* target taken off the normal one */
    double w[9];
    double mu;
} Single;

static double along(const double* d, const double* x)
{
    return d[0] * x[0] + d[1] * x[1];
}

/* Sum of the unknowns along directions that a tangential impulse needs at least. */
static double pyramid_size(const FilLcpProblem* problem, const double* t)
{
    const int r = problem->directions;
    const double* d = problem->direction;
    double max = 0.0;
    for (int k = 0; k < r; k++) {
        const double* e = d + 2 * ((k + 1) % r);
        max = fmax(max, along(d + 2 * k, t) + along(e, t));  // along the normal of a side
    }
    return max / (1.0 + cos(2.0 * FIL_PI / r));
}

static void velocity_after(const Single* s, const double* gamma, double* c)
{
    fil_m3_apply(c, s->w, gamma);
    fil_v3_add(c, c, s->c0);
}

/* (W + soft 1) gamma = -c0; false if that is singular. */
static bool balance(const Single* s, double soft, double* gamma)
{
    double w[9], m01[3], m12[3], m20[3];
    memcpy(w, s->w, sizeof w);
    for (int k = 0; k < 9; k += 4) {
        w[k] += soft;
    }
    fil_v3_cross(m01, w + 3, w + 6);
    const double determinant = fil_v3_dot(w, m01);
    if (!(fabs(determinant) > 1e-14 * fabs(w[0] * w[4] * w[8]))) {  // singular but for rounding
        return false;
    }
    fil_v3_cross(m12, w + 6, w);
    fil_v3_cross(m20, w, w + 3);
    for (int k = 0; k < 3; k++) {
        gamma[k] = -(m01[k] * s->c0[0] + m12[k] * s->c0[1] + m20[k] * s->c0[2]) / determinant;
    }
    return true;
}

/* W gamma = -c0. Where W is singular, as of a lever's end, which moves one way only, that leaves forces open which move
 * nothing: the least impulse, if there is one. False if there is none. */
static bool stick(const Single* s, double* gamma)
{
    if (balance(s, 0.0, gamma)) {
        return true;
    }
    double c[3];
    const double soft = 1e-8 * (s->w[0] + s->w[4] + s->w[8]);
    if (!balance(s, soft, gamma)) {
        return false;
    }
    velocity_after(s, gamma, c);
    return fil_v3_norm(c) <= 1e-6 * fil_v3_norm(s->c0);
}

/* How much a sliding impulse (f, shares a and b of mu f along directions k and l) misses its conditions by. */
static double miss(const Single* s, const double* gamma, int k, double share)
{
    double c[3], lowest = 0.0;
    velocity_after(s, gamma, c);
    for (int j = 0; j < s->problem->directions; j++) {
        lowest = fmin(lowest, along(s->problem->direction + 2 * j, c));
    }
    const double* d = s->problem->direction + 2 * k;
    return fmax(fmax(0.0, along(d, c) - lowest), fmax(-share, share - 1.0) * hypot(s->c0[0], s->c0[1]));
}

/* Slides along direction k, or along the side from k to the next, with c_n = 0; returns by how much that is wrong. */
static double slide(const Single* s, int k, bool side, double* gamma)
{
    const int r = s->problem->directions;
    const double *d = s->problem->direction + 2 * k, *e = s->problem->direction + 2 * ((k + 1) % r);
    const double* w = s->w;
    // gamma = f (1, mu d) + x (d - e): c_n = 0 and, on a side, (d - e) . c_t = 0
    const double p[3] = {s->mu * d[0], s->mu * d[1], 1.0}, q[3] = {e[0] - d[0], e[1] - d[1], 0.0};
    double wp[3], wq[3];
    fil_m3_apply(wp, w, p);
    fil_m3_apply(wq, w, q);
    double f, x = 0.0;
    if (!side) {
        f = -s->c0[2] / wp[2];
    } else {
        const double a = wp[2], b = wq[2], cc = along(q, wp), dd = along(q, wq), determinant = a * dd - b * cc;
        const double right = -along(q, s->c0);
        f = (-s->c0[2] * dd - b * right) / determinant;
        x = (a * right + s->c0[2] * cc) / determinant;
    }
    if (!(f > 0.0 && isfinite(f) && isfinite(x))) {
        return INFINITY;
    }
    for (int i = 0; i < 3; i++) {
        gamma[i] = f * p[i] + x * q[i];
    }
    const double share = s->mu * f > 0.0 ? x / (s->mu * f) : 0.0;
    return miss(s, gamma, k, share);
}

static void solve_contact(const Single* s, double* gamma)
{
    fil_v3_set(gamma, 0.0, 0.0, 0.0);
    if (s->c0[2] >= 0.0) {
        return;
    }
    if (stick(s, gamma) && gamma[2] >= 0.0 && pyramid_size(s->problem, gamma) <= s->mu * gamma[2]) {
        return;
    }
    double best = INFINITY, trial[3];
    fil_v3_set(gamma, 0.0, 0.0, fmax(0.0, -s->c0[2] / s->w[8]));
    for (int k = 0; k < 2 * s->problem->directions && best > 0.0; k++) {
        const double wrong = slide(s, k / 2, k % 2 == 1, trial);
        if (wrong < best) {
            best = wrong;
            fil_v3_copy(gamma, trial);
        }
    }
}

/* Solves one unit; returns how much its impulse changed, as an energy. */
static double visit(FilLcpProblem* problem, int index)
{
    const FilLcpUnit* unit = &problem->units[index];
    double* z = problem->z + (size_t)problem->size * (size_t)index;
    const double soft = unit->compliance + problem->softness[index];
    double c[3], old[3], gamma[3] = {0.0}, change[3], moved[3];
    fil_lcp_velocity(problem, index, problem->u, c);
    fil_lcp_impulse(problem, index, z, old);
    fil_m3_apply(moved, unit->own, old);
    fil_v3_sub(c, c, moved);
    if (unit->kind == FIL_LCP_LIMIT) {
        const double stiff = unit->own[8] + soft;
        gamma[2] = stiff > 0.0 ? fmin(fmax(0.0, -(c[2] - unit->target) / stiff), unit->range) : 0.0;
        z[0] = gamma[2];
        z[problem->size - 1] = gamma[2] >= unit->range ? fmax(0.0, -(c[2] - unit->target + stiff * gamma[2])) : 0.0;
    } else {
        Single single = {.problem = problem, .c0 = {c[0], c[1], c[2] - unit->target}, .mu = unit->mu};
        memcpy(single.w, unit->own, sizeof single.w);
        single.w[8] += soft;
        if (single.w[8] > 0.0) {
            solve_contact(&single, gamma);
        }
        velocity_after(&single, gamma, c);
        fil_lcp_set_contact(problem, gamma, c, z);
    }
    fil_v3_sub(change, gamma, old);
    fil_lcp_push(problem, index, change, problem->u);
    fil_m3_apply(moved, unit->own, change);
    return fil_v3_dot(change, moved);
}

void fil_lcp_sweep(FilLcpProblem* problem, int sweeps)
{
    for (int s = 0; s < sweeps; s++) {
        for (int a = 0; a < problem->active_count; a++) {
            (void)visit(problem, problem->active[a]);
        }
    }
}

/* Slip speeds of all units at the present velocities: the sweep left those of older ones. */
static void refresh_slip(FilLcpProblem* problem)
{
    fil_lcp_gather(problem, problem->z, problem->u);
    for (int a = 0; a < problem->active_count; a++) {
        const int unit = problem->active[a];
        if (problem->units[unit].kind == FIL_LCP_CONTACT) {
            double c[3], gamma[3], *z = problem->z + (size_t)problem->size * (size_t)unit;
            fil_lcp_velocity(problem, unit, problem->u, c);
            fil_lcp_impulse(problem, unit, z, gamma);
            fil_lcp_set_contact(problem, gamma, c, z);
        }
    }
}

FilStatus fil_lcp_gauss_seidel(FilLcpProblem* problem, const FilLcpSettings* settings, FilLcpScratch* scratch, int* iterations)
{
    (void)scratch;
    // FilLcpSettings.max_iterations says 100 times. Ten between two looks at the residual, which costs as much as
    // a sweep: a tenth is spent on looking, and up to nine sweeps are too many of the hundreds that it takes
    for (int sweep = 0; sweep < 100 * settings->max_iterations && !fil_watch_ended(problem->watch); sweep += 10) {
        fil_lcp_sweep(problem, 10);
        *iterations += 10;
        refresh_slip(problem);
        if (fil_lcp_residual(problem, problem->z, problem->u) <= settings->tolerance) {
            return FIL_OK;
        }
    }
    return FIL_NOT_CONVERGED;
}
