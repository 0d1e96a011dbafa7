#include "scene.h"

#include <stdio.h>
#include <stdlib.h>

#include "filum/filum.h"
#include "process.h"
#include "rosidl_runtime_c/string_functions.h"

static const char text[] =
    "world: {gravity: [0, 0, -9.81], dt: 0.002}\n"
    "materials: {rubber: {young: 1e6, poisson: 0.5, density: 1000}}\n"
    "rods:\n"
    "  - name: cable\n"
    "    material: rubber\n"
    "    section: {circle: {radius: 0.005}}\n"
    "    shape: {straight: {from: [0, 0, 0], to: [0.3, 0, 0], nodes: 11}}\n"
    "  - name: hoop\n"
    "    material: rubber\n"
    "    section: {circle: {radius: 0.004}}\n"
    "    closed: true\n"
    "    shape: {ring: {center: [0, 0.5, 0], radius: 0.1, nodes: 12}}\n"
    "    rest: initial\n"
    "attachments: [{name: hook, pin: {rod: cable, node: 0}}]\n"
    "drives: [{name: pull, rod: cable, node: -1, force: [0, 0, 0]}]\n"
    "probes: {tip: {position: {rod: cable, node: -1, component: z}}}\n";

static const char robot_text[] =
    "robots:\n"
    "  - name: gripper\n"
    "    urdf: " FILUM_SOURCE_DIR
    "/config/robots/gripper.urdf\n"
    "    joints: [{joint: lift, gains: {stiffness: 5000, damping: 500}}]\n";

static int write_scene(void** state, const char* first, const char* more)
{
    static TestScene scene;
    snprintf(scene.path, sizeof scene.path, "/tmp/filum_scene_XXXXXX.yaml");
    FILE* file = fdopen(mkstemps(scene.path, 5), "w");
    if (file == NULL || fputs(first, file) < 0 || fputs(more, file) < 0 || fclose(file) != 0) {
        perror(scene.path);
        return -1;
    }
    // a scene that does not load would fail each test in a way that is hard to read
    FilWorld* world = NULL;
    FilError error;
    if (fil_scene_load(scene.path, NULL, &world, NULL, &error) != FIL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    fil_world_destroy(world);
    snprintf(scene.argument, sizeof scene.argument, "scene:=%s", scene.path);
    *state = &scene;
    return 0;
}

int test_scene_write(void** state)
{
    return write_scene(state, text, "");
}

int test_scene_write_with_robot(void** state)
{
    return write_scene(state, text, robot_text);
}

int test_scene_remove(void** state)
{
    return remove(((const TestScene*)*state)->path);
}

const TestScene* test_scene;
Client test_client;

int test_scene_join_with(void** state, const char* own)
{
    const int result = write_scene(state, own, "");
    test_scene = *state;
    client_join(&test_client, "tester", 0, NULL);
    return result;
}

int test_scene_join(void** state)
{
    return test_scene_join_with(state, text);
}

int test_scene_leave(void** state)
{
    client_leave(&test_client);
    return test_scene_remove(state);
}

/* ---- grippers ---- */

/* two grippers on lifts; between the fingers of the left one there is a block of 40 mm */
static const char grippers_text[] =
    "world: {dt: 0.002, contact: sap}\n"
    "rigid_bodies:\n"
    "  - {name: block, motion: static, position: [0, 0, -0.07], shapes: [{box: {size: [0.04, 0.04, 0.04]}}]}\n"
    "robots:\n"
    "  - {name: left, urdf: " FILUM_SOURCE_DIR
    "/config/robots/gripper.urdf, prefix: left_, trajectory_points: %d, joints: [%s, %s]}\n"
    "  - {name: right, urdf: " FILUM_SOURCE_DIR "/config/robots/gripper.urdf, prefix: right_, position: [1, 0, 0], joints: [%s]}\n";
static const char lift_text[] = "{joint: lift, gains: {stiffness: 5000, damping: 500}}";
static const char grip_text[] = "{joint: grip, position: 0.045, gains: {stiffness: 2000, damping: 20}}";

void test_scene_grippers(int room, char out[TEST_SCENE_TEXT])
{
    snprintf(out, TEST_SCENE_TEXT, grippers_text, room, lift_text, grip_text, lift_text);
}

void test_name_two(rosidl_runtime_c__String__Sequence* names, const char* first, const char* second)
{
    rosidl_runtime_c__String__Sequence__init(names, second != NULL ? 2 : 1);
    rosidl_runtime_c__String__assign(&names->data[0], first);
    if (second != NULL) {
        rosidl_runtime_c__String__assign(&names->data[1], second);
    }
}

pid_t test_scene_start(const char* const* more)
{
    const char* arguments[32] = {"--ros-args", "-p", test_scene->argument};
    for (int i = 0; more != NULL && more[i] != NULL && i < 28; i++) {
        arguments[3 + i] = more[i];
    }
    return process_start(FILUM_NODE, arguments);
}

int test_joint_number(const sensor_msgs__msg__JointState* states, const char* name)
{
    for (size_t i = 0; i < states->name.size; i++) {
        if (strcmp(states->name.data[i].data, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}
