/* Owns the measurement of a scene: the whole run, several times, the fastest counts. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "bench.h"

// s: enough to see the best of several runs, short enough to wait for
static const double PATIENCE = 20.0;

typedef struct Run {
    FilRunTotals totals;
    FilBenchClock time;
} Run;

static FilStatus run_once(FilWorld* world, uint64_t steps, Run* run, FilError* error)
{
    *run = (Run){0};
    const FilBenchClock start = fil_bench_clock();
    for (uint64_t i = 0; i < steps; ++i) {
        FilStepInfo info;
        const FilStatus status = fil_world_step(world, &info);
        if (status != FIL_OK) {
            return fil_error(error, status, "step %llu: %.400s", (unsigned long long)(i + 1), fil_world_error(world));
        }
        fil_run_totals_add(&run->totals, &info);
    }
    run->time = fil_bench_since(start);
    return FIL_OK;
}

static int count_nodes(const FilWorld* world)
{
    int nodes = 0;
    for (int i = 0; i < fil_world_rod_count(world); ++i) {
        nodes += fil_rod_node_count(world, fil_world_rod_at(world, i));
    }
    return nodes;
}

static FilBenchResult summarise(const FilWorld* world, const FilBenchRow* row, const Run* best)
{
    const FilRunTotals* totals = &best->totals;
    const double steps = (double)totals->steps;
    const double iterations = (double)totals->newton_iterations;
    FilBenchResult result = fil_bench_result(row->name);
    snprintf(result.contact_model, sizeof result.contact_model, "%s", fil_world_contact_model(world));
    result.nodes = count_nodes(world);
    result.dt = fil_world_dt(world);
    result.steps = steps;
    result.wall_time = best->time.wall;
    result.cpu_time = best->time.cpu;
    result.realtime_rate = steps * result.dt / best->time.wall;
    result.ms_per_step = 1e3 * best->time.wall / steps;
    result.iterations_per_step = iterations / steps;
    // an explicit integrator has no iterations, a scene need not have rods
    result.us_per_iteration = iterations > 0.0 ? 1e6 * totals->timings.free_motion / iterations : NAN;
    result.ns_per_node = result.nodes > 0 ? 1e3 * result.us_per_iteration / result.nodes : NAN;
    result.contacts_avg = totals->contacts / steps;
    result.timings = totals->timings;
    fil_bench_result_accuracy(&result, "worst_residual", totals->worst_residual);
    if (row->judge != NULL) {
        row->judge(world, &result);
    }
    return result;
}

FilStatus fil_bench_scene(FilBench* bench, const FilBenchRow* row, const char* path, FilError* error)
{
    FilWorld* world = NULL;
    FilSceneInfo scene;
    FilStatus status = fil_scene_load(path, NULL, &world, &scene, error);
    if (status != FIL_OK) {
        return status;
    }
    const uint64_t steps = fil_run_step_count(scene.duration, fil_world_dt(world));
    if (steps == 0) {
        fil_world_destroy(world);
        return fil_error(error, FIL_BAD_INPUT, "%.400s: a bench needs a scene that lasts", path);
    }
    // the first run warms caches and the world's memory; if it takes long enough, it counts
    Run best = {0};
    status = run_once(world, steps, &best, error);
    double spent = best.time.wall;
    for (int i = 0; status == FIL_OK && i < fil_bench_repeats(bench) && spent < PATIENCE; ++i) {
        Run run;
        status = fil_world_reset(world);
        if (status == FIL_OK) {
            status = run_once(world, steps, &run, error);
        }
        if (status == FIL_OK) {
            spent += run.time.wall;
            best = run.time.wall < best.time.wall ? run : best;
        }
    }
    if (status == FIL_OK) {
        const FilBenchResult result = summarise(world, row, &best);
        status = fil_bench_report(bench, &result);
    }
    fil_world_destroy(world);
    return status;
}
