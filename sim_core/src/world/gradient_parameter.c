/* How a step varies with a parameter: m(v, p) = 0 at its end, so J dv = -dm/dp. m is evaluated in worlds with more and with less of the parameter, at
 * the same start and end; where it is linear in the parameter the difference quotient is the derivative. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "body/derivative.h"
#include "world/gradient.h"

/* Whether a world can stand in for another, from the same start. */
static FilStatus check_like(const FilGradient* gradient, FilWorld* other)
{
    FilWorld* world = gradient->world;
    FilSystem *system = &world->system, *own = &other->system;
    bool alike = own->body_count == system->body_count && own->v_count == system->v_count && own->q_count == system->q_count &&
                 own->h_count == system->h_count && own->control_count == system->control_count && other->def.dt == world->def.dt &&
                 other->def.integrator == world->def.integrator && other->solver.model == world->solver.model;
    for (int b = 0; b < system->body_count && alike; b++) {
        alike = own->bodies[b].ops == system->bodies[b].ops && own->bodies[b].v == system->bodies[b].v;
    }
    if (!alike) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a parameter's worlds must be made like the one that is differentiated, but for a value");
    }
    if (other->step == 0 && other->varied == 0) {  // as it was made
        fil_system_copy_state(own, &own->initial, &own->state);
    }
    const size_t q = sizeof(double) * (size_t)system->q_count, v = sizeof(double) * (size_t)system->v_count,
                 h = sizeof(double) * (size_t)system->h_count;
    if (memcmp(own->initial.q, system->initial.q, q) != 0 || memcmp(own->initial.v, system->initial.v, v) != 0 ||
        memcmp(own->initial.h, system->initial.h, h) != 0) {
        return fil_world_fail(world, FIL_BAD_INPUT,
                              "the parameter changes the state or the rest shapes that the world begins with, by which gradients are not known");
    }
    return FIL_OK;
}

/* Impulses of motors and stops that are at work, on the unknowns: m(v) is equal to them. */
static void subtract_springs(FilWorld* other, const FilBody* body, const double* v, double* residual)
{
    const FilState* start = &other->system.state;
    const double dt = other->def.dt;
    const int count =
        body->ops->constraint_count == NULL ? 0 : body->ops->constraint_count(body->impl, start->q + body->q, start->v + body->v, start->h + body->h);
    for (int c = 0; c < count; c++) {
        FilBodyConstraint own;
        body->ops->constraint(body->impl, c, &own);
        const double rate = own.rate[0] * v[own.unknown[0]] + own.bias;
        const double impulse = -dt * own.stiffness * own.error - dt * (dt * own.stiffness + own.damping) * rate;
        residual[own.unknown[0]] -= own.rate[0] * fmin(fmax(impulse, own.lower), own.upper);
    }
}

/* out += factor m(v) in a world with another value, from the start of the step that was made. */
static FilStatus add_residual(FilGradient* gradient, FilWorld* other, double factor, double* out)
{
    const FilSystem* system = &gradient->world->system;
    FilSystem* own = &other->system;
    const double dt = other->def.dt, t = gradient->world->time - dt;
    const FilStepSetup setup = {.time = t,
                                .dt = dt,
                                .theta = 1.0,
                                .theta_vq = 1.0,
                                .gravity = {other->def.gravity.x, other->def.gravity.y, other->def.gravity.z},
                                .frugal = other->solver.model->frugal};
    memcpy(own->state.q, system->next.q, sizeof(double) * (size_t)system->q_count);
    memcpy(own->state.v, system->next.v, sizeof(double) * (size_t)system->v_count);
    memcpy(own->state.h, system->next.h, sizeof(double) * (size_t)system->h_count);
    if (own->control_count > 0) {  // what drives are set to
        memcpy(own->state.controls, system->next.controls, sizeof(double) * (size_t)own->control_count);
    }
    other->varied++;
    fil_world_apply_drives(other, t, dt, setup.theta);
    for (int b = 0; b < own->body_count; b++) {
        const FilBody* body = &own->bodies[b];
        double potential, *residual = gradient->correction + body->v;
        body->ops->begin(body->impl, &setup, own->state.q + body->q, own->state.v + body->v, own->state.h + body->h);
        if (!body->moves) {
            continue;
        }
        if (!body->ops->evaluate(body->impl, gradient->v + body->v, 0.0, residual, &potential)) {
            return fil_world_fail(gradient->world, FIL_NOT_CONVERGED, "'%s' cannot be evaluated with the parameter's other value", body->name);
        }
        subtract_springs(other, body, gradient->v + body->v, residual);
        for (int k = 0; k < body->v_count; k++) {
            out[body->v + k] += factor * residual[k];
        }
    }
    return FIL_OK;
}

FilStatus fil_gradient_parameter(FilGradient* gradient, FilWorld* more, FilWorld* less, double difference, double* end)
{
    FilStatus status = fil_gradient_need_step(gradient, gradient->v, end);
    FilWorld* world = gradient->world;
    const int n = gradient->n;
    if (status == FIL_OK && (more == NULL || less == NULL || more == world || less == world || !(difference != 0.0) || !isfinite(difference))) {
        status = fil_world_fail(world, FIL_BAD_INPUT, "a parameter needs two other worlds, and by how much it differs in them");
    }
    if (status == FIL_OK && gradient->contacts.count > 0) {
        status = fil_world_fail(world, FIL_BAD_INPUT, "how a step with contacts that bear varies with parameters is not known yet");
    }
    status = status == FIL_OK ? check_like(gradient, more) : status;
    status = status == FIL_OK ? check_like(gradient, less) : status;
    if (status != FIL_OK) {
        return status;
    }
    memset(gradient->residual, 0, sizeof(double) * (size_t)n);
    memset(end, 0, 2 * sizeof(double) * (size_t)n);
    status = add_residual(gradient, more, -1.0 / difference, gradient->residual);
    status = status == FIL_OK ? add_residual(gradient, less, 1.0 / difference, gradient->residual) : status;
    status = status == FIL_OK ? fil_gradient_solve(gradient, false, gradient->residual, gradient->solution) : status;
    for (int b = 0; b < world->system.body_count && status == FIL_OK; b++) {
        const FilBody* body = &world->system.bodies[b];
        if (body->moves) {
            memcpy(end + n + body->v, gradient->solution + body->v, sizeof(double) * (size_t)body->v_count);
            body->ops->derivative->vary(body->impl, NULL, NULL, end + n + body->v, NULL, end + body->v);
        }
    }
    return status;
}
