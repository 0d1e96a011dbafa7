/* Owns `filum sweep`: many runs of a scene over grids, draws and seeds, on all processors; one row per run. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/workers.h"
#include "bench.h"
#include "cli.h"
#include "command_table.h"
#include "plot.h"
#include "sweep/figure.h"
#include "sweep/plan.h"
#include "sweep/ranks.h"
#include "sweep/store.h"

typedef struct Options {
    double duration; /* s; negative: the scene's */
    FilSceneChoice scene;
    FilSettings over, random;
    int samples, seeds, threads;
    bool sobol, json, quiet;
    const char *out, *plot;
} Options;

/* Columns behind those of the keys and the seed, and in front of the probes. */
static const char* const measures[] = {
    "status",           "error",        "steps",        "sim_time",        "wall_time", "newton_iterations", "contact_solves", "contact_iterations",
    "contact_failures", "contacts_avg", "contacts_max", "max_penetration", "kinetic",   "elastic",           "gravity",        "state_hash"};
enum { MEASURES = sizeof measures / sizeof *measures };

typedef struct Sweep {
    const Options* options;
    char path[PATH_MAX]; /* of the scene */
    FilSweepPlan plan;
    int axes;             /* keys that are varied */
    const char** columns; /* axes, perhaps the seed, measures, probes */
    FilSweepCell* cells;  /* a row being made */
    int column_count, probe_count;
    char **probes, **headings; /* names, and of their columns: `probes.` in front where a name is taken */
    FilRanks* ranks;           /* processes that share it; NULL: this one is alone */
    FilSweepStore* store;      /* rank 0's */
    bool* done;                /* by run */
    uint64_t* pending;         /* runs to do */
    uint64_t pending_count, skipped;

    pthread_mutex_t lock; /* over what follows */
    FilProgress progress;
    FilBenchClock start, busy; /* busy: that runs took, summed */
    uint64_t finished, failed;
    double cpu;     /* s, of all threads, when the runs began */
    FilError error; /* the table cannot be written: the sweep ends */
    atomic_bool broken;
} Sweep;

static bool parse(int argc, char** argv, Options* options, const char** scene, int* exit_code)
{
    const FilOption table[] = {
        {"--over", FIL_OPTION_SETTING, &options->over, "KEY=VALUES", "linspace(a,b,n), logspace(a,b,n) or [x,y,...]; several make a grid"},
        {"--random", FIL_OPTION_SETTING, &options->random, "KEY=DRAW", "uniform(a,b), loguniform(a,b) or normal(mean,deviation)"},
        {"--samples", FIL_OPTION_COUNT, &options->samples, "N", "draws for each point of the grid; 1 by default"},
        {"--sobol", FIL_OPTION_FLAG, &options->sobol, NULL, "draw by Sobol's sequence, which fills the space evenly"},
        {"--seeds", FIL_OPTION_COUNT, &options->seeds, "K", "run each with K seeds of the scene's random numbers, from --seed on"},
        {"--duration", FIL_OPTION_DURATION, &options->duration, "S", "simulated seconds, instead of the scene's"},
        FIL_SCENE_CHOICE_ROWS(&options->scene),
        {"--out", FIL_OPTION_TEXT, &options->out, "NAME", "the table is NAME.db and NAME.csv; a sweep that was stopped goes on"},
        {"--plot", FIL_OPTION_TEXT, &options->plot, "COLUMN", "draw a column over the first key, as NAME.svg"},
        {"--threads", FIL_OPTION_COUNT, &options->threads, "N", "runs at a time, instead of one for each processor"},
        FIL_JSON_ROW(&options->json),
        FIL_QUIET_ROW(&options->quiet),
    };
    const FilUsage usage = {
        .command = "sweep",
        .arguments = "SCENE",
        .about =
            "Runs a scene many times, over a grid of its keys, draws of them and seeds, and makes a table with a row per run.\n"
            "Values depend on the run's number alone, results are those of `filum run --set`.",
        .min_arguments = 1,
        .max_arguments = 1,
        .options = table,
        .option_count = sizeof table / sizeof table[0],
    };
    int count = 0;
    const bool parsed = fil_options_parse(&usage, argc, argv, &count, exit_code);
    *scene = argv[1];
    return parsed;
}

/* ---- one run ---- */

/* A run's scene options; settings are the common ones, then its own. */
typedef struct Values {
    char texts[2 * FIL_SWEEP_AXES][FIL_SWEEP_TEXT];
    FilSetting* settings;
    FilSceneOptions options;
} Values;

static bool set_values(const Sweep* sweep, uint64_t run, Values* values)
{
    const FilSettings* common = &sweep->options->scene.settings;
    values->options = fil_scene_choice_options(&sweep->options->scene);
    values->settings = fil_alloc((size_t)(common->count + sweep->axes), sizeof *values->settings);
    if (values->settings == NULL) {
        return false;
    }
    for (int k = 0; k < common->count; k++) {
        values->settings[k] = common->items[k];
    }
    for (int k = 0; k < sweep->axes; k++) {
        fil_sweep_value(&sweep->plan, run, k, values->texts[k]);
        values->settings[common->count + k] = (FilSetting){fil_sweep_path(&sweep->plan, k), values->texts[k]};
    }
    values->options.settings = values->settings;
    values->options.setting_count = common->count + sweep->axes;
    if (sweep->plan.seeded) {
        values->options.seed = fil_sweep_seed(&sweep->plan, run);
        values->options.seed_given = true;
    }
    return true;
}

typedef struct Result {
    FilStatus status;
    FilError error;
    FilRunTotals totals;
    FilBenchClock time;
    double sim_time;
    FilEnergy energy;
    char hash[17];
    double* probes;
} Result;

/* The user's stop, or the other ranks'. */
static bool stop_asked(void* context)
{
    const Sweep* sweep = context;
    return fil_stop_requested() || fil_ranks_over(sweep->ranks);
}

static FilStatus simulate(Sweep* sweep, const Values* values, Result* result)
{
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilStatus status = fil_scene_load(sweep->path, &values->options, &world, &info, &result->error);
    status = status == FIL_OK ? fil_world_set_threads(world, 1) : status;
    if (status != FIL_OK) {
        fil_world_destroy(world);
        return status;
    }
    fil_world_set_stop(world, stop_asked, sweep);
    const double duration = sweep->options->duration >= 0.0 ? sweep->options->duration : info.duration;
    const uint64_t steps = fil_run_step_count(duration, fil_world_dt(world));
    while (result->totals.steps < steps && status == FIL_OK) {
        FilStepInfo step;
        status = fil_world_step(world, &step);
        if (status == FIL_OK) {
            fil_run_totals_add(&result->totals, &step);
        } else {
            fil_error(&result->error, status, "t = %g s: %.400s", fil_world_time(world), fil_world_error(world));
        }
    }
    result->sim_time = fil_world_time(world);
    result->energy = fil_world_energy(world);
    snprintf(result->hash, sizeof result->hash, "%016llx", (unsigned long long)fil_world_hash(world));
    // by name: parameters may change what a scene measures
    for (int p = 0; p < sweep->probe_count; p++) {
        for (int w = 0; w < fil_world_probe_count(world); w++) {
            if (strcmp(sweep->probes[p], fil_world_probe_name(world, w)) == 0) {
                result->probes[p] = fil_world_probe_value(world, w);
            }
        }
    }
    fil_world_destroy(world);
    return status;
}

/* ---- the table ---- */

static FilSweepCell cell(const char* text)
{
    char* end;
    const double number = strtod(text, &end);
    return end != text && *end == '\0' ? (FilSweepCell){.number = number} : (FilSweepCell){.text = text};
}

/* `texts` has room for the values' words. */
static void fill_row(const Sweep* sweep, uint64_t run, const Result* result, char (*texts)[FIL_SWEEP_TEXT], FilSweepCell* cells)
{
    const FilRunTotals* totals = &result->totals;
    const bool loaded = result->hash[0] != '\0';
    for (int k = 0; k < sweep->axes; k++) {
        fil_sweep_value(&sweep->plan, run, k, texts[k]);
        *cells++ = cell(texts[k]);
    }
    if (sweep->plan.seeded) {
        *cells++ = (FilSweepCell){.number = (double)fil_sweep_seed(&sweep->plan, run)};
    }
    *cells++ = (FilSweepCell){.text = result->status == FIL_OK ? "done" : fil_status_name(result->status)};
    *cells++ = (FilSweepCell){.text = result->status == FIL_OK ? NULL : result->error.text, .number = NAN};
    const double numbers[] = {(double)totals->steps,
                              result->sim_time,
                              result->time.wall,
                              (double)totals->newton_iterations,
                              (double)totals->contact_solves,
                              (double)totals->contact_iterations,
                              (double)totals->contact_failures,
                              totals->steps > 0 ? totals->contacts / (double)totals->steps : 0.0,
                              (double)totals->contacts_max,
                              totals->max_penetration,
                              result->energy.kinetic,
                              result->energy.elastic,
                              result->energy.gravity};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        *cells++ = (FilSweepCell){.number = loaded ? numbers[k] : NAN};
    }
    *cells++ = (FilSweepCell){.text = loaded ? result->hash : NULL, .number = NAN};
    for (int p = 0; p < sweep->probe_count; p++) {
        *cells++ = (FilSweepCell){.number = result->probes[p]};
    }
}

/* s below which a run is cheaper to do again than to be kept by itself */
static const double QUICK = 0.05;

/* By one thread at a time. */
static void keep(Sweep* sweep, uint64_t run, const Result* result)
{
    char texts[2 * FIL_SWEEP_AXES][FIL_SWEEP_TEXT];
    fill_row(sweep, run, result, texts, sweep->cells);
    if (!sweep->broken && fil_sweep_store_add(sweep->store, run, sweep->cells, result->time.wall < QUICK, &sweep->error) != FIL_OK) {
        sweep->broken = true;
    }
    sweep->finished++;
    sweep->failed += result->status != FIL_OK;
    sweep->busy.wall += result->time.wall;
    sweep->busy.cpu += result->time.cpu;
    if (sweep->progress.shown) {
        const double left = fil_bench_since(sweep->start).wall / (double)sweep->finished * (double)(sweep->pending_count - sweep->finished);
        fil_progress_update(&sweep->progress, (double)(sweep->skipped + sweep->finished) / (double)sweep->plan.runs,
                            "%llu of %llu runs, %llu failed, %.0f s left", (unsigned long long)(sweep->skipped + sweep->finished),
                            (unsigned long long)sweep->plan.runs, (unsigned long long)sweep->failed, left);
    }
}

/* Does a run; false if it was ended on its way, and is to be done again. `probes` has room for them. */
static bool do_run(Sweep* sweep, uint64_t run, double* probes, Result* result)
{
    const FilBenchClock start = fil_bench_clock();
    Values values = {.settings = NULL};
    *result = (Result){.probes = probes};
    for (int p = 0; p < sweep->probe_count; p++) {
        probes[p] = NAN;
    }
    result->status =
        set_values(sweep, run, &values) ? simulate(sweep, &values, result) : fil_error(&result->error, FIL_OUT_OF_MEMORY, "out of memory");
    result->time = fil_bench_since(start);
    fil_free(values.settings);
    return !(result->status == FIL_INTERRUPTED && stop_asked(sweep));
}

static void do_runs(void* context, int first, int end, int worker)
{
    Sweep* sweep = context;
    (void)worker;
    for (int k = first; k < end && !fil_stop_requested() && !sweep->broken; k++) {
        Result result;
        double* probes = fil_alloc((size_t)sweep->probe_count, sizeof *probes);
        if (probes != NULL && do_run(sweep, sweep->pending[k], probes, &result)) {
            pthread_mutex_lock(&sweep->lock);
            keep(sweep, sweep->pending[k], &result);
            pthread_mutex_unlock(&sweep->lock);
        }
        sweep->broken = sweep->broken || probes == NULL;
        fil_free(probes);
    }
}

/* ---- the sweep ---- */

/* Whether a name is that of one of the first `count` columns, or of the run's number. */
static bool is_taken(const Sweep* sweep, int count, const char* name)
{
    bool taken = strcmp(name, "run") == 0;
    for (int k = 0; k < count && !taken; k++) {
        taken = sweep->columns[k] != NULL && strcmp(sweep->columns[k], name) == 0;
    }
    return taken;
}

/* The scene once, as the first run has it: what it measures. */
static FilStatus read_probes(Sweep* sweep, FilError* error)
{
    Values values;
    FilWorld* world = NULL;
    if (!set_values(sweep, 0, &values)) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    FilStatus status = fil_scene_load(sweep->path, &values.options, &world, NULL, error);
    fil_free(values.settings);
    if (status != FIL_OK) {
        return status;
    }
    const int probes = fil_world_probe_count(world);
    sweep->probes = fil_alloc((size_t)probes, sizeof *sweep->probes);
    sweep->headings = fil_alloc((size_t)probes, sizeof *sweep->headings);
    sweep->column_count = sweep->axes + sweep->plan.seeded + MEASURES + probes;
    sweep->columns = fil_alloc((size_t)sweep->column_count, sizeof *sweep->columns);
    sweep->cells = fil_alloc((size_t)sweep->column_count, sizeof *sweep->cells);
    int count = 0;
    for (int k = 0; k < sweep->axes && sweep->columns != NULL; k++) {
        sweep->columns[count++] = fil_sweep_path(&sweep->plan, k);
    }
    if (sweep->plan.seeded && sweep->columns != NULL) {
        sweep->columns[count++] = "seed";
    }
    for (int k = 0; k < MEASURES && sweep->columns != NULL; k++) {
        sweep->columns[count++] = measures[k];
    }
    for (int p = 0; p < probes && sweep->columns != NULL && sweep->probes != NULL && sweep->headings != NULL; p++) {
        char heading[PATH_MAX];
        const char* name = fil_world_probe_name(world, p);
        snprintf(heading, sizeof heading, "%s%s", is_taken(sweep, count, name) ? "probes." : "", name);
        sweep->probes[p] = fil_strdup(name);
        sweep->headings[p] = fil_strdup(heading);
        sweep->columns[count++] = sweep->headings[p];
        sweep->probe_count += sweep->probes[p] != NULL && sweep->headings[p] != NULL;
    }
    fil_world_destroy(world);
    if (sweep->probe_count < probes || count < sweep->column_count || sweep->cells == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    for (int i = 0; i < count; i++) {
        if (is_taken(sweep, i, sweep->columns[i])) {
            return fil_error(error, FIL_BAD_INPUT, "the table would have two columns '%s': give the probe another name", sweep->columns[i]);
        }
    }
    return FIL_OK;
}

/* Everything that a row depends on, as text: the scene's bytes by their hash. */
static FilStatus describe(const Sweep* sweep, char* text, size_t size, FilError* error)
{
    const Options* options = sweep->options;
    FILE* file = fopen(sweep->path, "rb");
    if (file == NULL) {
        return fil_error(error, FIL_IO, "cannot read %s: %s", sweep->path, strerror(errno));
    }
    uint64_t hash = FIL_HASH_SEED;
    char bytes[4096];
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, file)) > 0;) {
        hash = fil_hash_bytes(hash, bytes, count);
    }
    fclose(file);
    const char* name = strrchr(sweep->path, '/');
    size_t at = 0;
#define PUT(...) (at += at < size ? (size_t)snprintf(text + at, size - at, __VA_ARGS__) : 0)
    PUT("filum sweep %s (%016llx)", name != NULL ? name + 1 : sweep->path, (unsigned long long)hash);
    const struct {
        const char* word;
        const FilSettings* list;
    } lists[] = {{"--over", &options->over}, {"--random", &options->random}, {"--set", &options->scene.settings}};
    for (int l = 0; l < 3; l++) {
        for (int k = 0; k < lists[l].list->count; k++) {
            PUT(" %s %s=%s", lists[l].word, lists[l].list->items[k].path, lists[l].list->items[k].value);
        }
    }
    PUT(" --samples %d --seeds %d%s", options->samples, options->seeds, options->sobol ? " --sobol" : "");
    if (options->scene.seed.given) {
        PUT(" --seed %llu", (unsigned long long)options->scene.seed.value);
    }
    if (options->duration >= 0.0) {
        PUT(" --duration %.17g", options->duration);
    }
    if (options->scene.dt > 0.0) {
        PUT(" --dt %.17g", options->scene.dt);
    }
    if (options->scene.contact != NULL) {
        PUT(" --contact %s", options->scene.contact);
    }
#undef PUT
    return at < size ? FIL_OK : fil_error(error, FIL_BAD_INPUT, "the sweep's options are too long");
}

static FilStatus list_pending(Sweep* sweep, FilError* error)
{
    const size_t runs = (size_t)sweep->plan.runs;
    sweep->done = fil_alloc(runs, sizeof *sweep->done);
    sweep->pending = fil_alloc(runs, sizeof *sweep->pending);
    if (sweep->done == NULL || sweep->pending == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory for %llu runs", (unsigned long long)sweep->plan.runs);
    }
    const FilStatus status = fil_sweep_store_done(sweep->store, sweep->done, sweep->plan.runs, &sweep->skipped, error);
    for (size_t r = 0; r < runs && status == FIL_OK; r++) {
        if (!sweep->done[r]) {
            sweep->pending[sweep->pending_count++] = r;
        }
    }
    return status;
}

static FilStatus start(Sweep* sweep, const char* scene, const char* out, FilError* error)
{
    const Options* options = sweep->options;
    char text[8192], path[PATH_MAX + 8];
    sweep->plan = (FilSweepPlan){.samples = (uint64_t)options->samples,
                                 .seeds = (uint64_t)options->seeds,
                                 .seed = options->scene.seed.given ? options->scene.seed.value : 1,
                                 .seeded = options->scene.seed.given || options->seeds > 1,
                                 .sobol = options->sobol};
    FilStatus status = fil_sweep_plan(&sweep->plan, options->over.items, options->over.count, options->random.items, options->random.count, error);
    sweep->axes = sweep->plan.over_count + sweep->plan.random_count;
    if (status == FIL_OK && !fil_scene_find(scene, sweep->path, sizeof sweep->path, error)) {
        status = FIL_BAD_INPUT;
    }
    status = status == FIL_OK ? read_probes(sweep, error) : status;
    if (fil_ranks_own(sweep->ranks) > 0) {
        return status;  // the table is rank 0's
    }
    status = status == FIL_OK ? describe(sweep, text, sizeof text, error) : status;
    if (status == FIL_OK) {
        snprintf(path, sizeof path, "%s.db", out);
        status = fil_sweep_store_open(path, text, sweep->columns, sweep->column_count, &sweep->store, error);
    }
    return status == FIL_OK ? list_pending(sweep, error) : status;
}

/* By threads: chunks of pending runs that the pool can count at a time. */
static void run_by_threads(Sweep* sweep)
{
    enum { AT_ONCE = 1 << 20 };
    const int asked = sweep->options->threads > 0 ? sweep->options->threads : fil_workers_processors();
    const uint64_t all = sweep->pending_count;
    uint64_t* const first = sweep->pending;
    FilWorkers* workers = fil_workers_create((uint64_t)asked < all ? asked : (int)all);
    for (uint64_t at = 0; at < all; at += AT_ONCE) {
        sweep->pending = first + at;
        fil_workers_run(workers, (int)(all - at < AT_ONCE ? all - at : AT_ONCE), 1, do_runs, sweep);
    }
    sweep->pending = first;
    fil_workers_destroy(workers);
}

/* A run for another rank: its result, then the probes. */
static bool work_for_ranks(void* context, FilRanks* ranks, uint64_t run, void* bytes)
{
    (void)ranks;
    Result* result = bytes;
    return do_run(context, run, (double*)(result + 1), result);
}

static bool keep_of_ranks(void* context, uint64_t run, const void* bytes, double* seconds)
{
    Sweep* sweep = context;
    Result result;
    memcpy(&result, bytes, sizeof result);
    result.probes = (double*)((const Result*)bytes + 1);  // the other rank's pointer says nothing here
    keep(sweep, run, &result);
    *seconds = result.time.wall;
    return !sweep->broken && !fil_stop_requested();
}

static void run_all(Sweep* sweep)
{
    const FilRanksJob job = {.context = sweep,
                             .count = sweep->plan.runs,
                             .done = sweep->done,
                             .size = sizeof(Result) + sizeof(double) * (size_t)sweep->probe_count,
                             .work = work_for_ranks,
                             .keep = keep_of_ranks};
    sweep->progress = fil_progress_start(sweep->options->quiet || fil_ranks_own(sweep->ranks) > 0);
    sweep->start = fil_bench_clock();
    sweep->cpu = fil_bench_cpu();
    pthread_mutex_init(&sweep->lock, NULL);
    fil_stop_on_signals();
    if (sweep->ranks == NULL) {
        run_by_threads(sweep);
    } else if (fil_ranks_share(sweep->ranks, &job, &sweep->error) != FIL_OK) {
        sweep->broken = true;
    }
    fil_progress_clear(&sweep->progress);
    pthread_mutex_destroy(&sweep->lock);
}

static void print_summary(const Sweep* sweep, const char* out, double wall, double cpu)
{
    const unsigned long long runs = sweep->plan.runs, finished = sweep->finished, failed = sweep->failed, skipped = sweep->skipped;
    if (sweep->options->json) {
        FilJson json = {.out = stdout};
        fil_json_open(&json, NULL, '{');
        fil_json_integer(&json, "runs", runs);
        fil_json_integer(&json, "done_before", skipped);
        fil_json_integer(&json, "done", finished);
        fil_json_integer(&json, "failed", failed);
        fil_json_number(&json, "wall_time", wall);
        fil_json_number(&json, "run_time", sweep->busy.wall);
        fil_json_number(&json, "cpu_time", cpu);
        fil_json_number(&json, "run_cpu_time", sweep->busy.cpu);
        fil_json_text(&json, "table", out);
        fil_json_close(&json, '}');
    } else if (!sweep->options->quiet) {
        printf("%llu of %llu runs in %s.db and %s.csv: %llu now, %llu before; %llu failed; %.3g s, %.3g s of runs\n", skipped + finished, runs, out,
               out, finished, skipped, failed, wall, sweep->busy.wall);
    }
}

/* The table as text, the figure, and words about it. */
static int finish(Sweep* sweep, const char* out)
{
    FilError error = {""};
    char path[PATH_MAX + 8];
    const double wall = fil_bench_since(sweep->start).wall, cpu = fil_bench_cpu() - sweep->cpu;
    if (sweep->broken) {
        return fil_cli_fail("sweep", FIL_EXIT_FAILED, "%s", sweep->error.text);
    }
    if (fil_ranks_own(sweep->ranks) > 0) {
        return FIL_EXIT_DONE;  // rank 0 has the rest
    }
    snprintf(path, sizeof path, "%s.csv", out);
    FilStatus status = fil_sweep_store_write_csv(sweep->store, path, &error);
    if (status == FIL_OK && sweep->options->plot != NULL) {
        snprintf(path, sizeof path, "%s.svg", out);
        status = fil_sweep_draw(&sweep->plan, sweep->store, sweep->options->plot, path, &error);
    }
    if (status != FIL_OK) {
        return fil_cli_fail("sweep", FIL_EXIT_FAILED, "%s", error.text);
    }
    print_summary(sweep, out, wall, cpu);
    if (fil_ranks_lost(sweep->ranks) > 0) {
        fprintf(stderr, "filum sweep: %d of %d ranks were lost; their runs were done by others\n", fil_ranks_lost(sweep->ranks),
                fil_ranks_count(sweep->ranks));
    }
    if (fil_stop_requested() && sweep->finished < sweep->pending_count) {
        return fil_cli_fail("sweep", FIL_EXIT_FAILED, "stopped after %llu of %llu runs; the same command goes on",
                            (unsigned long long)(sweep->skipped + sweep->finished), (unsigned long long)sweep->plan.runs);
    }
    if (sweep->failed > 0) {
        return fil_cli_fail("sweep", FIL_EXIT_FAILED, "%llu of %llu runs failed; %s.csv says why", (unsigned long long)sweep->failed,
                            (unsigned long long)sweep->plan.runs, out);
    }
    return FIL_EXIT_DONE;
}

static void free_sweep(Sweep* sweep)
{
    fil_sweep_store_close(sweep->store);
    for (int p = 0; p < sweep->probe_count; p++) {
        fil_free(sweep->probes[p]);
        fil_free(sweep->headings[p]);
    }
    fil_free(sweep->probes);
    fil_free(sweep->headings);
    fil_free(sweep->columns);
    fil_free(sweep->cells);
    fil_free(sweep->done);
    fil_free(sweep->pending);
}

int fil_command_sweep(int argc, char** argv)
{
    Options options = {.duration = -1.0, .samples = 1, .seeds = 1};
    const char* scene = NULL;
    int exit_code = FIL_EXIT_DONE;
    if (parse(argc, argv, &options, &scene, &exit_code)) {
        // beside nothing: where the user is
        char own[NAME_MAX + 1];
        const char* base = strrchr(scene, '/') != NULL ? strrchr(scene, '/') + 1 : scene;
        snprintf(own, sizeof own, "%.*s_sweep", (int)strcspn(base, "."), base);
        const char* out = options.out != NULL ? options.out : own;
        Sweep sweep = {.options = &options};
        FilError error = {""};
        FilStatus status = strlen(out) < PATH_MAX ? fil_ranks_join(&sweep.ranks, &error) : fil_error(&error, FIL_BAD_INPUT, "--out is too long");
        if (status == FIL_OK && sweep.ranks != NULL && options.threads > 1) {
            status = fil_error(&error, FIL_BAD_INPUT, "each of several ranks does one run at a time: start more ranks instead of --threads %d",
                               options.threads);
        }
        status = status == FIL_OK ? start(&sweep, scene, out, &error) : status;
        if (status == FIL_OK) {
            run_all(&sweep);
            exit_code = finish(&sweep, out);
        } else {
            exit_code = status == FIL_BAD_INPUT ? FIL_EXIT_USAGE : FIL_EXIT_FAILED;
            if (fil_ranks_own(sweep.ranks) == 0 || status != FIL_BAD_INPUT) {  // what is wrong for all, rank 0 says
                fil_cli_fail("sweep", exit_code, "%s", error.text);
            }
        }
        free_sweep(&sweep);
        fil_ranks_leave(sweep.ranks);
    }
    fil_settings_free(&options.over);
    fil_settings_free(&options.random);
    fil_settings_free(&options.scene.settings);
    return exit_code;
}
