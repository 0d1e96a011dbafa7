/* P1's scenario C: what each stage of the conditioning is good for. Scenario A with all disks of the arm on the box, so
 * that its contacts depend on each other: two angles, 3 and 6 disks a section, semi-implicit Euler with 0.1 ms and RK23
 * with 1 ms, each under the eight combinations of the three stages, solved by Newton's method alone. */
#include <math.h>
#include <stdio.h>

#include "cli.h"
#include "validate/arm.h"

enum { CONDITIONS = 8, VARIANTS = 8, FULL = 7, EQUILIBRATION = 2 };

/* Newton steps after which a run is given up, as P1 gives up after a time: some 30 s. */
#define MAX_ITERATIONS 1e6

typedef struct Run {
    double convergence; /* share of contact problems solved */
    double penetration; /* m */
    double completion;  /* share of the time simulated */
} Run;

/* P1's criteria. */
static bool succeeds(const Run* run)
{
    return run->convergence >= 0.95 && run->penetration < 0.01 && run->completion >= 0.8;
}

static bool measure(FilCheck* check, int condition, int variant, Run* run)
{
    const bool steep = condition & 1, dense = condition & 2, rk23 = condition & 4;
    static const char* const flags[] = {"false", "true"};
    const FilSetting settings[] = {
        {"angle", steep ? "$(pi / 3)" : "$(pi / 4)"},
        {"disks", dense ? "6" : "3"},
        {"arms.arm.scheme", rk23 ? "rk23" : "semi_implicit"},
        {"world.dt", rk23 ? "1e-3" : "1e-4"},
        {"gap", "0"},
        {"lift", "0.15"},
        {"world.lcp.rank_selection", flags[variant & 1]},
        {"world.lcp.equilibration", flags[variant >> 1 & 1]},
        {"world.lcp.regularisation", flags[variant >> 2 & 1]},
        {"world.lcp.fallback", "false"},
    };
    const FilSceneOptions options = {.settings = settings, .setting_count = sizeof settings / sizeof *settings};
    char path[4096];
    FilError error;
    FilWorld* world = NULL;
    FilSceneInfo scene;
    if (!fil_scene_find("arm_box", path, sizeof path, &error) || fil_scene_load(path, &options, &world, &scene, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
        return false;
    }
    double solves = 0.0, failures = 0.0, iterations = 0.0;
    FilStatus status = FIL_OK;
    *run = (Run){0};
    while (status == FIL_OK && iterations < MAX_ITERATIONS && fil_world_time(world) < scene.duration - 1e-9) {
        FilStepInfo info;
        status = fil_world_step(world, &info);
        solves += info.contact_solves;
        failures += info.contact_failures;
        iterations += info.contact_iterations;
        run->penetration = fmax(run->penetration, info.max_penetration);
    }
    run->convergence = solves > 0.0 ? 1.0 - failures / solves : 1.0;
    run->completion = fil_world_time(world) / scene.duration;
    fil_world_destroy(world);
    return true;
}

/* One run as a row: 1 if it succeeds by P1's criteria, which the full pipeline must. */
static bool report(FilCheck* check, int condition, int variant, Run* run)
{
    if (!measure(check, condition, variant, run)) {
        return false;
    }
    char what[96];
    snprintf(what, sizeof what, "%s deg, %s disks, %s, %s %s %s: %.2f %% solved, %.1e mm, %3.0f %% done", condition & 1 ? "60" : "45",
             condition & 2 ? "6" : "3", condition & 4 ? "RK23 " : "Euler", variant & 1 ? "QR" : "--", variant & 2 ? "Ruiz" : "----",
             variant & 4 ? "Tikhonov" : "--------", 100.0 * run->convergence, 1e3 * run->penetration, 100.0 * run->completion);
    if (variant == FULL) {
        fil_check_above(check, what, succeeds(run), 1.0);
    } else {
        fil_check_note(check, what, succeeds(run));
    }
    return true;
}

void fil_check_ablation_pipeline(FilCheck* check)
{
    // the four conditions of RK23, and the densest of Euler
    const int conditions[] = {4, 5, 6, 7, 2};
    Run run;
    for (int k = 0; k < 5; k++) {
        if (!report(check, conditions[k], FULL, &run)) {
            return;
        }
    }
    (void)report(check, 7, 0, &run);
}

void fil_check_ablation_table(FilCheck* check)
{
    double full = 0.0, with = 0.0, without = 0.0, baseline = 0.0, deepest = 0.0, min = 1.0;
    for (int variant = 0; variant < VARIANTS; variant++) {
        for (int condition = 0; condition < CONDITIONS; condition++) {
            Run run;
            if (!report(check, condition, variant, &run)) {
                return;
            }
            const double success = succeeds(&run);
            full += variant == FULL ? success : 0.0;
            baseline += variant == 0 ? success : 0.0;
            *(variant & EQUILIBRATION ? &with : &without) += success;
            if (variant == FULL) {
                deepest = fmax(deepest, run.penetration);
                min = fmin(min, run.convergence);
            }
        }
    }
    fil_check_above(check, "successes of the full pipeline, of 8 (P1: all)", full, 8.0);
    fil_check_below(check, "its deepest penetration, m (P1's criterion: 10 mm)", deepest, 1e-3);
    fil_check_above(check, "its least share of problems solved (P1's criterion: 95 %)", min, 0.95);
    fil_check_note(check, "successes of the baseline, share (P1: 43 %)", baseline / 8.0);
    fil_check_note(check, "successes with Ruiz's equilibration, share (P1: 100 %)", with / 32.0);
    fil_check_note(check, "successes without it, share (P1: 12 of 29, 41 %)", without / 32.0);
}
