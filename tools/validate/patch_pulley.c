/* The crowned pulley of P0 section V-C: a belt that starts beside the middle comes back, and what that takes. */
#include <math.h>
#include <stdio.h>

#include "validate/patch.h"

enum { MAX_NODES = 256, MAX_SAMPLES = 2000 };

/* Where the belt's middle is, ten times a second. */
typedef struct Run {
    int count;
    double offset[MAX_SAMPLES]; /* m */
    double turns;               /* of the crowned roller at the end */
    double pull;                /* N, of the belt on the plain roller, mean over the last second */
} Run;

static double middle_of(const FilWorld* world, FilId belt)
{
    double x[3 * MAX_NODES], sum = 0.0;
    const int nodes = fil_rod_node_count(world, belt);
    fil_rod_get_positions(world, belt, x);
    for (int i = 0; i < nodes; i++) {
        sum += x[3 * i + 1] / nodes;
    }
    return sum;
}

static bool run_belt(FilCheck* check, double seconds, const FilSetting* settings, int setting_count, Run* run)
{
    FilWorld* world = fil_patch_load(check, "crowned_pulley", settings, setting_count);
    *run = (Run){0};
    if (world == NULL) {
        return false;
    }
    const FilId belt = fil_world_find_rod(world, "belt"), plain = fil_world_find_rigid(world, "plain");
    FilStatus status = FIL_OK;
    int late = 0;
    while (status == FIL_OK && fil_world_time(world) < seconds && run->count < MAX_SAMPLES) {
        FilVec3 force, torque;
        status = fil_world_step(world, NULL);
        if (fil_world_time(world) >= 0.1 * (run->count + 1) - 1e-9) {
            run->offset[run->count++] = middle_of(world, belt);
        }
        if (fil_world_time(world) > seconds - 1.0) {
            fil_world_contact_wrench(world, plain, &force, &torque);
            run->pull += -force.x;
            late++;
        }
    }
    run->pull /= late > 0 ? late : 1;
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

/* What the belt's offset falls by in each of its turns, of what is left: it shifts only in the span before the crown, so
 * z(t) = z(t - P) - s z(t), which has z = exp(-t/T) with exp(P/T) = 1 + s; P = 4.99 s, 2 a + 2 pi (r + h) at the speed of its middle. */
static double share_of_turn(double time)
{
    const double radius = 0.031, span = 1.5 * M_PI * radius, period = (2.0 * span + 2.0 * M_PI * radius) / (M_PI * radius);
    return exp(period / time) - 1.0;
}

void fil_check_patch_pulley(FilCheck* check)
{
    static Run run;
    if (!run_belt(check, 120.0, NULL, 0, &run)) {
        return;
    }
    int rises = 0;
    double late = 0.0;
    for (int k = 10; k < run.count; k++) {
        rises += fabs(run.offset[k]) > fabs(run.offset[k - 1]) && fabs(run.offset[k]) > 1e-3;
    }
    // from 100 s on: ten turns
    for (int k = 1000; k < run.count; k++) {
        late = fmax(late, fabs(run.offset[k]));
    }
    fil_check_near(check, "turns of the driven roller", run.turns, 60.0, 1e-3);
    fil_check_below(check, "rises of the offset after the first second", rises, 0.0);
    fil_check_below(check, "offset over the last ten turns (mm)", 1e3 * late, 1.0);
    fil_check_note(check, "time constant (s)", time_constant(&run, 3.0, 23.0));
}

void fil_check_patch_pulley_crown(FilCheck* check)
{
    static const char* const crowns[] = {"1", "0.5", "0"};
    static const char* const nodes[] = {"50", "100"};
    static Run run;
    for (int n = 0; n < 2; n++) {
        double times[2] = {NAN, NAN}, way = NAN;
        char what[96];
        for (int k = 0; k < 3; k++) {
            const FilSetting settings[] = {{"pulley.crown", crowns[k]}, {"belt.nodes", nodes[n]}};
            const double seconds = n == 0 ? 13.5 : 8.5, end = seconds - 0.5;
            if (n == 1 && k == 2) {
                break;
            }
            if (!run_belt(check, seconds, settings, 2, &run)) {
                return;
            }
            if (k < 2) {
                times[k] = time_constant(&run, 3.0, end);
            } else {
                way = fabs(offset_at(&run, end) - offset_at(&run, 3.0));
            }
        }
        snprintf(what, sizeof what, "%s nodes: time constant (s)", nodes[n]);
        fil_check_note(check, what, times[0]);
        snprintf(what, sizeof what, "%s nodes: half the crown over the whole, time constant", nodes[n]);
        fil_check_near(check, what, times[1] / times[0], 2.0, 0.1);
        snprintf(what, sizeof what, "%s nodes: the whole crown over half of it, share of the offset a turn", nodes[n]);
        fil_check_near(check, what, share_of_turn(times[0]) / share_of_turn(times[1]), 2.0, n == 0 ? 0.1 : 0.05);
        if (n == 0) {
            fil_check_below(check, "without a crown: way in 10 s (mm)", 1e3 * way, 0.1);
        }
    }
}

void fil_check_patch_pulley_reduction(FilCheck* check)
{
    static const FilSetting whole[] = {{"rods.belt.surface.reduction", "false"}};
    static Run merged, all;
    if (!run_belt(check, 8.5, NULL, 0, &merged) || !run_belt(check, 8.5, whole, 1, &all)) {
        return;
    }
    const double way = offset_at(&all, 8.0) - offset_at(&all, 0.5);
    double worst = 0.0;
    for (int k = 4; k < merged.count; k++) {
        worst = fmax(worst, fabs(merged.offset[k] - all.offset[k]));
    }
    fil_check_note(check, "way of the belt with every polygon, 0.5 s to 8 s (mm)", 1e3 * way);
    fil_check_below(check, "path with merged polygons differs by, of that way", worst / fabs(way), 0.01);
}

void fil_check_patch_pulley_ablation(FilCheck* check)
{
    static const FilSetting locked[] = {{"belt.locked", "1"}};
    // P0's point contact: one point where two shapes meet
    static const FilSetting points[] = {{"pulley.patches", "0"}, {"rods.belt.surface.single_point", "true"}};
    static const FilSetting corners[] = {{"pulley.patches", "0"}};
    // fits where it starts: at 20 mm the crown is 0.65 mm smaller, the way around pi times that
    static const FilSetting stiff[] = {{"belt.stretch", "1000"}, {"belt.length", "0.9958"}};
    static Run run;
    double base = NAN;
    if (run_belt(check, 60.0, NULL, 0, &run)) {
        base = fabs(offset_at(&run, 3.0)) - fabs(offset_at(&run, 8.0));
        fil_check_above(check, "way towards the middle from 3 s to 8 s (mm)", 1e3 * base, 2.0);
        fil_check_above(check, "pull on the plain roller (N)", run.pull, 2.0);
        fil_check_below(check, "share of the offset that is left at 60 s", fabs(offset_at(&run, 59.9)) / 0.02, 0.15);
    }
    if (run_belt(check, 8.5, locked, 1, &run)) {
        fil_check_below(check, "without twist: share of that way", (fabs(offset_at(&run, 3.0)) - fabs(offset_at(&run, 8.0))) / base, 0.1);
    }
    if (run_belt(check, 8.5, points, 2, &run)) {
        fil_check_below(check, "by one point an edge: pull on the plain roller, which the belt leaves (N)", fabs(run.pull), 0.01);
    }
    if (run_belt(check, 8.5, corners, 1, &run)) {
        // four points at the corners of an edge's face support it as patches do
        fil_check_note(check, "by points at corners: share of that way", (fabs(offset_at(&run, 3.0)) - fabs(offset_at(&run, 8.0))) / base);
    }
    if (run_belt(check, 60.0, stiff, 2, &run)) {
        fil_check_above(check, "without stretch: share of the offset that is left at 60 s", fabs(offset_at(&run, 59.9)) / 0.02, 0.5);
    }
}
