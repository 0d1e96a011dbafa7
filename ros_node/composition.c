#include "composition.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "entities.h"
#include "scene/urdf.h"

/* ---- what it is made of ---- */

/* `from` may be NULL; false: out of memory */
static bool copy_text(char** to, const char* from, size_t size)
{
    *to = from != NULL ? malloc(size + 1) : NULL;
    if (*to != NULL) {
        memcpy(*to, from, size);
        (*to)[size] = '\0';
    }
    return (*to != NULL) == (from != NULL);
}

FilComposition* fil_composition_create(const char* scene, const char* text, size_t size, bool trusted)
{
    FilComposition* made = calloc(1, sizeof *made);
    if (made != NULL) {
        made->size = size;
        made->trusted = trusted;
        if (copy_text(&made->scene, scene, strlen(scene)) && copy_text(&made->text, text, size)) {
            return made;
        }
    }
    fil_composition_destroy(made);
    return NULL;
}

static void free_spawned(FilSpawned* spawned)
{
    free(spawned->source);
    free(spawned->text);
}

void fil_composition_destroy(FilComposition* composition)
{
    if (composition == NULL) {
        return;
    }
    for (int i = 0; i < composition->spawned_count; i++) {
        free_spawned(&composition->spawned[i]);
    }
    for (int i = 0; i < composition->deleted_count; i++) {
        free(composition->deleted[i]);
    }
    free(composition->spawned);
    free(composition->deleted);
    free(composition->scene);
    free(composition->text);
    free(composition);
}

bool fil_composition_spawn(FilComposition* composition, const FilSpawned* spawned)
{
    FilSpawned* grown = realloc(composition->spawned, (size_t)(composition->spawned_count + 1) * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    composition->spawned = grown;
    FilSpawned* made = &grown[composition->spawned_count];
    *made = *spawned;
    const bool source = copy_text(&made->source, spawned->source, strlen(spawned->source));
    if (!copy_text(&made->text, spawned->text, spawned->size) || !source) {
        free_spawned(made);
        return false;
    }
    composition->spawned_count++;
    return true;
}

static bool add_deleted(FilComposition* composition, const char* name)
{
    char** grown = realloc(composition->deleted, (size_t)(composition->deleted_count + 1) * sizeof *grown);
    if (grown != NULL) {
        composition->deleted = grown;
    }
    if (grown == NULL || !copy_text(&grown[composition->deleted_count], name, strlen(name))) {
        return false;
    }
    composition->deleted_count++;
    return true;
}

bool fil_composition_delete(FilComposition* composition, const char* name)
{
    for (int i = 0; i < composition->spawned_count; i++) {
        if (strcmp(composition->spawned[i].name, name) == 0) {
            free_spawned(&composition->spawned[i]);
            composition->spawned_count--;
            memmove(&composition->spawned[i], &composition->spawned[i + 1], (size_t)(composition->spawned_count - i) * sizeof *composition->spawned);
            return true;
        }
    }
    return add_deleted(composition, name);
}

FilComposition* fil_composition_copy(const FilComposition* from)
{
    FilComposition* made = fil_composition_create(from->scene, from->text, from->size, from->trusted);
    bool done = made != NULL;
    for (int i = 0; done && i < from->spawned_count; i++) {
        done = fil_composition_spawn(made, &from->spawned[i]);
    }
    for (int i = 0; done && i < from->deleted_count; i++) {
        done = add_deleted(made, from->deleted[i]);
    }
    if (!done) {
        fil_composition_destroy(made);
    }
    return done ? made : NULL;
}

bool fil_composition_is_changed(const FilComposition* composition)
{
    return composition->spawned_count > 0 || composition->deleted_count > 0;
}

/* ---- building: entities ---- */

typedef struct Build {
    const FilSceneOptions* options;
    const FilCompositionBounds* bounds;
    FilWorld* world;
    FilCompositionFailure failure;
    FilError* error;
} Build;

static FilStatus fail(Build* build, FilCompositionFault fault, const char* text)
{
    build->failure = (FilCompositionFailure){fault, true};
    snprintf(build->error->text, sizeof build->error->text, "%s", text);
    return FIL_BAD_INPUT;
}

/* What is wrong with the resource itself is in the world's message, which may quote it. */
static FilStatus fail_resource(Build* build, const FilWorld* world)
{
    const FilStatus status = fail(build, FIL_COMPOSITION_RESOURCE, fil_world_error(world));
    build->failure.own = false;
    return status;
}

/* How a resource is read into a world: nodes that are still free, and a name for its object (NULL: its own). */
static FilSceneOptions resource_options(const Build* build, const FilWorld* world, const char* name)
{
    FilSceneBudget budget = build->bounds->budget;
    const int used = fil_world_dofs(world) / 3, left = budget.nodes - used;
    budget.nodes = left > 0 ? left : 1;
    return (FilSceneOptions){.folders = build->bounds->folders,
                             .budget = budget,
                             .stop = build->options->stop,
                             .stop_context = build->options->stop_context,
                             .object_name = name};
}

/* The name in <robot name="...">; empty if there is none. */
static void read_robot_name(const char* description, char name[FIL_ENTITY_NAME])
{
    const char* at = description != NULL ? strstr(description, "<robot") : NULL;
    const char* end = at != NULL ? strchr(at, '>') : NULL;
    const char* key = at != NULL ? strstr(at, "name") : NULL;
    name[0] = '\0';
    if (end != NULL && key != NULL && key < end) {
        const char* open = strpbrk(key, "\"'");
        const char* close = open != NULL && open < end ? strchr(open + 1, *open) : NULL;
        if (close != NULL && close < end && close - open - 1 < FIL_ENTITY_NAME) {
            snprintf(name, FIL_ENTITY_NAME, "%.*s", (int)(close - open - 1), open + 1);
        }
    }
}

static FilStatus add_robot(Build* build, FilWorld* world, const FilSpawned* spawned, const char* name, bool floating, FilId* robot)
{
    FilRobotDef def = fil_robot_def_default();
    FilError error;
    const char* text = spawned->text;
    size_t size = spawned->size;
    char* read = NULL;
    if (text == NULL) {
        const FilStatus status = fil_file_load(spawned->source, build->bounds->folders, FIL_URDF_MAX_BYTES, &read, &size, &error);
        if (status != FIL_OK) {
            fil_free(read);
            return fil_world_set_error(world, FIL_BAD_INPUT, error.text);
        }
        text = read;
    }
    def.name = name;
    def.prefix = spawned->prefix[0] != '\0' ? spawned->prefix : NULL;
    def.position = spawned->position;
    def.orientation = spawned->orientation;
    def.floating = floating;
    const FilStatus status = fil_world_add_robot_urdf(world, &def, spawned->source, text, size, NULL, 0, robot);
    fil_free(read);
    return status;
}

/* Finds out what a resource holds in a world of its own: its name, and whether its root moves freely. It does, as other simulators have it,
 * unless it is a link called `world`. */
static FilStatus look_into(Build* build, FilSpawned* spawned, char name[FIL_ENTITY_NAME])
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* alone = NULL;
    FilStatus status = fil_world_create(&def, &alone, build->error);
    if (status != FIL_OK) {
        return status;
    }
    if (spawned->urdf) {
        FilId robot;
        FilSpawned plain = *spawned;
        plain.prefix[0] = '\0';
        status = add_robot(build, alone, &plain, "robot", false, &robot);
        if (status == FIL_OK) {
            read_robot_name(fil_robot_description(alone, robot), name);
            spawned->floating = strcmp(fil_robot_link_name(alone, robot, 0), "world") != 0;
        } else {
            status = fail_resource(build, alone);
        }
    } else {
        const FilSceneOptions options = resource_options(build, build->world, NULL);
        status = fil_scene_extend(alone, spawned->source, spawned->text, spawned->size, &options, build->error);
        build->failure.fault = FIL_COMPOSITION_RESOURCE;
        if (status == FIL_OK && fil_entity_count(alone) != 1) {
            status = fail(build, FIL_COMPOSITION_RESOURCE, "a resource holds one rod, body, arm, robot, shell or solid: this one holds others");
        } else if (status == FIL_OK) {
            snprintf(name, FIL_ENTITY_NAME, "%s", fil_entity_name(alone, 0));
        }
    }
    fil_world_destroy(alone);
    return status;
}

/* Settles the full name: what was asked for, or the resource's own; behind the namespace; with a number where it is taken and may be another. */
static FilStatus settle_name(Build* build, FilSpawned* spawned, const char* own)
{
    char name[2 * FIL_ENTITY_NAME];
    const char* asked = spawned->name[0] != '\0' ? spawned->name : own;
    if (asked[0] == '\0' && !spawned->rename) {
        return fail(build, FIL_COMPOSITION_NAME, "neither the request nor the resource names the entity");
    }
    snprintf(name, sizeof name, "%s%s", spawned->prefix, asked[0] != '\0' ? asked : "entity");
    // 16: room for an underscore and any int
    if (strlen(name) + 16 >= FIL_ENTITY_NAME) {
        return fail(build, FIL_COMPOSITION_NAME, "the name is too long");
    }
    snprintf(spawned->name, sizeof spawned->name, "%.*s", FIL_ENTITY_NAME - 1, name);
    for (int k = 2; fil_entity_find(build->world, spawned->name) >= 0; k++) {
        if (!spawned->rename) {
            return fail(build, FIL_COMPOSITION_TAKEN, "there is an entity of that name");
        }
        snprintf(spawned->name, sizeof spawned->name, "%.*s_%d", FIL_ENTITY_NAME - 16, name, k);
    }
    return FIL_OK;
}

/* Moves what stands in its resource's frame to where that frame is. */
static FilStatus place(Build* build, const FilSpawned* spawned)
{
    const int entity = fil_entity_find(build->world, spawned->name);
    const FilQuat turn = spawned->orientation;
    FilEntityState state;
    const bool moves = spawned->position.x != 0.0 || spawned->position.y != 0.0 || spawned->position.z != 0.0 || turn.w != 1.0;
    if (!moves) {
        return FIL_OK;
    }
    if (fil_entity_is_mounted(build->world, entity) || fil_entity_holder(build->world, entity) != NULL) {
        return fail(build, FIL_COMPOSITION_POSE, "its resource says where it is mounted: leave the pose out");
    }
    fil_entity_get_state(build->world, entity, &state);
    const FilVec3 at = fil_quat_rotate(turn, state.position);
    state.position = (FilVec3){spawned->position.x + at.x, spawned->position.y + at.y, spawned->position.z + at.z};
    state.orientation = fil_quat_product(turn, state.orientation);
    state.velocity = fil_quat_rotate(turn, state.velocity);
    state.angular_velocity = fil_quat_rotate(turn, state.angular_velocity);
    return fil_entity_set_state(build->world, entity, &state, &state) == FIL_OK ? FIL_OK
                                                                                : fail(build, FIL_COMPOSITION_POSE, fil_world_error(build->world));
}

static FilStatus add(Build* build, FilSpawned* spawned)
{
    char own[FIL_ENTITY_NAME] = "";
    FilStatus status = FIL_OK;
    if (!spawned->settled) {
        status = look_into(build, spawned, own);
        status = status == FIL_OK ? settle_name(build, spawned, own) : status;
        spawned->settled = status == FIL_OK;
    }
    if (status != FIL_OK) {
        return status;
    }
    build->failure = (FilCompositionFailure){.fault = FIL_COMPOSITION_RESOURCE};
    if (spawned->urdf) {
        FilId robot;
        status = add_robot(build, build->world, spawned, spawned->name, spawned->floating, &robot);
        return status == FIL_OK ? FIL_OK : fail_resource(build, build->world);
    }
    const FilSceneOptions options = resource_options(build, build->world, spawned->name);
    status = fil_scene_extend(build->world, spawned->source, spawned->text, spawned->size, &options, build->error);
    return status == FIL_OK ? place(build, spawned) : status;
}

/* ---- the whole ---- */

static FilStatus load_scene(Build* build, const FilComposition* composition, FilSceneInfo* info, char path[512])
{
    FilSceneOptions options = *build->options;
    options.folders = composition->trusted ? NULL : build->bounds->folders;
    options.budget = composition->trusted ? (FilSceneBudget){0} : build->bounds->budget;
    options.without = (const char* const*)composition->deleted;
    options.without_count = composition->deleted_count;
    if (composition->text != NULL) {
        snprintf(path, 512, "%s", composition->scene);
        return fil_scene_load_text(composition->scene, composition->text, composition->size, &options, &build->world, info, build->error);
    }
    return fil_scene_find(composition->scene, path, 512, build->error) ? fil_scene_load(path, &options, &build->world, info, build->error)
                                                                       : FIL_BAD_INPUT;
}

FilStatus fil_composition_build(FilComposition* composition, const FilSceneOptions* options, const FilCompositionBounds* bounds, FilWorld** world,
                                FilSceneInfo* info, char path[512], FilCompositionFailure* failure, FilError* error)
{
    Build build = {.options = options, .bounds = bounds, .error = error};
    *world = NULL;
    FilStatus status = load_scene(&build, composition, info, path);
    for (int i = 0; status == FIL_OK && i < composition->deleted_count; i++) {
        if (fil_entity_find(build.world, composition->deleted[i]) >= 0) {
            status = fail(&build, FIL_COMPOSITION_FAILED, "it is a part of something else in the scene");
        }
    }
    for (int i = 0; status == FIL_OK && i < composition->spawned_count; i++) {
        status = add(&build, &composition->spawned[i]);
    }
    *failure = build.failure;
    if (status != FIL_OK) {
        fil_world_destroy(build.world);
        return status;
    }
    *world = build.world;
    return FIL_OK;
}
