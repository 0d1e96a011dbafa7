/* Wrenches on bodies: what they do to a rigid body and a rod, for how long, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "commands.h"
#include "filum/msg/body_wrench.h"
#include "rosidl_runtime_c/string_functions.h"

static const char scene[] =
    "world: {gravity: [0, 0, 0], dt: 0.01}\n"
    "materials: {m: {young: 1e6, poisson: 0.5, density: 1000}}\n"
    "rigid_bodies:\n"
    "  - {name: cube, material: m, rotation: [0, 0, 1.5707963267948966], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n"
    "  - {name: wall, motion: static, material: m, position: [5, 0, 0], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n"
    "rods: [{name: cable, material: m, section: {circle: {radius: 0.01}}, shape: {straight: {from: [0, 1, 0], to: [1, 1, 0], nodes: 5}}}]\n"
    "robots: [{name: swing, urdf: " FILUM_SOURCE_DIR "/config/robots/pendulum.urdf}]\n";

static FilSimulation simulation;
static FilCommands commands;

static int set_up(void** state)
{
    static const FilTap nobody = {0};
    FilError error;
    (void)state;
    commands = (FilCommands){.logger = "test", .simulation = &simulation, .tap = &nobody};
    fil_simulation_init(&simulation);
    return fil_simulation_load_text(&simulation, "scene", scene, strlen(scene), NULL, &error) == FIL_OK ? 0 : -1;
}

static int tear_down(void** state)
{
    (void)state;
    fil_commands_forget(&commands);
    fil_simulation_fini(&simulation);
    return 0;
}

typedef struct Push {
    const char* body;
    FilVec3 force, torque, point;
    bool in_body;
    double duration;
} Push;

static int push(Push what)
{
    filum__msg__BodyWrench* message = filum__msg__BodyWrench__create();
    rosidl_runtime_c__String__assign(&message->body, what.body);
    message->wrench.force = (geometry_msgs__msg__Vector3){what.force.x, what.force.y, what.force.z};
    message->wrench.torque = (geometry_msgs__msg__Vector3){what.torque.x, what.torque.y, what.torque.z};
    message->point = (geometry_msgs__msg__Point){what.point.x, what.point.y, what.point.z};
    message->in_body = what.in_body;
    message->duration = what.duration;
    const int refused = fil_commands_apply(&commands, FIL_COMMAND_WRENCH, message);
    filum__msg__BodyWrench__destroy(message);
    return refused;
}

static void run(int steps)
{
    for (int i = 0; i < steps; i++) {
        fil_commands_follow(&commands);
        assert_int_equal(fil_world_step(simulation.world, NULL), FIL_OK);
    }
}

static void get_motion(FilVec3* velocity, FilVec3* angular)
{
    fil_rigid_get_velocity(simulation.world, fil_world_find_rigid(simulation.world, "cube"), velocity, angular);
}

/* 1 kg; 0.2 s of 2 N make 0.4 m/s, then nothing more */
static void pushes_for_a_while(void** state)
{
    (void)state;
    FilVec3 v, w;
    assert_int_equal(push((Push){.body = "cube", .force = {2.0, 0.0, 0.0}, .duration = 0.2}), 0);
    run(10);
    get_motion(&v, &w);
    assert_true(fabs(v.x - 0.2) < 1e-9 && fabs(w.z) < 1e-9);
    run(30);
    get_motion(&v, &w);
    assert_true(fabs(v.x - 0.4) < 1e-9);
    // a reset ends what acts, and the next wrench begins anew
    assert_int_equal(push((Push){.body = "cube", .force = {2.0, 0.0, 0.0}, .duration = -1.0}), 0);
    assert_int_equal(fil_simulation_reset(&simulation), FIL_OK);
    run(10);
    get_motion(&v, &w);
    assert_true(fabs(v.x) < 1e-12);
    assert_int_equal(push((Push){.body = "cube", .torque = {0.0, 0.0, 1e-3}, .duration = -1.0}), 0);
    run(30);
    // m a^2 / 6
    get_motion(&v, &w);
    assert_true(fabs(w.z - 1e-3 * 0.3 / (1e-2 / 6.0)) < 1e-6 * fabs(w.z));
    assert_int_equal(push((Push){.body = "cube"}), 0);
    const double last = w.z;
    run(10);
    get_motion(&v, &w);
    assert_true(fabs(w.z - last) < 1e-9);
}

/* turned by 90 degrees about z its own x is the world's y; a force beside the centre turns it */
static void pushes_along_its_own_axes(void** state)
{
    (void)state;
    FilVec3 v, w;
    assert_int_equal(push((Push){.body = "cube", .force = {1.0, 0.0, 0.0}, .in_body = true, .duration = 0.01}), 0);
    run(1);
    get_motion(&v, &w);
    assert_true(fabs(v.y - 0.01) < 1e-9 && fabs(v.x) < 1e-9);
    // point (0, -0.05, 0) of the body is (0.05, 0, 0) of the world: a force along y there turns it about z
    assert_int_equal(push((Push){.body = "cube", .force = {0.0, 1.0, 0.0}, .point = {0.0, -0.05, 0.0}, .duration = 0.01}), 0);
    run(1);
    get_motion(&v, &w);
    assert_true(fabs(w.z - 0.05 * 0.01 / (1e-2 / 6.0)) < 1e-3 * fabs(w.z) && w.z > 0.0);
}

static void pushes_links_and_nodes(void** state)
{
    (void)state;
    FilWorld* world = simulation.world;
    const FilId robot = fil_world_robot_at(world, 0);
    const int last = fil_robot_link_count(world, robot) - 1;
    const double before = fil_robot_joint_state(world, robot, 0).position;
    assert_int_equal(push((Push){.body = "cable/node_2", .force = {0.0, 0.0, 1.0}, .duration = 0.05}), 0);
    run(5);
    assert_true(fabs(fil_world_momentum(world).z - 0.05) < 1e-6);  // Newton's tolerance; nothing else moves
    assert_true(fil_robot_joint_state(world, robot, 0).position == before);
    assert_int_equal(push((Push){.body = fil_robot_link_name(world, robot, last), .torque = {1.0, 1.0, 1.0}, .duration = 0.1}), 0);
    run(5);
    assert_true(fabs(fil_robot_joint_state(world, robot, 0).position - before) > 1e-6);
}

static void refuses_what_makes_no_sense(void** state)
{
    (void)state;
    assert_int_equal(push((Push){.body = "nobody", .duration = 1.0}), 1);
    assert_int_equal(push((Push){.body = "cable/node_5", .duration = 1.0}), 1);
    assert_int_equal(push((Push){.body = "cable/node_", .duration = 1.0}), 1);
    assert_int_equal(push((Push){.body = "cable/node_1", .torque = {1.0, 0.0, 0.0}, .duration = 1.0}), 1);
    assert_int_equal(push((Push){.body = "cube", .force = {NAN, 0.0, 0.0}, .duration = 1.0}), 1);
    assert_int_equal(push((Push){.body = "cube", .duration = NAN}), 1);
    run(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pushes_for_a_while, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pushes_along_its_own_axes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pushes_links_and_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_what_makes_no_sense, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
