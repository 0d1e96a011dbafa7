/* Bad beginnings: refused with a reason, or overcome within bounds; never a crash, never a number that is none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sample.h"

static const FilVec3 still = {0.0, 0.0, 0.0};
static const char* const models[] = {"sap", "sap_lagged"};

/* ---- refused ---- */

static void refuse(FilWorld* world, const FilRigidDef* def, const char* says)
{
    FilId id = {7, 7};
    const int before = fil_world_rigid_count(world);
    assert_int_equal(fil_world_add_rigid(world, def, &id), FIL_BAD_INPUT);
    if (strstr(fil_world_error(world), says) == NULL) {
        fail_msg("'%s' does not say '%s'", fil_world_error(world), says);
    }
    assert_int_equal(fil_world_rigid_count(world), before);
}

static void bodies_without_mass_are_refused(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    FilShapeDef shape = fil_shape_def_default();
    shape.radius = 0.1;
    FilRigidDef def = sample_rigid_def(&shape);
    def.density = 0.0;
    refuse(world, &def, "mass");
    def.density = -1.0;
    refuse(world, &def, "negative");
    def.density = NAN;
    refuse(world, &def, "finite");
    def.density = 1000.0;
    def.mass = INFINITY;
    refuse(world, &def, "finite");
    def.mass = 1.0;
    const double flat[6] = {1.0, 1.0, 0.0, 0.0, 0.0, 0.0};
    memcpy(def.inertia, flat, sizeof flat);
    refuse(world, &def, "inertia");
    const double crossed[6] = {1.0, 1.0, 1.0, 2.0, 0.0, 0.0};
    memcpy(def.inertia, crossed, sizeof crossed);
    refuse(world, &def, "inertia");
    // no shape, no mass
    def = fil_rigid_def_default();
    refuse(world, &def, "mass");
    fil_world_destroy(world);
}

static void bad_shapes_are_refused(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    FilShapeDef shape = fil_shape_def_default();
    FilRigidDef def = sample_rigid_def(&shape);
    shape.radius = 0.0;
    refuse(world, &def, "radius");
    shape.radius = NAN;
    refuse(world, &def, "radius");
    shape.type = FIL_SHAPE_BOX;
    shape.size = (FilVec3){0.1, -0.1, 0.1};
    refuse(world, &def, "");
    shape.type = FIL_SHAPE_HALF_SPACE;
    refuse(world, &def, "half-space");
    shape.type = FIL_SHAPE_SPHERE;
    shape.radius = 0.1;
    shape.orientation = (FilQuat){0.0, 0.0, 0.0, 0.0};
    refuse(world, &def, "rotation");
    shape.orientation = (FilQuat){0.0, 0.0, 0.0, 1.0};
    shape.position.x = INFINITY;
    refuse(world, &def, "finite");
    shape.position.x = 0.0;
    def.position.z = NAN;
    refuse(world, &def, "finite");
    def.position.z = 0.0;
    def.orientation = (FilQuat){NAN, 0.0, 0.0, 1.0};
    refuse(world, &def, "rotation");
    // points of a plane have no inside
    static const double plane[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0};
    def.orientation = (FilQuat){0.0, 0.0, 0.0, 1.0};
    shape.type = FIL_SHAPE_HULL;
    shape.points = plane;
    shape.point_count = 4;
    refuse(world, &def, "");
    shape.point_count = 0;
    refuse(world, &def, "");
    shape.type = FIL_SHAPE_MESH;
    refuse(world, &def, "file");
    shape.file = "/nowhere/at/all.stl";
    FilId id;
    assert_int_not_equal(fil_world_add_rigid(world, &def, &id), FIL_OK);
    assert_non_null(strstr(fil_world_error(world), "/nowhere/at/all.stl"));
    fil_world_destroy(world);
}

/* A tetrahedron as an OBJ file: whole, with a face turned inside out, all inside out, with a face missing, and with a
 * number that is none. */
static void bad_meshes_are_refused(void** state)
{
    (void)state;
    static const char vertices[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    static const struct {
        const char* faces;
        FilStatus status;
    } cases[] = {
        {"f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n", FIL_OK},
        {"f 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 4 3\n", FIL_BAD_INPUT},
        {"f 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n", FIL_BAD_INPUT},
        {"f 1 3 2\nf 1 2 4\nf 2 3 4\n", FIL_BAD_INPUT},
        {"f 1 3 2\nf 1 2 4\nf 2 3 9\nf 1 4 3\n", FIL_BAD_INPUT},
        {"v nan 0 0\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n", FIL_BAD_INPUT},
        {"", FIL_BAD_INPUT},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char folder[] = "/tmp/filum_mesh_XXXXXX", path[64];
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/tetrahedron.obj", folder);
        FILE* file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fprintf(file, "%s%s", vertices, cases[k].faces) > 0);
        assert_int_equal(fclose(file), 0);
        FilWorld* world = sample_world("sap", 1e-3);
        FilShapeDef shape = fil_shape_def_default();
        shape.type = FIL_SHAPE_MESH;
        shape.file = path;
        FilRigidDef def = sample_rigid_def(&shape);
        FilId id;
        const FilStatus status = fil_world_add_rigid(world, &def, &id);
        remove(path);
        rmdir(folder);
        if (status != cases[k].status) {
            fail_msg("mesh %zu: %s: %s", k, fil_status_name(status), fil_world_error(world));
        }
        // the message names the file
        assert_true(status == FIL_OK || strstr(fil_world_error(world), "tetrahedron.obj") != NULL);
        fil_world_destroy(world);
    }
}

static void bad_states_are_refused(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    const FilId ball = sample_ball(world, 0.1, 0.0, 0.0, 1.0), nothing = {0, 0};
    const FilQuat unit = {0.0, 0.0, 0.0, 1.0}, zero = {0.0, 0.0, 0.0, 0.0};
    const FilVec3 bad = {0.0, NAN, 0.0};
    const uint64_t hash = fil_world_hash(world);
    assert_int_equal(fil_rigid_set_state(world, ball, bad, unit, still, still), FIL_BAD_INPUT);
    assert_int_equal(fil_rigid_set_state(world, ball, still, zero, still, still), FIL_BAD_INPUT);
    assert_int_equal(fil_rigid_set_state(world, ball, still, unit, bad, still), FIL_BAD_INPUT);
    assert_int_equal(fil_rigid_set_state(world, ball, still, unit, still, bad), FIL_BAD_INPUT);
    assert_int_equal(fil_rigid_set_state(world, nothing, still, unit, still, still), FIL_BAD_INPUT);
    assert_true(fil_world_hash(world) == hash);
    fil_world_destroy(world);
}

/* ---- overcome ---- */

/* Everything that starts inside something else leaves it no faster than its depth over 50 ms. */
static void overlapping_bodies_part(void** state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        FilWorld* world = sample_world(models[m], 1e-3);
        sample_ground(world);
        const FilId cube = sample_cube(world, 0.1, 0.0, 0.0, 0.02);  // 3 cm deep
        double fastest = 0.0;
        for (int k = 0; k < 1500; k++) {
            sample_run(world, 1);
            fastest = fmax(fastest, sample_velocity(world, cube).z);
        }
        assert_true(fastest < 0.03 / 0.05);
        assert_true(fabs(sample_position(world, cube).z - 0.05) < 1e-4);
        fil_world_destroy(world);
    }
}

static void coincident_bodies_part(void** state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        for (int kind = 0; kind < 2; kind++) {
            FilWorld* world = sample_world(models[m], 1e-3);
            assert_int_equal(fil_world_set_gravity(world, still), FIL_OK);
            const FilId a = kind == 0 ? sample_ball(world, 0.05, 0.0, 0.0, 0.0) : sample_cube(world, 0.1, 0.0, 0.0, 0.0);
            const FilId b = kind == 0 ? sample_ball(world, 0.05, 0.0, 0.0, 0.0) : sample_cube(world, 0.1, 0.0, 0.0, 0.0);
            assert_true(sample_run(world, 3000).contacts >= 0);
            assert_true(sample_distance(sample_position(world, a), sample_position(world, b)) > 0.099);
            // 10 cm over 50 ms between them at the most
            assert_true(fabs(sample_velocity(world, a).x) + fabs(sample_velocity(world, a).y) + fabs(sample_velocity(world, a).z) < 2.0);
            fil_world_destroy(world);
        }
    }
}

static void overlapping_rods_part(void** state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        for (int parallel = 0; parallel < 2; parallel++) {
            FilWorld* world = sample_world(models[m], 1e-3);
            assert_int_equal(fil_world_set_gravity(world, still), FIL_OK);
            sample_rod(world, 21, 5e-3, (FilVec3){-0.1, 0.0, 0.0}, (FilVec3){0.01, 0.0, 0.0}, still);
            if (parallel) {
                sample_rod(world, 21, 5e-3, (FilVec3){-0.1, 0.0, 0.0}, (FilVec3){0.01, 0.0, 0.0}, still);
            } else {
                sample_rod(world, 21, 5e-3, (FilVec3){0.0, -0.1, 0.0}, (FilVec3){0.0, 0.01, 0.0}, still);
            }
            sample_run(world, 400);
            // together no deeper than a tenth of the radius any more
            assert_true(sample_run(world, 1).max_penetration < 5e-4);
            fil_world_destroy(world);
        }
    }
}

static void rods_below_the_ground_rise(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    sample_ground(world);
    const FilId rod = sample_rod(world, 21, 5e-3, (FilVec3){-0.1, 0.0, -0.05}, (FilVec3){0.01, 0.0, 0.0}, still);
    sample_run(world, 1500);
    for (int i = 0; i < 21; i++) {
        assert_true(fabs(sample_node(world, rod, i).z - 5e-3) < 1e-4);
    }
    fil_world_destroy(world);
}

/* ---- bounded ---- */

static void too_many_contacts_end_the_step(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    for (int k = 0; k < 450; k++) {
        sample_ball(world, 0.1, 1e-4 * cos(k), 1e-4 * sin(2.0 * k), 0.0);  // 101025 pairs
    }
    const uint64_t hash = fil_world_hash(world);
    FilStepInfo info;
    assert_int_equal(fil_world_step(world, &info), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "100000 contacts"));
    assert_true(fil_world_hash(world) == hash && fil_world_time(world) == 0.0);
    // and again: a refused step leaves nothing behind
    assert_int_equal(fil_world_step(world, &info), FIL_BAD_INPUT);
    fil_world_destroy(world);
}

/* Loads and speeds beyond all reason. */
static void absurd_numbers_stay_numbers(void** state)
{
    (void)state;
    static const double speeds[] = {1e2, 1e4, 1e8, 1e150};
    for (int m = 0; m < 2; m++) {
        for (int k = 0; k < 4; k++) {
            FilWorld* world = sample_world(models[m], 1e-3);
            sample_ground(world);
            sample_rod(world, 11, 5e-3, (FilVec3){0.0, 0.0, 0.05}, (FilVec3){0.01, 0.0, 0.0}, still);
            const FilId cube = sample_cube(world, 0.1, 0.0, 0.0, 0.5);
            const FilQuat unit = {0.0, 0.0, 0.0, 1.0};
            assert_int_equal(
                fil_rigid_set_state(world, cube, (FilVec3){0.0, 0.0, 0.5}, unit, (FilVec3){0.0, 0.0, -speeds[k]}, (FilVec3){speeds[k], 0.0, 0.0}),
                FIL_OK);
            for (int step = 0; step < 20; step++) {
                // it may fail, with a reason
                if (fil_world_step(world, NULL) != FIL_OK) {
                    assert_true(strlen(fil_world_error(world)) > 0);
                    break;
                }
            }
            const FilVec3 p = sample_position(world, cube), v = sample_velocity(world, cube);
            assert_true(isfinite(p.x) && isfinite(p.y) && isfinite(p.z) && isfinite(v.x) && isfinite(v.y) && isfinite(v.z));
            fil_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_without_mass_are_refused), cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(bad_meshes_are_refused),          cmocka_unit_test(bad_states_are_refused),
        cmocka_unit_test(overlapping_bodies_part),         cmocka_unit_test(coincident_bodies_part),
        cmocka_unit_test(overlapping_rods_part),           cmocka_unit_test(rods_below_the_ground_rise),
        cmocka_unit_test(too_many_contacts_end_the_step),  cmocka_unit_test(absurd_numbers_stay_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
