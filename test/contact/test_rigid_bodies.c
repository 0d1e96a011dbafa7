/* Rigid bodies through the public interface: mass, frames, motion, shapes, scripts and loads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"

static const FilVec3 still = {0.0, 0.0, 0.0};

static FilId add(FilWorld* world, const FilRigidDef* def)
{
    FilId id = {0, 0};
    assert_int_equal(fil_world_add_rigid(world, def, &id), FIL_OK);
    return id;
}

static void mass_comes_from_shapes(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    FilShapeDef shapes[2] = {fil_shape_def_default(), fil_shape_def_default()};
    shapes[0].type = FIL_SHAPE_BOX;
    shapes[0].size = (FilVec3){0.1, 0.2, 0.3};
    shapes[1].radius = 0.1;
    shapes[1].position = (FilVec3){1.0, 0.0, 0.0};
    shapes[1].density = 2000.0;
    FilRigidDef def = fil_rigid_def_default();
    def.shapes = shapes;
    def.shape_count = 2;
    def.density = 500.0;
    const FilId compound = add(world, &def);
    assert_true(fabs(fil_rigid_mass(world, compound) - (3.0 + 2000.0 * 4.0 / 3.0 * M_PI * 1e-3)) < 1e-9);
    assert_int_equal(fil_rigid_shape_count(world, compound), 2);
    assert_true(fil_rigid_shape(world, compound, 1).position.x == 1.0 && fil_rigid_shape(world, compound, 0).size.y == 0.2);
    def.mass = 7.0;
    assert_true(fil_rigid_mass(world, add(world, &def)) == 7.0);
    def.motion = FIL_STATIC;
    assert_true(fil_rigid_mass(world, add(world, &def)) == 0.0);
    fil_world_destroy(world);
}

/* A dumb-bell of unequal balls, thrown: its centre of mass flies straight, its frame, which is elsewhere, circles it.
 */
static void bodies_fly_about_their_centre_of_mass(void** state)
{
    (void)state;
    FilWorldDef setup = fil_world_def_default();
    setup.integrator = FIL_MIDPOINT;
    setup.gravity = still;
    setup.dt = 1e-3;
    FilWorld* world = NULL;
    FilError error;
    assert_int_equal(fil_world_create(&setup, &world, &error), FIL_OK);
    FilShapeDef shapes[2] = {fil_shape_def_default(), fil_shape_def_default()};
    shapes[0].radius = shapes[1].radius = 0.05;
    shapes[1].position.x = 0.4;
    shapes[1].density = 3000.0;
    FilRigidDef def = fil_rigid_def_default();
    def.shapes = shapes;
    def.shape_count = 2;
    def.velocity = (FilVec3){1.0, 0.0, 0.0};
    def.angular_velocity = (FilVec3){0.0, 0.0, M_PI};
    const FilId body = add(world, &def);
    sample_run(world, 1000);  // half a turn
    // the centre of mass was at 0.3 and is at 1.3; the frame, 0.3 behind it, is now 0.3 ahead
    assert_true(sample_distance(sample_position(world, body), (FilVec3){1.6, 0.0, 0.0}) < 1e-9);
    FilVec3 p, v, w;
    FilQuat q;
    fil_rigid_get_pose(world, body, &p, &q);
    fil_rigid_get_velocity(world, body, &v, &w);
    assert_true(fabs(fabs(q.z) - 1.0) < 1e-9 && fabs(w.z - M_PI) < 1e-9 && sample_distance(v, (FilVec3){1.0, 0.0, 0.0}) < 1e-12);
    fil_world_destroy(world);
}

/* Momentum and turning of a body under a force and a torque. */
static void loads_accelerate(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    assert_int_equal(fil_world_set_gravity(world, still), FIL_OK);
    const FilId cube = sample_cube(world, 0.1, 0.0, 0.0, 0.0);  // 1 kg, inertia 1/600 kg m^2
    FilDriveDef drive = fil_drive_def_default();
    FilId id;
    drive.object = cube;
    drive.kind = FIL_DRIVE_FORCE;
    assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_OK);
    const double force[3] = {2.0, 0.0, 0.0}, torque[3] = {0.0, 0.0, 0.01};
    assert_int_equal(fil_drive_set(world, id, force, 3), FIL_OK);
    drive.kind = FIL_DRIVE_TORQUE;
    assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_OK);
    assert_int_equal(fil_drive_set(world, id, torque, 3), FIL_OK);
    sample_run(world, 500);
    FilVec3 v, w;
    fil_rigid_get_velocity(world, cube, &v, &w);
    assert_true(fabs(v.x - 1.0) < 1e-9 && fabs(w.z - 3.0) < 1e-9);
    // no such load for what cannot move, no curvature for a body
    drive.object = sample_ground(world);
    assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_BAD_INPUT);
    drive.object = cube;
    drive.kind = FIL_DRIVE_CURVATURE;
    assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_BAD_INPUT);
    fil_world_destroy(world);
}

/* Damping slows by 1/(1 + dt d) a step. */
static void damping_slows(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    assert_int_equal(fil_world_set_gravity(world, still), FIL_OK);
    FilShapeDef shape = fil_shape_def_default();
    shape.radius = 0.1;
    FilRigidDef def = sample_rigid_def(&shape);
    def.velocity = (FilVec3){1.0, 0.0, 0.0};
    def.angular_velocity = (FilVec3){0.0, 2.0, 0.0};
    def.damping_linear = 2.0;
    def.damping_angular = 5.0;
    const FilId ball = add(world, &def);
    sample_run(world, 100);
    FilVec3 v, w;
    fil_rigid_get_velocity(world, ball, &v, &w);
    assert_true(fabs(v.x - pow(1.002, -100.0)) < 1e-12 && fabs(w.y - 2.0 * pow(1.005, -100.0)) < 1e-12);
    fil_world_destroy(world);
}

/* A scripted plate goes where its drives say, carries by friction and cannot be stopped. */
static void scripted_bodies_push(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_BOX;
    shape.size = (FilVec3){1.0, 1.0, 0.1};
    FilRigidDef def = fil_rigid_def_default();
    def.name = "belt";
    def.motion = FIL_KINEMATIC;
    def.position.z = -0.05;
    def.shapes = &shape;
    def.shape_count = 1;
    const FilId belt = add(world, &def), cube = sample_cube(world, 0.05, 0.0, 0.0, 0.025);
    FilDriveDef drive = fil_drive_def_default();
    drive.kind = FIL_DRIVE_VELOCITY;
    drive.attachment = fil_world_find_attachment(world, "belt");
    FilId id;
    assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_OK);
    const double velocity[3] = {0.3, 0.0, 0.0};
    assert_int_equal(fil_drive_set(world, id, velocity, 3), FIL_OK);
    sample_run(world, 500);
    assert_true(fabs(sample_position(world, belt).x - 0.15) < 1e-12);
    assert_true(fabs(sample_velocity(world, cube).x - 0.3) < 1e-4);
    fil_world_destroy(world);
}

/* Each shape lies on the ground at its own height and stays. */
static void every_shape_rests(void** state)
{
    (void)state;
    static const double tetrahedron[12] = {0.1, 0.1, 0.1, -0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 0.1, -0.1, -0.1};
    FilShapeDef shapes[5];
    for (int k = 0; k < 5; k++) {
        shapes[k] = fil_shape_def_default();
        shapes[k].radius = 0.05;
        shapes[k].length = 0.1;
        shapes[k].size = (FilVec3){0.1, 0.1, 0.1};
        shapes[k].points = tetrahedron;
        shapes[k].point_count = 4;
    }
    shapes[0].type = FIL_SHAPE_SPHERE;
    shapes[1].type = FIL_SHAPE_CYLINDER;  // upright
    shapes[2].type = FIL_SHAPE_BOX;
    shapes[3].type = FIL_SHAPE_HULL;  // on a face: its centre is a quarter of its height, 0.4/sqrt(12), up
    shapes[4].type = FIL_SHAPE_CAPSULE;
    shapes[4].orientation = (FilQuat){0.0, sin(M_PI / 4.0), 0.0, cos(M_PI / 4.0)};  // lying
    const double heights[5] = {0.05, 0.05, 0.05, 0.1 / sqrt(3.0), 0.05};
    for (int k = 0; k < 5; k++) {
        FilWorld* world = sample_world("sap", 1e-3);
        sample_ground(world);
        FilRigidDef def = fil_rigid_def_default();
        def.shapes = &shapes[k];
        def.shape_count = 1;
        def.position.z = heights[k] + 1e-3;
        if (k == 3) {
            // the vertex along (1, 1, 1)/sqrt(3) points up after half a turn about the axis midway between it and z
            const double x = 1.0 / sqrt(3.0), z = x + 1.0, size = sqrt(2.0 * x * x + z * z);
            def.orientation = (FilQuat){x / size, x / size, z / size, 0.0};
        }
        const FilId body = add(world, &def);
        sample_run(world, 1000);
        assert_true(fabs(sample_position(world, body).z - heights[k]) < 1e-4);
        assert_true(sample_distance(sample_velocity(world, body), still) < 1e-4);
        fil_world_destroy(world);
    }
}

static void bodies_are_found_by_name(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    FilShapeDef shape = fil_shape_def_default();
    shape.radius = 0.1;
    FilRigidDef def = sample_rigid_def(&shape);
    def.name = "ball";
    const FilId ball = add(world, &def);
    FilId other;
    assert_int_equal(fil_world_add_rigid(world, &def, &other), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "ball"));
    assert_int_equal(fil_world_find_rigid(world, "ball").index, ball.index);
    assert_int_equal(fil_world_find_rigid(world, "nobody").index, 0);
    assert_string_equal(fil_rigid_name(world, ball), "ball");
    assert_int_equal(fil_world_rigid_count(world), 1);
    assert_int_equal(fil_world_rigid_at(world, 0).index, ball.index);
    fil_world_destroy(world);
}

/* Bodies that are added far away one by one, as many as there is room for and more, change nothing for a ball at rest. */
static void what_is_added_elsewhere_changes_nothing(void** state)
{
    (void)state;
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    FilError error = {{0}};
    def.contact_model = "sap";
    def.gravity = (FilVec3){0.0, 0.0, -9.81};
    def.relinearisations = 1;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    sample_ground(world);
    const FilId ball = sample_ball(world, 0.05, 0.0, 0.0, 0.05);
    for (int k = 0; k < 60; k++) {
        sample_run(world, 1);
        (void)sample_ball(world, 0.05, 1.0 + k, 0.0, 10.0);
        assert_true(fabs(sample_position(world, ball).z - 0.05) < 1e-4);
    }
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_elsewhere_changes_nothing),
        cmocka_unit_test(mass_comes_from_shapes),
        cmocka_unit_test(bodies_fly_about_their_centre_of_mass),
        cmocka_unit_test(loads_accelerate),
        cmocka_unit_test(damping_slows),
        cmocka_unit_test(scripted_bodies_push),
        cmocka_unit_test(every_shape_rests),
        cmocka_unit_test(bodies_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
