/* Joints: what is refused, which way forces point, and what stays together. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"

static const FilVec3 still = {0.0, 0.0, 0.0};
static const FilId nothing = {0, 0};

static FilId join(FilWorld* world, FilJointKind kind, FilId a, int node_a, FilId b, int node_b, FilVec3 point)
{
    FilJointDef def = fil_joint_def_default();
    def.kind = kind;
    def.a = a;
    def.b = b;
    def.node_a = node_a;
    def.node_b = node_b;
    def.point = point;
    FilId id = {0, 0};
    assert_int_equal(fil_world_add_joint(world, &def, &id), FIL_OK);
    return id;
}

static void bad_joints_are_refused(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    const FilId ball = sample_ball(world, 0.1, 0.0, 0.0, 0.0);
    const FilId rod = sample_rod(world, 11, 5e-3, (FilVec3){1.0, 0.0, 0.0}, (FilVec3){0.02, 0.0, 0.0}, still);
    const FilId foreign = {ball.index, ball.generation + 1};
    const struct {
        FilJointDef def;
        const char* says;
    } cases[] = {
        {{.kind = FIL_JOINT_PIN}, "rods or rigid bodies"},
        {{.kind = FIL_JOINT_PIN, .a = foreign}, "rods or rigid bodies"},
        {{.kind = FIL_JOINT_PIN, .a = ball, .b = foreign}, "rods or rigid bodies"},
        {{.kind = FIL_JOINT_PIN, .a = rod, .node_a = 11}, "no node 11"},
        {{.kind = FIL_JOINT_WELD, .a = ball, .b = rod, .node_b = -12}, "no node -12"},
        {{.kind = FIL_JOINT_WELD, .a = ball, .point = {NAN, 0.0, 0.0}}, "finite"},
        {{.kind = FIL_JOINT_BUSHING, .a = ball}, "stiffness or damping"},
        {{.kind = FIL_JOINT_BUSHING, .a = ball, .stiffness = 1.0, .damping = -1.0}, "negative"},
        {{.kind = FIL_JOINT_BUSHING, .a = ball, .stiffness = INFINITY}, "finite"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        FilId id;
        assert_int_equal(fil_world_add_joint(world, &cases[k].def, &id), FIL_BAD_INPUT);
        if (strstr(fil_world_error(world), cases[k].says) == NULL) {
            fail_msg("'%s' does not say '%s'", fil_world_error(world), cases[k].says);
        }
    }
    fil_world_destroy(world);
}

static void joints_have_names(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    FilJointDef def = fil_joint_def_default();
    def.a = sample_ball(world, 0.1, 0.0, 0.0, 0.0);
    def.name = "hook";
    FilId hook, other;
    assert_int_equal(fil_world_add_joint(world, &def, &hook), FIL_OK);
    assert_int_equal(fil_world_add_joint(world, &def, &other), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "hook"));
    def.name = NULL;
    assert_int_equal(fil_world_add_joint(world, &def, &other), FIL_OK);
    assert_int_equal(fil_world_find_joint(world, "hook").index, hook.index);
    assert_int_equal(fil_world_find_joint(world, "nobody").index, 0);
    fil_world_destroy(world);
}

/* The force is what b gets: the upper of two bodies hangs the lower. */
static void forces_point_at_the_second_body(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    const FilId upper = sample_ball(world, 0.05, 0.0, 0.0, 0.0), lower = sample_ball(world, 0.05, 0.0, 0.0, -0.2);
    const FilId top = join(world, FIL_JOINT_PIN, upper, 0, nothing, 0, (FilVec3){0.0, 0.0, 0.0});
    const FilId down = join(world, FIL_JOINT_PIN, upper, 0, lower, 0, (FilVec3){0.0, 0.0, -0.1});
    const FilId up = join(world, FIL_JOINT_WELD, lower, 0, upper, 0, (FilVec3){0.0, 0.0, -0.1});
    sample_run(world, 500);
    const double weight = fil_rigid_mass(world, upper) * 9.81;
    assert_true(fabs(fil_joint_force(world, top).z + 2.0 * weight) < 1e-4 * weight);
    // two joints share what the lower one weighs, each with its own sign
    assert_true(fil_joint_force(world, down).z > 0.0 && fil_joint_force(world, up).z < 0.0);
    assert_true(fabs(fil_joint_force(world, down).z - fil_joint_force(world, up).z - weight) < 1e-4 * weight);
    fil_world_destroy(world);
}

/* A swinging double pendulum stays together, to about (spin dt)^2/2 of its arms, which whirl at up to 60 rad/s. */
static void pins_hold_while_swinging(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 5e-4);
    const FilId a = sample_cube(world, 0.05, 0.1, 0.0, 0.0), b = sample_cube(world, 0.05, 0.3, 0.0, 0.0);
    join(world, FIL_JOINT_PIN, a, 0, nothing, 0, still);
    join(world, FIL_JOINT_PIN, a, 0, b, 0, (FilVec3){0.2, 0.0, 0.0});
    for (int k = 0; k < 4000; k++) {
        sample_run(world, 1);
        // the centres stay where the pins allow: 0.1 from the world's, at most 0.2 from each other
        assert_true(fabs(sample_distance(sample_position(world, a), still) - 0.1) < 1e-4);
        assert_true(sample_distance(sample_position(world, a), sample_position(world, b)) < 0.2 + 2e-4);
    }
    fil_world_destroy(world);
}

/* Rods pinned to each other at inner nodes cross there for good, without contact between them. */
static void joined_rods_do_not_collide_at_the_joint(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    const FilId a = sample_rod(world, 21, 5e-3, (FilVec3){-0.1, 0.0, 0.0}, (FilVec3){0.01, 0.0, 0.0}, still);
    const FilId b = sample_rod(world, 21, 5e-3, (FilVec3){0.0, -0.1, 0.0}, (FilVec3){0.0, 0.01, 0.0}, still);
    const FilId cube = sample_cube(world, 0.04, -0.12, 0.0, 0.0);
    join(world, FIL_JOINT_PIN, a, 10, b, 10, still);
    join(world, FIL_JOINT_WELD, a, 0, cube, 0, still);
    FilStepInfo info = {0};
    for (int k = 0; k < 200; k++) {
        info = sample_run(world, 1);
        assert_int_equal(info.contacts, 0);
        assert_int_equal(info.crossings, 0);
    }
    // all fall together
    assert_true(sample_distance(sample_node(world, a, 10), sample_node(world, b, 10)) < 1e-6);
    assert_true(fabs(sample_node(world, b, 0).z - sample_position(world, cube).z) < 1e-6);
    fil_world_destroy(world);
}

/* The same bodies without a joint push each other apart, so the test above can fail. */
static void without_a_joint_they_do(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    sample_rod(world, 21, 5e-3, (FilVec3){-0.1, 0.0, 0.0}, (FilVec3){0.01, 0.0, 0.0}, still);
    sample_rod(world, 21, 5e-3, (FilVec3){0.0, -0.1, 0.0}, (FilVec3){0.0, 0.01, 0.0}, still);
    assert_true(sample_run(world, 1).contacts > 0);
    fil_world_destroy(world);
}

/* A body that is moved takes along what is welded to it, and reads what that weighs. */
static void kinematic_bodies_carry(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    FilShapeDef shape = fil_shape_def_default();
    shape.radius = 0.05;
    FilRigidDef def = fil_rigid_def_default();
    def.name = "hand";
    def.motion = FIL_KINEMATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    FilId hand, drive;
    assert_int_equal(fil_world_add_rigid(world, &def, &hand), FIL_OK);
    const FilId cube = sample_cube(world, 0.05, 0.0, 0.0, -0.1);
    const FilId weld = join(world, FIL_JOINT_WELD, hand, 0, cube, 0, (FilVec3){0.0, 0.0, -0.05});
    FilDriveDef move = fil_drive_def_default();
    move.kind = FIL_DRIVE_VELOCITY;
    move.attachment = fil_world_find_attachment(world, "hand");
    assert_int_equal(fil_world_add_drive(world, &move, &drive), FIL_OK);
    const double velocity[3] = {0.2, 0.0, 0.1};
    assert_int_equal(fil_drive_set(world, drive, velocity, 3), FIL_OK);
    sample_run(world, 1000);
    assert_true(sample_distance(sample_position(world, hand), (FilVec3){0.2, 0.0, 0.1}) < 1e-9);
    assert_true(sample_distance(sample_position(world, cube), (FilVec3){0.2, 0.0, 0.0}) < 1e-5);
    assert_true(fabs(fil_joint_force(world, weld).z - fil_rigid_mass(world, cube) * 9.81) < 1e-3);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_joints_are_refused),
        cmocka_unit_test(joints_have_names),
        cmocka_unit_test(forces_point_at_the_second_body),
        cmocka_unit_test(pins_hold_while_swinging),
        cmocka_unit_test(joined_rods_do_not_collide_at_the_joint),
        cmocka_unit_test(without_a_joint_they_do),
        cmocka_unit_test(kinematic_bodies_carry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
