/* Standard errors of fits whose weights are estimates themselves, against what many draws do: the mean of two columns whose deviations are not known.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "fit/errors.h"
#include "random.h"

enum { NUMBERS = 40, DRAWS = 200000 };

/* Box and Muller */
static double normal(Random* random)
{
    return sqrt(-2.0 * log(random_between(random, 1e-300, 1.0))) * cos(2.0 * FIL_PI * random_between(random, 0.0, 1.0));
}

typedef struct Fitted {
    double mean, plain, corrected; /* its variances */
} Fitted;

/* The weighted mean of two columns, whose weights follow from their own residuals in turn. */
static Fitted fit(double columns[2][NUMBERS])
{
    double deviations[2] = {1.0, 1.0};
    Fitted fitted = {0};
    FilFitInformation information = {.key_count = 1, .column_count = 2, .counts = {NUMBERS, NUMBERS}};
    for (int round = 0; round < 8; round++) {
        double weighted = 0.0, sum = 0.0;
        for (int c = 0; c < 2; c++) {
            information.squares[c][0] = NUMBERS / (deviations[c] * deviations[c]);
            sum += information.squares[c][0];
            for (int k = 0; k < NUMBERS; k++) {
                weighted += columns[c][k] / (deviations[c] * deviations[c]);
            }
        }
        fitted.mean = weighted / sum;
        fitted.plain = 1.0 / sum;
        fil_fit_correct(&information, &fitted.plain, &fitted.corrected);
        for (int c = 0; c < 2; c++) {
            double squares = 0.0;
            for (int k = 0; k < NUMBERS; k++) {
                squares += pow(columns[c][k] - fitted.mean, 2);
            }
            deviations[c] = sqrt(squares / fil_fit_freedom(&information, &fitted.plain, c));
        }
    }
    return fitted;
}

/* With 40 numbers each, weights that are estimates make the variance of the mean 2.5 % larger, and the plain formula says as much too little: the
 * corrected one is right to the second order, some 4/40^2, and to the 0.3 % of the draws. */
static void corrected_variance_is_that_of_draws(void** state)
{
    (void)state;
    static const double deviations[][2] = {{1.0, 1.0}, {1.0, 2.0}};
    for (int set = 0; set < 2; set++) {
        Random random = {11};
        double spread = 0.0, plain = 0.0, corrected = 0.0;
        for (int draw = 0; draw < DRAWS; draw++) {
            double columns[2][NUMBERS];
            for (int k = 0; k < 2 * NUMBERS; k++) {
                columns[k / NUMBERS][k % NUMBERS] = deviations[set][k / NUMBERS] * normal(&random);
            }
            const Fitted fitted = fit(columns);
            spread += fitted.mean * fitted.mean;
            plain += fitted.plain;
            corrected += fitted.corrected;
        }
        print_message("plain %.4f, corrected %.4f of the draws' variance\n", plain / spread, corrected / spread);
        assert_true(fabs(corrected / spread - 1.0) < 0.01);
        assert_true(plain / spread < 0.98);
    }
}

/* Where a key is seen by one column alone, that column's variance is its residuals' over n - 1; and the other's over n. */
static void freedom_is_taken_where_keys_are_seen(void** state)
{
    (void)state;
    const FilFitInformation information = {.key_count = 2, .column_count = 2, .counts = {10, 7}, .squares = {{4.0, 0.0, 0.0, 9.0}, {0.0}}};
    const double covariance[4] = {0.25, 0.0, 0.0, 1.0 / 9.0};
    double corrected[4];
    assert_true(fabs(fil_fit_freedom(&information, covariance, 0) - 8.0) < 1e-12);
    assert_true(fabs(fil_fit_freedom(&information, covariance, 1) - 7.0) < 1e-12);
    fil_fit_correct(&information, covariance, corrected);
    for (int k = 0; k < 4; k++) {
        assert_true(fabs(corrected[k] - covariance[k]) < 1e-15);  // the other's weight changes nothing
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrected_variance_is_that_of_draws),
        cmocka_unit_test(freedom_is_taken_where_keys_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
