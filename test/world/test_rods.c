/* Setting a rod's state from outside: shared nodes move for all, and what frames cannot follow is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"

enum { NODES = 5 };

/* two rods that cross at their middle nodes; the second holds the copy */
static FilWorld* make_cross(FilId* rods, double nodes[2][3 * NODES])
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* world;
    FilError error;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    FilRodDef defs[2];
    memset(nodes, 0, 2 * sizeof nodes[0]);
    for (int r = 0; r < 2; ++r) {
        for (int i = 0; i < NODES; ++i) {
            nodes[r][3 * i + r] = 0.1 * (i - 2);
        }
        defs[r] = fil_rod_def_default();
        defs[r].node_count = NODES;
        defs[r].nodes = nodes[r];
        defs[r].section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 2e-3, .young = 1e7, .poisson = 0.4, .density = 1000.0};
    }
    const FilRodJunction joint = {0, 2, 1, 2};
    assert_int_equal(fil_world_add_rod_network(world, defs, 2, &joint, 1, rods), FIL_OK);
    return world;
}

/* frames of every edge fit its nodes */
static void check_frames(const FilWorld* world, FilId rod)
{
    double x[3 * NODES], frames[9 * (NODES - 1)];
    fil_rod_get_positions(world, rod, x);
    fil_rod_get_frames(world, rod, frames);
    for (int i = 0; i < NODES - 1; ++i) {
        double length = 0.0, along = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double e = x[3 * (i + 1) + k] - x[3 * i + k];
            length += e * e;
            along += e * frames[9 * i + 6 + k];
        }
        /* rounding of a sum of three */
        assert_true(fabs(along - sqrt(length)) < 1e-15);
    }
}

static void shared_nodes_move_for_all(void** state)
{
    (void)state;
    for (int moved = 0; moved < 2; ++moved) {
        FilId rods[2];
        double nodes[2][3 * NODES], x[3 * NODES];
        FilWorld* world = make_cross(rods, nodes);
        double velocities[3 * NODES] = {0};
        for (int i = 0; i < NODES; ++i) {
            nodes[moved][3 * i + 2] += 0.02;
            velocities[3 * i + 2] = 0.5;
        }
        assert_int_equal(fil_rod_set_state(world, rods[moved], nodes[moved], velocities, NULL, NULL), FIL_OK);
        for (int r = 0; r < 2; ++r) {
            fil_rod_get_positions(world, rods[r], x);
            assert_true(x[3 * 2 + 2] == 0.02);
            assert_true(x[2] == (r == moved ? 0.02 : 0.0));
            fil_rod_get_velocities(world, rods[r], x);
            assert_true(x[3 * 2 + 2] == 0.5);
            check_frames(world, rods[r]);
        }
        fil_world_destroy(world);
    }
}

static void turns_of_180_degrees_are_refused(void** state)
{
    (void)state;
    FilId rods[2];
    double nodes[2][3 * NODES], flipped[3 * NODES];
    FilWorld* world = make_cross(rods, nodes);
    const uint64_t before = fil_world_hash(world);
    for (int k = 0; k < 3 * NODES; ++k) {
        flipped[k] = -nodes[0][k];
    }
    assert_int_equal(fil_rod_set_state(world, rods[0], flipped, NULL, NULL, NULL), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "edge 0 would turn by 180 degrees"));
    /* a hairpin: edges up and down again, both at a right angle to where they were */
    double hairpin[3 * NODES];
    memcpy(hairpin, nodes[0], sizeof hairpin);
    for (int k = 0; k < 3; ++k) {
        hairpin[3 * 3 + k] = nodes[0][3 * 2 + k] + (k == 2 ? 0.1 : 0.0);
        hairpin[3 * 4 + k] = nodes[0][3 * 2 + k] + (k == 2 ? 0.01 : 0.0);
    }
    assert_int_equal(fil_rod_set_state(world, rods[0], hairpin, NULL, NULL, NULL), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "edges 2 and 3 would fold back"));
    assert_true(fil_world_hash(world) == before);
    fil_world_destroy(world);
}

/* 0.1 m of rod at a hinge: 31.4 rad/m is all that a hinge can be bent */
static void rest_curvature_has_a_limit(void** state)
{
    (void)state;
    FilId rods[2];
    double nodes[2][3 * NODES];
    FilWorld* world = make_cross(rods, nodes);
    const uint64_t before = fil_world_hash(world);
    assert_int_equal(fil_rod_set_rest_curvature(world, rods[0], 2, 1, (double[]){0.0, 32.0}), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "node 2 turns by 3.2 rad"));
    assert_true(fil_world_hash(world) == before);
    assert_int_equal(fil_rod_set_rest_curvature(world, rods[0], 2, 1, (double[]){0.0, 31.0}), FIL_OK);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_nodes_move_for_all),
        cmocka_unit_test(turns_of_180_degrees_are_refused),
        cmocka_unit_test(rest_curvature_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
