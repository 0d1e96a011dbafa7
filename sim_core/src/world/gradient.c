/* Derivatives of a step, body by body: m(v) = 0 holds at its end, so dm = 0 gives the end's variation. Bodies say how dm is made (body/derivative.h); the
 * factors are those of Newton's tangent A at the end. Where A is not all of dm/dv = J (gyroscopic forces, transport of frames), x = J^-1 b is found by
 * x <- x + A^-1 (b - J x), which converges as fast as Newton itself does near a solution. */
#include "world/gradient.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "body/derivative.h"

/* Corrections are below the last bits after a few rounds, as A lacks terms of order dt only. Chosen. */
enum { MOST_ROUNDS = 60 };

/* A correction of this share ends the search: what is left is smaller by as much again as the correction was than the one before. */
static const double ENOUGH = 1e-12;

/* ---- making ---- */

static FilStatus check(FilWorld* world)
{
    const FilStatus status = fil_world_check(world);
    if (status != FIL_OK) {
        return status;
    }
    if (strcmp(world->solver.model->name, "none") != 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "gradients under the contact model %s are not known yet, only under none", world->solver.model->name);
    }
    if (world->def.integrator != FIL_BACKWARD_EULER) {
        return fil_world_fail(world, FIL_BAD_INPUT, "gradients are known of backward Euler only: choose the integrator backward_euler");
    }
    if (world->solver.joints.count > 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "gradients of worlds with joints between bodies are not known yet");
    }
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        if (body->moves && body->ops->derivative == NULL) {
            return fil_world_fail(world, FIL_BAD_INPUT, "'%s' is a body of kind %s, of which gradients are not known yet", body->name, body->ops->kind);
        }
    }
    return FIL_OK;
}

FilStatus fil_gradient_create(FilWorld* world, FilGradient** gradient)
{
    if (world == NULL || gradient == NULL) {
        return FIL_BAD_INPUT;
    }
    *gradient = NULL;
    const FilStatus status = check(world);
    if (status != FIL_OK) {
        return status;
    }
    FilGradient* made = fil_alloc(1, sizeof *made);
    const size_t n = (size_t)world->system.v_count;
    double* numbers = fil_alloc(6 * n + 1, sizeof *numbers);
    if (made == NULL || numbers == NULL) {
        fil_free(made);
        fil_free(numbers);
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    *made = (FilGradient){.world = world,
                          .n = (int)n,
                          .v = numbers,
                          .end_rate = numbers + n,
                          .residual = numbers + 2 * n,
                          .solution = numbers + 3 * n,
                          .correction = numbers + 4 * n,
                          .diagonal = numbers + 5 * n};
    *gradient = made;
    return FIL_OK;
}

void fil_gradient_destroy(FilGradient* gradient)
{
    if (gradient != NULL) {
        fil_free(gradient->v);
        fil_free(gradient);
    }
}

int fil_gradient_size(const FilGradient* gradient)
{
    return gradient->n;
}

/* ---- a step ---- */

/* The body at the end of its step, evaluated and factored there. */
static FilStatus prepare(FilGradient* gradient, const FilBody* body)
{
    FilWorld* world = gradient->world;
    double potential;
    const double* v = gradient->v + body->v;
    if (body->ops->constraint_count != NULL &&
        body->ops->constraint_count(body->impl, world->system.next.q + body->q, world->system.next.v + body->v, world->system.next.h + body->h) > 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "'%s' has motors, limits or couplings, of which gradients are not known yet", body->name);
    }
    if (!body->ops->evaluate(body->impl, v, 0.0, gradient->residual + body->v, &potential)) {
        return fil_world_fail(world, FIL_NOT_CONVERGED, "'%s' cannot be evaluated at the end of its step", body->name);
    }
    const char* why = body->ops->derivative->prepare(body->impl, v);
    if (why != NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "'%s' %s", body->name, why);
    }
    body->ops->diagonal(body->impl, v, gradient->diagonal + body->v, gradient->correction + body->v);
    if (!body->ops->factor(body->impl)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "'%s' buckles in this step: its tangent is not positive definite there, and it has no derivative here", body->name);
    }
    return FIL_OK;
}

FilStatus fil_gradient_step(FilGradient* gradient, FilStepInfo* info)
{
    FilWorld* world = gradient->world;
    FilStepInfo own;
    info = info != NULL ? info : &own;
    gradient->ready = false;
    if (gradient->n != world->system.v_count) {
        return fil_world_fail(world, FIL_BAD_INPUT, "something was added to the world after its gradient was made");
    }
    FilStatus status = check(world);
    status = status == FIL_OK ? fil_world_step(world, info) : status;
    if (status == FIL_OK && info->halvings > 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the step to t = %g s was divided inside, and its parts' gradients are not kept; try a smaller dt", world->time);
    }
    if (status == FIL_OK && gradient->n > 0) {
        memcpy(gradient->v, world->system.state.v, sizeof(double) * (size_t)gradient->n);
    }
    for (int b = 0; b < world->system.body_count && status == FIL_OK; b++) {
        if (world->system.bodies[b].moves) {
            status = prepare(gradient, &world->system.bodies[b]);
        }
    }
    gradient->ready = status == FIL_OK;
    gradient->step = world->step;
    gradient->varied = world->varied;
    return status;
}

static FilStatus need_step(const FilGradient* gradient, const double* from, const double* to)
{
    FilWorld* world = gradient->world;
    if (from == NULL || to == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a gradient takes and gives variations of %d numbers", 2 * gradient->n);
    }
    return gradient->ready && gradient->step == world->step && gradient->varied == world->varied
               ? FIL_OK
               : fil_world_fail(world, FIL_BAD_INPUT, "there is no step to differentiate: call fil_gradient_step() first, and nothing else that steps the world");
}

/* ---- solving ---- */

static double norm_of(const double* a, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += a[k] * a[k];
    }
    return sqrt(sum);
}

/* J x, or J' x. */
static void apply(FilGradient* gradient, const FilBody* body, bool back, const double* x, double* out)
{
    const FilDerivativeOps* ops = body->ops->derivative;
    if (!back) {
        ops->vary(body->impl, NULL, NULL, x, out, NULL);
        return;
    }
    double* ignored = gradient->end_rate + body->v; // of what the start does nothing is wanted
    memset(out, 0, sizeof(double) * (size_t)body->v_count);
    memset(ignored, 0, sizeof(double) * (size_t)body->v_count);
    ops->vary_back(body->impl, x, NULL, ignored, ignored, out);
}

/* x <- J^-1 b or J'^-1 b on what is free, zero where held or idle. */
static FilStatus solve(FilGradient* gradient, const FilBody* body, bool back, const double* b, double* x)
{
    const int n = body->v_count;
    const double* diagonal = gradient->diagonal + body->v;
    double *step = gradient->correction + body->v, last = INFINITY;
    for (int k = 0; k < n; k++) {
        x[k] = diagonal[k] > 0.0 ? b[k] : 0.0;
    }
    body->ops->solve(body->impl, x);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        apply(gradient, body, back, x, step);
        for (int k = 0; k < n; k++) {
            step[k] = diagonal[k] > 0.0 ? b[k] - step[k] : 0.0;
        }
        body->ops->solve(body->impl, step);
        const double size = norm_of(step, n), all = norm_of(x, n);
        if (!(size < last) && size > 1e-9 * all) {
            break;
        }
        for (int k = 0; k < n; k++) {
            x[k] += step[k];
        }
        if (size <= ENOUGH * all || !(size < 0.9 * last)) { // or rounding is all that is left
            return FIL_OK;
        }
        last = size;
    }
    return fil_world_fail(gradient->world, FIL_NOT_CONVERGED, "the gradient of '%s' was not found: the step is too long for its motion", body->name);
}

FilStatus fil_gradient_forward(FilGradient* gradient, const double* start, const double* force, double* end)
{
    FilStatus status = need_step(gradient, start, end);
    const double dt = gradient->world->def.dt;
    const int n = gradient->n;
    if (status == FIL_OK) {
        memset(end, 0, 2 * sizeof(double) * (size_t)n);
    }
    for (int b = 0; b < gradient->world->system.body_count && status == FIL_OK; b++) {
        const FilBody* body = &gradient->world->system.bodies[b];
        if (!body->moves) {
            continue;
        }
        const FilDerivativeOps* ops = body->ops->derivative;
        const double *place = start + body->v, *rate = start + n + body->v;
        double *end_rate = end + n + body->v, *x = gradient->solution + body->v, *r = gradient->residual + body->v;
        if (ops->lead != NULL) {
            ops->lead(body->impl, place, end_rate);
        }
        ops->vary(body->impl, place, rate, end_rate, r, NULL);
        for (int k = 0; k < body->v_count; k++) {
            r[k] = (force != NULL ? dt * force[body->v + k] : 0.0) - r[k];
        }
        status = solve(gradient, body, false, r, x);
        for (int k = 0; k < body->v_count; k++) {
            end_rate[k] += x[k];
        }
        ops->vary(body->impl, place, rate, end_rate, NULL, end + body->v);
    }
    return status;
}

FilStatus fil_gradient_backward(FilGradient* gradient, const double* end, double* start, double* force)
{
    FilStatus status = need_step(gradient, end, start);
    const double dt = gradient->world->def.dt;
    const int n = gradient->n;
    if (status == FIL_OK) {
        memset(start, 0, 2 * sizeof(double) * (size_t)n);
    }
    for (int b = 0; b < gradient->world->system.body_count && status == FIL_OK; b++) {
        const FilBody* body = &gradient->world->system.bodies[b];
        if (!body->moves) {
            continue;
        }
        const FilDerivativeOps* ops = body->ops->derivative;
        double *place = start + body->v, *rate = start + n + body->v, *x = gradient->solution + body->v, *r = gradient->residual + body->v;
        // weights of the end's velocity: its own, and through the end's place
        memcpy(r, end + n + body->v, sizeof(double) * (size_t)body->v_count);
        ops->vary_back(body->impl, NULL, end + body->v, place, rate, r);
        status = solve(gradient, body, true, r, x);
        if (force != NULL) {
            for (int k = 0; k < body->v_count; k++) {
                force[body->v + k] = dt * x[k];
            }
        }
        // dm, which x answers for; what held unknowns do to it adds to their weights
        for (int k = 0; k < body->v_count; k++) {
            x[k] = -x[k];
        }
        ops->vary_back(body->impl, x, NULL, place, rate, r);
        if (ops->lead_back != NULL) {
            ops->lead_back(body->impl, r, place);
        }
    }
    return status;
}

/* ---- variations of a state ---- */

FilStatus fil_world_vary(FilWorld* world, const double* variation)
{
    if (world == NULL || variation == NULL) {
        return world == NULL ? FIL_BAD_INPUT : fil_world_fail(world, FIL_BAD_INPUT, "there is no variation");
    }
    FilSystem* system = &world->system;
    const int n = system->v_count;
    if (!fil_all_finite(variation, 2 * n)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a variation has numbers that are not finite");
    }
    // a step of a unit of time that ends with these velocities
    const FilStepSetup setup = {.time = world->time, .dt = 1.0, .theta = 1.0, .theta_vq = 1.0};
    fil_system_copy_state(system, &system->next, &system->state);
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (body->moves) {
            body->ops->begin(body->impl, &setup, system->state.q + body->q, system->state.v + body->v, system->state.h + body->h);
            body->ops->finish(body->impl, variation + body->v, system->next.q + body->q, system->next.v + body->v, system->next.h + body->h);
        }
    }
    for (int k = 0; k < n; k++) {
        system->next.v[k] = system->state.v[k] + variation[n + k];
    }
    if (!fil_system_is_finite(system, &system->next)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the state cannot be moved that far");
    }
    fil_state_swap(&system->state, &system->next);
    world->varied++;
    return FIL_OK;
}
