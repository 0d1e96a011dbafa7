/* The dense strip kernels against their definition, and every level of them against the plainest, bit by bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/strips.h"
#include "random.h"

/* more rows than are packed at a time (32), more columns than are summed at a time (64) */
enum { ROWS = 45, COLUMNS = 150, STRIDE = 4 * COLUMNS, LEVELS = FIL_STRIP_LEVELS };

static double a[ROWS * STRIDE], start[16 * ROWS * ROWS], c[LEVELS][16 * ROWS * ROWS];

static void fill(void)
{
    Random random = {1};
    for (size_t k = 0; k < sizeof a / sizeof *a; k++) {
        a[k] = random_between(&random, -1.0, 1.0);
    }
    for (size_t k = 0; k < sizeof start / sizeof *start; k++) {
        start[k] = random_between(&random, -1.0, 1.0);
    }
}

/* Tile (i, j) of C in either layout */
static const double* tile_of(const double* matrix, size_t stride, int i, int j)
{
    return matrix + (stride > 0 ? (size_t)i * stride : (size_t)(8 * i * (i + 1))) + 16 * (size_t)j;
}

/* Sums of at most 150 products below one: rounding stays below 150 * 150 * 1.1e-16 = 2.5e-12, and is 1e-14 in truth. */
static void check_products(const double* result, size_t stride, int rows, int columns, int k)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns && j <= i; j++) {
            for (int e = 0; e < 16; e++) {
                double sum = tile_of(start, stride, i, j)[e];
                for (int p = 0; p < k; p++) {
                    sum -= a[i * STRIDE + 4 * p + e % 4] * a[j * STRIDE + 4 * p + e / 4];
                }
                assert_true(fabs(tile_of(result, stride, i, j)[e] - sum) <= 1e-13);
            }
        }
    }
}

static void subtract(void** state)
{
    (void)state;
    fill();
    const int shapes[][3] = {{1, 1, 1}, {2, 1, 4}, {5, 5, 3}, {21, 3, 16}, {45, 45, 150}, {20, 20, 31}, {7, 7, 0}, {0, 0, 5}};
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        for (int tight = 0; tight < 2; tight++) {
            const size_t stride = tight ? 0 : 16 * ROWS;
            for (int level = 0; level < LEVELS; level++) {
                const FilStripKernels* kernels = fil_strip_kernels_at(level);
                memcpy(c[level], start, sizeof start);
                if (kernels != NULL) {
                    kernels->subtract(c[level], stride, a, STRIDE, 0, shapes[n][0], shapes[n][1], shapes[n][2]);
                    assert_memory_equal(c[level], c[0], sizeof start);
                }
            }
            check_products(c[0], stride, shapes[n][0], shapes[n][1], shapes[n][2]);
        }
    }
}

static void scale(void** state)
{
    (void)state;
    fill();
    double w[16];
    for (int e = 0; e < 16; e++) {
        w[e] = e % 4 >= e / 4 ? a[e] : 0.0;
    }
    for (int level = 0; level < LEVELS; level++) {
        const FilStripKernels* kernels = fil_strip_kernels_at(level);
        memcpy(c[level], start, sizeof start);
        if (kernels != NULL) {
            kernels->scale(c[level] + 16, 16 * ROWS, ROWS, w);
            assert_memory_equal(c[level], c[0], sizeof start);
        }
    }
    for (int i = 0; i < ROWS; i++) {
        for (int e = 0; e < 16; e++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++) {
                sum += start[16 * ROWS * i + 16 + 4 * k + e % 4] * w[4 * k + e / 4];
            }
            assert_true(fabs(c[0][16 * ROWS * i + 16 + e] - sum) <= 1e-15);
        }
    }
}

/* In single precision: sums of 150 products below one are off by less than 150 * 150 * 6e-8 = 1.3e-3, and by 2e-5 in truth. */
static void single(void** state)
{
    (void)state;
    static float f[ROWS * STRIDE], first[16 * ROWS * ROWS], s[LEVELS][16 * ROWS * ROWS];
    fill();
    for (size_t k = 0; k < sizeof f / sizeof *f; k++) {
        f[k] = (float)a[k];
        a[k] = (double)f[k];
    }
    for (size_t k = 0; k < sizeof first / sizeof *first; k++) {
        first[k] = (float)start[k];
    }
    for (int k = 0; k <= COLUMNS; k += 25) {
        for (int level = 0; level < LEVELS; level++) {
            const FilStripKernelsSingle* kernels = fil_strip_kernels_single_at(level);
            memcpy(s[level], first, sizeof first);
            if (kernels != NULL) {
                // in one piece, and as workers share it
                const int middle = 7 * level;
                kernels->subtract(s[level], 0, f, STRIDE, 0, middle, ROWS - 1, k);
                kernels->subtract(s[level], 0, f, STRIDE, middle, ROWS, ROWS - 1, k);
                kernels->scale(s[level] + 16, 16 * 3, ROWS, f);
                assert_memory_equal(s[level], s[0], sizeof first);
            }
        }
    }
    memcpy(s[0], first, sizeof first);
    fil_strip_kernels_single()->subtract(s[0], 16 * ROWS, f, STRIDE, 0, ROWS, ROWS, COLUMNS);
    for (int e = 0; e < 16; e++) {
        double sum = (double)first[16 * ROWS * 9 + 16 * 4 + e];
        for (int p = 0; p < COLUMNS; p++) {
            sum -= a[9 * STRIDE + 4 * p + e % 4] * a[4 * STRIDE + 4 * p + e / 4];
        }
        assert_true(fabs((double)s[0][16 * ROWS * 9 + 16 * 4 + e] - sum) <= 1e-4);
    }
}

static void levels(void** state)
{
    (void)state;
    assert_non_null(fil_strip_kernels());
    assert_non_null(fil_strip_kernels_at(0));
    assert_null(fil_strip_kernels_at(LEVELS));
    assert_non_null(fil_strip_kernels_single());
    assert_null(fil_strip_kernels_single_at(LEVELS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(subtract), cmocka_unit_test(scale), cmocka_unit_test(single), cmocka_unit_test(levels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
