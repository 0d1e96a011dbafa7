/* Physics checks must be able to fail: rows, limits, NaN, a check that measures nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench.h"
#include "validate/report.h"

static void test_near(void** state)
{
    (void)state;
    FilCheck check = {0};
    fil_check_near(&check, "inside", 1.009, 1.0, 0.01);
    assert_true(fil_check_passes(&check));
    fil_check_near(&check, "outside, of a negative number", -1.011, -1.0, 0.01);
    assert_true(fil_check_row_passes(&check.rows[0]));
    assert_false(fil_check_row_passes(&check.rows[1]));
    assert_false(fil_check_passes(&check));
    fil_check_free(&check);
}

static void test_limits(void** state)
{
    (void)state;
    FilCheck check = {0};
    fil_check_below(&check, "below", 1.0, 1.0);
    fil_check_above(&check, "above", 1.0, 1.0);
    assert_true(fil_check_passes(&check));
    fil_check_below(&check, "not below", 1.0 + 1e-15, 1.0);
    fil_check_above(&check, "not above", 1.0 - 1e-15, 1.0);
    assert_false(fil_check_row_passes(&check.rows[2]));
    assert_false(fil_check_row_passes(&check.rows[3]));
    fil_check_free(&check);
}

static void test_nan_never_passes(void** state)
{
    (void)state;
    FilCheck check = {0};
    fil_check_near(&check, "near", NAN, 1.0, 1e9);
    fil_check_below(&check, "below", NAN, INFINITY);
    fil_check_above(&check, "above", NAN, -INFINITY);
    fil_check_near(&check, "against NaN", 1.0, NAN, 1e9);
    for (int i = 0; i < check.count; ++i) {
        assert_false(fil_check_row_passes(&check.rows[i]));
    }
    fil_check_free(&check);
}

static void test_failure(void** state)
{
    (void)state;
    FilCheck check = {0};
    assert_false(fil_check_passes(&check));  // measured nothing
    fil_check_below(&check, "fine", 0.0, 1.0);
    fil_check_fail(&check, "step %d failed", 7);
    fil_check_fail(&check, "and later this");
    assert_false(fil_check_passes(&check));
    assert_string_equal(check.failure, "step 7 failed");
    fil_check_free(&check);
}

/* Figures are left where --out says, and nowhere without it. */
static void test_draw(void** state)
{
    (void)state;
    const double x[] = {0.0, 1.0}, y[] = {1.0, 2.0};
    const FilPlotSeries series = {.name = "line", .count = 2, .x = x, .y = y};
    const FilPlotDef plot = {.title = "t", .x_label = "x", .y_label = "y", .series_count = 1, .series = &series};
    char folder[] = "/tmp/filum_draw_XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    FilCheck check = {0};
    fil_check_draw(&check, &plot, "figure");
    assert_int_equal(rmdir(folder), 0);  // still empty
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(chdir(folder), 0);
    snprintf(check.folder, sizeof check.folder, "%s/out", folder);
    fil_check_draw(&check, &plot, "figure");
    assert_string_equal(check.failure, "");
    assert_int_equal(unlink("out/figure.svg"), 0);
    assert_int_equal(unlink("out/figure.csv"), 0);
    assert_int_equal(rmdir("out"), 0);
    assert_int_equal(rmdir(folder), 0);
    fil_check_free(&check);
}

static void test_step_count(void** state)
{
    (void)state;
    assert_int_equal(fil_run_step_count(1.0, 1e-3), 1000);
    assert_int_equal(fil_run_step_count(0.3, 0.1), 3);        // 0.3 / 0.1 is a little below 3 in binary
    assert_int_equal(fil_run_step_count(0.1 * 3.0, 0.1), 3);  // and this a little above
    assert_int_equal(fil_run_step_count(1.0, 0.3), 4);
    assert_int_equal(fil_run_step_count(0.0, 0.3), 0);
    assert_int_equal(fil_run_step_count(3600.0, 1e-5), 360000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near),    cmocka_unit_test(test_limits),     cmocka_unit_test(test_nan_never_passes),
        cmocka_unit_test(test_failure), cmocka_unit_test(test_step_count), cmocka_unit_test(test_draw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
