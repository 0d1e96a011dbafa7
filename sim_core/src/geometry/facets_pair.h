/* Two surfaces of triangles in contact, or one with itself: vertices of each with faces of the other, and edges with edges. Of one
 * surface, what is one piece does not touch (fil_facets_one_piece()). */
#ifndef FILUM_GEOMETRY_FACETS_PAIR_H
#define FILUM_GEOMETRY_FACETS_PAIR_H

#include "geometry/facets.h"

/* Where they touch. */
typedef struct FilFacetTouch {
    int vertex[2];         /* of either surface, the nearest */
    int triangle[2];       /* of either; -1: it is the vertex itself that touches */
    FilContactPoint point; /* its normal points from the first surface to the second */
    double height;         /* m: of the vertex above the other's face; HUGE_VAL: edges touch */
} FilFacetTouch;

/* Zero-initialised it is empty. */
typedef struct FilFacetTouches {
    FilFacetTouch* items;
    int count, capacity;
} FilFacetTouches;

/* Appends where vertices of a that have triangle s as their first touch the face of b's triangle t, within `margin` (m). If
 * `swapped`, a is the second surface. Allocates only to grow. */
FIL_MUST_CHECK FilStatus fil_facets_meet_vertices(const FilFacets* a, int s, const FilFacets* b, int t, double margin, bool swapped,
                                                  FilFacetTouches* out);

/* Of those from `first` on, all of them of one s: a vertex on the border of several faces touches one of them, and one that is below
 * several faces of a closed surface comes out of the nearest. */
void fil_facets_settle_vertices(FilFacetTouches* touches, int first, bool swapped);

/* Appends where edges that have s and t as their first triangles cross. Edges along flat places are left out: vertices and
 * faces hold those. */
FIL_MUST_CHECK FilStatus fil_facets_meet_edges(const FilFacets* a, int s, const FilFacets* b, int t, double margin, FilFacetTouches* out);

/* Appends where vertices of a that have s as their first triangle are nearest to an edge or a vertex that has t as its first, beside its faces:
 * at rims, and over sharp folds. */
FIL_MUST_CHECK FilStatus fil_facets_meet_rims(const FilFacets* a, int s, const FilFacets* b, int t, double margin, FilFacetTouches* out);

enum { FIL_FACETS_PASSING = 3 + 9 }; /* vertices, edges */

/* facets_sweep.c: of vertices of a that have s as their first triangle and triangle t of b, and, if `edges`, of edges that have s and t as their
 * first, which go from where they are to `ahead` (3 per vertex) in straight lines: where they would pass through each other on the way, with
 * distances and normals of now. Returns how many. Where a and b are one surface, what is one piece does not pass. */
int fil_facets_sweep(const FilFacets* a, const double* ahead_a, int s, const FilFacets* b, const double* ahead_b, int t, bool edges,
                     FilFacetTouch out[FIL_FACETS_PASSING]);

#endif
