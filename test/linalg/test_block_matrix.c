/* Products of block matrices: against dense ones, and row by row or in parts with workers, to the same bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/block_matrix.h"
#include "random_blocks.h"

static void products(void** state)
{
    (void)state;
    Random random = {5};
    FilWorkers* workers = fil_workers_create(3);
    FilBlockRows rows = {0};
    assert_non_null(workers);
    for (int trial = 0; trial < 60; trial++) {
        const int columns = 1 + (int)(random_bits(&random) % MAX_COLUMNS), n = 4 * columns;
        RandomBlocks* a = random_blocks(&random, columns, random_between(&random, 0.0, 0.5), true);
        double x[MAX_N], y[MAX_N], z[MAX_N], w[MAX_N];
        random_blocks_make_definite(a, NULL);  // and dense
        for (int k = 0; k < n; k++) {
            x[k] = random_between(&random, -1.0, 1.0);
            y[k] = z[k] = w[k] = random_between(&random, -1.0, 1.0);
        }
        fil_block_multiply_add(&a->pattern, a->values, x, y);
        for (int k = 0; k < n; k++) {
            double size = fabs(z[k]);
            for (int i = 0; i < n; i++) {
                z[k] += random_blocks_dense[k * n + i] * x[i];
                size += fabs(random_blocks_dense[k * n + i]);
            }
            assert_true(fabs(z[k] - y[k]) <= 1e-14 * size);  // some hundred roundings of 1e-16
        }
        assert_true(fil_block_rows_find(&rows, &a->pattern));
        fil_block_rows_multiply_add(&rows, workers, &a->pattern, a->values, x, w);
        assert_memory_equal(w, y, sizeof(double) * (size_t)n);
        free(a);
    }
    fil_block_rows_free(&rows);
    fil_workers_destroy(workers);
}

/* Bands of some columns each, as of rods: pieces of them where they are apart, rows where a block joins them all; the same bits. */
static void products_of_bodies(void** state)
{
    enum { COLUMNS = 1000, BAND = 3, N = 4 * COLUMNS };
    static int start[COLUMNS + 1], row[BAND * COLUMNS];
    static double values[FIL_BLOCK_SIZE * BAND * COLUMNS], x[N], y[N], w[N];
    (void)state;
    Random random = {7};
    FilWorkers* workers = fil_workers_create(3);
    FilBlockRows rows = {0};
    assert_non_null(workers);
    for (int trial = 0; trial < 12; trial++) {
        const int length = 5 + (int)(random_bits(&random) % 60), joined = trial % 3 == 0;
        int blocks = 0;
        for (int j = 0; j < COLUMNS; j++) {
            start[j] = blocks;
            for (int i = j; i < COLUMNS && i < j + BAND && (joined || i / length == j / length); i++) {
                row[blocks++] = i;
            }
        }
        start[COLUMNS] = blocks;
        const FilBlockPattern pattern = {COLUMNS, start, row};
        for (int k = 0; k < FIL_BLOCK_SIZE * blocks; k++) {
            values[k] = random_between(&random, -1.0, 1.0);
        }
        for (int k = 0; k < N; k++) {
            x[k] = random_between(&random, -1.0, 1.0);
            y[k] = w[k] = random_between(&random, -1.0, 1.0);
        }
        fil_block_multiply_add(&pattern, values, x, y);
        assert_true(fil_block_rows_find(&rows, &pattern));
        assert_true(joined ? rows.pieces == 0 : rows.pieces > 3);
        for (int p = 0; p < rows.pieces; p++) {  // whole bodies
            assert_true(rows.piece.at[p] % length == 0 && rows.piece.at[p + 1] > rows.piece.at[p]);
        }
        assert_true(joined || rows.piece.at[rows.pieces] == COLUMNS);
        fil_block_rows_multiply_add(&rows, workers, &pattern, values, x, w);
        assert_memory_equal(w, y, sizeof y);
    }
    fil_block_rows_free(&rows);
    fil_workers_destroy(workers);
}

/* A sum of three in parts: the sum of their products, and the same bits whoever shares it. Nothing of what was in the buffers is left. */
static void parts_of_sums(void** state)
{
    (void)state;
    Random random = {6};
    FilWorkers* workers = fil_workers_create(3);
    FilBlockParts parts = {0};
    assert_non_null(workers);
    for (int trial = 0; trial < 60; trial++) {
        const int columns = 1 + (int)(random_bits(&random) % MAX_COLUMNS), n = 4 * columns;
        RandomBlocks* a[3];
        FilBlockPattern patterns[3];
        const double* values[3];
        double x[MAX_N], y[MAX_N], z[MAX_N], w[MAX_N];
        for (int t = 0; t < 3; t++) {
            a[t] = random_blocks(&random, columns, random_between(&random, 0.0, t == 0 ? 0.5 : 0.1), true);
            patterns[t] = a[t]->pattern;
            values[t] = a[t]->values;
        }
        for (int k = 0; k < n; k++) {
            x[k] = random_between(&random, -1.0, 1.0);
            z[k] = w[k] = NAN;
        }
        for (int k = 0; k < n && trial % 3 == 0; k += 8) {  // blocks that are skipped
            memset(x + k, 0, 4 * sizeof *x);
        }
        fil_block_multiply(&patterns[0], values[0], x, y);
        fil_block_multiply_add(&patterns[1], values[1], x, y);
        fil_block_multiply_add(&patterns[2], values[2], x, y);
        assert_true(fil_block_parts_find(&parts, patterns, 3));
        fil_block_parts_multiply(&parts, NULL, patterns, values, 3, x, z);
        fil_block_parts_multiply(&parts, workers, patterns, values, 3, x, w);
        assert_memory_equal(w, z, sizeof(double) * (size_t)n);
        for (int k = 0; k < n; k++) {
            assert_true(fabs(z[k] - y[k]) <= 1e-12);  // some hundred roundings of numbers of size 1
        }
        for (int t = 0; t < 3; t++) {
            free(a[t]);
        }
    }
    fil_block_parts_free(&parts);
    fil_workers_destroy(workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(products_of_bodies), cmocka_unit_test(parts_of_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
