#include "world/inspect.h"

#include <string.h>

#include "base/error.h"
#include "body/rod_inspect.h"

static const FilBody* body_of(const FilWorld* world, FilId rod)
{
    const int index = fil_id_index(world, FIL_ID_OBJECT, rod);
    FIL_ASSERT(index >= 0);
    return &world->system.bodies[world->objects[index].body];
}

int fil_rod_unknowns(const FilWorld* world, FilId rod)
{
    return body_of(world, rod)->v_count;
}

void fil_rod_stiffness(FilWorld* world, FilId rod, double* matrix, double* mass, bool* is_free)
{
    const FilBody* body = body_of(world, rod);
    FilRodBody* impl = body->impl;
    fil_rod_body_stiffness(impl, world->system.state.q + body->q, world->system.state.h + body->h, matrix, is_free);
    memcpy(mass, impl->mass, sizeof(double) * (size_t)body->v_count);
}
