/* What a preconditioner has in the place of blocks that it leaves out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/block_weak.h"
#include "linalg/dense.h"
#include "random.h"

/* Three variables in a row, joined by two blocks, both weak. */
enum { VARIABLES = 3, BLOCKS = 5, N = 4 * VARIABLES };
static const int START[VARIABLES + 1] = {0, 2, 4, 5}, ROW[BLOCKS] = {0, 1, 1, 2, 2};
static const bool WEAK[BLOCKS] = {false, true, false, true, false};

/* P - A, by columns. */
static void multiply_units(const FilBlockWeak* weak, double* matrix)
{
    for (int c = 0; c < N; c++) {
        double x[N] = {0.0};
        float y[N];
        x[c] = 1.0;
        const double sum = fil_block_weak_multiply(weak, 0, weak->count, x, y);
        assert_int_equal(weak->count, VARIABLES);
        assert_true(sum == (double)y[c]);
        for (int r = 0; r < N; r++) {
            matrix[N * c + r] = (double)y[r];
        }
    }
}

/* P - A is symmetric and, however blocks are, not negative. */
static void never_costs_definiteness(void** state)
{
    (void)state;
    const FilBlockPattern a = {VARIABLES, START, ROW};
    FilBlockWeak weak = {0};
    Random random = {3};
    assert_true(fil_block_weak_find(&weak, &a, WEAK));
    for (int trial = 0; trial < 100; trial++) {
        double values[16 * BLOCKS], matrix[N * N];
        for (int k = 0; k < 16 * BLOCKS; k++) {
            values[k] = random_between(&random, -1.0, 1.0);
        }
        fil_block_weak_take(&weak, NULL, values);
        multiply_units(&weak, matrix);
        for (int r = 0; r < N; r++) {
            for (int c = 0; c < N; c++) {
                assert_true(fabs(matrix[N * c + r] - matrix[N * r + c]) < 1e-6);
            }
            // block 1 joins variables 0 and 1
            assert_true(r < 4 || r >= 8 || fabs(matrix[r] + values[16 + r - 4]) < 1e-6);
            matrix[(N + 1) * r] += 1e-6;  // single precision
        }
        assert_true(fil_dense_cholesky(N, matrix));
    }
    fil_block_weak_free(&weak);
}

/* Bending, k (1 - t t'): what moves both across the cord alike is not held. */
static void leaves_common_motion_alone(void** state)
{
    (void)state;
    const FilBlockPattern a = {VARIABLES, START, ROW};
    const double t[3] = {0.6, 0.0, 0.8}, across[2][3] = {{0.8, 0.0, -0.6}, {0.0, 1.0, 0.0}}, stiffness = 7.0;
    FilBlockWeak weak = {0};
    double values[16 * BLOCKS] = {0.0};
    for (int k = 0; k < 9; k++) {
        for (int block = 1; block < 4; block += 2) {
            values[16 * block + 4 * (k / 3) + k % 3] = stiffness * ((k / 3 == k % 3 ? 1.0 : 0.0) - t[k / 3] * t[k % 3]);
        }
    }
    assert_true(fil_block_weak_find(&weak, &a, WEAK));
    fil_block_weak_take(&weak, NULL, values);
    for (int direction = 0; direction < 3; direction++) {
        double x[N] = {0.0}, max = 0.0;
        float y[N];
        for (int k = 0; k < VARIABLES; k++) {
            memcpy(x + 4 * k, direction < 2 ? across[direction] : t, 3 * sizeof *x);
        }
        (void)fil_block_weak_multiply(&weak, 0, VARIABLES, x, y);
        for (int k = 0; k < N; k++) {
            max = fmax(max, fabs((double)y[k]));
        }
        assert_true(direction < 2 ? max < 1e-6 * stiffness : max > 0.1 * stiffness);  // along the cord the bound of the root is not sharp
    }
    fil_block_weak_free(&weak);
}

/* No flags: nothing is left out. */
static void has_none(void** state)
{
    (void)state;
    const FilBlockPattern a = {VARIABLES, START, ROW};
    FilBlockWeak weak = {0};
    assert_true(fil_block_weak_find(&weak, &a, NULL));
    assert_int_equal(weak.count, 0);
    for (int k = 0; k < VARIABLES; k++) {
        assert_int_equal(weak.place.at[k], -1);
    }
    fil_block_weak_free(&weak);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_costs_definiteness),
        cmocka_unit_test(leaves_common_motion_alone),
        cmocka_unit_test(has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
