/* Line charts: what is in the files, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "plot.h"
#include "text_file.h"

static char text[100000];

static const char* read_all(const char* path)
{
    read_text(path, text, sizeof text);
    return text;
}

static void charts_hold_their_series(void** state)
{
    (void)state;
    char path[] = "/tmp/filum_plot_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    const double x[] = {1.0, 2.0, 3.0, 4.0}, y[] = {0.01, NAN, 1.0, 10.0}, falling[] = {3.0, 2.0, -1.0, 0.5};
    const FilPlotSeries series[] = {{"rising", 4, x, y, false}, {"a < b & c", 4, x, falling, true}};
    const FilPlotDef def = {.title = "title", .x_label = "x (m)", .y_label = "y (N)", .y_scale = FIL_PLOT_LOG, .series_count = 2, .series = series};
    FilError error = {{0}};
    assert_int_equal(fil_plot_write(&def, path, &error), FIL_OK);
    const char* svg = read_all(path);
    assert_int_equal(strncmp(svg, "<svg", 4), 0);
    assert_non_null(strstr(svg, "</svg>"));
    assert_non_null(strstr(svg, ">rising<"));
    assert_non_null(strstr(svg, ">a &lt; b &amp; c<"));
    // each series is one line; NaN and, on a log axis, what is not positive interrupt it
    assert_int_equal(count_text(svg, "stroke-linejoin"), 2);
    assert_null(strstr(svg, "nan"));
    // decades are labelled
    assert_non_null(strstr(svg, ">0.01<"));
    assert_non_null(strstr(svg, ">10<"));

    assert_int_equal(fil_plot_write_csv(&def, path, &error), FIL_OK);
    const char* csv = read_all(path);
    assert_int_equal(count_text(csv, "\n"), 9);
    assert_non_null(strstr(csv, "series,x (m),y (N)\n"));
    assert_non_null(strstr(csv, "rising,2,\n"));
    unlink(path);
}

static void bad_charts_are_refused(void** state)
{
    (void)state;
    const double x[] = {1.0, 2.0}, y[] = {-1.0, 0.0};
    const FilPlotSeries series = {"none", 2, x, y, false};
    FilPlotDef def = {.title = "empty", .x_label = "x", .y_label = "y", .y_scale = FIL_PLOT_LOG, .series_count = 1, .series = &series};
    FilError error = {{0}};
    assert_int_equal(fil_plot_write(&def, "/tmp/filum_plot_none.svg", &error), FIL_BAD_INPUT);
    assert_string_equal(error.text, "plot 'empty' has no points");
    def.y_scale = FIL_PLOT_LINEAR;
    assert_int_equal(fil_plot_write(&def, "/nowhere/plot.svg", &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "cannot write '/nowhere/plot.svg'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charts_hold_their_series),
        cmocka_unit_test(bad_charts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
