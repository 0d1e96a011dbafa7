/* The block Cholesky factorisation against CHOLMOD and against its own definition, on random patterns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/block_cholesky.h"
#include "linalg/sparse.h"
#include "random_blocks.h"

/* CHOLMOD's solution of dense x = x; false if it finds the matrix not positive definite */
static bool referee(double* x, int n)
{
    int* rows = malloc((size_t)(n * n) * sizeof *rows);
    int* columns = malloc((size_t)(n * n) * sizeof *columns);
    int* slots = malloc((size_t)(n * n) * sizeof *slots);
    int count = 0;
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            if (random_blocks_dense[i * n + j] != 0.0 || i == j) {
                rows[count] = i;
                columns[count++] = j;
            }
        }
    }
    FilSparse* sparse = fil_sparse_create(n, count, rows, columns, slots);
    assert_non_null(sparse);
    for (int k = 0; k < count; k++) {
        fil_sparse_values(sparse)[slots[k]] = random_blocks_dense[rows[k] * n + columns[k]];
    }
    const bool done = fil_sparse_factor(sparse);
    if (done) {
        fil_sparse_solve(sparse, x);
    }
    fil_sparse_destroy(sparse);
    free(rows);
    free(columns);
    free(slots);
    return done;
}

static void check_solution(FilBlockCholesky* cholesky, Random* random, int n)
{
    double b[MAX_N], x[MAX_N], y[MAX_N];
    for (int k = 0; k < n; k++) {
        b[k] = x[k] = y[k] = random_between(random, -1.0, 1.0);
    }
    fil_block_cholesky_solve(cholesky, x);
    assert_true(referee(y, n));
    random_blocks_compare(b, x, y, n);
}

static void random_patterns(void** state)
{
    (void)state;
    Random random = {1};
    FilBlockCholesky* cholesky = fil_block_cholesky_create();
    for (int trial = 0; trial < 100; trial++) {
        const int columns = 1 + (int)(random_bits(&random) % MAX_COLUMNS);
        const double fill = trial % 10 == 0 ? 1.0 : random_between(&random, 0.0, 4.0 / columns);
        RandomBlocks* a = random_blocks(&random, columns, fill, true);
        RandomBlocks* c = random_blocks(&random, columns, fill, trial % 2 == 0);
        const bool sum = trial % 3 != 0;
        random_blocks_make_definite(a, sum ? c : NULL);
        assert_int_equal(fil_block_cholesky_analyze(cholesky, &a->pattern, sum ? &c->pattern : NULL), FIL_OK);
        assert_true(fil_block_cholesky_factor(cholesky, a->values, sum ? c->values : NULL));
        check_solution(cholesky, &random, 4 * columns);
        free(a);
        free(c);
    }
    fil_block_cholesky_destroy(cholesky);
}

/* y = A x against the dense matrix: sums of up to 320 terms of order one */
static void multiply(void** state)
{
    (void)state;
    Random random = {2};
    RandomBlocks* a = random_blocks(&random, MAX_COLUMNS, 0.2, true);
    memset(random_blocks_dense, 0, sizeof random_blocks_dense);
    random_blocks_add_dense(a);
    double x[MAX_N], y[MAX_N];
    for (int k = 0; k < MAX_N; k++) {
        x[k] = random_between(&random, -1.0, 1.0);
    }
    fil_block_multiply(&a->pattern, a->values, x, y);
    for (int k = 0; k < MAX_N; k++) {
        double sum = 0.0;
        for (int i = 0; i < MAX_N; i++) {
            sum += random_blocks_dense[k * MAX_N + i] * x[i];
        }
        assert_true(fabs(y[k] - sum) <= 1e-13);
    }
    free(a);
}

/* After a change of C, factoring the changing columns gives bit for bit what factoring all gives. */
static void changing_columns(void** state)
{
    (void)state;
    Random random = {3};
    FilBlockCholesky* cholesky = fil_block_cholesky_create();
    // a chain, with C on a few of its blocks
    RandomBlocks* a = random_blocks(&random, MAX_COLUMNS, 0.0, true);
    RandomBlocks* c = random_blocks(&random, MAX_COLUMNS, 0.0, false);
    int end = 0;
    for (int j = 0; j < MAX_COLUMNS; j++) {
        for (int i = j; i < MAX_COLUMNS && i <= j + 1; i++) {
            a->row[end++] = i;
        }
        a->start[j + 1] = end;
    }
    for (int k = 0; k < 16 * end; k++) {
        a->values[k] = 0.1;
    }
    // block (40, 0) and block (70, 10)
    c->row[0] = 40;
    c->row[1] = 70;
    for (int j = 1; j <= MAX_COLUMNS; j++) {
        c->start[j] = j <= 10 ? 1 : 2;
    }
    random_blocks_make_definite(a, c);
    assert_int_equal(fil_block_cholesky_analyze(cholesky, &a->pattern, &c->pattern), FIL_OK);
    assert_true(fil_block_cholesky_factor(cholesky, a->values, c->values));
    const FilBlockCholeskyInfo info = fil_block_cholesky_info(cholesky);
    assert_int_equal(info.changing, 4);
    for (int k = 0; k < 32; k++) {
        c->values[k] = 0.01 * random_between(&random, -1.0, 1.0);
    }
    double x[MAX_N], y[MAX_N];
    for (int k = 0; k < MAX_N; k++) {
        x[k] = y[k] = random_between(&random, -1.0, 1.0);
    }
    assert_true(fil_block_cholesky_factor_changing(cholesky, a->values, c->values));
    fil_block_cholesky_solve(cholesky, x);
    assert_true(fil_block_cholesky_factor(cholesky, a->values, c->values));
    fil_block_cholesky_solve(cholesky, y);
    assert_memory_equal(x, y, sizeof x);

    // and so does solving in parts, in pivot order
    const int* pivot = fil_block_cholesky_pivots(cholesky);
    double z[MAX_N];
    for (int k = 0; k < MAX_N; k++) {
        y[k] = random_between(&random, -1.0, 1.0);
        z[4 * pivot[k / 4] + k % 4] = y[k];
    }
    fil_block_cholesky_solve(cholesky, y);
    fil_block_cholesky_eliminate_fixed(cholesky, z);
    fil_block_cholesky_solve_changing(cholesky, z);
    fil_block_cholesky_substitute_fixed(cholesky, z);
    for (int k = 0; k < MAX_N; k++) {
        assert_true(z[4 * pivot[k / 4] + k % 4] == y[k]);
    }
    fil_block_cholesky_destroy(cholesky);
    free(a);
    free(c);
}

/* A smaller pattern is bound to an old analysis; one outside it is refused, and so is one of another size. */
static void bind(void** state)
{
    (void)state;
    Random random = {4};
    FilBlockCholesky* cholesky = fil_block_cholesky_create();
    RandomBlocks* a = random_blocks(&random, 40, 0.0, true);
    RandomBlocks* c = random_blocks(&random, 40, 0.05, true);
    random_blocks_make_definite(a, c);
    assert_int_equal(fil_block_cholesky_analyze(cholesky, &a->pattern, &c->pattern), FIL_OK);
    RandomBlocks* less = random_blocks_fewer(c);
    random_blocks_make_definite(a, less);
    bool fits = false;
    assert_int_equal(fil_block_cholesky_bind(cholesky, &a->pattern, &less->pattern, &fits), FIL_OK);
    assert_true(fits);
    assert_true(fil_block_cholesky_factor(cholesky, a->values, less->values));
    check_solution(cholesky, &random, 160);

    // a full matrix does not fit
    RandomBlocks* full = random_blocks(&random, 40, 1.0, true);
    assert_int_equal(fil_block_cholesky_bind(cholesky, &a->pattern, &full->pattern, &fits), FIL_OK);
    assert_false(fits);
    RandomBlocks* other = random_blocks(&random, 41, 0.0, true);
    assert_int_equal(fil_block_cholesky_bind(cholesky, &other->pattern, NULL, &fits), FIL_OK);
    assert_false(fits);
    fil_block_cholesky_destroy(cholesky);
    free(a);
    free(c);
    free(less);
    free(full);
    free(other);
}

/* Matrices that are just not positive definite, in any column, are distinguished from those that just are. */
static void definiteness(void** state)
{
    (void)state;
    Random random = {5};
    FilBlockCholesky* cholesky = fil_block_cholesky_create();
    for (int trial = 0; trial < 60; trial++) {
        const int columns = 1 + (int)(random_bits(&random) % 20), n = 4 * columns;
        RandomBlocks* a = random_blocks(&random, columns, 0.3, true);
        random_blocks_make_definite(a, NULL);
        assert_int_equal(fil_block_cholesky_analyze(cholesky, &a->pattern, NULL), FIL_OK);
        // lowering entry (r, r) by t is singular at t = 1/(A^-1)_rr
        const int column = (int)(random_bits(&random) % (uint64_t)columns), d = (int)(random_bits(&random) % 4);
        double x[MAX_N] = {0};
        x[4 * column + d] = 1.0;
        assert_true(fil_block_cholesky_factor(cholesky, a->values, NULL));
        fil_block_cholesky_solve(cholesky, x);
        const double singular = 1.0 / x[4 * column + d];
        double* pivot = random_blocks_pivot(a, column, d);
        const double old = *pivot;
        *pivot = old - singular * (1.0 - 1e-9);
        assert_true(fil_block_cholesky_factor(cholesky, a->values, NULL));
        *pivot = old - singular * (1.0 + 1e-9);
        assert_false(fil_block_cholesky_factor(cholesky, a->values, NULL));
        // the referee says the same
        memset(random_blocks_dense, 0, sizeof random_blocks_dense);
        random_blocks_add_dense(a);
        double y[MAX_N] = {0};
        assert_false(referee(y, n));
        const double bad[] = {0.0, -1.0, NAN, INFINITY, -INFINITY};
        for (int b = 0; b < 5; b++) {
            *pivot = bad[b];
            assert_false(fil_block_cholesky_factor(cholesky, a->values, NULL));
        }
        *pivot = old;
        assert_true(fil_block_cholesky_factor(cholesky, a->values, NULL));
        free(a);
    }
    fil_block_cholesky_destroy(cholesky);
}

/* The block kernels: w a w' = 1, m a m' = d */
static void inverse_factor(void** state)
{
    (void)state;
    Random random = {6};
    for (int trial = 0; trial < 100; trial++) {
        double j[4][4], a[16], w[16], m[16];
        for (int k = 0; k < 16; k++) {
            j[k / 4][k % 4] = random_between(&random, -1.0, 1.0) + (k % 5 == 0 ? 2.0 : 0.0);
        }
        for (int k = 0; k < 16; k++) {
            a[k] = 0.0;
            for (int r = 0; r < 4; r++) {
                a[k] += j[r][k / 4] * j[r][k % 4];
            }
        }
        assert_true(fil_block_inverse_factor(a, w));
        assert_true(fil_block_inverse_parts(a, m));
        for (int p = 0; p < 4; p++) {
            for (int q = 0; q < 4; q++) {
                double sum = 0.0;
                for (int k = 0; k < 16; k++) {
                    sum += w[4 * (k / 4) + p] * a[k] * w[4 * (k % 4) + q];
                }
                assert_true(q <= p || w[4 * q + p] == 0.0);
                assert_true(fabs(sum - (p == q ? 1.0 : 0.0)) <= 1e-11);  // condition numbers up to 1e4
                // the same but for the roots of 1/d
                const double unit = p == q ? 1.0 : m[4 * q + p];
                assert_true(fabs(w[4 * q + p] - sqrt(m[5 * p]) * unit) <= 1e-14 * fabs(w[4 * q + p]));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_patterns), cmocka_unit_test(multiply),       cmocka_unit_test(changing_columns), cmocka_unit_test(bind),
        cmocka_unit_test(definiteness),    cmocka_unit_test(inverse_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
