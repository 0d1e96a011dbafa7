#include "contact/lcp_polygon.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/vec3.h"

FilLcpPolygon fil_lcp_polygon(int directions)
{
    FilLcpPolygon p = {.directions = directions, .apothem = cos(FIL_PI / directions), .half_side = sin(FIL_PI / directions)};
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

/* The side of the sector that y is in, and how far along its normal y lies: what is nearest to y is in the same sector, by symmetry. */
static int sector(const FilLcpPolygon* polygon, const double* y, double* along)
{
    int best = 0;
    *along = -INFINITY;
    for (int k = 0; k < polygon->directions; k++) {
        const double reach = polygon->side[2 * k] * y[0] + polygon->side[2 * k + 1] * y[1];
        if (reach > *along) {
            *along = reach;
            best = k;
        }
    }
    return best;
}

void fil_lcp_polygon_project(const FilLcpPolygon* polygon, double limit, const double* y, double* out, double* derivative)
{
    const double height = limit * polygon->apothem, half = limit * polygon->half_side;
    if (y[0] * y[0] + y[1] * y[1] <= height * height) {  // within the circle that fits inside
        stay(y, out, derivative);
        return;
    }
    double max;
    const int best = sector(polygon, y, &max);
    if (max <= height) {
        stay(y, out, derivative);
        return;
    }
    const double *n = polygon->side + 2 * best, e[2] = {-n[1], n[0]};
    const double along = e[0] * y[0] + e[1] * y[1], s = fmin(fmax(along, -half), half);
    const bool slides = fabs(along) < half;  // along the side; else at a corner
    out[0] = height * n[0] + s * e[0];
    out[1] = height * n[1] + s * e[1];
    derivative[0] = slides ? e[0] * e[0] : 0.0;
    derivative[1] = slides ? e[0] * e[1] : 0.0;
    derivative[2] = slides ? e[1] * e[1] : 0.0;
}

/* out = (n n') y, or what is left of y without it: with the derivative, n a unit vector. */
static void onto(const double* n, bool without, const double* y, double* out, double* derivative)
{
    const double along = fil_v3_dot(n, y);
    for (int a = 0; a < 3; a++) {
        out[a] = without ? y[a] - along * n[a] : along * n[a];
        for (int b = 0; b < 3; b++) {
            derivative[3 * a + b] = without ? (a == b) - n[a] * n[b] : n[a] * n[b];
        }
    }
}

void fil_lcp_pyramid_project(const FilLcpPolygon* polygon, double mu, const double* y, double* out, double* derivative)
{
    memset(derivative, 0, 9 * sizeof *derivative);
    double reach;
    const int k = sector(polygon, y, &reach);
    const double slope = mu * polygon->apothem;
    if (mu > 0.0 && reach <= slope * y[2]) {  // inside
        fil_v3_copy(out, y);
        derivative[0] = derivative[4] = derivative[8] = 1.0;
        return;
    }
    if (mu > 0.0) {
        // on the side's plane, if within its edges
        const double *n = polygon->side + 2 * k, size = sqrt(1.0 + slope * slope);
        const double normal[3] = {n[0] / size, n[1] / size, -slope / size};
        onto(normal, true, y, out, derivative);
        const double across = n[0] * out[1] - n[1] * out[0];
        if (fabs(across) <= mu * polygon->half_side * out[2]) {
            return;
        }
    }
    // on the nearer edge, or at the apex
    const double across = polygon->side[2 * k] * y[1] - polygon->side[2 * k + 1] * y[0];
    const double *d = polygon->corner + 2 * ((across > 0.0 ? k + 1 : k) % polygon->directions), size = sqrt(1.0 + mu * mu);
    const double edge[3] = {mu * d[0] / size, mu * d[1] / size, 1.0 / size};
    if (fil_v3_dot(edge, y) > 0.0) {
        onto(edge, false, y, out, derivative);
    } else {
        fil_v3_set(out, 0.0, 0.0, 0.0);
        memset(derivative, 0, 9 * sizeof *derivative);
    }
}

double fil_lcp_polygon_slip(const FilLcpPolygon* polygon, const double* c)
{
    double slip = 0.0;
    for (int k = 0; k < polygon->directions; k++) {
        slip = fmax(slip, -(polygon->corner[2 * k] * c[0] + polygon->corner[2 * k + 1] * c[1]));
    }
    return slip;
}
