#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "csv.h"

/* Of a page, in its units, chosen by eye; the palette below has eight colours. */
enum { WIDTH = 860, HEIGHT = 560, LEFT = 86, RIGHT = 24, TOP = 46, BOTTOM = 62, LEGEND = 200, COLOURS = 8, MAX_TICKS = 40 };

static const char* const palette[COLOURS] = {"#296bb8", "#de6b24", "#26946e", "#bd3361", "#7052b3", "#c7991a", "#1a8fa8", "#85593d"};

/* One axis: a range of (log of) values and where it lies on the page. */
typedef struct Axis {
    FilPlotScale scale;
    double low, high;   /* in the scale's own measure */
    double start, size; /* px; y runs upwards */
} Axis;

/* ---- ranges ---- */

static double measure(FilPlotScale scale, double value)
{
    return scale == FIL_PLOT_LOG ? (value > 0.0 ? log10(value) : NAN) : value;
}

static double place(const Axis* axis, double value)
{
    return axis->start + axis->size * (measure(axis->scale, value) - axis->low) / (axis->high - axis->low);
}

static bool find_range(const FilPlotDef* def, bool vertical, Axis* axis)
{
    axis->scale = vertical ? def->y_scale : def->x_scale;
    axis->low = INFINITY;
    axis->high = -INFINITY;
    for (int s = 0; s < def->series_count; s++) {
        for (int k = 0; k < def->series[s].count; k++) {
            const double value = measure(axis->scale, vertical ? def->series[s].y[k] : def->series[s].x[k]);
            if (isfinite(value)) {
                axis->low = fmin(axis->low, value);
                axis->high = fmax(axis->high, value);
            }
        }
    }
    if (!(axis->low <= axis->high)) {
        return false;
    }
    // a little air; a single value gets some of its own size
    const double air = axis->high > axis->low ? 0.03 * (axis->high - axis->low) : fmax(0.1 * fabs(axis->high), 1e-12);
    axis->low -= air;
    axis->high += air;
    axis->start = vertical ? HEIGHT - BOTTOM : LEFT;
    axis->size = vertical ? -(HEIGHT - BOTTOM - TOP) : WIDTH - LEFT - RIGHT;
    return true;
}

/* ---- ticks ---- */

typedef struct Tick {
    double value;
    bool labelled;
} Tick;

/* Round numbers: steps of 1, 2 or 5 times a power of ten, some seven of them; on a log axis the digits 1 to 9 of each decade, with labels as there is
 * room for. Chosen by eye, as all sizes here. */
static int make_ticks(const Axis* axis, Tick* ticks)
{
    int count = 0;
    const double range = axis->high - axis->low;
    if (axis->scale == FIL_PLOT_LOG) {
        for (int decade = (int)floor(axis->low); decade <= (int)ceil(axis->high); decade++) {
            for (int digit = 1; digit < 10 && count < MAX_TICKS; digit++) {
                const double value = digit * pow(10.0, decade), at = log10(value);
                if (at >= axis->low && at <= axis->high) {
                    const bool shown = range < 0.7 ? digit <= 6 : digit == 2 || digit == 5;
                    ticks[count++] = (Tick){value, digit == 1 || (range < 1.6 && shown)};
                }
            }
        }
        return count;
    }
    const double raw = range / 7.0, power = pow(10.0, floor(log10(raw))), share = raw / power;
    const double step = power * (share < 1.5 ? 1.0 : share < 3.5 ? 2.0 : share < 7.5 ? 5.0 : 10.0);
    for (double k = ceil(axis->low / step); k * step <= axis->high && count < MAX_TICKS; k += 1.0) {
        ticks[count++] = (Tick){k * step, true};
    }
    return count;
}

/* ---- drawing ---- */

static void write_text(FILE* out, const char* text)
{
    for (; *text != '\0'; text++) {
        const char* entity = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        if (entity != NULL) {
            fputs(entity, out);
        } else {
            fputc(*text, out);
        }
    }
}

static void draw_label(FILE* out, double x, double y, const char* style, const char* text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    write_text(out, text);
    fputs("</text>\n", out);
}

static void draw_axis(FILE* out, const Axis* axis, bool vertical)
{
    Tick ticks[MAX_TICKS];
    const int count = make_ticks(axis, ticks);
    for (int k = 0; k < count; k++) {
        const double at = place(axis, ticks[k].value);
        char label[32];
        fprintf(out, "<path d=\"M%.1f %.1f%c%d\" stroke=\"#%s\"/>\n", vertical ? LEFT : at, vertical ? at : HEIGHT - BOTTOM, vertical ? 'H' : 'V',
                vertical ? WIDTH - RIGHT : TOP, ticks[k].labelled ? "ccc" : "eee");
        if (ticks[k].labelled) {
            // rounding must not show as -0 or 1e-17
            const double value = fabs(ticks[k].value) < 1e-12 * fabs(axis->high - axis->low) ? 0.0 : ticks[k].value;
            snprintf(label, sizeof label, "%.4g", value);
            draw_label(out, vertical ? LEFT - 8 : at, vertical ? at + 4 : HEIGHT - BOTTOM + 18,
                       vertical ? "text-anchor=\"end\"" : "text-anchor=\"middle\"", label);
        }
    }
}

static void draw_series(FILE* out, const FilPlotSeries* series, const Axis* x, const Axis* y, const char* colour)
{
    fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s stroke-linejoin=\"round\" d=\"", colour,
            series->dashed ? " stroke-dasharray=\"7 4\"" : "");
    bool pen_down = false;
    for (int k = 0; k < series->count; k++) {
        const double px = place(x, series->x[k]), py = place(y, series->y[k]);
        if (isfinite(px) && isfinite(py)) {
            fprintf(out, "%c%.1f %.1f", pen_down ? 'L' : 'M', px, py);
        }
        pen_down = isfinite(px) && isfinite(py);
    }
    fputs("\"/>\n", out);
}

/* Points in the upper corner where a legend would stand. */
static int crowding(const FilPlotDef* def, const Axis* x, const Axis* y, double left)
{
    int count = 0;
    for (int s = 0; s < def->series_count; s++) {
        for (int k = 0; k < def->series[s].count; k++) {
            const double px = place(x, def->series[s].x[k]), py = place(y, def->series[s].y[k]);
            count += px > left && px < left + LEGEND && py < TOP + 18 * (def->series_count + 1);
        }
    }
    return count;
}

/* In the emptier of the two upper corners. */
static void draw_legend(FILE* out, const FilPlotDef* def, const Axis* x, const Axis* y)
{
    const double right = WIDTH - RIGHT - LEGEND;
    const double left = crowding(def, x, y, LEFT) <= crowding(def, x, y, right) ? LEFT : right;
    for (int s = 0; s < def->series_count; s++) {
        const double at = TOP + 18 + 18 * s;
        fprintf(out, "<path d=\"M%.1f %.1fh26\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", left + 14, at - 4, palette[s % COLOURS],
                def->series[s].dashed ? " stroke-dasharray=\"7 4\"" : "");
        draw_label(out, left + 46, at, "paint-order=\"stroke\" stroke=\"white\" stroke-width=\"3\"", def->series[s].name);
    }
}

static void draw(FILE* out, const FilPlotDef* def, const Axis* x, const Axis* y)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\" "
            "fill=\"#333\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_label(out, LEFT, 28, "font-size=\"16\"", def->title);
    draw_axis(out, x, false);
    draw_axis(out, y, true);
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#555\"/>\n", LEFT, TOP, WIDTH - LEFT - RIGHT,
            HEIGHT - TOP - BOTTOM);
    for (int s = 0; s < def->series_count; s++) {
        draw_series(out, &def->series[s], x, y, palette[s % COLOURS]);
    }
    draw_legend(out, def, x, y);
    draw_label(out, LEFT + 0.5 * (WIDTH - LEFT - RIGHT), HEIGHT - 16, "text-anchor=\"middle\"", def->x_label);
    char turned[96];
    const double middle = TOP + 0.5 * (HEIGHT - TOP - BOTTOM);
    snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 22 %.1f)\"", middle);
    draw_label(out, 22, middle, turned, def->y_label);
    fputs("</svg>\n", out);
}

/* ---- files ---- */

static FilStatus close_file(FILE* out, const char* path, FilError* error)
{
    const bool bad = ferror(out) != 0;
    if (fclose(out) != 0 || bad) {
        return fil_error(error, FIL_BAD_INPUT, "cannot write '%.300s': %s", path, strerror(errno));
    }
    return FIL_OK;
}

FilStatus fil_plot_write(const FilPlotDef* def, const char* path, FilError* error)
{
    Axis x, y;
    if (!find_range(def, false, &x) || !find_range(def, true, &y)) {
        return fil_error(error, FIL_BAD_INPUT, "plot '%.200s' has no points", def->title);
    }
    FILE* out = fopen(path, "w");
    if (out == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "cannot write '%.300s': %s", path, strerror(errno));
    }
    draw(out, def, &x, &y);
    return close_file(out, path, error);
}

FilStatus fil_plot_write_csv(const FilPlotDef* def, const char* path, FilError* error)
{
    FILE* out = fopen(path, "w");
    if (out == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "cannot write '%.300s': %s", path, strerror(errno));
    }
    fil_csv_text(out, "series", true);
    fil_csv_text(out, def->x_label, false);
    fil_csv_text(out, def->y_label, false);
    fil_csv_end(out);
    for (int s = 0; s < def->series_count; s++) {
        for (int k = 0; k < def->series[s].count; k++) {
            fil_csv_text(out, def->series[s].name, true);
            fil_csv_number(out, def->series[s].x[k], false);
            fil_csv_number(out, def->series[s].y[k], false);
            fil_csv_end(out);
        }
    }
    return close_file(out, path, error);
}
