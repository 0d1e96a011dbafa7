/* Products with the derivative of a step, forward and transposed.
 *
 * Of a body that deforms in contact a step has two equations: free motion, m(v^) = p with the last step's impulses p, and A (v - v^) + p = J' gamma
 * with the tangent A of v^. The first gives the variation x^ of v^, and with it that of the place y^ there, which moves A; the second is linear in x.
 */
#include <string.h>

#include "world/gradient.h"

/* Numbers of a part of a variation: its third only where there is one. */
static double at(const double* a, int k)
{
    return a != NULL ? a[k] : 0.0;
}

FilStatus fil_gradient_vary_free(FilGradient* gradient, int b, const double* place, const double* push, double* r)
{
    const FilBody* body = &gradient->world->system.bodies[b];
    const FilDerivativeOps* ops = body->ops->derivative;
    const double dt = gradient->world->def.dt;
    double *rate = gradient->free_rate + body->v, *bent = gradient->bent + body->v, *x = gradient->solution;
    const FilStatus status = fil_gradient_solve_free(gradient, b, false, r, x);
    memset(bent, 0, sizeof(double) * (size_t)body->v_count);
    for (int k = 0; k < body->v_count; k++) {
        rate[k] += x[body->v + k];
    }
    ops->at_free(body->impl, place + body->v, rate, gradient->at_free + body->v);
    ops->bend(body->impl, gradient->at_free + body->v, place + body->v, bent, gradient->blocks + 4 * body->v);
    ops->tangent(body->impl, x + body->v, r + body->v);
    for (int k = 0; k < body->v_count; k++) {
        const double impulse = gradient->diagonal[body->v + k] > 0.0 ? dt * at(push, body->v + k) : 0.0;
        r[body->v + k] -= bent[k] + impulse;
        bent[k] = -r[body->v + k];  // J' gamma less A x
    }
    return status;
}

/* r -= what barriers take where the start moves the end. */
static void add_barriers(const FilGradient* gradient, double* r)
{
    double* sum = gradient->correction;
    if (gradient->barriers.count > 0) {
        memset(sum, 0, sizeof(double) * (size_t)gradient->n);
        fil_gradient_barriers_apply(gradient, false, gradient->end, sum);
        for (int k = 0; k < gradient->n; k++) {
            r[k] -= gradient->diagonal[k] > 0.0 ? sum[k] : 0.0;
        }
    }
}

/* The right hand sides of all bodies from a variation of the start, with the velocities of held unknowns in end_rate. */
static FilStatus take_start(FilGradient* gradient, const double* start, const double* push, const double* force, double* end_rate, double* r)
{
    const FilSystem* system = &gradient->world->system;
    const double dt = gradient->world->def.dt;
    const int n = gradient->n;
    FilStatus status = FIL_OK;
    fil_gradient_clear_tangents(gradient);
    for (int b = 0; b < system->body_count && status == FIL_OK; b++) {
        const FilBody* body = &system->bodies[b];
        if (!body->moves) {
            continue;
        }
        const FilDerivativeOps* ops = body->ops->derivative;
        const double* place = start + body->v;
        if (ops->lead != NULL) {
            ops->lead(body->impl, place, end_rate + body->v);
        }
        memcpy(gradient->free_rate + body->v, end_rate + body->v, sizeof(double) * (size_t)body->v_count);
        ops->vary(body->impl, place, start + n + body->v, end_rate + body->v, r + body->v, gradient->potential ? gradient->end + body->v : NULL);
        fil_gradient_add_springs(gradient, body, place, true, r + body->v);
        for (int k = body->v; k < body->v + body->v_count; k++) {
            r[k] = dt * (at(force, k) + (gradient->bends[b] ? at(push, k) : 0.0)) - r[k];
        }
        status = gradient->bends[b] ? fil_gradient_vary_free(gradient, b, start, push, r) : FIL_OK;
    }
    add_barriers(gradient, r);
    return status;
}

FilStatus fil_gradient_finish(FilGradient* gradient, const double* start, double* end)
{
    const FilSystem* system = &gradient->world->system;
    const int n = gradient->n;
    const double dt = gradient->world->def.dt;
    double *r = gradient->residual, *x = gradient->solution, *sum = gradient->correction;
    // what is held moves contacts, too
    memset(sum, 0, sizeof(double) * (size_t)n);
    fil_gradient_contacts_apply_held(gradient, end + n, sum);
    for (int k = 0; k < n; k++) {
        r[k] -= sum[k];
    }
    const FilStatus status = fil_gradient_solve(gradient, false, r, x);
    for (int b = 0; b < system->body_count && status == FIL_OK; b++) {
        const FilBody* body = &system->bodies[b];
        if (!body->moves) {
            continue;
        }
        if (gradient->bends[b]) {  // the impulses of contacts, which the next step is linear about
            double* push = end + 2 * n + body->v;
            body->ops->derivative->tangent(body->impl, x + body->v, push);
            for (int k = 0; k < body->v_count; k++) {
                push[k] = gradient->diagonal[body->v + k] > 0.0 ? (push[k] + gradient->bent[body->v + k]) / dt : 0.0;
            }
        }
        for (int k = body->v; k < body->v + body->v_count; k++) {
            end[n + k] += x[k];
        }
        body->ops->derivative->vary(body->impl, start != NULL ? start + body->v : NULL, start != NULL ? start + n + body->v : NULL, end + n + body->v,
                                    NULL, end + body->v);
    }
    return status;
}

/* A product with the solution that is prepared; `last`: the variation of the one before, or NULL. */
static FilStatus vary_round(FilGradient* gradient, const double* start, const double* last, const double* force, double* end)
{
    const int n = gradient->n;
    memset(end, 0, sizeof(double) * (size_t)fil_gradient_variation_size(gradient));
    FilStatus status = fil_gradient_contacts_rows(gradient);
    status = status == FIL_OK ? take_start(gradient, start, gradient->remembers ? start + 2 * n : NULL, force, end + n, gradient->residual) : status;
    if (status == FIL_OK) {
        fil_gradient_contacts_vary(gradient, start, start + n, gradient->residual);
        fil_gradient_lags_vary(gradient, start, last, gradient->residual);
        fil_gradient_births_vary(gradient, gradient->residual);
        status = fil_gradient_finish(gradient, start, end);
    }
    return status;
}

FilStatus fil_gradient_forward(FilGradient* gradient, const double* start, const double* force, double* end)
{
    FilStatus status = fil_gradient_need_step(gradient, start, end);
    const size_t two = 2 * (size_t)gradient->n;
    for (int r = 0; r <= gradient->round_count && status == FIL_OK; r++) {
        status = fil_gradient_turn_to(gradient, r);
        status = status == FIL_OK ? vary_round(gradient, start, r > 0 ? gradient->passed + (size_t)(r - 1) * two : NULL, force, end) : status;
        if (status == FIL_OK && r < gradient->round_count) {
            memcpy(gradient->passed + (size_t)r * two, end, two * sizeof(double));
        }
    }
    if (status == FIL_OK) {
        fil_gradient_lags_keep(gradient, start, end);
    }
    return status;
}

/* Back through a body's two equations: from x, the weights of the second, to those of the first. `push` has the weights of the impulses at the end
 * and receives those at the start, at_free those of the place in free motion. */
static FilStatus vary_free_back(FilGradient* gradient, int b, double* x, double* place, double* push)
{
    const FilBody* body = &gradient->world->system.bodies[b];
    const FilDerivativeOps* ops = body->ops->derivative;
    const double dt = gradient->world->def.dt;
    double *weight = gradient->bent, *rate = gradient->free_rate, *own = x + body->v;
    for (int k = 0; k < body->v_count; k++) {
        own[k] = push[body->v + k] - own[k];
    }
    ops->tangent(body->impl, own, rate + body->v);
    for (int k = body->v; k < body->v + body->v_count; k++) {
        rate[k] = -rate[k];
        push[k] = dt * x[k];
    }
    ops->bend_back(body->impl, own, gradient->blocks + 4 * body->v, gradient->at_free + body->v, place + body->v);
    ops->at_free_back(body->impl, gradient->at_free + body->v, place + body->v, rate + body->v);
    const FilStatus status = fil_gradient_solve_free(gradient, b, true, rate, weight);
    for (int k = body->v; k < body->v + body->v_count && status == FIL_OK; k++) {
        x[k] = weight[k];
        push[k] += gradient->diagonal[k] > 0.0 ? dt * weight[k] : 0.0;
    }
    return status;
}

/* Weights of the end's velocities: their own, through the end's place, and through the impulses of contacts. */
static void take_end(FilGradient* gradient, const double* end, double* start, double* r)
{
    const FilSystem* system = &gradient->world->system;
    const int n = gradient->n;
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (!body->moves) {
            continue;
        }
        memcpy(r + body->v, end + n + body->v, sizeof(double) * (size_t)body->v_count);
        body->ops->derivative->vary_back(body->impl, NULL, end + body->v, start + body->v, start + n + body->v, r + body->v);
        if (gradient->bends[b]) {
            double *push = start + 2 * n + body->v, *sum = gradient->correction + body->v;
            for (int k = 0; k < body->v_count; k++) {
                push[k] = gradient->diagonal[body->v + k] > 0.0 ? end[2 * n + body->v + k] / gradient->world->def.dt : 0.0;
            }
            body->ops->derivative->tangent(body->impl, push, sum);
            for (int k = 0; k < body->v_count; k++) {
                r[body->v + k] += sum[k];
            }
        }
    }
}

/* Transposed with the solution that is prepared, from weights of its velocities in gradient->residual: adds to start and force, and to the weights of
 * the solution before. */
static FilStatus vary_round_back(FilGradient* gradient, double* start, double* last, double* force)
{
    const FilSystem* system = &gradient->world->system;
    const double dt = gradient->world->def.dt;
    const int n = gradient->n;
    double *r = gradient->residual, *x = gradient->solution, *sum = gradient->correction;
    fil_gradient_clear_tangents(gradient);
    FilStatus status = fil_gradient_solve(gradient, true, r, x);
    if (status != FIL_OK) {
        return status;
    }
    fil_gradient_contacts_vary_back(gradient, x, start, start + n);
    fil_gradient_lags_vary_back(gradient, x, start, last);
    fil_gradient_births_vary_back(gradient, x);
    memset(sum, 0, sizeof(double) * (size_t)n);
    fil_gradient_contacts_apply_held(gradient, x, sum);
    for (int k = 0; k < n; k++) {
        r[k] -= sum[k];
    }
    double* end_weight = gradient->end;
    memset(end_weight, 0, sizeof(double) * (size_t)n);
    fil_gradient_barriers_apply(gradient, true, x, end_weight);
    for (int k = 0; k < n; k++) {
        end_weight[k] = -end_weight[k];
    }
    for (int b = 0; b < system->body_count && status == FIL_OK; b++) {
        const FilBody* body = &system->bodies[b];
        if (!body->moves) {
            continue;
        }
        const FilDerivativeOps* ops = body->ops->derivative;
        double *place = start + body->v, *own = x + body->v;
        status = gradient->bends[b] ? vary_free_back(gradient, b, x, start, start + 2 * n) : FIL_OK;
        // dm, which x answers for; what held unknowns do to it adds to their weights
        for (int k = 0; k < body->v_count; k++) {
            if (force != NULL) {
                force[body->v + k] += dt * own[k];
            }
            own[k] = -own[k];
        }
        ops->vary_back(body->impl, own, gradient->potential ? end_weight + body->v : NULL, place, start + n + body->v, r + body->v);
        fil_gradient_add_springs(gradient, body, own, true, place);
        if (ops->lead_back != NULL) {
            ops->lead_back(body->impl, r + body->v, place);
        }
    }
    return status;
}

FilStatus fil_gradient_backward(FilGradient* gradient, const double* end, double* start, double* force)
{
    FilStatus status = fil_gradient_need_step(gradient, end, start);
    if (status == FIL_OK && gradient->products++ > 0) {
        status = fil_gradient_contacts_rows(gradient);
    }
    if (status != FIL_OK) {
        return status;
    }
    const size_t n = (size_t)gradient->n;
    memset(start, 0, sizeof(double) * (size_t)fil_gradient_variation_size(gradient));
    if (force != NULL) {
        memset(force, 0, n * sizeof(double));
    }
    if (gradient->round_count > 0) {
        memset(gradient->passed, 0, 2 * n * (size_t)gradient->round_count * sizeof(double));
    }
    for (int r = gradient->round_count; r >= 0 && status == FIL_OK; r--) {
        double *own = gradient->passed + (size_t)r * 2 * n, *last = r > 0 ? own - 2 * n : NULL;
        status = fil_gradient_turn_to(gradient, r);
        if (status == FIL_OK) {
            take_end(gradient, r == gradient->round_count ? end : own, start, gradient->residual);
            if (r == gradient->round_count) {
                fil_gradient_lags_keep_back(gradient, end, start, gradient->residual);
            }
            status = vary_round_back(gradient, start, last, force);
        }
    }
    // as the step left them: what holds bodies has its forces from there
    return status == FIL_OK ? fil_gradient_turn_to(gradient, gradient->round_count) : status;
}
