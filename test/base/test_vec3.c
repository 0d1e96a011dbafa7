/* Small vectors and rotations against what defines them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "random.h"

/* a dozen roundings of numbers of order one */
static const double rounding = 1e-14;

static void near(const double* a, const double* b, int count, double tolerance)
{
    for (int k = 0; k < count; ++k) {
        if (!(fabs(a[k] - b[k]) <= tolerance)) {
            print_error("[%d] is %.17g, not %.17g\n", k, a[k], b[k]);
            fail();
        }
    }
}

static void random_vector(Random* random, double* out)
{
    for (int k = 0; k < 3; ++k) {
        out[k] = random_between(random, -1.0, 1.0);
    }
}

static void random_unit(Random* random, double* out)
{
    do {
        random_vector(random, out);
    } while (fil_v3_norm(out) < 0.1);
    fil_v3_normalise(out);
}

static void products(void** state)
{
    (void)state;
    Random random = {1};
    for (int round = 0; round < 100; ++round) {
        double a[3], b[3], c[3], sum[3];
        random_vector(&random, a);
        random_vector(&random, b);
        fil_v3_cross(c, a, b);
        assert_true(fabs(fil_v3_dot(a, c)) < rounding && fabs(fil_v3_dot(b, c)) < rounding);
        /* Lagrange: |a x b|^2 = |a|^2 |b|^2 - (a.b)^2 */
        const double ab = fil_v3_dot(a, b);
        assert_true(fabs(fil_v3_dot(c, c) - (fil_v3_dot(a, a) * fil_v3_dot(b, b) - ab * ab)) < rounding);
        fil_v3_add(sum, a, b);
        fil_v3_axpy(sum, -1.0, b);
        near(sum, a, 3, rounding);
        assert_true(fabs(fil_v3_distance(a, b) - fil_v3_distance(b, a)) == 0.0);
    }
    const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0}, z[3] = {0.0, 0.0, 1.0};
    double c[3];
    fil_v3_cross(c, x, y); /* right-handed */
    near(c, z, 3, 0.0);
}

static void normalising(void** state)
{
    (void)state;
    double a[3] = {3.0, 0.0, 4.0}, zero[3] = {0.0, 0.0, 0.0};
    assert_true(fil_v3_normalise(a) == 5.0);
    near(a, (double[]){0.6, 0.0, 0.8}, 3, rounding);
    assert_true(fil_v3_normalise(zero) == 0.0);
    near(zero, (double[]){0.0, 0.0, 0.0}, 3, 0.0);
}

static void orthogonal_is_orthogonal(void** state)
{
    (void)state;
    Random random = {2};
    for (int round = 0; round < 200; ++round) {
        double t[3] = {0.0, 0.0, 0.0}, n[3];
        if (round < 6) {
            t[round / 2] = round % 2 == 0 ? 1.0 : -1.0;
        } else {
            random_unit(&random, t);
        }
        fil_v3_orthogonal(n, t);
        assert_true(fabs(fil_v3_norm(n) - 1.0) < rounding);
        assert_true(fabs(fil_v3_dot(n, t)) < rounding);
    }
}

/* the shortest rotation, by Rodrigues' formula about t0 x t1 */
static void transport_is_the_shortest_rotation(void** state)
{
    (void)state;
    Random random = {3};
    for (int round = 0; round < 200; ++round) {
        double t0[3], t1[3], m[3], axis[3], rotation[9], wanted[3], got[3];
        random_unit(&random, t0);
        random_unit(&random, t1);
        if (fil_v3_dot(t0, t1) < -0.99) {
            continue;
        }
        fil_v3_orthogonal(m, t0);
        fil_v3_cross(axis, t0, t1);
        const double sine = fil_v3_normalise(axis), angle = atan2(sine, fil_v3_dot(t0, t1));
        fil_v3_scale(axis, angle, axis);
        fil_m3_from_rotation_vector(rotation, axis);
        fil_m3_apply(wanted, rotation, m);
        fil_v3_transport(got, m, t0, t1);
        /* division by 1 + t0.t1, here at least 0.01, costs up to two digits */
        near(got, wanted, 3, 1e2 * rounding);
        /* there and back; in place */
        fil_v3_transport(got, got, t1, t0);
        near(got, m, 3, 1e2 * rounding);
    }
    double m[3] = {0.0, 1.0, 0.0};
    const double x[3] = {1.0, 0.0, 0.0};
    fil_v3_transport(m, m, x, x);
    near(m, (double[]){0.0, 1.0, 0.0}, 3, 0.0);
}

static void rotation_matrix_is_one(const double* r)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            assert_true(fabs(fil_v3_dot(r + 3 * i, r + 3 * j) - (i == j ? 1.0 : 0.0)) < rounding);
        }
    }
    double c[3];
    fil_v3_cross(c, r, r + 3);
    near(c, r + 6, 3, rounding);
}

static void rotation_vectors(void** state)
{
    (void)state;
    Random random = {4};
    /* from nothing to several turns, and on both sides of where the series takes over */
    static const double sizes[] = {0.0, 1e-12, 9e-5, 1.1e-4, 1e-3, 0.5, 3.0, 3.2, 20.0};
    for (int s = 0; s < 9; ++s) {
        for (int round = 0; round < 20; ++round) {
            double w[3], axis[3], r[9], moved[3], twice[3], half[3], r_half[9];
            random_unit(&random, axis);
            fil_v3_scale(w, sizes[s], axis);
            fil_m3_from_rotation_vector(r, w);
            rotation_matrix_is_one(r);
            fil_m3_apply(moved, r, axis); /* the axis stays */
            near(moved, axis, 3, rounding);
            /* a vector across turns by the angle */
            double n[3], b[3], expected[3] = {0.0, 0.0, 0.0};
            fil_v3_orthogonal(n, axis);
            fil_v3_cross(b, axis, n);
            fil_v3_axpy(expected, cos(sizes[s]), n);
            fil_v3_axpy(expected, sin(sizes[s]), b);
            fil_m3_apply(moved, r, n);
            near(moved, expected, 3, rounding);
            /* two halves make a whole */
            fil_v3_scale(half, 0.5, w);
            fil_m3_from_rotation_vector(r_half, half);
            fil_m3_apply(twice, r_half, n);
            fil_m3_apply(moved, r_half, twice);
            near(moved, expected, 3, rounding);
            /* the transpose turns back */
            fil_m3_apply_transposed(moved, r, expected);
            near(moved, n, 3, rounding);
        }
    }
}

static void quaternions(void** state)
{
    (void)state;
    Random random = {5};
    for (int round = 0; round < 50; ++round) {
        double axis[3], w[3], r[9], from_quat[9];
        random_unit(&random, axis);
        const double angle = random_between(&random, -3.0, 3.0), s = sin(0.5 * angle);
        fil_v3_scale(w, angle, axis);
        fil_m3_from_rotation_vector(r, w);
        fil_m3_from_quat(from_quat, (FilQuat){s * axis[0], s * axis[1], s * axis[2], cos(0.5 * angle)});
        near(from_quat, r, 9, rounding);
        /* and back, to one of the two quaternions of the same rotation */
        fil_m3_from_quat(from_quat, fil_quat_from_m3(r));
        near(from_quat, r, 9, rounding);
    }
}

static void inverses(void** state)
{
    (void)state;
    Random random = {5};
    for (int round = 0; round < 100; ++round) {
        double m[9], inverse[9] = {0.0}, product[9];
        for (int k = 0; k < 9; ++k) {
            m[k] = random_between(&random, -1.0, 1.0) + (k % 4 == 0 ? 4.0 : 0.0); /* diagonally dominant */
        }
        assert_true(fil_m3_invert(inverse, m));
        for (int k = 0; k < 9; ++k) {
            product[k] = m[3 * (k / 3)] * inverse[k % 3] + m[3 * (k / 3) + 1] * inverse[3 + k % 3] + m[3 * (k / 3) + 2] * inverse[6 + k % 3];
        }
        const double one[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        near(product, one, 9, rounding);
    }
    const double singular[9] = {1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 0.0, 1.0}, zero[9] = {0.0};
    double out[9] = {7.0};
    assert_false(fil_m3_invert(out, singular));
    assert_false(fil_m3_invert(out, zero));
    assert_true(out[0] == 7.0);
}

static void finiteness(void** state)
{
    (void)state;
    double a[4] = {0.0, -1e300, 1e-300, 5.0};
    assert_true(fil_all_finite(a, 4));
    assert_true(fil_all_finite(a, 0));
    for (int k = 0; k < 4; ++k) {
        const double kept = a[k];
        a[k] = NAN;
        assert_false(fil_all_finite(a, 4));
        assert_true(fil_all_finite(a, k));
        a[k] = -INFINITY;
        assert_false(fil_all_finite(a, 4));
        a[k] = kept;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(normalising),
        cmocka_unit_test(orthogonal_is_orthogonal),
        cmocka_unit_test(transport_is_the_shortest_rotation),
        cmocka_unit_test(rotation_vectors),
        cmocka_unit_test(quaternions),
        cmocka_unit_test(inverses),
        cmocka_unit_test(finiteness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
