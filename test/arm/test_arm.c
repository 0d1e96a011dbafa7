/* Soft arms in a world: contact, joints, state, and what is refused. */
#include "arm/arm_world.h"
#include "sample.h"

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
    assert_int_equal(fil_world_add_rigid(world, &body, &sphere), FIL_OK);
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
    FilId id, object;
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
        assert_int_equal(fil_world_add_rigid(world, &body, &object), FIL_OK);
        joint.kind = FIL_JOINT_WELD;
        joint.b = object;
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
        assert_int_equal(fil_world_add_rod(world, &rod, &object), FIL_OK);
        joint.b = object;
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

static void run_on(FilWorld* world)
{
    run(world, 0.1);
}

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
    sample_repeat(world, run_on);
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
    assert_string_equal(fil_world_error(world), "no such arm: the id is null");

    FilDriveDef drive = fil_drive_def_default();
    FilId id;
    drive.name = "air";
    drive.object = arm;
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
    hold.object = arm;
    assert_int_equal(fil_world_add_attachment(world, &hold, &id), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "attachment 'hold' on 'arm': an arm stands on its base and has no attachments; hold it by a joint");
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm_rests_on_a_sphere),      cmocka_unit_test(tip_bears_bodies_and_rods), cmocka_unit_test(joints_need_a_disk_that_moves),
        cmocka_unit_test(saves_restores_and_repeats), cmocka_unit_test(poses_and_names),           cmocka_unit_test(bad_arms_are_refused),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests_name("arm", tests, NULL, NULL);
}
