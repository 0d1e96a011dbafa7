/* How the cost of a step grows with the number of boxes in the scene box_pile: while they settle, from the first contact on, and when they
 * have come to rest. */
#include "pile.h"

#include <stdio.h>

#include "base/error.h"

enum { SETTLE = 100, REST = 50 }; /* steps: 0.2 s, in which it comes to rest, and 0.1 s */

typedef struct Part {
    FilRunTotals totals;
    FilBenchClock time;
} Part;

static FilStatus run(FilWorld* world, int steps, Part* part, FilError* error)
{
    const FilBenchClock start = fil_bench_clock();
    *part = (Part){0};
    for (int k = 0; k < steps; k++) {
        FilStepInfo info;
        const FilStatus status = fil_world_step(world, &info);
        if (status != FIL_OK) {
            return fil_error(error, status, "step %d: %.400s", k + 1, fil_world_error(world));
        }
        fil_run_totals_add(&part->totals, &info);
    }
    part->time = fil_bench_since(start);
    return FIL_OK;
}

/* ms a step are those of settling and resting together. */
static FilBenchResult summarise(const FilWorld* world, int boxes, const Part* settle, const Part* rest)
{
    const double steps = SETTLE + REST, wall = settle->time.wall + rest->time.wall, cpu = settle->time.cpu + rest->time.cpu;
    FilBenchResult result = fil_bench_result("box_pile");
    snprintf(result.contact_model, sizeof result.contact_model, "%s", fil_world_contact_model(world));
    result.nodes = boxes;
    result.dt = fil_world_dt(world);
    result.steps = steps;
    result.wall_time = wall;
    result.cpu_time = cpu;
    result.realtime_rate = steps * result.dt / wall;
    result.ms_per_step = 1e3 * wall / steps;
    result.contacts_avg = rest->totals.contacts / REST;
    result.timings = rest->totals.timings;
    fil_bench_result_accuracy(&result, "cpu_ms_settling", 1e3 * settle->time.cpu / SETTLE);
    fil_bench_result_accuracy(&result, "cpu_ms_resting", 1e3 * rest->time.cpu / REST);
    fil_bench_result_accuracy(&result, "cpu_us_per_box", 1e6 * cpu / steps / boxes);
    fil_bench_result_accuracy(&result, "max_penetration", rest->totals.max_penetration);
    return result;
}

static FilStatus measure(FilBench* bench, const char* path, int side, FilError* error)
{
    char number[16];
    const FilSetting setting = {"side", number};
    const FilSceneOptions options = {.settings = &setting, .setting_count = 1};
    FilWorld* world = NULL;
    Part settle, rest;
    snprintf(number, sizeof number, "%d", side);
    FilStatus status = fil_scene_load(path, &options, &world, NULL, error);
    status = status == FIL_OK ? run(world, SETTLE, &settle, error) : status;
    status = status == FIL_OK ? run(world, REST, &rest, error) : status;
    if (status == FIL_OK) {
        const FilBenchResult result = summarise(world, side * side * side, &settle, &rest);
        status = fil_bench_report(bench, &result);
    }
    fil_world_destroy(world);
    return status;
}

FilStatus fil_bench_pile(FilBench* bench, FilError* error)
{
    static const int sides[] = {6, 8, 10, 16};
    char path[1024];
    if (!fil_scene_find("box_pile", path, sizeof path, error)) {
        return FIL_BAD_INPUT;
    }
    FilStatus status = FIL_OK;
    for (size_t k = 0; k < sizeof sides / sizeof sides[0] && status == FIL_OK; k++) {
        status = measure(bench, path, sides[k], error);
    }
    return status;
}
