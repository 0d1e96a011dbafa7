/* The table of kinds: every object is an entity and has markers, whatever it is; shells and rings in particular.
 * Without a graph. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "commands.h"
#include "conversion.h"
#include "entities.h"
#include "entity_error.h"
#include "filum/msg/mesh_states.h"
#include "filum/msg/ring_states.h"
#include "marker_parts.h"
#include "outputs.h"

static const char scene_text[] =
    "world: {gravity: [0, 0, -9.81], dt: 0.002, contact: ipc}\n"
    "materials: {cloth: {young: 1e5, poisson: 0.3, density: 1000}, rubber: {young: 1e6, poisson: 0.3, density: 1000}}\n"
    "rods:\n"
    "  - name: line\n"
    "    material: rubber\n"
    "    section: {circle: {radius: 0.001}}\n"
    "    shape: {straight: {from: [-0.25, 0, 0], to: [0.25, 0, 0], nodes: 11}}\n"
    "    collision: {enabled: false}\n"
    "rigid_bodies: [{name: block, motion: static, position: [0, 0, -1], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}]\n"
    "shells:\n"
    "  - name: cloth\n"
    "    material: cloth\n"
    "    thickness: 0.001\n"
    "    sheet: {corner: [-0.1, 0.2, 0], along: [0.2, 0, 0], across: [0, 0.03, -0.1], columns: 4, rows: 3}\n"
    "    color: '#ff8000'\n"
    "solids: [{name: jelly, visible: false, material: rubber, position: [3, 0, 0], brick: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}]\n"
    "attachments: [{name: ends, pin: {rod: line, nodes: [0, 11]}}]\n"
    "rings:\n"
    "  - {name: hook, rod: line, range: 0.05, stiffness: 100, point: {mass: 0.001, position: [0, 0, -0.01]}}\n";

enum { STEPS = 20 };

static FilSimulation simulation;

static int set_up(void** state)
{
    (void)state;
    FilError error = {""};
    fil_simulation_init(&simulation);
    if (fil_simulation_load_text(&simulation, "kinds.yaml", scene_text, strlen(scene_text), NULL, &error) != FIL_OK) {
        print_error("%s\n", error.text);
        return 1;
    }
    for (int i = 0; i < STEPS; i++) {
        if (fil_world_step(simulation.world, NULL) != FIL_OK) {
            print_error("%s\n", fil_world_error(simulation.world));
            return 1;
        }
    }
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    fil_simulation_fini(&simulation);
    return 0;
}

/* ---- entities ---- */

static void every_object_is_an_entity(void** state)
{
    (void)state;
    static const char* const names[] = {"line", "block", "cloth", "hook", "jelly"};
    const FilWorld* world = simulation.world;
    assert_int_equal(fil_entity_count(world), 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(fil_entity_name(world, i), names[i]);
        assert_int_equal(fil_entity_find(world, names[i]), i);
        assert_int_equal(fil_entity_is_static(world, i), i == 1);
        assert_int_equal(fil_entity_is_mounted(world, i), i == 3);
        assert_false(fil_entity_is_robot(world, i));
    }
    assert_int_equal(fil_entity_find(world, "nothing"), -1);
}

static void rings_are_seen_but_not_moved(void** state)
{
    (void)state;
    FilWorld* world = simulation.world;
    const FilId ring = fil_world_find_ring(world, "hook");
    FilEntityState seen;
    fil_entity_get_state(world, fil_entity_find(world, "hook"), &seen);
    assert_true(seen.position.z == fil_ring_position(world, ring).z && seen.position.z < 0.0);
    assert_true(seen.velocity.z == fil_ring_velocity(world, ring).z && seen.velocity.z != 0.0);
    assert_true(seen.orientation.w == 1.0);
    const uint64_t hash = fil_world_hash(world);
    assert_int_equal(fil_entity_set_state(world, fil_entity_find(world, "hook"), &seen, &seen), FIL_BAD_INPUT);
    assert_true(fil_world_hash(world) == hash);
}

static double distance(const double* a, const double* b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* moving a cloth changes neither its shape nor what is read back */
static void moved_shells_keep_their_shape(void** state)
{
    (void)state;
    FilWorld* world = simulation.world;
    const FilId cloth = fil_world_find_shell(world, "cloth");
    const int entity = fil_entity_find(world, "cloth");
    const int count = fil_shell_vertex_count(world, cloth);
    double before[3 * 64];
    double after[3 * 64];
    assert_in_range(count, 4, 64);
    fil_shell_get_positions(world, cloth, before);
    const FilEntityState unit = {{1.0, -2.0, 0.5}, {0.5, -0.5, 0.1, 0.7}, {0.1, 0.2, 0.3}, {1.0, -2.0, 0.5}};
    assert_int_equal(fil_entity_set_state(world, entity, &unit, &unit), FIL_OK);
    fil_shell_get_positions(world, cloth, after);
    for (int i = 1; i < count; i++) {
        // lengths of 0.1 m at coordinates of order one: a handful of roundings
        assert_true(fabs(distance(after, after + 3 * i) - distance(before, before + 3 * i)) < 1e-14);
    }
    FilEntityState got;
    fil_entity_get_state(world, entity, &got);
    assert_true(entity_error(&got, &unit) < 1e-12);  // rates of order one over edges of 0.05 m, rounded at order one
    // with a pose alone, velocities turn along: here by nothing, for the cloth is there already
    double velocities[3 * 64];
    double turned[3 * 64];
    fil_shell_get_velocities(world, cloth, velocities);
    assert_int_equal(fil_entity_set_state(world, entity, &unit, NULL), FIL_OK);
    fil_shell_get_velocities(world, cloth, turned);
    for (int i = 0; i < count; i++) {
        assert_true(distance(turned + 3 * i, velocities + 3 * i) < 1e-12);  // speeds of order one
    }
}

/* ---- markers ---- */

static void every_object_has_its_markers(void** state)
{
    (void)state;
    const FilWorld* world = simulation.world;
    FilStateMessages messages;
    assert_true(fil_state_messages_init(&messages));
    assert_true(fil_state_messages_fit(&messages, &simulation, NULL));
    fil_fill_markers(&messages, &simulation);
    const FilMarker* markers = messages.markers.markers.data;
    static const struct {
        const char* space;
        int type;
    } expected[] = {{"line", FIL_MARKER(LINE_STRIP)},
                    {"block", FIL_MARKER(CUBE)},
                    {"cloth", FIL_MARKER(TRIANGLE_LIST)},
                    {"hook", FIL_MARKER(LINE_STRIP)},
                    {"ends", FIL_MARKER(SPHERE)}};
    enum { HELD = 11, COUNT = 4 + HELD + 2 };
    assert_int_equal(messages.markers.markers.size, COUNT);
    assert_string_equal(markers[COUNT - 1].ns.data, "contact patches");
    assert_string_equal(markers[COUNT - 2].ns.data, "contact forces");
    assert_int_equal(markers[COUNT - 2].type, FIL_MARKER(LINE_LIST));
    for (int i = 0; i < 5; i++) {
        assert_string_equal(markers[i].ns.data, expected[i].space);
        assert_int_equal(markers[i].type, expected[i].type);
        assert_string_equal(markers[i].header.frame_id.data, "world");
        assert_true(markers[i].header.stamp.nanosec == 40000000u);
    }
    // the corners of the cloth's triangles
    const FilId cloth = fil_world_find_shell(world, "cloth");
    assert_int_equal(markers[2].points.size, 3 * fil_shell_triangle_count(world, cloth));
    for (int t = 0; t < fil_shell_triangle_count(world, cloth); t++) {
        int corners[3];
        fil_shell_get_triangle(world, cloth, t, corners);
        for (int k = 0; k < 3; k++) {
            double x[3];
            const geometry_msgs__msg__Point* p = &markers[2].points.data[3 * t + k];
            fil_shell_get_position(world, cloth, corners[k], x);
            assert_true(p->x == x[0] && p->y == x[1] && p->z == x[2]);
        }
    }
    const FilVec3 ring = fil_ring_position(world, fil_world_find_ring(world, "hook"));
    assert_true(markers[2].color.r == 1.0f && fabsf(markers[2].color.g - 128.0f / 255.0f) < 1e-6f && markers[2].color.b == 0.0f);
    // the ring: a closed line about its place, across the rod, wider than that
    const geometry_msgs__msg__Point* rim = markers[3].points.data;
    const size_t last = markers[3].points.size - 1;
    assert_memory_equal(&rim[0], &rim[last], sizeof *rim);
    for (size_t i = 0; i < last; i++) {
        assert_true(fabs(rim[i].x - ring.x) < 1e-6);  // the line lies along x, and hardly sags
        assert_true(hypot(rim[i].y - ring.y, rim[i].z - ring.z) - 0.5 * markers[3].scale.x > 0.001 - 1e-12);
    }
    // what is held: a ball at each node
    for (int i = 0; i < HELD; i++) {
        double x[3];
        fil_rod_get_position(world, fil_world_find_rod(world, "line"), i, x);
        assert_true(markers[4 + i].pose.position.x == x[0] && markers[4 + i].pose.position.z == x[2]);
        assert_int_equal(markers[4 + i].action, FIL_MARKER(ADD));
    }
    fil_state_messages_fini(&messages);
}

/* An arm is one closed surface, seen from outside: a straight one encloses a prism of twelve sides. */
static void arms_are_smooth(void** state)
{
    (void)state;
    static const char text[] =
        "world: {gravity: [0, 0, 0]}\narms: [{name: trunk, sections: [{mass: 0.5, length: 0.3, disks: 4, disk_radius: 0.05}]}]\n";
    FilSimulation arm;
    FilError error = {""};
    FilStateMessages messages;
    fil_simulation_init(&arm);
    assert_int_equal(fil_simulation_load_text(&arm, "arm.yaml", text, strlen(text), NULL, &error), FIL_OK);
    assert_true(fil_state_messages_init(&messages));
    assert_true(fil_state_messages_fit(&messages, &arm, NULL));
    fil_fill_markers(&messages, &arm);
    assert_int_equal(messages.markers.markers.size, 3);
    const FilMarker* sleeve = &messages.markers.markers.data[0];
    assert_string_equal(sleeve->ns.data, "trunk");
    assert_int_equal(sleeve->type, FIL_MARKER(TRIANGLE_LIST));
    double volume = 0.0;
    for (size_t i = 0; i < sleeve->points.size; i += 3) {
        const geometry_msgs__msg__Point *a = &sleeve->points.data[i], *b = a + 1, *c = a + 2;
        volume += (a->x * (b->y * c->z - b->z * c->y) + a->y * (b->z * c->x - b->x * c->z) + a->z * (b->x * c->y - b->y * c->x)) / 6.0;
    }
    FilVec3 first, last;
    FilQuat turn;
    const FilId trunk = fil_world_arm_at(arm.world, 0);
    fil_arm_disk_pose(arm.world, trunk, 0, &first, &turn);
    fil_arm_disk_pose(arm.world, trunk, fil_arm_disk_count(arm.world, trunk) - 1, &last, &turn);
    assert_true(fabs(volume - 6.0 * sin(FIL_PI / 6.0) * 0.05 * 0.05 * (last.z - first.z)) < 1e-12);
    // nothing touches: there is no line and no disc to draw
    assert_int_equal(messages.markers.markers.data[1].action, FIL_MARKER(DELETE));
    assert_int_equal(messages.markers.markers.data[2].action, FIL_MARKER(DELETE));
    fil_state_messages_fini(&messages);
    fil_simulation_fini(&arm);
}

/* A patch is a disc of its area, about its center and across its normal. */
static void patches_are_discs(void** state)
{
    (void)state;
    enum { SIDES = 16, SETTLE = 40 };
    FilSimulation ball;
    FilError error = {""};
    FilStateMessages messages;
    fil_simulation_init(&ball);
    assert_int_equal(fil_simulation_load(&ball, "patch_sphere", NULL, &error), FIL_OK);
    for (int i = 0; i < SETTLE; i++) {
        assert_int_equal(fil_world_step(ball.world, NULL), FIL_OK);
    }
    assert_int_equal(fil_world_patch_count(ball.world), 1);
    const FilPatchInfo patch = fil_world_patch(ball.world, 0);
    assert_true(patch.area > 0.0);
    assert_true(fil_state_messages_init(&messages));
    assert_true(fil_state_messages_fit(&messages, &ball, NULL));
    fil_fill_markers(&messages, &ball);
    const FilMarker* disc = &messages.markers.markers.data[messages.markers.markers.size - 1];
    assert_int_equal(disc->action, FIL_MARKER(ADD));
    assert_int_equal(disc->points.size, 3 * SIDES);
    assert_int_equal(disc->colors.size, 3 * SIDES);
    assert_true(disc->colors.data[0].g == 0.0f);  // it has the highest pressure of all
    for (size_t i = 0; i < disc->points.size; i++) {
        const geometry_msgs__msg__Point* p = &disc->points.data[i];
        const double x = p->x - patch.center.x, y = p->y - patch.center.y, z = p->z - patch.center.z;
        const double radius = i % 3 == 0 ? 0.0 : sqrt(patch.area / FIL_PI);
        assert_true(fabs(sqrt(x * x + y * y + z * z) - radius) < 1e-12);
        assert_true(fabs(x * patch.normal.x + y * patch.normal.y + z * patch.normal.z) < 1e-12);
    }
    fil_state_messages_fini(&messages);
    fil_simulation_fini(&ball);
}

/* ---- topics ---- */

static void count_message(void* context, FilTopicId topic, const void* message)
{
    assert_non_null(message);
    ((int*)context)[topic]++;
}

/* Messages of cloth, solids and rings hold the world's own numbers. */
static void states_of_all_kinds_are_published(void** state)
{
    (void)state;
    const FilWorld* world = simulation.world;
    FilStateMessages messages;
    assert_true(fil_state_messages_init(&messages));
    assert_true(fil_state_messages_fit(&messages, &simulation, NULL));
    static const FilKindId kinds[] = {FIL_KIND_SHELL, FIL_KIND_SOLID};
    for (int k = 0; k < 2; k++) {
        fil_fill_states(&messages, &simulation, kinds[k]);
        const filum__msg__MeshStates* states = messages.objects[kinds[k]].states;
        assert_int_equal(states->meshes.size, 1);
        const filum__msg__MeshState* mesh = &states->meshes.data[0];
        const FilShowKind* show = fil_node_kind(kinds[k])->show;
        const FilId id = show->at(world, 0);
        assert_string_equal(mesh->name.data, show->name(world, id));
        assert_int_equal(mesh->positions.size, 3 * show->vertex_count(world, id));
        assert_int_equal(mesh->velocities.size, mesh->positions.size);
        assert_int_equal(mesh->triangles.size, 3 * show->triangle_count(world, id));
        for (int t = 0; t < show->triangle_count(world, id); t++) {
            int corners[3];
            show->triangle(world, id, t, corners);
            for (int c = 0; c < 3; c++) {
                double x[3];
                assert_int_equal(mesh->triangles.data[3 * t + c], corners[c]);
                show->vertex(world, id, corners[c], x);
                assert_memory_equal(mesh->positions.data + 3 * corners[c], x, sizeof x);
            }
        }
    }
    fil_fill_states(&messages, &simulation, FIL_KIND_RING);
    const filum__msg__RingStates* rings = messages.objects[FIL_KIND_RING].states;
    const FilId ring = fil_world_ring_at(world, 0);
    assert_int_equal(rings->rings.size, 1);
    assert_string_equal(rings->rings.data[0].name.data, "hook");
    assert_true(rings->rings.data[0].threaded);
    assert_true(rings->rings.data[0].position.z == fil_ring_position(world, ring).z);
    assert_true(rings->rings.data[0].velocity.z == fil_ring_velocity(world, ring).z);
    assert_true(rings->rings.data[0].travel == fil_ring_travel(world, ring) && rings->rings.data[0].travel > 0.0);
    assert_true(rings->rings.data[0].force == fil_ring_force(world, ring));
    fil_state_messages_fini(&messages);
}

static void kinds_without_objects_are_silent(void** state)
{
    (void)state;
    FilOutputs outputs;
    int sent[FIL_TOPIC_COUNT] = {0};
    assert_true(fil_outputs_init(&outputs));
    assert_true(fil_outputs_update(&outputs, &simulation, true, true, count_message, sent));
    assert_int_equal(sent[FIL_TOPIC_ROD_STATES], 1);
    assert_int_equal(sent[FIL_TOPIC_SHELL_STATES], 1);
    assert_int_equal(sent[FIL_TOPIC_RING_STATES], 1);
    assert_int_equal(sent[FIL_TOPIC_SOLID_STATES], 1);
    assert_int_equal(sent[FIL_TOPIC_ARM_STATES], 0);
    assert_int_equal(sent[FIL_TOPIC_ROBOT_STATES], 0);
    assert_int_equal(sent[FIL_TOPIC_MARKERS], 2);  // the first takes away what others have left
    assert_int_equal(sent[FIL_TOPIC_TF], 1);
    assert_int_equal(sent[FIL_TOPIC_TF_STATIC], 1);
    fil_outputs_fini(&outputs);
}

static void every_topic_has_a_name_of_its_own(void** state)
{
    (void)state;
    const char* names[FIL_TOPIC_COUNT + FIL_COMMAND_COUNT];
    for (int i = 0; i < FIL_TOPIC_COUNT + FIL_COMMAND_COUNT; i++) {
        const FilOutputTopic* topic = i < FIL_TOPIC_COUNT ? fil_output_topic((FilTopicId)i) : fil_commands_topic((FilCommandId)(i - FIL_TOPIC_COUNT));
        names[i] = topic->name;
        assert_non_null(names[i]);
        assert_non_null(topic->type());
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(names[i], names[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_object_is_an_entity),
        cmocka_unit_test(rings_are_seen_but_not_moved),
        cmocka_unit_test(every_object_has_its_markers),
        cmocka_unit_test(arms_are_smooth),
        cmocka_unit_test(patches_are_discs),
        cmocka_unit_test(states_of_all_kinds_are_published),
        cmocka_unit_test(kinds_without_objects_are_silent),
        cmocka_unit_test(every_topic_has_a_name_of_its_own),
        cmocka_unit_test(moved_shells_keep_their_shape),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
