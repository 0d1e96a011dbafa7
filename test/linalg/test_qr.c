/* Small dense QR: R' R = A' A, with and without pivots. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/qr.h"
#include "support/random.h"

enum { MAX = 40 };

/* Rounding of a few hundred operations on numbers of about 1. */
#define ROUNDING 1e-12

static const int sizes[][2] = {{1, 1}, {1, 5}, {5, 1}, {3, 3}, {17, 9}, {9, 17}, {MAX, MAX}, {MAX, 30}};

static double product(const double* a, int rows, int i, int j)
{
    double sum = 0.0;
    for (int k = 0; k < rows; k++) {
        sum += a[i * rows + k] * a[j * rows + k];
    }
    return sum;
}

/* The upper triangle alone: what is below is not part of R. */
static void clear_below(double* r, int rows, int columns)
{
    for (int j = 0; j < columns; j++) {
        for (int i = j + 1; i < rows; i++) {
            r[j * rows + i] = 0.0;
        }
    }
}

static void fill(Random* random, double* a, int count)
{
    for (int k = 0; k < count; k++) {
        a[k] = random_between(random, -1.0, 1.0);
    }
}

static void test_factor(void** state)
{
    (void)state;
    Random random = {1};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const int rows = sizes[s][0], columns = sizes[s][1];
        double a[MAX * MAX], r[MAX * MAX];
        fill(&random, a, rows * columns);
        memcpy(r, a, sizeof a);
        fil_qr_factor(r, rows, columns);
        clear_below(r, rows, columns);
        for (int k = 0; k < columns * columns; k++) {
            const int i = k / columns, j = k % columns;
            assert_true(fabs(product(r, rows, i, j) - product(a, rows, i, j)) < ROUNDING);
        }
    }
}

static void test_pivots(void** state)
{
    (void)state;
    Random random = {2};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const int rows = sizes[s][0], columns = sizes[s][1];
        double a[MAX * MAX], r[MAX * MAX], norms[2 * MAX];
        int pivot[MAX], seen[MAX] = {0};
        fill(&random, a, rows * columns);
        memcpy(r, a, sizeof a);
        fil_qr_factor_pivoted(r, rows, columns, pivot, norms);
        clear_below(r, rows, columns);
        for (int k = 0; k < columns; k++) {
            assert_in_range(pivot[k], 0, columns - 1);
            assert_int_equal(seen[pivot[k]]++, 0);
        }
        for (int k = 0; k < columns * columns; k++) {
            const int i = k / columns, j = k % columns;
            assert_true(fabs(product(r, rows, i, j) - product(a, rows, pivot[i], pivot[j])) < ROUNDING);
        }
        for (int k = 1; k < rows && k < columns; k++) {
            assert_true(fabs(r[k * rows + k]) <= fabs(r[(k - 1) * rows + k - 1]) + ROUNDING);
        }
    }
}

/* Columns that are sums of `rank` others, of very different lengths: the diagonal says how many there are. */
static void test_rank(void** state)
{
    (void)state;
    Random random = {3};
    for (int rank = 0; rank <= 12; rank++) {
        enum { ROWS = 30, COLUMNS = 25 };
        double base[ROWS * 12], a[ROWS * COLUMNS] = {0.0}, norms[2 * COLUMNS];
        int pivot[COLUMNS], found = 0;
        fill(&random, base, ROWS * rank);
        for (int j = 0; j < COLUMNS; j++) {
            const double length = pow(10.0, random_between(&random, -2.0, 2.0));
            for (int k = 0; k < rank; k++) {
                const double weight = length * random_between(&random, -1.0, 1.0);
                for (int i = 0; i < ROWS; i++) {
                    a[j * ROWS + i] += weight * base[k * ROWS + i];
                }
            }
        }
        fil_qr_factor_pivoted(a, ROWS, COLUMNS, pivot, norms);
        while (found < COLUMNS && fabs(a[found * (ROWS + 1)]) > 1e-10 * fabs(a[0])) {
            found++;
        }
        assert_int_equal(found, rank);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factor),
        cmocka_unit_test(test_pivots),
        cmocka_unit_test(test_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
