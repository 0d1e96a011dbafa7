/* Owns `filum run`: a scene from start to end, with CSV rows and messages on the way, a picture and a summary at the
 * end. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "bag_run.h"
#include "base/json.h"
#include "base/number.h"
#include "bench.h"
#include "cli.h"
#include "command_table.h"
#include "csv.h"
#include "draw.h"

typedef struct Options {
    double duration; /* s; negative: the scene's */
    FilSceneChoice scene;
    const char* csv;
    const char* svg;
    bool strain;
    FilVec3 view; /* zero: the usual one */
    FilRunBagOptions bag;
    bool hash, json, quiet;
} Options;

typedef struct Run {
    const Options* options;
    FilWorld* world;
    FilSceneInfo scene;
    double duration;     /* s */
    uint64_t steps;      /* that fill the duration */
    uint64_t rows;       /* of CSV written */
    FILE* csv;           /* NULL: none */
    FilDrawing* drawing; /* NULL: none */
    FilRunBag* bag;      /* NULL: none */
    FilRunBagCounts recorded;
    FilRunTotals totals;
    FilBenchClock time;
} Run;

static bool parse(int argc, char** argv, Options* options, const char** scene, int* exit_code)
{
    const FilOption table[] = {
        {"--duration", FIL_OPTION_DURATION, &options->duration, "S", "simulated seconds, instead of the scene's; 0: only the start"},
        FIL_SCENE_CHOICE_ROWS(&options->scene),
        {"--csv", FIL_OPTION_TEXT, &options->csv, "FILE", "one row per output period: t, probes; - is standard output"},
        {"--svg", FIL_OPTION_TEXT, &options->svg, "FILE", "draw the world at the end, and faintly how it got there"},
        {"--strain", FIL_OPTION_FLAG, &options->strain, NULL, "colour cloth and solids of the drawing by strain"},
        {"--view", FIL_OPTION_DIRECTION, &options->view, "X,Y,Z", "where the picture is seen from"},
        {"--bag", FIL_OPTION_TEXT, &options->bag.path, "PATH", "record what the node would publish: a new directory, or a file .mcap or .db3"},
        {"--bag-rate", FIL_OPTION_POSITIVE, &options->bag.rate, "HZ", "messages per simulated second, instead of the node's; above 1/dt every step"},
        {"--bag-compression", FIL_OPTION_TEXT, &options->bag.compression, "CODEC", "none, lz4 or zstd; of .mcap"},
        {"--bag-storage", FIL_OPTION_TEXT, &options->bag.storage, "KIND", "of a directory: mcap or sqlite3"},
        {"--hash", FIL_OPTION_FLAG, &options->hash, NULL, "print the hash of the final state"},
        FIL_JSON_ROW(&options->json),
        FIL_QUIET_ROW(&options->quiet),
    };
    const FilUsage usage = {
        .command = "run",
        .arguments = "SCENE",
        .about = "Simulates a scene, given by its path or by its name in config/scenes.",
        .min_arguments = 1,
        .max_arguments = 1,
        .options = table,
        .option_count = sizeof table / sizeof table[0],
    };
    int count = 0;
    if (!fil_options_parse(&usage, argc, argv, &count, exit_code)) {
        return false;
    }
    *scene = argv[1];
    if (options->json && options->csv != NULL && strcmp(options->csv, "-") == 0) {
        *exit_code = fil_cli_fail("run", FIL_EXIT_USAGE, "--json and --csv - both want standard output");
        return false;
    }
    return true;
}

static bool know_contact_model(const char* name)
{
    FilGuess guess = fil_guess_start(name);
    for (int i = 0; i < fil_contact_model_count(); ++i) {
        if (strcmp(name, fil_contact_model_name(i)) == 0) {
            return true;
        }
        fil_guess_try(&guess, fil_contact_model_name(i));
    }
    fil_cli_fail("run", 0, "no contact model '%s'%s", name, fil_hint(&guess).text);
    return false;
}

/* Ground that nothing stands on: a scene that says what it is of, and not by which model it is met. */
static void warn_of_no_contact(const Run* run)
{
    const FilWorld* world = run->world;
    if (run->options->quiet || strcmp(fil_world_contact_model(world), fil_contact_model_name(0)) != 0) {
        return;
    }
    for (int k = 0; k < fil_world_rigid_count(world); k++) {
        const FilId id = fil_world_rigid_at(world, k);
        for (int s = 0; s < fil_rigid_shape_count(world, id); s++) {
            if (fil_rigid_shape(world, id, s).type == FIL_SHAPE_HALF_SPACE) {
                fprintf(stderr, "filum run: under contact model 'none' everything falls through '%s'; --contact sap lets it be met\n",
                        fil_rigid_name(world, id));
                return;
            }
        }
    }
}

/* At the first step whose contacts are so deep that they are about to be lost: what the scene says, or its step, is wrong. */
static void warn_of_depth(const Run* run, const FilStepInfo* info)
{
    if (run->options->quiet || info->deep_contacts == 0 || run->totals.deep_steps != 1) {
        return;
    }
    FilContactInfo deepest = fil_world_contact(run->world, 0);
    for (int k = 1; k < fil_world_contact_count(run->world); k++) {
        const FilContactInfo contact = fil_world_contact(run->world, k);
        deepest = contact.area == 0.0 && contact.distance < deepest.distance ? contact : deepest;
    }
    const char *a = fil_object_name(run->world, deepest.a), *b = fil_object_name(run->world, deepest.b);
    fprintf(stderr,
            "filum run: at t = %g s bodies overlap by more than a tenth of their sizes (%d contacts, up to %.3g m, deepest '%s' and '%s'); "
            "place them apart, or use a smaller dt; contact.max_depth makes this an error\n",
            fil_world_time(run->world), info->deep_contacts, info->max_penetration, a != NULL ? a : "?", b != NULL ? b : "?");
}

/* At the first step in which rods or sheets have passed through each other: what follows is not physics. */
static void warn_of_crossings(const Run* run, const FilStepInfo* info)
{
    if (!run->options->quiet && info->crossings > 0 && run->totals.crossings == info->crossings) {
        fprintf(stderr, "filum run: at t = %g s rods or cloth passed through each other (%d times in this step); use a smaller dt\n",
                fil_world_time(run->world), info->crossings);
    }
}

/* Loads the scene and opens the files to write; false after a message. */
static bool start(Run* run, const char* scene)
{
    const Options* options = run->options;
    FilError error = {""};
    char path[PATH_MAX];
    if (options->scene.contact != NULL && !know_contact_model(options->scene.contact)) {
        return false;
    }
    const FilSceneOptions scene_options = fil_scene_choice_options(&options->scene);
    if (!fil_scene_find(scene, path, sizeof path, &error) || fil_scene_load(path, &scene_options, &run->world, &run->scene, &error) != FIL_OK) {
        fil_cli_fail("run", 0, "%s", error.text);
        return false;
    }
    warn_of_no_contact(run);
    run->duration = options->duration >= 0.0 ? options->duration : run->scene.duration;
    run->steps = fil_run_step_count(run->duration, fil_world_dt(run->world));
    if (options->svg != NULL && fil_drawing_create(run->world, options->view, &run->drawing) != FIL_OK) {
        fil_cli_fail("run", 0, "out of memory");
        return false;
    }
    if (options->strain && run->drawing != NULL) {
        fil_drawing_show_strains(run->drawing);
    }
    if (options->bag.path != NULL && fil_run_bag_start(&options->bag, run->world, &run->scene, path, &scene_options, &run->bag, &error) != FIL_OK) {
        fil_cli_fail("run", 0, "%s", error.text);
        return false;
    }
    if (options->csv != NULL) {
        run->csv = strcmp(options->csv, "-") == 0 ? stdout : fopen(options->csv, "w");
        if (run->csv == NULL) {
            fil_cli_fail("run", 0, "cannot write %s: %s", options->csv, strerror(errno));
            return false;
        }
        fil_csv_text(run->csv, "t", true);
        for (int i = 0; i < fil_world_probe_count(run->world); ++i) {
            fil_csv_text(run->csv, fil_world_probe_name(run->world, i), false);
        }
        fil_csv_end(run->csv);
    }
    return true;
}

/* Writes the rows that are due: row k at the first step that reaches k output periods. */
static void write_row(Run* run)
{
    const double dt = fil_world_dt(run->world);
    const double period = fmax(run->scene.output_period, dt);
    const uint64_t due = fil_run_step_count((double)run->rows * period, dt);
    if (run->csv == NULL || run->totals.steps < due || ferror(run->csv)) {  // nothing after a row or a header that was lost
        return;
    }
    fil_csv_number(run->csv, fil_world_time(run->world), true);
    for (int i = 0; i < fil_world_probe_count(run->world); ++i) {
        fil_csv_number(run->csv, fil_world_probe_value(run->world, i), false);
    }
    // each row is flushed, so that a long run can be watched
    fil_csv_end(run->csv);
    run->rows += 1;
}

/* What is to be seen of the current state; `last` is NULL before the first step. False after a message. */
static bool observe(Run* run, const FilStepInfo* last)
{
    FilError error = {""};
    write_row(run);
    if (run->drawing != NULL) {
        fil_drawing_watch(run->drawing, run->world, (double)run->totals.steps / (double)run->steps);
    }
    if (run->csv != NULL && ferror(run->csv)) {
        fil_cli_fail("run", 0, "cannot write %s: %s", run->options->csv, strerror(errno));
        return false;
    }
    if (run->bag != NULL && fil_run_bag_observe(run->bag, last, &error) != FIL_OK) {
        fil_cli_fail("run", 0, "stopped at t = %g s, as the bag cannot be written: %s", fil_world_time(run->world), error.text);
        return false;
    }
    return true;
}

static int simulate(Run* run)
{
    int exit_code = FIL_EXIT_DONE;
    FilProgress progress = fil_progress_start(run->options->quiet);
    fil_stop_on_signals();
    fil_world_set_stop(run->world, fil_stop_asked, NULL);
    const FilBenchClock start_time = fil_bench_clock();
    exit_code = observe(run, NULL) ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
    while (run->totals.steps < run->steps && exit_code == FIL_EXIT_DONE) {
        FilStepInfo info;
        const FilStatus status = fil_world_step(run->world, &info);
        if (status == FIL_OK) {
            fil_run_totals_add(&run->totals, &info);
            warn_of_depth(run, &info);
            warn_of_crossings(run, &info);
            exit_code = observe(run, &info) ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
        }
        if (progress.shown) {
            const double time = fil_world_time(run->world);
            fil_progress_update(&progress, (double)run->totals.steps / (double)run->steps, "t = %.3f of %g s, %s x", time, run->duration,
                                FIL_SHORT(time / fil_bench_since(start_time).wall, 3));
        }
        if (status != FIL_OK && !(status == FIL_INTERRUPTED && fil_stop_requested())) {
            fil_progress_clear(&progress);
            exit_code = fil_cli_fail("run", FIL_EXIT_FAILED, "%s, step %" PRIu64 " at t = %g s: %s: %s", run->scene.name, run->totals.steps + 1,
                                     fil_world_time(run->world), fil_status_name(status), fil_world_error(run->world));
        } else if (exit_code == FIL_EXIT_DONE && fil_stop_requested() && run->totals.steps < run->steps) {
            fil_progress_clear(&progress);
            exit_code = fil_cli_fail("run", FIL_EXIT_FAILED, "stopped at t = %g of %g s", fil_world_time(run->world), run->duration);
        }
    }
    run->time = fil_bench_since(start_time);
    fil_progress_clear(&progress);
    return exit_code;
}

/* Ends the bag of a run, also of one that failed. */
static int stop_bag(Run* run, int exit_code)
{
    FilError error = {""};
    if (run->bag == NULL) {
        return exit_code;
    }
    run->recorded = fil_run_bag_counts(run->bag);
    const FilStatus status = fil_run_bag_stop(run->bag, &error);
    run->bag = NULL;
    // a failure on the way has been reported already
    return status == FIL_OK || exit_code != FIL_EXIT_DONE ? exit_code : fil_cli_fail("run", FIL_EXIT_FAILED, "%s", error.text);
}

/* A run that failed is drawn too, as far as it came. */
static int draw(Run* run, int exit_code)
{
    const char* title = run->scene.title[0] != '\0' ? run->scene.title : run->scene.name;
    FilError error;
    if (run->drawing != NULL && fil_drawing_write(run->drawing, run->world, title, run->options->svg, &error) != FIL_OK) {
        return fil_cli_fail("run", FIL_EXIT_FAILED, "%s", error.text);
    }
    return exit_code;
}

static void print_json(const Run* run)
{
    const FilRunTotals* totals = &run->totals;
    const FilEnergy energy = fil_world_energy(run->world);
    const double sim_time = fil_world_time(run->world);
    FilJson json = {.out = stdout};
    fil_json_open(&json, NULL, '{');
    fil_json_text(&json, "scene", run->scene.name);
    fil_json_text(&json, "contact_model", fil_world_contact_model(run->world));
    fil_json_number(&json, "dt", fil_world_dt(run->world));
    fil_json_number(&json, "sim_time", sim_time);
    fil_json_number(&json, "wall_time", run->time.wall);
    fil_json_number(&json, "realtime_rate", sim_time / run->time.wall);
    fil_json_integer(&json, "threads", (uint64_t)fil_world_threads(run->world));
    fil_json_integer(&json, "steps", totals->steps);
    fil_json_integer(&json, "newton_iterations", totals->newton_iterations);
    fil_json_number(&json, "contacts_avg", totals->steps > 0 ? totals->contacts / (double)totals->steps : 0.0);
    fil_json_integer(&json, "contacts_max", (uint64_t)totals->contacts_max);
    fil_json_number(&json, "max_penetration", totals->max_penetration);
    fil_json_integer(&json, "deep_steps", totals->deep_steps);
    fil_json_integer(&json, "crossings", (uint64_t)totals->crossings);
    fil_json_open(&json, "energy", '{');
    fil_json_number(&json, "kinetic", energy.kinetic);
    fil_json_number(&json, "elastic", energy.elastic);
    fil_json_number(&json, "gravity", energy.gravity);
    fil_json_close(&json, '}');
    fil_json_open(&json, "probes", '{');
    for (int i = 0; i < fil_world_probe_count(run->world); ++i) {
        fil_json_number(&json, fil_world_probe_name(run->world, i), fil_world_probe_value(run->world, i));
    }
    fil_json_close(&json, '}');
    fil_json_hash(&json, "state_hash", fil_world_hash(run->world));
    fil_json_open(&json, "timings", '{');
    fil_json_number(&json, "collide", totals->timings.collide);
    fil_json_number(&json, "free_motion", totals->timings.free_motion);
    fil_json_number(&json, "contact", totals->timings.contact);
    fil_json_number(&json, "other", totals->timings.other);
    fil_json_close(&json, '}');
    if (run->options->bag.path != NULL) {
        fil_json_open(&json, "bag", '{');
        fil_json_text(&json, "path", run->options->bag.path);
        fil_json_integer(&json, "messages", run->recorded.messages);
        fil_json_integer(&json, "bytes", run->recorded.bytes);
        fil_json_close(&json, '}');
    }
    fil_json_close(&json, '}');
}

static void print_probes(const FilWorld* world, FILE* out)
{
    const int count = fil_world_probe_count(world);
    int width = 0;
    for (int i = 0; i < count; ++i) {
        const int length = (int)strlen(fil_world_probe_name(world, i));
        width = length > width ? length : width;
    }
    for (int i = 0; i < count; ++i) {
        const double value = fil_world_probe_value(world, i);
        fprintf(out, "  %-12s %-*s %s%s\n", i == 0 ? "probes" : "", width, fil_world_probe_name(world, i), value < 0.0 ? "" : " ",
                FIL_SHORT(value, 9));
    }
}

static void print_energy(const FilWorld* world, FILE* out)
{
    const FilEnergy energy = fil_world_energy(world);
    fprintf(out, "  energy       kinetic %s J, elastic %s J, gravity %s J\n", FIL_SHORT(energy.kinetic, 6), FIL_SHORT(energy.elastic, 6),
            FIL_SHORT(energy.gravity, 6));
}

static void print_summary(const Run* run, FILE* out)
{
    const FilRunTotals* totals = &run->totals;
    const FilTimings* timings = &totals->timings;
    const double time = fil_world_time(run->world);
    const double steps = fmax(1.0, (double)totals->steps);
    fprintf(out, "%s%s%s\n", run->scene.name, run->scene.title[0] != '\0' ? ": " : "", run->scene.title);
    if (totals->steps == 0) {
        fprintf(out, "  time         %g s, the start\n", time);
        print_energy(run->world, out);
        print_probes(run->world, out);
        return;
    }
    fprintf(out, "  time         %g s in %s s, %s times real time\n", time, FIL_SHORT(run->time.wall, 3), FIL_SHORT(time / run->time.wall, 3));
    fprintf(out, "  steps        %" PRIu64 " of %g s, %.2f Newton iterations each", totals->steps, fil_world_dt(run->world),
            (double)totals->newton_iterations / steps);
    if (totals->halved_steps > 0) {
        fprintf(out, ", %" PRIu64 " halved", totals->halved_steps);
    }
    const int threads = fil_world_threads(run->world), asked = fil_world_threads_asked(run->world);
    if (threads > 1 || asked > 1) {
        fprintf(out, ", by %d threads", threads);
    }
    if (asked > threads) {
        fprintf(out, " (%d were asked for: the system gives no more)", asked);
    }
    fprintf(out, "\n  per step     %s us: collide %s, free motion %s, contact %s, other %s\n", FIL_SHORT(1e6 * run->time.wall / steps, 3),
            FIL_SHORT(1e6 * timings->collide / steps, 3), FIL_SHORT(1e6 * timings->free_motion / steps, 3),
            FIL_SHORT(1e6 * timings->contact / steps, 3), FIL_SHORT(1e6 * timings->other / steps, 3));
    fprintf(out, "  contact      %s", fil_world_contact_model(run->world));
    if (totals->contacts_max > 0) {
        fprintf(out, ", %.1f contacts on average, %d at most, penetration up to %s m", totals->contacts / steps, totals->contacts_max,
                FIL_SHORT(totals->max_penetration, 3));
    }
    if (totals->deep_steps > 0) {
        fprintf(out, ", deeper than a tenth of a body in %" PRIu64 " steps", totals->deep_steps);
    }
    if (totals->crossings > 0) {
        fprintf(out, ", %d crossings of rods or cloth", totals->crossings);
    }
    fprintf(out, "\n");
    print_energy(run->world, out);
    if (run->options->bag.path != NULL) {
        fprintf(out, "  bag          %s, %" PRIu64 " messages of %s MB in all\n", run->options->bag.path, run->recorded.messages,
                FIL_SHORT(1e-6 * (double)run->recorded.bytes, 4));
    }
    print_probes(run->world, out);
}

static void report(const Run* run)
{
    const Options* options = run->options;
    // rows on standard output push the summary aside
    FILE* out = run->csv == stdout ? stderr : stdout;
    if (options->json) {
        print_json(run);
    } else if (!options->quiet) {
        print_summary(run, out);
    }
    if (options->hash && !options->json) {
        fprintf(out, "%s%016" PRIx64 "\n", options->quiet ? "" : "  state hash   ", fil_world_hash(run->world));
    }
}

int fil_command_run(int argc, char** argv)
{
    Options options = {.duration = -1.0};
    Run run = {.options = &options};
    const char* scene = NULL;
    int exit_code = FIL_EXIT_DONE;
    if (parse(argc, argv, &options, &scene, &exit_code)) {
        exit_code = start(&run, scene) ? simulate(&run) : FIL_EXIT_USAGE;
        exit_code = stop_bag(&run, exit_code);
        if (exit_code != FIL_EXIT_USAGE) {
            exit_code = draw(&run, exit_code);
            report(&run);
        }
    }
    if (run.csv != NULL && run.csv != stdout && fclose(run.csv) != 0 && exit_code == FIL_EXIT_DONE) {
        exit_code = fil_cli_fail("run", FIL_EXIT_FAILED, "cannot write %s: %s", options.csv, strerror(errno));
    }
    fil_drawing_destroy(run.drawing);
    fil_world_destroy(run.world);
    fil_settings_free(&options.scene.settings);
    return exit_code;
}
