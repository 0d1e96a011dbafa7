/* A step that is ended from outside, at whatever moment, leaves the state of the last good one, and the world goes on from there as if
 * nothing had been tried. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"

typedef struct Case {
    const char *scene, *model;
    int before, after; /* steps */
} Case;

typedef struct Asker {
    int asked, patience; /* how often it was asked, and from when on it says yes; negative: never */
} Asker;

static bool has_enough(void* context)
{
    Asker* asker = context;
    return asker->asked++ == asker->patience;
}

static FilWorld* load(const Case* c)
{
    const FilSceneOptions options = {.contact_model = c->model};
    FilWorld* world = load_scene(c->scene, &options);
    for (int n = 0; n < c->before; n++) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fail_msg("%s, %s: %s", c->scene, c->model, fil_world_error(world));
        }
    }
    return world;
}

static void steps_end_at_any_moment(void** state)
{
    (void)state;
    static const Case cases[] = {
        {"rope_on_plane", "none", 2, 3},
        {"rope_on_plane", "sap", 150, 4},
        {"rope_on_plane", "sap_lagged", 150, 4},
        {"capstan", "lcp", 20, 2},
        {"arm_box", "lcp", 5, 3},
        {"knot_imc", "imc", 3, 2},
        {"ring_bar", "ipc", 20, 2},
        {"two_arms_knot", "sap_lagged", 100, 2},
        {"box_stack", "sap", 30, 3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const Case* c = &cases[k];
        FilWorld *calm = load(c), *harassed = load(c);
        Asker asker = {.patience = -1};
        fil_world_set_stop(harassed, has_enough, &asker);
        for (int n = 0; n < c->after; n++) {
            const uint64_t before = fil_world_hash(harassed);
            FilStatus status = FIL_INTERRUPTED;
            int interruptions = 0;
            for (; status == FIL_INTERRUPTED; interruptions++) {
                asker = (Asker){.patience = interruptions};
                FilStepInfo info;
                status = fil_world_step(harassed, &info);
                if (status == FIL_INTERRUPTED) {
                    assert_true(fil_world_hash(harassed) == before);
                    assert_int_equal(info.step, fil_world_step_count(harassed));
                    assert_non_null(strstr(fil_world_error(harassed), "was interrupted"));
                }
            }
            assert_int_equal(status, FIL_OK);
            assert_true(interruptions > 1);  // it was asked, and asked inside of the step
            assert_int_equal(fil_world_step(calm, NULL), FIL_OK);
            if (fil_world_hash(calm) != fil_world_hash(harassed)) {
                fail_msg("%s, %s: the step after %d interruptions differs", c->scene, c->model, interruptions - 1);
            }
        }
        fil_world_destroy(calm);
        fil_world_destroy(harassed);
    }
}

static void steps_keep_a_time_limit(void** state)
{
    (void)state;
    const Case c = {"rope_on_plane", "sap_lagged", 150, 0};
    FilWorld* world = load(&c);
    const uint64_t before = fil_world_hash(world);
    assert_true(fil_world_time_limit(world) == 0.0);
    assert_int_equal(fil_world_set_time_limit(world, -1.0), FIL_BAD_INPUT);
    assert_int_equal(fil_world_set_time_limit(world, NAN), FIL_BAD_INPUT);
    assert_int_equal(fil_world_set_time_limit(world, 1e-9), FIL_OK);
    assert_int_equal(fil_world_step(world, NULL), FIL_INTERRUPTED);
    assert_non_null(strstr(fil_world_error(world), "took longer than its limit of 1e-09 s"));
    assert_true(fil_world_hash(world) == before);
    assert_int_equal(fil_world_set_time_limit(world, 3600.0), FIL_OK);
    assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_end_at_any_moment),
        cmocka_unit_test(steps_keep_a_time_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
