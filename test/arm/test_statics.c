/* Soft arms at rest: bending by pressure, chambers, tip loads, damping. */
#include "arm/arm_world.h"

/* ---- statics ---- */

/* without weight k l = p a in every chamber: the bending angle 2/3 p a / (k r) of one chamber of three */
static void bending_is_linear_in_pressure(void** state)
{
    (void)state;
    FilWorldDef def = world_def();
    def.gravity = (FilVec3){0.0, 0.0, 0.0};
    FilWorld* world = make_world(&def);
    const FilId arm = add_arm(world, 3, NULL, NULL);
    const FilId drive = add_drive(world, arm, FIL_DRIVE_PRESSURE, 3, 1); /* first chamber of the second section */
    const FilArmSection section = fil_arm_section_default();
    for (int k = 1; k <= 4; ++k) {
        const double pressure = 1e4 * k;
        assert_int_equal(fil_drive_set(world, drive, &pressure, 1), FIL_OK);
        run(world, 5.0); /* ten time constants of damping over stiffness */
        const FilArmShape shape = fil_arm_shape(world, arm, 1), other = fil_arm_shape(world, arm, 2);
        const double push = pressure * section.chamber_area / section.stiffness;
        assert_true(fabs(shape.angle - 2.0 / 3.0 * push / section.chamber_offset) < 1e-4 * shape.angle); /* exp(-10) */
        assert_true(fabs(shape.length - section.length - push / 3.0) < 1e-4 * push);
        assert_true(fabs(fabs(shape.plane) - 3.141592653589793) < 1e-6); /* away from the chamber, which is at x */
        assert_true(fabs(shape.curvature - shape.angle / shape.length) < 1e-15);
        assert_true(other.angle < 1e-5); /* exp(-10) of what the motion of its base gave it, some 0.1 rad */
        assert_true(fabs(fil_arm_chamber_length(world, arm, 3) - section.length - push) < 1e-4 * push);
        assert_true(fabs(fil_arm_chamber_length(world, arm, 4) - section.length) < 1e-4 * push);
    }
    fil_world_destroy(world);
}

/* more chambers than coordinates: equal pressure in opposite pairs only lengthens, and n chambers are n/3 as stiff */
static void any_number_of_chambers(void** state)
{
    (void)state;
    for (int chambers = 3; chambers <= 8; ++chambers) {
        FilWorldDef def = world_def();
        def.gravity = (FilVec3){0.0, 0.0, 0.0};
        FilWorld* world = make_world(&def);
        FilArmSection section = fil_arm_section_default();
        section.chambers = chambers;
        const FilId arm = add_arm(world, 1, NULL, &section);
        assert_int_equal(fil_arm_chamber_count(world, arm), chambers);
        const double pressure = 2e4;
        const FilId all = add_drive(world, arm, FIL_DRIVE_PRESSURE, 0, 0);
        assert_int_equal(fil_drive_set(world, all, &pressure, 1), FIL_OK);
        run(world, 5.0);
        const double expected = pressure * section.chamber_area / section.stiffness;
        for (int c = 0; c < chambers; ++c) { /* each chamber bears its own push */
            assert_true(fabs(fil_arm_chamber_length(world, arm, c) - section.length - expected) < 1e-4 * expected);
        }
        assert_true(fil_arm_shape(world, arm, 0).angle < 1e-9);
        fil_world_destroy(world);
    }
}

/* gradient of the potential energy of one section with weight and tip load, by complex steps */
static void static_force(const FilSoftArm* arm, const double* load, const double* gravity, const double* q, double* force)
{
    for (int k = 0; k < 3; ++k) {
        double move[3], turn[3];
        reference_derivative(arm, (FilArmPlace){0, 1.0}, q, k, move, turn);
        force[k] = arm->sections[0].stiffness * q[k] - fil_v3_dot(move, load);
        for (int i = 0; i < arm->mass_points; ++i) {
            reference_derivative(arm, (FilArmPlace){0, (i + 0.5) / arm->mass_points}, q, k, move, turn);
            force[k] -= arm->sections[0].mass / arm->mass_points * fil_v3_dot(move, gravity);
        }
    }
}

/* solves a 3 x 3 system by Cramer's rule */
static void solve3(const double* a, const double* b, double* x)
{
    double c0[3], c1[3], c2[3];
    fil_v3_cross(c0, a + 3, a + 6);
    fil_v3_cross(c1, a + 6, a);
    fil_v3_cross(c2, a, a + 3);
    const double det = fil_v3_dot(a, c0);
    for (int i = 0; i < 3; ++i) {
        x[i] = (c0[i] * b[0] + c1[i] * b[1] + c2[i] * b[2]) / det;
    }
}

static void tip_load_meets_solved_equilibrium(void** state)
{
    (void)state;
    const double load[3] = {3.0, -2.0, -1.0}, gravity[3] = {0.0, 0.0, -9.81};
    FilWorldDef def = world_def();
    FilWorld* world = make_world(&def);
    FilArmDef arm_def = fil_arm_def_default();
    arm_def.orientation = (FilQuat){1.0, 0.0, 0.0, 0.0}; /* hangs down */
    FilArmSection section = fil_arm_section_default();
    const FilId arm = add_arm(world, 1, &arm_def, &section);
    const FilId drive = add_drive(world, arm, FIL_DRIVE_FORCE, -1, 1); /* the last disk: the tip */
    assert_int_equal(fil_drive_set(world, drive, load, 3), FIL_OK);
    run(world, 10.0);

    FilSoftArm* alone;
    FilError error;
    arm_def.sections = &section;
    arm_def.section_count = 1;
    assert_int_equal(fil_soft_arm_create(&arm_def, &alone, &error), FIL_OK);
    double q[4] = {0.0}, force[3], tangent[9], step[3];
    for (int iteration = 0; iteration < 30; ++iteration) {
        static_force(alone, load, gravity, q, force);
        for (int k = 0; k < 3; ++k) {
            double up[3], down[3];
            const double kept = q[k];
            q[k] = kept + 1e-5;
            static_force(alone, load, gravity, q, up);
            q[k] = kept - 1e-5;
            static_force(alone, load, gravity, q, down);
            q[k] = kept;
            for (int i = 0; i < 3; ++i) {
                tangent[3 * i + k] = (up[i] - down[i]) / 2e-5;
            }
        }
        solve3(tangent, force, step);
        fil_v3_axpy(q, -1.0, step);
    }
    assert_true(fil_v3_norm(force) < 1e-10); /* N: solved */
    double found[3];
    fil_arm_get_state(world, arm, found, NULL);
    print_message("tip load: bent by %.3f rad, off by %.1e m\n", fil_arm_shape(world, arm, 0).angle, fil_v3_distance(found, q));
    assert_true(fil_arm_shape(world, arm, 0).angle > 0.1); /* a load that matters */
    assert_true(fil_v3_distance(found, q) < 1e-7);         /* m: exp(-20) of 0.02 m is left of the motion */
    fil_soft_arm_ops.destroy(alone);
    fil_world_destroy(world);
}

static void damping_brings_rest(void** state)
{
    (void)state;
    FilWorldDef def = world_def();
    FilWorld* world = make_world(&def);
    const FilId arm = add_arm(world, 3, NULL, NULL);
    const double q[9] = {0.03, -0.01, 0.0, -0.02, 0.01, 0.02, 0.0, 0.02, -0.01}, v[9] = {0.5, -0.5, 0.2};
    assert_int_equal(fil_arm_set_state(world, arm, q, v), FIL_OK);
    double before = sample_energy(world), kinetic = fil_world_energy(world).kinetic;
    for (int k = 0; k < 100; ++k) {
        run(world, 0.1);
        const double now = sample_energy(world);
        assert_true(now <= before + 1e-9); /* J: never gains */
        before = now;
    }
    assert_true(fil_world_energy(world).kinetic < 1e-12 * kinetic);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bending_is_linear_in_pressure),
        cmocka_unit_test(any_number_of_chambers),
        cmocka_unit_test(tip_load_meets_solved_equilibrium),
        cmocka_unit_test(damping_brings_rest),
    };
    return cmocka_run_group_tests_name("arm statics", tests, NULL, NULL);
}
