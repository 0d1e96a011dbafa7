/* ctest: wrap-malloc */
/* Arms under the model "lcp" from scenes: memory, the same bits again, an arm buried at the start, and bad settings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "heap_calls.h"

static const char* const scene =
    "parameters: {depth: 0, r: 8}\n"
    "world: {dt: 5e-4, contact: lcp, lcp: {directions: $(r)}}\n"
    "arms:\n"
    "  - name: arm\n"
    "    rotation: [0, 1.9, 0]\n"
    "    sections: [{mass: 1.17, disks: 3}, {mass: 0.54, disks: 3}, {mass: 0.265, disks: 3}]\n"
    "rigid_bodies:\n"
    "  - {name: ball, motion: static, position: [0.22, 0, $(depth - 0.22)], shapes: [{sphere: {radius: 0.08}}]}\n"
    "probes: {tip: {disk_position: {arm: arm, disk: -1}}}\n";

static FilStatus load(const FilSetting* settings, int count, FilWorld** world, FilError* error)
{
    const FilSceneOptions options = {.settings = settings, .setting_count = count};
    *world = NULL;
    return fil_scene_load_text("arm.yaml", scene, strlen(scene), &options, world, NULL, error);
}

static FilWorld* open_scene(const FilSetting* settings, int count)
{
    FilWorld* world;
    FilError error;
    assert_int_equal(load(settings, count, &world, &error), FIL_OK);
    return world;
}

static void run(FilWorld* world, int steps)
{
    for (int k = 0; k < steps; k++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
}

static void steps_do_not_allocate(void** state)
{
    (void)state;
    FilWorld* world = open_scene(NULL, 0);
    run(world, 400);  // it has fallen on the ball
    assert_true(fil_world_contact_count(world) > 0);
    heap_calls = 0;
    run(world, 200);
    assert_int_equal(heap_calls, 0);
    fil_world_destroy(world);
}

static void the_same_bits_again(void** state)
{
    (void)state;
    FilWorld *a = open_scene(NULL, 0), *b = open_scene(NULL, 0);
    run(a, 300);
    void* snapshot = malloc(fil_world_snapshot_size(a));
    fil_world_save(a, snapshot);
    run(a, 300);
    run(b, 600);
    assert_true(fil_world_hash(a) == fil_world_hash(b));
    // from the middle, in a world that has come another way
    assert_int_equal(fil_world_restore(b, snapshot, fil_world_snapshot_size(b)), FIL_OK);
    run(b, 300);
    assert_true(fil_world_hash(a) == fil_world_hash(b));
    free(snapshot);
    fil_world_destroy(a), fil_world_destroy(b);
}

/* Pushed out at the recovery speed, and said so in every step until it is. */
static void a_buried_arm_recovers(void** state)
{
    (void)state;
    const FilSetting deep = {"depth", "0.05"};
    FilWorld* world = open_scene(&deep, 1);
    FilStepInfo info;
    assert_int_equal(fil_world_step(world, &info), FIL_OK);
    const double first = info.max_penetration;
    assert_true(first > 0.02);
    double fastest = 0.0;
    for (int k = 0; k < 2000; k++) {
        assert_int_equal(fil_world_step(world, &info), FIL_OK);
        fastest = fmax(fastest, sqrt(2.0 * fil_world_energy(world).kinetic / 2.0));
    }
    assert_true(info.max_penetration < 1e-6);
    assert_true(fastest < 1.0);  // no leap: 0.1 m/s where it was buried, some times that at the tip
    fil_world_destroy(world);
}

static void bad_settings_are_named(void** state)
{
    (void)state;
    const struct {
        FilSetting setting;
        const char* word;
    } cases[] = {
        {{"r", "7"}, "must be even"},
        {{"r", "2"}, "directions"},
        {{"world.lcp.solver", "magic"}, "gauss_seidel"},
        {{"world.lcp.dirctions", "8"}, "did you mean 'directions'"},
        {{"world.lcp.stabilisation", "2"}, "stabilisation"},
        {{"arms.arm.sections.0.chambers", "0"}, "chambers"},
        {{"arms.arm.sections.0.stiffness", "-1"}, "stiffness"},
        {{"arms.arm.base", "nobody"}, "nobody"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        FilWorld* world;
        FilError error;
        assert_int_equal(load(&cases[k].setting, 1, &world, &error), FIL_BAD_INPUT);
        assert_non_null(strstr(error.text, cases[k].word));
        assert_null(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_do_not_allocate),
        cmocka_unit_test(the_same_bits_again),
        cmocka_unit_test(a_buried_arm_recovers),
        cmocka_unit_test(bad_settings_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
