/* Trajectories of robots' joints: points, velocities and efforts as given, a new one over an old one, what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "robot_world.h"

/* Commands of a joint, step by step. */
static void follow(FilWorld* world, FilId robot, int joint, int steps, FilJointCommand* commands)
{
    for (int k = 0; k <= steps; k++) {
        commands[k] = fil_robot_joint_command(world, robot, joint);
        run(world, k < steps ? 1 : 0);
    }
}

static void trajectories_pass_their_points(void** state)
{
    (void)state;
    for (int kind = FIL_INTERPOLATE_LINEAR; kind <= FIL_INTERPOLATE_SPLINE; kind++) {
        FilWorld* world = make_world("none");
        const FilId robot = add(world, ROBOTS "arm6.urdf", NULL);
        const FilTrajectoryDef def = path((FilInterpolation)kind);
        FilJointCommand commands[1001];
        assert_int_equal(fil_robot_set_trajectory(world, robot, &def), FIL_OK);
        assert_true(fabs(fil_robot_trajectory_left(world, robot) - 0.8) < 1e-12);
        follow(world, robot, 3, 1000, commands);
        assert_true(commands[0].position == 0.0 && commands[1000].position == 0.5 && commands[1000].velocity == 0.0);
        assert_true(fil_robot_trajectory_left(world, robot) == 0.0);
        for (int p = 0; p < 4; p++) {
            assert_true(fabs(commands[(int)lround(1e3 * times[p])].position - positions[2 * p + 1]) < 1e-9);
        }
        // the velocity is the slope of the position; a spline's has no jumps, nor has its slope
        for (int k = 1; k < 1000; k++) {
            const double slope = (commands[k + 1].position - commands[k - 1].position) / 2e-3;
            const double bend = (commands[k + 1].velocity - commands[k - 1].velocity) / 2e-3;
            if (kind == FIL_INTERPOLATE_SPLINE) {
                assert_true(k == 800 || fabs(slope - commands[k].velocity) < 2e-3);  // there it stops braking
                assert_true(fabs(bend) < 60.0);                                      // m/s^2 of a smooth path between these points
            }
        }
        if (kind == FIL_INTERPOLATE_LINEAR) {
            assert_true(fabs(commands[450].position - 0.2) < 1e-9 && fabs(commands[450].velocity + 2.0 / 3.0) < 1e-9);
        } else {
            assert_true(commands[0].velocity == 0.0);
            // continuous accelerations: none jumps at a point by more than it changes in two steps beside it
            for (int p = 0; p < 3; p++) {
                const int k = (int)lround(1e3 * times[p]);
                const double before = commands[k - 1].velocity - commands[k - 2].velocity;
                const double after = commands[k + 2].velocity - commands[k + 1].velocity;
                const double beside = commands[k - 11].velocity - commands[k - 12].velocity;
                assert_true(fabs(after - before) < 0.6 * fabs(before - beside) + 3e-3);
            }
        }
        // the joint itself comes behind it
        assert_true(fabs(fil_robot_joint_state(world, robot, 3).position - 0.5) < 0.01);
        fil_world_destroy(world);
    }
}

/* On top of the positions, straight between points; the last one is held, and a command ends it. */
static void given_efforts_are_added(void** state)
{
    (void)state;
    static const double efforts[8] = {0.0, 1.0, 0.0, 3.0, 0.0, -1.0, 0.0, 2.0};
    FilWorld* world = make_world("none");
    const FilId robot = add(world, ROBOTS "arm6.urdf", NULL);
    FilTrajectoryDef def = path(FIL_INTERPOLATE_SPLINE);
    FilJointCommand commands[1001];
    def.efforts = efforts;
    assert_int_equal(fil_robot_set_trajectory(world, robot, &def), FIL_OK);
    follow(world, robot, 3, 1000, commands);
    for (int p = 0; p < 4; p++) {
        const int k = (int)lround(1e3 * times[p]), next = p < 3 ? (int)lround(1e3 * times[p + 1]) : 1000;
        const double after = p < 3 ? efforts[2 * p + 3] : efforts[7];
        assert_true(fabs(commands[k].effort - efforts[2 * p + 1]) < 1e-9);
        assert_true(fabs(commands[(k + next) / 2].effort - 0.5 * (efforts[2 * p + 1] + after)) < 0.02);
    }
    def.efforts = NULL;
    assert_int_equal(fil_robot_set_trajectory(world, robot, &def), FIL_OK);
    assert_true(fil_robot_joint_command(world, robot, 3).effort == 0.0);
    fil_world_destroy(world);
}

static void given_velocities_are_kept(void** state)
{
    (void)state;
    FilWorld* world = make_world("none");
    const FilId robot = add(world, ROBOTS "arm6.urdf", NULL);
    // y = t^3 - t is its own cubic
    static const double t[] = {0.25, 0.5, 1.0};
    double y[3], v[3];
    const int joint = 3;
    for (int k = 0; k < 3; k++) {
        y[k] = t[k] * t[k] * t[k] - t[k];
        v[k] = 3.0 * t[k] * t[k] - 1.0;
    }
    FilTrajectoryDef def = fil_trajectory_def_default();
    def.joints = &joint;
    def.joint_count = 1;
    def.point_count = 3;
    def.times = t;
    def.positions = y;
    def.velocities = v;
    assert_int_equal(fil_robot_set_trajectory(world, robot, &def), FIL_OK);
    FilJointCommand commands[1001];
    follow(world, robot, joint, 1000, commands);
    for (int k = 250; k < 1000; k++) {
        const double s = 1e-3 * k;
        assert_true(fabs(commands[k].position - (s * s * s - s)) < 1e-9);
        assert_true(fabs(commands[k].velocity - (3.0 * s * s - 1.0)) < 1e-8);
    }
    fil_world_destroy(world);
}

/* Beyond its last point joints go on as they came there where more is to come, and stop where not. */
static void an_open_end_keeps_its_velocity(void** state)
{
    (void)state;
    static const double t[] = {0.1, 0.3}, y[] = {0.2, 0.3}, v[] = {0.0, 0.7};
    const int joint = 3;
    for (int kind = FIL_INTERPOLATE_LINEAR; kind <= FIL_INTERPOLATE_SPLINE; kind++) {
        for (int points = 1; points <= 2; points++) {
            for (int open = 0; open < 2; open++) {
                FilWorld* world = make_world("none");
                const FilId robot = add(world, ROBOTS "arm6.urdf", NULL);
                FilTrajectoryDef def = fil_trajectory_def_default();
                def.interpolation = (FilInterpolation)kind;
                def.joints = &joint;
                def.joint_count = 1;
                def.point_count = points;
                def.times = t + 2 - points;
                def.positions = y + 2 - points;
                def.velocities = v + 2 - points;
                def.open = open != 0;
                assert_int_equal(fil_robot_set_trajectory(world, robot, &def), FIL_OK);
                run(world, 300);
                const double rest = 0.3, rate = open == 0 ? 0.0 : kind == FIL_INTERPOLATE_SPLINE ? 0.7 : points == 2 ? 0.5 : 1.0;
                const FilJointCommand at = fil_robot_joint_command(world, robot, joint);
                assert_true(fabs(at.position - rest) < 1e-12 && (fabs(at.velocity - rate) < 1e-12));
                assert_true(fil_robot_trajectory_left(world, robot) < 1e-12);
                run(world, 50);
                const FilJointCommand later = fil_robot_joint_command(world, robot, joint);
                assert_true(fabs(later.position - rest - 0.05 * rate) < 1e-12 && fabs(later.velocity - rate) < 1e-12);
                fil_world_destroy(world);
            }
        }
    }
}

/* A slide of 2 kg along y = t^3 for a second, with the force m a on top, stiffness 1000 N/m and damping 200 N s/m, in one trajectory, or in open ones
 * that are as long as a step each: how far off it is, at most; where it is at the end. */
static double distance_from_path(FilIntegrator integrator, double dt, bool in_parts, double* end)
{
    static const char slide[] =
        "<robot name='r'><link name='base'/><link name='slide'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
        "iyz='0'/></inertial></link>"
        "<joint name='rail' type='prismatic'><parent link='base'/><child link='slide'/><axis xyz='1 0 0'/><limit lower='-9' upper='9' effort='1e4' "
        "velocity='100'/></joint></robot>";
    static const double t[] = {0.0, 0.4, 1.0}, y[] = {0.0, 0.064, 1.0}, v[] = {0.0, 0.48, 3.0}, f[] = {0.0, 4.8, 12.0};
    const int joint = 0;
    FilWorldDef def = fil_world_def_default();
    const FilRobotDef robot_def = fil_robot_def_default();
    FilRobotJointSetting setting = fil_robot_joint_setting_default();
    FilTrajectoryDef way = fil_trajectory_def_default();
    FilWorld* world;
    FilId robot;
    def.integrator = integrator;
    def.dt = dt;
    setting.stiffness_gain = 1000.0;
    setting.damping_gain = 200.0;
    assert_int_equal(fil_world_create(&def, &world, NULL), FIL_OK);
    assert_int_equal(fil_world_add_robot_urdf(world, &robot_def, "slide.urdf", slide, strlen(slide), &setting, 1, &robot), FIL_OK);
    way.joints = &joint, way.joint_count = 1, way.point_count = 3;
    way.times = t, way.positions = y, way.velocities = v, way.efforts = f;
    assert_int_equal(fil_robot_set_trajectory(world, robot, &way), FIL_OK);
    double farthest = 0.0;
    for (int k = 1; k <= (int)lround(0.9 / dt); k++) {
        const double s[] = {fil_world_time(world), fil_world_time(world) + dt}, place[] = {pow(s[0], 3.0), pow(s[1], 3.0)};
        const double rate[] = {3.0 * s[0] * s[0], 3.0 * s[1] * s[1]}, force[] = {12.0 * s[0], 12.0 * s[1]};
        if (in_parts) {
            way.point_count = 2, way.open = true;
            way.times = s, way.positions = place, way.velocities = rate, way.efforts = force;
            assert_int_equal(fil_robot_set_trajectory(world, robot, &way), FIL_OK);
        }
        run(world, 1);
        const double time = k * dt, off = fabs(fil_robot_joint_state(world, robot, 0).position - time * time * time);
        farthest = off > farthest ? off : farthest;
    }
    *end = fil_robot_joint_state(world, robot, 0).position;
    fil_world_destroy(world);
    return farthest;
}

/* With its force given a joint is on its path but for what vanishes with the square of the step, and not c dt a / 2 k behind (1.1 mm at 2 ms). */
static void joints_do_not_lag(void** state)
{
    (void)state;
    static const FilIntegrator rules[] = {FIL_BACKWARD_EULER, FIL_SYMPLECTIC_EULER, FIL_MIDPOINT};
    for (int i = 0; i < 3; i++) {
        double whole, parts;
        const double coarse = distance_from_path(rules[i], 0.002, false, &whole), fine = distance_from_path(rules[i], 0.001, false, &parts);
        if (!(coarse < 2e-5 && fine < 0.3 * coarse)) {
            fail_msg("rule %d: off by %g m, at half the step by %g m", (int)rules[i], coarse, fine);
        }
        // nor where each step gets its points just before it
        distance_from_path(rules[i], 0.002, true, &parts);
        if (!(fabs(parts - whole) < 1e-12)) {
            fail_msg("rule %d: in parts it ends %g m from where it ends in one", (int)rules[i], parts - whole);
        }
    }
}

static void a_new_trajectory_goes_on_from_the_old_one(void** state)
{
    (void)state;
    FilWorld* world = make_world("none");
    const FilId robot = add(world, ROBOTS "arm6.urdf", NULL);
    FilTrajectoryDef def = path(FIL_INTERPOLATE_SPLINE);
    assert_int_equal(fil_robot_set_trajectory(world, robot, &def), FIL_OK);
    run(world, 450);
    const FilJointCommand before[] = {fil_robot_joint_command(world, robot, 0), fil_robot_joint_command(world, robot, 3)};
    assert_true(fabs(before[1].velocity) > 0.1);
    // one joint only: it keeps its speed, the other holds
    def.joint_count = 1;
    def.joints = joints + 1;
    def.start = 0.5;
    assert_int_equal(fil_robot_set_trajectory(world, robot, &def), FIL_OK);
    const FilJointCommand after[] = {fil_robot_joint_command(world, robot, 0), fil_robot_joint_command(world, robot, 3)};
    assert_true(after[0].position == before[0].position && after[0].velocity == 0.0);
    assert_true(fabs(after[1].position - before[1].position) < 1e-12 && fabs(after[1].velocity - before[1].velocity) < 1e-9);
    run(world, 1000);
    assert_true(fil_robot_joint_command(world, robot, 0).position == before[0].position);
    assert_true(fil_robot_joint_command(world, robot, 3).position == positions[3]);  // points are read one a joint now
    // a command ends it for its joint
    send(world, robot, 3, FIL_JOINT_POSITION, -0.3);
    assert_true(fil_robot_joint_command(world, robot, 3).position == -0.3);
    fil_world_destroy(world);
}

/* Of a long one that a short one took the place of nothing is left in any of the world's states: one that never knew it goes on with the same bits.
 */
static void a_shorter_trajectory_leaves_nothing_of_a_longer_one(void** state)
{
    (void)state;
    FilWorld *world = make_world("none"), *other = make_world("none");
    const FilId robot = add(world, ROBOTS "arm6.urdf", NULL);
    add(other, ROBOTS "arm6.urdf", NULL);
    const FilTrajectoryDef longer = path(FIL_INTERPOLATE_SPLINE);
    FilTrajectoryDef shorter = longer;
    shorter.point_count = 1;
    assert_int_equal(fil_robot_set_trajectory(world, robot, &longer), FIL_OK);
    run(world, 3);
    shorter.start = fil_world_time(world);
    assert_int_equal(fil_robot_set_trajectory(world, robot, &shorter), FIL_OK);
    void* snapshot = malloc(fil_world_snapshot_size(world));
    assert_non_null(snapshot);
    fil_world_save(world, snapshot);
    assert_int_equal(fil_world_restore(other, snapshot, fil_world_snapshot_size(world)), FIL_OK);
    for (int k = 0; k < 3; k++) {
        run(world, 1);
        run(other, 1);
        assert_true(fil_world_hash(world) == fil_world_hash(other));
    }
    free(snapshot);
    fil_world_destroy(world);
    fil_world_destroy(other);
}

static void wrong_trajectories_are_refused(void** state)
{
    (void)state;
    FilWorld* world = make_world("none");
    FilRobotDef robot_def = fil_robot_def_default();
    robot_def.trajectory_points = 4;
    const FilId robot = add(world, ROBOTS "gripper.urdf", &robot_def);
    const uint64_t hash = fil_world_hash(world);
    FilTrajectoryDef def = path(FIL_INTERPOLATE_LINEAR);
    expect_refusal(world, fil_robot_set_trajectory(world, robot, &def), "there is no joint 3");
    static const int mirror[] = {0, 2};
    def.joints = mirror;
    expect_refusal(world, fil_robot_set_trajectory(world, robot, &def), "'mirror' takes no positions");
    static const int twice[] = {1, 1};
    def.joints = twice;
    expect_refusal(world, fil_robot_set_trajectory(world, robot, &def), "is named twice");
    static const int fine[] = {0, 1};
    def.joints = fine;
    def.point_count = 5;
    expect_refusal(world, fil_robot_set_trajectory(world, robot, &def), "1 to 4 points, not 5");
    def.point_count = 4;
    static const double back[] = {0.1, 0.3, 0.3, 0.8};
    def.times = back;
    expect_refusal(world, fil_robot_set_trajectory(world, robot, &def), "times must increase, but 0.3 follows 0.3");
    static const double broken[] = {0.1, NAN, 0.3, 0.8};
    def.times = broken;
    expect_refusal(world, fil_robot_set_trajectory(world, robot, &def), "not finite");
    assert_true(fil_world_hash(world) == hash);
    def.times = times;
    def.joints = NULL;  // those that take positions, two
    assert_int_equal(fil_robot_set_trajectory(world, robot, &def), FIL_OK);
    fil_world_destroy(world);
}

/* A bar of 1 kg and 1 m: I a + m g l/2 sin(q), and I a alone where gravity is left out. */
static void inverse_dynamics_are_those_of_a_pendulum(void** state)
{
    (void)state;
    FilWorld* world = make_world("none");
    const FilId robot = add(world, ROBOTS "pendulum.urdf", NULL);
    const double position = 0.7, velocity = 3.0, acceleration = -2.0, inertia = 0.0833333 + 0.25, g = -fil_world_gravity(world).z;
    const uint64_t hash = fil_world_hash(world);
    double effort = NAN;
    assert_int_equal(fil_robot_inverse_dynamics(world, robot, &position, &velocity, &acceleration, true, &effort), FIL_OK);
    assert_true(fabs(effort - (inertia * acceleration + 0.5 * g * sin(position))) < 1e-12);
    assert_int_equal(fil_robot_inverse_dynamics(world, robot, &position, NULL, &acceleration, false, &effort), FIL_OK);
    assert_true(fabs(effort - inertia * acceleration) < 1e-12);
    assert_true(fil_world_hash(world) == hash);
    const double wrong = NAN;
    expect_refusal(world, fil_robot_inverse_dynamics(world, robot, &wrong, NULL, NULL, true, &effort), "finite numbers");
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trajectories_pass_their_points),
        cmocka_unit_test(given_efforts_are_added),
        cmocka_unit_test(given_velocities_are_kept),
        cmocka_unit_test(an_open_end_keeps_its_velocity),
        cmocka_unit_test(joints_do_not_lag),
        cmocka_unit_test(a_new_trajectory_goes_on_from_the_old_one),
        cmocka_unit_test(a_shorter_trajectory_leaves_nothing_of_a_longer_one),
        cmocka_unit_test(wrong_trajectories_are_refused),
        cmocka_unit_test(inverse_dynamics_are_those_of_a_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
