/* A rod is the same rod in whatever direction it lies, whatever its number of nodes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "lively.h"

enum { MAX_NODES = 9, STEPS = 20 };

/* a rod of 0.1 m edges along `axis` (0, 1, 2 for x, y, z), forward or backward */
static FilWorld* lay_rod(int node_count, int axis, double sign, double gravity, FilId* rod)
{
    FilWorldDef def = fil_world_def_default();
    def.gravity = (FilVec3){0.0, 0.0, -gravity};
    def.dt = 0.01;
    def.newton_tolerance = 1e-10;
    FilWorld* world = NULL;
    FilError error;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    double nodes[3 * MAX_NODES] = {0};
    for (int i = 0; i < node_count; ++i) {
        nodes[3 * i + axis] = sign * 0.1 * i;
    }
    FilRodDef rod_def = fil_rod_def_default();
    rod_def.node_count = node_count;
    rod_def.nodes = nodes;
    rod_def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 5e-3, .young = 1e8, .poisson = 0.3, .density = 1000.0};
    assert_int_equal(fil_world_add_rod(world, &rod_def, rod), FIL_OK);
    return world;
}

static void every_direction_falls_alike(void** state)
{
    (void)state;
    /* backward Euler falls by g dt^2 (1 + 2 + ... + n) */
    const double fall = -9.81 * 1e-4 * 0.5 * STEPS * (STEPS + 1);
    for (int n = 2; n <= MAX_NODES; ++n) {
        for (int direction = 0; direction < 6; ++direction) {
            FilId rod;
            double before[3 * MAX_NODES], after[3 * MAX_NODES];
            FilWorld* world = lay_rod(n, direction % 3, direction < 3 ? 1.0 : -1.0, 9.81, &rod);
            fil_rod_get_positions(world, rod, before);
            for (int step = 0; step < STEPS; ++step) {
                if (fil_world_step(world, NULL) != FIL_OK) {
                    print_error("%d nodes, direction %d: %s\n", n, direction, fil_world_error(world));
                    fail();
                }
            }
            fil_rod_get_positions(world, rod, after);
            for (int i = 0; i < 3 * n; ++i) {
                /* rigid fall: nothing but rounding and Newton's tolerance of 1e-10 of the fall */
                assert_true(fabs(after[i] - before[i] - (i % 3 == 2 ? fall : 0.0)) < 1e-9);
            }
            fil_world_destroy(world);
        }
    }
}

/* pushed sideways at its end a rod bends by the same amount in every direction */
static void every_direction_bends_alike(void** state)
{
    (void)state;
    for (int n = 3; n <= MAX_NODES; ++n) {
        double first = 0.0;
        for (int direction = 0; direction < 6; ++direction) {
            int axis = direction % 3, side = (axis + 1) % 3;
            FilId rod, drive;
            FilWorld* world = lay_rod(n, axis, direction < 3 ? 1.0 : -1.0, 0.0, &rod);
            FilDriveDef def = fil_drive_def_default();
            def.kind = FIL_DRIVE_FORCE;
            def.object = rod;
            def.first = -1;
            def.count = 1;
            assert_int_equal(fil_world_add_drive(world, &def, &drive), FIL_OK);
            double force[3] = {0.0, 0.0, 0.0};
            force[side] = 0.05;
            assert_int_equal(fil_drive_set(world, drive, force, 3), FIL_OK);
            lively_run(world, STEPS);
            double nodes[3 * MAX_NODES];
            fil_rod_get_positions(world, rod, nodes);
            double moved = nodes[3 * (n - 1) + side];
            if (direction == 0) {
                first = moved;
                assert_true(first > 1e-3);
            }
            /* turned by quarter and half turns: the same sums but for rounding, amplified over 20 steps */
            assert_true(fabs(moved - first) < 1e-8 * first);
            fil_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_direction_falls_alike),
        cmocka_unit_test(every_direction_bends_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
