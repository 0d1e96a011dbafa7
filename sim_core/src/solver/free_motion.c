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

/* ---- Newton's method, from one request to the next ---- */

static void end(FilNewton* motion, bool converged)
{
    motion->converged = converged;
    motion->request = FIL_NEWTON_NOTHING;
}

static void ask(FilNewton* motion, FilNewtonRequest request, double* residual, FilNewtonStage* next)
{
    motion->request = request;
    motion->residual = residual;
    motion->next = next;
}

static void ask_for_residual(FilNewton* motion, const double* v, double shift, FilNewtonStage* next)
{
    motion->at = v;
    motion->shift = shift;
    ask(motion, FIL_NEWTON_EVALUATE, motion->scratch.residual, next);
}

/* m(v) - push, and its potential. */
static void subtract_push(FilNewton* motion)
{
    const double *push = motion->task.push, *v = motion->at;
    double work = 0.0, *residual = motion->scratch.residual;
    for (int k = 0; k < motion->task.body->v_count && push != NULL; k++) {
        residual[k] -= push[k];
        work += push[k] * v[k];
    }
    motion->found -= work;
}

/* What buckles under its contacts' forces alone, without what holds it there, says nothing about the motion with them. That it does shows where the
 * tangent is not definite, and where Newton needs so many iterations: from a guess that is near it takes four to eight. */
enum { PUSHED_MAX = 16 };

static void iterate(FilNewton* motion);
static void factored(FilNewton* motion, bool definite);

/* A trial. Along the direction as far as that leads to a lower residual, or potential, by Armijo's 1e-4 of what the slope promises (Nocedal, Wright
 * 2006, sec. 3.1); 13 halvings at most: a direction that gains nothing over a ten-thousandth of its length is poor, and the step is halved instead.
 */
static void tried(FilNewton* motion, bool in_reach)
{
    FilNewtonScratch* s = &motion->scratch;
    const int n = motion->task.body->v_count;
    if (in_reach) {
        subtract_push(motion);
        const double norm = weighted_norm(s->residual, s->weight, n), step = motion->step;
        if (motion->found <= motion->potential + 1e-4 * step * motion->slope ||
            (motion->enlarged == 0.0 && norm <= (1.0 - 1e-4 * step) * motion->norm) || norm <= motion->tolerance) {
            motion->potential = motion->found;
            motion->norm = norm;
            memcpy(motion->v, s->trial, sizeof(double) * (size_t)n);
            iterate(motion);
            return;
        }
    }
    motion->step *= 0.5;
    if (!(motion->step > 1e-4)) {
        end(motion, false);
        return;
    }
    for (int k = 0; k < n; k++) {
        s->trial[k] = motion->v[k] - motion->step * s->direction[k];
    }
    ask_for_residual(motion, s->trial, 0.0, tried);
}

static void solved(FilNewton* motion, bool done)
{
    FilNewtonScratch* s = &motion->scratch;
    const int n = motion->task.body->v_count;
    (void)done;
    motion->slope = -dot(s->residual, s->direction, n);
    motion->step = 1.0;
    for (int k = 0; k < n; k++) {
        s->trial[k] = motion->v[k] - s->direction[k];
    }
    ask_for_residual(motion, s->trial, 0.0, tried);
}

/* With a larger shift. */
static void enlarged(FilNewton* motion, bool in_reach)
{
    if (!in_reach) {
        end(motion, false);
        return;
    }
    subtract_push(motion);
    ask(motion, FIL_NEWTON_FACTOR, NULL, factored);
}

/* The tangent at v. Its mass part is enlarged as far as needed. */
static void factored(FilNewton* motion, bool definite)
{
    FilNewtonScratch* s = &motion->scratch;
    if (!definite) {
        motion->enlarged = motion->enlarged == 0.0 ? FIL_FIRST_SHIFT : FIL_SHIFT_GROWS * motion->enlarged;
        motion->report.regularised++;
        if (motion->enlarged > FIL_MAX_SHIFT) {
            end(motion, false);
            return;
        }
        ask_for_residual(motion, motion->v, motion->enlarged, enlarged);
        return;
    }
    if (motion->task.push != NULL && (motion->enlarged > 0.0 || motion->report.iterations > PUSHED_MAX)) {
        end(motion, false);
        return;
    }
    memcpy(s->direction, s->residual, sizeof(double) * (size_t)motion->task.body->v_count);
    ask(motion, FIL_NEWTON_SOLVE, s->direction, solved);
}

/* Once at least, unless nothing is left to gain: a slow change must not drown in a fast motion's scale. */
static void iterate(FilNewton* motion)
{
    FilNewtonReport* report = &motion->report;
    if (!(motion->norm > (report->iterations == 0 ? motion->rounding : motion->tolerance))) {
        report->residual = motion->scale > 0.0 ? motion->norm / motion->scale : 0.0;
        end(motion, true);
        return;
    }
    if (report->iterations == motion->task.max || fil_watch_ended(motion->task.setup->watch)) {
        end(motion, false);
        return;
    }
    report->iterations++;
    motion->enlarged = 0.0;
    ask(motion, FIL_NEWTON_FACTOR, NULL, factored);
}

/* An explicit step: m is linear in v. */
static void leapt(FilNewton* motion, bool done)
{
    (void)done;
    for (int k = 0; k < motion->task.body->v_count; k++) {
        motion->v[k] -= motion->scratch.residual[k];
    }
    end(motion, true);
}

/* From a guess that is within reach. */
static void start(FilNewton* motion)
{
    const FilMotionTask* task = &motion->task;
    FilNewtonScratch* s = &motion->scratch;
    const int n = task->body->v_count;
    double work = 0.0, *push = task->push;
    if (task->setup->theta == 0.0) {
        ask(motion, FIL_NEWTON_SOLVE, s->residual, leapt);
        return;
    }
    const double at_work = set_measure(task->body, task->setup, task->q, motion->v, s, &motion->rounding);
    for (int k = 0; k < n && push != NULL; k++) {
        push[k] = s->weight[k] > 0.0 ? push[k] : 0.0;
        s->residual[k] -= push[k];
        work += push[k] * motion->v[k];
    }
    motion->potential = motion->found - work;
    motion->norm = weighted_norm(s->residual, s->weight, n);
    motion->scale = fmax(at_work, motion->norm);
    motion->tolerance = task->tolerance * motion->scale + motion->rounding;
    // the contact problem is a step of Newton's method, too, which squares what is left: an iteration before it would gain nothing
    if (task->rest != NULL && motion->norm <= sqrt(task->tolerance) * motion->scale) {
        for (int k = 0; k < n; k++) {
            task->rest[k] = s->residual[k] + (push != NULL ? push[k] : 0.0);
        }
        motion->report.stayed = true;
        motion->report.iterations = 1;
        end(motion, true);
        return;
    }
    iterate(motion);
}

static void guessed_from_start(FilNewton* motion, bool in_reach)
{
    if (in_reach) {
        start(motion);
    } else {
        end(motion, false);
    }
}

static void guessed(FilNewton* motion, bool in_reach)
{
    const FilMotionTask* task = &motion->task;
    if (in_reach) {
        start(motion);
        return;
    }
    // too far: from the velocity at the start
    memset(motion->scratch.direction, 0, sizeof(double) * (size_t)task->body->v_count);
    task->body->ops->guess(task->body->impl, motion->scratch.direction, motion->v);
    ask_for_residual(motion, motion->v, 0.0, guessed_from_start);
}

static void begin(FilNewton* motion)
{
    const FilMotionTask* task = &motion->task;
    motion->report = (FilNewtonReport){.iterations = task->linearises ? 1 : 0};
    task->body->ops->guess(task->body->impl, task->change, motion->v);
    ask_for_residual(motion, motion->v, 0.0, task->linearises ? end : guessed);
    motion->residual = task->linearises ? task->rest : motion->residual;
}

/* ---- requests ---- */

static void serve(FilNewton* motion)
{
    const FilBodyOps* ops = motion->task.body->ops;
    void* impl = motion->task.body->impl;
    bool done = true;
    if (motion->request == FIL_NEWTON_EVALUATE) {
        done = ops->evaluate(impl, motion->at, motion->shift, motion->residual, &motion->found);
    } else if (motion->request == FIL_NEWTON_FACTOR) {
        done = ops->factor(impl);
    } else {
        ops->solve(impl, motion->residual);
    }
    motion->next(motion, done);
}

/* What both ask for. */
static void serve_pair(FilNewton* a, FilNewton* b)
{
    const FilBodyPairOps* ops = a->task.body->ops->pair;
    void* const bodies[2] = {a->task.body->impl, b->task.body->impl};
    double* const residuals[2] = {a->residual, b->residual};
    bool done[2] = {true, true};
    if (a->request == FIL_NEWTON_EVALUATE) {
        const double *const v[2] = {a->at, b->at}, shift[2] = {a->shift, b->shift};
        double potentials[2] = {0.0, 0.0};
        ops->evaluate(bodies, v, shift, residuals, potentials, done);
        a->found = potentials[0];
        b->found = potentials[1];
    } else if (a->request == FIL_NEWTON_FACTOR) {
        ops->factor(bodies, done);
    } else {
        ops->solve(bodies, residuals);
    }
    a->next(a, done[0]);
    b->next(b, done[1]);
}

void fil_free_motions(FilNewton* const* motions, int count)
{
    for (int k = 0; k < count; k++) {
        begin(motions[k]);
    }
    if (count == 2 && fil_bodies_go_together(motions[0]->task.body, motions[1]->task.body)) {
        FilNewton *a = motions[0], *b = motions[1];
        while (a->request != FIL_NEWTON_NOTHING && b->request != FIL_NEWTON_NOTHING) {
            if (a->request == b->request) {
                serve_pair(a, b);
            } else {
                serve(a->request < b->request ? a : b);  // who is behind catches up, so that both soon ask for the same again
            }
        }
    }
    for (int k = 0; k < count; k++) {
        while (motions[k]->request != FIL_NEWTON_NOTHING) {
            serve(motions[k]);
        }
    }
}
