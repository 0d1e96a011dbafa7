/* ctest: wrap-malloc */
/* Steps with contact allocate only while the number of contacts or their pattern grows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "heap_steps.h"
#include "sample.h"

/* Rope, cubes, a falling ball, and a cube hung on a rod: contacts of every kind of object, and joints. */
static FilWorld* crowd(const char* model)
{
    const FilVec3 still = {0.0, 0.0, 0.0};
    FilWorld* world = sample_world(model, 1e-3);
    sample_ground(world);
    for (int k = 0; k < 3; k++) {
        sample_cube(world, 0.1, 0.0, 0.0, 0.05 + 0.1 * k);
    }
    sample_ball(world, 0.03, 0.5, 0.0, 0.2);
    sample_rod(world, 41, 3e-3, (FilVec3){-0.5, 0.2, 3e-3}, (FilVec3){0.01, 0.0, 0.0}, still);
    const FilId hung = sample_rod(world, 21, 3e-3, (FilVec3){0.0, -1.0, 1.0}, (FilVec3){0.01, 0.0, 0.0}, still);
    const FilId weight = sample_cube(world, 0.02, 0.2, -1.0, 1.0);
    FilJointDef joint = fil_joint_def_default();
    FilId id;
    joint.kind = FIL_JOINT_PIN;
    joint.a = hung;
    assert_int_equal(fil_world_add_joint(world, &joint, &id), FIL_OK);
    joint.kind = FIL_JOINT_WELD;
    joint.node_a = -1;
    joint.b = weight;
    assert_int_equal(fil_world_add_joint(world, &joint, &id), FIL_OK);
    return world;
}

static void counters_count(void** state)
{
    (void)state;
    heap_calls = 0;
    FilWorld* world = crowd("sap");
    assert_true(heap_calls > 10);
    fil_world_destroy(world);
}

/* The ball has fallen, and what touches does not change any more. */
static void settled_steps_do_not_allocate(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged"};
    for (int m = 0; m < 2; m++) {
        FilWorld* world = crowd(models[m]);
        assert_true(sample_run(world, 1000).contacts > 20);
        step_without_heap(world, 300);
        fil_world_destroy(world);
    }
}

/* Going through the same motion again needs nothing new, pattern changes or not. */
static void repeated_steps_do_not_allocate(void** state)
{
    (void)state;
    FilWorld* world = crowd("sap");
    const FilVec3 still = {0.0, 0.0, 0.0};
    sample_rod(world, 31, 3e-3, (FilVec3){-0.5, 0.19, 0.05}, (FilVec3){0.01, 1e-3, 0.0},
               still);  // falls across the rope
    sample_run(world, 1);
    assert_int_equal(fil_world_reset(world), FIL_OK);
    sample_run(world, 300);
    assert_int_equal(fil_world_reset(world), FIL_OK);
    heap_calls = 0;
    for (int k = 0; k < 300; k++) {
        const FilStatus status = fil_world_step(world, NULL);
        const int counted = heap_calls;
        assert_int_equal(status, FIL_OK);
        assert_int_equal(counted, 0);
    }
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_count),
        cmocka_unit_test(settled_steps_do_not_allocate),
        cmocka_unit_test(repeated_steps_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
