/* A clamp inside a rod parts it: each side is a cantilever of its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "filum/filum.h"

enum { EDGES = 12, NODES = 2 * EDGES + 1 };

/* Settles a rod of EDGES (or twice as many) edges of 1/EDGES m each, clamped at `node`, under a load on its last node;
 * returns its nodes. */
static double settle(int node_count, bool closed, int node, double* nodes)
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* world;
    FilError error;
    FilId rod, id;
    def.gravity = (FilVec3){0.0, 0.0, 0.0};
    def.dt = 0.5;
    def.newton_tolerance = 1e-10;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    for (int i = 0; i < node_count; ++i) {
        const double a = 2.0 * M_PI * i / node_count;
        nodes[3 * i] = closed ? cos(a) : (double)i / EDGES;
        nodes[3 * i + 1] = closed ? sin(a) : 0.0;
        nodes[3 * i + 2] = 0.0;
    }
    FilRodDef rod_def = fil_rod_def_default();
    rod_def.node_count = node_count;
    rod_def.closed = closed;
    rod_def.nodes = nodes;
    rod_def.rest_shape = FIL_REST_INITIAL;
    rod_def.damping_mass = 2.0;
    rod_def.section = (FilSection){.shape = FIL_SECTION_STIFFNESS,
                                   .radius = 5e-3,
                                   .ea = 1e5,
                                   .ei1 = 0.1,
                                   .ei2 = 0.1,
                                   .gj = 0.08,
                                   .mass_per_length = 0.1,
                                   .inertia_per_length = 1e-5};
    assert_int_equal(fil_world_add_rod(world, &rod_def, &rod), FIL_OK);
    FilAttachmentDef clamp = fil_attachment_def_default();
    clamp.kind = FIL_ATTACH_CLAMP;
    clamp.object = rod;
    clamp.first = node;
    assert_int_equal(fil_world_add_attachment(world, &clamp, &id), FIL_OK);
    FilDriveDef load = fil_drive_def_default();
    load.object = rod;
    load.first = -1;
    load.knot_count = 1;
    load.times = (double[]){0.0};
    load.values = (double[]){0.0, 0.0, closed ? 0.0 : 0.05};
    assert_int_equal(fil_world_add_drive(world, &load, &id), FIL_OK);
    for (int i = 0; i < 200; ++i) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    fil_rod_get_positions(world, rod, nodes);
    const double elastic = fil_world_energy(world).elastic;
    fil_world_destroy(world);
    return elastic;
}

static void sides_do_not_feel_each_other(void** state)
{
    (void)state;
    double half[3 * NODES], whole[3 * NODES];
    const double energy = settle(EDGES + 1, false, 0, half);
    const double whole_energy = settle(NODES, false, EDGES, whole);
    /* the loaded side bends as a rod clamped at its end, by 0.16 m; Newton's tolerance, damped */
    assert_true(half[3 * EDGES + 2] > 0.1);
    for (int i = 0; i <= EDGES; ++i) {
        assert_true(fabs(whole[3 * (EDGES + i) + 2] - half[3 * i + 2]) < 1e-9);
    }
    /* the other side stays straight */
    for (int i = 0; i < EDGES; ++i) {
        assert_true(fabs(whole[3 * i + 2]) < 1e-9);
    }
    assert_true(fabs(whole_energy - energy) < 1e-9 * energy);
}

/* a ring at rest stays at rest, wherever it is clamped: every fold of the chain finds the clamped hinge */
static void clamped_rings_stay_at_rest(void** state)
{
    (void)state;
    for (int node_count = 5; node_count < 12; ++node_count) {
        for (int node = 0; node < node_count; ++node) {
            double nodes[3 * NODES];
            settle(node_count, true, node, nodes);
            for (int i = 0; i < node_count; ++i) {
                const double a = 2.0 * M_PI * i / node_count;
                assert_true(fabs(nodes[3 * i] - cos(a)) < 1e-9 && fabs(nodes[3 * i + 1] - sin(a)) < 1e-9);
            }
        }
    }
}

/* so does an arc of uneven edges that is clamped at its ends: the clamps' sections are part of its shape */
static void clamped_arcs_are_free_of_stress(void** state)
{
    (void)state;
    FilWorldDef def = fil_world_def_default();
    FilWorld* world;
    FilError error;
    FilId rod, id;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    double nodes[3 * 8];
    for (int i = 0; i < 8; ++i) {
        const double a = 0.3 * i + 0.05 * i * i;
        nodes[3 * i] = cos(a);
        nodes[3 * i + 1] = 0.0;
        nodes[3 * i + 2] = sin(a);
    }
    FilRodDef rod_def = fil_rod_def_default();
    rod_def.node_count = 8;
    rod_def.nodes = nodes;
    rod_def.rest_shape = FIL_REST_INITIAL;
    rod_def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 1e-2, .young = 1e9, .poisson = 0.3, .density = 1000.0};
    assert_int_equal(fil_world_add_rod(world, &rod_def, &rod), FIL_OK);
    FilAttachmentDef clamp = fil_attachment_def_default();
    clamp.kind = FIL_ATTACH_CLAMP;
    clamp.object = rod;
    assert_int_equal(fil_world_add_attachment(world, &clamp, &id), FIL_OK);
    clamp.first = -1;
    assert_int_equal(fil_world_add_attachment(world, &clamp, &id), FIL_OK);
    /* strains of rounding size, squared, times EI of 8 N m^2 */
    assert_true(fil_world_energy(world).elastic < 1e-26);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_do_not_feel_each_other),
        cmocka_unit_test(clamped_rings_stay_at_rest),
        cmocka_unit_test(clamped_arcs_are_free_of_stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
