/* Soft solids at rest: a beam against Timoshenko's theory with the order of convergence, a ball on the ground. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/solid.h"

static FilWorld* load(FilCheck* check, const char* text)
{
    FilWorld* world = NULL;
    FilError error;
    if (fil_scene_load_text("solid", text, strlen(text), NULL, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
    }
    return world;
}

static bool run(FilCheck* check, FilWorld* world, int steps)
{
    for (int k = 0; k < steps; k++) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fil_check_fail(check, "%s", fil_world_error(world));
            return false;
        }
    }
    return true;
}

/* How far the end of the beam sinks with `cells` across. Steps of 1000 s find rest. */
static double sink_of(FilCheck* check, int cells)
{
    char text[1024];
    snprintf(text, sizeof text,
             "world: {gravity: [0, 0, -0.1], dt: 1000}\n"
             "materials: {foam: {young: 1.0e+6, poisson: 0.3, density: 1000}}\n"
             "solids:\n"
             "  - {name: beam, material: foam, model: linear, position: [0.5, 0, 0],\n"
             "     brick: {size: [1, 0.1, 0.1], cells: [%d, %d, %d]}, pins: [{from: [-0.001, -1, -1], to: [0.001, 1, 1]}]}\n",
             10 * cells, cells, cells);
    FilWorld* world = load(check, text);
    double sink = 0.0;
    if (world != NULL && run(check, world, 2)) {
        const FilId beam = fil_world_find_solid(world, "beam");
        int count = 0;
        for (int k = 0; k < fil_solid_vertex_count(world, beam); k++) {
            double x[3];
            fil_solid_get_position(world, beam, k, x);
            // the neutral axis at the end
            if (x[0] > 0.99 && fabs(x[1]) < 0.01 && fabs(x[2] + 0.015) < 0.02) {
                sink -= x[2];
                count++;
            }
        }
        sink = count > 0 ? sink / count : 0.0;
    }
    fil_world_destroy(world);
    return sink;
}

/* w L^4/(8 E I) + w L^2/(2 kappa G A) with w = 1 N/m, L = 1 m, E I = 8.333 N m^2, kappa = 5/6, G A = 3846 N */
void fil_check_solid_cantilever(FilCheck* check)
{
    const double expected = 0.015 + 0.5 / (5.0 / 6.0 * 1e6 / 2.6 * 0.01);
    const double coarse = sink_of(check, 2), middle = sink_of(check, 4), fine = sink_of(check, 8);
    const double ratio = (middle - coarse) / (fine - middle), limit = fine + (fine - middle) / 3.0;
    fil_check_near(check, "sink of a beam, extrapolated from 4 and 8 cells across, m", limit, expected, 0.02);
    fil_check_above(check, "order of convergence, 2 to 8 cells across", log2(ratio), 1.7);
    fil_check_below(check, "order of convergence, 2 to 8 cells across", log2(ratio), 2.2);
}

/* A brick that comes down flat rests under every model, and the ground carries it. */
void fil_check_solid_rest(FilCheck* check)
{
    static const char* const models[] = {"sap", "sap_lagged", "lcp", "ipc"};
    for (int k = 0; k < 4; k++) {
        char text[1024], what[96];
        snprintf(text, sizeof text,
                 "world: {dt: 0.005, contact: %s}\n"
                 "materials: {foam: {young: 5.0e+4, poisson: 0.4, density: 700}}\n"
                 "rigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}]}]\n"
                 "solids:\n"
                 "  - {name: block, material: foam, position: [0, 0, 0.06], damping: {stiffness: 0.02},\n"
                 "     brick: {size: [0.1, 0.1, 0.1], cells: [4, 4, 4], split: six}}\n",
                 models[k]);
        FilWorld* world = load(check, text);
        if (world != NULL && run(check, world, 300)) {
            FilVec3 force, torque;
            const FilId block = fil_world_find_solid(world, "block");
            fil_world_contact_wrench(world, fil_world_find_rigid(world, "ground"), &force, &torque);
            snprintf(what, sizeof what, "%s: force on the ground under a block, N", models[k]);
            fil_check_near(check, what, -force.z, 9.81 * fil_solid_mass(world, block), 1e-3);
            snprintf(what, sizeof what, "%s: kinetic energy after 1.5 s, J", models[k]);
            fil_check_below(check, what, fil_world_energy(world).kinetic, 1e-8);
        }
        fil_world_destroy(world);
    }
}
