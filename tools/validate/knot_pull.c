#include "validate/knot_pull.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "bench.h"
#include "cli.h"
#include "validate/knots.h"

static const double SAMPLE = 0.05;          /* s between samples */
static const double TOPOLOGY = 1.0;         /* s between looks at the topology */
static const double SETTLING_DT = 0.01;     /* s: large steps of backward Euler damp ... */
static const double SETTLING_GROWTH = 1.01; /* ... if strands do not fly far in one: from the run's own step up to there */
static const double CALM = 3.0;             /* s: by then strands that started apart have come to touch, and bounce no more; 1 s after settling */

FilPullDef fil_pull_def_default(void)
{
    return (FilPullDef){.n = 1, .speed = 6e-3, .mu = 0.1, .drag = 0.01, .dt = 5e-4, .model = "imc", .shortening = 0.2};
}

double fil_pull_radius(double shortening)
{
    return shortening / (2.0 * M_PI);
}

double fil_pull_stiffness(void)
{
    return 0.25 * M_PI * FIL_KNOT_YOUNG * pow(FIL_KNOT_RADIUS, 4);
}

double fil_pull_theory(double radius, double mu, double sign)
{
    const double e = sqrt(FIL_KNOT_RADIUS / radius), sigma = 0.492;
    return fil_pull_stiffness() / (FIL_KNOT_RADIUS * FIL_KNOT_RADIUS) * (0.5 * pow(e, 4) + sign * mu * sigma * pow(e, 3));
}

/* ---- running ---- */

typedef struct Pull {
    FilCheck* check;
    const FilPullDef* def;
    FilPullCurve* curve;
    FilWorld* world;
    FilId rod, ends[2], drives[2];
    double sum; /* of forces since the last sample */
    int summed;
    double next_sample, next_look;
    double start; /* s, when the pull began */
    bool failed;
} Pull;

static bool expect(Pull* pull, FilStatus status, const char* doing)
{
    if (status != FIL_OK && !pull->failed) {
        fil_check_fail(pull->check, "n = %d, %s, %s at t = %g s: %s", pull->def->n, pull->def->model, doing, fil_world_time(pull->world),
                       fil_world_error(pull->world));
        pull->failed = true;
    }
    return !pull->failed;
}

static bool load(Pull* pull)
{
    enum { OWN = 4, MAX_COUNT = 10 };
    const FilPullDef* def = pull->def;
    char path[4096], text[OWN][32], names[MAX_COUNT - OWN][64];
    FilError error = {{0}};
    FilSetting settings[MAX_COUNT] = {{"knot.n", text[0]}, {"speed", text[1]}, {"mu", text[2]}, {"drag", text[3]}};
    FilSceneOptions options = {.settings = settings, .setting_count = OWN, .dt = def->dt, .contact_model = def->model};
    snprintf(text[0], sizeof text[0], "%d", def->n);
    snprintf(text[1], sizeof text[1], "%.17g", def->speed);
    snprintf(text[2], sizeof text[2], "%.17g", def->mu);
    snprintf(text[3], sizeof text[3], "%.17g", def->drag);
    for (int k = 0; k < MAX_COUNT - OWN && def->imc[k] != NULL; k++) {
        const char* equals = strchr(def->imc[k], '=');
        snprintf(names[k], sizeof names[k], "%.*s", (int)(equals - def->imc[k]), def->imc[k]);
        settings[options.setting_count++] = (FilSetting){names[k], equals + 1};
    }
    if (!fil_scene_find("knot_imc", path, sizeof path, &error) || fil_scene_load(path, &options, &pull->world, NULL, &error) != FIL_OK) {
        fil_check_fail(pull->check, "%s", error.text);
        return false;
    }
    pull->rod = fil_world_rod_at(pull->world, 0);
    pull->ends[0] = fil_world_find_attachment(pull->world, "left");
    pull->ends[1] = fil_world_find_attachment(pull->world, "right");
    pull->drives[0] = fil_world_find_drive(pull->world, "pull_left");
    pull->drives[1] = fil_world_find_drive(pull->world, "pull_right");
    return true;
}

static void set_speed(Pull* pull, double speed)
{
    for (int side = 0; side < 2; side++) {
        const double v[3] = {0.0, side == 0 ? -speed : speed, 0.0};
        expect(pull, fil_drive_set(pull->world, pull->drives[side], v, 3), "setting the speed");
    }
}

static double shortening_of(const Pull* pull)
{
    double nodes[3 * FIL_KNOT_NODES];
    fil_rod_get_positions(pull->world, pull->rod, nodes);
    const double* last = nodes + 3 * (FIL_KNOT_NODES - 1);
    return FIL_KNOT_LENGTH - sqrt(pow(last[0] - nodes[0], 2) + pow(last[1] - nodes[1], 2) + pow(last[2] - nodes[2], 2));
}

static bool add_sample(Pull* pull)
{
    FilPullCurve* curve = pull->curve;
    double** columns[] = {&curve->time, &curve->shortening, &curve->force};
    if (curve->count == curve->capacity) {
        const int wanted = 2 * curve->capacity + 256;
        for (int k = 0; k < 3; k++) {
            if (!fil_grow((void**)columns[k], (size_t)curve->capacity, (size_t)wanted, sizeof(double))) {
                fil_check_fail(pull->check, "out of memory");
                return false;
            }
        }
        curve->capacity = wanted;
    }
    curve->time[curve->count] = fil_world_time(pull->world) - pull->start;
    curve->shortening[curve->count] = shortening_of(pull);
    curve->force[curve->count++] = pull->sum / pull->summed;
    pull->sum = 0.0;
    pull->summed = 0;
    return true;
}

static void look(Pull* pull)
{
    double nodes[3 * FIL_KNOT_NODES];
    fil_rod_get_positions(pull->world, pull->rod, nodes);
    const double determinant = fil_knots_determinant(nodes, FIL_KNOT_NODES);
    pull->curve->determinants[0] = fmin(pull->curve->determinants[0], determinant);
    pull->curve->determinants[1] = fmax(pull->curve->determinants[1], determinant);
}

static void step(Pull* pull)
{
    FilPullCurve* curve = pull->curve;
    FilStepInfo info;
    if (!expect(pull, fil_world_step(pull->world, &info), "stepping")) {
        return;
    }
    const double time = fil_world_time(pull->world) - pull->start;
    curve->steps += 1.0;
    curve->iterations += info.newton_iterations;
    curve->crossings += info.crossings;
    curve->divided += info.halvings > 0;
    if (time > (pull->def->settle > 0.0 ? 1.0 : CALM) && isfinite(info.min_distance)) {
        curve->min = fmin(curve->min, info.min_distance);
        curve->max = fmax(curve->max, info.min_distance);
    }
    pull->sum += 0.5 * (fil_attachment_force(pull->world, pull->ends[1]).y - fil_attachment_force(pull->world, pull->ends[0]).y);
    pull->summed++;
    if (time >= pull->next_sample) {
        pull->next_sample += SAMPLE;
        pull->failed = !add_sample(pull);
    }
    if (time >= pull->next_look) {
        pull->next_look += TOPOLOGY;
        look(pull);
    }
}

/* Lets the knot come to rest: held, without friction, in steps so large that backward Euler damps everything. By SAP,
 * which bears such steps. */
static void settle(Pull* pull)
{
    set_speed(pull, 0.0);
    expect(pull, fil_world_set_contact_model(pull->world, "sap"), "settling");
    expect(pull, fil_world_set_friction(pull->world, 0.0), "settling");
    double dt = fmin(pull->def->dt, 5e-4);
    while (!pull->failed && fil_world_time(pull->world) < pull->def->settle) {
        FilStepInfo info;
        expect(pull, fil_world_set_dt(pull->world, dt), "settling");
        expect(pull, fil_world_step(pull->world, &info), "settling");
        pull->curve->crossings += info.crossings;
        dt = fmin(SETTLING_GROWTH * dt, SETTLING_DT);
    }
    expect(pull, fil_world_set_contact_model(pull->world, pull->def->model), "settling");
    expect(pull, fil_world_set_friction(pull->world, -1.0), "settling");
    expect(pull, fil_world_set_dt(pull->world, pull->def->dt), "settling");
    pull->start = fil_world_time(pull->world);
}

/* To a smaller loop, some times as fast, in P2's steps: larger ones let strands through at that speed. */
static void hasten(Pull* pull)
{
    const double faster = 8.0, dt = 5e-4;
    expect(pull, fil_world_set_dt(pull->world, dt), "drawing it up");
    set_speed(pull, faster * pull->def->speed);
    while (!pull->failed && shortening_of(pull) > pull->def->start) {
        FilStepInfo info;
        expect(pull, fil_world_step(pull->world, &info), "drawing it up");
        pull->curve->crossings += info.crossings;
    }
    if (pull->curve->crossings > 0) {
        fil_check_fail(pull->check, "strands passed through each other while the knot was drawn up");
        pull->failed = true;
    }
    expect(pull, fil_world_set_dt(pull->world, pull->def->dt), "drawing it up");
    set_speed(pull, pull->def->speed);
    pull->start = fil_world_time(pull->world);
}

bool fil_pull_run(FilCheck* check, const FilPullDef* def, FilPullCurve* curve)
{
    Pull pull = {.check = check, .def = def, .curve = curve};
    *curve = (FilPullCurve){.min = INFINITY, .max = -INFINITY, .determinants = {INFINITY, -INFINITY}};
    if (!load(&pull)) {
        return false;
    }
    if (def->settle > 0.0) {
        settle(&pull);
        set_speed(&pull, def->speed);
    }
    if (def->start > 0.0) {
        hasten(&pull);
    }
    const FilBenchClock clock = fil_bench_clock();
    while (!pull.failed && shortening_of(&pull) > def->shortening) {
        step(&pull);
    }
    curve->turn = curve->count;
    if (def->loosen > 0.0) {
        set_speed(&pull, -def->speed);
    }
    while (!pull.failed && def->loosen > 0.0 && shortening_of(&pull) < def->loosen) {
        step(&pull);
    }
    curve->cpu = fil_bench_since(clock).cpu;
    fil_world_destroy(pull.world);
    return !pull.failed;
}

void fil_pull_free(FilPullCurve* curve)
{
    fil_free(curve->time);
    fil_free(curve->shortening);
    fil_free(curve->force);
    *curve = (FilPullCurve){0};
}

/* ---- reading ---- */

double fil_pull_force(const FilPullCurve* curve, double shortening, double half_width, bool loosening)
{
    double sum = 0.0;
    int count = 0;
    for (int k = loosening ? curve->turn : 0; k < (loosening ? curve->count : curve->turn); k++) {
        if (fabs(curve->shortening[k] - shortening) <= half_width) {
            sum += curve->force[k];
            count++;
        }
    }
    return count > 0 ? sum / count : NAN;
}

void fil_pull_check(FilCheck* check, const FilPullDef* def, const FilPullCurve* curve)
{
    char what[96];
    const char* const names[] = {"least determinant", "largest determinant"};
    for (int k = 0; k < 2; k++) {
        snprintf(what, sizeof what, "n = %d: %s", def->n, names[k]);
        fil_check_near(check, what, curve->determinants[k], 2 * def->n + 1, 1e-6);
    }
    snprintf(what, sizeof what, "n = %d: crossings", def->n);
    fil_check_below(check, what, curve->crossings, 0.0);
    // P2 section 3.3
    snprintf(what, sizeof what, "n = %d: least distance less 2h (um)", def->n);
    fil_check_above(check, what, 1e6 * curve->min, -5.0);
    snprintf(what, sizeof what, "n = %d: largest least distance less 2h (um)", def->n);
    fil_check_below(check, what, 1e6 * curve->max, 20.0);
}
