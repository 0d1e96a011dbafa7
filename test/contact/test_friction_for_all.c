/* One coefficient of friction for all contacts, in the place of the surfaces' own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"

static FilWorld* load(const char* mu)
{
    const FilSetting setting = {"mu", mu};
    const FilSceneOptions options = {.settings = &setting, .setting_count = 1};
    return load_file(FILUM_SOURCE_DIR "/config/scenes/incline.yaml", &options, NULL);
}

static uint64_t run(FilWorld* world)
{
    for (int k = 0; k < 200; k++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    return fil_world_hash(world);
}

/* the same number from the world or from the surfaces: the same motion, bit for bit */
static void replaces_the_surfaces_own(void** state)
{
    (void)state;
    FilWorld* own = load("0.25");
    FilWorld* other = load("0.7");
    assert_true(fil_world_friction(other) < 0.0);
    assert_int_equal(fil_world_set_friction(other, 0.25), FIL_OK);
    assert_true(fil_world_friction(other) == 0.25);
    const uint64_t slides = run(own);
    assert_true(run(other) == slides);
    assert_int_equal(fil_world_reset(other), FIL_OK);
    assert_int_equal(fil_world_set_friction(other, -1.0), FIL_OK);
    assert_true(run(other) != slides);
    fil_world_destroy(own);
    fil_world_destroy(other);
}

static void refuses_what_is_no_number(void** state)
{
    (void)state;
    FilWorld* world = load("0.3");
    assert_int_equal(fil_world_set_friction(world, NAN), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "world: friction is not finite");
    assert_true(fil_world_friction(world) < 0.0);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaces_the_surfaces_own),
        cmocka_unit_test(refuses_what_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
