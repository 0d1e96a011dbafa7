/* What is in a world, by ids and names, and how it gets there. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "world/sleep.h"
#include "world/world.h"

/* ---- messages ---- */

FilStatus fil_world_fail(FilWorld* world, FilStatus status, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(world->error->text, sizeof world->error->text, format, arguments);
    va_end(arguments);
    return status;
}

void fil_world_refuse(const FilWorld* world, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(world->error->text, sizeof world->error->text, format, arguments);
    va_end(arguments);
}

FilStatus fil_world_set_error(FilWorld* world, FilStatus status, const char* text)
{
    // it may be the message that stands there already
    return text == world->error->text ? status : fil_world_fail(world, status, "%s", text != NULL ? text : "");
}

const char* fil_world_error(const FilWorld* world)
{
    return world->error->text;
}

/* ---- ids and names ---- */

FilId fil_make_id(const FilWorld* world, FilIdClass kind, int index)
{
    return (FilId){(uint32_t)index + 1, world->generation | (uint32_t)kind};
}

void fil_give_id(const FilWorld* world, FilIdClass kind, int index, FilId* out)
{
    if (out != NULL) {
        *out = fil_make_id(world, kind, index);
    }
}

/* How many there are of a class, and what messages call one. */
typedef struct Class {
    int count;
    const char* word;
} Class;

static Class class_of(const FilWorld* world, FilIdClass kind)
{
    switch (kind) {
        case FIL_ID_OBJECT:
            return (Class){world->object_count, "object"};
        case FIL_ID_ATTACHMENT:
            return (Class){world->attachment_count, "attachment"};
        case FIL_ID_DRIVE:
            return (Class){world->drive_count, "drive"};
        case FIL_ID_PROBE:
            return (Class){world->probe_count, "probe"};
        case FIL_ID_JOINT:
            return (Class){world->solver.joints.count, "joint"};
        case FIL_ID_ROBOT:
            return (Class){world->robot_count, "robot"};
    }
    return (Class){0, "nothing"};
}

int fil_id_index(const FilWorld* world, FilIdClass kind, FilId id)
{
    if (id.generation != (world->generation | (uint32_t)kind)) {
        return -1;
    }
    const uint32_t index = id.index - 1;  // a null id's is beyond all
    return index < (uint32_t)class_of(world, kind).count ? (int)index : -1;
}

/* Leaves a message about an id that is no `word` of this world. */
static void refuse_id(const FilWorld* world, const char* word, FilId id)
{
    const FilIdClass kind = (FilIdClass)(id.generation & ~FIL_GENERATION_MASK);
    const int index = fil_id_index(world, kind, id);
    if (id.index == 0) {
        fil_world_refuse(world, "no such %s: the id is null", word);
    } else if ((id.generation & FIL_GENERATION_MASK) != world->generation) {
        fil_world_refuse(world, "no such %s: the id is of another world, or of one that is gone", word);
    } else if (index < 0) {
        fil_world_refuse(world, "no such %s: the id was never given out", word);
    } else if (kind == FIL_ID_OBJECT) {
        const FilObject* object = &world->objects[index];
        fil_world_refuse(world, "no such %s: the id is that of '%s', a body of kind %s", word, object->name,
                         world->system.bodies[object->body].ops->kind);
    } else {
        fil_world_refuse(world, "no such %s: the id is that of the %s number %d", word, class_of(world, kind).word, index);
    }
}

int fil_id_find(const FilWorld* world, FilIdClass kind, FilId id)
{
    const int index = fil_id_index(world, kind, id);
    if (index < 0) {
        refuse_id(world, class_of(world, kind).word, id);
    }
    return index;
}

bool fil_kind_view(const FilWorld* world, FilBodyKind kind, const char* word, FilId id, FilView* view)
{
    const int index = fil_kind_index(world, kind, id);
    if (index < 0) {
        refuse_id(world, word, id);
        return false;
    }
    const FilObject* object = &world->objects[index];
    const FilBody* body = &world->system.bodies[object->body];
    const FilState* state = &world->system.state;
    *view = (FilView){object->name, body->impl, object->local, state->q + body->q, state->v + body->v, state->h + body->h};
    return true;
}

bool fil_world_has_part(const FilWorld* world, const char* word, const char* name, const char* part, int index, int count)
{
    if (index >= 0 && index < count) {
        return true;
    }
    if (count > 0) {
        fil_world_refuse(world, "%s '%s' has no %s %d, only 0 to %d", word, name, part, index, count - 1);
    } else {
        fil_world_refuse(world, "%s '%s' has no %s", word, name, part);
    }
    return false;
}

char* fil_world_new_name(FilWorld* world, const char* name, const char* prefix, int number, FilFinder* find)
{
    char made[64];
    do {
        snprintf(made, sizeof made, "%s%d", prefix, number++);
    } while (name == NULL && find(world, made).index != 0);
    if (name != NULL && find(world, name).index != 0) {
        fil_world_fail(world, FIL_BAD_INPUT, "there is already a %s named '%s'", prefix, name);
        return NULL;
    }
    if (name != NULL && name[0] == '\0') {
        fil_world_fail(world, FIL_BAD_INPUT, "a %s's name must not be empty", prefix);
        return NULL;
    }
    char* copy = fil_strdup(name != NULL ? name : made);
    if (copy == NULL) {
        fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    return copy;
}

/* ---- growing ---- */

FilStatus fil_world_reserve(FilWorld* world, void** array, int count, int* capacity, size_t size)
{
    return fil_array_reserve(array, count, capacity, size) ? FIL_OK : fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
}

FilStatus fil_world_grow_controls(FilWorld* world, int attachments, int drives)
{
    // drives stand behind attachments
    const int at = attachments > 0 ? FIL_CONTROL_SIZE * world->attachment_count : world->system.control_count;
    const FilStatus status = fil_system_add_controls(&world->system, at, FIL_CONTROL_SIZE * (attachments + drives));
    return status == FIL_OK ? FIL_OK : fil_world_fail(world, status, "out of memory");
}

FilStatus fil_world_add_body(FilWorld* world, FilBodyKind kind, void* impl, int q_count, int v_count, int h_count, const char* name, int* index)
{
    FilStatus status = fil_system_add_body(&world->system, kind, impl, q_count, v_count, h_count, name, index);
    status = status == FIL_OK ? fil_sleep_add_body(world, *index) : status;
    world->solver.contact.pattern_ready = false;  // it does not know of this one
    return status == FIL_OK ? FIL_OK : fil_world_fail(world, status, "out of memory");
}

FilStatus fil_world_add_colliders(FilWorld* world, int body, const int* objects, int count)
{
    const char** names = fil_alloc((size_t)count, sizeof *names);
    FilStatus status = names != NULL ? FIL_OK : FIL_OUT_OF_MEMORY;
    for (int k = 0; k < count && status == FIL_OK; k++) {
        names[k] = world->objects[objects[k]].name;
    }
    status = status == FIL_OK ? fil_collision_register(&world->collision, body, objects, names, world->error) : status;
    fil_free(names);
    return status != FIL_OUT_OF_MEMORY ? status : fil_world_fail(world, status, "out of memory");
}

FilStatus fil_world_add_object(FilWorld* world, const char* name, FilBodyKind kind, int body, int local, int* index)
{
    const FilStatus status = fil_world_reserve(world, (void**)&world->objects, world->object_count, &world->object_capacity, sizeof *world->objects);
    if (status != FIL_OK) {
        return status;
    }
    char* copy = fil_strdup(name);
    if (copy == NULL) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    world->objects[world->object_count] = (FilObject){.name = copy, .kind = kind, .body = body, .local = local, .look = {.visible = true}};
    *index = world->object_count++;
    return FIL_OK;
}

int fil_world_find_object(const FilWorld* world, const char* name)
{
    for (int e = 0; e < world->object_count && name != NULL; e++) {
        if (strcmp(world->objects[e].name, name) == 0) {
            return e;
        }
    }
    return -1;
}

int fil_kind_index(const FilWorld* world, FilBodyKind kind, FilId id)
{
    const int index = fil_id_index(world, FIL_ID_OBJECT, id);
    return index >= 0 && world->objects[index].kind == kind ? index : -1;
}

FilId fil_kind_find(const FilWorld* world, FilBodyKind kind, const char* name)
{
    const int index = fil_world_find_object(world, name);
    const bool found = index >= 0 && world->objects[index].kind == kind;
    return found ? fil_make_id(world, FIL_ID_OBJECT, index) : (FilId){0};
}

const char* fil_kind_name(const FilWorld* world, FilBodyKind kind, FilId id)
{
    const int index = fil_kind_index(world, kind, id);
    return index < 0 ? NULL : world->objects[index].name;
}

const FilBody* fil_kind_body(const FilWorld* world, FilBodyKind kind, FilId id)
{
    const int index = fil_kind_index(world, kind, id);
    return index < 0 ? NULL : &world->system.bodies[world->objects[index].body];
}

FilId fil_kind_at(const FilWorld* world, FilBodyKind kind, int k)
{
    for (int e = 0; e < world->object_count && k >= 0; e++) {
        if (world->objects[e].kind == kind && k-- == 0) {
            return fil_make_id(world, FIL_ID_OBJECT, e);
        }
    }
    return (FilId){0};
}

int fil_kind_count(const FilWorld* world, FilBodyKind kind)
{
    int count = 0;
    for (int e = 0; e < world->object_count; e++) {
        count += world->objects[e].kind == kind;
    }
    return count;
}

int fil_world_object_count(const FilWorld* world)
{
    return world->object_count;
}

FilId fil_world_object_at(const FilWorld* world, int index)
{
    return index >= 0 && index < world->object_count ? fil_make_id(world, FIL_ID_OBJECT, index) : (FilId){0};
}

const char* fil_object_name(const FilWorld* world, FilId object)
{
    const int index = fil_id_index(world, FIL_ID_OBJECT, object);
    return index < 0 ? NULL : world->objects[index].name;
}

double fil_object_mass(const FilWorld* world, FilId object)
{
    const int index = fil_id_find(world, FIL_ID_OBJECT, object);
    if (index < 0) {
        return NAN;
    }
    const FilBody* body = &world->system.bodies[world->objects[index].body];
    return body->ops->mass != NULL ? body->ops->mass(body->impl) : 0.0;
}

FilStatus fil_world_name_object(FilWorld* world, const char* given, const char* prefix, char made[64], const char** name)
{
    *name = given;
    if (given == NULL) {
        int number = world->object_count + 1;
        do {
            snprintf(made, 64, "%s%d", prefix, number++);
        } while (fil_world_find_object(world, made) >= 0);
        *name = made;
    } else if (given[0] == '\0') {
        return fil_world_fail(world, FIL_BAD_INPUT, "a %s's name must not be empty", prefix);
    } else if (fil_world_find_object(world, given) >= 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "there is already a rod or rigid body named '%s'", given);
    }
    return FIL_OK;
}

/* ---- bodies ---- */

int fil_world_body_count(const FilWorld* world)
{
    return world->system.body_count;
}

/* A body by its number, NULL and a message if there is none. */
static const FilBody* body_at(const FilWorld* world, int body)
{
    if (body < 0 || body >= world->system.body_count) {
        fil_world_refuse(world, "there is no body %d of %d", body, world->system.body_count);
        return NULL;
    }
    return &world->system.bodies[body];
}

const char* fil_world_body_name(const FilWorld* world, int index)
{
    const FilBody* body = body_at(world, index);
    return body != NULL ? body->name : NULL;
}

const char* fil_world_body_kind(const FilWorld* world, int index)
{
    const FilBody* body = body_at(world, index);
    return body != NULL ? body->ops->kind : NULL;
}

int fil_world_body_dofs(const FilWorld* world, int index)
{
    const FilBody* body = body_at(world, index);
    return body != NULL ? body->ops->dofs(body->impl) : 0;
}

int fil_world_dofs(const FilWorld* world)
{
    int count = 0;
    for (int b = 0; b < world->system.body_count; b++) {
        count += fil_world_body_dofs(world, b);
    }
    return count;
}
