/* SDIRK2: what its two stages must not show, and what they are for. */
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
#include "scenes.h"

/* A soft rod of 1 m, pinned at one end. */
#define ROD(nodes)                                                        \
    "materials: {m: {young: 1e6, poisson: 0.3, density: 1000}}\n"         \
    "rods: [{name: rod, material: m, section: {circle: {radius: 0.01}}, " \
    "shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: " nodes    \
    "}}}]\n"                                                              \
    "attachments: [{name: end, pin: {rod: rod, node: 0}}]\n"

static void step(FilWorld* world)
{
    if (fil_world_step(world, NULL) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
}

/* Height to which a ball comes back that falls by 0.2 m onto a soft surface, over that height; 20 steps a touch. */
static double rebound(const char* integrator)
{
    char scene[1024];
    snprintf(scene, sizeof scene,
             "world: {gravity: [0, 0, -10], dt: 0.005, contact: ipc, integrator: %s, newton: {tolerance: 1e-9}, "
             "ipc: {range: 0.1, stiffness: 2e4}}\n"
             "rigid_bodies:\n"
             "  - {name: ball, mass: 1, position: [0, 0, 0.4], shapes: [{sphere: {radius: 0.1}}]}\n"
             "  - {name: ground, motion: static, shapes: [{half_space: {}}]}\n",
             integrator);
    FilWorld* world = load_text(scene);
    double highest = 0.0;
    while (fil_world_time(world) < 0.75) {
        FilVec3 p;
        FilQuat turned;
        step(world);
        fil_rigid_get_pose(world, fil_world_find_rigid(world, "ball"), &p, &turned);
        assert_true(p.z > 0.1);
        highest = fil_world_time(world) > 0.3 ? fmax(highest, p.z) : highest;
    }
    fil_world_destroy(world);
    return (highest - 0.2) / 0.2;
}

static void balls_bounce_back(void** state)
{
    (void)state;
    const double first = rebound("backward_euler"), second = rebound("sdirk2");
    // a lossless touch gives all of it back; backward Euler, whose damping is of first order, a half
    assert_true(fabs(second - 1.0) < 0.02);
    assert_true(first < 0.7);
}

/* Where the end of a soft rod that swings like a pendulum is after 2 s, m. */
static double swing(const char* integrator, double dt, double euler_dt, double accuracy, int* divided)
{
    char scene[1024];
    snprintf(scene, sizeof scene,
             "world: {gravity: [0, 0, -10], dt: %g, integrator: %s, euler_dt: %g, accuracy: %g, newton: {tolerance: 1e-10}}\n" ROD("3"), dt,
             integrator, euler_dt, accuracy);
    FilWorld* world = load_text(scene);
    double x[9];
    *divided = 0;
    while (fil_world_time(world) < 2.0 - 1e-9) {
        FilStepInfo info;
        assert_int_equal(fil_world_step(world, &info), FIL_OK);
        assert_true((info.local_error > 0.0) == (strcmp(integrator, "sdirk2") == 0 && euler_dt < dt));
        assert_true(accuracy == 0.0 || info.local_error <= accuracy);  // else it would have been repeated
        *divided += info.halvings > 0 ? 1 : 0;
    }
    fil_rod_get_positions(world, fil_world_find_rod(world, "rod"), x);
    fil_world_destroy(world);
    return x[6];
}

/* Backward Euler of 1 ms differs from the truth by more than two stages of 8 ms that imitate it differ from it. */
static void errors_of_backward_euler_are_imitated(void** state)
{
    (void)state;
    int divided;
    const double euler = swing("backward_euler", 1e-3, 0.0, 0.0, &divided), exact = swing("sdirk2", 1e-3, 0.0, 0.0, &divided);
    const double error = fabs(euler - exact), coarse = fabs(swing("sdirk2", 8e-3, 1e-3, 0.0, &divided) - euler),
                 fine = fabs(swing("sdirk2", 4e-3, 1e-3, 0.0, &divided) - euler);
    assert_true(coarse < 0.3 * error);
    // what is left is of second order
    assert_true(fine < 0.35 * coarse);
    // steps that are no larger are steps of backward Euler
    assert_true(swing("sdirk2", 1e-3, 1e-3, 0.0, &divided) == euler && swing("sdirk2", 1e-3, 2e-3, 0.0, &divided) == euler);
}

/* Steps with too large an error are divided, and the error is that of small steps then. */
static void steps_are_divided_by_their_error(void** state)
{
    (void)state;
    int divided;
    const double exact = swing("sdirk2", 1e-3, 0.0, 0.0, &divided), whole = swing("sdirk2", 0.04, 0.0, 0.0, &divided);
    assert_int_equal(divided, 0);
    const double parts = swing("sdirk2", 0.04, 0.0, 1e-5, &divided);
    assert_true(divided > 10);
    assert_true(fabs(parts - exact) < 0.2 * fabs(whole - exact));
}

/* Into how many parts is part of the state, but a world of other limits keeps to its own. */
static void restored_parts_keep_to_limits(void** state)
{
    (void)state;
    FilWorld* fine = load_text("world: {gravity: [0, 0, -10], dt: 0.04, integrator: sdirk2, accuracy: 1e-6}\n" ROD("3"));
    FilWorld* coarse = load_text("world: {gravity: [0, 0, -10], dt: 0.04, integrator: sdirk2, accuracy: 1e-6, max_halvings: 1}\n" ROD("3"));
    FilStepInfo info;
    for (int k = 0; k < 10; k++) {
        assert_int_equal(fil_world_step(fine, &info), FIL_OK);
    }
    assert_true(info.halvings > 1);
    const size_t size = fil_world_snapshot_size(fine);
    void* snapshot = malloc(size);
    fil_world_save(fine, snapshot);
    assert_int_equal(fil_world_restore(coarse, snapshot, size), FIL_OK);
    assert_int_equal(fil_world_step(coarse, &info), FIL_OK);
    assert_int_equal(info.halvings, 1);
    free(snapshot);
    fil_world_destroy(fine);
    fil_world_destroy(coarse);
}

/* A rod drawn along by its end: the end is where its drive says at the end of every step, and as fast. */
static void drives_are_met_at_the_end(void** state)
{
    (void)state;
    FilWorld* world = load_text("world: {gravity: [0, 0, 0], dt: 0.01, integrator: sdirk2}\n" ROD(
        "5") "drives:\n"
             "  - {name: draw, attachment: end, position: [[0, 0, 0, 0], [1, 0, 0.5, 0]]}\n"
             "  - {name: lift, attachment: end, velocity: [[0, 0, 0, 0.25], [1, 0, 0, 0.25]]}\n");
    const FilId rod = fil_world_find_rod(world, "rod");
    for (int k = 1; k <= 20; k++) {
        double x[15], v[15];
        step(world);
        fil_rod_get_positions(world, rod, x);
        fil_rod_get_velocities(world, rod, v);
        assert_true(fabs(x[1] - 0.005 * k) < 1e-14 && fabs(x[2] - 0.0025 * k) < 1e-14);
        assert_true(fabs(v[1] - 0.5) < 1e-11 && fabs(v[2] - 0.25) < 1e-11);
    }
    fil_world_destroy(world);
}

/* The hold leaps away in the second stage: the state is that before the first. */
static void failing_second_stages_leave_no_trace(void** state)
{
    (void)state;
    FilWorld* world = load_text("world: {gravity: [0, 0, 0], dt: 0.01, integrator: sdirk2, max_halvings: 0, newton: {max_iterations: 2}}\n" ROD(
        "5") "drives: [{name: draw, attachment: end, position: [[0, 0, 0, 0], [0.016, 0, 0, 0], [0.017, 0, 30, 0]]}]\n");
    step(world);
    const uint64_t before = fil_world_hash(world);
    FilStepInfo info;
    assert_int_equal(fil_world_step(world, &info), FIL_NOT_CONVERGED);
    assert_true(info.newton_iterations > 0);
    assert_true(fil_world_hash(world) == before);
    // and goes on once that is possible
    assert_int_equal(fil_drive_set(world, fil_world_find_drive(world, "draw"), (const double[]){0.0, 0.0, 0.0}, 3), FIL_OK);
    step(world);
    fil_world_destroy(world);
}

static void contacts_at_the_steps_start_are_refused(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "lcp", "imc", "spt"};
    for (int k = 0; k < 4; k++) {
        FilWorldDef def = fil_world_def_default();
        FilWorld* world;
        FilError error;
        def.integrator = FIL_SDIRK2;
        def.contact_model = models[k];
        assert_int_equal(fil_world_create(&def, &world, &error), FIL_BAD_INPUT);
        assert_non_null(strstr(error.text, "does not go with integrator sdirk2"));
    }
}

static void bad_settings_are_refused(void** state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        FilWorldDef def = fil_world_def_default();
        FilWorld* world;
        FilError error;
        *(k < 2 ? &def.euler_dt : &def.accuracy) = k % 2 == 0 ? -1.0 : NAN;
        assert_int_equal(fil_world_create(&def, &world, &error), FIL_BAD_INPUT);
        assert_non_null(strstr(error.text, k < 2 ? "euler_dt must not be negative" : "accuracy must not be negative"));
    }
}

/* A double pendulum of two links, and a box that tumbles about its middle axis: where a point of each is after a while. */
static const char PENDULUM[] =
    "<robot name='p'><link name='base'/>"
    "<link name='a'><inertial><origin xyz='0.2 0 0'/><mass value='1'/><inertia ixx='0.001' iyy='0.02' izz='0.02'/></inertial></link>"
    "<link name='b'><inertial><origin xyz='0.15 0 0'/><mass value='0.5'/><inertia ixx='0.001' iyy='0.01' izz='0.01'/></inertial></link>"
    "<joint name='one' type='continuous'><parent link='base'/><child link='a'/><axis xyz='0 1 0'/></joint>"
    "<joint name='two' type='continuous'><parent link='a'/><child link='b'/><origin xyz='0.4 0 0'/><axis xyz='0 0.8 0.6'/></joint>"
    "</robot>";

static void pendulum_after(const char* integrator, double dt, double* place)
{
    char scene[256];
    snprintf(scene, sizeof scene, "world: {dt: %.17g, integrator: %s}\nrigid_bodies: [{name: far, motion: static}]\n", dt, integrator);
    FilWorld* world = load_text(scene);
    FilRobotDef def = fil_robot_def_default();
    FilId robot;
    assert_int_equal(fil_world_add_robot_urdf(world, &def, NULL, PENDULUM, strlen(PENDULUM), NULL, 0, &robot), FIL_OK);
    while (fil_world_time(world) < 0.5 - 0.5 * dt) {
        step(world);
    }
    for (int j = 0; j < 2; j++) {
        place[j] = fil_robot_joint_state(world, robot, j).position;
    }
    place[2] = 0.0;
    fil_world_destroy(world);
}

static FilWorld* tumbling(const char* integrator, double dt)
{
    char scene[512];
    snprintf(scene, sizeof scene,
             "world: {gravity: [0, 0, 0], dt: %.17g, integrator: %s}\n"
             "rigid_bodies: [{name: box, shapes: [{box: {size: [0.1, 0.2, 0.3]}}], angular_velocity: [0.1, 8, 0.2]}]\n",
             dt, integrator);
    return load_text(scene);
}

static void box_after(const char* integrator, double dt, double* place)
{
    FilWorld* world = tumbling(integrator, dt);
    FilVec3 p;
    FilQuat q;
    while (fil_world_time(world) < 0.8 - 0.5 * dt) {
        step(world);
    }
    fil_rigid_get_pose(world, fil_world_find_rigid(world, "box"), &p, &q);
    place[0] = q.x, place[1] = q.y, place[2] = q.z;
    fil_world_destroy(world);
}

static double distance(const double* a, const double* b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void robots_and_tumbling_bodies_are_of_second_order(void** state)
{
    (void)state;
    void (*const runs[])(const char*, double, double*) = {pendulum_after, box_after};
    for (int k = 0; k < 2; k++) {
        double fine[3], places[3][3], error[3];
        runs[k]("sdirk2", 1e-4, fine);
        for (int r = 0; r < 3; r++) {
            runs[k]("sdirk2", 4e-3 / (1 << r), places[r]);
            error[r] = distance(places[r], fine);
        }
        const double order = log2(error[0] / error[2]) / 2.0;
        if (!(order > 1.9 && order < 2.3)) {
            fail_msg("run %d: errors %g %g %g, order %g", k, error[0], error[1], error[2], order);
        }
    }
}

/* The same two pulled by springs at points off their centres, under one contact model. */
static void pulled_after(bool robot, const char* model, double dt, double* place)
{
    char scene[768];
    snprintf(scene, sizeof scene,
             "world: {dt: %.17g, integrator: sdirk2, contact: {model: %s, tolerance: 1e-12}, newton: {tolerance: 1e-12, max_iterations: 50}}\n"
             "rigid_bodies: [{name: box, density: 500, shapes: [{box: {size: [0.1, 0.2, 0.3]}}], position: [0, %d, 0],\n"
             "  velocity: [0.2, 0, 0], angular_velocity: [1, 3, 2]}]\n%s",
             dt, model, robot ? 5 : 0, robot ? "" : "joints: [{bushing: {a: {body: box}, point: [0.04, 0.08, 0.12], stiffness: 300, damping: 1}}]\n");
    FilWorld* world = load_text(scene);
    FilId id = fil_world_find_rigid(world, "box");
    if (robot) {
        FilRobotDef def = fil_robot_def_default();
        assert_int_equal(fil_world_add_robot_urdf(world, &def, NULL, PENDULUM, strlen(PENDULUM), NULL, 0, &id), FIL_OK);
        FilJointDef spring = fil_joint_def_default();
        FilId joint;
        spring.kind = FIL_JOINT_BUSHING;
        spring.a = fil_robot_link(world, id, 2);
        spring.point = (FilVec3){0.5, 0.05, 0.02};
        spring.stiffness = 300.0;
        spring.damping = 1.0;
        assert_int_equal(fil_world_add_joint(world, &spring, &joint), FIL_OK);
    }
    while (fil_world_time(world) < 0.5 - 0.5 * dt) {
        step(world);
    }
    FilVec3 p;
    FilQuat q;
    if (robot) {
        p = (FilVec3){fil_robot_joint_state(world, id, 0).position, fil_robot_joint_state(world, id, 1).position, 0.0};
    } else {
        fil_rigid_get_pose(world, id, &p, &q);
    }
    place[0] = p.x, place[1] = p.y, place[2] = p.z;
    fil_world_destroy(world);
}

/* Orders were 1.0 with arms of the step's start, and forces of w x I w and Coriolis of free motion. */
static void pulls_off_centre_are_of_second_order(void** state)
{
    (void)state;
    static const char* const models[] = {"none", "ipc"};
    for (int k = 0; k < 4; k++) {
        double fine[3], places[3][3], error[3];
        pulled_after(k % 2 == 0, models[k / 2], 1e-4, fine);
        for (int r = 0; r < 3; r++) {
            pulled_after(k % 2 == 0, models[k / 2], 4e-3 / (1 << r), places[r]);
            error[r] = distance(places[r], fine);
        }
        const double order = log2(error[0] / error[2]) / 2.0;
        if (!(order > 1.9 && order < 2.3)) {
            fail_msg("%s under %s: errors %g %g %g, order %g", k % 2 == 0 ? "robot" : "box", models[k / 2], error[0], error[1], error[2], order);
        }
    }
}

static void tumbling_bodies_keep_their_energy(void** state)
{
    (void)state;
    FilWorld* world = tumbling("sdirk2", 2e-3);
    const double start = fil_world_energy(world).kinetic;
    double worst = 0.0;
    while (fil_world_time(world) < 30.0) {
        step(world);
        worst = fmax(worst, fabs(fil_world_energy(world).kinetic / start - 1.0));
    }
    if (!(worst < 1e-4)) {
        fail_msg("the energy is off by %g", worst);
    }
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_and_tumbling_bodies_are_of_second_order),
        cmocka_unit_test(pulls_off_centre_are_of_second_order),
        cmocka_unit_test(tumbling_bodies_keep_their_energy),
        cmocka_unit_test(balls_bounce_back),
        cmocka_unit_test(errors_of_backward_euler_are_imitated),
        cmocka_unit_test(steps_are_divided_by_their_error),
        cmocka_unit_test(restored_parts_keep_to_limits),
        cmocka_unit_test(drives_are_met_at_the_end),
        cmocka_unit_test(failing_second_stages_leave_no_trace),
        cmocka_unit_test(contacts_at_the_steps_start_are_refused),
        cmocka_unit_test(bad_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
