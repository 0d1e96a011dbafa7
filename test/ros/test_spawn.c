/* Entities that are spawned and deleted from another process, and what can be spawned and loaded. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "process.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "simulation_interfaces/msg/result.h"
#include "simulation_interfaces/msg/spawnable.h"
#include "simulation_interfaces/msg/world_resource.h"
#include "simulation_interfaces/srv/delete_entity.h"
#include "simulation_interfaces/srv/get_available_worlds.h"
#include "simulation_interfaces/srv/get_current_world.h"
#include "simulation_interfaces/srv/get_entities.h"
#include "simulation_interfaces/srv/get_entity_state.h"
#include "simulation_interfaces/srv/get_spawnables.h"
#include "simulation_interfaces/srv/reset_simulation.h"
#include "simulation_interfaces/srv/spawn_entity.h"
#include "simulation_interfaces/srv/step_simulation.h"

#define SERVICE(name) ROSIDL_GET_SRV_TYPE_SUPPORT(simulation_interfaces, srv, name)
#define RESULT(name) simulation_interfaces__msg__Result__RESULT_##name
#define SPAWN(name) simulation_interfaces__srv__SpawnEntity_Response__##name
#define OBJECT(name) FILUM_SOURCE_DIR "/config/objects/" name ".yaml"
#define ROBOT(name) FILUM_SOURCE_DIR "/config/robots/" name ".urdf"

static pid_t start(const char* more)
{
    const char* const arguments[] = {"--ros-args", "-p", test_scene->argument, "-p", "start_paused:=true", "-p", more, NULL};
    return process_start(FILUM_NODE, arguments);
}

typedef struct Spawn {
    const char *name, *uri, *text, *space;
    bool rename;
    double x, z, w; /* w = 0: not turned */
} Spawn;

typedef struct Answer {
    int code;
    char name[128], message[512];
} Answer;

static Answer spawn(Spawn what)
{
    simulation_interfaces__srv__SpawnEntity_Request* request = simulation_interfaces__srv__SpawnEntity_Request__create();
    simulation_interfaces__srv__SpawnEntity_Response* response = simulation_interfaces__srv__SpawnEntity_Response__create();
    rosidl_runtime_c__String__assign(&request->name, what.name != NULL ? what.name : "");
    rosidl_runtime_c__String__assign(&request->uri, what.uri != NULL ? what.uri : "");
    rosidl_runtime_c__String__assign(&request->resource_string, what.text != NULL ? what.text : "");
    rosidl_runtime_c__String__assign(&request->entity_namespace, what.space != NULL ? what.space : "");
    request->allow_renaming = what.rename;
    request->initial_pose.pose.position.x = what.x;
    request->initial_pose.pose.position.z = what.z;
    request->initial_pose.pose.orientation.w = what.w != 0.0 ? what.w : 1.0;
    assert_true(client_call(&test_client, SERVICE(SpawnEntity), "/filum/spawn_entity", request, response));
    Answer answer = {.code = response->result.result};
    snprintf(answer.name, sizeof answer.name, "%s", response->entity_name.data);
    snprintf(answer.message, sizeof answer.message, "%s", response->result.error_message.data);
    simulation_interfaces__srv__SpawnEntity_Request__destroy(request);
    simulation_interfaces__srv__SpawnEntity_Response__destroy(response);
    return answer;
}

static int delete_entity(const char* name, char message[512])
{
    simulation_interfaces__srv__DeleteEntity_Request* request = simulation_interfaces__srv__DeleteEntity_Request__create();
    simulation_interfaces__srv__DeleteEntity_Response* response = simulation_interfaces__srv__DeleteEntity_Response__create();
    rosidl_runtime_c__String__assign(&request->entity, name);
    assert_true(client_call(&test_client, SERVICE(DeleteEntity), "/filum/delete_entity", request, response));
    const int code = response->result.result;
    snprintf(message, 512, "%s", response->result.error_message.data);
    simulation_interfaces__srv__DeleteEntity_Request__destroy(request);
    simulation_interfaces__srv__DeleteEntity_Response__destroy(response);
    return code;
}

/* position and time; false if there is no such entity */
static bool see(const char* name, double place[3], double* time)
{
    simulation_interfaces__srv__GetEntityState_Request* request = simulation_interfaces__srv__GetEntityState_Request__create();
    simulation_interfaces__srv__GetEntityState_Response* response = simulation_interfaces__srv__GetEntityState_Response__create();
    rosidl_runtime_c__String__assign(&request->entity, name);
    assert_true(client_call(&test_client, SERVICE(GetEntityState), "/filum/get_entity_state", request, response));
    const bool found = response->result.result == RESULT(OK);
    place[0] = response->state.pose.position.x, place[1] = response->state.pose.position.y, place[2] = response->state.pose.position.z;
    *time = response->state.header.stamp.sec + 1e-9 * response->state.header.stamp.nanosec;
    simulation_interfaces__srv__GetEntityState_Request__destroy(request);
    simulation_interfaces__srv__GetEntityState_Response__destroy(response);
    return found;
}

static void step(uint64_t steps)
{
    const simulation_interfaces__srv__StepSimulation_Request request = {.steps = steps};
    simulation_interfaces__srv__StepSimulation_Response* response = simulation_interfaces__srv__StepSimulation_Response__create();
    assert_true(client_call(&test_client, SERVICE(StepSimulation), "/filum/step_simulation", &request, response));
    assert_int_equal(response->result.result, RESULT(OK));
    simulation_interfaces__srv__StepSimulation_Response__destroy(response);
}

static int reset(uint8_t scope)
{
    const simulation_interfaces__srv__ResetSimulation_Request request = {.scope = scope};
    simulation_interfaces__srv__ResetSimulation_Response* response = simulation_interfaces__srv__ResetSimulation_Response__create();
    assert_true(client_call(&test_client, SERVICE(ResetSimulation), "/filum/reset_simulation", &request, response));
    const int code = response->result.result;
    simulation_interfaces__srv__ResetSimulation_Response__destroy(response);
    return code;
}

static void spawns_and_deletes(void** state)
{
    (void)state;
    const pid_t node = start("friction:=0.3");
    double hoop[3], place[3], time;
    char message[512];
    step(25);
    assert_true(see("hoop", hoop, &time));
    assert_true(hoop[2] < -0.001);  // it falls
    Answer answer = spawn((Spawn){.uri = OBJECT("ball"), .x = 0.4, .z = 2.0});
    assert_int_equal(answer.code, RESULT(OK));
    assert_string_equal(answer.name, "ball");
    // everything else is where it was, and when
    assert_true(see("hoop", place, &time));
    assert_memory_equal(place, hoop, sizeof hoop);
    assert_true(fabs(time - 0.05) < 1e-12);
    assert_true(see("ball", place, &time));
    assert_true(place[0] == 0.4 && place[2] == 2.0);
    step(25);
    assert_true(see("ball", place, &time));
    // symplectic or backward Euler: g t (t + dt) / 2
    assert_true(fabs(place[2] - (2.0 - 0.5 * 9.81 * 0.05 * 0.052)) < 1e-9);
    assert_true(see("hoop", hoop, &time));
    assert_true(hoop[2] < -0.04);
    // one more of the same, and a robot from text
    assert_int_equal(spawn((Spawn){.uri = OBJECT("ball")}).code, SPAWN(NAME_NOT_UNIQUE));
    answer = spawn((Spawn){.uri = "file://" OBJECT("ball"), .rename = true, .space = "/toys"});
    assert_string_equal(answer.name, "toys_ball");
    answer = spawn((Spawn){.uri = OBJECT("ball"), .rename = true});
    assert_string_equal(answer.name, "ball_2");
    static const char urdf[] =
        "<?xml version=\"1.0\"?><robot name='cart'><link name='base'><inertial><mass value='2'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>";
    answer = spawn((Spawn){.text = urdf, .x = 3.0, .z = 1.0});
    assert_int_equal(answer.code, RESULT(OK));
    assert_string_equal(answer.name, "cart");
    step(10);
    assert_true(see("cart", place, &time));
    assert_true(place[0] == 3.0 && place[2] < 1.0);  // it moves freely
    // deleted: spawned ones, and the scene's own unless something holds on to them
    assert_int_equal(delete_entity("ball", message), RESULT(OK));
    assert_false(see("ball", place, &time));
    assert_true(see("ball_2", place, &time));
    assert_true(place[2] < -0.0005);
    assert_int_equal(delete_entity("ball", message), RESULT(NOT_FOUND));
    assert_int_equal(delete_entity("cable", message), RESULT(OPERATION_FAILED));
    assert_non_null(strstr(message, ":"));
    assert_int_equal(delete_entity("hoop", message), RESULT(OK));
    assert_false(see("hoop", place, &time));
    step(5);
    // state alone leaves them, everything undoes it
    assert_int_equal(reset(3), RESULT(OK));
    assert_true(see("cart", place, &time) && place[2] == 1.0 && time == 0.0);
    assert_int_equal(reset(4), RESULT(OK));
    assert_false(see("cart", place, &time));
    assert_true(see("hoop", place, &time));
    assert_int_equal(process_stop(node), 0);
}

static void refuses_what_it_must(void** state)
{
    (void)state;
    const pid_t node = start("max_nodes:=60");
    char path[] = "/tmp/filum_spawn_XXXXXX.yaml";
    FILE* file = fdopen(mkstemps(path, 5), "w");
    assert_non_null(file);
    fputs("secret: 12345\n", file);
    fclose(file);
    assert_int_equal(spawn((Spawn){.name = "a"}).code, SPAWN(NO_RESOURCE));
    assert_int_equal(spawn((Spawn){.uri = "model.sdf"}).code, SPAWN(UNSUPPORTED_FORMAT));
    assert_int_equal(spawn((Spawn){.uri = OBJECT("ball"), .name = "no name"}).code, SPAWN(NAME_INVALID));
    assert_int_equal(spawn((Spawn){.uri = OBJECT("ball"), .space = "9lives"}).code, SPAWN(NAMESPACE_INVALID));
    assert_int_equal(spawn((Spawn){.uri = OBJECT("ball"), .w = 0.5}).code, SPAWN(INVALID_POSE));
    assert_int_equal(spawn((Spawn){.uri = OBJECT("ball"), .x = NAN}).code, SPAWN(INVALID_POSE));
    assert_int_equal(spawn((Spawn){.text = "nonsense: [1, 2]"}).code, SPAWN(RESOURCE_PARSE_ERROR));
    assert_int_equal(spawn((Spawn){.text = "<robot name='r'><link/></robot>"}).code, SPAWN(RESOURCE_PARSE_ERROR));
    assert_int_equal(spawn((Spawn){.uri = FILUM_SOURCE_DIR "/config/scenes/four_rods.yaml"}).code, SPAWN(RESOURCE_PARSE_ERROR));
    // a file outside is refused in the same words whether it is there or not, and is not quoted
    const Answer outside = spawn((Spawn){.uri = path}), nowhere = spawn((Spawn){.uri = "/tmp/no_such_file.yaml"});
    assert_int_equal(outside.code, SPAWN(RESOURCE_PARSE_ERROR));
    assert_null(strstr(outside.message, "secret"));
    assert_string_equal(strchr(outside.message, ' '), strchr(nowhere.message, ' '));
    assert_int_equal(spawn((Spawn){.uri = "/tmp/no_such_robot.urdf"}).code, SPAWN(RESOURCE_PARSE_ERROR));
    // 23 nodes are there; a rope of 51 is too much
    const Answer rope = spawn((Spawn){.uri = OBJECT("rope")});
    assert_int_equal(rope.code, SPAWN(RESOURCE_PARSE_ERROR));
    // what its resource mounts stays there
    const char* const fixed = "robots: [{name: arm, urdf: " ROBOT("arm6") "}]\n";
    assert_int_equal(spawn((Spawn){.text = fixed, .z = 1.0}).code, SPAWN(INVALID_POSE));
    double place[3], time;
    assert_false(see("arm", place, &time));
    assert_int_equal(spawn((Spawn){.text = fixed}).code, RESULT(OK));
    assert_true(see("cable", place, &time));
    remove(path);
    assert_int_equal(process_stop(node), 0);
    const pid_t locked = start("locked:=true");
    const Answer refused = spawn((Spawn){.uri = OBJECT("ball")});
    assert_int_equal(refused.code, RESULT(OPERATION_FAILED));
    assert_non_null(strstr(refused.message, "locked"));
    assert_int_equal(process_stop(locked), 0);
}

static void lists_what_there_is(void** state)
{
    (void)state;
    const pid_t node = start("tf_rate:=10.0");
    simulation_interfaces__srv__GetSpawnables_Request* ask = simulation_interfaces__srv__GetSpawnables_Request__create();
    simulation_interfaces__srv__GetSpawnables_Response* spawnables = simulation_interfaces__srv__GetSpawnables_Response__create();
    test_name_two(&ask->sources, "/etc", NULL);
    assert_true(client_call(&test_client, SERVICE(GetSpawnables), "/filum/get_spawnables", ask, spawnables));
    assert_int_equal(spawnables->result.result, RESULT(OK));
    assert_non_null(strstr(spawnables->result.error_message.data, "/etc"));
    int balls = 0, arms = 0;
    for (size_t i = 0; i < spawnables->spawnables.size; i++) {
        const char* uri = spawnables->spawnables.data[i].uri.data;
        balls += strstr(uri, "objects/ball.yaml") != NULL;
        arms += strstr(uri, "robots/arm6.urdf") != NULL;
        if (strstr(uri, "objects/ball.yaml") != NULL) {
            assert_int_equal(spawn((Spawn){.uri = uri, .rename = true}).code, RESULT(OK));
        }
    }
    assert_true(balls >= 1 && arms >= 1);
    const simulation_interfaces__srv__GetAvailableWorlds_Request all = {0};
    simulation_interfaces__srv__GetAvailableWorlds_Response* worlds = simulation_interfaces__srv__GetAvailableWorlds_Response__create();
    assert_true(client_call(&test_client, SERVICE(GetAvailableWorlds), "/filum/get_available_worlds", &all, worlds));
    int capstans = 0;
    for (size_t i = 0; i < worlds->worlds.size; i++) {
        capstans += strcmp(worlds->worlds.data[i].name.data, "capstan") == 0;
    }
    assert_int_equal(capstans, 1);
    const simulation_interfaces__srv__GetCurrentWorld_Request now = {0};
    simulation_interfaces__srv__GetCurrentWorld_Response* world = simulation_interfaces__srv__GetCurrentWorld_Response__create();
    assert_true(client_call(&test_client, SERVICE(GetCurrentWorld), "/filum/get_current_world", &now, world));
    assert_string_equal(world->world.world_resource.uri.data, test_scene->path);
    simulation_interfaces__srv__GetSpawnables_Request__destroy(ask);
    simulation_interfaces__srv__GetSpawnables_Response__destroy(spawnables);
    simulation_interfaces__srv__GetAvailableWorlds_Response__destroy(worlds);
    simulation_interfaces__srv__GetCurrentWorld_Response__destroy(world);
    assert_int_equal(process_stop(node), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(spawns_and_deletes, process_end_all),
        cmocka_unit_test_teardown(refuses_what_it_must, process_end_all),
        cmocka_unit_test_teardown(lists_what_there_is, process_end_all),
    };
    return cmocka_run_group_tests(tests, test_scene_join, test_scene_leave);
}
