/* Rods that share nodes: a junction must add nothing of its own, and a net must balance. */
#include <math.h>
#include <stdio.h>

#include "validate/rod.h"
#include "validate/trial.h"

/* ---- a junction ---- */

enum { MAIN_EDGES = 40, SIDE_EDGES = 6 };

static FilWorldDef settling_world(double gravity)
{
    FilWorldDef def = fil_world_def_default();
    def.gravity = (FilVec3){0.0, 0.0, -gravity};
    def.integrator = FIL_BACKWARD_EULER;
    def.dt = 200.0;
    def.newton_tolerance = 1e-9;
    def.newton_max_iterations = 200;
    return def;
}

/* steps a world until its kinetic energy is nothing, as motion over a step: v dt */
static bool settle(FilCheck* check, FilWorld* world, FilId rod, int node_count)
{
    double velocities[3 * FIL_TRIAL_MAX_NODES];
    for (int step = 0; step < 100; ++step) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fil_check_fail(check, "stepping: %s", fil_world_error(world));
            return false;
        }
        double motion = 0.0;
        fil_rod_get_velocities(world, rod, velocities);
        for (int i = 0; i < 3 * node_count; ++i) {
            motion = fmax(motion, fabs(velocities[i]) * fil_world_dt(world));
        }
        if (motion < 1e-9) {
            return true;
        }
    }
    fil_check_fail(check, "no equilibrium in 100 steps");
    return false;
}

/* a cantilever with a side rod of `side_mass` hung on its middle node; without one if side_mass is zero */
static bool branched_tip(FilCheck* check, double side_mass, double* tip_z, double* reaction)
{
    double main_nodes[3 * (MAIN_EDGES + 1)] = {0}, side_nodes[3 * (SIDE_EDGES + 1)] = {0};
    for (int i = 0; i <= MAIN_EDGES; ++i) {
        main_nodes[3 * i] = (double)i / MAIN_EDGES;
    }
    for (int i = 0; i <= SIDE_EDGES; ++i) {
        side_nodes[3 * i] = 0.5;
        side_nodes[3 * i + 2] = -0.3 * i / SIDE_EDGES;
    }
    FilRodDef defs[2] = {fil_rod_def_default(), fil_rod_def_default()};
    defs[0].nodes = main_nodes;
    defs[0].node_count = MAIN_EDGES + 1;
    defs[0].section = fil_trial_round_section(1.0, 1.0, 5e-3);
    defs[1].nodes = side_nodes;
    defs[1].node_count = SIDE_EDGES + 1;
    defs[1].section = fil_trial_round_section(1e-3, side_mass / 0.3, 5e-3);
    FilRodJunction junction = {.rod_a = 0, .node_a = MAIN_EDGES / 2, .rod_b = 1, .node_b = 0};

    FilWorldDef world_def = settling_world(3.0);
    FilWorld* world = NULL;
    FilError error;
    FilId rods[2] = {{0, 0}, {0, 0}}, clamp;
    if (fil_world_create(&world_def, &world, &error) != FIL_OK) {
        fil_check_fail(check, "creating the world: %s", error.text);
        return false;
    }
    bool alone = side_mass == 0.0;
    FilStatus status = alone ? fil_world_add_rod(world, &defs[0], &rods[0]) : fil_world_add_rod_network(world, defs, 2, &junction, 1, rods);
    FilAttachmentDef attachment = fil_attachment_def_default();
    attachment.kind = FIL_ATTACH_CLAMP;
    attachment.object = rods[0];
    if (status == FIL_OK) {
        status = fil_world_add_attachment(world, &attachment, &clamp);
    }
    bool good = status == FIL_OK;
    if (!good) {
        fil_check_fail(check, "building: %s", fil_world_error(world));
    }
    good = good && settle(check, world, rods[0], MAIN_EDGES + 1);
    if (good) {
        fil_rod_get_positions(world, rods[0], main_nodes);
        *tip_z = main_nodes[3 * MAIN_EDGES + 2];
        *reaction = fil_attachment_force(world, clamp).z;
        if (!alone) {
            /* both rods see the shared node at one place */
            fil_rod_get_positions(world, rods[1], side_nodes);
            double apart = 0.0;
            for (int k = 0; k < 3; ++k) {
                apart = fmax(apart, fabs(side_nodes[k] - main_nodes[3 * (MAIN_EDGES / 2) + k]));
            }
            fil_check_below(check, "distance of the shared node from itself (m)", apart, 0.0);
        }
    }
    fil_world_destroy(world);
    return good;
}

void fil_check_junction(FilCheck* check)
{
    double plain, light, heavy, plain_force, light_force, heavy_force;
    if (!branched_tip(check, 0.0, &plain, &plain_force)) {
        return;
    }
    if (!branched_tip(check, 1e-7, &light, &light_force)) {
        return;
    }
    if (!branched_tip(check, 0.5, &heavy, &heavy_force)) {
        return;
    }
    /* a side rod of 1e-7 of the mass moves the tip by about as much */
    fil_check_near(check, "tip with a weightless side rod (m)", light, plain, 1e-6);
    /* force balance holds to Newton's tolerance */
    fil_check_near(check, "reaction without a side rod (N)", plain_force, 3.0, 1e-6);
    fil_check_near(check, "reaction with half a kilogram more (N)", heavy_force, 4.5, 1e-6);
    fil_check_above(check, "tip lowered by the side rod (m)", plain - heavy, 0.02);
}

/* ---- a net ---- */

/* SIDE cords each way, crossing at every CELL-th node */
enum { SIDE = 5, CELL = 2, CORD_NODES = CELL * (SIDE - 1) + 1, CORDS = 2 * SIDE };

typedef struct Net {
    FilWorld* world;
    FilId cords[CORDS];
    FilId corners[4];
} Net;

static bool make_net(FilCheck* check, bool held, Net* net)
{
    double nodes[CORDS][3 * CORD_NODES];
    FilRodDef defs[CORDS];
    FilRodJunction junctions[SIDE * SIDE];
    for (int c = 0; c < CORDS; ++c) {
        bool along_x = c < SIDE;
        for (int i = 0; i < CORD_NODES; ++i) {
            double along = (double)i / (CORD_NODES - 1), across = (double)(c % SIDE) / (SIDE - 1);
            nodes[c][3 * i] = along_x ? along : across;
            nodes[c][3 * i + 1] = along_x ? across : along;
            nodes[c][3 * i + 2] = 0.0;
        }
        defs[c] = fil_rod_def_default();
        defs[c].nodes = nodes[c];
        defs[c].node_count = CORD_NODES;
        defs[c].section = fil_trial_round_section(1e-3, 0.1, 5e-3);
    }
    for (int i = 0; i < SIDE; ++i) {
        for (int j = 0; j < SIDE; ++j) {
            junctions[i * SIDE + j] = (FilRodJunction){i, CELL * j, SIDE + j, CELL * i};
        }
    }
    FilWorldDef def = settling_world(9.81);
    FilError error;
    if (!held) {
        def.dt = 0.01;
    }
    if (fil_world_create(&def, &net->world, &error) != FIL_OK) {
        fil_check_fail(check, "creating the world: %s", error.text);
        return false;
    }
    FilStatus status = fil_world_add_rod_network(net->world, defs, CORDS, junctions, SIDE * SIDE, net->cords);
    static const int corner[4][2] = {{0, 0}, {0, -1}, {SIDE - 1, 0}, {SIDE - 1, -1}};
    for (int i = 0; i < 4 && held && status == FIL_OK; ++i) {
        FilAttachmentDef pin = fil_attachment_def_default();
        pin.kind = FIL_ATTACH_PIN;
        pin.object = net->cords[corner[i][0]];
        pin.first = corner[i][1];
        status = fil_world_add_attachment(net->world, &pin, &net->corners[i]);
    }
    if (status != FIL_OK) {
        fil_check_fail(check, "building the net: %s", fil_world_error(net->world));
    }
    return status == FIL_OK;
}

/* mass of all cords: ten of unit length */
static const double net_mass = CORDS * 0.1;

/* a net hung by its corners is symmetric and its corners carry it; a net let go falls with g */
void fil_check_net(FilCheck* check)
{
    Net net = {0};
    if (make_net(check, true, &net) && settle(check, net.world, net.cords[SIDE / 2], CORD_NODES)) {
        double x_cord[3 * CORD_NODES], y_cord[3 * CORD_NODES], skew = 0.0;
        fil_rod_get_positions(net.world, net.cords[SIDE / 2], x_cord);
        fil_rod_get_positions(net.world, net.cords[SIDE + SIDE / 2], y_cord);
        for (int i = 0; i < CORD_NODES; ++i) {
            int mirror = CORD_NODES - 1 - i;
            skew = fmax(skew, fabs(x_cord[3 * i + 2] - x_cord[3 * mirror + 2]));
            skew = fmax(skew, fabs(x_cord[3 * i + 2] - y_cord[3 * i + 2]));
        }
        double sag = -x_cord[3 * (CORD_NODES / 2) + 2], carried = 0.0;
        for (int i = 0; i < 4; ++i) {
            carried += fil_attachment_force(net.world, net.corners[i]).z;
        }
        fil_check_above(check, "sag of the middle (m)", sag, 0.05);
        /* Newton stops at 1e-9 of the forces; soft cords turn that into at most 1e-6 of the sag */
        fil_check_below(check, "asymmetry / sag", skew / sag, 1e-6);
        fil_check_near(check, "force on the corners (N)", carried, 9.81 * net_mass, 1e-6);
    }
    fil_world_destroy(net.world);

    net = (Net){0};
    if (make_net(check, false, &net)) {
        for (int i = 0; i < 50; ++i) {
            if (fil_world_step(net.world, NULL) == FIL_OK) {
                continue;
            }
            fil_check_fail(check, "stepping: %s", fil_world_error(net.world));
            break;
        }
        fil_check_near(check, "momentum of a falling net (kg m/s)", fil_world_momentum(net.world).z, -9.81 * net_mass * fil_world_time(net.world),
                       1e-9);
    }
    fil_world_destroy(net.world);
}
