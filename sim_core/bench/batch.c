/* What a batch costs and gains: the time of a world's step in it, on one thread and on two, beside that of the same worlds stepped one by
 * one. A single ball in flight shows the overhead, cables show the gain; that needs two processors with nothing else to do. */
#include "batch.h"

#include <math.h>

#include "base/error.h"

enum { WORLDS = 64, ROUNDS = 5 };

typedef struct Case {
    const char* name;
    int steps; /* of every world, in a round */
    const char* text;
} Case;

static const Case cases[] = {
    {"batch_ball", 200, "rigid_bodies: [{name: ball, position: [0, 0, 1], shapes: [{sphere: {radius: 0.1}}]}]\nworld: {dt: 0.001}\n"},
    {"batch_cable", 20,
     "world: {dt: 0.001}\n"
     "materials: {rubber: {young: 1e6, poisson: 0.5, density: 1000}}\n"
     "rods: [{name: cable, material: rubber, section: {circle: {radius: 0.0025}},\n"
     "        shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 100}}}]\n"
     "attachments: [{name: hook, pin: {rod: cable, node: 0}}]\n"},
};

static FilStatus load(const Case* c, int threads, FilBatch** batch, FilError* error)
{
    FilSceneBatchDef def = fil_scene_batch_def_default();
    def.count = WORLDS;
    def.threads = threads;
    def.path = "batch.yaml";
    def.text = c->text;
    for (def.size = 0; c->text[def.size] != '\0';) {
        def.size++;
    }
    return fil_scene_load_batch(&def, batch, NULL, error);
}

/* One by one, step by step: what the batch does without a pool. */
static FilStatus step_plainly(FilBatch* batch, int steps)
{
    FilStatus status = FIL_OK;
    for (int s = 0; s < steps; s++) {
        for (int k = 0; k < WORLDS && status == FIL_OK; k++) {
            status = fil_world_step(fil_batch_world(batch, k), NULL);
        }
    }
    return status;
}

/* A rollout: every world goes through all of its steps at once. */
static FilStatus roll_out(FilBatch* batch, int steps)
{
    FilRolloutDef def = fil_rollout_def_default();
    def.steps = steps;
    return fil_batch_rollout(batch, &def);
}

/* A call for every step: what a controller outside does. */
static FilStatus step_together(FilBatch* batch, int steps)
{
    FilStatus status = FIL_OK;
    const FilRolloutDef def = fil_rollout_def_default();
    for (int s = 0; s < steps && status == FIL_OK; s++) {
        status = fil_batch_rollout(batch, &def);
    }
    return status;
}

typedef struct Times {
    double wall, cpu; /* s, of a round, the best: cpu of all threads */
    uint64_t hashes[WORLDS];
} Times;

/* From the start, several rounds; each goes through the same states. */
static FilStatus measure(const Case* c, int threads, FilStatus (*step)(FilBatch* batch, int steps), Times* times, FilError* error)
{
    FilBatch* batch = NULL;
    FilStatus status = load(c, threads, &batch, error);
    if (status != FIL_OK) {
        return status;
    }
    *times = (Times){.wall = INFINITY, .cpu = INFINITY};
    for (int r = 0; r < ROUNDS && status == FIL_OK; r++) {
        status = fil_batch_reset(batch, NULL);
        const double cpu = fil_bench_cpu();
        const FilBenchClock start = fil_bench_clock();
        status = status == FIL_OK ? step(batch, c->steps) : status;
        times->wall = fmin(times->wall, fil_bench_since(start).wall);
        times->cpu = fmin(times->cpu, fil_bench_cpu() - cpu);
    }
    if (status != FIL_OK) {
        fil_error(error, status, "%.400s", fil_batch_error(batch));
    }
    fil_batch_hashes(batch, times->hashes);
    fil_batch_destroy(batch);
    return status;
}

FilStatus fil_bench_batch(FilBench* bench, FilError* error)
{
    FilStatus status = FIL_OK;
    for (size_t k = 0; k < sizeof cases / sizeof *cases && status == FIL_OK; k++) {
        const Case* c = &cases[k];
        const double steps = (double)WORLDS * c->steps;
        Times plain, one, two, rolled[2];
        status = measure(c, 1, step_plainly, &plain, error);
        status = status == FIL_OK ? measure(c, 1, step_together, &one, error) : status;
        status = status == FIL_OK ? measure(c, 2, step_together, &two, error) : status;
        for (int t = 0; t < 2 && status == FIL_OK; t++) {
            status = measure(c, t + 1, roll_out, &rolled[t], error);
        }
        if (status != FIL_OK) {
            return status;
        }
        int others = 0;
        for (int w = 0; w < WORLDS; w++) {
            others += one.hashes[w] != plain.hashes[w] || two.hashes[w] != plain.hashes[w] || rolled[1].hashes[w] != plain.hashes[w];
        }
        FilBenchResult result = fil_bench_result(c->name);
        result.steps = steps;
        result.dt = 1e-3;
        result.wall_time = one.wall;
        result.cpu_time = one.cpu;
        result.ms_per_step = 1e3 * one.wall / steps;
        fil_bench_result_accuracy(&result, "step_us", 1e6 * plain.cpu / steps);
        fil_bench_result_accuracy(&result, "overhead_us", 1e6 * (one.cpu - plain.cpu) / steps);
        fil_bench_result_accuracy(&result, "gain_of_two", one.wall / two.wall);
        fil_bench_result_accuracy(&result, "gain_rolling", rolled[0].wall / rolled[1].wall);
        fil_bench_result_accuracy(&result, "other_bits", others);
        status = fil_bench_report(bench, &result);
    }
    return status;
}
