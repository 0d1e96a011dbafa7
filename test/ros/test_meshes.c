/* Cloth, soft solids and rings over DDS: their states as messages, their markers in the scene's colours. */
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
#include "filum/msg/mesh_states.h"
#include "filum/msg/ring_states.h"
#include "process.h"
#include "scene.h"
#include "visualization_msgs/msg/marker_array.h"

#define TYPE(package, name) ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name)

static const char scene_text[] =
    "world: {gravity: [0, 0, -9.81], dt: 0.002, contact: ipc}\n"
    "materials: {cloth: {young: 1e5, poisson: 0.3, density: 1000}, rubber: {young: 1e6, poisson: 0.3, density: 1000}}\n"
    "rods: [{name: line, visible: false, material: rubber, section: {circle: {radius: 0.001}},\n"
    "        shape: {straight: {from: [-0.25, 0, 0], to: [0.25, 0, 0], nodes: 11}}, collision: {enabled: false}}]\n"
    "shells: [{name: cloth, color: tomato, material: cloth, thickness: 0.001,\n"
    "          sheet: {corner: [-0.1, 0.2, 0], along: [0.2, 0, 0], across: [0, 0.03, -0.1], columns: 4, rows: 3}}]\n"
    "solids: [{name: jelly, material: rubber, position: [3, 0, 0], brick: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]},\n"
    "          pins: [{from: [2, -1, 0.04], to: [4, 1, 1]}]}]\n"
    "attachments: [{name: ends, pin: {rod: line, nodes: [0, 11]}}, {name: corner, pin: {shell: cloth, vertex: 0}}]\n"
    "rings: [{name: hook, rod: line, range: 0.05, stiffness: 100, point: {mass: 0.001, position: [0, 0, -0.01]}}]\n";

static void states_are_heard(void** state)
{
    (void)state;
    const char* const arguments[] = {"--ros-args", "-p", test_scene->argument, NULL};
    const pid_t node = process_start(FILUM_NODE, arguments);
    static const struct {
        const char *topic, *name;
    } rows[] = {{"/shell_states", "cloth"}, {"/solid_states", "jelly"}};
    for (int k = 0; k < 2; k++) {
        filum__msg__MeshStates* states = filum__msg__MeshStates__create();
        assert_true(client_hear(&test_client, TYPE(filum, MeshStates), rows[k].topic, &rmw_qos_profile_default, states, NULL, NULL));
        assert_string_equal(states->header.frame_id.data, "world");
        assert_int_equal(states->meshes.size, 1);
        const filum__msg__MeshState* mesh = &states->meshes.data[0];
        assert_string_equal(mesh->name.data, rows[k].name);
        assert_true(mesh->positions.size >= 24 && mesh->positions.size % 3 == 0);
        assert_int_equal(mesh->velocities.size, mesh->positions.size);
        assert_true(mesh->triangles.size >= 36 && mesh->triangles.size % 3 == 0);
        for (size_t t = 0; t < mesh->triangles.size; t++) {
            assert_true(3 * mesh->triangles.data[t] < mesh->positions.size);
        }
        for (size_t i = 0; i < mesh->positions.size; i++) {
            assert_true(fabs(mesh->positions.data[i]) < 5.0);
        }
        filum__msg__MeshStates__destroy(states);
    }
    filum__msg__RingStates* rings = filum__msg__RingStates__create();
    assert_true(client_hear(&test_client, TYPE(filum, RingStates), "/ring_states", &rmw_qos_profile_default, rings, NULL, NULL));
    assert_int_equal(rings->rings.size, 1);
    assert_string_equal(rings->rings.data[0].name.data, "hook");
    assert_true(rings->rings.data[0].threaded);
    assert_true(fabs(rings->rings.data[0].travel - 0.25) < 0.01);  // half of the way along a straight rod
    filum__msg__RingStates__destroy(rings);
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
}

static bool is_full(const void* message, void* context)
{
    (void)context;
    return ((const visualization_msgs__msg__MarkerArray*)message)->markers.size == 10;
}

static const visualization_msgs__msg__Marker* find_marker(const visualization_msgs__msg__MarkerArray* array, const char* name)
{
    for (size_t k = 0; k < array->markers.size; k++) {
        if (strcmp(array->markers.data[k].ns.data, name) == 0) {
            return &array->markers.data[k];
        }
    }
    fail_msg("there is no marker of %s", name);
    return NULL;
}

/* Cloth and what holds its corner, ring, solid with four pins, forces and patches; the rod is hidden, and its attachment with it. */
static void markers_have_looks(void** state)
{
    (void)state;
    const char* const arguments[] = {"--ros-args", "-p", test_scene->argument, NULL};
    const pid_t node = process_start(FILUM_NODE, arguments);
    visualization_msgs__msg__MarkerArray* markers = visualization_msgs__msg__MarkerArray__create();
    assert_true(client_hear(&test_client, TYPE(visualization_msgs, MarkerArray), "/markers", &rmw_qos_profile_default, markers, is_full, NULL));
    const visualization_msgs__msg__Marker* cloth = find_marker(markers, "cloth");
    assert_true(fabsf(cloth->color.r - 1.0f) < 1e-6f && fabsf(cloth->color.g - 0x63 / 255.0f) < 1e-6f && cloth->color.a == 1.0f);
    assert_non_null(find_marker(markers, "hook"));
    assert_non_null(find_marker(markers, "corner"));
    assert_int_equal(find_marker(markers, "jelly")->points.size, 36);  // six sides of two triangles
    visualization_msgs__msg__MarkerArray__destroy(markers);
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
}

static int set_up(void** state)
{
    return test_scene_join_with(state, scene_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(states_are_heard, process_end_all),
        cmocka_unit_test_teardown(markers_have_looks, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, test_scene_leave);
}
