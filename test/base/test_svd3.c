/* Singular values, polar rotations and eigenvalues of 3 x 3 matrices, singular and inverted ones too. */
#include "base/svd3.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random_matrix.h"

/* some ten roundings of numbers near 1 */
static const double ROUNDING = 4e-15;

static void assert_rotation(const double* r)
{
    double gram[9];
    fil_m3_multiply_left_transposed(gram, r, r);
    for (int k = 0; k < 9; k++) {
        assert_true(fabs(gram[k] - (k % 4 == 0 ? 1.0 : 0.0)) < ROUNDING);
    }
    assert_true(fabs(fil_m3_det(r) - 1.0) < ROUNDING);
}

/* f within `scale` times rounding of U diag(s) V', s in order, the sign in the last */
static void check_svd(const double* f, double scale)
{
    double u[9], s[3], v[9], us[9], back[9];
    fil_svd3(f, u, s, v);
    assert_rotation(u);
    assert_rotation(v);
    assert_true(s[0] >= s[1] && s[1] >= fabs(s[2]) * (1.0 - ROUNDING));
    for (int k = 0; k < 9; k++) {
        us[k] = u[k] * s[k % 3];
    }
    fil_m3_multiply_right_transposed(back, us, v);
    for (int k = 0; k < 9; k++) {
        assert_true(fabs(back[k] - f[k]) <= ROUNDING * scale);
    }
}

static void test_svd_of_any_matrix(void** state)
{
    (void)state;
    Random random = {1};
    for (int round = 0; round < 20000; round++) {
        double f[9];
        random_matrix(&random, round % MATRIX_KINDS, f);
        check_svd(f, 5.0);  // singular values up to exp(1.2)
    }
}

static void test_svd_of_extreme_matrices(void** state)
{
    (void)state;
    Random random = {2};
    const double zero[9] = {0.0}, line[9] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0};
    const double mirror[9] = {-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0};
    check_svd(zero, 1.0);
    check_svd(line, 3.0);
    check_svd(mirror, 1.0);
    for (int exponent = -1000; exponent <= 1000; exponent += 250) {
        double f[9];
        random_matrix(&random, MATRIX_LARGE, f);
        for (int k = 0; k < 9; k++) {
            f[k] = ldexp(f[k], exponent);
        }
        check_svd(f, ldexp(5.0, exponent));
    }
    // graded columns: the small singular values keep their digits
    const double graded[9] = {1.0, 1e-8, 1e-16, 0.5, -1e-8, 2e-16, 0.25, 1e-8, -1e-16};
    double u[9], s[3], v[9];
    fil_svd3(graded, u, s, v);
    assert_true(fabs(s[0] * s[1] * s[2] / fil_m3_det(graded) - 1.0) < 1e-14);
}

static void test_sign_is_that_of_the_determinant(void** state)
{
    (void)state;
    Random random = {3};
    for (int round = 0; round < 1000; round++) {
        double f[9], u[9], s[3], v[9];
        random_matrix(&random, round % 2 == 0 ? MATRIX_LARGE : MATRIX_INVERTED, f);
        fil_svd3(f, u, s, v);
        assert_true((s[2] > 0.0) == (fil_m3_det(f) > 0.0));
    }
}

/* R is a rotation and R'F symmetric with the trace s1 + s2 + s3; where R is well-conditioned it is U V' */
static void test_polar_rotation(void** state)
{
    (void)state;
    Random random = {4};
    for (int round = 0; round < 20000; round++) {
        double f[9], r[9], s[9], u[9], sizes[3], v[9], uv[9];
        random_matrix(&random, round % MATRIX_KINDS, f);
        fil_polar3(f, r);
        assert_rotation(r);
        fil_m3_multiply_left_transposed(s, r, f);
        fil_svd3(f, u, sizes, v);
        assert_true(fabs(s[0] + s[4] + s[8] - sizes[0] - sizes[1] - sizes[2]) < 1e-13);
        assert_true(fabs(s[1] - s[3]) + fabs(s[2] - s[6]) + fabs(s[5] - s[7]) < 1e-13);
        if (sizes[1] + sizes[2] > 0.1) {
            fil_m3_multiply_right_transposed(uv, u, v);
            for (int k = 0; k < 9; k++) {
                assert_true(fabs(uv[k] - r[k]) < 1e-13);  // rounding over 0.1
            }
        }
    }
}

static void test_polar_rotation_of_a_rotation(void** state)
{
    (void)state;
    Random random = {5};
    for (int round = 0; round < 1000; round++) {
        double f[9], r[9];
        random_rotation(&random, f);
        fil_polar3(f, r);
        for (int k = 0; k < 9; k++) {
            assert_true(fabs(f[k] - r[k]) < 1e-15);
        }
    }
}

static void test_eigenvalues(void** state)
{
    (void)state;
    Random random = {6};
    static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    for (int round = 0; round < 10000; round++) {
        double a[6], values[3], q[9];
        for (int k = 0; k < 6; k++) {
            a[k] = round % 3 == 0 && k > 3 ? 0.0 : random_between(&random, -1.0, 1.0);
        }
        fil_eigen3(a, values, q);
        assert_rotation(q);
        assert_true(values[0] >= values[1] && values[1] >= values[2]);
        for (int k = 0; k < 6; k++) {
            double back = 0.0;
            for (int e = 0; e < 3; e++) {
                back += values[e] * q[3 * rows[k] + e] * q[3 * columns[k] + e];
            }
            assert_true(fabs(back - a[k]) < ROUNDING);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_svd_of_any_matrix),
        cmocka_unit_test(test_svd_of_extreme_matrices),
        cmocka_unit_test(test_sign_is_that_of_the_determinant),
        cmocka_unit_test(test_polar_rotation),
        cmocka_unit_test(test_polar_rotation_of_a_rotation),
        cmocka_unit_test(test_eigenvalues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
