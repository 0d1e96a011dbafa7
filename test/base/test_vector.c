/* Numbers side by side against numbers one by one, and the level that kernels are chosen by. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/vector.h"
#include "base/vector_math.h"
#include "random.h"

/* A product and a sum as vectors round them: once where they are fused. */
static double add_product(double c, double a, double b)
{
#if defined(FIL_VECTOR_NEON) || defined(FIL_VECTOR_FMA)
    return fma(a, b, c);
#else
    return c + a * b;
#endif
}

static float add_product_single(float c, float a, float b)
{
#if defined(FIL_VECTOR_NEON) || defined(FIL_VECTOR_FMA)
    return fmaf(a, b, c);
#else
    return c + a * b;
#endif
}

static void two_doubles(void** state)
{
    (void)state;
    Random random = {3};
    for (int n = 0; n < 1000; n++) {
        double v[6];
        for (int k = 0; k < 6; k++) {
            v[k] = random_between(&random, -1.0, 1.0);
        }
        const FilDouble2 a = fil_double2_load(v), b = fil_double2_load(v + 2), c = fil_double2_load(v + 4);
        const FilDouble2 results[] = {fil_double2_add_product(c, a, b), fil_double2_sub_product(c, a, b), fil_double2_add_first(c, a, b),
                                      fil_double2_add_second(c, a, b),  fil_double2_sub_first(c, a, b),   fil_double2_sub_second(c, a, b),
                                      fil_double2_firsts(a, b),         fil_double2_seconds(a, b),        fil_double2_all(v[0])};
        for (int k = 0; k < 2; k++) {
            const double expected[] = {add_product(v[4 + k], v[k], v[2 + k]),
                                       add_product(v[4 + k], -v[k], v[2 + k]),
                                       add_product(v[4 + k], v[k], v[2]),
                                       add_product(v[4 + k], v[k], v[3]),
                                       add_product(v[4 + k], -v[k], v[2]),
                                       add_product(v[4 + k], -v[k], v[3]),
                                       v[2 * k],
                                       v[2 * k + 1],
                                       v[0]};
            for (size_t m = 0; m < sizeof expected / sizeof *expected; m++) {
                assert_true(results[m][k] == expected[m]);
            }
        }
        assert_true(fil_double2_sum(a) == v[0] + v[1]);
    }
}

static void four_floats(void** state)
{
    (void)state;
    Random random = {4};
    for (int n = 0; n < 1000; n++) {
        float v[12];
        double d[16];
        for (int k = 0; k < 12; k++) {
            v[k] = (float)random_between(&random, -1.0, 1.0);
        }
        for (int k = 0; k < 16; k++) {
            d[k] = random_between(&random, -1.0, 1.0);
        }
        const FilFloat4 a = fil_float4_load(v), b = fil_float4_load(v + 4), c = fil_float4_load(v + 8);
        const FilFloat4 added = fil_float4_add_product(c, a, b), subtracted = fil_float4_sub_product(c, a, b);
        const FilFloat4 lanes[2][4] = {
            {fil_float4_add_lane(c, a, b, 0), fil_float4_add_lane(c, a, b, 1), fil_float4_add_lane(c, a, b, 2), fil_float4_add_lane(c, a, b, 3)},
            {fil_float4_sub_lane(c, a, b, 0), fil_float4_sub_lane(c, a, b, 1), fil_float4_sub_lane(c, a, b, 2), fil_float4_sub_lane(c, a, b, 3)}};
        const FilFloat4 rounded[2] = {fil_float4_round(d, 1), fil_float4_round(d, 4)};
        for (int k = 0; k < 4; k++) {
            assert_true(added[k] == add_product_single(v[8 + k], v[k], v[4 + k]));
            assert_true(subtracted[k] == add_product_single(v[8 + k], -v[k], v[4 + k]));
            for (int lane = 0; lane < 4; lane++) {
                assert_true(lanes[0][lane][k] == add_product_single(v[8 + k], v[k], v[4 + lane]));
                assert_true(lanes[1][lane][k] == add_product_single(v[8 + k], -v[k], v[4 + lane]));
            }
            assert_true(rounded[0][k] == (float)d[k] && rounded[1][k] == (float)d[4 * k]);
        }
        const FilFloat4 sums = fil_float4_sums(a, b, c, added);
        const float expected[] = {fil_float4_sum(a), fil_float4_sum(b), fil_float4_sum(c), fil_float4_sum(added)};
        for (int k = 0; k < 4; k++) {
            assert_true(sums[k] == expected[k]);
        }
        assert_true(fil_float4_sum(a) == (v[0] + v[1]) + (v[2] + v[3]));
        const FilFloat4 flushed = fil_float4_flush((FilFloat4){v[0], 0.5F, -0.5F, NAN}, 0.5F);
        assert_true(flushed[0] == (fabsf(v[0]) < 0.5F ? 0.0F : v[0]) && flushed[1] == 0.5F && flushed[2] == -0.5F && isnan(flushed[3]));
    }
}

static void four_doubles(void** state)
{
    (void)state;
    Random random = {5};
    for (int n = 0; n < 1000; n++) {
        double v[8];
        for (int k = 0; k < 8; k++) {
            v[k] = random_between(&random, -1.0, 1.0);
        }
        const int at[] = {3, 0, 2, 1};
        const FilDouble4 a = fil_double4_load(v), b = fil_double4_of(v[4], v[5], v[6], v[7]);
        const FilDouble4 gathered = fil_double4_gather(v, at, 2), lower = fil_double4_min(a, b), size = fil_double4_abs(a);
        const FilDouble4 root = fil_double4_sqrt(size), turned = fil_double4_with_sign(size, b), chosen = fil_double4_choose_below(a, b, b, a);
        for (int k = 0; k < FIL_DOUBLE4_COUNT; k++) {
            assert_true(fil_double4_get(&gathered, k) == v[2 * at[k]]);
            assert_true(fil_double4_get(&lower, k) == fmin(v[k], v[4 + k]));
            assert_true(fil_double4_get(&chosen, k) == fmax(v[k], v[4 + k]));
            assert_true(fil_double4_get(&size, k) == fabs(v[k]));
            assert_true(fil_double4_get(&root, k) == sqrt(fabs(v[k])));
            assert_true(fil_double4_get(&turned, k) == copysign(v[k], v[4 + k]));
        }
    }
}

/* Within the errors that the functions' comments name, and the last bit of the C library's own. */
static void functions(void** state)
{
    (void)state;
    Random random = {6};
    for (int n = 0; n < 10000; n++) {
        const double x = random_between(&random, 0.0, 700.0), u = random_between(&random, 0.0, 1.0), w = random_between(&random, 0.0, 1.0);
        const FilDouble4Exp e = fil_double4_exp(fil_double4_all(x));
        const double grown = fil_double4_get(&e.sum, 0) * fil_double4_get(&e.power, 0);
        const double fallen = fil_double4_get(&e.difference, 0) * fil_double4_get(&e.inverse, 0);
        assert_true(fabs(grown / exp(x) - 1.0) <= 8e-16 && fabs(fallen / exp(-x) - 1.0) <= 8e-16);
        const FilDouble4 log_ratio = fil_double4_log_ratio(fil_double4_all(u), fil_double4_all(w), fil_double4_all(1.0));
        assert_true(fabs(fil_double4_get(&log_ratio, 0) - (log1p(u) - log1p(w))) <= 1e-15);
    }
}

/* This program's environment asks for the plain level before anything looks for it. */
static void level(void** state)
{
    (void)state;
    assert_int_equal(fil_vector_level(), FIL_VECTOR_128);
}

int main(void)
{
    setenv("FILUM_VECTORS", "plain", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_doubles), cmocka_unit_test(four_floats), cmocka_unit_test(four_doubles),
        cmocka_unit_test(functions),   cmocka_unit_test(level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
