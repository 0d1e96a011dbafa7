/* The page that a drawing is laid out on, in px, and its colours. */
#ifndef FILUM_TOOLS_DRAW_PAGE_H
#define FILUM_TOOLS_DRAW_PAGE_H

#include <math.h>
#include <stdio.h>

#include "draw_outlines.h"

/* Where the view lies on the page. */
typedef struct FilPage {
    double scale;     /* px per m */
    double left, top; /* m, of the page's corner in the view */
    double near, far; /* m, depths */
    double width, height;
    const FilColor* colors; /* of each object that is shown */
    double max_strain;      /* of all triangles; 0: colours do not tell strains */
} FilPage;

/* Chosen: a warm white, a dark slate. */
static const FilColor fil_paper = {0.985, 0.982, 0.972, 1.0};
static const FilColor fil_ink = {0.20, 0.22, 0.26, 1.0};
static const FilColor fil_white = {1.0, 1.0, 1.0, 1.0};

/* Light from the upper left, in the view: right, up, toward the viewer. */
static const double fil_light[3] = {-0.45, 0.60, 0.66};

static inline double fil_page_x(const FilPage* page, const double* x)
{
    return (x[0] - page->left) * page->scale;
}

static inline double fil_page_y(const FilPage* page, const double* x)
{
    return (page->top - x[1]) * page->scale;
}

/* The largest of 1, 2, 5 times a power of ten that is at most `limit`. */
static inline double fil_round_length(double limit)
{
    const double power = pow(10.0, floor(log10(limit)));
    return power * (limit >= 5.0 * power ? 5.0 : (limit >= 2.0 * power ? 2.0 : 1.0));
}

static inline FilColor fil_mix(FilColor a, FilColor b, double share)
{
    return (FilColor){a.r + share * (b.r - a.r), a.g + share * (b.g - a.g), a.b + share * (b.b - a.b), a.a};
}

static inline void fil_write_color(FILE* out, const char* name, FilColor c)
{
    fprintf(out, " %s=\"#%02x%02x%02x\"", name, (unsigned)lround(255.0 * c.r), (unsigned)lround(255.0 * c.g), (unsigned)lround(255.0 * c.b));
}

#endif
