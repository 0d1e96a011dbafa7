/* The tether-net that closes over a ball (P4 section 3.5): three phases, and nothing passes through anything. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/rings.h"

enum { SIDES = 6, MAX_NODES = 256 };

static const double BALL = 4.0, CORD = 0.01;  // m, radii

/* Area that the rim encloses, seen from above, m^2. */
static double opening_of(const FilWorld* world)
{
    double area = 0.0;
    for (int k = 0; k < SIDES; k++) {
        char name[32];
        double x[3 * MAX_NODES];
        snprintf(name, sizeof name, "net_side%d", k);
        const FilId side = fil_world_find_rod(world, name);
        const int count = fil_rod_node_count(world, side);
        fil_rod_get_positions(world, side, x);
        for (int i = 0; i + 1 < count; i++) {
            area += 0.5 * (x[3 * i] * x[3 * i + 4] - x[3 * i + 1] * x[3 * i + 3]);
        }
    }
    return area;
}

static double distance_to_edge(const double* p, const double* a, const double* b)
{
    double along = 0.0, length = 0.0, sum = 0.0;
    for (int k = 0; k < 3; k++) {
        along += (p[k] - a[k]) * (b[k] - a[k]);
        length += (b[k] - a[k]) * (b[k] - a[k]);
    }
    const double s = fmin(fmax(along / length, 0.0), 1.0);
    for (int k = 0; k < 3; k++) {
        const double d = p[k] - a[k] - s * (b[k] - a[k]);
        sum += d * d;
    }
    return sqrt(sum);
}

/* What every cord of the net is to the ball. */
typedef struct Catch {
    double gap;    /* m, the least between surfaces */
    double bottom; /* m, height of the net's lowest node */
} Catch;

static Catch look(const FilWorld* world, const double* ball)
{
    Catch seen = {INFINITY, INFINITY};
    for (int r = 0; r < fil_world_rod_count(world); r++) {
        const FilId rod = fil_world_rod_at(world, r);
        const int count = fil_rod_node_count(world, rod);
        double x[3 * MAX_NODES];
        if (strncmp(fil_rod_name(world, rod), "net", 3) != 0) {
            continue;
        }
        fil_rod_get_positions(world, rod, x);
        for (int i = 0; i < count; i++) {
            seen.bottom = fmin(seen.bottom, x[3 * i + 2]);
            if (i + 1 < count) {
                seen.gap = fmin(seen.gap, distance_to_edge(ball, x + 3 * i, x + 3 * i + 3) - BALL - CORD);
            }
        }
    }
    return seen;
}

void fil_check_tether_net(FilCheck* check)
{
    FilWorld* world = fil_rings_load(check, "tether_net", NULL, 0, 0.0);
    if (world == NULL) {
        return;
    }
    static const double phases[] = {5.0, 20.0, 25.0, 34.0};
    const double first = opening_of(world);
    double area[4] = {NAN, NAN, NAN, NAN}, gap = INFINITY, aside = 0.0, below = INFINITY;
    for (int phase = 0; phase < 4; phase++) {
        while (fil_world_time(world) < phases[phase] - 1e-9) {
            if (!fil_check_run(check, world, fil_world_time(world) + fil_world_dt(world))) {
                fil_world_destroy(world);
                return;
            }
            FilVec3 p;
            FilQuat turned;
            fil_rigid_get_pose(world, fil_world_find_rigid(world, "ball"), &p, &turned);
            const Catch seen = look(world, (const double[3]){p.x, p.y, p.z});
            gap = fmin(gap, seen.gap);
            aside = fmax(aside, hypot(p.x, p.y));
            below = fil_world_time(world) > 1.0 ? fmin(below, p.z - BALL - seen.bottom) : below;
        }
        area[phase] = opening_of(world);
    }
    fil_check_above(check, "least gap between the ball and any edge of the net, m", gap, 0.0);
    // the net's middle is under the ball, and the ball on the axis: there is nowhere that it could have left
    fil_check_above(check, "least height of the ball above the net's lowest node, m", below, 0.0);
    fil_check_below(check, "largest distance of the ball from the axis, m", aside, BALL);
    fil_check_note(check, "opening after the ball has landed, of that at the start", area[0] / first);
    fil_check_note(check, "opening with the corners together", area[1] / first);
    fil_check_note(check, "opening before the tethers are drawn", area[2] / first);
    // a hexagon of the corners' 5 m has a sixteenth of the one of 20 m; the rim is strung along it in coils
    fil_check_below(check, "opening at the end, of that at the start", fabs(area[3] / first), 0.1);
    fil_world_destroy(world);
}

/* ---- the step ---- */

enum { LOOKS = 40, JUDGED = 35, RUNS = 4, MAX_SETTINGS = 6 }; /* one a step of the scene; the first 7 s are judged */

static const double LOOK_EVERY = 0.2;  // s

/* The scene as it is, the same more accurate, and backward Euler in steps of 2 ms and of 1 ms, which is P4's. */
typedef enum Run { SCENE, REFINED, TWICE, PAPER } Run;

static const char* const run_names[RUNS] = {"scene", "refined", "backward Euler, 2 ms", "backward Euler, 1 ms"};

/* The opening at every look, of that at the start; false after a failure. */
static bool watch_opening(FilCheck* check, FilWorld* world, double* opening)
{
    bool good = world != NULL;
    const double first = good ? opening_of(world) : 1.0;
    for (int k = 0; k <= LOOKS && good; k++) {
        good = fil_check_run(check, world, LOOK_EVERY * k);
        opening[k] = opening_of(world) / first;
    }
    fil_world_destroy(world);
    return good;
}

static bool run_net(FilCheck* check, const char* const (*net)[2], int net_count, Run run, double* opening)
{
    static const char* const settings[RUNS][2][2] = {[REFINED] = {{"world.accuracy", "1e-4"}, {"world.newton.tolerance", "1e-5"}},
                                                     [TWICE] = {{"world.integrator", "backward_euler"}, {"world.newton.tolerance", "1e-5"}},
                                                     [PAPER] = {{"world.integrator", "backward_euler"}, {"world.newton.tolerance", "1e-5"}}};
    static const double steps[RUNS] = {[TWICE] = 2e-3, [PAPER] = 1e-3};  // zero: the scene's own
    const char* all[MAX_SETTINGS][2];
    int count = 0;
    for (int k = 0; k < net_count; k++, count++) {
        memcpy(all[count], net[k], sizeof all[count]);
    }
    for (int k = 0; k < 2 && run != SCENE; k++, count++) {
        memcpy(all[count], settings[run][k], sizeof all[count]);
    }
    return watch_opening(check, fil_rings_load(check, "tether_net", (const char* const(*)[2])all, count, steps[run]), opening);
}

static void draw_openings(FilCheck* check, double (*opening)[LOOKS + 1], const char* file)
{
    double t[LOOKS + 1];
    FilPlotSeries series[RUNS];
    for (int k = 0; k <= LOOKS; k++) {
        t[k] = LOOK_EVERY * k;
    }
    for (int k = 0; k < RUNS; k++) {
        series[k] = (FilPlotSeries){.name = run_names[k], .count = LOOKS + 1, .x = t, .y = opening[k], .dashed = k > 1};
    }
    const FilPlotDef plot = {
        .title = "Opening of the tether-net", .x_label = "t (s)", .y_label = "opening / first opening", .series_count = RUNS, .series = series};
    fil_check_draw(check, &plot, file);
}

/* The largest difference, relative. */
static double differ(const double* a, const double* b, int from, int to)
{
    double worst = 0.0;
    for (int k = from; k <= to; k++) {
        worst = fmax(worst, fabs(a[k] / b[k] - 1.0));
    }
    return worst;
}

/* Whether the scene's stages follow P4's step, as near as that step itself is one: backward Euler's damping is part of how high the ball
 * bounces, and the corners are drawn while it does. */
static void compare_steps(FilCheck* check, const char* const (*net)[2], int net_count, const char* file)
{
    double opening[RUNS][LOOKS + 1];
    for (int k = 0; k < RUNS; k++) {
        if (!run_net(check, net, net_count, (Run)k, opening[k])) {
            return;
        }
    }
    draw_openings(check, opening, file);
    const double *paper = opening[PAPER], own = differ(opening[TWICE], paper, 0, JUDGED);
    fil_check_note(check, "opening until 7 s: P4's step against twice of it, relative", own);
    const double given = 0.02;  // as near as P4 gives times
    fil_check_below(check, "opening until 7 s: the scene, refined, against P4's step, relative", differ(opening[REFINED], paper, 0, JUDGED), given);
    fil_check_below(check, "opening until 7 s: the scene against P4's step, relative", differ(opening[SCENE], paper, 0, JUDGED), fmax(given, own));
    fil_check_note(check, "opening from 7 to 8 s: P4's step against twice of it, relative", differ(opening[TWICE], paper, JUDGED, LOOKS));
    fil_check_note(check, "opening from 7 to 8 s: the scene, refined, against P4's step, relative", differ(opening[REFINED], paper, JUDGED, LOOKS));
    fil_check_note(check, "opening from 7 to 8 s: the scene against P4's step, relative", differ(opening[SCENE], paper, JUDGED, LOOKS));
}

/* A net of 4 cells a side instead of 15. */
void fil_check_tether_net_step(FilCheck* check)
{
    static const char* const small[2][2] = {{"cells", "4"}, {"segments", "2"}};
    compare_steps(check, small, 2, "tether_net_small");
}

void fil_check_tether_net_whole(FilCheck* check)
{
    compare_steps(check, NULL, 0, "tether_net_opening");
}
