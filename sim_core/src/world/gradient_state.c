/* Where a step began, and where its solutions end. */
#include "world/gradient.h"

FilStepSetup fil_gradient_setup(const FilGradient* gradient)
{
    const FilWorldDef* def = &gradient->world->def;
    return (FilStepSetup){.time = gradient->world->time - def->dt,
                          .dt = def->dt,
                          .theta = 1.0,
                          .theta_vq = 1.0,
                          .gravity = {def->gravity.x, def->gravity.y, def->gravity.z},
                          .frugal = gradient->world->solver.model->frugal};
}

void fil_gradient_end_bodies(const FilSystem* system, const double* v, FilState* state)
{
    fil_system_copy_state(system, state, &system->state);
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (body->moves) {
            body->ops->finish(body->impl, v + body->v, state->q + body->q, state->v + body->v, state->h + body->h);
        }
    }
}

void fil_gradient_state_at(const FilGradient* gradient, int round, FilState* state)
{
    const FilPotentialStage* stage = &gradient->world->solver.potential;
    fil_gradient_end_bodies(&gradient->world->system, stage->rounds.at + (size_t)round * (size_t)gradient->n, state);
}

const double* fil_gradient_before(const FilGradient* gradient)
{
    return gradient->world->solver.potential.rounds.at + (size_t)(gradient->round - 1) * (size_t)gradient->n;
}
