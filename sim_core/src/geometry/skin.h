/* Triangulated surfaces of shapes, and where the inside is.
 *
 * Each vertex has a foot: the point of the medial set (the deepest points) that it leads to. On the way from a vertex
 * to its foot the depth grows linearly from 0 to the largest depth, so that prisms between triangles and their feet
 * carry the pressure fields of field.h:
 *
 *     sphere R         foot 0
 *     capsule R, h     foot (0, 0, clamp(z, -h, h))
 *     cylinder R, h    foot (x, y) max(R - h, 0)/R, z max(h - R, 0)/h
 *     box a >= b >= c  foot x (a - c)/a, y (b - c)/b, 0
 *     hull             foot: centre of the largest ball inside, nearly (its radius within 1 %)
 *
 * Round shapes are made of rings and enclose the volume of their shape, so that facets lie inside as much as outside
 * and forces are off by O(resolution^2) with a small constant. */
#ifndef FILUM_GEOMETRY_SKIN_H
#define FILUM_GEOMETRY_SKIN_H

#include "geometry/profile.h"
#include "geometry/shape.h"

/* Most triangles that a resolution may ask for. */
#define FIL_SKIN_MAX_TRIANGLES 400000

typedef struct FilSkin {
    int vertex_count, triangle_count;
    int vertex_capacity, triangle_capacity;
    double* vertices; /* 3 per vertex, m */
    double* feet;     /* 3 per vertex, m */
    int* triangles;   /* 3 per triangle, counter-clockwise seen from outside */
} FilSkin;

void fil_skin_free(FilSkin* skin); /* its arrays; a zeroed one is fine */

/* Of any shape but a half-space; edges are at most about `resolution` (m) long, but circles have at least eight.
 * FIL_BAD_INPUT when that asks for too many triangles. Allocates. */
FIL_MUST_CHECK FilStatus fil_skin_create(const FilShape* shape, double resolution, FilSkin* skin, FilError* error);

/* Of a surface of revolution with its end discs; feet are on the axis. Allocates. */
FIL_MUST_CHECK FilStatus fil_skin_of_profile(const FilProfile* profile, double resolution, FilSkin* skin, FilError* error);

/* The largest depth below the surface of a shape, m: what pressure fields are scaled by. */
double fil_skin_depth(const FilShape* shape);

#endif
