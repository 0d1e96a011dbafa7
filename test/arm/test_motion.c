/* Soft arms in motion: energy, momentum, integrators, valves. */
#include "arm/arm_world.h"

/* Sections of P1's arm, bent. */
static void make_sections(int count, double damping, double elongation, FilArmSection* sections)
{
    for (int k = 0; k < count; ++k) {
        sections[k] = fil_arm_section_default();
        sections[k].mass = mass_of(k);
        sections[k].damping = damping;
        sections[k].elongation[0] = elongation;
    }
}

/* Where the tip is after a while; ends the world. */
static void find_tip(FilWorld* world, FilId arm, double duration, double tip[3])
{
    FilVec3 p;
    FilQuat o;
    run(world, duration);
    fil_arm_tip_pose(world, arm, &p, &o);
    tip[0] = p.x, tip[1] = p.y, tip[2] = p.z;
    fil_world_destroy(world);
}

/* ---- motion ---- */

static double energy_drift(bool rotational, FilArmCoriolis coriolis, double duration)
{
    FilWorldDef def = world_def();
    def.integrator = FIL_MIDPOINT;
    def.newton_tolerance = 1e-10;
    FilWorld* world = make_world(&def);
    FilArmDef arm_def = fil_arm_def_default();
    arm_def.orientation = (FilQuat){1.0, 0.0, 0.0, 0.0};
    arm_def.rotational_energy = rotational;
    arm_def.coriolis = coriolis;
    FilArmSection sections[3];
    make_sections(3, 0.0, 0.03, sections);
    for (int k = 0; k < 3; ++k) {
        sections[k].elongation[1] = -0.02;
        sections[k].rate[2] = 0.3;
    }
    add_arm(world, 3, &arm_def, sections);
    const double start = sample_energy(world);
    double swing = 0.0, worst = 0.0;
    for (int k = 0; k < 100; ++k) {
        run(world, duration / 100.0);
        swing = fmax(swing, fil_world_energy(world).kinetic);
        worst = fmax(worst, fabs(sample_energy(world) - start));
    }
    fil_world_destroy(world);
    return worst / swing;
}

static void undamped_arm_keeps_its_energy(void** state)
{
    (void)state;
    const double full = energy_drift(true, FIL_ARM_CORIOLIS_FULL, 10.0);
    const double points = energy_drift(false, FIL_ARM_CORIOLIS_FULL, 10.0);
    const double without = energy_drift(true, FIL_ARM_CORIOLIS_NONE, 1.0);
    print_message("energy over 10 s: %.1e full, %.1e without rotation; over 1 s without Coriolis terms: %.1e\n", full, points, without);
    assert_true(full < 1e-3); /* of the largest kinetic energy, as asked */
    assert_true(points < 1e-3);
    assert_true(without > 10.0 * full); /* the measure sees what is missing */
}

/* momentum is mass times the velocity of the centre, and changes by the base's force: compare with differences in time
 */
static void momentum_is_that_of_the_slices(void** state)
{
    (void)state;
    FilWorldDef def = world_def();
    def.dt = 1e-5;
    FilWorld* world = make_world(&def);
    const FilId arm = add_arm(world, 1, NULL, NULL);
    const double q[3] = {0.03, -0.01, 0.0}, v[3] = {0.5, -0.5, 0.2};
    assert_int_equal(fil_arm_set_state(world, arm, q, v), FIL_OK);
    const FilVec3 momentum = fil_world_momentum(world);
    double centre[2][3] = {{0.0}};
    for (int when = 0; when < 2; ++when) {
        for (int i = 0; i < 4; ++i) {
            FilVec3 p;
            FilQuat o;
            fil_arm_pose(world, arm, 0, (i + 0.5) / 4.0, &p, &o);
            centre[when][0] += 0.25 * mass_of(0) * p.x, centre[when][1] += 0.25 * mass_of(0) * p.y;
            centre[when][2] += 0.25 * mass_of(0) * p.z;
        }
        if (when == 0) { /* a state a moment later, on the same straight way */
            double moved[3];
            for (int k = 0; k < 3; ++k) {
                moved[k] = q[k] + 1e-7 * v[k];
            }
            assert_int_equal(fil_arm_set_state(world, arm, moved, v), FIL_OK);
        }
    }
    const double expected[3] = {momentum.x, momentum.y, momentum.z};
    for (int k = 0; k < 3; ++k) {
        assert_true(fabs((centre[1][k] - centre[0][k]) / 1e-7 - expected[k]) < 1e-5); /* first difference over 1e-7 s */
    }
    fil_world_destroy(world);
}

/* semi-implicit, implicit and midpoint steps tend to one motion */
static void integrators_agree(void** state)
{
    (void)state;
    double tip[5][3];
    for (int k = 0; k < 5; ++k) {
        FilWorldDef def = world_def();
        def.dt = 1e-4;
        def.integrator = k == 2 ? FIL_MIDPOINT : (k == 3 ? FIL_SYMPLECTIC_EULER : FIL_BACKWARD_EULER);
        FilWorld* world = make_world(&def);
        FilArmDef arm_def = fil_arm_def_default();
        arm_def.scheme = k == 1 ? FIL_ARM_IMPLICIT : (k == 4 ? FIL_ARM_RK23 : FIL_ARM_SEMI_IMPLICIT);
        FilArmSection sections[2];
        make_sections(2, 5.0, 0.02, sections);
        sections[0].mass = sections[1].mass = fil_arm_section_default().mass;
        find_tip(world, add_arm(world, 2, &arm_def, sections), 0.2, tip[k]);
    }
    for (int k = 0; k < 5; ++k) {
        print_message("tip of integrator %d: off by %.1e m\n", k, fil_v3_distance(tip[k], tip[2]));
        assert_true(fil_v3_distance(tip[k], tip[2]) < 2e-3); /* first order: dt times accelerations of 50 m/s^2 for 0.2 s */
    }
}

/* the error of Runge-Kutta sub-steps follows the tolerance, whatever the world's step */
static void sub_steps_follow_their_tolerance(void** state)
{
    (void)state;
    double tip[4][3];
    const double tolerances[4] = {1e-3, 1e-4, 1e-5, 1e-9}, steps[4] = {1e-2, 1e-3, 1e-2, 1e-3};
    for (int k = 0; k < 4; ++k) {
        FilWorldDef def = world_def();
        def.dt = steps[k];
        FilWorld* world = make_world(&def);
        FilArmDef arm_def = fil_arm_def_default();
        arm_def.scheme = FIL_ARM_RK23;
        arm_def.rk_tolerance = tolerances[k];
        FilArmSection sections[3];
        make_sections(3, 2.0, 0.02, sections);
        find_tip(world, add_arm(world, 3, &arm_def, sections), 0.5, tip[k]);
    }
    for (int k = 0; k < 3; ++k) {
        const double off = fil_v3_distance(tip[k], tip[3]);
        print_message("rk23 with tolerance %.0e: off by %.1e m\n", tolerances[k], off);
        /* a sub-step's error is 1e-2 m times the tolerance; some tens of them, and L / r = 5 to the tip */
        assert_true(off < tolerances[k]);
    }
}

/* ---- valves ---- */

/* pressures follow exp(-t / T) at any dt, exactly, and the motion hardly depends on it */
static void valves_lag_alike_at_any_dt(void** state)
{
    (void)state;
    const double lag = 0.05, command = 5e4;
    double angle[2];
    for (int k = 0; k < 2; ++k) {
        FilWorldDef def = world_def();
        def.dt = k == 0 ? 1e-4 : 1e-2;
        def.gravity = (FilVec3){0.0, 0.0, 0.0};
        FilWorld* world = make_world(&def);
        FilArmDef arm_def = fil_arm_def_default();
        arm_def.valve_time = lag;
        const FilId arm = add_arm(world, 1, &arm_def, NULL);
        const FilId drive = add_drive(world, arm, FIL_DRIVE_PRESSURE, 1, 1);
        assert_int_equal(fil_drive_set(world, drive, &command, 1), FIL_OK);
        run(world, 0.1);
        assert_true(fabs(fil_arm_pressure(world, arm, 1) - command * (1.0 - exp(-0.1 / lag))) < 1e-9 * command);
        assert_true(fil_arm_pressure(world, arm, 0) == 0.0 && fil_arm_pressure(world, arm, 2) == 0.0);
        angle[k] = fil_arm_shape(world, arm, 0).angle;
        assert_int_equal(fil_drive_release(world, drive), FIL_OK); /* no command: it empties the same way */
        run(world, 0.1);
        assert_true(fabs(fil_arm_pressure(world, arm, 1) - command * (1.0 - exp(-0.1 / lag)) * exp(-0.1 / lag)) < 1e-9 * command);
        fil_world_destroy(world);
    }
    print_message("angle at dt 1e-4 and 1e-2: %.6f, %.6f\n", angle[0], angle[1]);
    assert_true(fabs(angle[1] - angle[0]) < 0.02 * angle[0]); /* first order: dt / (damping over stiffness) = 2 % */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undamped_arm_keeps_its_energy),    cmocka_unit_test(momentum_is_that_of_the_slices), cmocka_unit_test(integrators_agree),
        cmocka_unit_test(sub_steps_follow_their_tolerance), cmocka_unit_test(valves_lag_alike_at_any_dt),
    };
    return cmocka_run_group_tests_name("arm motion", tests, NULL, NULL);
}
