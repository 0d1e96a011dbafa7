/* Soft solids at rest, and clamped. */
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

/* Deflection of the tip of a cantilever of 1 x 0.1 x 0.1 m and 1 MPa under 0.01 N/m, once it is at rest; NAN after a failure. */
static double deflect(FilCheck* check, int cells, double poisson)
{
    char text[1024];
    double tip[3] = {NAN, NAN, NAN};
    snprintf(text, sizeof text,
             "world: {dt: 1.0e+5, gravity: [0, 0, -0.001]}\n"  // one step: inertia does not count
             "materials: {foam: {young: 1.0e+6, poisson: %g, density: 1000}}\n"
             "solids:\n"
             "  - {name: beam, material: foam, model: linear, position: [0.5, 0, 0],\n"
             "     brick: {size: [1, 0.1, 0.1], cells: [%d, %d, %d], split: symmetric},\n"
             "     pins: [{from: [-0.001, -1, -1], to: [0.001, 1, 1]}]}\n",
             poisson, 10 * cells, cells, cells);
    FilWorld* world = load(check, text);
    if (world != NULL && run(check, world, 1)) {
        const int across = cells + 1;
        fil_solid_get_position(world, fil_world_find_solid(world, "beam"), 10 * cells * across * across + cells / 2 * (across + 1), tip);
    }
    fil_world_destroy(world);
    return -tip[2];
}

/* The order at which a cantilever's deflection converges in the cell. Against theory, w L^4/(8 E I) + w L^2/(2 k G A), without
 * Poisson's ratio only: a clamp that keeps the section from contracting is stiffer than any beam's, so that with it the error against
 * a beam does not vanish with the mesh. The order of the limit of three meshes needs no theory. */
static void converge(FilCheck* check, double poisson, const int* cells, int count)
{
    const double load = 0.01, young = 1e6, area = 0.01, inertia = 1e-4 / 12.0, shear = young / (2.0 * (1.0 + poisson));
    const double k = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);  // Cowper 1966
    const double theory = load / (8.0 * young * inertia) + load / (2.0 * k * shear * area);
    double tip[3] = {NAN, NAN, NAN};
    char what[96];
    for (int c = 0; c < count; c++) {
        tip[c] = deflect(check, cells[c], poisson);
        snprintf(what, sizeof what, "tip's deflection over a beam's, nu %g, %d cells across", poisson, cells[c]);
        fil_check_note(check, what, tip[c] / theory);
        if (c > 0 && poisson == 0.0) {
            const double order = log2((theory - tip[c - 1]) / (theory - tip[c]));
            fil_check_above(check, "order of its error in the cell, from below", order, 1.7);
            fil_check_below(check, "order of its error in the cell, from above", order, 2.2);
        }
    }
    if (count == 3) {
        const double order = log2((tip[1] - tip[0]) / (tip[2] - tip[1]));
        fil_check_above(check, "order of three meshes' limit, from below", order, 1.7);
        fil_check_below(check, "order of three meshes' limit, from above", order, 2.2);
        fil_check_near(check, "that limit over a beam's deflection", (tip[2] + (tip[2] - tip[1]) / (exp2(order) - 1.0)) / theory, 1.0, 0.01);
    }
}

void fil_check_solid_cantilever(FilCheck* check)
{
    static const int cells[] = {2, 4};
    converge(check, 0.0, cells, 2);
}

void fil_check_solid_cantilever_fine(FilCheck* check)
{
    static const int cells[] = {2, 4, 8};
    converge(check, 0.0, cells, 3);
    converge(check, 0.3, cells, 3);
}
