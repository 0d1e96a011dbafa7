/* Soft arms in a world: statics, energy, valves, contact, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arm/reference.h"
#include "filum/filum.h"

static const double masses[3] = {1.17, 0.54, 0.265}; /* P1 V-B */

static FilWorldDef world_def(void)
{
    FilWorldDef def = fil_world_def_default();
    def.dt = 1e-3;
    return def;
}

static FilWorld* make_world(const FilWorldDef* def)
{
    FilWorld* world = NULL;
    FilError error;
    assert_int_equal(fil_world_create(def, &world, &error), FIL_OK);
    return world;
}

/* P1's arm, or the first sections of it */
static FilId add_arm(FilWorld* world, int count, const FilArmDef* given, FilArmSection* sections)
{
    FilArmSection own[3];
    FilArmDef def = given != NULL ? *given : fil_arm_def_default();
    for (int k = 0; k < count && sections == NULL; ++k) {
        own[k] = fil_arm_section_default();
        own[k].mass = masses[k];
    }
    def.name = "arm";
    def.sections = sections != NULL ? sections : own;
    def.section_count = count;
    FilId arm;
    assert_int_equal(fil_world_add_arm(world, &def, &arm), FIL_OK);
    return arm;
}

static FilId add_drive(FilWorld* world, FilId arm, FilDriveKind kind, int first, int count)
{
    FilDriveDef def = fil_drive_def_default();
    def.kind = kind;
    def.rod = arm;
    def.first = first;
    def.count = count;
    FilId drive;
    assert_int_equal(fil_world_add_drive(world, &def, &drive), FIL_OK);
    return drive;
}

static void run(FilWorld* world, double duration)
{
    const int steps = (int)lround(duration / fil_world_dt(world));
    for (int k = 0; k < steps; ++k) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fail_msg("%s", fil_world_error(world));
        }
    }
}

static double total_energy(const FilWorld* world)
{
    const FilEnergy energy = fil_world_energy(world);
    return energy.kinetic + energy.elastic + energy.gravity;
}

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
static void static_force(const FilSoftArm* arm, const double* load, const double* gravity, const double* q,
                         double* force)
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
    print_message("tip load: bent by %.3f rad, off by %.1e m\n", fil_arm_shape(world, arm, 0).angle,
                  fil_v3_distance(found, q));
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
    double before = total_energy(world), kinetic = fil_world_energy(world).kinetic;
    for (int k = 0; k < 100; ++k) {
        run(world, 0.1);
        const double now = total_energy(world);
        assert_true(now <= before + 1e-9); /* J: never gains */
        before = now;
    }
    assert_true(fil_world_energy(world).kinetic < 1e-12 * kinetic);
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
    for (int k = 0; k < 3; ++k) {
        sections[k] = fil_arm_section_default();
        sections[k].mass = masses[k];
        sections[k].damping = 0.0;
        sections[k].elongation[0] = 0.03;
        sections[k].elongation[1] = -0.02;
        sections[k].rate[2] = 0.3;
    }
    add_arm(world, 3, &arm_def, sections);
    const double start = total_energy(world);
    double swing = 0.0, worst = 0.0;
    for (int k = 0; k < 100; ++k) {
        run(world, duration / 100.0);
        swing = fmax(swing, fil_world_energy(world).kinetic);
        worst = fmax(worst, fabs(total_energy(world) - start));
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
    print_message("energy over 10 s: %.1e full, %.1e without rotation; over 1 s without Coriolis terms: %.1e\n", full,
                  points, without);
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
            centre[when][0] += 0.25 * masses[0] * p.x, centre[when][1] += 0.25 * masses[0] * p.y;
            centre[when][2] += 0.25 * masses[0] * p.z;
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
        for (int s = 0; s < 2; ++s) {
            sections[s] = fil_arm_section_default();
            sections[s].damping = 5.0;
            sections[s].elongation[0] = 0.02;
        }
        const FilId arm = add_arm(world, 2, &arm_def, sections);
        run(world, 0.2);
        FilVec3 p;
        FilQuat o;
        fil_arm_tip_pose(world, arm, &p, &o);
        tip[k][0] = p.x, tip[k][1] = p.y, tip[k][2] = p.z;
        fil_world_destroy(world);
    }
    for (int k = 0; k < 5; ++k) {
        print_message("tip of integrator %d: off by %.1e m\n", k, fil_v3_distance(tip[k], tip[2]));
        assert_true(fil_v3_distance(tip[k], tip[2]) <
                    2e-3); /* first order: dt times accelerations of 50 m/s^2 for 0.2 s */
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
        for (int s = 0; s < 3; ++s) {
            sections[s] = fil_arm_section_default();
            sections[s].mass = masses[s];
            sections[s].damping = 2.0;
            sections[s].elongation[0] = 0.02;
        }
        const FilId arm = add_arm(world, 3, &arm_def, sections);
        run(world, 0.5);
        FilVec3 p;
        FilQuat o;
        fil_arm_tip_pose(world, arm, &p, &o);
        tip[k][0] = p.x, tip[k][1] = p.y, tip[k][2] = p.z;
        fil_world_destroy(world);
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
        assert_true(fabs(fil_arm_pressure(world, arm, 1) - command * (1.0 - exp(-0.1 / lag)) * exp(-0.1 / lag)) <
                    1e-9 * command);
        fil_world_destroy(world);
    }
    print_message("angle at dt 1e-4 and 1e-2: %.6f, %.6f\n", angle[0], angle[1]);
    assert_true(fabs(angle[1] - angle[0]) < 0.02 * angle[0]); /* first order: dt / (damping over stiffness) = 2 % */
}

/* ---- contact ---- */

static void rest_on_a_sphere(FilArmScheme scheme)
{
    FilWorldDef def = world_def();
    def.contact_model = "sap";
    FilWorld* world = make_world(&def);
    FilArmDef arm_def = fil_arm_def_default();
    arm_def.orientation = (FilQuat){0.0, 0.7071067811865476, 0.0, 0.7071067811865476}; /* along x, sags */
    arm_def.scheme = scheme;
    const FilId arm = add_arm(world, 3, &arm_def, NULL);
    FilShapeDef ball = fil_shape_def_default();
    ball.radius = 0.08;
    FilRigidDef body = fil_rigid_def_default();
    body.motion = FIL_STATIC;
    body.position = (FilVec3){0.3, 0.0, -0.16};
    body.shapes = &ball;
    body.shape_count = 1;
    FilId sphere;
    assert_int_equal(fil_world_add_rigid_body(world, &body, &sphere), FIL_OK);
    double deepest = 0.0;
    int touched = 0;
    for (int k = 0; k < 3000; ++k) {
        FilStepInfo info;
        assert_int_equal(fil_world_step(world, &info), FIL_OK);
        deepest = fmax(deepest, info.max_penetration);
        touched += info.contacts > 0;
    }
    FilVec3 force, torque;
    fil_world_contact_wrench(world, arm, &force, &torque);
    print_message("contact in %d of 3000 steps, deepest %.1e m, held up by %.2f N\n", touched, deepest, force.z);
    assert_true(touched > 1000);
    assert_true(deepest < 1e-4); /* m, of disks of 45 mm */
    assert_true(force.z > 1.0);  /* N, of an arm of 19 N */

    /* at rest the contacts and the arm's own stiffness balance: the generalised forces do */
    double rates[9], speed = 0.0;
    fil_arm_get_state(world, arm, NULL, rates);
    for (int k = 0; k < 9; ++k) {
        speed = fmax(speed, fabs(rates[k]));
    }
    assert_true(speed < 1e-3); /* m/s: creeps at most */
    fil_world_destroy(world);
}

static void arm_rests_on_a_sphere(void** state)
{
    (void)state;
    rest_on_a_sphere(FIL_ARM_SEMI_IMPLICIT);
    rest_on_a_sphere(FIL_ARM_IMPLICIT);
    rest_on_a_sphere(FIL_ARM_RK23);
}

/* ---- joints ---- */

/* elongations of a hanging arm whose tip bears 2 N: as a force, as a welded ball, as a pinned rod */
static void tip_elongations(int kind, double* found)
{
    const double weight = 2.0, g = 9.81;
    FilWorldDef def = world_def();
    FilWorld* world = make_world(&def);
    FilArmDef arm_def = fil_arm_def_default();
    arm_def.orientation = (FilQuat){0.8660254037844386, 0.0, 0.0, 0.5}; /* down and aside */
    const FilId arm = add_arm(world, 2, &arm_def, NULL);
    FilVec3 tip;
    FilQuat orientation;
    fil_arm_tip_pose(world, arm, &tip, &orientation);
    FilJointDef joint = fil_joint_def_default();
    FilId id, thing;
    joint.a = arm;
    joint.node_a = -1;
    joint.point = tip;
    if (kind == 0) {
        const double force[3] = {0.0, 0.0, -weight};
        const FilId drive = add_drive(world, arm, FIL_DRIVE_FORCE, -1, 1);
        assert_int_equal(fil_drive_set(world, drive, force, 3), FIL_OK);
    } else if (kind == 1) {
        FilShapeDef ball = fil_shape_def_default();
        FilRigidDef body = fil_rigid_def_default();
        ball.radius = 0.02;
        body.position = tip;
        body.shapes = &ball;
        body.shape_count = 1;
        body.mass = weight / g;
        assert_int_equal(fil_world_add_rigid_body(world, &body, &thing), FIL_OK);
        joint.kind = FIL_JOINT_WELD;
        joint.b = thing;
        assert_int_equal(fil_world_add_joint(world, &joint, &id), FIL_OK);
    } else {
        double nodes[3 * 6];
        for (int k = 0; k < 6; ++k) {
            nodes[3 * k] = tip.x, nodes[3 * k + 1] = tip.y, nodes[3 * k + 2] = tip.z - 0.02 * k;
        }
        FilRodDef rod = fil_rod_def_default();
        rod.node_count = 6;
        rod.nodes = nodes;
        rod.damping_mass = 5.0;
        rod.section = (FilSection){.shape = FIL_SECTION_STIFFNESS,
                                   .radius = 0.002,
                                   .ea = 1e4,
                                   .ei1 = 1e-3,
                                   .ei2 = 1e-3,
                                   .gj = 1e-3,
                                   .mass_per_length = weight / g / 0.1,
                                   .inertia_per_length = 1e-5};
        assert_int_equal(fil_world_add_rod(world, &rod, &thing), FIL_OK);
        joint.b = thing;
        assert_int_equal(fil_world_add_joint(world, &joint, &id), FIL_OK);
    }
    run(world, 10.0);
    fil_arm_get_state(world, arm, found, NULL);
    fil_world_destroy(world);
}

static void tip_bears_bodies_and_rods(void** state)
{
    (void)state;
    double force[6], ball[6], rod[6], off[2] = {0.0, 0.0};
    tip_elongations(0, force);
    tip_elongations(1, ball);
    tip_elongations(2, rod);
    for (int k = 0; k < 6; ++k) {
        off[0] = fmax(off[0], fabs(ball[k] - force[k]));
        off[1] = fmax(off[1], fabs(rod[k] - force[k]));
    }
    print_message("a ball's weight is off by %.1e m, a rod's by %.1e m\n", off[0], off[1]);
    assert_true(fabs(force[0]) > 1e-3); /* m: the load matters */
    assert_true(off[0] < 1e-6);         /* m: both are at rest, the joint's point is the tip */
    assert_true(off[1] < 1e-6);
}

static void joints_need_a_disk_that_moves(void** state)
{
    (void)state;
    FilWorldDef def = world_def();
    FilWorld* world = make_world(&def);
    FilJointDef joint = fil_joint_def_default();
    FilId id;
    joint.name = "hold";
    joint.a = add_arm(world, 1, NULL, NULL);
    assert_int_equal(fil_world_add_joint(world, &joint, &id), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "joint 'hold': arm 'arm' has disks 1 to 4, no disk 0");
    joint.node_a = 5;
    assert_int_equal(fil_world_add_joint(world, &joint, &id), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "joint 'hold': arm 'arm' has disks 1 to 4, no disk 5");
    fil_world_destroy(world);
}

/* ---- state ---- */

static void saves_restores_and_repeats(void** state)
{
    (void)state;
    FilWorldDef def = world_def();
    FilWorld* world = make_world(&def);
    FilArmDef arm_def = fil_arm_def_default();
    arm_def.valve_time = 0.1;
    const FilId arm = add_arm(world, 3, &arm_def, NULL);
    const FilId drive = add_drive(world, arm, FIL_DRIVE_PRESSURE, 0, 2);
    const double pressure = 1e4;
    assert_int_equal(fil_drive_set(world, drive, &pressure, 1), FIL_OK);
    run(world, 0.05);
    const size_t size = fil_world_snapshot_size(world);
    void* snapshot = malloc(size);
    fil_world_save(world, snapshot);
    run(world, 0.1);
    const uint64_t hash = fil_world_hash(world);
    assert_int_equal(fil_world_restore(world, snapshot, size), FIL_OK);
    assert_true(fil_world_hash(world) != hash);
    run(world, 0.1);
    assert_true(fil_world_hash(world) == hash);
    free(snapshot);
    fil_world_destroy(world);
}

/* poses of disks, tip and any place agree where they are the same; velocities are those of the pose */
static void poses_and_names(void** state)
{
    (void)state;
    FilWorldDef def = world_def();
    FilWorld* world = make_world(&def);
    const FilId arm = add_arm(world, 3, NULL, NULL);
    const double q[9] = {0.03, -0.01, 0.0, -0.02, 0.01, 0.02, 0.0, 0.02, -0.01}, v[9] = {0.1, 0.2, -0.1, 0.3, 0.0, 0.1};
    assert_int_equal(fil_arm_set_state(world, arm, q, v), FIL_OK);
    assert_string_equal(fil_arm_name(world, arm), "arm");
    assert_int_equal(fil_world_arm_count(world), 1);
    assert_int_equal(fil_world_find_arm(world, "arm").index, arm.index);
    assert_int_equal(fil_world_arm_at(world, 0).index, arm.index);
    assert_int_equal(fil_world_find_arm(world, "leg").index, 0);
    assert_int_equal(fil_arm_section_count(world, arm), 3);
    assert_int_equal(fil_arm_disk_count(world, arm), 13);
    assert_int_equal(fil_world_dofs(world), 9);
    FilVec3 tip, disk, place, base, velocity, spin, later;
    FilQuat a, b, c, d;
    fil_arm_tip_pose(world, arm, &tip, &a);
    fil_arm_disk_pose(world, arm, 12, &disk, &b);
    fil_arm_pose(world, arm, 2, 1.0, &place, &c);
    fil_arm_disk_pose(world, arm, 0, &base, &d);
    assert_true(fabs(tip.x - disk.x) + fabs(tip.y - disk.y) + fabs(tip.z - disk.z) < 1e-15);
    assert_true(fabs(tip.x - place.x) + fabs(tip.y - place.y) + fabs(tip.z - place.z) < 1e-15);
    assert_true(fabs(a.w - b.w) + fabs(a.x - c.x) < 1e-15);
    assert_true(fabs(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w - 1.0) < 1e-14);
    assert_true(base.x == 0.0 && base.y == 0.0 && base.z == 0.0 && d.w == 1.0);
    double radius, thickness;
    fil_arm_disk_size(world, arm, 5, &radius, &thickness);
    assert_true(radius == 0.045 && thickness == 0.01);
    fil_arm_disk_velocity(world, arm, 12, &velocity, &spin);
    double moved[9];
    for (int k = 0; k < 9; ++k) {
        moved[k] = q[k] + 1e-7 * v[k];
    }
    assert_int_equal(fil_arm_set_state(world, arm, moved, v), FIL_OK);
    fil_arm_tip_pose(world, arm, &later, &b);
    assert_true(fabs((later.x - tip.x) / 1e-7 - velocity.x) < 1e-5); /* first differences over 1e-7 s */
    assert_true(fabs((later.y - tip.y) / 1e-7 - velocity.y) < 1e-5);
    assert_true(fabs((later.z - tip.z) / 1e-7 - velocity.z) < 1e-5);
    fil_world_destroy(world);
}

/* ---- bad input ---- */

static void refused(FilWorld* world, const FilArmDef* def, const char* message)
{
    FilId arm;
    assert_int_equal(fil_world_add_arm(world, def, &arm), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), message);
    assert_int_equal(fil_world_arm_count(world), 0);
}

static void bad_arms_are_refused(void** state)
{
    (void)state;
    FilWorldDef world_settings = world_def();
    FilWorld* world = make_world(&world_settings);
    FilArmSection good = fil_arm_section_default(), section = good;
    FilArmDef def = fil_arm_def_default();
    def.name = "a";
    def.section_count = 1;
    refused(world, &def, "arm 'a': needs 1 to 30 sections, not 0");
    def.sections = &section;
    def.section_count = 33;
    refused(world, &def, "arm 'a': needs 1 to 30 sections, not 33");
    def.section_count = 1;
    section.chambers = 0;
    refused(world, &def, "arm 'a': section 0: needs three chambers or more, not 0");
    section = good, section.stiffness = -1.0;
    refused(world, &def, "arm 'a': section 0: the stiffness must be zero or positive, not -1");
    section = good, section.damping = NAN;
    refused(world, &def, "arm 'a': section 0: the damping must be zero or positive, not nan");
    section = good, section.length = 0.0;
    refused(world, &def, "arm 'a': section 0: the length must be positive, not 0");
    section = good, section.mass = -2.0;
    refused(world, &def, "arm 'a': section 0: the mass must be positive, not -2");
    section = good, section.chamber_offset = 0.0;
    refused(world, &def, "arm 'a': section 0: the chamber offset must be positive, not 0");
    section = good, section.disks = -1;
    refused(world, &def, "arm 'a': section 0: the number of disks must not be negative, got -1");
    section = good, section.elongation[1] = -0.9;
    refused(world, &def, "arm 'a': section 0: its elongations leave it a length of -0.15 m");
    section = good, section.rate[0] = INFINITY;
    refused(world, &def, "arm 'a': section 0: its chamber angle, elongations and rates must be finite");
    section = good, def.mass_points = 0;
    refused(world, &def, "arm 'a': needs one mass point per section or more, not 0");
    def.mass_points = 4, def.rk_tolerance = 0.0;
    refused(world, &def, "arm 'a': unknown scheme 0, or its tolerance 0 is not between 0 and 1");
    def.rk_tolerance = 1e-4, def.valve_time = -0.1;
    refused(world, &def, "arm 'a': the valve time must be zero or positive, not -0.1 s");
    def.valve_time = 0.0, def.orientation = (FilQuat){0.0, 0.0, 0.0, 0.0};
    refused(world, &def, "arm 'a': the position of the base is not finite, or its orientation is no rotation");
    fil_world_destroy(world);
}

static void bad_calls_are_refused(void** state)
{
    (void)state;
    FilWorldDef def = world_def();
    FilWorld* world = make_world(&def);
    const FilId arm = add_arm(world, 1, NULL, NULL);
    const double far[3] = {-1.0, 0.0, 0.0}, zero[3] = {0.0, 0.0, 0.0}, bad[3] = {NAN, 0.0, 0.0};
    assert_int_equal(fil_arm_set_state(world, arm, far, zero), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "the given state leaves section 0 a length of -0.183333 m");
    assert_int_equal(fil_arm_set_state(world, arm, bad, zero), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "the given state of the arm is not finite");
    assert_int_equal(fil_arm_set_state(world, (FilId){0}, zero, zero), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "no such arm");

    FilDriveDef drive = fil_drive_def_default();
    FilId id;
    drive.name = "air";
    drive.rod = arm;
    drive.kind = FIL_DRIVE_PRESSURE;
    drive.first = 3;
    drive.count = 1;
    assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "drive 'air': the range from 3, 1 long, is not on 'arm', which has 3");
    drive.kind = FIL_DRIVE_CURVATURE;
    drive.first = 0;
    assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_BAD_INPUT);

    FilAttachmentDef hold = fil_attachment_def_default();
    hold.name = "hold";
    hold.rod = arm;
    assert_int_equal(fil_world_add_attachment(world, &hold, &id), FIL_BAD_INPUT);
    assert_string_equal(
        fil_world_error(world),
        "attachment 'hold' on 'arm': an arm stands on its base and has no attachments; hold it by a joint");
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bending_is_linear_in_pressure),
        cmocka_unit_test(any_number_of_chambers),
        cmocka_unit_test(tip_load_meets_solved_equilibrium),
        cmocka_unit_test(damping_brings_rest),
        cmocka_unit_test(undamped_arm_keeps_its_energy),
        cmocka_unit_test(momentum_is_that_of_the_slices),
        cmocka_unit_test(integrators_agree),
        cmocka_unit_test(sub_steps_follow_their_tolerance),
        cmocka_unit_test(valves_lag_alike_at_any_dt),
        cmocka_unit_test(arm_rests_on_a_sphere),
        cmocka_unit_test(tip_bears_bodies_and_rods),
        cmocka_unit_test(joints_need_a_disk_that_moves),
        cmocka_unit_test(saves_restores_and_repeats),
        cmocka_unit_test(poses_and_names),
        cmocka_unit_test(bad_arms_are_refused),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests_name("arm", tests, NULL, NULL);
}
