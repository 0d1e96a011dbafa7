/* Owns `filum plan`: finds a motion through contact, says how good it is, writes it as a scene, and tries it. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "bench.h"
#include "cli.h"
#include "command_table.h"
#include "draw.h"

// s, of feedback: a fast one, but one that a computer beside an arm can have
static const double TRACK_PERIOD = 1e-3;
static const double DEGREES = 57.29577951308232;

typedef struct Options {
    FilSettings settings;
    const char *out, *svg, *contact, *solver;
    int seeds, threads;
    bool rehearse, replay, track, json, quiet;
} Options;

/* What a replay ended with. */
typedef struct Replay {
    bool done;
    double miss, turn_miss; /* m and rad, from the goal */
    double penetration;     /* m, deepest */
} Replay;

typedef struct Job {
    const Options* options;
    char path[PATH_MAX];
    FilWorld* world;
    FilSceneInfo scene;
    FilPlan* plan;
    FilProgress progress;
    FilBenchClock time;
    Replay replay;
} Job;

static bool parse(int argc, char** argv, Options* options, const char** scene, int* exit_code)
{
    const FilOption table[] = {
        FIL_SET_ROW(&options->settings),
        {"--out", FIL_OPTION_TEXT, &options->out, "FILE", "write the plan as a scene that `filum run` replays"},
        {"--seeds", FIL_OPTION_COUNT, &options->seeds, "N", "starts, of which the best is kept, instead of the scene's"},
        {"--threads", FIL_OPTION_COUNT, &options->threads, "N", "that share the starts, instead of the scene's; the result is the same"},
        {"--solver", FIL_OPTION_TEXT, &options->solver, "NAME", "structured or ipopt, instead of the scene's"},
        {"--rehearse", FIL_OPTION_FLAG, &options->rehearse, NULL, "of a turned ball: simulate it with feedback, and keep the pressures that took"},
        {"--replay", FIL_OPTION_FLAG, &options->replay, NULL, "simulate the plan without feedback but the joints' own gains, and say where it ends"},
        {"--track", FIL_OPTION_FLAG, &options->track, NULL, "the same with feedback that keeps all that moves on the plan"},
        {"--contact", FIL_OPTION_TEXT, &options->contact, "MODEL", "contact model of the replay, instead of the scene's"},
        {"--svg", FIL_OPTION_TEXT, &options->svg, "FILE", "draw the replay"},
        FIL_JSON_ROW(&options->json),
        FIL_QUIET_ROW(&options->quiet),
    };
    const FilUsage usage = {
        .command = "plan",
        .arguments = "SCENE",
        .about =
            "Finds how arms and robots do their task through contact: the scene's `plan` and `task`. With `receding` it plans anew while "
            "the scene runs. Exit code 1 if it fails.",
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
    return true;
}

static bool load(const Job* job, const char* contact, FilWorld** world, FilSceneInfo* info)
{
    const FilSettings* settings = &job->options->settings;
    const FilSceneOptions options = {.settings = settings->items, .setting_count = settings->count, .contact_model = contact};
    FilError error = {""};
    if (fil_scene_load(job->path, &options, world, info, &error) != FIL_OK) {
        fil_cli_fail("plan", 0, "%s", error.text);
        return false;
    }
    return true;
}

static bool show(void* user, const FilPlanReport* r)
{
    Job* job = user;
    if (job->progress.shown) {
        const double done = 1.0 - exp(-r->iteration / 100.0);  // how many it will be nobody knows
        fil_progress_update(&job->progress, done, "start %d, %d stages, iteration %d: cost %.4g, rows %.0e, pairs %.0e", r->seed + 1, r->stages,
                            r->iteration, r->cost, r->violation, r->pairs);
    }
    return !fil_stop_requested();
}

/* The scene's solver, or the one named on the command line. */
static bool choose_solver(const Options* options, FilPlanDef* def)
{
    const char* name = options->solver;
    if (name != NULL && strcmp(name, "structured") != 0 && strcmp(name, "ipopt") != 0) {
        fil_cli_fail("plan", 0, "--solver is structured or ipopt, not '%s'", name);
        return false;
    }
    if (name != NULL) {
        def->solver = strcmp(name, "ipopt") == 0 ? FIL_PLAN_IPOPT : FIL_PLAN_STRUCTURED;
    }
    return true;
}

/* ---- the plan as a scene ---- */

static void write_chamber(FILE* out, const FilPlan* plan, int channel)
{
    const FilPlanChannel c = fil_plan_channel(plan, channel);
    fprintf(out, "  - name: plan_%s_chamber%d\n    arm: %s\n    chamber: %d\n    pressure:\n", c.object, c.index, c.object, c.index);
    for (int k = 0; k < fil_plan_knot_count(plan); k++) {
        FilPlanCommand command;
        const double time = fil_plan_knot(plan, k, channel, &command);
        fprintf(out, "      - [%.10f, %.17g]\n", time, command.pressure);
    }
}

/* A column of the joints' commands: points, velocities or efforts. */
static void write_rows(FILE* out, const FilPlan* plan, const char* key, int first, int end)
{
    fprintf(out, "    %s:\n", key);
    for (int k = 0; k < fil_plan_knot_count(plan); k++) {
        fputs("      - [", out);
        for (int c = first; c < end; c++) {
            FilPlanCommand command;
            const double time = fil_plan_knot(plan, k, c, &command);
            if (c == first && key[0] == 'p') {
                fprintf(out, "%.10f, ", time);
            }
            const double value = key[0] == 'p' ? command.position : key[0] == 'v' ? command.velocity : command.effort;
            fprintf(out, "%.17g%s", value, c + 1 < end ? ", " : "]\n");
        }
    }
}

static void write_robot(FILE* out, const FilPlan* plan, int first, int end)
{
    fprintf(out, "  - robot: %s\n    interpolation: spline\n    joints: [", fil_plan_channel(plan, first).object);
    for (int c = first; c < end; c++) {
        fprintf(out, "%s%s", fil_plan_channel(plan, c).joint, c + 1 < end ? ", " : "]\n");
    }
    write_rows(out, plan, "points", first, end);
    write_rows(out, plan, "velocities", first, end);
    write_rows(out, plan, "efforts", first, end);
}

/* Drives of chambers, or trajectories of robots. */
static void write_section(FILE* out, const FilPlan* plan, const char* section, bool joints)
{
    bool begun = false;
    for (int c = 0, end, count = fil_plan_channel_count(plan); c < count; c = end) {
        const FilPlanChannel first = fil_plan_channel(plan, c);
        end = c + 1;
        while (joints && first.joint != NULL && end < count && strcmp(fil_plan_channel(plan, end).object, first.object) == 0) {
            end++;
        }
        if ((first.joint != NULL) != joints) {
            continue;
        }
        if (!begun) {
            fprintf(out, "\n%s:\n", section);
            begun = true;
        }
        if (joints) {
            write_robot(out, plan, c, end);
        } else {
            write_chamber(out, plan, c);
        }
    }
}

static bool write_scene(const Job* job)
{
    FILE* out = fopen(job->options->out, "w");
    const FilPlanInfo info = fil_plan_info(job->plan);
    char path[PATH_MAX];
    if (out == NULL) {
        fil_cli_fail("plan", 0, "cannot write %s: %s", job->options->out, strerror(errno));
        return false;
    }
    fprintf(out, "# A plan of `filum plan`: %s, cost %.6g, %.3g m and %.3g rad from the goal. The same --set as then must be given.\n",
            fil_plan_verdict_name(info.verdict), info.cost, info.miss, info.turn_miss);
    fprintf(out, "include: %s\n", realpath(job->path, path) != NULL ? path : job->path);
    write_section(out, job->plan, "drives", false);
    write_section(out, job->plan, "trajectories", true);
    if (fclose(out) != 0) {
        fil_cli_fail("plan", 0, "cannot write %s: %s", job->options->out, strerror(errno));
        return false;
    }
    return true;
}

/* ---- the replay ---- */

static bool replay(Job* job)
{
    const Options* options = job->options;
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilDrawing* drawing = NULL;
    if (!load(job, options->contact, &world, &info)) {
        return false;
    }
    const uint64_t steps = fil_run_step_count(info.plan.horizon, fil_world_dt(world));
    FilStatus status = options->svg != NULL ? fil_drawing_create(world, (FilVec3){0}, &drawing) : FIL_OK;
    FilPlanTracker* tracker = options->track ? fil_plan_tracker_create(job->plan, TRACK_PERIOD) : NULL;
    if (options->track ? tracker == NULL : status == FIL_OK && fil_plan_add_drives(job->plan, world) != FIL_OK) {
        status = FIL_OUT_OF_MEMORY;
    }
    for (uint64_t k = 0; k < steps && status == FIL_OK && !fil_stop_requested(); k++) {
        FilStepInfo step;
        status = tracker != NULL ? fil_plan_follow(tracker, world) : FIL_OK;
        status = status == FIL_OK ? fil_world_step(world, &step) : status;
        job->replay.penetration = fmax(job->replay.penetration, status == FIL_OK ? step.max_penetration : 0.0);
        if (drawing != NULL) {
            fil_drawing_watch(drawing, world, (double)(k + 1) / (double)steps);
        }
        if (job->progress.shown && k % 100 == 0) {
            fil_progress_update(&job->progress, (double)k / (double)steps, "replay");
        }
    }
    fil_progress_clear(&job->progress);
    if (status != FIL_OK) {
        fil_cli_fail("plan", 0, "replay stopped at t = %g s: %s", fil_world_time(world), fil_world_error(world));
    } else {
        job->replay.done = true;
        fil_plan_miss(job->plan, world, &job->replay.miss, &job->replay.turn_miss);
    }
    bool ok = status == FIL_OK;
    FilError error = {""};
    if (ok && drawing != NULL && fil_drawing_write(drawing, world, info.title, options->svg, &error) != FIL_OK) {
        fil_cli_fail("plan", 0, "%s", error.text);
        ok = false;
    }
    fil_plan_tracker_destroy(tracker);
    fil_drawing_destroy(drawing);
    fil_world_destroy(world);
    return ok;
}

/* Steps the scene through the plan with feedback, so that its pressures do without. */
static bool rehearse(Job* job)
{
    FilWorld* world = NULL;
    FilSceneInfo info;
    if (!load(job, job->options->contact, &world, &info)) {
        return false;
    }
    const FilStatus status = fil_plan_rehearse(job->plan, world);
    if (status != FIL_OK) {
        fil_cli_fail("plan", 0, "rehearsal stopped at t = %g s: %s", fil_world_time(world), fil_world_error(world));
    }
    fil_world_destroy(world);
    return status == FIL_OK;
}

/* ---- receding horizon ---- */

static void print_receding(const Job* job, const FilRecedingInfo* i, double angle)
{
    if (!job->options->json) {
        printf("%s: %d plans, %d unfinished, %.1f ms of CPU each (median), %.1f ms at the 99th percentile\n", job->scene.name, i->replans,
               i->unfinished, 1e3 * i->median, 1e3 * i->p99);
        printf("target     missed by %.3g degrees\n", angle * DEGREES);
        return;
    }
    FilJson json = {.out = stdout};
    fil_json_open(&json, NULL, '{');
    fil_json_text(&json, "scene", job->scene.name);
    fil_json_integer(&json, "replans", (uint64_t)i->replans);
    fil_json_integer(&json, "unfinished", (uint64_t)i->unfinished);
    fil_json_number(&json, "median", i->median);
    fil_json_number(&json, "p99", i->p99);
    fil_json_number(&json, "worst", i->worst);
    fil_json_number(&json, "angle", angle);
    fil_json_close(&json, '}');
}

/* Plans anew while the scene runs. */
static int recede(Job* job)
{
    FilReceding* receding = NULL;
    FilError error = {""};
    FilStatus status = fil_receding_create(job->world, &job->scene.plan, &receding, &error);
    if (status != FIL_OK) {
        return fil_cli_fail("plan", status == FIL_BAD_INPUT ? FIL_EXIT_USAGE : FIL_EXIT_FAILED, "%s", error.text);
    }
    const uint64_t steps = fil_run_step_count(job->scene.plan.receding, fil_world_dt(job->world));
    for (uint64_t k = 0; k < steps && status == FIL_OK && !fil_stop_requested(); k++) {
        status = fil_receding_follow(receding, job->world);
        status = status == FIL_OK ? fil_world_step(job->world, NULL) : status;
        if (job->progress.shown && k % 100 == 0) {
            fil_progress_update(&job->progress, (double)k / (double)steps, "t = %.2f s", fil_world_time(job->world));
        }
    }
    fil_progress_clear(&job->progress);
    if (status == FIL_OK) {
        const FilRecedingInfo info = fil_receding_info(receding);
        print_receding(job, &info, fil_receding_miss(receding, job->world));
    } else {
        fil_cli_fail("plan", 0, "stopped at t = %g s: %s", fil_world_time(job->world), fil_world_error(job->world));
    }
    fil_receding_destroy(receding);
    return status == FIL_OK ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}

/* ---- what is said ---- */

static void print_summary(const Job* job)
{
    const FilPlanInfo i = fil_plan_info(job->plan);
    const Replay* r = &job->replay;
    printf("%s: %s, start %d of %d (%d good), %d iterations, %.2f s of CPU, %d coordinates, %d points that may touch, %d stages\n", job->scene.name,
           fil_plan_verdict_name(i.verdict), i.seed + 1, i.seeds_tried, i.seeds_good, i.iterations, job->time.cpu, i.coordinates, i.points, i.stages);
    if (i.reason[0] != '\0') {
        printf("reason     %s\n", i.reason);
    }
    printf("cost       %.6g\n", i.cost);
    printf("goal       missed by %.3g m, %.3g rad = %.3g degrees\n", i.miss, i.turn_miss, i.turn_miss * DEGREES);
    printf("equations  met to %.2g\n", i.violation);
    printf("pairs      gap times force %.2g N m, slip times friction %.2g N m/s\n", i.gap_pair, i.slip_pair);
    printf("contact    in %.0f %% of the stages, penetration %.2g m\n", 100.0 * i.contact, i.penetration);
    if (r->done) {
        printf("replay     ends %.3g m and %.3g rad = %.3g degrees from the goal, penetration %.2g m\n", r->miss, r->turn_miss,
               r->turn_miss * DEGREES, r->penetration);
    }
}

static void print_json(const Job* job)
{
    const FilPlanInfo i = fil_plan_info(job->plan);
    FilJson json = {.out = stdout};
    fil_json_open(&json, NULL, '{');
    fil_json_text(&json, "scene", job->scene.name);
    fil_json_text(&json, "verdict", fil_plan_verdict_name(i.verdict));
    fil_json_text(&json, "reason", i.reason);
    fil_json_integer(&json, "stages", (uint64_t)i.stages);
    fil_json_integer(&json, "coordinates", (uint64_t)i.coordinates);
    fil_json_integer(&json, "points", (uint64_t)i.points);
    fil_json_integer(&json, "seeds_tried", (uint64_t)i.seeds_tried);
    fil_json_integer(&json, "seeds_good", (uint64_t)i.seeds_good);
    fil_json_integer(&json, "iterations", (uint64_t)i.iterations);
    fil_json_number(&json, "wall_time", job->time.wall);
    fil_json_number(&json, "cpu_time", job->time.cpu);
    fil_json_number(&json, "cost", i.cost);
    fil_json_number(&json, "miss", i.miss);
    fil_json_number(&json, "turn_miss", i.turn_miss);
    fil_json_number(&json, "orientation", i.orientation);
    fil_json_number(&json, "violation", i.violation);
    fil_json_number(&json, "gap_pair", i.gap_pair);
    fil_json_number(&json, "slip_pair", i.slip_pair);
    fil_json_number(&json, "penetration", i.penetration);
    fil_json_number(&json, "contact", i.contact);
    if (job->replay.done) {
        fil_json_number(&json, "replay_miss", job->replay.miss);
        fil_json_number(&json, "replay_turn_miss", job->replay.turn_miss);
        fil_json_number(&json, "replay_penetration", job->replay.penetration);
    }
    fil_json_close(&json, '}');
}

static int plan(Job* job, const char* scene)
{
    const Options* options = job->options;
    FilError error = {""};
    if (!fil_scene_find(scene, job->path, sizeof job->path, &error)) {
        return fil_cli_fail("plan", FIL_EXIT_USAGE, "%s", error.text);
    }
    if (!load(job, NULL, &job->world, &job->scene)) {
        return FIL_EXIT_USAGE;
    }
    if (!job->scene.has_plan) {
        return fil_cli_fail("plan", FIL_EXIT_USAGE, "%s has no section `plan`", job->path);
    }
    if (!choose_solver(options, &job->scene.plan)) {
        return FIL_EXIT_USAGE;
    }
    FilPlanDef def = job->scene.plan;
    def.seeds = options->seeds > 0 ? options->seeds : def.seeds;
    def.threads = options->threads > 0 ? options->threads : def.threads;
    def.report = show;
    def.user = job;
    job->progress = fil_progress_start(options->quiet);
    fil_stop_on_signals();
    if (job->scene.plan.receding > 0.0) {
        return recede(job);
    }
    const FilBenchClock start = fil_bench_clock();
    const double cpu = fil_bench_cpu();
    const FilStatus status = fil_plan_solve(job->world, &def, &job->plan, &error);
    job->time = (FilBenchClock){.wall = fil_bench_since(start).wall, .cpu = fil_bench_cpu() - cpu};  // of all threads
    fil_progress_clear(&job->progress);
    if (status != FIL_OK) {
        const int code = status == FIL_BAD_INPUT ? FIL_EXIT_USAGE : FIL_EXIT_FAILED;
        return fil_cli_fail("plan", code, "%s", error.text);
    }
    bool ok = fil_plan_info(job->plan).verdict == FIL_PLAN_GOOD;
    ok = (!options->rehearse || rehearse(job)) && ok;
    ok = (options->out == NULL || write_scene(job)) && ok;
    if (options->replay || options->track || options->svg != NULL) {
        ok = replay(job) && ok;
    }
    if (options->json) {
        print_json(job);
    } else if (!options->quiet) {
        print_summary(job);
    }
    return ok ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}

int fil_command_plan(int argc, char** argv)
{
    Options options = {0};
    const char* scene = NULL;
    int exit_code = FIL_EXIT_DONE;
    if (parse(argc, argv, &options, &scene, &exit_code)) {
        Job* job = calloc(1, sizeof *job);
        if (job == NULL) {
            exit_code = fil_cli_fail("plan", FIL_EXIT_FAILED, "out of memory");
        } else {
            job->options = &options;
            exit_code = plan(job, scene);
            fil_plan_destroy(job->plan);
            fil_world_destroy(job->world);
            free(job);
        }
    }
    fil_settings_free(&options.settings);
    return exit_code;
}
