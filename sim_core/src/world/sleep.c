/* Those who sleep in a step, and how they fall asleep. */
#include "world/sleep.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

/* Loads that change in the step to come. */
static void wake_by_drives(FilWorld* world)
{
    for (int d = 0; d < world->drive_count; d++) {
        double before[3] = {0.0}, after[3] = {0.0};
        fil_drive_evaluate(world, &world->system.state, d, world->time, before);
        fil_drive_evaluate(world, &world->system.state, d, world->time + world->def.dt, after);
        if (memcmp(before, after, sizeof before) != 0) {
            fil_sleep_wake_driven(world, d);
        }
    }
}

/* ---- a step ---- */

static bool is_zero(const double* a, int count)
{
    for (int k = 0; k < count; k++) {
        if (a[k] != 0.0) {
            return false;
        }
    }
    return true;
}

bool fil_sleep_begin(FilWorld* world)
{
    FilSystem* system = &world->system;
    world->sleep.count = 0;
    if (!(world->def.sleep_time > 0.0)) {
        return false;
    }
    for (int b = 0; b < system->body_count; b++) {
        const bool asleep = fil_sleep_sleeps(world, &system->bodies[b]);
        system->bodies[b].rest = asleep ? FIL_ASLEEP : FIL_AWAKE;
        world->sleep.count += asleep;
    }
    for (int b = 0; b < system->body_count && world->sleep.count > 0; b++) {
        const FilBody* body = &system->bodies[b];
        if (body->rest == FIL_ASLEEP && !is_zero(system->state.v + body->v, body->v_count)) {
            fil_sleep_wake_with(world, b);  // someone has changed the state
        }
    }
    wake_by_drives(world);
    return world->sleep.count > 0;
}

bool fil_sleep_is_all(const FilWorld* world)
{
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        if (body->rest != (body->moves ? FIL_ASLEEP : FIL_STILL)) {
            return false;
        }
    }
    return true;
}

void fil_sleep_exchange(FilWorld* world, bool asleep)
{
    for (int b = 0; b < world->system.body_count; b++) {
        FilBody* body = &world->system.bodies[b];
        if (!body->moves) {
            body->rest = FIL_STILL;
        } else if (asleep) {
            body->rest = body->rest == FIL_ASLEEP ? FIL_AWAKE : FIL_ABSENT;
        } else {
            body->rest = fil_sleep_sleeps(world, body) ? FIL_ASLEEP : FIL_AWAKE;
        }
    }
}

FilStatus fil_sleep_keep_contacts(FilWorld* world, double dt)
{
    FilSleep* sleep = &world->sleep;
    const FilContactSet* set = &world->collision.set;
    const FilPatchStage* patches = &world->collision.patches;
    sleep->contact_count = sleep->patch_count = 0;
    sleep->deepest = 0.0;
    while (sleep->contact_count < set->count) {
        if (!fil_array_reserve((void**)&sleep->contacts, sleep->contact_count, &sleep->contact_capacity, sizeof *sleep->contacts)) {
            return FIL_OUT_OF_MEMORY;
        }
        FilContact* contact = &sleep->contacts[sleep->contact_count];
        *contact = set->contacts[sleep->contact_count++];
        contact->first_block = contact->block_count = 0;  // nothing moves
        memset(contact->bias, 0, sizeof contact->bias);
        sleep->deepest = fmax(sleep->deepest, -contact->distance);
    }
    while (sleep->patch_count < patches->record_count) {
        if (!fil_array_reserve((void**)&sleep->patches, sleep->patch_count, &sleep->patch_capacity, sizeof *sleep->patches)) {
            return FIL_OUT_OF_MEMORY;
        }
        sleep->patches[sleep->patch_count] = patches->records[sleep->patch_count];
        sleep->patch_count++;
    }
    sleep->dt = dt;
    sleep->stale = sleep->shown = false;
    return FIL_OK;
}

void fil_sleep_see_scripted(FilWorld* world)
{
    FilSystem* system = &world->system;
    for (int b = 0; b < system->body_count && world->sleep.count > 0; b++) {
        FilBody* body = &system->bodies[b];
        if (!body->moves) {
            double* v = system->scratch.solution + body->v;
            body->ops->guess(body->impl, system->state.change + body->v, v);
            body->rest = is_zero(v, body->v_count) ? FIL_STILL : FIL_AWAKE;
        }
    }
}

bool fil_sleep_wake_touched(FilWorld* world, bool solved)
{
    const FilContactSet* set = &world->collision.set;
    const int before = world->sleep.count;
    for (int k = 0; k < set->count && world->sleep.count > 0; k++) {
        const FilContact* contact = &set->contacts[k];
        for (int side = 0; side < 2; side++) {
            const FilBody *own = &world->system.bodies[contact->body[side]], *other = &world->system.bodies[contact->body[1 - side]];
            if (own->rest == FIL_ASLEEP && (other->moves ? solved && !is_zero(contact->impulse, 3) : true)) {
                fil_sleep_wake_with(world, contact->body[side]);
            }
        }
    }
    return world->sleep.count < before;
}

void fil_sleep_carry(FilWorld* world)
{
    for (int b = 0; b < world->system.body_count; b++) {
        const int at = world->system.bodies[b].quiet;
        if (at >= 0) {
            memcpy(world->system.next.h + at, world->system.state.h + at, sizeof(double) * FIL_REST_SIZE);
        }
    }
}

/* ---- falling asleep ---- */

static int first_of(const int* island, int b)
{
    while (island[b] != b) {
        b = island[b];
    }
    return b;
}

static void unite(int* island, int a, int b)
{
    const int first = first_of(island, a), second = first_of(island, b);
    const int to = first < second ? first : second;
    island[first] = island[second] = island[a] = island[b] = to;
}

/* Islands of what presses on each other; in `fit` whether all of one may sleep and have rested long enough. */
static void find_islands(FilWorld* world, int* island, int* fit)
{
    const FilSystem* system = &world->system;
    const FilContactSet* set = &world->collision.set;
    for (int b = 0; b < system->body_count; b++) {
        island[b] = b;
        fit[b] = 1;
    }
    for (int k = 0; k < set->count; k++) {
        const int* pair = set->contacts[k].body;
        if (system->bodies[pair[0]].moves && system->bodies[pair[1]].moves && !is_zero(set->contacts[k].impulse, 3)) {
            unite(island, pair[0], pair[1]);
        }
    }
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        // half a nanosecond: times are sums of steps
        if (body->quiet < 0 || fil_sleep_sleeps(world, body) || fil_sleep_rest(world, body)[FIL_REST_TIME] < world->def.sleep_time - 5e-10) {
            fit[first_of(island, b)] = 0;
        }
    }
    for (int j = 0; j < world->solver.joints.count; j++) {
        for (int side = 0; side < 2; side++) {
            const int b = world->solver.joints.items[j].side[side].body;
            if (b >= 0) {
                fit[first_of(island, b)] = 0;
            }
        }
    }
}

static void fall_asleep(FilWorld* world, const int* island, const int* fit)
{
    const FilState* state = &world->system.state;
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        const int first = first_of(island, b);
        if (body->moves && fit[first]) {
            memset(state->v + body->v, 0, sizeof(double) * (size_t)body->v_count);
            memset(state->change + body->v, 0, sizeof(double) * (size_t)body->v_count);
            fil_sleep_rest(world, body)[FIL_ISLAND] = first + 1;
            world->sleep.stale = true;
        }
    }
}

/* Time at rest of those who are awake; whether someone has rested long enough. */
static bool count_rest(FilWorld* world, double dt)
{
    const FilSystem* system = &world->system;
    bool due = false;
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (body->quiet < 0 || fil_sleep_sleeps(world, body)) {
            continue;
        }
        double* rest = fil_sleep_rest(world, body);
        rest[FIL_REST_TIME] = body->ops->pace(body->impl, system->state.v + body->v) < world->def.sleep_speed ? rest[FIL_REST_TIME] + dt : 0.0;
        due |= rest[FIL_REST_TIME] >= world->def.sleep_time - 5e-10;  // times are known to nanoseconds
    }
    return due;
}

static FilStatus add_patch(FilPatchStage* patches, const FilPatchRecord* record, int first)
{
    if (!fil_array_reserve((void**)&patches->records, patches->record_count, &patches->record_capacity, sizeof *patches->records)) {
        return FIL_OUT_OF_MEMORY;
    }
    patches->records[patches->record_count] = *record;
    patches->records[patches->record_count++].first = first;
    return FIL_OK;
}

/* Contacts and patches of those who have slept through the step, behind the others. */
static FilStatus add_contacts(FilWorld* world)
{
    const FilSleep* sleep = &world->sleep;
    const FilBody* bodies = world->system.bodies;
    FilContactSet* set = &world->collision.set;
    const double scale = world->solver.last_dt / sleep->dt;
    FilStatus status = FIL_OK;
    for (int k = 0, p = 0; k < sleep->contact_count && status == FIL_OK; k++) {
        const FilContact* contact = &sleep->contacts[k];
        const bool asleep = bodies[contact->body[0]].rest == FIL_ASLEEP || bodies[contact->body[1]].rest == FIL_ASLEEP;
        for (; p < sleep->patch_count && sleep->patches[p].first <= k && status == FIL_OK; p++) {
            status = asleep ? add_patch(&world->collision.patches, &sleep->patches[p], set->count) : FIL_OK;
        }
        if (asleep && status == FIL_OK && (status = fil_contact_set_add(set, contact)) == FIL_OK) {
            fil_v3_scale(set->contacts[set->count - 1].impulse, scale, contact->impulse);
        }
    }
    return status;
}

/* What reports tell of: contacts of the step, and of those who slept through it. */
static FilStatus show_contacts(FilWorld* world, bool stepped, FilStepInfo* info)
{
    FilSleep* sleep = &world->sleep;
    FilStatus status = FIL_OK;
    if (!stepped && !sleep->shown) {
        fil_contact_set_clear(&world->collision.set);
        world->collision.patches.record_count = 0;
        world->solver.last_dt = sleep->dt;
    }
    if (stepped || !sleep->shown) {
        status = sleep->count > 0 ? add_contacts(world) : FIL_OK;
    }
    sleep->shown = !stepped;
    info->contacts = world->collision.set.count;
    info->max_penetration = sleep->count > 0 ? fmax(info->max_penetration, sleep->deepest) : info->max_penetration;
    return status;
}

FilStatus fil_sleep_end(FilWorld* world, bool stepped, FilStepInfo* info)
{
    FilSleep* sleep = &world->sleep;
    const int bodies = world->system.body_count;
    info->asleep = sleep->count;
    if (stepped && count_rest(world, world->def.dt)) {
        while (sleep->island_capacity < 2 * bodies) {
            if (!fil_array_reserve((void**)&sleep->island, sleep->island_capacity, &sleep->island_capacity, sizeof *sleep->island)) {
                return FIL_OUT_OF_MEMORY;
            }
        }
        find_islands(world, sleep->island, sleep->island + bodies);
        fall_asleep(world, sleep->island, sleep->island + bodies);
    }
    return show_contacts(world, stepped, info);
}
