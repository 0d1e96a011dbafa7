/* Owns `filum bag bench`: how fast a run is recorded, and what that costs the run.
 *
 * Two measurements per codec: a run that records every step beside the same run alone, by the processor time of the
 * stepping thread; and recording without stepping, the same state again and again, by the clock on the wall. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bag.h"
#include "bag_run.h"
#include "base/json.h"
#include "bench.h"

#define COMMAND "bag bench"

typedef struct Measure {
    double thread_cpu; /* s, of the stepping thread */
    double all_cpu;    /* s, of all threads */
    double wall;       /* s, until the bag is closed */
    uint64_t bytes;    /* of messages */
    uint64_t messages;
    uint64_t file; /* bytes */
} Measure;

typedef struct Bench {
    const char* scene;
    const char* folder;
    int steps, repeat;
    bool json;
    char path[PATH_MAX]; /* of the scene */
} Bench;

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Steps a new world, or leaves it in its first state, and records it unless the codec is NULL; false after a message.
 */
static bool run_once(const Bench* bench, const char* codec, bool stepping, Measure* measure)
{
    char file[PATH_MAX];
    FilWorld* world = NULL;
    FilSceneInfo scene;
    FilRunBag* bag = NULL;
    FilError error = {""};
    const FilSceneOptions how = {0};
    snprintf(file, sizeof file, "%.4000s/filum_bag_bench_%ld.mcap", bench->folder, (long)getpid());
    // 1e9 Hz: every step
    const FilRunBagOptions options = {.path = file, .compression = codec, .rate = 1e9};
    FilStatus status = fil_scene_load(bench->path, &how, &world, &scene, &error);
    if (status == FIL_OK && codec != NULL) {
        status = fil_run_bag_start(&options, world, &scene, bench->path, &how, &bag, &error);
    }
    FilStepInfo info = {0};
    const double thread = seconds(CLOCK_THREAD_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
    const double all = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; status == FIL_OK && i < bench->steps; ++i) {
        status = stepping ? fil_world_step(world, &info) : FIL_OK;
        if (status == FIL_OK && bag != NULL) {
            status = fil_run_bag_observe(bag, &info, &error);
        }
    }
    measure->thread_cpu = seconds(CLOCK_THREAD_CPUTIME_ID) - thread;
    if (bag != NULL) {
        const FilRunBagCounts counts = fil_run_bag_counts(bag);
        const FilStatus stopped = fil_run_bag_stop(bag, &error);
        status = status == FIL_OK ? stopped : status;
        measure->bytes = counts.bytes;
        measure->messages = counts.messages;
    }
    measure->wall = seconds(CLOCK_MONOTONIC) - wall;
    measure->all_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - all;
    struct stat size;
    measure->file = bag != NULL && stat(file, &size) == 0 ? (uint64_t)size.st_size : 0;
    if (bag != NULL) {
        unlink(file);
    }
    fil_world_destroy(world);
    if (status != FIL_OK) {
        fil_cli_fail(COMMAND, 0, "%s: %s", fil_status_name(status), error.text);
    }
    return status == FIL_OK;
}

/* The least of several: what disturbs only adds. */
static bool run_best(const Bench* bench, const char* codec, bool stepping, Measure* best)
{
    for (int i = 0; i < bench->repeat; ++i) {
        Measure measure = {0};
        if (!run_once(bench, codec, stepping, &measure)) {
            return false;
        }
        if (i == 0) {
            *best = measure;
        }
        best->thread_cpu = fmin(best->thread_cpu, measure.thread_cpu);
        best->all_cpu = fmin(best->all_cpu, measure.all_cpu);
        best->wall = fmin(best->wall, measure.wall);
    }
    return true;
}

typedef struct Row {
    const char* codec;
    double bytes_per_step;
    double stored;   /* bytes in the file per byte of messages */
    double slowdown; /* of the stepping thread, 0.1 is 10 % */
    double rate;     /* MB/s of messages, recording alone */
    double cpu;      /* s of all threads per GB, recording alone */
    double cores;    /* in use, recording alone */
} Row;

static void print_row(const Bench* bench, FilJson* json, const Row* row)
{
    if (!bench->json) {
        printf("%-6s %14.0f %10.3f %11.1f %% %10.0f %12.2f %8.2f\n", row->codec, row->bytes_per_step, row->stored, 100.0 * row->slowdown, row->rate,
               row->cpu, row->cores);
        return;
    }
    fil_json_open(json, NULL, '{');
    fil_json_text(json, "codec", row->codec);
    fil_json_number(json, "bytes_per_step", row->bytes_per_step);
    fil_json_number(json, "stored_per_byte", row->stored);
    fil_json_number(json, "step_slowdown", row->slowdown);
    fil_json_number(json, "megabytes_per_second", row->rate);
    fil_json_number(json, "cpu_seconds_per_gigabyte", row->cpu);
    fil_json_number(json, "cores", row->cores);
    fil_json_close(json, '}');
}

static bool measure_all(const Bench* bench)
{
    static const char* const codecs[] = {"none", "lz4", "zstd"};
    FilJson json = {.out = stdout};
    Measure alone = {0};
    if (!run_best(bench, NULL, true, &alone)) {
        return false;
    }
    if (bench->json) {
        fil_json_open(&json, NULL, '[');
    } else {
        printf("%s, %d steps of %.3g ms each, best of %d, in %s\n", bench->path, bench->steps, 1e3 * alone.thread_cpu / bench->steps, bench->repeat,
               bench->folder);
        printf("%-6s %14s %10s %13s %10s %12s %8s\n", "codec", "bytes a step", "stored", "step slower", "MB/s", "CPU s per GB", "cores");
    }
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; ++i) {
        Measure beside = {0}, only = {0};
        if (!run_best(bench, codecs[i], true, &beside) || !run_best(bench, codecs[i], false, &only)) {
            return false;
        }
        const double bytes = (double)only.bytes;
        const Row row = {
            .codec = codecs[i],
            .bytes_per_step = (double)beside.bytes / bench->steps,
            .stored = (double)beside.file / (double)beside.bytes,
            .slowdown = beside.thread_cpu / alone.thread_cpu - 1.0,
            .rate = 1e-6 * bytes / only.wall,
            .cpu = 1e9 * only.all_cpu / bytes,
            .cores = only.all_cpu / only.wall,
        };
        print_row(bench, &json, &row);
    }
    if (bench->json) {
        fil_json_close(&json, ']');
    }
    return true;
}

int fil_bag_bench(int argc, char** argv)
{
    // some seconds in all on one core; the best of three, as others on the machine only add
    Bench bench = {.scene = "fifty_rods", .folder = "/dev/shm", .steps = 300, .repeat = 3};
    const FilOption options[] = {
        {"--folder", FIL_OPTION_TEXT, &bench.folder, "DIR", "where bags are written and removed again; /dev/shm"},
        {"--steps", FIL_OPTION_COUNT, &bench.steps, "N", "recorded, each of them; 300"},
        {"--repeat", FIL_OPTION_COUNT, &bench.repeat, "N", "measurements, of which the best counts; 3"},
        {"--json", FIL_OPTION_FLAG, &bench.json, NULL, "print an array of objects"},
    };
    const FilUsage usage = {
        .command = COMMAND,
        .arguments = "[SCENE]",
        .about =
            "Records a scene (fifty_rods) at every step, by every codec. How much slower a step gets is shown by the\n"
            "processor time of the stepping thread; MB/s, of message bytes, by the wall clock, without stepping.",
        .min_arguments = 0,
        .max_arguments = 1,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int count = 0, exit_code = FIL_EXIT_DONE;
    FilError error = {""};
    if (!fil_options_parse(&usage, argc, argv, &count, &exit_code)) {
        return exit_code;
    }
    if (!fil_scene_find(count > 0 ? argv[1] : bench.scene, bench.path, sizeof bench.path, &error)) {
        return fil_cli_fail(COMMAND, FIL_EXIT_USAGE, "%s", error.text);
    }
    return measure_all(&bench) ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}
