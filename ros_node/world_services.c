#include "world_services.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entities.h"
#include "loading.h"
#include "messages.h"
#include "node.h"
#include "node_parameters.h"
#include "node_recording.h"
#include "node_world.h"
#include "polled_service.h"
#include "resources.h"
#include "service_table.h"
#include "simulation_interfaces/msg/result.h"
#include "simulation_interfaces/msg/spawnable.h"
#include "simulation_interfaces/msg/world_resource.h"
#include "simulation_interfaces/srv/delete_entity.h"
#include "simulation_interfaces/srv/get_available_worlds.h"
#include "simulation_interfaces/srv/get_current_world.h"
#include "simulation_interfaces/srv/get_spawnables.h"
#include "simulation_interfaces/srv/load_world.h"
#include "simulation_interfaces/srv/spawn_entity.h"

/* type, our name, ROS name: those that are answered at once, and those that wait for a world to be built */
#define PROMPT_SERVICES(X)                                            \
    X(GetAvailableWorlds, available_worlds, "~/get_available_worlds") \
    X(GetCurrentWorld, current_world, "~/get_current_world")          \
    X(GetSpawnables, spawnables, "~/get_spawnables")
#define BUILDING_SERVICES(X)                \
    X(LoadWorld, load, "~/load_world")      \
    X(SpawnEntity, spawn, "~/spawn_entity") \
    X(DeleteEntity, delete, "~/delete_entity")
#define ALL_SERVICES(X) PROMPT_SERVICES(X) BUILDING_SERVICES(X)

struct FilWorldServices {
    FilNode* node;
    ALL_SERVICES(FIL_SERVICE_MEMBERS)
    FilLoading* loading;                                                  /* NULL: no world is being built */
    void (*finish)(struct FilWorldServices* services, FilLoaded* loaded); /* takes what it has made, and answers */
    rmw_request_id_t caller;                                              /* who waits for it */
    uint64_t load;                                                        /* the world that was there when it began */
    char sent[256];                                                       /* what stands for text that was sent; empty: a file is read */
};

typedef simulation_interfaces__msg__Result Result;

#define RESULT(name) simulation_interfaces__msg__Result__RESULT_##name
#define SPAWN(name) simulation_interfaces__srv__SpawnEntity_Response__##name
#define LOAD(name) simulation_interfaces__srv__LoadWorld_Response__##name

static void set_result(Result* result, uint8_t code, const char* message)
{
    result->result = code;
    rosidl_runtime_c__String__assign(&result->error_message, message);
}

/* ---- what there is ---- */

static void write_world(const FilNode* node, simulation_interfaces__msg__WorldResource* world)
{
    rosidl_runtime_c__String__assign(&world->name, node->simulation.scene.name);
    rosidl_runtime_c__String__assign(&world->description, node->simulation.scene.title);
    rosidl_runtime_c__String__assign(&world->world_resource.uri, node->simulation.scene_path);
}

static void answer_current_world(FilWorldServices* services)
{
    const bool there = services->node->simulation.world != NULL;
    simulation_interfaces__srv__GetCurrentWorld_Response* response = &services->current_world_response;
    set_result(&response->result, there ? RESULT(OK) : simulation_interfaces__srv__GetCurrentWorld_Response__NO_WORLD_LOADED,
               there ? "" : "there is no world");
    if (there) {
        write_world(services->node, &response->world);
    }
}

static void answer_available_worlds(FilWorldServices* services)
{
    simulation_interfaces__srv__GetAvailableWorlds_Response* response = &services->available_worlds_response;
    const simulation_interfaces__srv__GetAvailableWorlds_Request* request = &services->available_worlds_request;
    FilResourceList list = {0};
    fil_resources_find_worlds(&list);
    const size_t found = request->filter.tags.size == 0 ? (size_t)list.count : 0;  // none has tags
    char unknown[200] = "";
    if (request->additional_sources.size > 0) {
        snprintf(unknown, sizeof unknown, "scenes are looked for in FILUM_SCENE_PATH only: '%.100s' is not",
                 request->additional_sources.data[0].data);
    }
    const bool refused = unknown[0] != '\0' && !request->continue_on_error;
    set_result(&response->result, refused ? RESULT(OPERATION_FAILED) : RESULT(OK), unknown);
    if (!refused && simulation_interfaces__msg__WorldResource__Sequence__init(&response->worlds, found)) {
        for (size_t i = 0; i < found; i++) {
            rosidl_runtime_c__String__assign(&response->worlds.data[i].name, list.items[i].name);
            rosidl_runtime_c__String__assign(&response->worlds.data[i].world_resource.uri, list.items[i].path);
        }
    }
    fil_resources_free(&list);
}

static void answer_spawnables(FilWorldServices* services)
{
    simulation_interfaces__srv__GetSpawnables_Response* response = &services->spawnables_response;
    const rosidl_runtime_c__String__Sequence* sources = &services->spawnables_request.sources;
    const FilBoundary* boundary = &services->node->boundary;
    FilResourceList list = {0};
    char unknown[200] = "";
    fil_resources_find_spawnables(&list, boundary->read_folders);
    for (size_t i = 0; i < sources->size; i++) {
        if (!fil_resources_add_folder(&list, sources->data[i].data, boundary->read_folders)) {
            snprintf(unknown, sizeof unknown, "'%.150s' is no folder below read_folders", sources->data[i].data);
        }
    }
    set_result(&response->result, RESULT(OK), unknown);
    if (simulation_interfaces__msg__Spawnable__Sequence__init(&response->spawnables, (size_t)list.count)) {
        for (int i = 0; i < list.count; i++) {
            simulation_interfaces__msg__Spawnable* spawnable = &response->spawnables.data[i];
#if FILUM_SIMULATION_INTERFACES >= 2
            rosidl_runtime_c__String__assign(&spawnable->entity_resource.uri, list.items[i].path);
#else
            rosidl_runtime_c__String__assign(&spawnable->uri, list.items[i].path);
#endif
            rosidl_runtime_c__String__assign(&spawnable->description, list.items[i].name);
        }
    }
    fil_resources_free(&list);
}

/* ---- building a world, and what comes of it ---- */

/* Begins to build; false with a reason. The composition is gone then. */
static bool begin(FilWorldServices* services, FilComposition* composition, bool keeps_state,
                  void (*finish)(FilWorldServices* services, FilLoaded* loaded), FilError* reason)
{
    const FilNode* node = services->node;
    const FilWorld* world = node->simulation.world;
    const FilLoadingDef def = {.composition = composition,
                               .folders = node->boundary.read_folders,
                               .budget = node->boundary.budget,
                               .dt = keeps_state ? fil_world_dt(world) : 0.0,
                               .contact_model = keeps_state ? fil_world_contact_model(world) : NULL};
    services->finish = finish;
    services->load = node->simulation.load_count;
    services->loading = fil_loading_start(&def, reason);
    return services->loading != NULL;
}

/* Why a world cannot be changed now; NULL: it can. Who may not is counted. */
static const char* find_refusal(FilNode* node, FilError* error)
{
    if (!node->loaded) {
        return "the node is not configured";
    }
    return fil_boundary_may_load(&node->boundary, error) ? NULL : error->text;
}

/* Says what went wrong with a world, without what files hold, and counts it. */
static void refuse(FilWorldServices* services, const FilLoaded* loaded, const char* what, Result* result, uint8_t code)
{
    FilError veiled = {{0}};
    if (loaded->failure.own) {
        veiled = loaded->error;
    } else {
        fil_boundary_veil(services->sent, loaded->status, loaded->error.text, &veiled);
    }
    fil_boundary_refuse(&services->node->boundary, what, veiled.text);
    RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, services->node->logger, "cannot %s: %s", what, loaded->error.text);
    set_result(result, code, veiled.text);
}

/* Whether it is still wanted: the node is configured, and the world is the one that it was built from. */
static bool is_stale(const FilWorldServices* services, bool of_old, Result* result)
{
    const FilNode* node = services->node;
    if (!node->loaded || (of_old && node->simulation.load_count != services->load)) {
        set_result(result, RESULT(INCORRECT_STATE), node->loaded ? "another world was loaded meanwhile" : "the node is not configured");
        return true;
    }
    return false;
}

/* ---- worlds ---- */

/* where something is to come from, in either version of the interfaces */
typedef struct Source {
    const char* name; /* path, or what stands for it */
    const char* text; /* NULL: the file is read */
    size_t size;
} Source;

static bool read_source(FilWorldServices* services, const rosidl_runtime_c__String* uri, const rosidl_runtime_c__String* text, const char* stand_in,
                        Source* source)
{
    const bool file = strncmp(uri->data, "file://", 7) == 0;
    source->name = uri->size == 0 ? stand_in : file ? uri->data + 7 : uri->data;
    source->text = text->size > 0 ? text->data : NULL;
    source->size = text->size;
    snprintf(services->sent, sizeof services->sent, "%s", source->text != NULL ? source->name : "");
    return uri->size > 0 || text->size > 0;
}

static void send_load(FilWorldServices* services)
{
    fil_ros_ok(rcl_send_response(&services->load_service, &services->caller, &services->load_response), services->node->logger, "~/load_world");
}

/* Puts the world that is loaded in the place of the old one, or says why there is none. */
static void finish_load(FilWorldServices* services, FilLoaded* loaded)
{
    FilNode* node = services->node;
    simulation_interfaces__srv__LoadWorld_Response* response = &services->load_response;
    if (!is_stale(services, false, &response->result)) {
        if (loaded->status != FIL_OK) {
            refuse(services, loaded, "load a world", &response->result, LOAD(RESOURCE_PARSE_ERROR));
        } else {
            fil_node_take_world(node, loaded, false);
            fil_simulation_set_paused(&node->simulation, true);
            node->simulation.stopped = true;
            fil_node_changed_by_hand(node, "another world was loaded");
            fil_node_show_world(node);
            set_result(&response->result, RESULT(OK), "");
            write_world(node, &response->world);
            RCUTILS_LOG_INFO_NAMED(node->logger, "loaded %s", node->simulation.scene_path);
        }
    }
    send_load(services);
}

/* Begins to load what the request names; false with the answer set if it cannot. */
static bool start_load(FilWorldServices* services)
{
    const simulation_interfaces__srv__LoadWorld_Request* request = &services->load_request;
    Result* result = &services->load_response.result;
    FilError error = {{0}};
    Source source;
#if FILUM_SIMULATION_INTERFACES >= 2
    const bool given = read_source(services, &request->world_resource.uri, &request->world_resource.resource_string, "world", &source);
#else
    const bool given = read_source(services, &request->uri, &request->resource_string, "world", &source);
#endif
    if (!given) {
        set_result(result, LOAD(NO_RESOURCE), "neither a uri nor a resource_string is given");
        return false;
    }
    const char* refusal = find_refusal(services->node, &error);
    if (refusal != NULL) {
        set_result(result, services->node->loaded ? RESULT(OPERATION_FAILED) : RESULT(INCORRECT_STATE), refusal);
        return false;
    }
    if (!begin(services, fil_composition_create(source.name, source.text, source.size, false), false, finish_load, &error)) {
        set_result(result, RESULT(OPERATION_FAILED), error.text);
        return false;
    }
    return true;
}

/* ---- entities ---- */

/* A copy of what the world is made of, to be changed; NULL with the answer set if that is not known or may not change. */
static FilComposition* open_composition(FilWorldServices* services, Result* result)
{
    FilNode* node = services->node;
    FilError error = {{0}};
    const char* refusal = find_refusal(node, &error);
    if (refusal == NULL && node->simulation.load_count != node->composed_load) {
        refusal = "a page has changed the scene: load it by ~/load_world first";
    }
    FilComposition* copy = refusal == NULL ? fil_composition_copy(node->composition) : NULL;
    if (copy == NULL) {
        set_result(result, node->loaded ? RESULT(OPERATION_FAILED) : RESULT(INCORRECT_STATE), refusal != NULL ? refusal : "out of memory");
    }
    return copy;
}

/* The world with one entity more or less in the place of the one without, in the same state. */
static void exchange(FilWorldServices* services, FilLoaded* loaded, const char* what)
{
    fil_node_take_world(services->node, loaded, true);
    fil_node_changed_by_hand(services->node, what);
}

static void send_spawn(FilWorldServices* services)
{
    fil_ros_ok(rcl_send_response(&services->spawn_service, &services->caller, &services->spawn_response), services->node->logger, "~/spawn_entity");
}

static void finish_spawn(FilWorldServices* services, FilLoaded* loaded)
{
    static const uint8_t codes[] = {[FIL_COMPOSITION_FAILED] = RESULT(OPERATION_FAILED),
                                    [FIL_COMPOSITION_RESOURCE] = SPAWN(RESOURCE_PARSE_ERROR),
                                    [FIL_COMPOSITION_NAME] = SPAWN(NAME_INVALID),
                                    [FIL_COMPOSITION_TAKEN] = SPAWN(NAME_NOT_UNIQUE),
                                    [FIL_COMPOSITION_POSE] = SPAWN(INVALID_POSE)};
    simulation_interfaces__srv__SpawnEntity_Response* response = &services->spawn_response;
    if (!is_stale(services, true, &response->result)) {
        if (loaded->status != FIL_OK) {
            refuse(services, loaded, "spawn an entity", &response->result, codes[loaded->failure.fault]);
        } else {
            const FilComposition* made = loaded->composition;
            rosidl_runtime_c__String__assign(&response->entity_name, made->spawned[made->spawned_count - 1].name);
            set_result(&response->result, RESULT(OK), "");
            exchange(services, loaded, "an entity was spawned");
        }
    }
    send_spawn(services);
}

/* A letter, then letters, digits and `more`; with slashes in between, such names one after the other. */
static bool is_name(const char* text, const char* more)
{
    for (const char* c = text; *c != '\0'; c++) {
        const bool first = c == text || c[-1] == '/';
        if (!isalpha((unsigned char)*c) && (first || (!isdigit((unsigned char)*c) && strchr(more, *c) == NULL))) {
            return false;
        }
    }
    return true;
}

static bool ends_with(const char* text, const char* ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* What the request asks for, checked; false with the answer set. Its texts are borrowed. */
static bool read_spawn(FilWorldServices* services, FilSpawned* spawned)
{
    const simulation_interfaces__srv__SpawnEntity_Request* request = &services->spawn_request;
    Result* result = &services->spawn_response.result;
    Source source;
#if FILUM_SIMULATION_INTERFACES >= 2
    const bool given = read_source(services, &request->entity_resource.uri, &request->entity_resource.resource_string, "entity", &source);
#else
    const bool given = read_source(services, &request->uri, &request->resource_string, "entity", &source);
#endif
    const char* space = request->entity_namespace.data + (request->entity_namespace.data[0] == '/');
    const rosidl_runtime_c__String* frame = &request->initial_pose.header.frame_id;
    *spawned = (FilSpawned){
        .rename = request->allow_renaming, .source = (char*)(uintptr_t)source.name, .text = (char*)(uintptr_t)source.text, .size = source.size};
    spawned->urdf = source.text != NULL ? source.text[strspn(source.text, " \t\r\n")] == '<' : ends_with(source.name, ".urdf");
    if (!given) {
        set_result(result, SPAWN(NO_RESOURCE), "neither a uri nor a resource_string is given");
    } else if (source.text == NULL && !spawned->urdf && !ends_with(source.name, ".yaml") && !ends_with(source.name, ".yml")) {
        set_result(result, SPAWN(UNSUPPORTED_FORMAT), "a resource is URDF (.urdf) or a scene (.yaml)");
    } else if (!is_name(request->name.data, "_-")) {
        set_result(result, SPAWN(NAME_INVALID), "a name is a letter, then letters, digits, _ or -");
    } else if (strlen(space) >= FIL_ENTITY_NAME / 2 || !is_name(space, "_/") || ends_with(space, "/")) {
        set_result(result, SPAWN(NAMESPACE_INVALID), "a namespace is a letter, then letters, digits, _ or /, 63 at most");
    } else if ((frame->size > 0 && strcmp(frame->data, FIL_ROOT_FRAME) != 0) ||
               !fil_read_pose(&request->initial_pose.pose, &spawned->position, &spawned->orientation)) {
        set_result(result, SPAWN(INVALID_POSE), "the pose is not in the frame world, not finite, or its orientation not of unit length");
    } else {
        snprintf(spawned->name, sizeof spawned->name, "%s", request->name.data);
        // names have no slashes: those are between objects and their parts
        snprintf(spawned->prefix, sizeof spawned->prefix, "%s%s", space, space[0] != '\0' ? "_" : "");
        for (char* c = spawned->prefix; *c != '\0'; c++) {
            *c = *c == '/' ? '_' : *c;
        }
        return true;
    }
    return false;
}

static bool start_spawn(FilWorldServices* services)
{
    Result* result = &services->spawn_response.result;
    FilSpawned spawned;
    if (!read_spawn(services, &spawned)) {
        return false;
    }
    FilComposition* composition = open_composition(services, result);
    FilError error = {{0}};
    if (composition == NULL) {
        return false;
    }
    if (composition->spawned_count >= FIL_MAX_SPAWNED || !fil_composition_spawn(composition, &spawned)) {
        fil_composition_destroy(composition);
        set_result(result, RESULT(OPERATION_FAILED), "there are 1000 spawned entities already, or no memory for one more");
        return false;
    }
    if (!begin(services, composition, true, finish_spawn, &error)) {
        set_result(result, RESULT(OPERATION_FAILED), error.text);
        return false;
    }
    return true;
}

static void send_delete(FilWorldServices* services)
{
    fil_ros_ok(rcl_send_response(&services->delete_service, &services->caller, &services->delete_response), services->node->logger,
               "~/delete_entity");
}

static void finish_delete(FilWorldServices* services, FilLoaded* loaded)
{
    Result* result = &services->delete_response.result;
    if (!is_stale(services, true, result)) {
        if (loaded->status != FIL_OK) {
            // what else in the scene names it cannot be made without it
            refuse(services, loaded, "delete an entity", result, RESULT(OPERATION_FAILED));
        } else {
            set_result(result, RESULT(OK), "");
            exchange(services, loaded, "an entity was deleted");
        }
    }
    send_delete(services);
}

static bool start_delete(FilWorldServices* services)
{
    Result* result = &services->delete_response.result;
    const char* name = services->delete_request.entity.data;
    const FilWorld* world = services->node->simulation.world;
    FilError error = {{0}};
    services->sent[0] = '\0';
    if (world == NULL || fil_entity_find(world, name) < 0) {
        set_result(result, RESULT(NOT_FOUND), "there is no such entity");
        return false;
    }
    FilComposition* composition = open_composition(services, result);
    if (composition == NULL) {
        return false;
    }
    if (!fil_composition_delete(composition, name)) {
        fil_composition_destroy(composition);
        set_result(result, RESULT(OPERATION_FAILED), "out of memory");
        return false;
    }
    if (!begin(services, composition, true, finish_delete, &error)) {
        set_result(result, RESULT(OPERATION_FAILED), error.text);
        return false;
    }
    return true;
}

/* ---- life ---- */

void fil_world_services_update(FilWorldServices* services)
{
    if (services == NULL) {
        return;
    }
    const char* logger = services->node->logger;
#define PROMPT(type, name, ros_name)                                                                                                        \
    FIL_SERVE(simulation_interfaces__srv__##type, &services->name##_service, &services->name##_request, &services->name##_response, logger, \
              ros_name, answer_##name(services));
    PROMPT_SERVICES(PROMPT)
#undef PROMPT
    if (services->loading != NULL && fil_loading_is_done(services->loading)) {
        FilLoaded loaded = fil_loading_take(services->loading);
        services->loading = NULL;
        services->finish(services, &loaded);
        fil_world_destroy(loaded.world);
        fil_composition_destroy(loaded.composition);
    }
    // one after the other
#define BUILDING(type, name, ros_name)                                                                                                              \
    if (services->loading == NULL && fil_take_request(&services->name##_service, &services->caller, &services->name##_request, logger, ros_name)) { \
        FIL_MESSAGE_RENEW(simulation_interfaces__srv__##type##_Response, &services->name##_response);                                               \
        if (!start_##name(services)) {                                                                                                              \
            send_##name(services);                                                                                                                  \
        }                                                                                                                                           \
        FIL_MESSAGE_RENEW(simulation_interfaces__srv__##type##_Request, &services->name##_request);                                                 \
    }
    BUILDING_SERVICES(BUILDING)
#undef BUILDING
}

bool fil_world_services_create(FilNode* node, FilWorldServices** result)
{
    FilWorldServices* services = calloc(1, sizeof *services);
    bool done = services != NULL;
    *result = services;
    if (!done) {
        RCUTILS_LOG_ERROR_NAMED(node->logger, "out of memory");
        return false;
    }
    services->node = node;
    ALL_SERVICES(FIL_SERVICE_INIT)
    return done;
}

void fil_world_services_destroy(FilWorldServices* services)
{
    if (services == NULL) {
        return;
    }
    fil_loading_cancel(services->loading);
    ALL_SERVICES(FIL_SERVICE_FINI)
    free(services);
}
