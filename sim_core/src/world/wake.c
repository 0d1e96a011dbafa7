/* Who sleeps, and what wakes them between steps. */
#include "world/sleep.h"

void fil_sleep_free(FilSleep* sleep)
{
    fil_free(sleep->contacts);
    fil_free(sleep->patches);
    fil_free(sleep->island);
}

FilStatus fil_sleep_add_body(FilWorld* world, int b)
{
    FilBody* body = &world->system.bodies[b];
    if (world->step > 0) {
        fil_sleep_wake_all(world);  // it may stand in their way
    }
    if (!(world->def.sleep_time > 0.0) || body->ops->pace == NULL || !body->moves) {
        return FIL_OK;
    }
    return fil_system_add_memory(&world->system, FIL_REST_SIZE, &body->quiet);
}

double* fil_sleep_rest(const FilWorld* world, const FilBody* body)
{
    return world->system.state.h + body->quiet;
}

bool fil_sleep_sleeps(const FilWorld* world, const FilBody* body)
{
    return body->quiet >= 0 && fil_sleep_rest(world, body)[FIL_ISLAND] > 0.0;
}

/* ---- waking ---- */

/* Wakes an island, or all with 0. */
static void wake(FilWorld* world, double island)
{
    for (int b = 0; b < world->system.body_count; b++) {
        FilBody* body = &world->system.bodies[b];
        if (fil_sleep_sleeps(world, body) && (island == 0.0 || fil_sleep_rest(world, body)[FIL_ISLAND] == island)) {
            fil_sleep_rest(world, body)[FIL_REST_TIME] = fil_sleep_rest(world, body)[FIL_ISLAND] = 0.0;
            body->rest = FIL_AWAKE;
            world->sleep.count--;
            world->sleep.stale = true;
        }
    }
}

void fil_sleep_wake_with(FilWorld* world, int b)
{
    const FilBody* body = &world->system.bodies[b];
    if (fil_sleep_sleeps(world, body)) {
        wake(world, fil_sleep_rest(world, body)[FIL_ISLAND]);
    }
}

void fil_sleep_wake_all(FilWorld* world)
{
    wake(world, 0.0);
}

void fil_sleep_wake_moved(FilWorld* world, int b)
{
    if (world->system.bodies[b].moves) {
        fil_sleep_wake_with(world, b);
    } else {
        wake(world, 0.0);
    }
}

void fil_sleep_wake_driven(FilWorld* world, int index)
{
    const FilDrive* drive = &world->drives[index];
    if (drive->object >= 0) {
        fil_sleep_wake_with(world, world->objects[drive->object].body);
    }
}
