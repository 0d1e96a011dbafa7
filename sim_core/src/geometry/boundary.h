/* The closed surface of a solid: signed distance and normal, and triangles where polygons are to be cut.
 *
 * Distances of half-spaces, spheres, cylinders, capsules and boxes are closed forms, those of surfaces of revolution
 * take a Newton iteration in one unknown, those of hulls go over all faces, those of meshes down a tree. Triangles of
 * curved surfaces enclose the same volume; positions and normals of a patch are then taken on the curved surface
 * itself. A half-space has no triangles: it is a plane to cut by.
 *
 * Boundaries are made once per shape, in the shape's own frame, and are const afterwards: bodies of one shape share
 * one. */
#ifndef FILUM_GEOMETRY_BOUNDARY_H
#define FILUM_GEOMETRY_BOUNDARY_H

#include "geometry/bvh.h"
#include "geometry/skin.h"

typedef enum FilBoundaryKind {
    FIL_BOUNDARY_SHAPE,
    FIL_BOUNDARY_REVOLUTION,
    FIL_BOUNDARY_MESH,
    FIL_BOUNDARY_KINDS,
} FilBoundaryKind;

/* One triangle. */
typedef struct FilBoundaryFace {
    double corner[3][3]; /* m, counter-clockwise seen from outside */
    double normal[3];    /* outward, unit */
} FilBoundaryFace;

typedef struct FilBoundary {
    FilBoundaryKind kind;
    FilShape shape;
    FilProfile profile; /* owned; of revolutions */
    bool curved;        /* triangles are near the surface, not on it */
    FilBoundaryFace* faces;
    int count;
    FilBvh tree; /* over the triangles' boxes */
} FilBoundary;

void fil_boundary_free(FilBoundary* boundary); /* what it owns; a zeroed one is fine */

/* Of a shape: spheres, cylinders and capsules are triangulated at `resolution` (m), if that is positive; without,
 * distances only. A hull is borrowed, a profile copied. Allocates. */
FIL_MUST_CHECK FilStatus fil_boundary_create(const FilShape* shape, double resolution, FilBoundary* boundary, FilError* error);

/* Of a surface of revolution, the same. Takes the profile over, also when it fails. */
FIL_MUST_CHECK FilStatus fil_boundary_of_profile(FilProfile* profile, double resolution, FilBoundary* boundary, FilError* error);

/* Of a closed triangle mesh, which is copied. Allocates. */
FIL_MUST_CHECK FilStatus fil_boundary_of_mesh(const FilMesh* mesh, const char* name, FilBoundary* boundary, FilError* error);

/* Signed distance (m) of the local point p, negative inside; `normal` is the outward unit normal at the closest surface
 * point p - distance normal. Allocates nothing. */
double fil_boundary_distance(const FilBoundary* boundary, const double* p, double* normal);

/* True for the half-space below z = 0. */
static inline bool fil_boundary_is_plane(const FilBoundary* boundary)
{
    return boundary->kind == FIL_BOUNDARY_SHAPE && boundary->shape.kind == FIL_PRIMITIVE_HALF_SPACE;
}

#endif
