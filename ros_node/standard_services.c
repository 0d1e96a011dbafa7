#include "standard_services.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entities.h"
#include "entity_filter.h"
#include "messages.h"
#include "node.h"
#include "node_recording.h"
#include "node_world.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "service_table.h"
#include "simulation_interfaces/msg/entity_state.h"
#include "simulation_interfaces/msg/result.h"
#include "simulation_interfaces/msg/simulation_state.h"
#include "simulation_interfaces/msg/simulator_features.h"
#include "simulation_interfaces/srv/get_entities.h"
#include "simulation_interfaces/srv/get_entities_states.h"
#include "simulation_interfaces/srv/get_entity_state.h"
#include "simulation_interfaces/srv/get_simulation_state.h"
#include "simulation_interfaces/srv/get_simulator_features.h"
#include "simulation_interfaces/srv/reset_simulation.h"
#include "simulation_interfaces/srv/set_entity_state.h"
#include "simulation_interfaces/srv/set_simulation_state.h"
#include "simulation_interfaces/srv/step_simulation.h"

/* all services: type, our name, ROS name */
#define EXECUTED_SERVICES(X)                                       \
    X(GetSimulatorFeatures, features, "~/get_simulator_features")  \
    X(GetSimulationState, get_state, "~/get_simulation_state")     \
    X(SetSimulationState, set_state, "~/set_simulation_state")     \
    X(ResetSimulation, reset, "~/reset_simulation")                \
    X(GetEntities, entities, "~/get_entities")                     \
    X(GetEntitiesStates, entities_states, "~/get_entities_states") \
    X(GetEntityState, get_entity_state, "~/get_entity_state")      \
    X(SetEntityState, set_entity_state, "~/set_entity_state")
/* this one is not answered inside the executor: see control.h */
#define AWAITED_SERVICES(X) X(StepSimulation, step, "~/step_simulation")
#define ALL_SERVICES(X) EXECUTED_SERVICES(X) AWAITED_SERVICES(X)

struct FilStandardServices {
    FilNode* node;
    ALL_SERVICES(FIL_SERVICE_MEMBERS)
    rmw_request_id_t step_caller; /* who waits for steps, while step_pending */
    bool step_pending;
    uint64_t steps_asked, step_begin, step_world; /* how many, from which step of which world */
};

typedef simulation_interfaces__msg__Result Result;

#define RESULT(name) simulation_interfaces__msg__Result__RESULT_##name
#define STATE(name) simulation_interfaces__msg__SimulationState__STATE_##name

static void set_result(Result* result, uint8_t code, const char* message)
{
    result->result = code;
    rosidl_runtime_c__String__assign(&result->error_message, message);
}

static void set_status(const FilNode* node, Result* result, FilStatus status)
{
    set_result(result, status == FIL_OK ? RESULT(OK) : RESULT(OPERATION_FAILED), status == FIL_OK ? "" : fil_world_error(node->simulation.world));
}

/* ---- the simulator and its state ---- */

static void answer_features(FilNode* node, const simulation_interfaces__srv__GetSimulatorFeatures_Request* request,
                            simulation_interfaces__srv__GetSimulatorFeatures_Response* response)
{
    (void)node;
    (void)request;
#define FEATURE(name) simulation_interfaces__msg__SimulatorFeatures__##name
    static const char* const formats[] = {"urdf", "yaml"};
    static const uint16_t features[] = {
        FEATURE(SPAWNING),
        FEATURE(DELETING),
        FEATURE(SPAWNING_RESOURCE_STRING),
        FEATURE(SPAWNABLES),
        FEATURE(SIMULATION_RESET_SPAWNED),
        FEATURE(WORLD_INFO_GETTING),
        FEATURE(AVAILABLE_WORLDS),
        FEATURE(ENTITY_BOUNDS),
        FEATURE(ENTITY_BOUNDS_BOX),
        FEATURE(ENTITY_CATEGORIES),
        FEATURE(ENTITY_STATE_GETTING),
        FEATURE(ENTITY_STATE_SETTING),
        FEATURE(SIMULATION_RESET),
        FEATURE(SIMULATION_STATE_GETTING),
        FEATURE(SIMULATION_STATE_SETTING),
        FEATURE(SIMULATION_STATE_PAUSE),
        FEATURE(STEP_SIMULATION_SINGLE),
        FEATURE(STEP_SIMULATION_MULTIPLE),
        FEATURE(WORLD_LOADING),
        FEATURE(WORLD_RESOURCE_STRING),
#if FILUM_STEPS_ACTION
        FEATURE(STEP_SIMULATION_ACTION),
#endif
    };
    const size_t count = sizeof features / sizeof *features;
    if (rosidl_runtime_c__uint16__Sequence__init(&response->features.features, count)) {
        memcpy(response->features.features.data, features, sizeof features);
    }
    if (rosidl_runtime_c__String__Sequence__init(&response->features.spawn_formats, 2)) {
        for (size_t i = 0; i < 2; i++) {
            rosidl_runtime_c__String__assign(&response->features.spawn_formats.data[i], formats[i]);
        }
    }
    rosidl_runtime_c__String__assign(&response->features.custom_info,
                                     "Filum: elastic rods, soft arms, robots and rigid bodies in contact; worlds are scenes in YAML");
#undef FEATURE
}

static uint8_t state_of(const FilSimulation* simulation)
{
    return simulation->world == NULL ? STATE(NO_WORLD) : simulation->stopped ? STATE(STOPPED) : simulation->paused ? STATE(PAUSED) : STATE(PLAYING);
}

static void answer_get_state(FilNode* node, const simulation_interfaces__srv__GetSimulationState_Request* request,
                             simulation_interfaces__srv__GetSimulationState_Response* response)
{
    (void)request;
    response->state.state = state_of(&node->simulation);
    set_result(&response->result, RESULT(OK), node->simulation.failure);
}

static void answer_set_state(FilNode* node, const simulation_interfaces__srv__SetSimulationState_Request* request,
                             simulation_interfaces__srv__SetSimulationState_Response* response)
{
    FilSimulation* simulation = &node->simulation;
    const uint8_t wanted = request->state.state;
    set_result(&response->result, RESULT(OK), "");
    FilError refusal;
    if (wanted == STATE(QUITTING) && !fil_boundary_may_quit(&node->boundary, &refusal)) {
        set_result(&response->result, RESULT(OPERATION_FAILED), refusal.text);
    } else if (wanted == STATE(QUITTING)) {
        node->quit = true;
    } else if (wanted == state_of(simulation)) {
        set_result(&response->result, simulation_interfaces__srv__SetSimulationState_Response__ALREADY_IN_TARGET_STATE,
                   "the simulation is in that state");
    } else if (simulation->world == NULL || wanted > STATE(PAUSED)) {
        set_result(&response->result, simulation_interfaces__srv__SetSimulationState_Response__INCORRECT_TRANSITION,
                   "only STOPPED, PLAYING, PAUSED and QUITTING can be set, and only with a world");
    } else if (wanted == STATE(STOPPED)) {
        set_status(node, &response->result, fil_simulation_stop(simulation));
        node->control.changed = true;
    } else if (!fil_simulation_set_paused(simulation, wanted == STATE(PAUSED))) {
        set_result(&response->result, RESULT(OPERATION_FAILED), fil_simulation_word(simulation));
    } else {
        simulation->stopped = false;
    }
}

static void answer_reset(FilNode* node, const simulation_interfaces__srv__ResetSimulation_Request* request,
                         simulation_interfaces__srv__ResetSimulation_Response* response)
{
    enum {
        TIME = simulation_interfaces__srv__ResetSimulation_Request__SCOPE_TIME,
        STATE_ = simulation_interfaces__srv__ResetSimulation_Request__SCOPE_STATE,
        SPAWNED = simulation_interfaces__srv__ResetSimulation_Request__SCOPE_SPAWNED,
    };
    const int scope = request->scope == 0 ? TIME | STATE_ | SPAWNED : request->scope;
    const bool state = (scope & (TIME | STATE_)) == (TIME | STATE_);
    FilError error = {{0}};
    FilStatus status = FIL_OK;
    if (node->simulation.world == NULL) {
        set_result(&response->result, RESULT(INCORRECT_STATE), "there is no world");
        return;
    }
    if (!state && (scope & (TIME | STATE_)) != 0) {
        set_result(&response->result, RESULT(FEATURE_UNSUPPORTED), "time and state are reset together only");
        return;
    }
    if ((scope & SPAWNED) != 0 && fil_node_is_composed(node)) {
        status = fil_node_restore_world(node, &error);
    }
    if (status == FIL_OK && state) {
        status = fil_simulation_reset(&node->simulation);
        snprintf(error.text, sizeof error.text, "%s", status != FIL_OK ? fil_world_error(node->simulation.world) : "");
    }
    set_result(&response->result, status == FIL_OK ? RESULT(OK) : RESULT(OPERATION_FAILED), error.text);
    node->control.changed = true;
}

/* ---- entities ---- */

/* lists the names that pass; `chosen` receives their entities, as many as the world has at most */
static bool list_entities(const FilNode* node, const simulation_interfaces__msg__EntityFilters* wanted, rosidl_runtime_c__String__Sequence* names,
                          int** chosen, Result* result)
{
    const FilWorld* world = node->simulation.world;
    const int count = world != NULL ? fil_entity_count(world) : 0;
    FilEntityFilter filter;
    const char* reason;
    const FilFilterFault fault = fil_entity_filter_init(&filter, wanted, &reason);
    if (fault != FIL_FILTER_GOOD) {
        set_result(result, fault == FIL_FILTER_UNSUPPORTED ? RESULT(FEATURE_UNSUPPORTED) : RESULT(OPERATION_FAILED), reason);
        return false;
    }
    *chosen = malloc((size_t)(count + 1) * sizeof **chosen);
    if (*chosen == NULL || !rosidl_runtime_c__String__Sequence__init(names, (size_t)count)) {
        set_result(result, RESULT(OPERATION_FAILED), "out of memory");
        fil_entity_filter_fini(&filter);
        return false;
    }
    names->size = 0;
    for (int i = 0; i < count; i++) {
        if (fil_entity_filter_accepts(&filter, world, i)) {
            (*chosen)[names->size] = i;
            rosidl_runtime_c__String__assign(&names->data[names->size++], fil_entity_name(world, i));
        }
    }
    fil_entity_filter_fini(&filter);
    set_result(result, RESULT(OK), "");
    return true;
}

static void fill_state(const FilNode* node, int entity, simulation_interfaces__msg__EntityState* message)
{
    FilEntityState state;
    fil_entity_get_state(node->simulation.world, entity, &state);
    message->header.stamp = fil_time_message(fil_world_time(node->simulation.world));
    rosidl_runtime_c__String__assign(&message->header.frame_id, FIL_ROOT_FRAME);
    message->pose.position = (geometry_msgs__msg__Point){state.position.x, state.position.y, state.position.z};
    message->pose.orientation = (geometry_msgs__msg__Quaternion){state.orientation.x, state.orientation.y, state.orientation.z, state.orientation.w};
    message->twist.linear = (geometry_msgs__msg__Vector3){state.velocity.x, state.velocity.y, state.velocity.z};
    message->twist.angular = (geometry_msgs__msg__Vector3){state.angular_velocity.x, state.angular_velocity.y, state.angular_velocity.z};
}

static void answer_entities(FilNode* node, const simulation_interfaces__srv__GetEntities_Request* request,
                            simulation_interfaces__srv__GetEntities_Response* response)
{
    int* chosen = NULL;
    list_entities(node, &request->filters, &response->entities, &chosen, &response->result);
    free(chosen);
}

static void answer_entities_states(FilNode* node, const simulation_interfaces__srv__GetEntitiesStates_Request* request,
                                   simulation_interfaces__srv__GetEntitiesStates_Response* response)
{
    int* chosen = NULL;
    if (list_entities(node, &request->filters, &response->entities, &chosen, &response->result) &&
        simulation_interfaces__msg__EntityState__Sequence__init(&response->states, response->entities.size)) {
        for (size_t i = 0; i < response->entities.size; i++) {
            fill_state(node, chosen[i], &response->states.data[i]);
        }
    }
    free(chosen);
}

/* the entity of a name; -1 with the result set if there is none */
static int find_entity(const FilNode* node, const rosidl_runtime_c__String* name, Result* result)
{
    const int entity = node->simulation.world != NULL ? fil_entity_find(node->simulation.world, name->data) : -1;
    set_result(result, entity >= 0 ? RESULT(OK) : RESULT(NOT_FOUND), entity >= 0 ? "" : "there is no such entity");
    return entity;
}

static void answer_get_entity_state(FilNode* node, const simulation_interfaces__srv__GetEntityState_Request* request,
                                    simulation_interfaces__srv__GetEntityState_Response* response)
{
    const int entity = find_entity(node, &request->entity, &response->result);
    if (entity >= 0) {
        fill_state(node, entity, &response->state);
    }
}

/* reads pose and twist; false if they are not numbers or the orientation is no rotation */
static bool read_state(const simulation_interfaces__msg__EntityState* message, FilEntityState* state)
{
    const geometry_msgs__msg__Vector3* v = &message->twist.linear;
    const geometry_msgs__msg__Vector3* w = &message->twist.angular;
    state->velocity = (FilVec3){v->x, v->y, v->z};
    state->angular_velocity = (FilVec3){w->x, w->y, w->z};
    return fil_read_pose(&message->pose, &state->position, &state->orientation) && isfinite(v->x + v->y + v->z + w->x + w->y + w->z);
}

static void answer_set_entity_state(FilNode* node, const simulation_interfaces__srv__SetEntityState_Request* request,
                                    simulation_interfaces__srv__SetEntityState_Response* response)
{
    FilEntityState state;
#if FILUM_SIMULATION_INTERFACES >= 2
    const bool set_pose = request->set_pose;
    const bool set_twist = request->set_twist;
#else
    const bool set_pose = true;
    const bool set_twist = true;
#endif
    const int entity = find_entity(node, &request->entity, &response->result);
    const rosidl_runtime_c__String* frame = &request->state.header.frame_id;
    if (entity < 0) {
        return;
    }
    if (frame->size > 0 && strcmp(frame->data, FIL_ROOT_FRAME) != 0) {
        set_result(&response->result, RESULT(FEATURE_UNSUPPORTED), "states are understood in the frame world only");
    } else if (fil_entity_is_mounted(node->simulation.world, entity)) {
        set_result(&response->result, RESULT(OPERATION_FAILED), "it stays where the scene has mounted it");
    } else if (set_pose && fil_entity_holder(node->simulation.world, entity) != NULL) {
        char reason[200];
        snprintf(reason, sizeof reason, "the attachment '%.100s' holds it where it is, and moving it would tear it: release that first",
                 fil_entity_holder(node->simulation.world, entity));
        set_result(&response->result, RESULT(OPERATION_FAILED), reason);
    } else if (!read_state(&request->state, &state)) {
        set_result(&response->result, simulation_interfaces__srv__SetEntityState_Response__INVALID_POSE,
                   "a number is not finite, or the orientation is not of unit length");
    } else {
        const FilStatus status = fil_entity_set_state(node->simulation.world, entity, set_pose ? &state : NULL, set_twist ? &state : NULL);
        set_status(node, &response->result, status);
        if (status == FIL_OK) {
            fil_node_changed_by_hand(node, "the state of an entity was set");
        }
        node->control.changed = true;
    }
}

/* ---- steps ---- */

static void send_step(FilStandardServices* services, rmw_request_id_t* caller, uint8_t code, const char* message)
{
    set_result(&services->step_response.result, code, message);
    fil_ros_ok(rcl_send_response(&services->step_service, caller, &services->step_response), services->node->logger, "~/step_simulation");
}

/* Answers who waits for steps when they are done, or will not be. */
static void finish_steps(FilStandardServices* services)
{
    const FilSimulation* simulation = &services->node->simulation;
    const bool same = simulation->load_count == services->step_world && fil_world_step_count(simulation->world) >= services->step_begin;
    const uint64_t made = same ? fil_world_step_count(simulation->world) - services->step_begin : 0;
    char message[96];
    snprintf(message, sizeof message, "ended after %" PRIu64 " of %" PRIu64 " steps", made, services->steps_asked);
    const bool failed = simulation->failed, early = !same || made < services->steps_asked;
    services->step_pending = false;
    services->node->control.changed = true;
    send_step(services, &services->step_caller, failed || early ? RESULT(OPERATION_FAILED) : RESULT(OK),
              failed  ? simulation->failure
              : early ? message
                      : "");
}

static void update_step(FilStandardServices* services)
{
    FilSimulation* simulation = &services->node->simulation;
    if (services->step_pending && simulation->steps_wanted == 0) {
        finish_steps(services);
    }
    rmw_request_id_t caller;
    const rcl_ret_t ret = rcl_take_request(&services->step_service, &caller, &services->step_request);
    if (ret == RCL_RET_SERVICE_TAKE_FAILED || !fil_ros_ok(ret, services->node->logger, "~/step_simulation")) {
        return;
    }
    const uint64_t steps = services->step_request.steps;
    FIL_MESSAGE_RENEW(simulation_interfaces__srv__StepSimulation_Request, &services->step_request);
    const char* refusal = fil_simulation_step_refusal(simulation);
    if (refusal != NULL) {
        send_step(services, &caller, RESULT(INCORRECT_STATE), refusal);
        return;
    }
    if (simulation->steps_wanted > 0) {
        send_step(services, &caller, RESULT(OPERATION_FAILED), "steps of an earlier request are being made; ~/pause true ends them");
        return;
    }
    services->step_caller = caller;
    services->step_begin = fil_world_step_count(simulation->world);
    services->step_world = simulation->load_count;
    services->steps_asked = simulation->steps_wanted = steps;
    services->step_pending = true;
}

void fil_standard_services_update(FilStandardServices* services)
{
    update_step(services);
}

/* ---- life ---- */

/* what the executor calls: a clean response, the answer, a clean request */
#define CALLBACK(type, name, ros_name)                                                                \
    static void name##_callback(const void* request, void* response, void* context)                   \
    {                                                                                                 \
        FilStandardServices* services = context;                                                      \
        FIL_MESSAGE_RENEW(simulation_interfaces__srv__##type##_Response, &services->name##_response); \
        answer_##name(services->node, request, response);                                             \
        FIL_MESSAGE_RENEW(simulation_interfaces__srv__##type##_Request, &services->name##_request);   \
    }
EXECUTED_SERVICES(CALLBACK)
#undef CALLBACK

#define COUNT(type, name, ros_name) +1

size_t fil_standard_services_handles(void)
{
    return 0 EXECUTED_SERVICES(COUNT);
}

bool fil_standard_services_create(FilNode* node, FilStandardServices** result)
{
    FilStandardServices* services = calloc(1, sizeof *services);
    bool done = services != NULL;
    *result = services;
    if (!done) {
        RCUTILS_LOG_ERROR_NAMED(node->logger, "out of memory");
        return false;
    }
    services->node = node;
    ALL_SERVICES(FIL_SERVICE_INIT)
#define ADD(type, name, ros_name)                                                                                                              \
    done = done && fil_ros_ok(rclc_executor_add_service_with_context(node->def.executor, &services->name##_service, &services->name##_request, \
                                                                     &services->name##_response, name##_callback, services),                   \
                              node->logger, ros_name);
    EXECUTED_SERVICES(ADD)
#undef ADD
    return done;
}

void fil_standard_services_destroy(FilStandardServices* services)
{
    if (services == NULL) {
        return;
    }
    ALL_SERVICES(FIL_SERVICE_FINI)
    free(services);
}
