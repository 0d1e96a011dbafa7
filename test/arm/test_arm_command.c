/* Pressures commanded from outside: they take chambers over from drives, are state, and bad ones are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"

static FilWorld* world;
static FilId arm, drive;

static int set_up(void** state)
{
    (void)state;
    FilWorldDef def = fil_world_def_default();
    FilError error;
    const FilArmSection sections[2] = {fil_arm_section_default(), fil_arm_section_default()};
    FilArmDef arm_def = fil_arm_def_default();
    arm_def.sections = sections;
    arm_def.section_count = 2;
    FilDriveDef drive_def = fil_drive_def_default();
    drive_def.kind = FIL_DRIVE_PRESSURE;
    const double pressure = 5e3;
    if (fil_world_create(&def, &world, &error) != FIL_OK || fil_world_add_arm(world, &arm_def, &arm) != FIL_OK) {
        return -1;
    }
    drive_def.object = arm;
    return fil_world_add_drive(world, &drive_def, &drive) != FIL_OK || fil_drive_set(world, drive, &pressure, 1) != FIL_OK;
}

static int tear_down(void** state)
{
    (void)state;
    fil_world_destroy(world);
    return 0;
}

static void step(int count)
{
    for (int k = 0; k < count; ++k) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
}

static void commands_take_over_and_give_back(void** state)
{
    (void)state;
    assert_int_equal(fil_arm_set_pressure(world, arm, 4, 2e4), FIL_OK);
    step(1);
    for (int c = 0; c < 6; ++c) {
        assert_true(fil_arm_pressure(world, arm, c) == (c == 4 ? 2e4 : 5e3));  // no valve: at once, and exactly
    }
    step(10);
    assert_true(fil_arm_pressure(world, arm, 4) == 2e4);
    assert_int_equal(fil_arm_release_pressure(world, arm, 4), FIL_OK);
    step(1);
    assert_true(fil_arm_pressure(world, arm, 4) == 5e3);
}

static void commands_are_state(void** state)
{
    (void)state;
    const uint64_t before = fil_world_hash(world);
    const size_t size = fil_world_snapshot_size(world);
    void* snapshot = malloc(size);
    step(1);
    assert_int_equal(fil_arm_set_pressure(world, arm, 0, 1e4), FIL_OK);
    fil_world_save(world, snapshot);
    step(5);
    const uint64_t after = fil_world_hash(world);
    assert_int_equal(fil_arm_set_pressure(world, arm, 0, -1e4), FIL_OK);
    assert_int_equal(fil_world_restore(world, snapshot, size), FIL_OK);
    step(5);
    assert_true(fil_world_hash(world) == after);
    assert_int_equal(fil_world_reset(world), FIL_OK);
    assert_true(fil_world_hash(world) == before);
    free(snapshot);
}

static void bad_commands_are_refused(void** state)
{
    (void)state;
    const uint64_t before = fil_world_hash(world);
    assert_int_equal(fil_arm_set_pressure(world, arm, 6, 1.0), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "arm 'arm1' has no chamber 6, only 0 to 5");
    assert_int_equal(fil_arm_set_pressure(world, arm, -1, 1.0), FIL_BAD_INPUT);
    assert_int_equal(fil_arm_release_pressure(world, arm, 6), FIL_BAD_INPUT);
    assert_int_equal(fil_arm_set_pressure(world, arm, 0, NAN), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "arm 'arm1', chamber 0: the pressure is not finite");
    assert_int_equal(fil_arm_set_pressure(world, drive, 0, 1.0), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "no such arm: the id is that of the drive number 0");
    assert_true(fil_world_hash(world) == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(commands_take_over_and_give_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(commands_are_state, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_commands_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
