/* What products with the derivative of a step need, where its equations were solved: bodies and contacts, evaluated and factored. */
#include "world/gradient.h"

/* A body that deforms takes part in contact about its free motion v^, from which the solver kept the change of velocity; or about the guess that it
 * stayed with, which solves the same equation within the root of Newton's tolerance. It is the equation that is differentiated: a guess follows the
 * start in its own way, but only as far as it is that near. */
static FilStatus linearise(FilGradient* gradient, int b)
{
    FilWorld* world = gradient->world;
    const FilSystem* system = &world->system;
    const FilBody* body = &system->bodies[b];
    const FilSolverSettings* settings = &world->solver.settings;
    if (body->ops->derivative->linearised == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "'%s' touches something, and gradients of a body of kind %s in contact are not known yet",
                              body->name, body->ops->kind);
    }
    if (world->solver.motions[b].at_start || world->solver.velocity.linearisations > 1 || settings->relinearisations > 0 ||
        settings->linearisation == FIL_ABOUT_START) {
        return fil_world_fail(world, FIL_BAD_INPUT,
                              "the contacts of '%s' are linear about more than its free motion in this step, of which gradients are not known yet",
                              body->name);
    }
    if (world->solver.motions[b].newton.stayed) {
        body->ops->guess(body->impl, system->next.change + body->v, gradient->v_free + body->v);
        return FIL_OK;
    }
    for (int k = body->v; k < body->v + body->v_count; k++) {
        gradient->v_free[k] = system->next.v[k] + system->state.change[k];
    }
    return FIL_OK;
}

/* The body where its equations were solved: at the end of its step, or in free motion; evaluated and factored there. */
static FilStatus prepare(FilGradient* gradient, int b)
{
    FilWorld* world = gradient->world;
    const FilBody* body = &world->system.bodies[b];
    const bool bends = gradient->bends[b];
    const FilStatus status = bends ? linearise(gradient, b) : FIL_OK;
    double potential;
    const double* v = (bends ? gradient->v_free : gradient->v) + body->v;
    if (status != FIL_OK) {
        return status;
    }
    if (!body->ops->evaluate(body->impl, v, 0.0, gradient->residual + body->v, &potential)) {
        return fil_world_fail(world, FIL_NOT_CONVERGED, "'%s' cannot be evaluated at the end of its step", body->name);
    }
    const char* why = body->ops->derivative->prepare(body->impl, v);
    why = why == NULL && bends ? body->ops->derivative->linearised(body->impl, v, gradient->v + body->v) : why;
    if (why != NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "'%s' %s", body->name, why);
    }
    body->ops->diagonal(body->impl, v, gradient->diagonal + body->v, gradient->correction + body->v);
    // under potentials all are factored together, from their tangents
    if (!gradient->potential && !body->ops->factor(body->impl)) {
        return fil_world_fail(world, FIL_BAD_INPUT,
                              "'%s' buckles in this step: its tangent is not positive definite there, and it has no derivative here", body->name);
    }
    return fil_gradient_springs_take(gradient, body);
}

FilStatus fil_gradient_prepare(FilGradient* gradient)
{
    FilWorld* world = gradient->world;
    FilStatus status = FIL_OK;
    gradient->spring_count = 0;
    if (world->solver.model->field == &fil_ipc_potential) {
        status = fil_gradient_barriers_take(gradient);
        status = status == FIL_OK ? fil_gradient_slides_begin(gradient) : status;
    } else if (world->solver.model->pair != NULL && !gradient->ready) {  // once a step
        status = fil_gradient_inertia_take(gradient);
    }
    for (int b = 0; b < world->system.body_count && status == FIL_OK; b++) {
        status = world->system.bodies[b].moves ? prepare(gradient, b) : FIL_OK;
    }
    if (status == FIL_OK && gradient->potential) {
        status = world->solver.model->pair != NULL ? fil_gradient_pairs_take(gradient) : fil_gradient_slides_take(gradient);
        if (status == FIL_OK) {
            fil_gradient_contacts_mark(gradient);
        }
        return status == FIL_OK ? fil_gradient_potential_factor(gradient) : status;
    }
    status = status == FIL_OK ? fil_gradient_contacts_take(gradient) : status;
    if (status == FIL_OK) {
        fil_gradient_contacts_mark(gradient);
    }
    return status == FIL_OK ? fil_gradient_contacts_factor(gradient) : status;
}
