/* The state's arrays as others see them. */
#include "api/state.h"

#include "filum/state.h"
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
