/* Steps that were solved again with other bounds of friction: each solution is one of its own equation, in which the bounds follow the solution
 * before. So a product goes through all of them, forward from the first, transposed from the last; bodies, contacts and factors are prepared at each.
 */
#include <string.h>

#include "world/gradient.h"

/* The bound of a contact's friction under IMC as solution v had it. */
static double bound_of(const FilWorld* world, const FilPotentialContact* c, const double* v)
{
    const FilPotentialProblem* p = &world->solver.potential.problem;
    double x[12], u[3] = {0.0};
    if (c->nodes) {
        for (int i = 0; i < 12; i++) {
            x[i] = c->x[i] + p->dt * v[4 * c->variable[i / 3] + i % 3];
        }
    } else {
        fil_contact_velocity(&world->collision.set, c->contact, v, u);
    }
    return world->solver.model->pair->bound(p, c, x, u);
}

void fil_gradient_set_bounds(FilWorld* world, const double* v)
{
    FilPotentialProblem* p = &world->solver.potential.problem;
    for (int k = 0; k < p->count; k++) {
        FilPotentialContact* c = &p->contacts[k];
        if (c->contact->mu > 0.0 && v == NULL) {
            fil_imc_bound_at_start(p, c);
        } else if (c->contact->mu > 0.0) {
            c->normal_force = bound_of(world, c, v);
        }
    }
}

FilStatus fil_gradient_turn_to(FilGradient* gradient, int round)
{
    FilWorld* world = gradient->world;
    const size_t n = (size_t)gradient->n;
    const FilPotentialStage* stage = &world->solver.potential;
    if (gradient->round == round) {
        return FIL_OK;
    }
    gradient->round = round;
    memcpy(gradient->v, round < gradient->round_count ? stage->rounds.at + (size_t)round * n : world->system.state.v, n * sizeof(double));
    if (world->solver.model->pair != NULL) {
        fil_gradient_set_bounds(world, round > 0 ? stage->rounds.at + (size_t)(round - 1) * n : NULL);
    }
    const FilStatus status = fil_gradient_prepare(gradient);
    gradient->ready = status == FIL_OK;
    return status;
}
