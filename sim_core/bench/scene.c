/* Owns the measurement of a scene: the whole run, several times, the fastest counts; then finer runs to compare with.
 */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "bench.h"

// s: enough to see the best of several runs, short enough to wait for
static const double PATIENCE = 20.0;

typedef struct Run {
    FilRunTotals totals;
    double polygons; /* of pressure patches before those of two parts are merged, over all steps */
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
        run->polygons += info.patch_polygons;
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
    // by the thread's own clock, so that a busy machine does not count; an explicit integrator has no iterations
    const double free_motion = best->time.cpu * totals->timings.free_motion / best->time.wall;
    result.us_per_iteration = iterations > 0.0 ? 1e6 * free_motion / iterations : NAN;
    result.ns_per_node = result.nodes > 0 ? 1e3 * result.us_per_iteration / result.nodes : NAN;
    result.contacts_avg = totals->contacts / steps;
    result.timings = totals->timings;
    fil_bench_result_accuracy(&result, "worst_residual", totals->worst_residual);
    if (best->polygons > 0.0) {
        fil_bench_result_accuracy(&result, "polygons_before_reduction", best->polygons / steps);
    }
    return result;
}

/* ---- accuracy: how far from a finer run ---- */

/* Largest distance between nodes at the same place of two rods, relative to the length; the finer rod has `stride`
 * edges for each edge of the coarser one. NaN if it has not, or when out of memory. */
static double compare_rods(const FilWorld* coarse, const FilWorld* fine, int rod, int stride)
{
    const FilId a = fil_world_rod_at(coarse, rod), b = fil_world_rod_at(fine, rod);
    const int nodes = fil_rod_node_count(coarse, a), fine_nodes = fil_rod_node_count(fine, b);
    if (fil_rod_edge_count(fine, b) != stride * fil_rod_edge_count(coarse, a)) {
        return NAN;
    }
    double* x = fil_alloc((size_t)nodes, 3 * sizeof *x);
    double* y = fil_alloc((size_t)fine_nodes, 3 * sizeof *y);
    double worst = NAN;
    if (x != NULL && y != NULL) {
        fil_rod_get_positions(coarse, a, x);
        fil_rod_get_positions(fine, b, y);
        worst = 0.0;
        for (int i = 0; i < nodes; ++i) {
            const double* p = x + 3 * i;
            const double* q = y + 3 * stride * i;
            worst = fmax(worst, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
        }
        worst /= fil_rod_length(coarse, a);
    }
    fil_free(x);
    fil_free(y);
    return worst;
}

/* Runs the scene again, finer, and reports how far its rods end from those of `world`. */
static FilStatus judge(const FilWorld* world, const char* path, double duration, const FilSceneOptions* finer, int stride, const char* what,
                       FilBenchResult* result, FilError* error)
{
    FilWorld* fine = NULL;
    FilSceneInfo scene;
    FilStatus status = fil_scene_load(path, finer, &fine, &scene, error);
    if (status != FIL_OK) {
        return status;
    }
    Run run;
    status = run_once(fine, fil_run_step_count(duration > 0.0 ? duration : scene.duration, fil_world_dt(fine)), &run, error);
    const int rods = fil_world_rod_count(world);
    if (status == FIL_OK && rods > 0 && fil_world_rod_count(fine) == rods) {
        double worst = 0.0;
        for (int i = 0; i < rods; ++i) {
            worst = fmax(worst, compare_rods(world, fine, i, stride));
        }
        fil_bench_result_accuracy(result, what, worst);
    }
    fil_world_destroy(fine);
    return status;
}

static FilStatus judge_both(const FilWorld* world, const char* path, const FilBenchRow* row, FilBenchResult* result, FilError* error)
{
    const FilSceneOptions small_steps = {.dt = 0.25 * result->dt};
    FilStatus status = judge(world, path, row->duration, &small_steps, 1, "error_of_dt", result, error);
    if (status == FIL_OK && row->refined.path != NULL) {
        const FilSceneOptions small_edges = {.settings = &row->refined, .setting_count = 1};
        status = judge(world, path, row->duration, &small_edges, 2, "error_of_edges", result, error);
    }
    return status;
}

FilStatus fil_bench_scene(FilBench* bench, const FilBenchRow* row, const char* path, FilError* error)
{
    FilWorld* world = NULL;
    FilSceneInfo scene;
    FilStatus status = fil_scene_load(path, NULL, &world, &scene, error);
    if (status != FIL_OK) {
        return status;
    }
    const uint64_t steps = fil_run_step_count(row->duration > 0.0 ? row->duration : scene.duration, fil_world_dt(world));
    if (steps == 0) {
        fil_world_destroy(world);
        return fil_error(error, FIL_BAD_INPUT, "%.400s: a bench needs a scene that lasts", path);
    }
    // the first run warms caches and the world's memory, and counts like the others
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
        FilBenchResult result = summarise(world, row, &best);
        status = judge_both(world, path, row, &result, error);
        if (status == FIL_OK) {
            status = fil_bench_report(bench, &result);
        }
    }
    fil_world_destroy(world);
    return status;
}
