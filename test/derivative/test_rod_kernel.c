/* The fast rod kernel against the plain rod and against numerical differentiation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "body/rod_chain.h"
#include "dense.h"
#include "random_rod.h"
#include "rod_history.h"

/* everything both sides compute for one rod */
typedef struct Pair {
    ReferenceRod rod;
    double base[REFERENCE_MAX_DOFS]; /* where frames start from */
    double q[REFERENCE_MAX_DOFS];    /* where derivatives are taken */
    FilArena arena;
    FilRodChain chain;
    int n;                 /* unknowns */
    double* fast_hessian;  /* n x n */
    double* plain_hessian; /* n x n */
    double fast_gradient[REFERENCE_MAX_DOFS], plain_gradient[REFERENCE_MAX_DOFS];
} Pair;

static void scatter(void* context, int row, int column, double value)
{
    Pair* pair = context;
    assert_in_range(row, 0, pair->n - 1);
    assert_in_range(column, 0, pair->n - 1);
    pair->fast_hessian[row * pair->n + column] += value;
    if (row != column) {
        pair->fast_hessian[column * pair->n + row] += value;
    }
}

/* derivatives of a random rod by both, `motion` away from the base and with `diagonal` added to the fast Hessian */
static void make_pair(Pair* pair, Random* random, int node_count, bool closed, double motion, double diagonal)
{
    random_rod(random, node_count, closed, &pair->rod, pair->base);
    pair->n = reference_dof_count(&pair->rod);
    for (int i = 0; i < pair->n; ++i) {
        pair->q[i] = pair->base[i] + motion * random_between(random, -1.0, 1.0);
    }
    pair->fast_hessian = calloc((size_t)(pair->n * pair->n), sizeof(double));
    pair->plain_hessian = calloc((size_t)(pair->n * pair->n), sizeof(double));
    assert_non_null(pair->fast_hessian);
    assert_non_null(pair->plain_hessian);
    reference_derivatives(&pair->rod, pair->q, pair->plain_gradient, pair->plain_hessian);

    FilRodHistory history[REFERENCE_MAX_NODES];
    FilRodLaw law[REFERENCE_MAX_NODES];
    double added[4 * REFERENCE_MAX_NODES];
    load_history(&pair->rod, pair->base, history, law);
    for (int i = 0; i < 4 * node_count; ++i) {
        added[i] = diagonal;
    }
    for (int i = 0; i < pair->n; ++i) {
        pair->plain_hessian[i * pair->n + i] += diagonal;
    }
    pair->arena = (FilArena){0};
    assert_true(fil_rod_chain_init(&pair->chain, &pair->arena, node_count, closed));
    fil_rod_chain_begin(&pair->chain, pair->base, history, law, 0.0, added);
    assert_true(fil_rod_chain_assemble(&pair->chain, pair->q, 0.0, true));
    double gradient[4 * REFERENCE_MAX_NODES] = {0};
    fil_rod_chain_add_gradient(&pair->chain, gradient);
    for (int i = 0; i < pair->n; ++i) {
        pair->fast_gradient[i] = gradient[i];
    }
    fil_rod_chain_visit(&pair->chain, scatter, pair);
}

static void free_pair(Pair* pair)
{
    fil_arena_free(&pair->arena);
    free(pair->fast_hessian);
    free(pair->plain_hessian);
}

/* every length that folds in its own way: single edges, single hinges, even and odd, open and closed */
static void for_each_size(void (*test)(Random* random, int node_count, bool closed), uint64_t seed)
{
    Random random = {seed};
    for (int n = 2; n <= 14; ++n) {
        test(&random, n, false);
    }
    for (int n = 3; n <= 14; ++n) {
        test(&random, n, true);
    }
    test(&random, 41, false);
    test(&random, 42, false);
    test(&random, 41, true);
    test(&random, 42, true);
}

/* the same numbers by other formulas: some ten roundings each, in sums of terms that partly cancel */
static const double rounding = 1e-12;

static void equals_plain(Random* random, int node_count, bool closed)
{
    static const double motions[2] = {0.0, 0.01};
    for (int k = 0; k < 2; ++k) {
        Pair pair;
        make_pair(&pair, random, node_count, closed, motions[k], 0.0);
        double energy = reference_energy(&pair.rod, pair.q);
        assert_true(fabs(pair.chain.energy - energy) < rounding * energy);
        assert_true(dense_mismatch(pair.fast_gradient, pair.plain_gradient, pair.n) < rounding);
        assert_true(dense_mismatch(pair.fast_hessian, pair.plain_hessian, pair.n * pair.n) < rounding);
        free_pair(&pair);
    }
}

static void kernel_equals_plain_rod(void** state)
{
    (void)state;
    for_each_size(equals_plain, 11);
}

/* required: 1e-6; reached are the 1e-11 of the differences */
static void equals_differences(Random* random, int node_count, bool closed)
{
    if (node_count > 20) {
        return;
    }
    Pair pair;
    double gradient[REFERENCE_MAX_DOFS];
    make_pair(&pair, random, node_count, closed, 0.0, 0.0);
    numerical_gradient(&pair.rod, pair.q, gradient);
    numerical_hessian(&pair.rod, pair.q, 0.1, pair.plain_hessian);
    assert_true(dense_mismatch(pair.fast_gradient, gradient, pair.n) < 1e-10);
    assert_true(dense_mismatch(pair.fast_hessian, pair.plain_hessian, pair.n * pair.n) < 1e-10);
    free_pair(&pair);
}

static void kernel_equals_numerical_differentiation(void** state)
{
    (void)state;
    for_each_size(equals_differences, 12);
}

/* the kernel stores a lower triangle; each of its entries must be the derivative it stands for from both sides, so the
 * numerical Hessian is compared with its own transpose and with the stored one */
static void is_symmetric(Random* random, int node_count, bool closed)
{
    Pair pair;
    make_pair(&pair, random, node_count, closed, 0.0, 0.0);
    assert_true(dense_asymmetry(pair.fast_hessian, pair.n) < 1e-12);
    assert_true(dense_asymmetry(pair.plain_hessian, pair.n) < 1e-12);
    free_pair(&pair);
}

static void hessian_is_symmetric(void** state)
{
    (void)state;
    for_each_size(is_symmetric, 13);
}

static void solves(Random* random, int node_count, bool closed)
{
    Pair pair;
    double wanted[REFERENCE_MAX_DOFS], product[REFERENCE_MAX_DOFS], x[4 * REFERENCE_MAX_NODES] = {0};
    /* ten times the largest eigenvalue of stretch, about 4 EA/l: positive definite however bent */
    make_pair(&pair, random, node_count, closed, 0.0, 4e4);
    assert_true(dense_mismatch(pair.fast_hessian, pair.plain_hessian, pair.n * pair.n) < rounding);
    if (pair.chain.solvable) {
        for (int i = 0; i < pair.n; ++i) {
            wanted[i] = random_between(random, -1.0, 1.0);
        }
        dense_multiply(pair.plain_hessian, wanted, pair.n, product);
        for (int i = 0; i < pair.n; ++i) {
            x[i] = product[i];
        }
        assert_true(fil_rod_chain_factor(&pair.chain));
        fil_rod_chain_solve(&pair.chain, x);
        assert_true(dense_mismatch(x, wanted, pair.n) < rounding);
    }
    free_pair(&pair);
}

static void factor_and_solve_invert(void** state)
{
    (void)state;
    for_each_size(solves, 14);
}

/* without the Hessian: the same gradient, and a factored matrix goes on to serve */
static void gradient_alone(Random* random, int node_count, bool closed)
{
    Pair pair;
    double moved[4 * REFERENCE_MAX_NODES], first[2][4 * REFERENCE_MAX_NODES], gradient[2][4 * REFERENCE_MAX_NODES] = {{0}};
    make_pair(&pair, random, node_count, closed, 0.0, 4e4);
    const bool solves = pair.chain.solvable && fil_rod_chain_factor(&pair.chain);
    for (int i = 0; i < 4 * node_count; ++i) {
        moved[i] = pair.q[i] + random_between(random, -1e-3, 1e-3);
        first[0][i] = first[1][i] = i % 4 == 3 && i / 4 == node_count - 1 ? 0.0 : random_between(random, -1.0, 1.0);
    }
    if (solves) {
        fil_rod_chain_solve(&pair.chain, first[0]);
    }
    assert_true(fil_rod_chain_assemble(&pair.chain, moved, 0.0, false));
    const double energy = pair.chain.energy;
    fil_rod_chain_add_gradient(&pair.chain, gradient[0]);
    if (solves) {
        fil_rod_chain_solve(&pair.chain, first[1]);
        assert_memory_equal(first[0], first[1], sizeof(double) * 4 * (size_t)node_count);
    }
    assert_true(fil_rod_chain_assemble(&pair.chain, moved, 0.0, true));
    fil_rod_chain_add_gradient(&pair.chain, gradient[1]);
    assert_true(pair.chain.energy == energy);
    assert_memory_equal(gradient[0], gradient[1], sizeof gradient[0]);
    free_pair(&pair);
}

static void gradient_alone_is_the_same(void** state)
{
    (void)state;
    for_each_size(gradient_alone, 16);
}

/* a compressed rod's tangent is indefinite: the factorisation must say so */
static void indefinite_is_refused(void** state)
{
    (void)state;
    Random random = {15};
    for (int closed = 0; closed < 2; ++closed) {
        Pair pair;
        make_pair(&pair, &random, 12, closed != 0, 0.0, -1e3);
        assert_true(pair.chain.solvable);
        assert_false(fil_rod_chain_factor(&pair.chain));
        free_pair(&pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_equals_plain_rod), cmocka_unit_test(kernel_equals_numerical_differentiation),
        cmocka_unit_test(hessian_is_symmetric),    cmocka_unit_test(factor_and_solve_invert),
        cmocka_unit_test(indefinite_is_refused),   cmocka_unit_test(gradient_alone_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
