/* Owns the world of a cell: made of text, stepped, measured by its momenta. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "validate/matrix.h"

static const double G = 9.81;
/* s of CPU time, that one world may take: cells of ropes take less than one */
static const double PATIENCE = 10.0;

static void fail_bench(FilMatrixBench* bench, bool refused, const char* why)
{
    if (!bench->failed) {
        bench->failed = true;
        bench->refused = refused;
        snprintf(bench->text, sizeof bench->text, "%.319s", why);
    }
}

/* The scene: a list of each section that is needed. Without ground there is a ball far away: scenes need an object. */
static void compose(const char* model, double dt, bool ground, const FilMatrixKind* const* kinds, const FilMatrixPlace* places, int count, char* text,
                    size_t size)
{
    static const char* const sections[] = {"rigid_bodies", "rods", "nets", "shells", "solids", "arms"};
    // momenta of a free flight are judged to 1e-9; on the ground, what users get by default
    const double tolerance = ground ? 1e-6 : 1e-10;
    // in flight ipc's barriers are the same at every step: half a joule at half their range
    // imc knows no static friction unless it is asked for; an impact turns the slip away from lcp's directions within a step, to cos(pi/n) of mu at
    // least, which is 0.98 of 16
    size_t used = (size_t)snprintf(
        text, size,
        "world: {dt: %.17g, gravity: [0, 0, %g], max_halvings: 3, imc: {friction: static}, ipc: {stiffness: %g}, lcp: {directions: 16},\n"
        "  newton: {tolerance: %g, max_iterations: 100}, contact: {model: %s, tolerance: %g}}\n"
        "materials:\n"
        "  rubber: {young: 1e+7, poisson: 0.4, density: 1000}\n"
        "  felt: {young: 1e+6, poisson: 0.3, density: 500}\n"
        "  foam: {young: 1e+6, poisson: 0.3, density: 500}\n",
        dt, ground ? -G : 0.0, ground ? 0.0 : 1e5, tolerance, model, tolerance);
    for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
        bool begun = s == 0;
        if (begun) {
            used += (size_t)snprintf(
                text + used, size - used, "rigid_bodies:\n  - {name: ground, motion: static, %s}\n",
                ground ? "shapes: [{half_space: {}}]" : "position: [0, 0, -10], collision: {enabled: false}, shapes: [{sphere: {radius: 0.1}}]");
        }
        for (int k = 0; k < count; k++) {
            if (kinds[k]->section != NULL && strcmp(kinds[k]->section, sections[s]) == 0) {
                char element[1536];
                kinds[k]->write(kinds[k], &places[k], element, sizeof element);
                used += (size_t)snprintf(text + used, size - used, "%s%s  - %s\n", begun ? "" : sections[s], begun ? "" : ":\n", element);
                begun = true;
            }
        }
    }
}

static void expect(FilMatrixBench* bench, FilStatus status)
{
    if (!bench->failed && status != FIL_OK) {
        fail_bench(bench, status == FIL_BAD_INPUT, fil_world_error(bench->world));
    }
}

/* Mass of all that moves, from a step of free fall: the same for every kind. */
static void weigh(FilMatrixBench* bench)
{
    expect(bench, fil_world_set_contact_model(bench->world, "none"));
    expect(bench, fil_world_set_gravity(bench->world, (FilVec3){0.0, 0.0, -1.0}));
    const double before = fil_world_momentum(bench->world).z;
    if (!bench->failed) {
        expect(bench, fil_world_step(bench->world, NULL));
    }
    bench->mass = (before - fil_world_momentum(bench->world).z) / fil_world_dt(bench->world);
    bench->weight = bench->mass * G;
}

static FilWorld* make(FilMatrixBench* bench, const char* model, double dt, double friction, bool ground, const FilMatrixKind* const* kinds,
                      const FilMatrixPlace* places, int count)
{
    char text[4096];
    FilError error;
    compose(model, dt, ground, kinds, places, count, text, sizeof text);
    const FilStatus status = fil_scene_load_text("matrix", text, strlen(text), NULL, &bench->world, NULL, &error);
    if (status != FIL_OK) {
        fail_bench(bench, status == FIL_BAD_INPUT, error.text);
        return NULL;
    }
    expect(bench, fil_world_set_friction(bench->world, friction));
    for (int k = 0; k < count && !bench->failed; k++) {
        if (kinds[k]->add != NULL) {
            expect(bench, kinds[k]->add(bench->world, kinds[k], &places[k]));
        }
    }
    return bench->world;
}

FilMatrixBench fil_matrix_begin(const char* model, double dt, double friction, bool ground, const FilMatrixKind* const* kinds,
                                const FilMatrixPlace* places, int count)
{
    FilMatrixBench bench = {.cpu = fil_bench_clock().cpu};
    // weighed in a world of its own, so that nothing of that is left in this one
    if (make(&bench, model, dt, friction, ground, kinds, places, count) != NULL) {
        weigh(&bench);
        fil_world_destroy(bench.world);
        bench.world = NULL;
        make(&bench, model, dt, friction, ground, kinds, places, count);
    }
    return bench;
}

FilMatrixBench fil_matrix_load(const char* text)
{
    FilMatrixBench bench = {.cpu = fil_bench_clock().cpu, .mass = NAN, .weight = NAN};
    FilError error;
    const FilStatus status = fil_scene_load_text("matrix", text, strlen(text), NULL, &bench.world, NULL, &error);
    if (status != FIL_OK) {
        fail_bench(&bench, status == FIL_BAD_INPUT, error.text);
    }
    return bench;
}

void fil_matrix_end(FilMatrixBench* bench)
{
    fil_world_destroy(bench->world);
    bench->world = NULL;
}

void fil_matrix_run(FilMatrixBench* bench, double duration)
{
    if (bench->failed) {
        return;
    }
    const double dt = fil_world_dt(bench->world);
    const int steps = (int)lround(duration / dt);
    for (int k = 0; k < steps && !bench->failed; k++) {
        expect(bench, fil_world_step(bench->world, NULL));
        const FilVec3 v = fil_matrix_velocity(bench);
        bench->path.x += dt * v.x;
        bench->path.y += dt * v.y;
        bench->path.z += dt * v.z;
        if (fil_bench_clock().cpu - bench->cpu > PATIENCE) {
            char text[96];
            snprintf(text, sizeof text, "given up after %g s of CPU time, at t = %g s", PATIENCE, fil_world_time(bench->world));
            fail_bench(bench, false, text);
        }
    }
}

void fil_matrix_tilt(FilMatrixBench* bench, int axis, double tangent)
{
    const double cosine = 1.0 / sqrt(1.0 + tangent * tangent), sine = tangent * cosine;
    if (!bench->failed) {
        expect(bench, fil_world_set_gravity(bench->world, (FilVec3){axis == 0 ? G * sine : 0.0, axis == 1 ? G * sine : 0.0, -G * cosine}));
    }
}

FilVec3 fil_matrix_velocity(const FilMatrixBench* bench)
{
    const FilVec3 p = bench->failed ? (FilVec3){NAN, NAN, NAN} : fil_world_momentum(bench->world);
    return (FilVec3){p.x / bench->mass, p.y / bench->mass, p.z / bench->mass};
}

FilMatrixOutcome fil_matrix_failed(const FilMatrixBench* bench)
{
    // a refusal must say what to do instead
    const bool advises = strstr(bench->text, "use ") != NULL;
    FilMatrixOutcome outcome = {.sign = bench->refused && advises ? FIL_MATRIX_REFUSED : FIL_MATRIX_FAILS};
    snprintf(outcome.text, sizeof outcome.text, "%s%.280s", bench->refused && !advises ? "refused without advice: " : "", bench->text);
    return outcome;
}

FilMatrixOutcome fil_matrix_judge(const char* what, double measured, double expected, double allowed)
{
    FilMatrixOutcome outcome = {
        .sign = fabs(measured - expected) <= allowed ? FIL_MATRIX_HOLDS : FIL_MATRIX_FAILS, .measured = measured, .expected = expected};
    if (outcome.sign == FIL_MATRIX_FAILS) {
        snprintf(outcome.text, sizeof outcome.text, "%s %.4g, expected %.4g +- %.2g", what, measured, expected, allowed);
    }
    return outcome;
}
