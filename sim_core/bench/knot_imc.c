/* The scene knot_imc, n = 1 to 4, as in P2's Table 1: after two seconds, in which the strands have come to touch, two
 * are measured. The time of an iteration is all CPU time over all iterations, collision and output included, as in that
 * table. */
#include "knot_imc.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"

static FilStatus run(FilWorld* world, double seconds, FilRunTotals* totals, FilBenchClock* time, double* min, double* max, FilError* error)
{
    const FilBenchClock start = fil_bench_clock();
    const uint64_t steps = fil_run_step_count(seconds, fil_world_dt(world));
    *totals = (FilRunTotals){0};
    *min = INFINITY;
    *max = -INFINITY;
    for (uint64_t k = 0; k < steps; k++) {
        FilStepInfo info;
        const FilStatus status = fil_world_step(world, &info);
        if (status != FIL_OK) {
            return fil_error(error, status, "%.400s", fil_world_error(world));
        }
        fil_run_totals_add(totals, &info);
        *min = fmin(*min, info.min_distance);
        *max = fmax(*max, info.min_distance);
    }
    *time = fil_bench_since(start);
    return FIL_OK;
}

static FilStatus measure(FilBench* bench, const char* path, int n, FilError* error)
{
    char number[16];
    const FilSetting setting = {"knot.n", number};
    const FilSceneOptions options = {.settings = &setting, .setting_count = 1};
    FilWorld* world = NULL;
    FilRunTotals totals;
    FilBenchClock time;
    double min, max;
    snprintf(number, sizeof number, "%d", n);
    FilStatus status = fil_scene_load(path, &options, &world, NULL, error);
    status = status == FIL_OK ? run(world, 2.0, &totals, &time, &min, &max, error) : status;
    status = status == FIL_OK ? run(world, 2.0, &totals, &time, &min, &max, error) : status;
    if (status == FIL_OK) {
        const double steps = (double)totals.steps, iterations = (double)totals.newton_iterations;
        FilBenchResult result = fil_bench_result("knot_imc");
        snprintf(result.contact_model, sizeof result.contact_model, "%s", fil_world_contact_model(world));
        result.nodes = fil_rod_node_count(world, fil_world_rod_at(world, 0));
        result.dt = fil_world_dt(world);
        result.steps = steps;
        result.wall_time = time.wall;
        result.cpu_time = time.cpu;
        result.realtime_rate = steps * result.dt / time.wall;
        result.ms_per_step = 1e3 * time.wall / steps;
        result.us_per_iteration = 1e6 * time.cpu / iterations;
        result.ns_per_node = 1e3 * result.us_per_iteration / result.nodes;
        result.iterations_per_step = iterations / steps;
        result.contacts_avg = totals.contacts / steps;
        result.timings = totals.timings;
        fil_bench_result_accuracy(&result, "n", n);
        fil_bench_result_accuracy(&result, "least_distance_um", 1e6 * min);
        fil_bench_result_accuracy(&result, "largest_least_distance_um", 1e6 * max);
        status = fil_bench_report(bench, &result);
    }
    fil_world_destroy(world);
    return status;
}

FilStatus fil_bench_knot_imc(FilBench* bench, FilError* error)
{
    char path[4096];
    if (!fil_scene_find("knot_imc", path, sizeof path, error)) {
        return FIL_BAD_INPUT;
    }
    FilStatus status = FIL_OK;
    for (int n = 1; n <= 4 && status == FIL_OK; n++) {
        status = measure(bench, path, n, error);
    }
    return status;
}
