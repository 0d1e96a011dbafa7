/* Owns the clocks, the totals of a run and the list of results. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"

struct FilBench {
    int repeats;
    int count;
    FilBenchResult* results;
};

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

FilBenchClock fil_bench_clock(void)
{
    return (FilBenchClock){.wall = seconds(CLOCK_MONOTONIC), .cpu = seconds(CLOCK_THREAD_CPUTIME_ID)};
}

double fil_bench_cpu(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

FilBenchClock fil_bench_since(FilBenchClock start)
{
    const FilBenchClock now = fil_bench_clock();
    return (FilBenchClock){.wall = now.wall - start.wall, .cpu = now.cpu - start.cpu};
}

void fil_run_totals_add(FilRunTotals* totals, const FilStepInfo* info)
{
    totals->steps += 1;
    totals->newton_iterations += (uint64_t)info->newton_iterations;
    totals->contact_solves += (uint64_t)info->contact_solves;
    totals->contact_iterations += (uint64_t)info->contact_iterations;
    totals->contact_failures += (uint64_t)info->contact_failures;
    totals->halved_steps += info->halvings > 0;
    totals->regularised += (uint64_t)info->regularised;
    totals->contacts += info->contacts;
    totals->contacts_max = info->contacts > totals->contacts_max ? info->contacts : totals->contacts_max;
    totals->max_penetration = fmax(totals->max_penetration, info->max_penetration);
    totals->deep_steps += info->deep_contacts > 0;
    totals->crossings += info->crossings;
    totals->worst_residual = fmax(totals->worst_residual, info->residual);
    totals->timings.collide += info->timings.collide;
    totals->timings.free_motion += info->timings.free_motion;
    totals->timings.contact += info->timings.contact;
    totals->timings.other += info->timings.other;
}

uint64_t fil_run_step_count(double duration, double dt)
{
    // a duration that is a whole number of steps up to rounding takes exactly that many
    const double steps = duration / dt;
    return (uint64_t)ceil(steps - 1e-9 * fmax(1.0, steps));
}

FilBenchResult fil_bench_result(const char* name)
{
    FilBenchResult result = {
        .dt = NAN,
        .steps = NAN,
        .wall_time = NAN,
        .cpu_time = NAN,
        .realtime_rate = NAN,
        .ms_per_step = NAN,
        .us_per_iteration = NAN,
        .iterations_per_step = NAN,
        .ns_per_node = NAN,
        .contacts_avg = NAN,
        .timings = {NAN, NAN, NAN, NAN},
    };
    snprintf(result.name, sizeof result.name, "%s", name);
    snprintf(result.contact_model, sizeof result.contact_model, "none");
    return result;
}

void fil_bench_result_accuracy(FilBenchResult* result, const char* what, double value)
{
    FIL_ASSERT(result->accuracy_count < FIL_BENCH_ACCURACY_MAX);
    FilBenchAccuracy* accuracy = &result->accuracy[result->accuracy_count++];
    snprintf(accuracy->what, sizeof accuracy->what, "%s", what);
    accuracy->value = value;
}

FilStatus fil_bench_create(int repeats, FilBench** bench)
{
    *bench = fil_alloc(1, sizeof **bench);
    if (*bench == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    (*bench)->repeats = repeats;
    return FIL_OK;
}

void fil_bench_destroy(FilBench* bench)
{
    if (bench != NULL) {
        fil_free(bench->results);
        fil_free(bench);
    }
}

int fil_bench_repeats(const FilBench* bench)
{
    return bench->repeats;
}

int fil_bench_count(const FilBench* bench)
{
    return bench->count;
}

const FilBenchResult* fil_bench_at(const FilBench* bench, int index)
{
    FIL_ASSERT(index >= 0 && index < bench->count);
    return &bench->results[index];
}

FilStatus fil_bench_report(FilBench* bench, const FilBenchResult* result)
{
    const size_t count = (size_t)bench->count;
    void* block = bench->results;
    if (!fil_grow(&block, count, count + 1, sizeof *result)) {
        return FIL_OUT_OF_MEMORY;
    }
    bench->results = block;
    bench->results[bench->count++] = *result;
    return FIL_OK;
}
