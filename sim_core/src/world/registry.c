/* What is in a world, by ids and names, and how it gets there. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
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

FilVec3 fil_world_refuse_vec3(const FilWorld* world, const char* text)
{
    fil_world_refuse(world, "%s", text);
    return (FilVec3){NAN, NAN, NAN};
}

FilStatus fil_world_set_error(FilWorld* world, FilStatus status, const char* text)
{
    return fil_world_fail(world, status, "%s", text);
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

int fil_id_index(const FilWorld* world, FilIdClass kind, FilId id)
{
    const int counts[] = {0, world->object_count, world->attachment_count, world->drive_count, world->probe_count,
                          world->solver.joints.count, world->robot_count};
    const bool known = id.generation == (world->generation | (uint32_t)kind) && id.index >= 1 &&
                       id.index <= (uint32_t)counts[kind];
    return known ? (int)id.index - 1 : -1;
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

FilStatus fil_world_add_body(FilWorld* world, FilBodyKind kind, void* impl, int q_count, int v_count, int h_count,
                             const char* name, int* index)
{
    const FilStatus status = fil_system_add_body(&world->system, kind, impl, q_count, v_count, h_count, name, index);
    return status == FIL_OK ? FIL_OK : fil_world_fail(world, status, "out of memory");
}

FilStatus fil_world_add_colliders(FilWorld* world, int body, const int* objects, int count)
{
    const char** names = fil_alloc((size_t)count, sizeof *names);
    FilStatus status = names != NULL ? FIL_OK : FIL_OUT_OF_MEMORY;
    for (int k = 0; k < count && status == FIL_OK; k++) {
        names[k] = world->objects[objects[k]].name;
    }
    status = status == FIL_OK ? fil_collision_register(&world->collision, body, objects, names) : status;
    fil_free(names);
    return status == FIL_OK ? FIL_OK : fil_world_fail(world, status, "out of memory");
}

FilStatus fil_world_add_object(FilWorld* world, const char* name, FilBodyKind kind, int body, int local, int* index)
{
    const FilStatus status = fil_world_reserve(world, (void**)&world->objects, world->object_count,
                                               &world->object_capacity, sizeof *world->objects);
    if (status != FIL_OK) {
        return status;
    }
    char* copy = fil_strdup(name);
    if (copy == NULL) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    world->objects[world->object_count] = (FilObject){copy, kind, body, local};
    *index = world->object_count++;
    return FIL_OK;
}

int fil_world_find_object(const FilWorld* world, const char* name)
{
    for (int e = 0; e < world->object_count; e++) {
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
    for (int e = 0; e < world->object_count; e++) {
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

const char* fil_object_name(const FilWorld* world, FilId thing)
{
    const int index = fil_id_index(world, FIL_ID_OBJECT, thing);
    return index < 0 ? NULL : world->objects[index].name;
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

const char* fil_world_body_name(const FilWorld* world, int body)
{
    return world->system.bodies[body].name;
}

const char* fil_world_body_kind(const FilWorld* world, int body)
{
    return world->system.bodies[body].ops->kind;
}

int fil_world_body_dofs(const FilWorld* world, int body)
{
    return world->system.bodies[body].ops->dofs(world->system.bodies[body].impl);
}

int fil_world_dofs(const FilWorld* world)
{
    int count = 0;
    for (int b = 0; b < world->system.body_count; b++) {
        count += fil_world_body_dofs(world, b);
    }
    return count;
}
