/* Products of block matrices: against dense ones, and row by row with workers, to the same bits. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
