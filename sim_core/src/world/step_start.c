#include "world/step_start.h"

#include <string.h>

static void copy(double* to, const double* from, int first, int end)
{
    if (end > first) {
        memcpy(to + first, from + first, sizeof(double) * (size_t)(end - first));
    }
}

/* What steps write into the state that they start from: memories, which stand between the histories of bodies and behind the last one, controls, and
 * rest values, of bodies that drives act on. */
static void copy_written(const FilWorld* world, const FilState* to, const FilState* from)
{
    const FilSystem* system = &world->system;
    int end = 0;
    for (int b = 0; b < system->body_count; b++) {
        copy(to->h, from->h, end, system->bodies[b].h);
        end = system->bodies[b].h + system->bodies[b].h_count;
    }
    copy(to->h, from->h, end, system->h_count);
    copy(to->controls, from->controls, 0, system->control_count);
    for (int d = 0; d < world->drive_count; d++) {
        if (world->drives[d].object >= 0) {
            const FilBody* body = &system->bodies[world->objects[world->drives[d].object].body];
            copy(to->h, from->h, body->h, body->h + body->h_count);
        }
    }
}

void fil_step_start_begin(FilWorld* world)
{
    world->step_start = FIL_START_NOW;
    copy_written(world, &world->system.saved, &world->system.state);
}

void fil_step_start_put_aside(FilWorld* world)
{
    FilSystem* system = &world->system;
    if (world->step_start == FIL_START_NEXT) {
        copy_written(world, &system->next, &system->saved);
        fil_state_swap(&system->next, &system->saved);
        world->step_start = FIL_START_SAVED;
    }
}

void fil_step_start_leave(FilWorld* world)
{
    fil_state_swap(&world->system.state, &world->system.next);
    world->step_start = world->step_start == FIL_START_NOW ? FIL_START_NEXT : world->step_start;
}

void fil_step_start_return(FilWorld* world)
{
    FilSystem* system = &world->system;
    if (world->step_start == FIL_START_SAVED) {
        fil_state_swap(&system->state, &system->saved);
        return;
    }
    if (world->step_start == FIL_START_NEXT) {
        fil_state_swap(&system->state, &system->next);
    }
    copy_written(world, &system->state, &system->saved);
}
