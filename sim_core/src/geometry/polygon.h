/* Small planar polygons that carry a linear pressure: cutting, area, centroid. Nothing here allocates. */
#ifndef FILUM_GEOMETRY_POLYGON_H
#define FILUM_GEOMETRY_POLYGON_H

#include "base/vec3.h"

/* A triangle or a tetrahedron's slice has at most 4 corners; eight faces and two pressure bounds add one each. */
#define FIL_POLYGON_CORNERS 16

typedef struct FilPolygon {
    int count;
    double corner[FIL_POLYGON_CORNERS][3]; /* m */
} FilPolygon;

/* Keeps the part of `in` where plane . x + plane[3] >= 0; out must not alias. */
void fil_polygon_cut(const FilPolygon* in, const double* plane, FilPolygon* out);

/* Keeps the part inside the tetrahedron whose `faces` (4 x 4 numbers) give barycentric weights. Of a polygon that lies
 * in one of its faces only the tetrahedron behind it, where `normal` comes from, keeps anything: neighbours never both
 * do. Returns false when nothing is left. */
bool fil_polygon_cut_by_cell(FilPolygon* polygon, const double* faces, const double* normal);

/* The slice of a tetrahedron (corners: 4 x 3 numbers) by the plane where height (4) is 0, in any turn. A face in the
 * plane belongs to the tetrahedron below. */
void fil_polygon_slice(const double* corners, const double* height, FilPolygon* out);

/* Area (m^2) along the unit vector `normal`, always positive, and the centroid. */
double fil_polygon_area(const FilPolygon* polygon, const double* normal, double* centroid);

#endif
