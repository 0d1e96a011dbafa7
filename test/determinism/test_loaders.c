/* Four threads that load scenes of every kind, step, save and restore worlds and end them, each in another order: nothing is shared
 * between worlds, so that every thread comes to the same bits. The thread sanitizer looks for what is shared all the same. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "filum/filum.h"

enum { THREADS = 4, STEPS = 2 };

/* URDFs and meshes, expressions, includes, cloth, solids, soft arms, rings */
static const char* const scenes[] = {"demo",       "gripper_pinch",  "arm_box",    "cantilever_solid",
                                     "ring_chain", "crowned_pulley", "torus_pick", "twisted_rod"};
enum { SCENES = sizeof scenes / sizeof *scenes };

typedef struct Worker {
    pthread_t thread;
    int number;
    uint64_t hashes[SCENES];
    FilError error; /* "" if all went well */
} Worker;

/* Steps, saves, steps, restores and steps again: the hash at the end. */
static FilStatus run(FilWorld* world, uint64_t* hash)
{
    FilStatus status = FIL_OK;
    uint64_t ends[2] = {0, 0};
    for (int n = 0; n < STEPS && status == FIL_OK; n++) {
        status = fil_world_step(world, NULL);
    }
    const size_t size = fil_world_snapshot_size(world);
    void* snapshot = malloc(size);
    if (snapshot == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_world_save(world, snapshot);
    for (int k = 0; k < 2 && status == FIL_OK; k++) {
        status = fil_world_restore(world, snapshot, size);
        if (status == FIL_OK) {
            status = fil_world_step(world, NULL);
        }
        ends[k] = fil_world_hash(world);
    }
    free(snapshot);
    *hash = ends[0] == ends[1] ? ends[0] : 0;
    return status;
}

static void* work(void* context)
{
    Worker* worker = context;
    for (int k = 0; k < SCENES; k++) {
        const int s = (k + 2 * worker->number) % SCENES;
        char path[1024];
        FilWorld* world = NULL;
        if (!fil_scene_find(scenes[s], path, sizeof path, &worker->error) || fil_scene_load(path, NULL, &world, NULL, &worker->error) != FIL_OK) {
            return NULL;
        }
        const FilStatus status = run(world, &worker->hashes[s]);
        if (status != FIL_OK) {
            snprintf(worker->error.text, sizeof worker->error.text, "%s: %d, %s", scenes[s], status, fil_world_error(world));
        }
        fil_world_destroy(world);
    }
    return NULL;
}

static void threads_share_nothing(void** state)
{
    (void)state;
    static Worker workers[THREADS];
    for (int t = 0; t < THREADS; t++) {
        workers[t].number = t;
        assert_int_equal(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(workers[t].thread, NULL), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        assert_string_equal(workers[t].error.text, "");
        for (int k = 0; k < SCENES; k++) {
            assert_true(workers[t].hashes[k] == workers[0].hashes[k] && workers[t].hashes[k] != 0);  // 0: another state after restoring
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_share_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
