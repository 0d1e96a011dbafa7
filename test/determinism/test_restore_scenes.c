/* A world that is restored from a snapshot goes on with the same bits as the one that it was taken from, although that one has met
 * other contacts before: nothing of a solve may depend on what the state does not hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"

/* Steps before the snapshot and after it: while contacts come and go. */
typedef struct Case {
    const char *scene, *model;
    int before, after;
} Case;

static FilWorld* load(const Case* c)
{
    const FilSceneOptions options = {.contact_model = c->model};
    return load_scene(c->scene, &options);
}

static void step(FilWorld* world, const Case* c)
{
    if (fil_world_step(world, NULL) != FIL_OK) {
        fail_msg("%s, %s: %s", c->scene, c->model, fil_world_error(world));
    }
}

static void restored_worlds_go_on_alike(void** state)
{
    (void)state;
    static const Case cases[] = {
        {"capstan", "sap", 100, 20},
        {"capstan", "sap_lagged", 200, 20},
        {"capstan", "lcp", 100, 10},
        {"capstan", "imc", 100, 20},
        {"two_arms_knot", "sap_lagged", 200, 20},
        {"torus_pick", "sap", 60, 10},
        {"hand_ball", "sap", 60, 10},
        {"bubble_gripper", "sap", 60, 10},
        {"demo", "sap_lagged", 300, 50},
        {"box_stack", "sap", 60, 20},
        {"ring_bar", "ipc", 50, 20},
        {"hanging_clothes", "ipc", 4, 3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const Case* c = &cases[k];
        FilWorld *world = load(c), *other = load(c);
        for (int n = 0; n < c->before; ++n) {
            step(world, c);
        }
        const size_t size = fil_world_snapshot_size(world);
        void* snapshot = malloc(size);
        assert_non_null(snapshot);
        fil_world_save(world, snapshot);
        assert_int_equal(fil_world_restore(other, snapshot, size), FIL_OK);
        for (int n = 0; n < c->after; ++n) {
            step(world, c);
            step(other, c);
            if (fil_world_hash(world) != fil_world_hash(other)) {
                fail_msg("%s under %s: another state %d steps after the snapshot", c->scene, c->model, n + 1);
            }
        }
        free(snapshot);
        fil_world_destroy(world);
        fil_world_destroy(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(restored_worlds_go_on_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
