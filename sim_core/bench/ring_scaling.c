/* How the cost of a step grows with the number of interlocked rings (P0 Fig. 9b). The chains start where they touch, so
 * that a second of simulated time brings all contacts. */
#include "ring_scaling.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/vec3.h"

enum { SEGMENTS = 20 };

static const double RADIUS = 0.01, DIAMETER = 0.0025; /* m, of the ring and of its section */

static FilStatus add_ring(FilWorld* world, int index, FilId* rod)
{
    double nodes[3 * SEGMENTS];
    const double pitch = 2.0 * RADIUS - DIAMETER;  // where the inner sides of neighbours meet
    for (int i = 0; i < SEGMENTS; i++) {
        const double angle = 2.0 * FIL_PI * i / SEGMENTS, out = RADIUS * cos(angle);
        fil_v3_set(nodes + 3 * i, index % 2 == 0 ? out : 0.0, index % 2 == 0 ? 0.0 : out, RADIUS * sin(angle) - index * pitch);
    }
    FilRodDef def = fil_rod_def_default();
    def.node_count = SEGMENTS;
    def.nodes = nodes;
    def.closed = true;
    def.rest_shape = FIL_REST_INITIAL;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 0.5 * DIAMETER, .young = 10e6, .poisson = 0.4, .density = 500.0};
    def.damping_mass = 10.0;
    def.collision.surface = (FilSurface){.friction = 0.1, .stiffness = 1e4, .dissipation = 50.0};
    return fil_world_add_rod(world, &def, rod);
}

static FilStatus make_chain(int rings, FilWorld** world, FilError* error)
{
    FilWorldDef def = fil_world_def_default();
    def.dt = 8e-4;
    def.contact_model = "sap_lagged";
    def.newton_tolerance = 1e-4;
    FilStatus status = fil_world_create(&def, world, error);
    FilId rod = {0}, hook;
    for (int k = 0; k < rings && status == FIL_OK; k++) {
        status = add_ring(*world, k, &rod);
        if (k == 0 && status == FIL_OK) {
            FilAttachmentDef pin = fil_attachment_def_default();
            pin.object = rod;
            pin.count = SEGMENTS / 2;
            status = fil_world_add_attachment(*world, &pin, &hook);
        }
        if (status != FIL_OK) {
            fil_error(error, status, "%.400s", fil_world_error(*world));
        }
    }
    return status;
}

static FilStatus run(FilWorld* world, int steps, FilRunTotals* totals, FilBenchClock* time, FilError* error)
{
    const FilBenchClock start = fil_bench_clock();
    *totals = (FilRunTotals){0};
    for (int k = 0; k < steps; k++) {
        FilStepInfo info;
        const FilStatus status = fil_world_step(world, &info);
        if (status != FIL_OK) {
            return fil_error(error, status, "%.400s", fil_world_error(world));
        }
        fil_run_totals_add(totals, &info);
    }
    *time = fil_bench_since(start);
    return FIL_OK;
}

FilStatus fil_bench_ring_scaling(FilBench* bench, FilError* error)
{
    static const int sizes[] = {25, 50, 100, 200, 400};
    FilStatus status = FIL_OK;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && status == FIL_OK; k++) {
        FilWorld* world = NULL;
        FilRunTotals totals;
        FilBenchClock time;
        status = make_chain(sizes[k], &world, error);
        // a second to settle, then a quarter of one to measure
        status = status == FIL_OK ? run(world, 1250, &totals, &time, error) : status;
        status = status == FIL_OK ? run(world, 312, &totals, &time, error) : status;
        if (status == FIL_OK) {
            const double steps = (double)totals.steps;
            FilBenchResult result = fil_bench_result("ring_scaling");
            snprintf(result.contact_model, sizeof result.contact_model, "%s", fil_world_contact_model(world));
            result.nodes = SEGMENTS * sizes[k];
            result.closed = true;
            result.dt = fil_world_dt(world);
            result.steps = steps;
            result.wall_time = time.wall;
            result.cpu_time = time.cpu;
            result.realtime_rate = steps * result.dt / time.wall;
            result.ms_per_step = 1e3 * time.wall / steps;
            result.iterations_per_step = (double)totals.newton_iterations / steps;
            result.contacts_avg = totals.contacts / steps;
            result.timings = totals.timings;
            fil_bench_result_accuracy(&result, "cpu_us_per_ring", 1e6 * time.cpu / steps / sizes[k]);
            fil_bench_result_accuracy(&result, "max_penetration", totals.max_penetration);
            status = fil_bench_report(bench, &result);
        }
        fil_world_destroy(world);
    }
    return status;
}
