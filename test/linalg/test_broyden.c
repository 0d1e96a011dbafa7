/* Broyden's updates: they solve linear systems within their steps, and a nonlinear one faster than old factors alone.
 */
#include "linalg/broyden.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 40 };

/* x + share * (neighbours' squares and a mixing that is not symmetric) - 1: the identity stands for its tangent. */
static void residual(const double* x, double share, double* f)
{
    for (int i = 0; i < N; i++) {
        const double left = i > 0 ? x[i - 1] : 0.0, right = i + 1 < N ? x[i + 1] : 0.0;
        f[i] = x[i] + share * (left * left - 0.5 * right + (i % 3) * x[i]) - 1.0;
    }
}

static double size_of(const double* f)
{
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        sum += f[i] * f[i];
    }
    return sqrt(sum);
}

/* Iterations until the residual has fallen to 1e-10 of the first. */
static int iterate(FilBroyden* broyden, double share, bool mended)
{
    double x[N] = {0.0}, f[N];
    assert_true(fil_broyden_begin(broyden, N));
    for (int i = 0; i < N; i++) {
        broyden->metric.at[i] = 1.0 + i % 4;
    }
    residual(x, share, f);
    const double first = size_of(f);
    int count = 0;
    for (; size_of(f) > 1e-10 * first && count < 1000; count++) {
        double step[N];
        memcpy(step, f, sizeof step);  // the old factors are the identity
        if (count == 0 || fil_broyden_full(broyden)) {
            fil_broyden_start(broyden, step);
        } else if (mended) {
            fil_broyden_correct(broyden, step);
        }
        for (int i = 0; i < N; i++) {
            x[i] -= step[i];
        }
        residual(x, share, f);
    }
    return count;
}

static void updates_speed_it_up(void** state)
{
    (void)state;
    FilBroyden broyden = {0};
    for (double share = 0.05; share < 0.21; share += 0.05) {
        const int plain = iterate(&broyden, share, false), mended = iterate(&broyden, share, true);
        assert_true(mended < 1000 && mended < plain);
    }
    // slow ones profit most: by a third
    assert_true(3 * iterate(&broyden, 0.2, true) < 2 * iterate(&broyden, 0.2, false));
    fil_broyden_free(&broyden);
}

/* One number: the secant method. */
static void one_number_is_a_secant(void** state)
{
    (void)state;
    FilBroyden broyden = {0};
    double x = 1.0, f = x * x - 3.0, old_x, old_f, step = f / 4.0;
    assert_true(fil_broyden_begin(&broyden, 1));
    broyden.metric.at[0] = 2.0;
    fil_broyden_start(&broyden, &step);
    for (int k = 0; k < 4; k++) {
        old_x = x;
        old_f = f;
        x -= step;
        f = x * x - 3.0;
        const double secant = f * (x - old_x) / (f - old_f);
        step = f / 4.0;
        fil_broyden_correct(&broyden, &step);
        assert_true(fabs(step - secant) <= 1e-9 * fabs(secant) + 1e-14);
    }
    fil_broyden_free(&broyden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(updates_speed_it_up), cmocka_unit_test(one_number_is_a_secant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
