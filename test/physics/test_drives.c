/* Drives and probes: scripts between their knots, commands that take over, numbers that are what they say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "lively.h"
#include "near.h"
#include "sample.h"

enum { NODES = 6 };

/* a free, straight, 1 m rod of 1 kg along x */
static FilWorld* floating_rod(FilId* rod)
{
    FilWorldDef def = fil_world_def_default();
    def.gravity = (FilVec3){0.0, 0.0, 0.0};
    def.dt = 0.01;
    def.newton_tolerance = 1e-10;
    FilWorld* world = sample_world_of(&def);
    FilRodDef rod_def = fil_rod_def_default();
    rod_def.name = "rod";
    rod_def.director = (FilVec3){0.0, 1.0, 0.0};
    rod_def.section = (FilSection){.shape = FIL_SECTION_STIFFNESS,
                                   .radius = 0.01,
                                   .ea = 1e4,
                                   .ei1 = 1.0,
                                   .ei2 = 2.0,
                                   .gj = 0.5,
                                   .mass_per_length = 1.0,
                                   .inertia_per_length = 0.01};
    *rod = sample_straight_rod(world, &rod_def, NODES, 0.2);
    return world;
}

static FilId add_drive(FilWorld* world, FilId rod, FilDriveKind kind, int first, int count)
{
    FilDriveDef def = fil_drive_def_default();
    def.kind = kind;
    def.object = rod;
    def.first = first;
    def.count = count;
    FilId id;
    assert_int_equal(fil_world_add_drive(world, &def, &id), FIL_OK);
    return id;
}

static void set(FilWorld* world, FilId drive, const double* value, int count)
{
    assert_int_equal(fil_drive_set(world, drive, value, count), FIL_OK);
}

static void scripts_ramp_between_knots(void** state)
{
    (void)state;
    FilId rod, linear, smooth;
    FilWorld* world = floating_rod(&rod);
    FilDriveDef def = fil_drive_def_default();
    def.kind = FIL_DRIVE_AXIAL_TORQUE;
    def.object = rod;
    def.knot_count = 3;
    def.times = (double[]){0.1, 0.2, 0.4};
    def.values = (double[]){1.0, 3.0, -1.0};
    assert_int_equal(fil_world_add_drive(world, &def, &linear), FIL_OK);
    def.ramp = FIL_RAMP_SMOOTH;
    assert_int_equal(fil_world_add_drive(world, &def, &smooth), FIL_OK);
    for (int step = 0; step <= 50; ++step) {
        if (step > 0) {
            lively_run(world, 1);
        }
        double t = fil_world_time(world), a, b;
        double u = t < 0.2 ? fmin(fmax((t - 0.1) / 0.1, 0.0), 1.0) : fmin((t - 0.2) / 0.2, 1.0);
        double from = t < 0.2 ? 1.0 : 3.0, to = t < 0.2 ? 3.0 : -1.0;
        fil_drive_value(world, linear, &a);
        fil_drive_value(world, smooth, &b);
        assert_near(a, from + (to - from) * u, 1e-12);
        assert_near(b, from + (to - from) * u * u * (3.0 - 2.0 * u), 1e-12);
    }
    fil_world_destroy(world);
}

static void scripts_begin_again_after_their_period(void** state)
{
    (void)state;
    FilId rod, drive;
    FilWorld* world = floating_rod(&rod);
    // a saw tooth that begins at 0.1 s, rises for 0.1 s and waits for 0.05 s
    const double times[] = {0.1, 0.2}, values[] = {1.0, 2.0};
    FilDriveDef def = fil_drive_def_default();
    def.kind = FIL_DRIVE_REST_TWIST;
    def.object = rod;
    def.knot_count = 2;
    def.times = times;
    def.values = values;
    def.period = 0.05;
    assert_int_equal(fil_world_add_drive(world, &def, &drive), FIL_BAD_INPUT);  // shorter than its knots
    def.period = NAN;
    assert_int_equal(fil_world_add_drive(world, &def, &drive), FIL_BAD_INPUT);
    def.period = 0.15;
    assert_int_equal(fil_world_add_drive(world, &def, &drive), FIL_OK);
    for (int k = 0; k <= 60; ++k) {
        const double t = fil_world_time(world), phase = t < 0.1 ? 0.0 : fmod(t - 0.1, 0.15);
        double value;
        fil_drive_value(world, drive, &value);
        // times are sums of steps: at the jump back either side is right
        if (phase > 1e-9 && phase < 0.15 - 1e-9) {
            assert_near(value, 1.0 + fmin(phase, 0.1) / 0.1, 1e-9);
        }
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    fil_world_destroy(world);
}

static void commands_take_over_and_are_checked(void** state)
{
    (void)state;
    FilId rod;
    FilWorld* world = floating_rod(&rod);
    FilDriveDef def = fil_drive_def_default();
    def.kind = FIL_DRIVE_FORCE;
    def.object = rod;
    def.knot_count = 1;
    def.times = (double[]){0.0};
    def.values = (double[]){1.0, 2.0, 3.0};
    FilId drive;
    double value[3];
    assert_int_equal(fil_world_add_drive(world, &def, &drive), FIL_OK);
    lively_run(world, 1);
    set(world, drive, (double[]){4.0, 5.0, 6.0}, 3);
    lively_run(world, 1);
    fil_drive_value(world, drive, value);
    assert_near(value[2], 6.0, 0.0);

    /* what cannot be is refused and changes nothing */
    assert_int_equal(fil_drive_set(world, drive, (double[]){NAN, 0.0, 0.0}, 3), FIL_BAD_INPUT);
    assert_int_equal(fil_drive_set(world, drive, (double[]){0.0, INFINITY, 0.0}, 3), FIL_BAD_INPUT);
    assert_int_equal(fil_drive_set(world, drive, (double[]){0.0}, 1), FIL_BAD_INPUT);
    assert_int_equal(fil_drive_set(world, (FilId){99, 1}, (double[]){0.0, 0.0, 0.0}, 3), FIL_BAD_INPUT);
    assert_true(fil_world_error(world)[0] != '\0');
    fil_drive_value(world, drive, value);
    assert_near(value[2], 6.0, 0.0);

    assert_int_equal(fil_drive_release(world, drive), FIL_OK);
    lively_run(world, 1);
    fil_drive_value(world, drive, value);
    assert_near(value[2], 3.0, 0.0);
    fil_world_destroy(world);
}

/* a force on one node: momentum grows by F t whatever the rod does */
static void forces_push(void** state)
{
    (void)state;
    FilId rod;
    FilWorld* world = floating_rod(&rod);
    FilId drive = add_drive(world, rod, FIL_DRIVE_FORCE, 1, 2);
    set(world, drive, (double[]){0.0, 0.3, -0.1}, 3);
    lively_run(world, 20);
    FilVec3 p = fil_world_momentum(world);
    /* two nodes, 0.2 s; Newton's tolerance summed over 20 steps */
    assert_near(p.x, 0.0, 1e-9);
    assert_near(p.y, 2.0 * 0.3 * 0.2, 1e-9);
    assert_near(p.z, 2.0 * -0.1 * 0.2, 1e-9);
    fil_world_destroy(world);
}

/* an axial torque on every edge spins the straight rod about itself: J w = T t */
static void axial_torques_spin(void** state)
{
    (void)state;
    FilId rod;
    FilWorld* world = floating_rod(&rod);
    FilId drive = add_drive(world, rod, FIL_DRIVE_AXIAL_TORQUE, 0, 0);
    double torque = 0.002;
    set(world, drive, &torque, 1);
    lively_run(world, 50);
    double spins[NODES - 1];
    fil_rod_get_spins(world, rod, spins);
    for (int i = 0; i < NODES - 1; ++i) {
        assert_near(spins[i], torque * 0.5 / (0.01 * 0.2), 1e-9);
    }
    assert_near(fil_world_angular_momentum(world).x, 5.0 * torque * 0.5, 1e-9);
    fil_world_destroy(world);
}

/* a torque across the rod turns it: angular momentum grows by T t, linear momentum not at all */
static void world_torques_turn(void** state)
{
    (void)state;
    FilId rod;
    FilWorld* world = floating_rod(&rod);
    FilId drive = add_drive(world, rod, FIL_DRIVE_TORQUE, 2, 1);
    set(world, drive, (double[]){0.002, 0.0, 0.05}, 3);
    lively_run(world, 40);
    FilVec3 l = fil_world_angular_momentum(world), p = fil_world_momentum(world);
    /* first order in dt: the lever arm of the node forces is that of the end of the step */
    assert_near(l.z, 0.05 * 0.4, 0.01 * 0.02);
    assert_near(l.x, 0.002 * 0.4, 0.05 * 0.0008);
    assert_near(p.x, 0.0, 1e-9);
    assert_near(p.y, 0.0, 1e-9);
    assert_near(p.z, 0.0, 1e-9);
    fil_world_destroy(world);
}

/* A winch: the free rod takes the length that it is given. */
static void rest_length_is_taken_up(void** state)
{
    (void)state;
    FilId rod;
    FilWorld* world = floating_rod(&rod);
    FilId drive = add_drive(world, rod, FIL_DRIVE_REST_LENGTH, 0, 2);
    const double half = 0.5, nothing = 0.0;
    assert_int_equal(fil_drive_set(world, drive, &nothing, 1), FIL_BAD_INPUT);
    assert_int_equal(fil_drive_set(world, drive, &half, 1), FIL_OK);
    for (int k = 0; k < 500; k++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    // two of five edges, half as long; backward Euler has damped the rest
    assert_true(fabs(fil_rod_length(world, rod) - 0.8) < 1e-6);
    fil_world_destroy(world);
}

/* rest twist of a free rod is taken up: every hinge twists by it */
static void rest_twist_is_taken_up(void** state)
{
    (void)state;
    FilId rod;
    FilWorld* world = floating_rod(&rod);
    FilId drive = add_drive(world, rod, FIL_DRIVE_REST_TWIST, 0, 0);
    double twist = 0.7, twists[NODES];
    set(world, drive, &twist, 1);
    assert_int_equal(fil_world_set_dt(world, 100.0), FIL_OK);
    lively_run(world, 20);
    fil_rod_get_twists(world, rod, twists);
    assert_near(twists[0], 0.0, 0.0);
    for (int i = 1; i < NODES - 1; ++i) {
        assert_near(twists[i], 0.7, 1e-6);
    }
    assert_near(twists[NODES - 1], 0.0, 0.0);
    fil_world_destroy(world);
}

static double probe(FilWorld* world, const char* quantity, FilId of, int index_of_part, int component)
{
    static char names[64][4];
    int index = fil_world_probe_count(world);
    FilProbeDef def = fil_probe_def_default();
    FilId id;
    assert_in_range(index, 0, 63);
    names[index][0] = 'p';
    names[index][1] = (char)('a' + index % 26);
    names[index][2] = (char)('a' + index / 26);
    def.name = names[index];
    def.quantity = quantity;
    def.of = of;
    def.index = index_of_part;
    def.component = component;
    assert_int_equal(fil_world_add_probe(world, &def, &id), FIL_OK);
    assert_string_equal(fil_world_probe_name(world, index), names[index]);
    return fil_world_probe_value(world, index);
}

/* each probe reads what the API reads */
static void probes_read_the_state(void** state)
{
    (void)state;
    FilId rod;
    FilWorld* world = floating_rod(&rod);
    FilId drive = add_drive(world, rod, FIL_DRIVE_FORCE, 0, 1), none = {0, 0};
    set(world, drive, (double[]){0.1, 0.2, -0.3}, 3);
    lively_run(world, 30);
    double x[3 * NODES], v[3 * NODES], angles[NODES], tension[NODES], curvature[2 * NODES], twist[NODES];
    fil_rod_get_positions(world, rod, x);
    fil_rod_get_velocities(world, rod, v);
    fil_rod_get_angles(world, rod, angles);
    fil_rod_get_tensions(world, rod, tension);
    fil_rod_get_curvatures(world, rod, curvature);
    fil_rod_get_twists(world, rod, twist);
    FilEnergy energy = fil_world_energy(world);
    FilVec3 p = fil_world_momentum(world), l = fil_world_angular_momentum(world);

    assert_near(probe(world, "position", rod, 2, 1), x[7], 0.0);
    assert_near(probe(world, "position", rod, -1, 2), x[3 * NODES - 1], 0.0);
    assert_near(probe(world, "velocity", rod, 0, 0), v[0], 0.0);
    assert_near(probe(world, "velocity", rod, 0, -1), sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), 1e-15);
    assert_near(probe(world, "angle", rod, 1, 0), angles[1], 0.0);
    assert_near(probe(world, "tension", rod, -1, 0), tension[NODES - 2], 0.0);
    assert_near(probe(world, "curvature", rod, 2, 0), curvature[4], 0.0);
    assert_near(probe(world, "curvature", rod, 2, 1), curvature[5], 0.0);
    assert_near(probe(world, "twist", rod, 2, 0), twist[2], 0.0);
    assert_near(probe(world, "length", rod, 0, 0), fil_rod_length(world, rod), 0.0);
    const double* end = x + 3 * (NODES - 1);
    double apart = sqrt(pow(end[0] - x[0], 2.0) + pow(end[1] - x[1], 2.0) + pow(end[2] - x[2], 2.0));
    assert_near(probe(world, "end_distance", rod, 0, 0), apart, 1e-15);
    assert_near(probe(world, "drive", drive, 0, 2), -0.3, 0.0);
    assert_near(probe(world, "kinetic_energy", none, 0, 0), energy.kinetic, 0.0);
    assert_near(probe(world, "elastic_energy", none, 0, 0), energy.elastic, 0.0);
    assert_near(probe(world, "gravity_energy", none, 0, 0), energy.gravity, 0.0);
    assert_near(probe(world, "momentum", none, 0, 1), p.y, 0.0);
    assert_near(probe(world, "angular_momentum", none, 0, 2), l.z, 0.0);
    assert_true(energy.kinetic > 0.0 && energy.elastic > 0.0);
    assert_true(curvature[4] != 0.0 && curvature[5] != 0.0);

    /* the kinetic energy is that of the nodes, end nodes weigh half, and of the edges' spin */
    double kinetic = 0.0, spins[NODES - 1];
    fil_rod_get_spins(world, rod, spins);
    for (int i = 0; i < NODES - 1; ++i) {
        kinetic += 0.5 * 0.01 * 0.2 * spins[i] * spins[i];
    }
    for (int i = 0; i < NODES; ++i) {
        double mass = i == 0 || i == NODES - 1 ? 0.1 : 0.2;
        for (int k = 0; k < 3; ++k) {
            kinetic += 0.5 * mass * v[3 * i + k] * v[3 * i + k];
        }
    }
    assert_near(energy.kinetic, kinetic, 1e-13 * kinetic);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripts_ramp_between_knots),
        cmocka_unit_test(scripts_begin_again_after_their_period),
        cmocka_unit_test(commands_take_over_and_are_checked),
        cmocka_unit_test(forces_push),
        cmocka_unit_test(axial_torques_spin),
        cmocka_unit_test(world_torques_turn),
        cmocka_unit_test(rest_length_is_taken_up),
        cmocka_unit_test(rest_twist_is_taken_up),
        cmocka_unit_test(probes_read_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
