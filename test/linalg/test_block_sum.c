/* Sums of small dense blocks: against the same sum in a dense matrix. */
#include "linalg/block_sum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"

enum { COLUMNS = 9, LISTS = 5, SIZE = 4 * COLUMNS };

static const int END[LISTS] = {4, 7, 8, 10, 14};
static const int VARIABLE[] = {0, 1, 5, 6, 2, 8, 3, 4, 7, 1, 6, 5, 0, 1};

/* Fills every list with random symmetric blocks, in both the sum and a dense matrix by columns. */
static void fill(FilBlockSum* sum, double* dense, uint64_t seed)
{
    Random random = {seed};
    fil_block_sum_clear(sum);
    memset(dense, 0, sizeof(double) * SIZE * SIZE);
    for (int k = 0, first = 0; k < LISTS; first = END[k++]) {
        const int m = END[k] - first;
        double g[16];
        for (int i = 0; i < 4 * m; i++) {
            g[i] = random_between(&random, -1.0, 1.0);
        }
        // an outer product is symmetric
        for (int r = 0; r < m; r++) {
            for (int c = 0; c < m; c++) {
                double block[16];
                for (int j = 0; j < 16; j++) {
                    block[j] = g[4 * r + j % 4] * g[4 * c + j / 4];
                    dense[SIZE * (4 * VARIABLE[first + c] + j / 4) + 4 * VARIABLE[first + r] + j % 4] += block[j];
                }
                fil_block_sum_add(sum, k, r, c, block);
            }
        }
    }
}

static void sums_are_those_of_the_dense_matrix(void** state)
{
    (void)state;
    static double dense[SIZE * SIZE];
    FilBlockSum sum = {0};
    bool same = true;
    assert_true(fil_block_sum_adopt(&sum, COLUMNS, LISTS, END, VARIABLE, &same));
    assert_false(same);
    fill(&sum, dense, 1);
    const FilBlockPattern pattern = fil_block_sum_pattern(&sum);
    double x[SIZE], y[SIZE];
    for (int trial = 0; trial < SIZE; trial++) {
        memset(x, 0, sizeof x);
        x[trial] = 1.0;
        fil_block_multiply(&pattern, sum.values.at, x, y);
        for (int i = 0; i < SIZE; i++) {
            assert_true(fabs(y[i] - dense[SIZE * trial + i]) < 1e-14);
        }
    }
    fil_block_sum_free(&sum);
}

static void lists_are_recognised(void** state)
{
    (void)state;
    FilBlockSum sum = {0};
    int changed[sizeof VARIABLE / sizeof *VARIABLE];
    bool same;
    memcpy(changed, VARIABLE, sizeof changed);
    changed[3] = 7;
    assert_true(fil_block_sum_adopt(&sum, COLUMNS, LISTS, END, VARIABLE, &same));
    assert_true(fil_block_sum_adopt(&sum, COLUMNS, LISTS, END, VARIABLE, &same) && same);
    assert_true(fil_block_sum_adopt(&sum, COLUMNS, LISTS, END, changed, &same) && !same);
    assert_true(fil_block_sum_adopt(&sum, COLUMNS + 1, LISTS, END, changed, &same) && !same);
    assert_true(fil_block_sum_adopt(&sum, COLUMNS, 0, END, changed, &same) && !same);
    assert_int_equal(fil_block_sum_pattern(&sum).start[COLUMNS], 0);
    fil_block_sum_free(&sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_dense_matrix),
        cmocka_unit_test(lists_are_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
