/* Robots that move by themselves: pendulums against theory, a free robot's momenta. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "validate/robot.h"

static const double GRAVITY = 9.81;

FilId fil_sandbox_add_robot(FilSandbox* box, const char* urdf, const FilRobotDef* def, const FilRobotJointSetting* settings, int count)
{
    char path[4200];
    FilError error;
    FilId id = {0};
    if (box->failed || !fil_sandbox_expect(box, fil_scene_find("pendulums", path, 4000, &error) ? FIL_OK : FIL_IO, "finding the scenes")) {
        return id;
    }
    char* folder = strrchr(path, '/');  // robots lie beside the scenes
    snprintf(folder != NULL ? folder + 1 : path, 200, "../robots/%s.urdf", urdf);
    fil_sandbox_expect(box, fil_world_add_robot_urdf(box->world, def, path, NULL, 0, settings, count, &id), urdf);
    return id;
}

static FilSandbox begin_midpoint(FilCheck* check, double dt)
{
    FilWorldDef def = fil_world_def_default();
    def.integrator = FIL_MIDPOINT;
    def.dt = dt;
    return fil_sandbox_begin_with(check, &def);
}

static FilRobotJointSetting start_at(const char* joint, double position)
{
    FilRobotJointSetting setting = fil_robot_joint_setting_default();
    setting.joint = joint;
    setting.start_position = position;
    return setting;
}

/* ---- one bar ---- */

/* Period of a bar of 1 m hung by its end: 2 pi / (w agm(1, cos(a/2))) with w^2 = 3 g / (2 l) for the amplitude a; the
 * URDF's bar is 4e-4 of that thick. */
static double bar_period(double amplitude)
{
    double a = 1.0, b = cos(0.5 * amplitude);
    for (int k = 0; k < 20; k++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * M_PI / (sqrt(1.5 * GRAVITY) * a);
}

void fil_check_pendulum_period(FilCheck* check)
{
    static const double amplitudes[] = {0.05, 1.0, 2.5};
    for (int k = 0; k < 3; k++) {
        FilSandbox box = begin_midpoint(check, 1e-3);
        const FilRobotDef def = fil_robot_def_default();
        const FilRobotJointSetting start = start_at("swing", amplitudes[k]);
        const FilId robot = fil_sandbox_add_robot(&box, "pendulum", &def, &start, 1);
        // from the first to the eleventh time it hangs straight down on its way forward
        double before = amplitudes[k], first = 0.0, last = 0.0;
        int crossings = 0;
        while (!box.failed && crossings < 11) {
            fil_sandbox_step(&box);
            const double now = box.failed ? 0.0 : fil_robot_joint_state(box.world, robot, 0).position;
            if (before < 0.0 && now >= 0.0) {
                last = fil_world_time(box.world) - 1e-3 * now / (now - before);
                first = crossings++ == 0 ? last : first;
            }
            before = now;
        }
        char what[64];
        snprintf(what, sizeof what, "period at %.2f rad (s)", amplitudes[k]);
        if (!box.failed) {
            // midpoint's own error is (w dt)^2 / 12, 1e-6
            fil_check_near(check, what, (last - first) / 10.0, bar_period(amplitudes[k]), 1e-5);
        }
        fil_sandbox_end(&box);
    }
}

/* ---- two bars ---- */

void fil_check_double_pendulum(FilCheck* check)
{
    FilSandbox box = begin_midpoint(check, 1e-3);
    const FilRobotDef def = fil_robot_def_default();
    const FilRobotJointSetting start[] = {start_at("shoulder", 2.0), start_at("elbow", 0.5)};
    fil_sandbox_add_robot(&box, "double_pendulum", &def, start, 2);
    const double at_start = box.failed ? 0.0 : fil_sandbox_energy(&box);
    double worst = 0.0;
    for (int k = 0; k < 10000 && !box.failed; k++) {
        fil_sandbox_step(&box);
        worst = fmax(worst, fabs(fil_sandbox_energy(&box) - at_start));
    }
    if (!box.failed) {
        fil_check_below(check, "change of energy over 10 s, of its 10 J above the pivot", worst / fabs(at_start), 1e-3);
    }
    fil_sandbox_end(&box);
}

/* ---- a ball joint ---- */

/* Let go at an angle to its own vertical it swings like a bar on a hinge, and stays in its plane. */
void fil_check_spherical_pendulum(FilCheck* check)
{
    const double angle = 1.0;
    FilSandbox box = begin_midpoint(check, 1e-3);
    FilRobotDef def = fil_robot_def_default();
    def.orientation = (FilQuat){sin(0.5 * angle), 0.0, 0.0, cos(0.5 * angle)};
    const FilId robot = fil_sandbox_add_robot(&box, "spherical_pendulum", &def, NULL, 0);
    const double energy = box.failed ? 0.0 : fil_sandbox_energy(&box);
    double aside = 0.0, drift = 0.0;
    const int steps = (int)lround(1e3 * bar_period(angle));
    for (int k = 0; k < steps && !box.failed; k++) {
        FilVec3 velocity, spin;
        fil_sandbox_step(&box);
        if (!box.failed) {
            fil_robot_link_velocity(box.world, robot, 1, &velocity, &spin);
            aside = fmax(aside, hypot(spin.y, spin.z));
            drift = fmax(drift, fabs(fil_sandbox_energy(&box) - energy));
        }
    }
    if (!box.failed) {
        FilVec3 position;
        FilQuat o;
        fil_robot_link_pose(box.world, robot, 1, &position, &o);
        fil_check_near(check, "angle after one period (rad)", 2.0 * atan2(o.x, o.w), angle,
                       1e-3);  // a step is 5e-4 s off
        fil_check_below(check, "spin out of its plane (rad/s)", aside, 1e-9);
        fil_check_below(check, "change of energy (J)", drift, 1e-4 * 0.5 * GRAVITY);
    }
    fil_sandbox_end(&box);
}

/* ---- momenta ---- */

/* A floating robot that swings its bars without gravity keeps its momenta. */
void fil_check_free_robot(FilCheck* check)
{
    FilSandbox box = begin_midpoint(check, 1e-3);
    fil_sandbox_set_gravity(&box, 0.0, 0.0, 0.0);
    FilRobotDef def = fil_robot_def_default();
    def.floating = true;
    def.position = (FilVec3){1.0, -2.0, 0.5};
    FilRobotJointSetting start[] = {start_at("shoulder_lift", 0.3), start_at("elbow", -0.5)};
    start[0].start_velocity = 2.0;
    start[1].start_velocity = -3.0;
    FilRobotJointSetting free = fil_robot_joint_setting_default();
    free.modes = 0;
    free.friction = free.damping = 0.0;
    const FilRobotJointSetting settings[] = {free, start[0], start[1]};
    const FilId robot = fil_sandbox_add_robot(&box, "arm6", &def, settings, 3);
    if (!box.failed) {
        fil_sandbox_expect(&box,
                           fil_robot_set_base(box.world, robot, def.position, def.orientation, (FilVec3){0.1, 0.2, -0.1}, (FilVec3){0.5, -1.0, 2.0}),
                           "throwing it");
    }
    if (!box.failed) {
        const FilVec3 p0 = fil_world_momentum(box.world), l0 = fil_world_angular_momentum(box.world);
        const double e0 = fil_sandbox_energy(&box);
        fil_sandbox_run(&box, 500);
        const FilVec3 p = fil_world_momentum(box.world), l = fil_world_angular_momentum(box.world);
        const double size = sqrt(l0.x * l0.x + l0.y * l0.y + l0.z * l0.z);
        // both change by the errors of the midpoint rule alone, which fall with dt^2
        fil_check_below(check, "change of momentum in 0.5 s, relative",
                        sqrt(pow(p.x - p0.x, 2) + pow(p.y - p0.y, 2) + pow(p.z - p0.z, 2)) / sqrt(p0.x * p0.x + p0.y * p0.y + p0.z * p0.z), 1e-4);
        fil_check_below(check, "change of angular momentum, relative", sqrt(pow(l.x - l0.x, 2) + pow(l.y - l0.y, 2) + pow(l.z - l0.z, 2)) / size,
                        1e-4);
        fil_check_below(check, "change of energy, relative", fabs(fil_sandbox_energy(&box) - e0) / e0, 1e-4);
    }
    fil_sandbox_end(&box);
}
