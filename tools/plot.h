/* Line charts as SVG: axes, several series, a legend. And the same numbers as a table of comma-separated values. */
#ifndef FILUM_TOOLS_PLOT_H
#define FILUM_TOOLS_PLOT_H

#include "filum/base.h"

typedef enum FilPlotScale { FIL_PLOT_LINEAR, FIL_PLOT_LOG } FilPlotScale;

typedef struct FilPlotSeries {
    const char* name;
    int count;
    const double *x, *y; /* borrowed; points that are not finite, or not positive on a log axis, interrupt the line */
    bool dashed;
} FilPlotSeries;

typedef struct FilPlotDef {
    const char *title, *x_label, *y_label;
    FilPlotScale x_scale, y_scale;
    int series_count;
    const FilPlotSeries* series;
} FilPlotDef;

/* Writes `path`. Fails if no point can be drawn or the file cannot be written. */
FIL_MUST_CHECK FilStatus fil_plot_write(const FilPlotDef* def, const char* path, FilError* error);

/* Rows of series, x, y. */
FIL_MUST_CHECK FilStatus fil_plot_write_csv(const FilPlotDef* def, const char* path, FilError* error);

#endif
