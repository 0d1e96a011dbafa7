/* State as bytes: save, restore, reset, hash; and measures of the whole state. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "world/world.h"

/* What stands first in a snapshot: what it is, of which world, and whether it is whole. */
typedef struct Seal {
    char magic[8];
    uint32_t version;
    uint32_t arrays;   /* PART_COUNT */
    uint64_t layout;   /* of the world */
    uint64_t checksum; /* of all that follows: the state's hash */
} Seal;

static const char MAGIC[8] = "FILSNAP";
enum { VERSION = 1 };

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

/* Arrays, and which of them is the last. */
enum { PART_COUNT = 6, PUSH = 5 };

static void parts_of(const FilWorld* world, const FilState* state, Part* parts)
{
    parts[0] = (Part){state->q, sizeof(double) * (size_t)world->system.q_count};
    parts[1] = (Part){state->v, sizeof(double) * (size_t)world->system.v_count};
    parts[2] = (Part){state->h, sizeof(double) * (size_t)world->system.h_count};
    parts[3] = (Part){state->change, sizeof(double) * (size_t)world->system.v_count};
    parts[4] = (Part){state->controls, sizeof(double) * (size_t)world->system.control_count};
    parts[PUSH] = (Part){state->push, sizeof(double) * (size_t)world->system.v_count};
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

/* ---- the world's layout: which number of a snapshot belongs to what ---- */

static uint64_t hash_text(uint64_t hash, const char* text)
{
    return fil_hash_bytes(hash, text, strlen(text));
}

static uint64_t hash_numbers(uint64_t hash, const int32_t* numbers, size_t count)
{
    return fil_hash_bytes(hash, numbers, count * sizeof *numbers);
}

static uint64_t hash_bodies(uint64_t hash, const FilWorld* world)
{
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        const int32_t numbers[] = {body->q, body->q_count, body->v, body->v_count, body->h, body->h_count};
        hash = hash_text(hash_text(hash, body->ops->kind), body->name);
        hash = hash_numbers(hash, numbers, sizeof numbers / sizeof *numbers);
    }
    for (int e = 0; e < world->object_count; e++) {
        const FilObject* object = &world->objects[e];
        const FilBody* body = &world->system.bodies[object->body];
        // rods of one body may share its nodes out in many ways
        const int points = body->ops->point_count != NULL ? body->ops->point_count(body->impl, object->local) : 0;
        const int32_t numbers[] = {object->body, object->local, points};
        hash = hash_numbers(hash_text(hash, object->name), numbers, sizeof numbers / sizeof *numbers);
    }
    return hash;
}

static uint64_t layout_of(const FilWorld* world)
{
    const FilJoints* joints = &world->solver.joints;
    const int32_t counts[] = {world->system.body_count, world->object_count,  world->attachment_count,
                              world->drive_count,       world->robot_count,   joints->count,
                              world->solver.memory,     FIL_POTENTIAL_MEMORY, FIL_CONTROL_SIZE};
    uint64_t hash = hash_numbers(FIL_HASH_SEED, counts, sizeof counts / sizeof *counts);
    hash = hash_bodies(hash, world);
    for (int a = 0; a < world->attachment_count; a++) {
        const FilAttachment* attachment = &world->attachments[a];
        const int32_t numbers[] = {attachment->body, attachment->slot};
        hash = hash_numbers(hash_text(hash, attachment->name), numbers, 2);
    }
    for (int d = 0; d < world->drive_count; d++) {
        const FilDrive* drive = &world->drives[d];
        const int32_t numbers[] = {(int32_t)drive->kind, drive->attachment, drive->joint, drive->object, drive->first, drive->count};
        hash = hash_numbers(hash_text(hash, drive->name), numbers, sizeof numbers / sizeof *numbers);
    }
    for (int j = 0; j < joints->count; j++) {
        const FilJoint* joint = &joints->items[j];
        const int32_t numbers[] = {(int32_t)joint->kind, joint->side[0].body, joint->side[1].body};
        hash = hash_numbers(hash_text(hash, joint->name), numbers, sizeof numbers / sizeof *numbers);
    }
    return hash;
}

/* ---- bytes ---- */

size_t fil_world_snapshot_size(const FilWorld* world)
{
    Part parts[PART_COUNT];
    size_t size = sizeof(Seal) + sizeof(Header);
    parts_of(world, &world->system.state, parts);
    for (int p = 0; p < PART_COUNT; p++) {
        size += parts[p].size;
    }
    return size;
}

void fil_world_save(const FilWorld* world, void* snapshot)
{
    if (snapshot == NULL) {
        fil_world_refuse(world, "there is no room to save a snapshot in");
        return;
    }
    const Header header = header_of(world);
    Seal seal = {.version = VERSION, .arrays = PART_COUNT, .layout = layout_of(world), .checksum = fil_world_hash(world)};
    char* at = snapshot;
    Part parts[PART_COUNT];
    memcpy(seal.magic, MAGIC, sizeof MAGIC);
    memcpy(at, &seal, sizeof seal);
    memcpy(at + sizeof seal, &header, sizeof header);
    at += sizeof seal + sizeof header;
    parts_of(world, &world->system.state, parts);
    for (int p = 0; p < PART_COUNT; p++) {
        if (parts[p].size > 0) {
            memcpy(at, parts[p].data, parts[p].size);
        }
        at += parts[p].size;
    }
}

/* Whether the numbers, which may stand anywhere in memory, are finite. */
static bool are_finite(const char* at, size_t size)
{
    for (size_t k = 0; k < size; k += sizeof(double)) {
        double number;
        memcpy(&number, at + k, sizeof number);
        if (!isfinite(number)) {
            return false;
        }
    }
    return true;
}

/* Where nothing has been pushed there is nothing to tell apart. */
static uint64_t hash_push(uint64_t hash, const void* data, size_t size)
{
    const char* bytes = data;
    bool pushed = false;
    for (size_t k = 0; k < size && !pushed; k++) {
        pushed = bytes[k] != 0;
    }
    return pushed ? fil_hash_bytes(hash, data, size) : hash;
}

/* Whether a snapshot is one, of this world, whole, and of numbers that a step could have left. */
static FilStatus check_snapshot(FilWorld* world, const char* snapshot, size_t size, const Part* parts, Header* header)
{
    Seal seal = {0};
    if (snapshot == NULL || size < sizeof seal + sizeof *header) {
        return fil_world_fail(world, FIL_BAD_INPUT, "these %zu bytes are no snapshot, or one of another world", size);
    }
    memcpy(&seal, snapshot, sizeof seal);
    memcpy(header, snapshot + sizeof seal, sizeof *header);
    if (memcmp(seal.magic, MAGIC, sizeof MAGIC) != 0 || seal.version != VERSION || seal.arrays != PART_COUNT) {
        return fil_world_fail(world, FIL_BAD_INPUT, "this is no snapshot, or one that another version of this library made");
    }
    const FilSystem* system = &world->system;
    if (seal.layout != layout_of(world) || size != fil_world_snapshot_size(world) || header->q_count != system->q_count ||
        header->v_count != system->v_count || header->h_count != system->h_count || header->control_count != system->control_count) {
        return fil_world_fail(world, FIL_BAD_INPUT, "this snapshot is of another world: its objects, drives or joints are others");
    }
    const char* at = snapshot + sizeof seal + sizeof *header;
    uint64_t checksum = fil_hash_bytes(FIL_HASH_SEED, header, sizeof *header);
    bool finite = isfinite(header->time) && isfinite(header->clock_time);
    for (int p = 0; p < PART_COUNT; p++) {
        checksum = (p == PUSH ? hash_push : fil_hash_bytes)(checksum, at, parts[p].size);
        finite = finite && are_finite(at, parts[p].size);
        at += parts[p].size;
    }
    if (checksum != seal.checksum) {
        return fil_world_fail(world, FIL_BAD_INPUT, "this snapshot is damaged: its checksum does not fit");
    }
    return finite ? FIL_OK : fil_world_fail(world, FIL_BAD_INPUT, "this snapshot holds numbers that are not finite");
}

FilStatus fil_world_restore(FilWorld* world, const void* snapshot, size_t size)
{
    Header header;
    Part parts[PART_COUNT];
    parts_of(world, &world->system.state, parts);
    const FilStatus status = check_snapshot(world, snapshot, size, parts, &header);
    if (status != FIL_OK) {
        return status;
    }
    const char* at = (const char*)snapshot + sizeof(Seal) + sizeof header;
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
    world->sleep.stale = true;
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
    world->sleep.stale = true;
    return FIL_OK;
}

/* ---- state of what two worlds have in common ---- */

static void copy_numbers(double* to, const double* from, int count)
{
    if (count > 0) {
        memcpy(to, from, sizeof(double) * (size_t)count);
    }
}

static const FilBody* find_body(const FilSystem* system, const FilBody* like)
{
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (body->ops == like->ops && strcmp(body->name, like->name) == 0) {
            return body->q_count == like->q_count && body->v_count == like->v_count && body->h_count == like->h_count ? body : NULL;
        }
    }
    return NULL;
}

static void take_bodies(FilWorld* world, const FilWorld* from)
{
    const FilState *to = &world->system.state, *old = &from->system.state;
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        const FilBody* source = find_body(&from->system, body);
        if (source != NULL) {
            copy_numbers(to->q + body->q, old->q + source->q, body->q_count);
            copy_numbers(to->v + body->v, old->v + source->v, body->v_count);
            copy_numbers(to->h + body->h, old->h + source->h, body->h_count);
            copy_numbers(to->change + body->v, old->change + source->v, body->v_count);
            copy_numbers(to->push + body->v, old->push + source->v, body->v_count);
        }
    }
}

static void take_controls(FilWorld* world, const FilWorld* from)
{
    const FilState *to = &world->system.state, *old = &from->system.state;
    for (int a = 0; a < world->attachment_count; a++) {
        const int source = fil_id_index(from, FIL_ID_ATTACHMENT, fil_world_find_attachment(from, world->attachments[a].name));
        if (source >= 0 && from->attachments[source].kind == world->attachments[a].kind) {
            copy_numbers(fil_attachment_control(world, to, a), fil_attachment_control(from, old, source), FIL_CONTROL_SIZE);
        }
    }
    for (int d = 0; d < world->drive_count; d++) {
        const int source = fil_id_index(from, FIL_ID_DRIVE, fil_world_find_drive(from, world->drives[d].name));
        if (source >= 0 && from->drives[source].kind == world->drives[d].kind) {
            copy_numbers(fil_drive_control(world, to, d), fil_drive_control(from, old, source), FIL_CONTROL_SIZE);
        }
    }
}

FilStatus fil_world_take_state(FilWorld* world, const FilWorld* from)
{
    if (from == NULL || from == world || world->step > 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a state is taken from another world, by one that has not stepped");
    }
    FilSystem* system = &world->system;
    fil_system_copy_state(system, &system->initial, &system->state);
    take_bodies(world, from);
    take_controls(world, from);
    copy_numbers(system->state.h + world->solver.memory, from->system.state.h + from->solver.memory, FIL_POTENTIAL_MEMORY);
    world->step = from->step;
    world->time = from->time;
    world->clock.step = from->clock.step;
    world->clock.time = from->clock.time;
    fil_world_place_targets(world);
    world->sleep.stale = true;
    return FIL_OK;
}

uint64_t fil_world_hash(const FilWorld* world)
{
    const Header header = header_of(world);
    Part parts[PART_COUNT];
    uint64_t hash = fil_hash_bytes(FIL_HASH_SEED, &header, sizeof header);
    parts_of(world, &world->system.state, parts);
    for (int p = 0; p < PUSH; p++) {
        hash = fil_hash_bytes(hash, parts[p].data, parts[p].size);
    }
    return hash_push(hash, parts[PUSH].data, parts[PUSH].size);
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
