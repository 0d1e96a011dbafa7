/* Shares of a chain's edges in one contact: together they are one, whatever the edges. */
#include "geometry/edge_share.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double RADIUS = 2e-3;

/* sum of the shares of all edges of a chain */
static double sum_of(const double (*nodes)[3], int count, const double* point)
{
    double sum = 0.0;
    for (int i = 0; i + 1 < count; i++) {
        sum += fil_edge_share(i > 0 ? nodes[i - 1] : NULL, nodes[i], nodes[i + 1], i + 2 < count ? nodes[i + 2] : NULL, point, RADIUS);
    }
    return sum;
}

/* along a straight chain, of edges longer and shorter than the length over which they hand over */
static void test_straight(void** state)
{
    (void)state;
    static const double at[] = {0.0, 10e-3, 15e-3, 16e-3, 16.1e-3, 16.25e-3, 18e-3, 28e-3};
    double nodes[8][3] = {{0.0}};
    for (int i = 0; i < 8; i++) {
        nodes[i][0] = at[i];
    }
    for (int k = -20; k <= 320; k++) {
        const double point[3] = {1e-4 * k, 0.1e-3 * (k % 7), 4e-3};
        assert_true(fabs(sum_of((const double(*)[3])nodes, 8, point) - 1.0) < 1e-12);
    }
}

/* far from nodes an edge has all; at a node both have half */
static void test_one_edge(void** state)
{
    (void)state;
    static const double nodes[4][3] = {{0.0, 0.0, 0.0}, {0.01, 0.0, 0.0}, {0.02, 0.0, 0.0}, {0.03, 0.0, 0.0}};
    const double inside[3] = {0.0153, 0.0, 4e-3}, beyond[3] = {0.0203, 0.0, 4e-3}, node[3] = {0.02, 0.0, 4e-3};
    assert_true(fil_edge_share(nodes[0], nodes[1], nodes[2], nodes[3], inside, RADIUS) == 1.0);
    assert_true(fil_edge_share(nodes[0], nodes[1], nodes[2], nodes[3], beyond, RADIUS) == 0.0);
    assert_true(fabs(fil_edge_share(nodes[0], nodes[1], nodes[2], nodes[3], node, RADIUS) - 0.5) < 1e-15);
    // where the chain ends, nobody takes over
    assert_true(fil_edge_share(nodes[0], nodes[1], nodes[2], NULL, beyond, RADIUS) == 1.0);
}

/* over a ridge what only the node is closest to belongs to both, half each; in a groove both edges are touched */
static void test_corners(void** state)
{
    (void)state;
    for (int k = -20; k <= 20; k++) {
        const double x = 1e-4 * k;
        const double ridge[3][3] = {{-0.01, 0.0, -5e-3}, {0.0, 0.0, 0.0}, {0.01, 0.0, -5e-3}}, above[3] = {x, 0.0, 4e-3};
        const double groove[3][3] = {{-0.01, 0.0, 5e-3}, {0.0, 0.0, 0.0}, {0.01, 0.0, 5e-3}};
        const double sum = sum_of((const double(*)[3])ridge, 3, above);
        assert_true(sum > 1.0 - 1e-12 && sum < 1.0 + 1e-12);
        const double in_groove[3] = {0.05 * x, 0.0, 4e-3};
        assert_true(fabs(sum_of((const double(*)[3])groove, 3, in_groove) - 2.0) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_straight), cmocka_unit_test(test_one_edge), cmocka_unit_test(test_corners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
