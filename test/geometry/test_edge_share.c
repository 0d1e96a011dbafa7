/* Shares of a chain's edges in one contact: together they are one, whatever the edges. */
#include "geometry/edge_share.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"

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

/* the slope against central differences, around every place along a bent chain */
static void test_slope(void** state)
{
    (void)state;
    Random random = {7};
    int sloping = 0;
    for (int n = 0; n < 2000; n++) {
        static const double at[5][3] = {{-0.011, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.01, 0.0, 0.0}, {0.0195, 0.0, 0.0}, {0.0, 0.0, 4e-3}};
        double x[5][3], dx[5][3], moved[2][5][3];
        const double h = 1e-8, along = random_between(&random, -1e-3, 1e-3), shorter = n % 3 == 0 ? 0.06 : 1.0;
        for (int k = 0; k < 15; k++) {
            x[k / 3][k % 3] = shorter * at[k / 3][k % 3] + random_between(&random, -2e-5, 2e-5);
            dx[k / 3][k % 3] = random_between(&random, -1.0, 1.0);
        }
        x[4][0] += along;
        for (int k = 0; k < 15; k++) {
            moved[0][k / 3][k % 3] = x[k / 3][k % 3] + h * dx[k / 3][k % 3];
            moved[1][k / 3][k % 3] = x[k / 3][k % 3] - h * dx[k / 3][k % 3];
        }
        double share[2];
        for (int s = 0; s < 2; s++) {
            share[s] = fil_edge_share(moved[s][0], moved[s][1], moved[s][2], moved[s][3], moved[s][4], RADIUS);
        }
        const double slope = fil_edge_share_slope((const double* const[5]){x[0], x[1], x[2], x[3], x[4]},
                                                  (const double* const[5]){dx[0], dx[1], dx[2], dx[3], dx[4]}, RADIUS);
        const double difference = (share[0] - share[1]) / (2.0 * h);
        sloping += slope != 0.0;
        assert_true(fabs(slope - difference) <= 1e-3 * (fabs(slope) + 1.0 / RADIUS));
    }
    assert_true(sloping > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_straight), cmocka_unit_test(test_one_edge), cmocka_unit_test(test_corners),
                                       cmocka_unit_test(test_slope)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
