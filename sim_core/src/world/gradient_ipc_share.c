/* Pairs that edges of rods share under IPC: their stiffness follows where points were when the step looked first, on as in the last step, and the
 * bound of their friction where they are at its start. */
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "world/gradient_ipc.h"

bool fil_gradient_guesses(const FilWorld* world)
{
    bool rods = false;
    for (int k = 0; k < world->collision.collider_count; k++) {
        const FilCollider* c = &world->collision.colliders[k].collider;
        rods |= c->kind == FIL_COLLIDER_ROW && c->movable;
    }
    return fil_gradient_pairs_adapt(world) || (rods && world->solver.model->field == &fil_ipc_potential);
}

FilStatus fil_gradient_share_append(FilGradient* gradient, const FilIpcPair* pair, const double* x, bool guess, double scale)
{
    FilWorld* world = gradient->world;
    FilGradientLags* lags = &gradient->lags;
    const double dt = world->def.dt;
    int point[2][4];
    double slope[2][4][3], corners[12];
    for (int i = 0; i < pair->corner_count; i++) {
        fil_v3_copy(corners + 3 * i, x + 3 * pair->point[i]);
    }
    if (fil_repulsion_crossing(&pair->repulsion, corners) < 1.0) {
        return fil_gradient_refuse_pair(gradient, pair, "lie side by side and share a contact, of which gradients are not known yet");
    }
    fil_ipc_share_slopes(&world->solver, &pair->repulsion, pair->point, x, point, slope);
    for (int k = 0; k < 24; k++) {
        const int at = point[k / 12][k % 12 / 3];
        const double value = scale * slope[k / 12][k % 12 / 3][k % 3];
        if (at < 0 || value == 0.0) {
            continue;
        }
        const FilIpcPoint* p = &world->solver.ipc.surface.points[at];
        const FilBody* body = &world->system.bodies[fil_ipc_collider_of(world, at)->body];
        if (!body->moves) {
            continue;
        }
        if (p->node < 0) {
            return fil_gradient_refuse_pair(gradient, pair,
                                            "touch at a node whose edges share the contact with something else than a rod that moves, of "
                                            "which gradients are not known yet");
        }
        if (!fil_array_reserve((void**)&lags->slopes, lags->slope_count, &lags->slope_capacity, sizeof *lags->slopes)) {
            return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
        }
        lags->slopes[lags->slope_count++] =
            (FilGradientSlope){.unknown = body->v + 4 * p->node + k % 3, .by_place = value, .by_guess = guess ? dt * value : 0.0};
    }
    return FIL_OK;
}

/* What the barrier of a pair pushes, by its share. */
static FilStatus take_pair(FilGradient* gradient, const FilIpcPair* pair, double* push, int* unknown)
{
    FilWorld* world = gradient->world;
    FilGradientLags* lags = &gradient->lags;
    FilGradientLag* lag = &lags->items[lags->count++];
    double g[12];
    *lag = (FilGradientLag){.unknown = unknown, .push = push};
    for (int k = 0; k <= FIL_LAGS; k++) {
        lag->first[k] = lags->slope_count;
    }
    const FilStatus status = fil_gradient_share_append(gradient, pair, world->solver.ipc.ahead.at, true, 1.0);
    for (int k = FIL_LAG_STIFFNESS + 1; k <= FIL_LAGS; k++) {
        lag->first[k] = lags->slope_count;
    }
    (void)fil_ipc_pair_energy(&world->solver, pair, g, NULL, false);
    for (int i = 0; i < pair->corner_count; i++) {
        const FilIpcPoint* p = &world->solver.ipc.surface.points[pair->point[i]];
        const FilBody* body = &world->system.bodies[fil_ipc_collider_of(world, pair->point[i])->body];
        for (int k = 0; k < 3 && body->moves && p->node >= 0; k++) {
            unknown[lag->size++] = body->v + 4 * p->node + k;
        }
    }
    memset(push, 0, 12 * FIL_LAGS * sizeof(double));
    for (int i = 0, at = 0; i < pair->corner_count; i++) {
        const FilIpcPoint* p = &world->solver.ipc.surface.points[pair->point[i]];
        const FilBody* body = &world->system.bodies[fil_ipc_collider_of(world, pair->point[i])->body];
        for (int k = 0; k < 3 && body->moves && p->node >= 0; k++) {
            push[FIL_LAG_STIFFNESS * lag->size + at++] = -world->def.dt * g[3 * i + k] / pair->share;
        }
    }
    return status;
}

FilStatus fil_gradient_shares_take(FilGradient* gradient)
{
    FilIpcField* field = &gradient->world->solver.ipc;
    FilGradientRoom* room = &gradient->room;
    FilStatus status = FIL_OK;
    for (int k = 0; k < field->active_count && status == FIL_OK; k++) {
        const FilIpcPair* pair = &field->pairs[field->active.at[k]];
        if (pair->plane < 0 && fil_ipc_is_shared(pair)) {
            status = take_pair(gradient, pair, room->push, room->pushed);
            room->push += 12 * FIL_LAGS;
            room->pushed += 12;
        }
    }
    return status;
}

void fil_gradient_share_again(const FilGradient* gradient, FilWorld* other)
{
    FilIpcField *field = &other->solver.ipc, *own = &gradient->world->solver.ipc;
    for (int k = 0; k < field->pair_count; k++) {
        FilIpcPair* pair = &field->pairs[k];
        if (pair->plane < 0) {
            const double share = fmax(fil_ipc_share(&other->solver, &pair->repulsion, pair->point, own->ahead.at), 0.05);
            pair->repulsion.stiffness *= share / pair->share;
            pair->share = share;
        }
    }
}
