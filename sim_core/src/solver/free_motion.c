/* Free motion: Newton's method on m(v) = 0 for one body (P0 eq. 12).
 *
 * The residual is measured with the tangent's diagonal, |r| = sqrt(sum r_i^2 / A_ii), against the momenta and external
 * impulses at work in the same measure. Where the tangent is not positive definite its mass part is enlarged until it is;
 * near a minimum it needs no help, so the enlargement vanishes there. A step along the Newton direction is taken if it
 * lowers the residual or, enough, the potential (only the potential when the tangent was enlarged: the residual could lead
 * to a saddle). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/free_motion.h"

static double weighted_norm(const double* a, const double* weight, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += a[k] * a[k] * weight[k];
    }
    return sqrt(sum);
}

/* m(v) - push, and its potential. */
static bool evaluate(const FilBody* body, const double* v, double shift, const double* push, double* residual, double* potential)
{
    if (!body->ops->evaluate(body->impl, v, shift, residual, potential)) {
        return false;
    }
    for (int k = 0; k < body->v_count && push != NULL; k++) {
        residual[k] -= push[k];
        *potential -= push[k] * v[k];
    }
    return true;
}

static double dot(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* Fills the weights 1 / A_ii; returns the size of what is at work, and what rounding alone leaves of a residual. */
static double set_measure(const FilBody* body, const FilStepSetup* setup, const double* q, const double* v, FilNewtonScratch* s, double* rounding)
{
    const int n = body->v_count;
    double stiffness = 0.0, reach = 0.0;
    body->ops->diagonal(body->impl, v, s->weight, s->scale);
    for (int k = 0; k < n; k++) {
        stiffness += s->weight[k];
        s->weight[k] = s->weight[k] > 0.0 ? 1.0 / s->weight[k] : 0.0;
    }
    for (int k = 0; k < body->q_count; k++) {
        reach = fmax(reach, fabs(q[k]));
    }
    // forces K q carry errors of eps K |q|; as impulses, and with A = theta theta_vq dt^2 K
    const double per_dt = 1.0 / (fmax(setup->theta * setup->theta_vq, 0.25) * setup->dt);
    *rounding = 4.0 * DBL_EPSILON * reach * per_dt * sqrt(stiffness);
    return weighted_norm(s->scale, s->weight, n);
}

/* Factors the tangent at v, enlarging its mass part as far as needed; false if nothing helps. */
static bool factor(const FilBody* body, const double* v, const double* push, double* residual, double* shift, FilNewtonReport* report)
{
    double potential;
    *shift = 0.0;
    while (!body->ops->factor(body->impl)) {
        *shift = *shift == 0.0 ? 0.1 : 10.0 * *shift;
        report->regularised++;
        if (*shift > 1e20 || !evaluate(body, v, *shift, push, residual, &potential)) {
            return false;
        }
    }
    return true;
}

bool fil_free_motion(const FilBody* body, const FilStepSetup* setup, double share, int most, const double* q, const double* change, double* push,
                     double* v, FilNewtonScratch* s, FilNewtonReport* report)
{
    const FilBodyOps* ops = body->ops;
    const int n = body->v_count;
    double potential, rounding;
    *report = (FilNewtonReport){0};
    ops->guess(body->impl, change, v);
    if (!ops->evaluate(body->impl, v, 0.0, s->residual, &potential)) {
        // too far: from the velocity at the start
        memset(s->direction, 0, sizeof(double) * (size_t)n);
        ops->guess(body->impl, s->direction, v);
        if (!ops->evaluate(body->impl, v, 0.0, s->residual, &potential)) {
            return false;
        }
    }
    if (setup->theta == 0.0) {  // explicit: m is linear in v
        ops->solve(body->impl, s->residual);
        for (int k = 0; k < n; k++) {
            v[k] -= s->residual[k];
        }
        return true;
    }
    const double at_work = set_measure(body, setup, q, v, s, &rounding);
    for (int k = 0; k < n && push != NULL; k++) {
        push[k] = s->weight[k] > 0.0 ? push[k] : 0.0;
        s->residual[k] -= push[k];
        potential -= push[k] * v[k];
    }
    double norm = weighted_norm(s->residual, s->weight, n);
    const double scale = fmax(at_work, norm), tolerance = share * scale + rounding;
    // once at least, unless nothing is left to gain: a slow change must not drown in a fast motion's scale
    while (norm > (report->iterations == 0 ? rounding : tolerance)) {
        if (report->iterations == most || fil_watch_ended(setup->watch)) {
            return false;
        }
        report->iterations++;
        double shift;
        if (!factor(body, v, push, s->residual, &shift, report)) {
            return false;
        }
        // what buckles under its contacts' forces alone, without what holds it there, says nothing about the motion with them
        if (push != NULL && shift > 0.0) {
            return false;
        }
        memcpy(s->direction, s->residual, sizeof(double) * (size_t)n);
        ops->solve(body->impl, s->direction);
        const double slope = -dot(s->residual, s->direction, n);

        // line search
        bool accepted = false;
        for (double step = 1.0; step > 1e-4 && !accepted; step *= 0.5) {
            double new_potential;
            for (int k = 0; k < n; k++) {
                s->trial[k] = v[k] - step * s->direction[k];
            }
            if (evaluate(body, s->trial, 0.0, push, s->residual, &new_potential)) {
                const double new_norm = weighted_norm(s->residual, s->weight, n);
                accepted = new_potential <= potential + 1e-4 * step * slope || (shift == 0.0 && new_norm <= (1.0 - 1e-4 * step) * norm) ||
                           new_norm <= tolerance;
                if (accepted) {
                    potential = new_potential;
                    norm = new_norm;
                    memcpy(v, s->trial, sizeof(double) * (size_t)n);
                }
            }
        }
        if (!accepted) {
            return false;
        }
    }
    report->residual = scale > 0.0 ? norm / scale : 0.0;
    return true;
}
