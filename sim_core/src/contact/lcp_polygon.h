/* The cross-section of the friction pyramid: a regular polygon with its corners at the directions of friction. */
#ifndef FILUM_CONTACT_LCP_POLYGON_H
#define FILUM_CONTACT_LCP_POLYGON_H

#include "contact/lcp_problem.h"

typedef struct FilLcpPolygon {
    int directions;
    double corner[2 * FIL_LCP_MAX_DIRECTIONS]; /* unit vectors */
    double side[2 * FIL_LCP_MAX_DIRECTIONS];   /* normals of the sides, from corner k to the next */
    double apothem, half_side;                 /* where corners are 1 from the middle */
} FilLcpPolygon;

FilLcpPolygon fil_lcp_polygon(int directions);

/* The point nearest to `y` of the polygon whose corners are `limit` from the middle, and d out / d y as (xx, xy, yy). */
void fil_lcp_polygon_project(const FilLcpPolygon* polygon, double limit, const double* y, double* out, double* derivative);

/* The point nearest to `y` of the pyramid of all (b, f) with b in the polygon of limit mu f, and its derivative, 3 x 3. */
void fil_lcp_pyramid_project(const FilLcpPolygon* polygon, double mu, const double* y, double* out, double* derivative);

/* Slip speed of a tangential velocity: the largest against a direction. */
double fil_lcp_polygon_slip(const FilLcpPolygon* polygon, const double* c);

#endif
