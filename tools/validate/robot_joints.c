/* What holds and drives joints, against statics and simple motion: gains, effort bounds, limits, dry friction. */
#include <math.h>
#include <stdio.h>

#include "validate/robot.h"

static const double GRAVITY = 9.81, DT = 1e-3;
static const double INERTIA = 0.0833333 + 0.25; /* kg m^2, of the bar about its pivot, by its URDF */

static FilRobotJointSetting swing(double position)
{
    FilRobotJointSetting setting = fil_robot_joint_setting_default();
    setting.start_position = position;
    return setting;
}

static void command(FilSandbox* box, FilId robot, FilJointCommand value)
{
    if (!box->failed) {
        fil_sandbox_expect(box, fil_robot_set_joint_command(box->world, robot, 0, &value), "commanding");
    }
}

static FilJointState state_of(const FilSandbox* box, FilId robot)
{
    return box->failed ? (FilJointState){0} : fil_robot_joint_state(box->world, robot, 0);
}

/* The pendulum without gravity. */
static FilId weightless(FilCheck* check, const FilRobotJointSetting* setting, FilSandbox* box)
{
    const FilRobotDef def = fil_robot_def_default();
    *box = fil_sandbox_begin(check, "none", DT);
    fil_sandbox_set_gravity(box, 0.0, 0.0, 0.0);
    return fil_sandbox_add_robot(box, "pendulum", &def, setting, 1);
}

/* ---- gains ---- */

/* A bar held level sags until k (target - q) = m g l/2 cos(q); q counts from straight down. */
void fil_check_joint_gains(FilCheck* check)
{
    static const double gains[] = {100.0, 1e4, 1e6};
    for (int k = 0; k < 3; k++) {
        const double target = 0.5 * M_PI;
        FilSandbox box = fil_sandbox_begin(check, "none", DT);
        const FilRobotDef def = fil_robot_def_default();
        FilRobotJointSetting setting = swing(target);
        setting.stiffness_gain = gains[k];
        setting.damping_gain = 2.0 * sqrt(gains[k] * INERTIA);
        const FilId robot = fil_sandbox_add_robot(&box, "pendulum", &def, &setting, 1);
        command(&box, robot, (FilJointCommand){.mode = FIL_JOINT_POSITION, .position = target});
        fil_sandbox_run(&box, 4000);
        double sag = 0.0;  // what theory gives
        for (int i = 0; i < 100; i++) {
            sag = 0.5 * GRAVITY * sin(target + sag) / gains[k] * -1.0;
        }
        char what[64];
        snprintf(what, sizeof what, "sag at %g N m/rad (rad)", gains[k]);
        if (!box.failed) {
            const FilJointState now = state_of(&box, robot);
            fil_check_near(check, what, now.position - target, sag, 1e-5);
            fil_check_near(check, "effort (N m)", now.effort, 0.5 * GRAVITY * sin(now.position), 1e-6);
        }
        fil_sandbox_end(&box);
    }
}

/* ---- efforts ---- */

void fil_check_joint_effort(FilCheck* check)
{
    const double bound = 2.0;
    FilRobotJointSetting setting = swing(0.0);
    setting.max_effort = bound;
    FilSandbox box;
    const FilId robot = weightless(check, &setting, &box);
    // a target far away: all that the motor has
    command(&box, robot, (FilJointCommand){.mode = FIL_JOINT_POSITION, .position = 100.0});
    fil_sandbox_run(&box, 100);
    if (!box.failed) {
        fil_check_near(check, "effort of a position far away (N m)", state_of(&box, robot).effort, bound, 1e-12);
        fil_check_near(check, "speed after 0.1 s (rad/s)", state_of(&box, robot).velocity, bound / INERTIA * 0.1, 1e-9);
    }
    command(&box, robot, (FilJointCommand){.mode = FIL_JOINT_EFFORT, .effort = -50.0});
    fil_sandbox_run(&box, 100);
    if (!box.failed) {
        fil_check_near(check, "effort asked for beyond it (N m)", state_of(&box, robot).effort, -bound, 1e-12);
        fil_check_below(check, "speed after the same time back (rad/s)", fabs(state_of(&box, robot).velocity), 1e-9);
    }
    // a velocity, reached with 1 N m of feed-forward effort against it and all of the rest
    command(&box, robot, (FilJointCommand){.mode = FIL_JOINT_VELOCITY, .velocity = 3.0, .effort = -1.0});
    fil_sandbox_run(&box, 100);
    if (!box.failed) {
        fil_check_near(check, "speed on the way to 3 rad/s (rad/s)", state_of(&box, robot).velocity, bound / INERTIA * 0.1, 1e-9);
    }
    fil_sandbox_end(&box);
}

/* ---- limits ---- */

/* A finger of the gripper that its motor presses against its limit, without gravity. */
void fil_check_joint_limits(FilCheck* check)
{
    static const double stiffness[] = {1e3, 1e5, INFINITY};
    const double force = 8.0, mass = 0.2;  // one motor, two fingers
    for (int k = 0; k < 3; k++) {
        FilSandbox box = fil_sandbox_begin(check, "none", DT);
        fil_sandbox_set_gravity(&box, 0.0, 0.0, 0.0);
        const FilRobotDef def = fil_robot_def_default();
        FilRobotJointSetting grip = fil_robot_joint_setting_default(), mirror = grip;
        grip.joint = "grip";
        grip.start_position = 0.05;
        grip.limit_stiffness = stiffness[k];
        grip.limit_damping = isinf(stiffness[k]) ? 0.0 : 2.0 * sqrt(stiffness[k] * mass);
        mirror.joint = "mirror";
        mirror.limit_stiffness = 1e-6;  // the other finger's own limit bears nothing
        const FilRobotJointSetting settings[] = {grip, mirror};
        const FilId robot = fil_sandbox_add_robot(&box, "gripper", &def, settings, 2);
        const int joint = box.failed ? 0 : fil_robot_find_joint(box.world, robot, "grip");
        const FilJointCommand press = {.mode = FIL_JOINT_EFFORT, .effort = force};
        if (!box.failed) {
            fil_sandbox_expect(&box, fil_robot_set_joint_command(box.world, robot, joint, &press), "pressing");
        }
        fil_sandbox_run(&box, 2000);
        if (!box.failed) {
            const int other = fil_robot_find_joint(box.world, robot, "mirror");
            const double place = fil_robot_joint_state(box.world, robot, joint).position, depth = place - 0.08;
            const double apart = fabs(place - fil_robot_joint_state(box.world, robot, other).position);
            char what[64];
            snprintf(what, sizeof what, "depth in a limit of %g N/m (m)", stiffness[k]);
            if (isinf(stiffness[k])) {
                // docs/sap.md: a rigid constraint gives way by dt^2 w f / (4 pi^2), w of one finger at the most
                fil_check_below(check, "depth in a rigid limit (m)", depth, 1.01 * DT * DT * force / (0.5 * mass) / (4.0 * M_PI * M_PI));
            } else {
                fil_check_near(check, what, depth, force / stiffness[k], 1e-5);
            }
            fil_check_below(check, "between the coupled fingers (m)", apart, 1e-9);
        }
        fil_sandbox_end(&box);
    }
}

/* ---- dry friction ---- */

void fil_check_joint_friction(FilCheck* check)
{
    const double friction = 1.5;
    FilRobotJointSetting setting = swing(0.0);
    setting.friction = friction;
    FilSandbox box;
    const FilId robot = weightless(check, &setting, &box);
    command(&box, robot, (FilJointCommand){.mode = FIL_JOINT_EFFORT, .effort = 0.99 * friction});
    fil_sandbox_run(&box, 1000);
    if (!box.failed) {
        // docs/arms.md: a joint at rest creeps by 1e-4 of what the load would give it in a step
        fil_check_below(check, "creep below the friction (rad/s)", state_of(&box, robot).velocity, 1.01e-4 * DT * friction / INERTIA);
    }
    command(&box, robot, (FilJointCommand){.mode = FIL_JOINT_EFFORT, .effort = 1.2 * friction});
    const double before = state_of(&box, robot).velocity;
    fil_sandbox_run(&box, 500);
    if (!box.failed) {
        fil_check_near(check, "acceleration above it (rad/s^2)", (state_of(&box, robot).velocity - before) / 0.5, 0.2 * friction / INERTIA, 1e-4);
    }
    fil_sandbox_end(&box);
}
