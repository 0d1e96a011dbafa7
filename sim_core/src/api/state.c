/* The state's arrays as others see them. */
#include "api/state.h"

#include "filum/state.h"
#include "world/sleep.h"
#include "world/world.h"

static const double* give(const double* numbers, int size, int* count)
{
    if (count != NULL) {
        *count = size;
    }
    return numbers;
}

const double* fil_world_positions(const FilWorld* world, int* count)
{
    return give(world->system.state.q, world->system.q_count, count);
}

const double* fil_world_velocities(const FilWorld* world, int* count)
{
    return give(world->system.state.v, world->system.v_count, count);
}

bool fil_world_move_state(FilWorld* world, const double* positions)
{
    FilSystem* system = &world->system;
    for (int s = 0; s < FIL_STATE_COUNT; s++) {
        if (system->states[s].q != positions || s == FIL_STATE_INITIAL) {
            continue;
        }
        // of the others nothing is needed between steps
        if (s != FIL_STATE_NOW) {
            fil_system_copy_state(system, &system->states[s], &system->state);
            fil_state_swap(&system->states[s], &system->state);
        }
        return true;
    }
    return false;
}

int fil_object_points(const FilWorld* world, FilId object, int* position, int* velocity)
{
    const int index = fil_id_find(world, FIL_ID_OBJECT, object);
    const FilBody* body = index >= 0 ? &world->system.bodies[world->objects[index].body] : NULL;
    if (body == NULL || body->ops->point_count == NULL || body->ops->point == NULL) {
        return 0;
    }
    const int local = world->objects[index].local, count = body->ops->point_count(body->impl, local);
    // points follow each other; one that is shared is another's block too, which comes before
    int block = 0;
    for (int k = 0; k < count; k++) {
        const int from = body->ops->point(body->impl, local, k) - k;
        block = from > block ? from : block;
    }
    *position = body->q + FIL_POINT_STRIDE * block;
    *velocity = body->v + FIL_POINT_STRIDE * block;
    return count;
}

bool fil_object_sleeps(const FilWorld* world, FilId object)
{
    const int index = fil_id_find(world, FIL_ID_OBJECT, object);
    return index >= 0 && fil_sleep_sleeps(world, &world->system.bodies[world->objects[index].body]);
}
