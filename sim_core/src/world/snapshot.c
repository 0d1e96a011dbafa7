/* State as bytes: save, restore, reset, hash; and measures of the whole state. */
#include <string.h>

#include "base/hash.h"
#include "world/world.h"

/* What stands in front of a snapshot's arrays. */
typedef struct Header {
    uint64_t step, clock_step;
    double time, clock_time;
    int32_t q_count, v_count, h_count, control_count;
} Header;

/* The arrays of a state, in snapshot order. */
typedef struct Part {
    double* data;
    size_t size; /* bytes */
} Part;

enum { PART_COUNT = 5 };

static void parts_of(const FilWorld* world, const FilState* state, Part* parts)
{
    parts[0] = (Part){state->q, sizeof(double) * (size_t)world->system.q_count};
    parts[1] = (Part){state->v, sizeof(double) * (size_t)world->system.v_count};
    parts[2] = (Part){state->h, sizeof(double) * (size_t)world->system.h_count};
    parts[3] = (Part){state->change, sizeof(double) * (size_t)world->system.v_count};
    parts[4] = (Part){state->controls, sizeof(double) * (size_t)world->system.control_count};
}

static Header header_of(const FilWorld* world)
{
    return (Header){.step = world->step,
                    .clock_step = world->clock.step,
                    .time = world->time,
                    .clock_time = world->clock.time,
                    .q_count = world->system.q_count,
                    .v_count = world->system.v_count,
                    .h_count = world->system.h_count,
                    .control_count = world->system.control_count};
}

size_t fil_world_snapshot_size(const FilWorld* world)
{
    Part parts[PART_COUNT];
    size_t size = sizeof(Header);
    parts_of(world, &world->system.state, parts);
    for (int p = 0; p < PART_COUNT; p++) {
        size += parts[p].size;
    }
    return size;
}

void fil_world_save(const FilWorld* world, void* snapshot)
{
    const Header header = header_of(world);
    char* at = snapshot;
    Part parts[PART_COUNT];
    memcpy(at, &header, sizeof header);
    at += sizeof header;
    parts_of(world, &world->system.state, parts);
    for (int p = 0; p < PART_COUNT; p++) {
        if (parts[p].size > 0) {
            memcpy(at, parts[p].data, parts[p].size);
        }
        at += parts[p].size;
    }
}

FilStatus fil_world_restore(FilWorld* world, const void* snapshot, size_t size)
{
    Header header = {0};
    if (size >= sizeof header) {
        memcpy(&header, snapshot, sizeof header);
    }
    if (size != fil_world_snapshot_size(world) || header.q_count != world->system.q_count || header.v_count != world->system.v_count ||
        header.h_count != world->system.h_count || header.control_count != world->system.control_count) {
        return fil_world_fail(world, FIL_BAD_INPUT, "this snapshot is of another world");
    }
    const char* at = (const char*)snapshot + sizeof header;
    Part parts[PART_COUNT];
    parts_of(world, &world->system.state, parts);
    for (int p = 0; p < PART_COUNT; p++) {
        if (parts[p].size > 0) {
            memcpy(parts[p].data, at, parts[p].size);
        }
        at += parts[p].size;
    }
    world->step = header.step;
    world->time = header.time;
    world->clock.step = header.clock_step;
    world->clock.time = header.clock_time;
    fil_world_place_targets(world);
    return FIL_OK;
}

FilStatus fil_world_reset(FilWorld* world)
{
    if (world->step > 0) {
        Part from[PART_COUNT], to[PART_COUNT];
        parts_of(world, &world->system.initial, from);
        parts_of(world, &world->system.state, to);
        for (int p = 0; p < PART_COUNT; p++) {
            if (to[p].size > 0) {
                memcpy(to[p].data, from[p].data, to[p].size);
            }
        }
    }
    world->step = world->clock.step = 0;
    world->time = world->clock.time = 0.0;
    fil_world_place_targets(world);
    return FIL_OK;
}

uint64_t fil_world_hash(const FilWorld* world)
{
    const Header header = header_of(world);
    Part parts[PART_COUNT];
    uint64_t hash = fil_hash_bytes(FIL_HASH_SEED, &header, sizeof header);
    parts_of(world, &world->system.state, parts);
    for (int p = 0; p < PART_COUNT; p++) {
        hash = fil_hash_bytes(hash, parts[p].data, parts[p].size);
    }
    return hash;
}

FilEnergy fil_world_energy(const FilWorld* world)
{
    FilEnergy energy = {0};
    const double gravity[3] = {world->def.gravity.x, world->def.gravity.y, world->def.gravity.z};
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        body->ops->energy(body->impl, world->system.state.q + body->q, world->system.state.v + body->v, world->system.state.h + body->h, gravity,
                          &energy);
    }
    return energy;
}

static void momenta(const FilWorld* world, double* linear, double* angular)
{
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        body->ops->momentum(body->impl, world->system.state.q + body->q, world->system.state.v + body->v, world->system.state.h + body->h, linear,
                            angular);
    }
}

FilVec3 fil_world_momentum(const FilWorld* world)
{
    double linear[3] = {0.0}, angular[3] = {0.0};
    momenta(world, linear, angular);
    return (FilVec3){linear[0], linear[1], linear[2]};
}

FilVec3 fil_world_angular_momentum(const FilWorld* world)
{
    double linear[3] = {0.0}, angular[3] = {0.0};
    momenta(world, linear, angular);
    return (FilVec3){angular[0], angular[1], angular[2]};
}
