/* Shapes of rigid bodies from their definitions: what is kept, how far they reach, what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "body/rigid_shape.h"

/* a few roundings of numbers of order one */
static const double rounding = 1e-14;

/* Corners of a box of half edges 1, 2, 3. */
static const double corners[] = {-1, -2, -3, 1, -2, -3, -1, 2, -3, 1, 2, -3, -1, -2, 3, 1, -2, 3, -1, 2, 3, 1, 2, 3};

static double reach_of(const FilShapeDef* def, double x)
{
    FilRigidShape shape = {0};
    FilError error;
    const double centre[3] = {x, 0.0, 0.0};
    assert_int_equal(fil_rigid_shape_make(def, &shape, &error), FIL_OK);
    const double reach = fil_rigid_shape_reach(&shape, centre);
    fil_rigid_shape_free(&shape);
    assert_null(shape.hull);
    return reach;
}

/* A hull around the surface, by less than 0.2 % of the radius, and the profile itself. */
static void a_revolution_is_a_hull_and_a_profile(void** state)
{
    (void)state;
    const double radii[3] = {0.9, 1.0, 0.9};
    FilShapeDef def = fil_shape_def_default();
    def.type = FIL_SHAPE_REVOLUTION;
    def.radii = radii;
    def.radius_count = 3;
    def.length = 2.0;
    FilRigidShape shape = {0};
    FilError error;
    assert_int_equal(fil_rigid_shape_make(&def, &shape, &error), FIL_OK);
    assert_ptr_equal(shape.shape.profile, shape.profile);
    assert_int_equal(shape.def.point_count, 3 * 64);
    for (int i = 0; i < shape.def.point_count; i++) {
        const double *p = shape.def.points + 3 * i, r = hypot(p[0], p[1]), at = fabs(p[2]) > 0.5 ? 0.9 : 1.0;
        assert_true(r >= at && r < 1.002 * at);
    }
    fil_rigid_shape_free(&shape);
    assert_null(shape.profile);
    const struct {
        const double* radii;
        int count;
        const char* says;
    } bad[] = {{NULL, 3, "radii"}, {radii, 1, "radii"}, {(const double[]){1.0, -1.0}, 2, "positive"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        def.radii = bad[k].radii;
        def.radius_count = bad[k].count;
        shape = (FilRigidShape){0};
        assert_int_equal(fil_rigid_shape_make(&def, &shape, &error), FIL_BAD_INPUT);
        assert_non_null(strstr(error.text, bad[k].says));
        fil_rigid_shape_free(&shape);
    }
}

/* From a point to the farthest corner of the box around the shape. */
static void reach_is_that_of_the_box_around(void** state)
{
    (void)state;
    FilShapeDef def = fil_shape_def_default();
    def.radius = 1.0;
    def.length = 4.0;
    def.size = (FilVec3){2.0, 4.0, 6.0};
    def.points = corners;
    def.point_count = 8;
    assert_true(fabs(reach_of(&def, 0.0) - sqrt(3.0)) < rounding);
    assert_true(fabs(reach_of(&def, 2.0) - sqrt(11.0)) < rounding);  // (-3, 1, 1)
    def.type = FIL_SHAPE_CAPSULE;
    assert_true(fabs(reach_of(&def, 0.0) - sqrt(11.0)) < rounding);  // (1, 1, 3)
    def.type = FIL_SHAPE_CYLINDER;
    assert_true(fabs(reach_of(&def, 0.0) - sqrt(6.0)) < rounding);  // (1, 1, 2)
    def.type = FIL_SHAPE_BOX;
    assert_true(fabs(reach_of(&def, 0.0) - sqrt(14.0)) < rounding);  // (1, 2, 3)
    def.position.x = 1.0;
    assert_true(fabs(reach_of(&def, 0.0) - sqrt(17.0)) < rounding);  // (2, 2, 3)
    def.type = FIL_SHAPE_HULL;
    assert_true(fabs(reach_of(&def, 1.0) - sqrt(14.0)) < rounding);
    def.type = FIL_SHAPE_HALF_SPACE;
    assert_true(reach_of(&def, 0.0) == 0.0);
}

/* A quarter turn about z, given as a quaternion that is not yet of length one; the hull's points are its own. */
static void pose_and_points_are_kept(void** state)
{
    (void)state;
    FilShapeDef def = fil_shape_def_default();
    def.type = FIL_SHAPE_HULL;
    def.points = corners;
    def.point_count = 8;
    def.position = (FilVec3){1.0, 2.0, 3.0};
    def.orientation = (FilQuat){0.0, 0.0, 1.0, 1.0};
    FilRigidShape shape = {0};
    FilError error;
    assert_int_equal(fil_rigid_shape_make(&def, &shape, &error), FIL_OK);
    const double quarter[9] = {0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0}, place[3] = {1.0, 2.0, 3.0};
    for (int k = 0; k < 9; ++k) {
        assert_true(fabs(shape.pose.r[k] - quarter[k]) < rounding);
    }
    assert_memory_equal(shape.pose.p, place, sizeof place);
    assert_int_equal(shape.def.point_count, 8);
    assert_ptr_equal(shape.def.points, shape.hull->vertices);
    fil_rigid_shape_free(&shape);
}

static void refused(const FilShapeDef* def, FilStatus status, const char* message)
{
    FilRigidShape shape = {0};
    FilError error;
    assert_int_equal(fil_rigid_shape_make(def, &shape, &error), status);
    if (strstr(error.text, message) == NULL) {
        print_error("\"%s\" has no \"%s\"\n", error.text, message);
        fail();
    }
    fil_rigid_shape_free(&shape);
}

static void bad_definitions_are_refused(void** state)
{
    (void)state;
    FilShapeDef def = fil_shape_def_default();
    refused(&def, FIL_BAD_INPUT, "radius");
    def.radius = 1.0;
    def.orientation = (FilQuat){0.0, 0.0, 0.0, 0.0};
    refused(&def, FIL_BAD_INPUT, "a shape's orientation is no rotation");
    def.orientation.w = 1.0;
    def.position.y = NAN;
    refused(&def, FIL_BAD_INPUT, "a shape's position is not finite");
    def.position.y = 0.0;
    def.type = FIL_SHAPE_MESH;
    refused(&def, FIL_BAD_INPUT, "a mesh shape needs a file");
    def.file = "/nowhere.stl";
    refused(&def, FIL_IO, "/nowhere.stl");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_revolution_is_a_hull_and_a_profile),
        cmocka_unit_test(reach_is_that_of_the_box_around),
        cmocka_unit_test(pose_and_points_are_kept),
        cmocka_unit_test(bad_definitions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
