/* `filum plan --out`: the written scene moves as the plan's own drives do, for an arm's chambers and for robots' joints; a picture; JSON. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"

typedef struct Case {
    const char* scene;
    FilSetting settings[4];
    int count;
} Case;

/* Both at a size that takes a second. */
static const Case cases[2] = {
    {"valve_turn", {{"plan.nodes", "20"}, {"plan.solver.meshes", "1"}, {"world.dt", "1e-3"}, {"angle", "0.6"}}, 4},
    {"ball_rotation", {{"plan.nodes", "12"}, {"plan.solver.meshes", "1"}, {"task.angle", "0.6"}, {"plan.bounds.target", "3"}}, 4}};

static FilWorld* load(const char* path, const Case* c, FilSceneInfo* info)
{
    const FilSceneOptions options = {.settings = c->settings, .setting_count = c->count};
    return load_file(path, &options, info);
}

/* Where the plan's goal is missed after a tenth of its time. */
static void run(FilWorld* world, const FilPlan* plan, double time, double out[2])
{
    while (fil_world_time(world) < time - 0.5 * fil_world_dt(world)) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    fil_plan_miss(plan, world, &out[0], &out[1]);
}

static void call(const Case* c, const char* folder, char* output, size_t size)
{
    char command[1024];
    int length = snprintf(command, sizeof command, "%s plan %s --quiet --json --replay --out %s/out.yaml --svg %s/out.svg", FILUM_CLI, c->scene,
                          folder, folder);
    for (int k = 0; k < c->count; k++) {
        length += snprintf(command + length, sizeof command - (size_t)length, " --set %s=%s", c->settings[k].path, c->settings[k].value);
    }
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, size - 1, pipe)] = '\0';
    (void)pclose(pipe);
}

static void written_scenes_move_as_planned(void** state)
{
    (void)state;
    char folder[] = "/tmp/filum_plan_XXXXXX", path[128], output[4096];
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < 2; k++) {
        const Case* c = &cases[k];
        char scene[512];
        FilSceneInfo info, other;
        FilPlan* plan = NULL;
        FilError error = {""};
        double ours[2], theirs[2];
        call(c, folder, output, sizeof output);
        static const char* const keys[] = {"\"verdict\"", "\"coordinates\"", "\"turn_miss\"", "\"slip_pair\"", "\"replay_turn_miss\""};
        for (int i = 0; i < 5; i++) {
            assert_non_null(strstr(output, keys[i]));
        }
        snprintf(scene, sizeof scene, FILUM_SOURCE_DIR "/config/scenes/%s.yaml", c->scene);
        FilWorld* world = load(scene, c, &info);
        assert_int_equal(fil_plan_solve(world, &info.plan, &plan, &error), FIL_OK);
        assert_int_equal(fil_plan_add_drives(plan, world), FIL_OK);
        snprintf(path, sizeof path, "%s/out.yaml", folder);
        FilWorld* again = load(path, c, &other);
        const double time = 0.1 * info.plan.horizon;
        run(world, plan, time, ours);
        run(again, plan, time, theirs);
        print_message("%s: %.6f and %.6f rad from the goal after %.2f s\n", c->scene, ours[1], theirs[1], time);
        // times are written to 1e-10 s
        assert_true(isfinite(ours[1]) && fabs(ours[0] - theirs[0]) < 1e-7 && fabs(ours[1] - theirs[1]) < 1e-7);
        remove(path);
        snprintf(path, sizeof path, "%s/out.svg", folder);
        assert_int_equal(remove(path), 0);
        fil_plan_destroy(plan);
        fil_world_destroy(world);
        fil_world_destroy(again);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_scenes_move_as_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
