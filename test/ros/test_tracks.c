/* Trajectories that are longer than a robot has room for, with accelerations and efforts; what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "commands.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "trajectory_msgs/msg/joint_trajectory.h"
#include "trajectory_msgs/msg/joint_trajectory_point.h"

typedef trajectory_msgs__msg__JointTrajectory Trajectory;

typedef struct Bench {
    FilSimulation simulation;
    FilTap tap;
    FilCommands commands;
    FilId robot;
    int lift;
} Bench;

static void make_bench(Bench* bench, int room)
{
    char text[TEST_SCENE_TEXT];
    const FilSceneOptions options = {.contact_model = "none"};
    FilError error;
    test_scene_grippers(room, text);
    *bench = (Bench){.lift = -1};
    bench->commands = (FilCommands){.logger = "test", .simulation = &bench->simulation, .tap = &bench->tap};
    fil_simulation_init(&bench->simulation);
    if (fil_simulation_load_text(&bench->simulation, "t.yaml", text, strlen(text), &options, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    bench->robot = fil_world_find_robot(bench->simulation.world, "left");
    bench->lift = fil_robot_find_joint(bench->simulation.world, bench->robot, "left_lift");
}

static void end_bench(Bench* bench)
{
    fil_commands_forget(&bench->commands);
    fil_simulation_fini(&bench->simulation);
}

static void step(Bench* bench)
{
    fil_commands_follow(&bench->commands);
    assert_int_equal(fil_world_step(bench->simulation.world, NULL), FIL_OK);
}

enum { VELOCITIES = 1, ACCELERATIONS = 2, EFFORTS = 4 };

/* lift and grip along sines, by many points, not all at equal distances */
static Trajectory* new_sines(int points, double seconds, int kinds)
{
    Trajectory* message = trajectory_msgs__msg__JointTrajectory__create();
    test_name_two(&message->joint_names, "left_lift", "left_grip");
    trajectory_msgs__msg__JointTrajectoryPoint__Sequence__init(&message->points, (size_t)points);
    for (int i = 0; i < points; i++) {
        trajectory_msgs__msg__JointTrajectoryPoint* point = &message->points.data[i];
        const double time = seconds * (i + 0.3 * (i % 3)) / points, w = 5.0;
        point->time_from_start.sec = (int32_t)time;
        point->time_from_start.nanosec = (uint32_t)(1e9 * (time - (int32_t)time));
        rosidl_runtime_c__double__Sequence* const arrays[] = {&point->positions, &point->velocities, &point->accelerations, &point->effort};
        const double first[] = {0.1 * sin(w * time), 0.1 * w * cos(w * time), -0.1 * w * w * sin(w * time), cos(time)};
        const double second[] = {0.06 + 0.01 * cos(w * time), -0.01 * w * sin(w * time), -0.01 * w * w * cos(w * time), 0.0};
        for (int k = 0; k < 4; k++) {
            if (k == 0 || (kinds & (1 << (k - 1))) != 0) {
                rosidl_runtime_c__double__Sequence__init(arrays[k], 2);
                arrays[k]->data[0] = first[k];
                arrays[k]->data[1] = second[k];
            }
        }
    }
    return message;
}

/* A robot with room for few points moves exactly as one that has room for all. */
static void long_trajectories_are_followed_whole(void** state)
{
    (void)state;
    static const struct {
        int points, room, kinds;
    } cases[] = {{1000, 4, 0},
                 {1000, 128, VELOCITIES},
                 {1000, 2, VELOCITIES | EFFORTS},
                 {40, 65, VELOCITIES | ACCELERATIONS | EFFORTS},
                 {5000, 7, VELOCITIES}}; /* the last: fifty points in three steps, more than there is room for */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Bench few, all;
        make_bench(&few, cases[c].room);
        make_bench(&all, 6000);
        const double seconds = cases[c].points > 4000 ? 0.6 : 1.5;
        Trajectory* message = new_sines(cases[c].points, seconds, cases[c].kinds);
        assert_int_equal(fil_commands_apply(&few.commands, FIL_COMMAND_TRAJECTORY, message), 0);
        assert_int_equal(fil_commands_apply(&all.commands, FIL_COMMAND_TRAJECTORY, message), 0);
        for (int k = 0; k < 800; k++) {
            step(&few);
            step(&all);
            for (int j = 0; j < 2; j++) {
                const FilJointState a = fil_robot_joint_state(few.simulation.world, few.robot, j),
                                    b = fil_robot_joint_state(all.simulation.world, all.robot, j);
                // parts of one trajectory differ from the whole by rounding at most, where they begin between two points
                if (fabs(a.position - b.position) > 1e-12 || fabs(a.effort - b.effort) > 1e-7) {
                    fail_msg("case %zu, joint %d at %g s: %.17g %.17g, %.17g %.17g", c, j, 0.002 * k, a.position, b.position, a.effort, b.effort);
                }
            }
        }
        const trajectory_msgs__msg__JointTrajectoryPoint* last = &message->points.data[message->points.size - 1];
        const FilJointCommand end = fil_robot_joint_command(few.simulation.world, few.robot, few.lift);
        assert_true(end.position == last->positions.data[0]);
        trajectory_msgs__msg__JointTrajectory__destroy(message);
        end_bench(&few);
        end_bench(&all);
    }
}

/* The motion between points is the quintic, and the effort on top is that of the mass that moves: 0.7 kg of palm and fingers. */
static void accelerations_are_fed_forward(void** state)
{
    (void)state;
    static double lag[2][700];
    for (int with = 0; with < 2; with++) {
        Bench bench;
        make_bench(&bench, 128);
        assert_int_equal(fil_world_set_gravity(bench.simulation.world, (FilVec3){0.0, 0.0, 0.0}), FIL_OK);
        Trajectory* message = new_sines(40, 1.5, with != 0 ? VELOCITIES | ACCELERATIONS : VELOCITIES);
        message->points.data[0].time_from_start.nanosec = 0;
        assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_TRAJECTORY, message), 0);
        for (int k = 0; k < 700; k++) {
            step(&bench);
            const double time = fil_world_time(bench.simulation.world);
            const FilJointCommand command = fil_robot_joint_command(bench.simulation.world, bench.robot, bench.lift);
            const FilJointState actual = fil_robot_joint_state(bench.simulation.world, bench.robot, bench.lift);
            assert_true(fabs(command.position - 0.1 * sin(5.0 * time)) < 1e-6);
            if (with != 0) {  // straight between sixteen parts of 37 ms
                assert_true(fabs(command.effort + 0.7 * 2.5 * sin(5.0 * time)) < 2e-4);
            }
            lag[with][k] = command.position - actual.position;
        }
        trajectory_msgs__msg__JointTrajectory__destroy(message);
        end_bench(&bench);
    }
    // m e'' + c e' + k e = m a without them, 0 with them: their part is m a / |k - m w^2 + i c w| at its highest
    double part = 0.0;
    for (int k = 300; k < 700; k++) {
        part = fmax(part, fabs(lag[0][k] - lag[1][k]));
    }
    assert_true(fabs(part / (0.7 * 2.5 / hypot(5000.0 - 0.7 * 25.0, 500.0 * 5.0)) - 1.0) < 0.01);
}

static void a_command_takes_a_joint_out_of_its_trajectory(void** state)
{
    (void)state;
    Bench bench;
    make_bench(&bench, 8);
    const FilWorld* world = bench.simulation.world;
    step(&bench);  // what comes before the first step belongs to the state that a reset goes back to
    Trajectory* message = new_sines(1000, 1.5, VELOCITIES);
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_TRAJECTORY, message), 0);
    for (int k = 0; k < 200; k++) {
        step(&bench);
    }
    const FilJointCommand hold = {.mode = FIL_JOINT_POSITION, .position = 0.02};
    assert_int_equal(fil_robot_set_joint_command(bench.simulation.world, bench.robot, bench.lift, &hold), FIL_OK);
    for (int k = 0; k < 400; k++) {
        step(&bench);
    }
    assert_true(fil_robot_joint_command(world, bench.robot, bench.lift).position == 0.02);
    const int grip = fil_robot_find_joint(world, bench.robot, "left_grip");
    assert_true(fil_robot_joint_follows(world, bench.robot, grip) && !fil_robot_joint_follows(world, bench.robot, bench.lift));
    assert_true(fabs(fil_robot_joint_command(world, bench.robot, grip).position - 0.06 - 0.01 * cos(5.0 * (fil_world_time(world) - 0.002))) < 1e-6);
    // a reset ends what is left
    assert_int_equal(fil_simulation_reset(&bench.simulation), FIL_OK);
    for (int k = 0; k < 20; k++) {
        step(&bench);
    }
    assert_true(fil_robot_joint_command(world, bench.robot, grip).position == 0.045);
    trajectory_msgs__msg__JointTrajectory__destroy(message);
    end_bench(&bench);
}

static void expect_refused(Bench* bench, Trajectory* message)
{
    const uint64_t hash = fil_world_hash(bench->simulation.world);
    assert_int_equal(fil_commands_apply(&bench->commands, FIL_COMMAND_TRAJECTORY, message), 1);
    assert_true(fil_world_hash(bench->simulation.world) == hash);
    trajectory_msgs__msg__JointTrajectory__destroy(message);
}

static void wrong_trajectories_are_refused(void** state)
{
    (void)state;
    Bench bench;
    make_bench(&bench, 8);
    Trajectory* message = new_sines(20, 1.0, VELOCITIES);
    rosidl_runtime_c__String__assign(&message->joint_names.data[1], "left_lift");  // named twice
    expect_refused(&bench, message);
    message = new_sines(20, 1.0, VELOCITIES);
    rosidl_runtime_c__String__assign(&message->joint_names.data[1], "left_mirror");  // follows another
    expect_refused(&bench, message);
    message = new_sines(20, 1.0, VELOCITIES);
    message->points.data[0].time_from_start.sec = -1;
    expect_refused(&bench, message);
    message = new_sines(20, 1.0, VELOCITIES);
    message->points.data[12].time_from_start = message->points.data[11].time_from_start;  // behind what there is room for
    expect_refused(&bench, message);
    message = new_sines(20, 1.0, ACCELERATIONS);  // without velocities
    expect_refused(&bench, message);
    message = new_sines(20, 1.0, VELOCITIES | EFFORTS);
    message->points.data[7].effort.size = 1;
    expect_refused(&bench, message);
    message = new_sines(20, 1.0, VELOCITIES | ACCELERATIONS);
    message->points.data[7].accelerations.data[1] = NAN;
    expect_refused(&bench, message);
    end_bench(&bench);
    make_bench(&bench, 0);  // a robot without room takes none
    expect_refused(&bench, new_sines(20, 1.0, VELOCITIES));
    end_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_trajectories_are_followed_whole),
        cmocka_unit_test(accelerations_are_fed_forward),
        cmocka_unit_test(a_command_takes_a_joint_out_of_its_trajectory),
        cmocka_unit_test(wrong_trajectories_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
