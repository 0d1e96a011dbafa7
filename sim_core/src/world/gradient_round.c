/* Steps that were solved again with other bounds of friction: each solution is one of its own equation, in which the bounds follow the solution
 * before. So a product goes through all of them, forward from the first, transposed from the last; bodies, contacts and factors are prepared at each.
 */
#include <string.h>

#include "base/memory.h"
#include "linalg/buffer.h"
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

FilStatus fil_gradient_follow_friction(const FilGradient* gradient, FilWorld* other)
{
    FilIpcField* field = &other->solver.ipc;
    FilStatus status = FIL_OK;
    for (int r = 0; r < gradient->round && status == FIL_OK; r++) {
        const FilIpcSlides swap = field->slides;
        field->slides = field->other_slides;
        field->other_slides = swap;
        fil_gradient_end_bodies(&other->system, gradient->world->solver.potential.rounds.at + (size_t)r * (size_t)gradient->n, &other->system.ahead);
        memcpy(field->x.at, other->system.ahead.q, sizeof(double) * (size_t)other->system.q_count);
        fil_ipc_surface_place(&other->solver, field->x.at, field->points.at);
        field->lag_round = r;
        status = fil_ipc_contacts_follow(&other->solver);
    }
    return status;
}

/* Exchanges pairs and friction under IPC with those of an earlier solution. */
static void exchange(FilIpcField* field, FilIpcRound* round)
{
    const FilIpcSlides slides = field->slides;
    FilIpcPair* pairs = field->pairs;
    const int count = field->pair_count;
    field->slides = round->slides;
    field->pairs = round->pairs;
    field->pair_count = round->pair_count;
    round->slides = slides;
    round->pairs = pairs;
    round->pair_count = count;
}

/* Prepares an earlier solution under IPC; the field is as the step left it afterwards. */
static FilStatus prepare_field(FilGradient* gradient, FilIpcRound* round)
{
    FilWorld* world = gradient->world;
    FilIpcField* field = &world->solver.ipc;
    const FilInts active = field->active;
    const int count = field->active_count;
    FilInts all = {0};
    if (!fil_ints_reserve(&all, (size_t)round->pair_count + 1)) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    for (int k = 0; k < round->pair_count; k++) {
        all.at[k] = k;
    }
    exchange(field, round);
    field->active = all;
    field->active_count = field->pair_count;
    fil_gradient_state_at(gradient, gradient->round, &world->system.ahead);
    gradient->finish = &world->system.ahead;
    memcpy(field->x.at, gradient->finish->q, sizeof(double) * (size_t)world->system.q_count);
    fil_ipc_surface_place(&world->solver, field->x.at, field->points.at);
    const FilStatus status = fil_gradient_prepare(gradient);
    exchange(field, round);
    field->active = active;
    field->active_count = count;
    fil_free(all.at);
    gradient->finish = &world->system.state;
    memcpy(field->x.at, world->system.state.q, sizeof(double) * (size_t)world->system.q_count);
    fil_ipc_surface_place(&world->solver, field->x.at, field->points.at);
    return status;
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
    FilIpcField* field = &world->solver.ipc;
    const bool earlier = world->solver.model->pair == NULL && round < gradient->round_count;
    const FilStatus status = earlier ? prepare_field(gradient, &field->rounds[round]) : fil_gradient_prepare(gradient);
    gradient->ready = status == FIL_OK;
    return status;
}
