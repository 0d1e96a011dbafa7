/* Owns the figure of a sweep. */
#include "sweep/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "plot.h"

/* As many as there are colours (plot.c). */
enum { LINES = 8 };

typedef struct Point {
    double x, y;
    int line;
} Point;

typedef struct Points {
    const FilSweepPlan* plan;
    Point* items;
    int count, capacity;
    bool failed;
} Points;

/* The value of the second key by its number; 0 if there is none. */
static uint64_t line_of(const FilSweepPlan* plan, uint64_t run)
{
    if (plan->over_count < 2) {
        return 0;
    }
    uint64_t index = run / plan->seeds / plan->samples;
    for (int k = plan->over_count - 1; k > 1; k--) {
        index /= plan->over[k].count;
    }
    return index % plan->over[1].count;
}

static void add_point(void* context, uint64_t run, double x, double y)
{
    Points* points = context;
    const uint64_t line = line_of(points->plan, run);
    if (!isfinite(x) || !isfinite(y) || line >= LINES) {
        return;
    }
    if (!fil_array_reserve((void**)&points->items, points->count, &points->capacity, sizeof *points->items)) {
        points->failed = true;
        return;
    }
    points->items[points->count++] = (Point){x, y, (int)line};
}

static int compare(const void* a, const void* b)
{
    const Point *p = a, *q = b;
    return p->line != q->line ? p->line - q->line : (p->x > q->x) - (p->x < q->x);
}

/* The means of equal places, line after line; sizes of the lines. */
static void average(const Points* points, double* x, double* y, int sizes[LINES])
{
    int made = 0;
    for (int k = 0, from = 0; k < points->count; k++) {
        const Point* p = &points->items[k];
        const bool last = k + 1 == points->count || compare(p, p + 1) != 0;
        if (last) {
            double sum = 0.0;
            for (int i = from; i <= k; i++) {
                sum += points->items[i].y;
            }
            x[made] = p->x;
            y[made++] = sum / (k + 1 - from);
            sizes[p->line]++;
            from = k + 1;
        }
    }
}

FilStatus fil_sweep_draw(const FilSweepPlan* plan, FilSweepStore* store, const char* column, const char* path, FilError* error)
{
    if (plan->over_count + plan->random_count == 0) {
        return fil_error(error, FIL_BAD_INPUT, "--plot: no key is varied that '%s' could be drawn over", column);
    }
    Points points = {.plan = plan};
    const char* key = fil_sweep_path(plan, 0);
    FilStatus status = fil_sweep_store_each(store, key, column, add_point, &points, error);
    double *x = fil_alloc((size_t)points.count, sizeof *x), *y = fil_alloc((size_t)points.count, sizeof *y);
    if (status == FIL_OK && (points.failed || x == NULL || y == NULL)) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    if (status == FIL_OK && points.count == 0) {
        status = fil_error(error, FIL_BAD_INPUT, "--plot: '%s' over '%s' has no numbers to draw", column, key);
    }
    if (status == FIL_OK) {
        int sizes[LINES] = {0}, count = 0, from = 0;
        char names[LINES][FIL_SWEEP_TEXT + 64];
        FilPlotSeries series[LINES];
        qsort(points.items, (size_t)points.count, sizeof *points.items, compare);
        average(&points, x, y, sizes);
        for (int l = 0; l < LINES; l++) {
            if (sizes[l] == 0) {
                continue;
            }
            snprintf(names[count], sizeof names[count], "%.60s", column);
            if (plan->over_count > 1) {
                char text[FIL_SWEEP_TEXT];
                uint64_t stride = plan->samples * plan->seeds;
                for (int k = 2; k < plan->over_count; k++) {
                    stride *= plan->over[k].count;
                }
                fil_sweep_value(plan, stride * (uint64_t)l, 1, text);
                snprintf(names[count], sizeof names[count], "%.60s = %s", plan->over[1].path, text);
            }
            series[count] = (FilPlotSeries){.name = names[count], .count = sizes[l], .x = x + from, .y = y + from};
            from += sizes[l];
            count++;
        }
        const FilPlotDef def = {.title = column, .x_label = key, .y_label = column, .series_count = count, .series = series};
        status = fil_plot_write(&def, path, error);
    }
    fil_free(points.items);
    fil_free(x);
    fil_free(y);
    return status;
}
