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

#include "base/extrema.h"
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
    double work = 0.0;
    for (int k = 0; k < body->v_count && push != NULL; k++) {
        residual[k] -= push[k];
        work += push[k] * v[k];
    }
    *potential -= work;
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
        reach = fil_max(fabs(q[k]), reach);
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
        *shift = *shift == 0.0 ? FIL_FIRST_SHIFT : FIL_SHIFT_GROWS * *shift;
        report->regularised++;
        if (*shift > FIL_MAX_SHIFT || !evaluate(body, v, *shift, push, residual, &potential)) {
            return false;
        }
    }
    return true;
}

/* Newton's first guess, evaluated there; false if none can be. */
static bool begin(const FilMotionTask* task, double* v, FilNewtonScratch* s, double* potential)
{
    const FilBodyOps* ops = task->body->ops;
    void* impl = task->body->impl;
    ops->guess(impl, task->change, v);
    if (ops->evaluate(impl, v, 0.0, s->residual, potential)) {
        return true;
    }
    // too far: from the velocity at the start
    memset(s->direction, 0, sizeof(double) * (size_t)task->body->v_count);
    ops->guess(impl, s->direction, v);
    return ops->evaluate(impl, v, 0.0, s->residual, potential);
}

/* Along the direction as far as that leads to a lower residual, or potential, by Armijo's 1e-4 of what the slope promises (Nocedal, Wright 2006,
 * sec. 3.1); 13 halvings at most: a direction that gains nothing over a
 * ten-thousandth of its length is poor, and the step is halved instead. */
static bool search(const FilMotionTask* task, double slope, double shift, double tolerance, double* v, FilNewtonScratch* s, double* potential,
                   double* norm)
{
    const int n = task->body->v_count;
    for (double step = 1.0; step > 1e-4; step *= 0.5) {
        double new_potential;
        for (int k = 0; k < n; k++) {
            s->trial[k] = v[k] - step * s->direction[k];
        }
        if (!evaluate(task->body, s->trial, 0.0, task->push, s->residual, &new_potential)) {
            continue;
        }
        const double new_norm = weighted_norm(s->residual, s->weight, n);
        if (new_potential <= *potential + 1e-4 * step * slope || (shift == 0.0 && new_norm <= (1.0 - 1e-4 * step) * *norm) || new_norm <= tolerance) {
            *potential = new_potential;
            *norm = new_norm;
            memcpy(v, s->trial, sizeof(double) * (size_t)n);
            return true;
        }
    }
    return false;
}

/* What buckles under its contacts' forces alone, without what holds it there, says nothing about the motion with them. That it does shows where the
 * tangent is not definite, and where Newton needs so many iterations: from a guess that is near it takes four to eight. */
enum { PUSHED_MAX = 16 };

bool fil_free_motion(const FilMotionTask* task, double* v, FilNewtonScratch* s, FilNewtonReport* report)
{
    const FilBody* body = task->body;
    const FilBodyOps* ops = body->ops;
    const int n = body->v_count;
    double potential, rounding, *push = task->push;
    *report = (FilNewtonReport){0};
    if (!begin(task, v, s, &potential)) {
        return false;
    }
    if (task->setup->theta == 0.0) {  // explicit: m is linear in v
        ops->solve(body->impl, s->residual);
        for (int k = 0; k < n; k++) {
            v[k] -= s->residual[k];
        }
        return true;
    }
    const double at_work = set_measure(body, task->setup, task->q, v, s, &rounding);
    double work = 0.0;
    for (int k = 0; k < n && push != NULL; k++) {
        push[k] = s->weight[k] > 0.0 ? push[k] : 0.0;
        s->residual[k] -= push[k];
        work += push[k] * v[k];
    }
    potential -= work;
    double norm = weighted_norm(s->residual, s->weight, n);
    const double scale = fmax(at_work, norm), tolerance = task->tolerance * scale + rounding;
    // the contact problem is a step of Newton's method, too, which squares what is left: an iteration before it would gain nothing
    if (task->rest != NULL && norm <= sqrt(task->tolerance) * scale) {
        for (int k = 0; k < n; k++) {
            task->rest[k] = s->residual[k] + (push != NULL ? push[k] : 0.0);
        }
        report->stayed = true;
        report->iterations = 1;
        return true;
    }
    // once at least, unless nothing is left to gain: a slow change must not drown in a fast motion's scale
    while (norm > (report->iterations == 0 ? rounding : tolerance)) {
        if (report->iterations == task->max || fil_watch_ended(task->setup->watch)) {
            return false;
        }
        report->iterations++;
        double shift;
        if (!factor(body, v, push, s->residual, &shift, report)) {
            return false;
        }
        if (push != NULL && (shift > 0.0 || report->iterations > PUSHED_MAX)) {
            return false;
        }
        memcpy(s->direction, s->residual, sizeof(double) * (size_t)n);
        ops->solve(body->impl, s->direction);
        if (!search(task, -dot(s->residual, s->direction, n), shift, tolerance, v, s, &potential, &norm)) {
            return false;
        }
    }
    report->residual = scale > 0.0 ? norm / scale : 0.0;
    return true;
}
