/* Soft solids at rest on the ground. */
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
