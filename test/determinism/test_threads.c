/* A world that several threads step has the same bits as one that steps alone: every kind of body, under every contact model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SHARE 5 /* of the steps: looking at every access takes ten times as long */
static const int threads[] = {1, 3};
#else
#define SHARE 1
static const int threads[] = {1, 2, 3, 4};
#endif

typedef struct Case {
    const char *scene, *model;
    int steps;
    FilSetting setting; /* none if it has no key */
} Case;

static FilWorld* load(const Case* c)
{
    const FilSceneOptions options = {.contact_model = c->model, .settings = &c->setting, .setting_count = c->setting.path != NULL};
    return load_scene(c->scene, &options);
}

/* Numbers of a step that are not times. */
static void forget_timings(FilStepInfo* info)
{
    info->timings = (FilTimings){0};
}

static void compare(const Case* c)
{
    enum { WORLDS = sizeof threads / sizeof *threads };
    FilWorld* worlds[WORLDS];
    for (int t = 0; t < WORLDS; ++t) {
        worlds[t] = load(c);
        assert_int_equal(fil_world_set_threads(worlds[t], threads[t]), FIL_OK);
        assert_int_equal(fil_world_threads(worlds[t]), threads[t]);
    }
    for (int n = 0; n < 1 + (c->steps - 1) / SHARE; ++n) {
        FilStepInfo first, info;
        for (int t = 0; t < WORLDS; ++t) {
            memset(&info, 0, sizeof info);
            const FilStatus status = fil_world_step(worlds[t], &info);
            if (status != FIL_OK) {
                fail_msg("%s, %s, %d threads: %s", c->scene, c->model, threads[t], fil_world_error(worlds[t]));
            }
            forget_timings(&info);
            first = t == 0 ? info : first;
            if (fil_world_hash(worlds[t]) != fil_world_hash(worlds[0])) {
                fail_msg("%s, %s: another state with %d threads than with one after step %d", c->scene, c->model, threads[t], n + 1);
            }
            if (info.newton_iterations != first.newton_iterations || info.contacts != first.contacts || info.crossings != first.crossings ||
                info.contact_iterations != first.contact_iterations || info.analyses != first.analyses ||
                memcmp(&info.max_penetration, &first.max_penetration, sizeof(double)) != 0 ||
                memcmp(&info.residual, &first.residual, sizeof(double)) != 0) {
                fail_msg("%s, %s: %d threads report another step %d", c->scene, c->model, threads[t], n + 1);
            }
        }
    }
    for (int t = 0; t < WORLDS; ++t) {
        fil_world_destroy(worlds[t]);
    }
}

static void any_number_of_threads_gives_the_same_bits(void** state)
{
    (void)state;
    static const Case cases[] = {
        {"ring_chain", "sap_lagged", 60, {NULL, NULL}},
        {"ring_chain", "lcp", 40, {"chain.rings", "12"}},
        {"ring_chain", "imc", 20, {"chain.rings", "12"}},
        {"entangling_gripper", "sap_lagged", 30, {NULL, NULL}},
        {"fifty_rods", "sap", 20, {NULL, NULL}},
        {"fifty_rods", "ipc", 10, {NULL, NULL}},
        {"box_pile", "sap", 6, {NULL, NULL}},
        {"hull_heap", "sap", 4, {NULL, NULL}},
        {"rope_heap", "sap", 4, {NULL, NULL}},
        {"capstan", "sap", 40, {NULL, NULL}},
        {"demo", "sap_lagged", 60, {NULL, NULL}},
        {"two_arms_knot", "sap_lagged", 40, {NULL, NULL}},
        {"gripper_pinch", "sap", 40, {NULL, NULL}},
        {"hand_ball", "sap", 10, {NULL, NULL}},
        {"torus_pick", "sap", 8, {NULL, NULL}},
        {"masonry_arch", "sap", 4, {NULL, NULL}},
        {"arm_box", "lcp", 40, {NULL, NULL}},
        {"crowned_pulley", "sap", 10, {NULL, NULL}},
        {"hanging_clothes", "ipc", 6, {NULL, NULL}},
        {"hanging_clothes", "ipc", 4, {"world.ipc.range", "0.004"}},  // edges within range from the start: pairs enough to be added by parts
        {"tether_net", "ipc", 2, {NULL, NULL}},
        {"knot_imc", "imc", 20, {NULL, NULL}},
        {"cantilever_solid", "none", 4, {NULL, NULL}},
        {"twisted_rod", "none", 40, {NULL, NULL}},
        {"bubble_membrane", "sap", 4, {NULL, NULL}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        compare(&cases[k]);
    }
}

static void numbers_of_threads_are_checked(void** state)
{
    (void)state;
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    FilError error = {""};
    assert_int_equal(def.threads, 1);
    def.threads = -1;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "threads must lie between 0, one for each processor, and 256, not -1"));
    def.threads = 3;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    assert_int_equal(fil_world_threads(world), 3);
    assert_int_equal(fil_world_set_threads(world, 257), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "not 257"));
    assert_int_equal(fil_world_threads(world), 3);
    assert_int_equal(fil_world_set_threads(world, 0), FIL_OK);
    assert_true(fil_world_threads(world) >= 1);
    assert_int_equal(fil_world_threads_asked(world), 0);
    assert_int_equal(fil_world_set_threads(world, 1), FIL_OK);
    assert_int_equal(fil_world_threads(world), 1);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_of_threads_are_checked), cmocka_unit_test(any_number_of_threads_gives_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
