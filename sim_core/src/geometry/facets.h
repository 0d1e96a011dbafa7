/* Surfaces of triangles in contact, cloth and the skins of solids: which of their faces and edges a convex shape touches.
 *
 * Corners of the shape meet faces, and edges meet the shape as capsules do. Vertices are not looked at here: they meet the
 * shape as small spheres. Closed surfaces have an inside, which their normals point away from, and lengths below a face are
 * negative there; open ones have a thickness, and are met from the side on which the middle of the shape is. */
#ifndef FILUM_GEOMETRY_FACETS_H
#define FILUM_GEOMETRY_FACETS_H

#include "geometry/bvh.h"
#include "geometry/manifold.h"

typedef struct FilFacets {
    int vertex_count, edge_count, triangle_count;
    const int* triangles; /* 3 vertices each, borrowed; counter-clockwise seen from outside */
    bool closed;          /* has an inside */
    double radius;        /* m, around it */
    double* x;            /* 3 per vertex, m: where it is, which the caller keeps up to date */
    /* made from the triangles */
    int* edges; /* 2 vertices each, the smaller first */
    int* wings; /* 2 per edge: its triangles, the smaller first; -1: there is no second */
    int* sides; /* 3 per triangle: its edges, from corner k to the next */
    int* fans;  /* triangles around vertices, rising: of vertex v from fan_first[v] up to fan_first[v + 1] */
    int* fan_first;
    /* made by fil_facets_link(); NULL: none is so near */
    int* near; /* vertices near others along the surface: of vertex v from near_first[v] up to near_first[v + 1] */
    int* near_first;
} FilFacets;

/* Where it is touched. */
typedef struct FilFacetContact {
    int triangle, vertex;  /* and that of its corners which is nearest */
    FilContactPoint point; /* its normal points from the facets to the other */
    double height;         /* m: of the other's corner above the face; HUGE_VAL: an edge is touched */
} FilFacetContact;

/* Zero-initialised it is empty. */
typedef struct FilFacetContacts {
    FilFacetContact* items;
    int count, capacity;
} FilFacetContacts;

/* A convex shape that meets facets. */
typedef struct FilFacetOther {
    FilShape shape;
    FilPose pose;
    bool open_end; /* corners of its end towards +z belong to another shape: the next edge of a rod */
} FilFacetOther;

/* Edges of the triangles; places of vertices are zero. An edge of more than two triangles keeps two. Allocates. */
FIL_MUST_CHECK FilStatus fil_facets_init(FilFacets* facets, int vertex_count, const int* triangles, int triangle_count, bool closed, double radius);
void fil_facets_free(FilFacets* facets); /* a zeroed one is fine */

/* facets_own.c: for contact of the surface with itself, which vertices are no farther from each other than `limit` (m) along edges, `ends`
 * two vertices each and as long as `lengths` (m): they are one piece. Allocates; what was linked before is not linked again. */
FIL_MUST_CHECK FilStatus fil_facets_link(FilFacets* facets, const int* ends, const double* lengths, int edge_count, double limit);
/* Whether two vertices are the same, or so linked. */
bool fil_facets_one_piece(const FilFacets* facets, int u, int v);
/* Whether a vertex is one piece with a triangle, or two edges are. */
bool fil_facets_is_part_of(const FilFacets* facets, int vertex, int triangle);
bool fil_facets_are_joined(const FilFacets* facets, int e, int f);

static inline const double* fil_facets_corner(const FilFacets* facets, int triangle, int k)
{
    return facets->x + 3 * facets->triangles[3 * triangle + k];
}

/* Corners below a face by more than this share of its size have not come through it. Chosen: what lies on one side of a solid, or of
 * a plate ten times as wide as thick, is not taken for what is deep inside the other. */
#define FIL_FACETS_DEEPEST 0.1

/* Barycentric weights below this are none: there a neighbour, or a vertex, is in charge. Rounding leaves 1e-16 of a triangle's size of them. */
#define FIL_FACETS_BORDER 1e-9

/* Unit normal of a triangle; returns twice its area, 0 if it has none. */
double fil_facets_normal(const FilFacets* facets, int triangle, double* normal);
/* Barycentric weights of the foot of p on the plane of a triangle with that normal and twice that area; it may lie outside. */
void fil_facets_weights(const FilFacets* facets, int triangle, const double* normal, double area2, const double* p, double w[3]);
/* Which of them is the largest. */
int fil_facets_largest(const double w[3]);
/* Whether a normal at an edge tilts over neither of its faces, and points out of a closed surface. */
bool fil_facets_is_outward(const FilFacets* facets, int edge, const double* normal);
/* Whether all neighbours of a vertex are at least `min` of their distance farther along `up`. */
bool fil_facets_is_extreme(const FilFacets* facets, int vertex, const double* up, double min);

/* m: about the length of its edges. */
double fil_facets_size(const FilFacets* facets, int triangle);

/* Appends where the shape touches the face of a triangle, and those of its edges that have it as their first, within `margin`
 * (m). Not for half-spaces, which vertices alone meet. Allocates only to grow. */
FIL_MUST_CHECK FilStatus fil_facets_meet_shape(const FilFacets* facets, int triangle, const FilFacetOther* other, double margin,
                                               FilFacetContacts* out);

/* The same of those of its vertices that have it as their first. */
FIL_MUST_CHECK FilStatus fil_facets_meet_vertices_of(const FilFacets* facets, int triangle, const FilFacetOther* other, double margin,
                                                     FilFacetContacts* out);

/* Of the contacts of one shape from `first` on: a corner below several faces of a closed surface comes out of the nearest. */
void fil_facets_settle(const FilFacets* facets, FilFacetContacts* contacts, int first);

#endif
