/* What comes at 1,000 m/s stops at a wall of 10 mm under potentials, or the step fails and says so: nothing is ever behind it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"

static const double SPEED = 1000.0, WALL = 0.01;      /* m/s, m */
static const double starts[] = {-0.5, -0.2345, -3.3}; /* m: a step of 1 ms goes beyond the wall from two of them, and just before it */

static FilWorld* walled_world(const char* model)
{
    FilWorld* world = sample_world(model, 1e-3);
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_BOX;
    shape.size = (FilVec3){WALL, 1.0, 1.0};
    FilRigidDef def = fil_rigid_def_default();
    def.motion = FIL_STATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    FilId wall;
    assert_int_equal(fil_world_add_rigid(world, &def, &wall), FIL_OK);
    return world;
}

/* ten steps, or as many as succeed; a failed one must say why */
static void fly(FilWorld* world)
{
    for (int k = 0; k < 10; k++) {
        const FilStatus status = fil_world_step(world, NULL);
        if (status != FIL_OK) {
            assert_int_equal(status, FIL_NOT_CONVERGED);
            assert_true(strlen(fil_world_error(world)) > 0);
            return;
        }
    }
}

static void rigid_bullets(void** state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        FilWorld* world = walled_world("ipc");
        FilShapeDef shape = fil_shape_def_default();
        shape.type = k < 3 ? FIL_SHAPE_SPHERE : FIL_SHAPE_CAPSULE;
        shape.radius = 5e-3;
        shape.length = 0.02;
        FilRigidDef def = sample_rigid_def(&shape);
        def.position = (FilVec3){starts[k % 3], 0.0123, 0.2};
        def.velocity = (FilVec3){SPEED, 0.0, 0.0};
        FilId bullet;
        FilVec3 position;
        FilQuat orientation;
        assert_int_equal(fil_world_add_rigid(world, &def, &bullet), FIL_OK);
        fly(world);
        fil_rigid_get_pose(world, bullet, &position, &orientation);
        assert_true(position.x < -(0.5 * WALL + 0.9 * shape.radius));
        fil_world_destroy(world);
    }
}

/* a rod, flat and end first */
static void rods(void** state)
{
    (void)state;
    static const char* const models[] = {"ipc", "imc"};
    for (int k = 0; k < 12; k++) {
        FilWorld* world = walled_world(models[k / 6]);
        double nodes[3 * 11], velocities[3 * 11];
        for (int i = 0; i < 11; i++) {
            const double along = 0.01 * (i - 5);
            nodes[3 * i] = starts[k % 3] + (k % 6 < 3 ? 0.0 : along - 0.05);
            nodes[3 * i + 1] = 0.0123;
            nodes[3 * i + 2] = 0.2 + (k % 6 < 3 ? along : 0.0);
            velocities[3 * i] = SPEED;
            velocities[3 * i + 1] = velocities[3 * i + 2] = 0.0;
        }
        FilRodDef def = fil_rod_def_default();
        def.node_count = 11;
        def.nodes = nodes;
        def.velocities = velocities;
        def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 5e-3, .young = 1e9, .poisson = 0.3, .density = 1000.0};
        def.collision.self = false;
        FilId rod;
        assert_int_equal(fil_world_add_rod(world, &def, &rod), FIL_OK);
        fly(world);
        fil_rod_get_positions(world, rod, nodes);
        for (int i = 0; i < 11; i++) {
            if (!(nodes[3 * i] < 0.0)) {
                fail_msg("%s, start %g, %s: node %d is at %g m", models[k / 6], starts[k % 3], k % 6 < 3 ? "flat" : "end first", i, nodes[3 * i]);
            }
        }
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rigid_bullets), cmocka_unit_test(rods)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
