/* The standard simulation services, asked from another process; and entities that are moved keep their shape. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "entities.h"
#include "entity_error.h"
#include "geometry_msgs/msg/vector3.h"
#include "process.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "simulation_interfaces/msg/bounds.h"
#include "simulation_interfaces/msg/entity_category.h"
#include "simulation_interfaces/msg/result.h"
#include "simulation_interfaces/msg/simulation_state.h"
#include "simulation_interfaces/srv/get_entities.h"
#include "simulation_interfaces/srv/get_entities_states.h"
#include "simulation_interfaces/srv/get_entity_state.h"
#include "simulation_interfaces/srv/get_simulation_state.h"
#include "simulation_interfaces/srv/get_simulator_features.h"
#include "simulation_interfaces/srv/load_world.h"
#include "simulation_interfaces/srv/reset_simulation.h"
#include "simulation_interfaces/srv/set_entity_state.h"
#include "simulation_interfaces/srv/set_simulation_state.h"
#include "simulation_interfaces/srv/step_simulation.h"

#define SERVICE(name) ROSIDL_GET_SRV_TYPE_SUPPORT(simulation_interfaces, srv, name)
#define RESULT(name) simulation_interfaces__msg__Result__RESULT_##name
#define STATE(name) simulation_interfaces__msg__SimulationState__STATE_##name

static pid_t start(void)
{
    const char* const arguments[] = {"--ros-args", "-p", test_scene->argument, "-p", "start_paused:=true", NULL};
    return process_start(FILUM_NODE, arguments);
}

static int get_state(void)
{
    const simulation_interfaces__srv__GetSimulationState_Request request = {0};
    simulation_interfaces__srv__GetSimulationState_Response* response = simulation_interfaces__srv__GetSimulationState_Response__create();
    assert_true(client_call(&test_client, SERVICE(GetSimulationState), "/filum/get_simulation_state", &request, response));
    const int state = response->state.state;
    simulation_interfaces__srv__GetSimulationState_Response__destroy(response);
    return state;
}

static int set_state(uint8_t state)
{
    const simulation_interfaces__srv__SetSimulationState_Request request = {.state = {.state = state}};
    simulation_interfaces__srv__SetSimulationState_Response* response = simulation_interfaces__srv__SetSimulationState_Response__create();
    assert_true(client_call(&test_client, SERVICE(SetSimulationState), "/filum/set_simulation_state", &request, response));
    const int result = response->result.result;
    simulation_interfaces__srv__SetSimulationState_Response__destroy(response);
    return result;
}

static int step(uint64_t steps)
{
    const simulation_interfaces__srv__StepSimulation_Request request = {.steps = steps};
    simulation_interfaces__srv__StepSimulation_Response* response = simulation_interfaces__srv__StepSimulation_Response__create();
    assert_true(client_call(&test_client, SERVICE(StepSimulation), "/filum/step_simulation", &request, response));
    const int result = response->result.result;
    simulation_interfaces__srv__StepSimulation_Response__destroy(response);
    return result;
}

static int reset(uint8_t scope)
{
    const simulation_interfaces__srv__ResetSimulation_Request request = {.scope = scope};
    simulation_interfaces__srv__ResetSimulation_Response* response = simulation_interfaces__srv__ResetSimulation_Response__create();
    assert_true(client_call(&test_client, SERVICE(ResetSimulation), "/filum/reset_simulation", &request, response));
    const int result = response->result.result;
    simulation_interfaces__srv__ResetSimulation_Response__destroy(response);
    return result;
}

/* the state of the cable; its stamp is the simulation's time */
static simulation_interfaces__srv__GetEntityState_Response* ask_cable(void)
{
    simulation_interfaces__srv__GetEntityState_Request* request = simulation_interfaces__srv__GetEntityState_Request__create();
    simulation_interfaces__srv__GetEntityState_Response* response = simulation_interfaces__srv__GetEntityState_Response__create();
    rosidl_runtime_c__String__assign(&request->entity, "cable");
    assert_true(client_call(&test_client, SERVICE(GetEntityState), "/filum/get_entity_state", request, response));
    simulation_interfaces__srv__GetEntityState_Request__destroy(request);
    return response;
}

static int64_t nanoseconds(void)
{
    simulation_interfaces__srv__GetEntityState_Response* cable = ask_cable();
    const int64_t time = (int64_t)cable->state.header.stamp.sec * 1000000000 + cable->state.header.stamp.nanosec;
    simulation_interfaces__srv__GetEntityState_Response__destroy(cable);
    return time;
}

static void runs_through_its_states(void** state)
{
    (void)state;
    const pid_t node = start();
    assert_int_equal(get_state(), STATE(PAUSED));
    assert_int_equal(nanoseconds(), 0);
    assert_int_equal(step(25), RESULT(OK));
    assert_int_equal(nanoseconds(), 50000000);  // 25 steps of 2 ms
    assert_int_equal(set_state(STATE(PLAYING)), RESULT(OK));
    assert_int_equal(get_state(), STATE(PLAYING));
    assert_int_equal(set_state(STATE(PLAYING)), 101);  // already in that state
    assert_int_equal(step(1), RESULT(INCORRECT_STATE));
    assert_int_equal(set_state(STATE(PAUSED)), RESULT(OK));
    assert_true(nanoseconds() > 50000000);
    assert_int_equal(reset(1), RESULT(FEATURE_UNSUPPORTED));  // time without state
    assert_int_equal(reset(4), RESULT(OK));                   // nothing was spawned
    assert_true(nanoseconds() > 0);
    assert_int_equal(reset(0), RESULT(OK));
    assert_int_equal(nanoseconds(), 0);
    assert_int_equal(step(2), RESULT(OK));
    assert_int_equal(set_state(STATE(STOPPED)), RESULT(OK));
    assert_int_equal(get_state(), STATE(STOPPED));
    assert_int_equal(nanoseconds(), 0);
    assert_int_equal(set_state(STATE(NO_WORLD)), 103);  // no such transition
    const simulation_interfaces__srv__GetSimulatorFeatures_Request request = {0};
    simulation_interfaces__srv__GetSimulatorFeatures_Response* features = simulation_interfaces__srv__GetSimulatorFeatures_Response__create();
    assert_true(client_call(&test_client, SERVICE(GetSimulatorFeatures), "/filum/get_simulator_features", &request, features));
    assert_true(features->features.features.size > 8);
    simulation_interfaces__srv__GetSimulatorFeatures_Response__destroy(features);
    assert_int_equal(set_state(STATE(QUITTING)), RESULT(OK));
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
}

static size_t count_entities(const char* filter, uint8_t category, int* result)
{
    simulation_interfaces__srv__GetEntitiesStates_Request* request = simulation_interfaces__srv__GetEntitiesStates_Request__create();
    simulation_interfaces__srv__GetEntitiesStates_Response* response = simulation_interfaces__srv__GetEntitiesStates_Response__create();
    rosidl_runtime_c__String__assign(&request->filters.filter, filter);
    if (category != 255) {
        simulation_interfaces__msg__EntityCategory__Sequence__init(&request->filters.categories, 1);
        request->filters.categories.data[0].category = category;
    }
    assert_true(client_call(&test_client, SERVICE(GetEntitiesStates), "/filum/get_entities_states", request, response));
    const size_t count = response->entities.size;
    *result = response->result.result;
    assert_int_equal(response->states.size, count);
    simulation_interfaces__srv__GetEntitiesStates_Request__destroy(request);
    simulation_interfaces__srv__GetEntitiesStates_Response__destroy(response);
    return count;
}

/* entities within bounds of so many of the two points */
static size_t count_within(uint8_t type, size_t points, geometry_msgs__msg__Vector3 a, geometry_msgs__msg__Vector3 b, int* result)
{
    simulation_interfaces__srv__GetEntities_Request* request = simulation_interfaces__srv__GetEntities_Request__create();
    simulation_interfaces__srv__GetEntities_Response* response = simulation_interfaces__srv__GetEntities_Response__create();
    request->filters.bounds.type = type;
    geometry_msgs__msg__Vector3__Sequence__init(&request->filters.bounds.points, 2);
    request->filters.bounds.points.data[0] = a;
    request->filters.bounds.points.data[1] = b;
    request->filters.bounds.points.size = points;
    assert_true(client_call(&test_client, SERVICE(GetEntities), "/filum/get_entities", request, response));
    const size_t count = response->entities.size;
    *result = response->result.result;
    simulation_interfaces__srv__GetEntities_Request__destroy(request);
    simulation_interfaces__srv__GetEntities_Response__destroy(response);
    return count;
}

/* The cable reaches from the origin to x = 0.3 m, the hoop of 0.1 m lies around y = 0.5 m. */
static void entities_are_filtered_by_bounds(void** state)
{
    (void)state;
    enum { BOX = simulation_interfaces__msg__Bounds__TYPE_BOX, SPHERE = simulation_interfaces__msg__Bounds__TYPE_SPHERE };
    typedef geometry_msgs__msg__Vector3 V;
    const pid_t node = start();
    int result;
    assert_int_equal(count_within(BOX, 2, (V){0.4, 0.01, 0.01}, (V){0.25, -0.01, -0.01}, &result), 1);  // the end of the cable only
    assert_int_equal(count_within(BOX, 2, (V){-1.0, -1.0, -1.0}, (V){1.0, 1.0, 1.0}, &result), 2);
    assert_int_equal(count_within(SPHERE, 2, (V){0.0, 0.5, 0.0}, (V){0.15, 0.0, 0.0}, &result), 1);
    assert_int_equal(count_within(SPHERE, 2, (V){0.0, 0.5, 0.0}, (V){0.05, 0.0, 0.0}, &result), 0);  // inside the hoop
    assert_int_equal(result, RESULT(OK));
    assert_int_equal(count_within(simulation_interfaces__msg__Bounds__TYPE_CONVEX_HULL, 2, (V){0.0, 0.0, 0.0}, (V){1.0, 1.0, 1.0}, &result), 0);
    assert_int_equal(result, RESULT(FEATURE_UNSUPPORTED));
    assert_int_equal(count_within(BOX, 1, (V){0.0, 0.0, 0.0}, (V){1.0, 1.0, 1.0}, &result), 0);
    assert_int_equal(result, RESULT(OPERATION_FAILED));
    assert_int_equal(count_within(SPHERE, 2, (V){NAN, 0.0, 0.0}, (V){1.0, 0.0, 0.0}, &result), 0);
    assert_int_equal(result, RESULT(OPERATION_FAILED));
    assert_int_equal(process_stop(node), 0);
}

static void entities_are_listed_and_filtered(void** state)
{
    (void)state;
    const pid_t node = start();
    int result;
    assert_int_equal(count_entities("", 255, &result), 2);
    assert_int_equal(count_entities("c.*", 255, &result), 1);
    assert_int_equal(count_entities("cab", 255, &result), 0);  // the whole name must match
    assert_int_equal(count_entities("cable|hoop", 255, &result), 2);
    assert_int_equal(count_entities("", 1, &result), 0);  // no robots
    assert_int_equal(result, RESULT(OK));
    assert_int_equal(count_entities("(", 255, &result), 0);
    assert_int_equal(result, RESULT(OPERATION_FAILED));

    simulation_interfaces__srv__GetEntities_Request* request = simulation_interfaces__srv__GetEntities_Request__create();
    simulation_interfaces__srv__GetEntities_Response* response = simulation_interfaces__srv__GetEntities_Response__create();
    assert_true(client_call(&test_client, SERVICE(GetEntities), "/filum/get_entities", request, response));
    assert_int_equal(response->entities.size, 2);
    assert_string_equal(response->entities.data[1].data, "hoop");
    simulation_interfaces__srv__GetEntities_Request__destroy(request);
    simulation_interfaces__srv__GetEntities_Response__destroy(response);
    assert_int_equal(process_stop(node), 0);
}

static int move(const char* entity, double x, double qw)
{
    simulation_interfaces__srv__SetEntityState_Request* request = simulation_interfaces__srv__SetEntityState_Request__create();
    simulation_interfaces__srv__SetEntityState_Response* response = simulation_interfaces__srv__SetEntityState_Response__create();
    rosidl_runtime_c__String__assign(&request->entity, entity);
    request->state.pose.position.x = x;
    request->state.pose.orientation.w = qw;
    assert_true(client_call(&test_client, SERVICE(SetEntityState), "/filum/set_entity_state", request, response));
    const int result = response->result.result;
    simulation_interfaces__srv__SetEntityState_Request__destroy(request);
    simulation_interfaces__srv__SetEntityState_Response__destroy(response);
    return result;
}

static void worlds_are_loaded_and_entities_moved(void** state)
{
    (void)state;
    const pid_t node = start();
    assert_int_equal(move("hoop", 2.0, 1.0), RESULT(OK));
    assert_int_equal(move("hoop", NAN, 1.0), 101);  // INVALID_POSE
    assert_int_equal(move("hoop", 2.0, 0.5), 101);
    assert_int_equal(move("cable", 2.0, 1.0), RESULT(OPERATION_FAILED));  // it is hung up

    simulation_interfaces__srv__LoadWorld_Request* request = simulation_interfaces__srv__LoadWorld_Request__create();
    simulation_interfaces__srv__LoadWorld_Response* response = simulation_interfaces__srv__LoadWorld_Response__create();
    assert_true(client_call(&test_client, SERVICE(LoadWorld), "/filum/load_world", request, response));
    assert_int_equal(response->result.result, 102);  // NO_RESOURCE
    rosidl_runtime_c__String__assign(&request->uri, "file:///does/not/exist.yaml");
    assert_true(client_call(&test_client, SERVICE(LoadWorld), "/filum/load_world", request, response));
    assert_int_equal(response->result.result, 103);                              // RESOURCE_PARSE_ERROR
    assert_true(client_get(&test_client, "/filum", "time_step").real == 0.002);  // the old world is still there
    rosidl_runtime_c__String__assign(&request->uri, "");
    rosidl_runtime_c__String__assign(&request->resource_string,
                                     "title: A thread\nworld: {dt: 0.004}\nmaterials: {m: {young: 1e6, poisson: 0.5, density: 1000}}\n"
                                     "rods:\n  - {name: thread, material: m, section: {circle: {radius: 0.01}}, "
                                     "shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 5}}}\n");
    assert_true(client_call(&test_client, SERVICE(LoadWorld), "/filum/load_world", request, response));
    assert_int_equal(response->result.result, RESULT(OK));
    assert_string_equal(response->world.description.data, "A thread");
    assert_int_equal(get_state(), STATE(STOPPED));
    assert_true(client_get(&test_client, "/filum", "time_step").real == 0.004);
    int result;
    assert_int_equal(count_entities("thread", 255, &result), 1);
    assert_int_equal(step(3), RESULT(OK));
    assert_int_equal(get_state(), STATE(PAUSED));
    simulation_interfaces__srv__LoadWorld_Request__destroy(request);
    simulation_interfaces__srv__LoadWorld_Response__destroy(response);
    assert_int_equal(process_stop(node), 0);
}

/* moving a bent and twisted rod rigidly changes neither its elastic energy nor what is read back */
static void moved_rods_keep_their_shape(void** state)
{
    (void)state;
    FilWorld* world = NULL;
    FilError error;
    assert_int_equal(fil_scene_load(test_scene->path, NULL, &world, NULL, &error), FIL_OK);
    FilId attachment = fil_world_find_attachment(world, "hook");
    assert_int_equal(fil_attachment_set_active(world, attachment, false), FIL_OK);
    const double twist[11] = {0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0};
    const double curvature[22] = {0, 0, 4, 2, 4, 2, 4, 2, 4, 2, 4, 2, 4, 2, 4, 2, 4, 2, 4, 2, 0, 0};
    const int rod = fil_entity_find(world, "cable");
    assert_int_equal(fil_rod_set_rest_twist(world, fil_world_rod_at(world, rod), 0, 11, twist), FIL_OK);
    assert_int_equal(fil_rod_set_rest_curvature(world, fil_world_rod_at(world, rod), 0, 11, curvature), FIL_OK);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    const double before = fil_world_energy(world).elastic;
    assert_true(before > 0.0);
    const FilEntityState wanted = {{1.0, -2.0, 0.5}, {0.5, -0.5, 0.1, 0.7}, {0.1, 0.2, 0.3}, {1.0, -2.0, 0.5}};
    FilEntityState unit = wanted;
    unit.orientation.w = sqrt(1.0 - 0.25 - 0.25 - 0.01);
    assert_int_equal(fil_entity_set_state(world, rod, &unit, &unit), FIL_OK);
    // energies of 1e-3 J come from forces computed to rounding of EA, 80 N, over lengths of 0.03 m
    assert_true(fabs(fil_world_energy(world).elastic - before) < 1e-9 * before + 1e-13);
    FilEntityState got;
    fil_entity_get_state(world, rod, &got);
    assert_true(entity_error(&got, &unit) < 1e-12);  // numbers of order one, a handful of roundings
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(runs_through_its_states, process_end_all),
        cmocka_unit_test_teardown(entities_are_listed_and_filtered, process_end_all),
        cmocka_unit_test_teardown(entities_are_filtered_by_bounds, process_end_all),
        cmocka_unit_test_teardown(worlds_are_loaded_and_entities_moved, process_end_all),
        cmocka_unit_test(moved_rods_keep_their_shape),
    };
    return cmocka_run_group_tests(tests, test_scene_join, test_scene_leave);
}
