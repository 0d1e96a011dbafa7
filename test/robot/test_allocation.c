/* ctest: wrap-malloc */
/* Steps of robots that are driven, press against limits and hold objects do not use the heap once they have begun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "heap_calls.h"

static void steps_of_a_scene_do_not_allocate(const char* scene, const char* model, int first, int steps)
{
    static const FilSetting apart = {"gap", "1e-3"};  // for barriers
    const bool barriers = model != NULL && strcmp(model, "ipc") == 0;
    const FilSceneOptions options = {.contact_model = model, .settings = &apart, .setting_count = barriers ? 1 : 0};
    FilWorld* world = NULL;
    FilError error;
    char path[512];
    snprintf(path, sizeof path, "%s/config/scenes/%s.yaml", FILUM_SOURCE_DIR, scene);
    if (fil_scene_load(path, &options, &world, NULL, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    for (int k = 0; k < first + steps; k++) {
        if (k == first) {
            heap_calls = 0;
        }
        if (fil_world_step(world, NULL) != FIL_OK) {
            fail_msg("%s", fil_world_error(world));
        }
    }
    assert_int_equal(heap_calls, 0);
    fil_world_destroy(world);
}

static void free_robots(void** state)
{
    (void)state;
    steps_of_a_scene_do_not_allocate("pendulums", NULL, 1, 500);
}

/* From when both objects are held. */
static void grippers(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "lcp", "ipc"};
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        steps_of_a_scene_do_not_allocate("gripper_pinch", models[m], 1500, 400);
    }
}

/* Commands are written in place. */
static void commands(void** state)
{
    (void)state;
    FilWorldDef def = fil_world_def_default();
    const FilRobotDef robot_def = fil_robot_def_default();
    FilWorld* world = NULL;
    FilId robot;
    assert_int_equal(fil_world_create(&def, &world, NULL), FIL_OK);
    assert_int_equal(fil_world_add_robot_urdf(world, &robot_def, FILUM_SOURCE_DIR "/config/robots/arm6.urdf", NULL, 0, NULL, 0, &robot), FIL_OK);
    const FilJointCommand command = {FIL_JOINT_POSITION, 0.3, 0.0, 0.0};
    assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    heap_calls = 0;
    for (int k = 0; k < 200; k++) {
        assert_int_equal(fil_robot_set_joint_command(world, robot, k % 6, &command), FIL_OK);
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        (void)fil_robot_joint_state(world, robot, k % 6);
    }
    assert_int_equal(heap_calls, 0);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(free_robots), cmocka_unit_test(grippers), cmocka_unit_test(commands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
