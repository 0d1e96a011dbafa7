/* Owns the rows that a check reports. */
#include "validate/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "validate/report.h"

void fil_check_free(FilCheck* check)
{
    fil_free(check->rows);
    fil_free(check->text);
    *check = (FilCheck){0};
}

void fil_check_draw(FilCheck* check, const FilPlotDef* plot, const char* name)
{
    static const char* const endings[] = {"svg", "csv"};
    char path[4096];
    FilError error;
    if (check->folder[0] == '\0') {
        return;
    }
    mkdir(check->folder, 0777);  // it may be there
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/%s.%s", check->folder, name, endings[k]);
        if ((k == 0 ? fil_plot_write : fil_plot_write_csv)(plot, path, &error) != FIL_OK) {
            fil_check_fail(check, "%s", error.text);
        }
    }
}

static void add(FilCheck* check, FilCheckRelation relation, const char* what, double measured, double expected, double tolerance)
{
    void* block = check->rows;
    if (!fil_grow(&block, (size_t)check->count, (size_t)check->count + 1, sizeof *check->rows)) {
        fil_check_fail(check, "out of memory");
        return;
    }
    check->rows = block;
    FilCheckRow* row = &check->rows[check->count++];
    *row = (FilCheckRow){.relation = relation, .measured = measured, .expected = expected, .tolerance = tolerance};
    snprintf(row->what, sizeof row->what, "%s", what);
}

void fil_check_near(FilCheck* check, const char* what, double measured, double expected, double relative_tolerance)
{
    add(check, FIL_CHECK_NEAR, what, measured, expected, relative_tolerance);
}

void fil_check_below(FilCheck* check, const char* what, double measured, double limit)
{
    add(check, FIL_CHECK_BELOW, what, measured, limit, 0.0);
}

void fil_check_above(FilCheck* check, const char* what, double measured, double limit)
{
    add(check, FIL_CHECK_ABOVE, what, measured, limit, 0.0);
}

void fil_check_note(FilCheck* check, const char* what, double measured)
{
    add(check, FIL_CHECK_NOTED, what, measured, NAN, 0.0);
}

void fil_check_print(FilCheck* check, const char* format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    strcat(line, "\n");
    const size_t length = strlen(line);
    void* block = check->text;
    if (!fil_grow(&block, check->text_size, check->text_size + length + 1, 1)) {
        fil_check_fail(check, "out of memory");
        return;
    }
    check->text = block;
    memcpy(check->text + check->text_size, line, length + 1);
    check->text_size += length;
}

void fil_check_fail(FilCheck* check, const char* format, ...)
{
    // the first reason is the one that matters
    if (check->failure[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(check->failure, sizeof check->failure, format, arguments);
        va_end(arguments);
    }
}

bool fil_check_run(FilCheck* check, FilWorld* world, double until)
{
    // times are sums of steps: within a nanosecond of the end is the end
    while (fil_world_time(world) < until - 1e-9) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fil_check_fail(check, "%s", fil_world_error(world));
            return false;
        }
    }
    return true;
}

bool fil_check_row_passes(const FilCheckRow* row)
{
    // every comparison with NaN is false, so NaN never passes
    switch (row->relation) {
        case FIL_CHECK_NEAR:
            return fabs(row->measured - row->expected) <= row->tolerance * fabs(row->expected);
        case FIL_CHECK_BELOW:
            return row->measured <= row->expected;
        case FIL_CHECK_ABOVE:
            return row->measured >= row->expected;
        case FIL_CHECK_NOTED:
            return true;
    }
    return false;
}

bool fil_check_passes(const FilCheck* check)
{
    int judged = 0;
    for (int i = 0; i < check->count; ++i) {
        if (!fil_check_row_passes(&check->rows[i])) {
            return false;
        }
        judged += check->rows[i].relation != FIL_CHECK_NOTED;
    }
    return judged > 0 && check->failure[0] == '\0';
}
