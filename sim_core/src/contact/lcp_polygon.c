#include "contact/lcp_polygon.h"

#include <math.h>
#include <stdbool.h>

#include "base/vec3.h"

FilLcpPolygon fil_lcp_polygon(int directions)
{
    FilLcpPolygon p = {.directions = directions,
                       .apothem = cos(FIL_PI / directions),
                       .half_side = sin(FIL_PI / directions)};
    for (int k = 0; k < directions; k++) {
        const double angle = 2.0 * FIL_PI * k / directions, middle = angle + FIL_PI / directions;
        p.corner[2 * k] = cos(angle);
        p.corner[2 * k + 1] = sin(angle);
        p.side[2 * k] = cos(middle);
        p.side[2 * k + 1] = sin(middle);
    }
    return p;
}

static void stay(const double* y, double* out, double* derivative)
{
    out[0] = y[0], out[1] = y[1];
    derivative[0] = derivative[2] = 1.0, derivative[1] = 0.0;
}

void fil_lcp_polygon_project(const FilLcpPolygon* polygon, double limit, const double* y, double* out,
                             double* derivative)
{
    const double height = limit * polygon->apothem, half = limit * polygon->half_side;
    if (y[0] * y[0] + y[1] * y[1] <= height * height) { // within the circle that fits inside
        stay(y, out, derivative);
        return;
    }
    // the side of the sector that y is in: by symmetry the nearest point is in that sector, too
    int best = 0;
    double most = -INFINITY;
    for (int k = 0; k < polygon->directions; k++) {
        const double along = polygon->side[2 * k] * y[0] + polygon->side[2 * k + 1] * y[1];
        if (along > most) {
            most = along;
            best = k;
        }
    }
    if (most <= height) {
        stay(y, out, derivative);
        return;
    }
    const double *n = polygon->side + 2 * best, e[2] = {-n[1], n[0]};
    const double along = e[0] * y[0] + e[1] * y[1], s = fmin(fmax(along, -half), half);
    const bool slides = fabs(along) < half; // along the side; else at a corner
    out[0] = height * n[0] + s * e[0];
    out[1] = height * n[1] + s * e[1];
    derivative[0] = slides ? e[0] * e[0] : 0.0;
    derivative[1] = slides ? e[0] * e[1] : 0.0;
    derivative[2] = slides ? e[1] * e[1] : 0.0;
}

double fil_lcp_polygon_slip(const FilLcpPolygon* polygon, const double* c)
{
    double slip = 0.0;
    for (int k = 0; k < polygon->directions; k++) {
        slip = fmax(slip, -(polygon->corner[2 * k] * c[0] + polygon->corner[2 * k + 1] * c[1]));
    }
    return slip;
}
