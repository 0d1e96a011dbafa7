/* Pairs that edges of rods share under IPC: their stiffness follows where points were when the step looked first, on as in the last step, and the
 * bound of their friction where they are at its start. */
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "world/gradient_ipc.h"

/* Of a body that is no points: more than any has that can be differentiated. */
enum { MAX_HISTORY = 256, MAX_UNKNOWNS = 256 };

bool fil_gradient_guesses(const FilWorld* world)
{
    bool rods = false;
    for (int k = 0; k < world->collision.collider_count; k++) {
        const FilCollider* c = &world->collision.colliders[k].collider;
        rods |= c->kind == FIL_COLLIDER_ROW && c->movable;
    }
    return fil_gradient_pairs_adapt(world) || (rods && world->solver.model->field == &fil_ipc_potential);
}

static FilStatus append(FilGradient* gradient, const FilGradientSlope* slope)
{
    FilGradientLags* lags = &gradient->lags;
    if (!fil_array_reserve((void**)&lags->slopes, lags->slope_count, &lags->slope_capacity, sizeof *lags->slopes)) {
        return fil_world_fail(gradient->world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    lags->slopes[lags->slope_count++] = *slope;
    return FIL_OK;
}

/* Weights of a body's place at its first guess, in gradient->bent, to those of its place at the start and of the guess, in at_free and free_rate. */
static FilStatus go_back_to_start(FilGradient* gradient, const FilBody* body, const double* v)
{
    const FilState* start = &gradient->world->system.next;
    const FilStepSetup setup = fil_gradient_setup(gradient);
    const size_t bytes = sizeof(double) * (size_t)body->v_count;
    double potential, *place = gradient->at_free + body->v, *rate = gradient->correction + body->v, *guess = gradient->free_rate + body->v;
    body->ops->begin(body->impl, &setup, start->q + body->q, start->v + body->v, start->h + body->h);
    const char* why = body->ops->evaluate(body->impl, v, 0.0, gradient->residual + body->v, &potential)
                          ? body->ops->derivative->prepare(body->impl, v)
                          : "cannot be evaluated where its step began to look";
    memset(place, 0, bytes);
    memset(rate, 0, bytes);
    memset(guess, 0, bytes);
    if (why != NULL) {
        return fil_world_fail(gradient->world, FIL_BAD_INPUT, "'%s' %s", body->name, why);
    }
    body->ops->derivative->vary_back(body->impl, NULL, gradient->bent + body->v, place, rate, guess);
    return FIL_OK;
}

/* How the share follows a body that is no points, from its slope by one of that's: where the step looked first that moves with the guess. */
static FilStatus append_shape(FilGradient* gradient, const FilGradientShare* share, int at, const double* slope)
{
    FilWorld* world = gradient->world;
    FilSystem* system = &world->system;
    const FilStepSetup setup = fil_gradient_setup(gradient);
    const FilIpcPoint* p = &world->solver.ipc.surface.points[at];
    const FilBody* body = &system->bodies[fil_ipc_collider_of(world, at)->body];
    const FilState* start = &system->next;
    double *v = gradient->solution + body->v, *weight = gradient->bent + body->v, history[MAX_HISTORY], end[MAX_UNKNOWNS];
    if (body->h_count > MAX_HISTORY || body->v_count > MAX_UNKNOWNS) {
        return fil_gradient_refuse_pair(gradient, share->pair, "share a contact, one of them too large for gradients of that");
    }
    FilState ahead = {.q = world->solver.ipc.x_end.at, .h = start->h};  // of which no Jacobian depends
    FilGradientMaker maker = {.node_side = -1, .node_at = -1};
    body->ops->begin(body->impl, &setup, start->q + body->q, start->v + body->v, start->h + body->h);
    if (share->guess) {
        for (int k = 0; k < body->v_count; k++) {  // as fil_potential_guess()
            v[k] = start->v[body->v + k] + world->solver.potential.goes_on * start->change[body->v + k];
        }
        body->ops->finish(body->impl, v, ahead.q + body->q, end, history);
        body->ops->begin(body->impl, &setup, ahead.q + body->q, end, history);
    }
    fil_v3_copy(maker.point, share->x + 3 * at);
    FilStatus status = fil_gradient_side_take(gradient, share->guess ? &ahead : start, &maker, p->collider, 0, 1, 1.0, share->work);
    const FilGradientSide* side = &maker.sides[0];
    memset(weight, 0, sizeof(double) * (size_t)body->v_count);
    for (int i = 0; i < side->size && status == FIL_OK; i++) {
        const double* twist = side->twist + i;
        weight[4 * fil_gradient_side_block(side, i / 4) + i % 4] =
            slope[0] * twist[0] + slope[1] * twist[side->size] + slope[2] * twist[2 * side->size];
    }
    if (share->guess && status == FIL_OK) {
        status = go_back_to_start(gradient, body, v);
    }
    for (int k = body->v; k < body->v + body->v_count && status == FIL_OK; k++) {
        const FilGradientSlope own = {.unknown = k,
                                      .by_place = share->guess ? gradient->at_free[k] : gradient->bent[k],
                                      .by_guess = share->guess ? gradient->free_rate[k] : 0.0};
        status = own.by_place != 0.0 || own.by_guess != 0.0 ? append(gradient, &own) : FIL_OK;
    }
    return status == FIL_OK && share->guess ? fil_gradient_begin_bodies(gradient, share->at, true) : status;
}

FilStatus fil_gradient_share_append(FilGradient* gradient, const FilGradientShare* share, double scale)
{
    FilWorld* world = gradient->world;
    const FilIpcPair* pair = share->pair;
    const double dt = world->def.dt, *x = share->x;
    int point[2][4];
    double slope[2][4][3], corners[12];
    for (int i = 0; i < pair->corner_count; i++) {
        fil_v3_copy(corners + 3 * i, x + 3 * pair->point[i]);
    }
    if (fil_repulsion_crossing(&pair->repulsion, corners) < 1.0) {
        return fil_gradient_refuse_pair(gradient, pair, "lie side by side and share a contact, of which gradients are not known yet");
    }
    fil_ipc_share_slopes(&world->solver, &pair->repulsion, pair->point, x, point, slope);
    FilStatus status = FIL_OK;
    for (int k = 0; k < 8 && status == FIL_OK; k++) {
        const int at = point[k / 4][k % 4];
        double value[3];
        fil_v3_scale(value, scale, slope[k / 4][k % 4]);
        if (at < 0 || !(fil_v3_dot(value, value) > 0.0)) {
            continue;
        }
        const FilIpcPoint* p = &world->solver.ipc.surface.points[at];
        const FilBody* body = &world->system.bodies[fil_ipc_collider_of(world, at)->body];
        if (body->moves && p->node < 0) {
            status = append_shape(gradient, share, at, value);
        }
        for (int i = 0; i < 3 && body->moves && p->node >= 0 && status == FIL_OK; i++) {
            const FilGradientSlope own = {.unknown = body->v + 4 * p->node + i, .by_place = value[i], .by_guess = share->guess ? dt * value[i] : 0.0};
            status = append(gradient, &own);
        }
    }
    return status;
}

/* What the barrier of a pair pushes, by its share; bodies have begun where it is, prepared. */
static FilStatus take_pair(FilGradient* gradient, const FilIpcPair* pair, double* push, int* unknown)
{
    FilWorld* world = gradient->world;
    FilGradientLags* lags = &gradient->lags;
    FilGradientLag* lag = &lags->items[lags->count++];
    const FilGradientShare share = {pair, world->solver.ipc.ahead.at, true, gradient->finish, gradient->barriers.numbers};
    double g[12];
    *lag = (FilGradientLag){.unknown = unknown, .push = push};
    for (int k = 0; k <= FIL_LAGS; k++) {
        lag->first[k] = lags->slope_count;
    }
    FilStatus status = fil_gradient_share_append(gradient, &share, 1.0);
    for (int k = FIL_LAG_STIFFNESS + 1; k <= FIL_LAGS; k++) {
        lag->first[k] = lags->slope_count;
    }
    (void)fil_ipc_pair_energy(&world->solver, pair, g, NULL, false);
    for (int i = 0; i < pair->corner_count && status == FIL_OK; i++) {
        FilGradientCorner corner;
        status = fil_gradient_take_corner(gradient, gradient->finish, pair, i, share.work, unknown + lag->size, &corner);
        for (int k = 0; k < corner.size && status == FIL_OK; k++) {
            const double *j = corner.jacobian + k, *force = g + 3 * i;
            push[lag->size++] = -world->def.dt / pair->share * (j[0] * force[0] + j[corner.size] * force[1] + j[2 * corner.size] * force[2]);
        }
    }
    memset(push + lag->size, 0, (FIL_LAGS - 1) * sizeof(double) * (size_t)lag->size);
    return status;
}

FilStatus fil_gradient_shares_take(FilGradient* gradient)
{
    FilIpcField* field = &gradient->world->solver.ipc;
    FilGradientRoom* room = &gradient->room;
    FilStatus status = FIL_OK;
    bool begun = false;
    for (int k = 0; k < field->active_count && status == FIL_OK; k++) {
        const FilIpcPair* pair = &field->pairs[field->active.at[k]];
        if (pair->plane >= 0 || !fil_ipc_is_shared(pair)) {
            continue;
        }
        status = begun ? FIL_OK : fil_gradient_begin_bodies(gradient, gradient->finish, true);
        status = status == FIL_OK ? take_pair(gradient, pair, room->push, room->pushed) : status;
        const int size = gradient->lags.items[gradient->lags.count - 1].size;
        room->push += FIL_LAGS * size;
        room->pushed += size;
        begun = true;
    }
    return status == FIL_OK && begun ? fil_gradient_begin_bodies(gradient, &gradient->world->system.next, false) : status;
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
