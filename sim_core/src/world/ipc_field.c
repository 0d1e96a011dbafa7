#include "world/ipc_field.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "world/world.h"

FilIpcSettings fil_ipc_settings_default(void)
{
    return (FilIpcSettings){.range = 1e-3, .slip_speed = 1e-6};
}

void fil_ipc_field_free(FilIpcField* field)
{
    fil_free(field->x.at);
    fil_free(field->rings);
}

/* Positions at the end of the step if it went with v. */
static void place_points(FilWorld* world, const double* v)
{
    FilIpcField* field = &world->ipc;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        for (int k = 0; body->ops->points && k < body->q_count; k++) {
            field->x.at[body->q + k] = world->state.q[body->q + k] + field->dt * v[body->v + k];
        }
    }
}

static double add(FilWorld* world, const double* v, double* residual)
{
    place_points(world, v);
    return fil_rings_add(world, v, residual);
}

/* Half the velocity for everything that is not held. */
static void shorten(FilWorld* world, double* v)
{
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        for (int k = body->v; k < body->v + body->v_count; k++) {
            world->scratch.trial[k] = 0.5 * v[k] - world->state.v[k];
        }
        if (body->moves) {
            body->ops->guess(body->impl, world->scratch.trial + body->v, v + body->v);
        }
    }
}

/* Shortens the wish until nothing is out of reach: from where the step starts that is always possible. */
static FilStatus begin(FilWorld* world, double dt, double* v, FilStepInfo* info)
{
    (void)info;
    FilIpcField* field = &world->ipc;
    field->dt = dt;
    if (!fil_doubles_reserve(&field->x, (size_t)world->q_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    FilStatus status = fil_rings_begin(world);
    for (int attempt = 0; attempt < 30 && status == FIL_OK; attempt++) {
        memset(world->scratch.trial, 0, sizeof(double) * (size_t)world->v_count);
        if (isfinite(add(world, v, world->scratch.trial))) {
            bool changed;
            fil_rings_accept(world, &changed);
            return FIL_OK;
        }
        shorten(world, v);
    }
    return status == FIL_OK ? FIL_NOT_CONVERGED : status;
}

static FilStatus list(FilWorld* world, FilInts* end, FilInts* variable, int* count)
{
    FilIpcField* field = &world->ipc;
    int variables = 0;
    *count = 0;
    if (!fil_ints_reserve(end, (size_t)field->ring_count) || !fil_ints_reserve(variable, 8 * (size_t)field->ring_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_rings_list(world, end->at, variable->at, count, &variables);
    return FIL_OK;
}

static void hessian(FilWorld* world, const double* v, FilPotentialOrder order, FilBlockSum* sum)
{
    place_points(world, v);
    fil_rings_hessian(world, v, order == FIL_POTENTIAL_DEFINITE, sum, 0);
}

static double longest(FilWorld* world, const double* v, const double* direction)
{
    (void)world, (void)v, (void)direction;
    return 1.0;
}

static FilStatus accept(FilWorld* world, const double* v, bool* changed)
{
    place_points(world, v);
    fil_rings_accept(world, changed);
    return FIL_OK;
}

static void finish(FilWorld* world, const double* v, double* impulse, FilStepInfo* info)
{
    (void)info;
    memset(world->scratch.trial, 0, sizeof(double) * (size_t)world->v_count);
    add(world, v, world->scratch.trial);
    for (int k = 0; k < world->v_count; k++) {
        impulse[k] -= world->scratch.trial[k];
    }
    fil_rings_finish(world);
}

static const FilPotentialField field = {
    .begin = begin,
    .add = add,
    .list = list,
    .hessian = hessian,
    .longest = longest,
    .accept = accept,
    .finish = finish,
};

const FilPotentialModel fil_ipc_model = {.tangent = true, .field = &field};
