#include "manipulation_run.h"

#include <math.h>

#include "bench.h"
#include "draw.h"
#include "base/json.h"

typedef struct Job {
    const FilManipulationRun* run;
    const FilSceneInfo* scene;
    FilManipulationPlan* plan;
    FilProgress progress;
    FilBenchClock time;
    bool replayed;
    double miss, turn_miss, penetration; /* of the replay */
} Job;

static bool show(void* user, const FilPlanReport* r)
{
    Job* job = user;
    if (job->progress.shown) {
        const double done = 1.0 - exp(-r->iteration / 100.0);  // how many it will be nobody knows
        fil_progress_update(&job->progress, done, "%d stages, iteration %d: cost %.4g, rows %.0e, pairs %.0e", r->stages, r->iteration,
                            r->cost, r->violation, r->pairs);
    }
    return !fil_stop_requested();
}

/* Simulates the plan in a world of its own. */
static bool replay(Job* job)
{
    const FilManipulationRun* run = job->run;
    const FilSceneOptions options = {
        .settings = run->settings->items, .setting_count = run->settings->count, .contact_model = run->contact};
    const FilFollowing following = run->track ? FIL_FOLLOW_POSITIONS : FIL_FOLLOW_EFFORTS;
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilError error = {""};
    FilDrawing* drawing = NULL;
    if (fil_scene_load(run->path, &options, &world, &info, &error) != FIL_OK) {
        fil_cli_fail("plan", 0, "%s", error.text);
        return false;
    }
    const uint64_t steps = fil_run_step_count(info.manipulation.horizon, fil_world_dt(world));
    FilStatus status = run->svg != NULL ? fil_drawing_create(world, (FilVec3){0}, &drawing) : FIL_OK;
    for (uint64_t k = 0; k < steps && status == FIL_OK && !fil_stop_requested(); k++) {
        FilStepInfo step;
        status = fil_manipulation_follow(job->plan, world, ((double)k + 0.5) * fil_world_dt(world), following);
        status = status == FIL_OK ? fil_world_step(world, &step) : status;
        job->penetration = fmax(job->penetration, status == FIL_OK ? step.max_penetration : 0.0);
        if (drawing != NULL) {
            fil_drawing_watch(drawing, world, (double)(k + 1) / (double)steps);
        }
    }
    if (status != FIL_OK) {
        fil_cli_fail("plan", 0, "replay stopped at t = %g s: %s", fil_world_time(world), fil_world_error(world));
    } else {
        fil_manipulation_miss(job->plan, world, &job->miss, &job->turn_miss);
        job->replayed = true;
    }
    bool ok = status == FIL_OK;
    if (ok && drawing != NULL && fil_drawing_write(drawing, world, info.title, run->svg, &error) != FIL_OK) {
        fil_cli_fail("plan", 0, "%s", error.text);
        ok = false;
    }
    fil_drawing_destroy(drawing);
    fil_world_destroy(world);
    return ok;
}

static void print_summary(const Job* job)
{
    const FilManipulationInfo i = fil_manipulation_info(job->plan);
    printf("%s: %s, %d iterations, %.2f s of CPU, %d coordinates, %d points that may touch, %d stages\n", job->scene->name,
           fil_plan_verdict_name(i.verdict), i.iterations, job->time.cpu, i.coordinates, i.points, i.stages);
    if (i.reason[0] != '\0') {
        printf("reason     %s\n", i.reason);
    }
    printf("cost       %.6g\n", i.cost);
    printf("goal       missed by %.3g m, %.3g rad\n", i.miss, i.turn_miss);
    printf("equations  met to %.2g\n", i.violation);
    printf("pairs      gap times force %.2g N m, slip times friction %.2g N m/s, penetration %.2g m\n", i.gap_pair, i.slip_pair, i.penetration);
    if (job->replayed) {
        printf("replay     ends %.3g m and %.3g rad from the goal, penetration %.2g m\n", job->miss, job->turn_miss, job->penetration);
    }
}

static void print_json(const Job* job)
{
    const FilManipulationInfo i = fil_manipulation_info(job->plan);
    FilJson json = {.out = stdout};
    fil_json_open(&json, NULL, '{');
    fil_json_text(&json, "scene", job->scene->name);
    fil_json_text(&json, "verdict", fil_plan_verdict_name(i.verdict));
    fil_json_text(&json, "reason", i.reason);
    fil_json_integer(&json, "stages", (uint64_t)i.stages);
    fil_json_integer(&json, "coordinates", (uint64_t)i.coordinates);
    fil_json_integer(&json, "points", (uint64_t)i.points);
    fil_json_integer(&json, "iterations", (uint64_t)i.iterations);
    fil_json_number(&json, "wall_time", job->time.wall);
    fil_json_number(&json, "cpu_time", job->time.cpu);
    fil_json_number(&json, "cost", i.cost);
    fil_json_number(&json, "miss", i.miss);
    fil_json_number(&json, "turn_miss", i.turn_miss);
    fil_json_number(&json, "violation", i.violation);
    fil_json_number(&json, "gap_pair", i.gap_pair);
    fil_json_number(&json, "slip_pair", i.slip_pair);
    fil_json_number(&json, "penetration", i.penetration);
    if (job->replayed) {
        fil_json_number(&json, "replay_miss", job->miss);
        fil_json_number(&json, "replay_turn_miss", job->turn_miss);
        fil_json_number(&json, "replay_penetration", job->penetration);
    }
    fil_json_close(&json, '}');
}

int fil_manipulation_run(const FilWorld* world, const FilSceneInfo* scene, const FilManipulationRun* run)
{
    Job job = {.run = run, .scene = scene};
    FilManipulationDef def = scene->manipulation;
    FilError error = {""};
    def.report = show;
    def.user = &job;
    job.progress = fil_progress_start(run->quiet);
    fil_stop_on_signals();
    const FilBenchClock start = fil_bench_clock();
    const FilStatus status = fil_manipulation_solve(world, &def, &job.plan, &error);
    job.time = fil_bench_since(start);
    fil_progress_clear(&job.progress);
    if (status != FIL_OK) {
        return fil_cli_fail("plan", status == FIL_BAD_INPUT ? FIL_EXIT_USAGE : FIL_EXIT_FAILED, "%s", error.text);
    }
    bool ok = fil_manipulation_info(job.plan).verdict == FIL_PLAN_GOOD;
    if (run->replay || run->track) {
        ok = replay(&job) && ok;
    }
    if (run->json) {
        print_json(&job);
    } else if (!run->quiet) {
        print_summary(&job);
    }
    fil_manipulation_destroy(job.plan);
    return ok ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}
