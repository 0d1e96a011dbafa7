/* ctest: heavy */
/* Barriers around an arm that is sent about wildly among boxes, balls and a rope: nothing fails, nothing is ever
 * touched. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "random.h"

static const char scene[] =
    "world: {dt: 2e-3, contact: ipc}\n"
    "materials:\n"
    "  wood: {density: 300, friction: 0.4}\n"
    "  rope: {young: 1e6, poisson: 0.4, density: 1000, friction: 0.3}\n"
    "rigid_bodies:\n"
    "  - {name: ground, motion: static, material: wood, position: [0, 0, -0.002], shapes: [{half_space: {}}]}\n"
    "  - {name: box, material: wood, position: [0.45, 0.1, 0.1], shapes: [{box: {size: [0.1, 0.1, 0.2]}}]}\n"
    "  - {name: pill, material: wood, position: [0.3, -0.3, 0.1], shapes: [{capsule: {radius: 0.05, length: 0.1}}]}\n"
    "  - {name: ball, material: wood, position: [-0.4, 0.2, 0.06], shapes: [{sphere: {radius: 0.06}}]}\n"
    "rods:\n"
    "  - name: rope\n"
    "    material: rope\n"
    "    section: {circle: {radius: 0.01}}\n"
    "    shape: {straight: {nodes: 21, from: [0.3, 0.5, 0.3], to: [0.3, -0.6, 0.6]}}\n"
    "    damping: {mass: 1, stiffness: 1e-3}\n"
    "robots:\n"
    "  - name: arm\n"
    "    urdf: " FILUM_SOURCE_DIR
    "/config/robots/arm6.urdf\n"
    "    material: wood\n"
    "    joints: [{gains: {stiffness: 500, damping: 40}}]\n";

/* How deep the collision system of other models finds objects in each other. */
static double depth(FilWorld* world)
{
    void* snapshot = malloc(fil_world_snapshot_size(world));
    assert_non_null(snapshot);
    fil_world_save(world, snapshot);
    FilStepInfo info;
    assert_int_equal(fil_world_set_contact_model(world, "sap"), FIL_OK);
    assert_int_equal(fil_world_step(world, &info), FIL_OK);
    assert_int_equal(fil_world_set_contact_model(world, "ipc"), FIL_OK);
    assert_int_equal(fil_world_restore(world, snapshot, fil_world_snapshot_size(world)), FIL_OK);
    free(snapshot);
    return info.max_penetration;
}

static void nothing_is_touched(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        FilWorld* world = NULL;
        FilError error;
        if (fil_scene_load_text("knock", scene, strlen(scene), NULL, &world, NULL, &error) != FIL_OK) {
            fail_msg("%s", error.text);
        }
        const FilId arm = fil_world_find_robot(world, "arm");
        Random random = {seed};
        int contacts = 0;
        for (int k = 0; k < 500; k++) {
            for (int j = 0; j < 6 && k % 100 == 0; j++) {
                const FilJointCommand command = {.mode = FIL_JOINT_POSITION, .position = random_between(&random, -1.5, 1.5)};
                assert_int_equal(fil_robot_set_joint_command(world, arm, j, &command), FIL_OK);
            }
            FilStepInfo info;
            if (fil_world_step(world, &info) != FIL_OK) {
                fail_msg("seed %d, step %d: %s", (int)seed, k, fil_world_error(world));
            }
            assert_true(info.min_distance > 0.0);
            contacts += info.contacts;
            if (k % 50 == 0) {
                // cylinders take part as prisms, which are flatter by r (1 - cos(pi / 24)): 0.6 mm of 70 mm
                assert_true(depth(world) < 6.1e-4);
            }
        }
        assert_true(contacts > 500);
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_touched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
