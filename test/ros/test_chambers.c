/* Chamber commands drive what has gas: a solid's cavity and a closed shell, besides arms (test_arm.c). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "commands.h"
#include "filum/msg/chamber_pressures.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "trajectory_msgs/msg/joint_trajectory.h"
#include "trajectory_msgs/msg/joint_trajectory_point.h"

static const char scene[] =
    "world: {dt: 0.01}\n"
    "materials: {m: {young: 3.0e+5, poisson: 0.3, density: 1000}}\n"
    "solids: [{name: finger, material: m, brick: {size: [0.1, 0.02, 0.02], cells: [5, 3, 3], hollows: [{from: [1, 1, 1], to: [4, 2, 2]}]}, gas: "
    "{law: driven}}]\n"
    "shells: [{name: ball, material: m, thickness: 0.001, bubble: {half: [0.1, 0.1, 0.1], divisions: 3, position: [1, 0, 0]}, gas: {law: sealed}}]\n";

/* Commands to a simulation of the scene. */
static FilCommands begin(FilSimulation* simulation)
{
    static const FilTap nobody;
    const FilSceneOptions options = {0};
    FilError error;
    fil_simulation_init(simulation);
    assert_int_equal(fil_simulation_load_text(simulation, "scene", scene, strlen(scene), &options, &error), FIL_OK);
    return (FilCommands){.logger = "test", .simulation = simulation, .tap = &nobody};
}

static void drives_gas(void** state)
{
    (void)state;
    static const char* const names[] = {"finger/chamber_0", "ball/chamber_0", "finger/chamber_1", "finger/chamber_00", "nobody/chamber_0"};
    static const double pressures[] = {2e3, 500.0, 1.0, 1.0, 1.0};
    enum { COUNT = 5 };
    FilSimulation simulation;
    FilCommands commands = begin(&simulation);
    filum__msg__ChamberPressures* message = filum__msg__ChamberPressures__create();
    assert_true(rosidl_runtime_c__String__Sequence__init(&message->chambers, COUNT));
    assert_true(rosidl_runtime_c__double__Sequence__init(&message->pressures, COUNT));
    for (size_t k = 0; k < COUNT; k++) {
        assert_true(rosidl_runtime_c__String__assign(&message->chambers.data[k], names[k]));
        message->pressures.data[k] = pressures[k];
    }
    assert_int_equal(fil_commands_apply(&commands, FIL_COMMAND_CHAMBER, message), 3);
    assert_int_equal(commands.accepted, 2);
    FilWorld* world = simulation.world;
    const FilId ball = fil_world_find_shell(world, "ball");
    const double rest = fil_shell_chamber_volume(world, ball, 0);
    assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    assert_true(fil_solid_chamber_pressure(world, fil_world_find_solid(world, "finger"), 0) == 2e3);
    // isothermal: 500 Pa over the air outside at the volume at rest
    assert_true(fabs(fil_shell_chamber_pressure(world, ball, 0) - (101825.0 * rest / fil_shell_chamber_volume(world, ball, 0) - 101325.0)) < 1e-6);
    filum__msg__ChamberPressures__destroy(message);
    fil_simulation_fini(&simulation);
}

/* a trajectory of two points for each of the chambers */
static trajectory_msgs__msg__JointTrajectory* make_trajectory(const char* first, const char* second, double until, double to)
{
    trajectory_msgs__msg__JointTrajectory* message = trajectory_msgs__msg__JointTrajectory__create();
    test_name_two(&message->joint_names, first, second);
    assert_true(trajectory_msgs__msg__JointTrajectoryPoint__Sequence__init(&message->points, 2));
    for (size_t i = 0; i < 2; i++) {
        trajectory_msgs__msg__JointTrajectoryPoint* point = &message->points.data[i];
        const double time = i == 0 ? 0.1 : until;
        point->time_from_start.sec = (int32_t)floor(time);
        point->time_from_start.nanosec = (uint32_t)lround(1e9 * (time - floor(time)));
        assert_true(rosidl_runtime_c__double__Sequence__init(&point->positions, message->joint_names.size));
        for (size_t k = 0; k < message->joint_names.size; k++) {
            point->positions.data[k] = i == 0 ? 100.0 : to;
        }
    }
    return message;
}

static double run_to(FilCommands* commands, double time)
{
    FilWorld* world = commands->simulation->world;
    while (fil_world_time(world) < time - 1e-9) {
        fil_commands_follow(commands);
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    return fil_solid_chamber_pressure(world, fil_world_find_solid(world, "finger"), 0);
}

static void follows_trajectories(void** state)
{
    (void)state;
    FilSimulation simulation;
    FilCommands commands = begin(&simulation);
    trajectory_msgs__msg__JointTrajectory* message = make_trajectory("finger/chamber_0", NULL, 0.3, 500.0);
    assert_int_equal(fil_commands_apply(&commands, FIL_COMMAND_CHAMBER_TRAJECTORY, message), 0);
    // nothing before the first point, straight to the second, which holds
    assert_true(run_to(&commands, 0.05) == 0.0);
    assert_true(fabs(run_to(&commands, 0.2) - 300.0) < 1e-6);
    assert_true(fabs(run_to(&commands, 0.4) - 500.0) < 1e-6);
    // a command takes over from a trajectory under way, a trajectory without points ends it
    message->header.stamp.nanosec = 400000000;
    assert_int_equal(fil_commands_apply(&commands, FIL_COMMAND_CHAMBER_TRAJECTORY, message), 0);
    run_to(&commands, 0.55);
    filum__msg__ChamberPressures* command = filum__msg__ChamberPressures__create();
    test_name_two(&command->chambers, "finger/chamber_0", NULL);
    assert_true(rosidl_runtime_c__double__Sequence__init(&command->pressures, 1));
    command->pressures.data[0] = 50.0;
    assert_int_equal(fil_commands_apply(&commands, FIL_COMMAND_CHAMBER, command), 0);
    assert_true(run_to(&commands, 0.65) == 50.0);
    message->header.stamp.nanosec = 650000000;
    assert_int_equal(fil_commands_apply(&commands, FIL_COMMAND_CHAMBER_TRAJECTORY, message), 0);
    message->points.size = 0;
    assert_int_equal(fil_commands_apply(&commands, FIL_COMMAND_CHAMBER_TRAJECTORY, message), 0);
    message->points.size = 2;
    assert_true(run_to(&commands, 0.9) == 50.0);
    // what is not there, is named twice, or does not go forward in time
    const uint64_t accepted = commands.accepted;
    const struct {
        const char *first, *second;
        double until;
    } wrong[] = {{"finger/chamber_7", NULL, 0.3}, {"finger/chamber_0", "finger/chamber_0", 0.3}, {"finger/chamber_0", NULL, 0.1}};
    for (size_t k = 0; k < 3; k++) {
        trajectory_msgs__msg__JointTrajectory* bad = make_trajectory(wrong[k].first, wrong[k].second, wrong[k].until, NAN);
        assert_int_equal(fil_commands_apply(&commands, FIL_COMMAND_CHAMBER_TRAJECTORY, bad), 1);
        trajectory_msgs__msg__JointTrajectory__destroy(bad);
    }
    assert_true(commands.accepted == accepted);
    trajectory_msgs__msg__JointTrajectory__destroy(message);
    filum__msg__ChamberPressures__destroy(command);
    fil_commands_forget(&commands);
    fil_simulation_fini(&simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drives_gas), cmocka_unit_test(follows_trajectories)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
