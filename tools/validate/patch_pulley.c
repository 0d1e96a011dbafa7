/* The crowned pulley of P0 section V-C: a belt that starts beside the middle comes back, and what that takes. */
#include <math.h>
#include <stdio.h>

#include "cli.h"
#include "validate/patch.h"

enum { MOST_SETTINGS = 2, MOST_SAMPLES = 2000 };

/* Where the belt's middle is, ten times a second. */
typedef struct Run {
    int count;
    double offset[MOST_SAMPLES]; /* m */
    double turns;                /* of the crowned roller at the end */
} Run;

static bool run_belt(FilCheck* check, double seconds, const FilSetting* settings, int setting_count, Run* run)
{
    char path[4096];
    FilError error;
    FilWorld* world = NULL;
    const FilSceneOptions options = {.settings = settings, .setting_count = setting_count};
    *run = (Run){0};
    if (!fil_scene_find("crowned_pulley", path, sizeof path, &error) ||
        fil_scene_load(path, &options, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
        return false;
    }
    const FilId belt = fil_world_find_rod(world, "belt");
    const int nodes = fil_rod_node_count(world, belt);
    double x[3 * 256];
    FilStatus status = FIL_OK;
    for (int k = 0; status == FIL_OK && fil_world_time(world) < seconds && run->count < MOST_SAMPLES; k++) {
        status = fil_world_step(world, NULL);
        if (fil_world_time(world) >= 0.1 * (run->count + 1) - 1e-9) {
            double sum = 0.0;
            fil_rod_get_positions(world, belt, x);
            for (int i = 0; i < nodes; i++) {
                sum += x[3 * i + 1] / nodes;
            }
            run->offset[run->count++] = sum;
        }
    }
    run->turns = fil_joint_position(world, fil_world_find_joint(world, "motor")) / (2.0 * M_PI);
    if (status != FIL_OK) {
        fil_check_fail(check, "%s", fil_world_error(world));
    }
    fil_world_destroy(world);
    return status == FIL_OK;
}

static double offset_at(const Run* run, double time)
{
    const int k = (int)lround(10.0 * time) - 1;
    return k >= 0 && k < run->count ? run->offset[k] : NAN;
}

/* Time constant between two times a whole number of the belt's turns (5 s) apart. */
static double time_constant(const Run* run, double from, double to)
{
    return (to - from) / log(offset_at(run, from) / offset_at(run, to));
}

void fil_check_patch_pulley(FilCheck* check)
{
    static Run run, half;
    if (!run_belt(check, 120.0, NULL, 0, &run)) {
        return;
    }
    int rises = 0;
    double late = 0.0;
    for (int k = 10; k < run.count; k++) {
        rises += fabs(run.offset[k]) > fabs(run.offset[k - 1]) && fabs(run.offset[k]) > 1e-3;
        late = k >= 1000 ? fmax(late, fabs(run.offset[k])) : late;
    }
    fil_check_near(check, "turns of the driven roller", run.turns, 60.0, 1e-3);
    fil_check_below(check, "rises of the offset after the first second", rises, 0.0);
    // from 100 s on: ten turns
    fil_check_below(check, "offset over the last ten turns (mm)", 1e3 * late, 1.0);
    const double whole = time_constant(&run, 3.0, 23.0);
    fil_check_note(check, "time constant (s)", whole);
    // On the crown the belt's flat section touches where the crown is as steep as it leans, beside its middle, until the belt's
    // torsion balances the moment of that: it leans by 1/(1 + b c) of the slope, so that times double the better the less crown c
    // there is.
    double times[2] = {NAN, NAN};
    static const char* const crowns[] = {"0.5", "0.25"};
    for (int k = 0; k < 2; k++) {
        if (run_belt(check, 13.5, &(const FilSetting){"pulley.crown", crowns[k]}, 1, &half)) {
            times[k] = time_constant(&half, 3.0, 13.0);
        }
    }
    fil_check_note(check, "half the crown over the whole: time constant", times[0] / whole);
    fil_check_near(check, "a quarter of the crown over half: time constant", times[1] / times[0], 2.0, 0.1);
}

void fil_check_patch_pulley_ablation(FilCheck* check)
{
    static const struct {
        const char* what;
        FilSetting settings[MOST_SETTINGS];
        int count;
    } cases[] = {
        {"without a crown", {{"pulley.crown", "0"}}, 1},
        {"without twist", {{"belt.locked", "1"}}, 1},
    };
    static Run run;
    double base = NAN;
    if (run_belt(check, 8.0, NULL, 0, &run)) {
        base = fabs(offset_at(&run, 3.0)) - fabs(offset_at(&run, 8.0));
        fil_check_above(check, "way towards the middle from 3 s to 8 s (mm)", 1e3 * base, 2.0);
    }
    // two more of which P0 says that the belt does not come back: here points of a rectangle are a manifold over its face, which
    // supports the belt as patches do; and a belt that fits needs no stretch to bend towards the crown
    static const FilSetting points[] = {{"pulley.patches", "0"}}, stiff[] = {{"belt.stretch", "100"}, {"belt.length", "1"}};
    if (run_belt(check, 8.0, points, 1, &run)) {
        fil_check_note(check, "by points: share of that way", (fabs(offset_at(&run, 3.0)) - fabs(offset_at(&run, 8.0))) / base);
    }
    if (run_belt(check, 8.0, stiff, 2, &run)) {
        fil_check_note(check, "without stretch: share of that way", (fabs(offset_at(&run, 3.0)) - fabs(offset_at(&run, 8.0))) / base);
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        if (run_belt(check, 8.0, cases[c].settings, cases[c].count, &run)) {
            char what[96];
            snprintf(what, sizeof what, "%s: share of that way", cases[c].what);
            fil_check_below(check, what, (fabs(offset_at(&run, 3.0)) - fabs(offset_at(&run, 8.0))) / base, 0.1);
        }
    }
}
