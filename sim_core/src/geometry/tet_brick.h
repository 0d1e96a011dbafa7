/* Structured tetrahedral meshes: boxes, blocks of arches, belts, round discs. The same call gives the same mesh, bit for bit.
 */
#ifndef FILUM_GEOMETRY_TET_BRICK_H
#define FILUM_GEOMETRY_TET_BRICK_H

#include "geometry/tet_mesh.h"

/* How a cell of a box is split. */
typedef enum FilTetSplit {
    FIL_TET_SPLIT_FIVE,      /* one in the middle and four corners, mirrored from cell to cell: fewest elements */
    FIL_TET_SPLIT_SIX,       /* Kuhn: around one diagonal, the same in all cells: all elements alike */
    FIL_TET_SPLIT_SYMMETRIC, /* 24 around the cell's centre and those of its faces: all symmetries of the box */
    FIL_TET_SPLIT_COUNT
} FilTetSplit;

/* Cells that a box is built without: from <= cell < to along each axis. */
typedef struct FilTetHollow {
    int from[3], to[3];
} FilTetHollow;

/* A box of `size` (m) about the origin in cells[0] x cells[1] x cells[2] cells. Allocates. */
FIL_MUST_CHECK FilStatus fil_tet_brick(const double* size, const int* cells, FilTetSplit split, FilTetMesh* mesh, FilError* error);

/* The same without some of its cells. */
FIL_MUST_CHECK FilStatus fil_tet_hollow_brick(const double* size, const int* cells, FilTetSplit split, const FilTetHollow* hollows, int hollow_count,
                                              FilTetMesh* mesh, FilError* error);

/* A block of an arch in the plane x z, its springing line along y: between the angles from < to (rad, from +x towards
 * +z) and the radii radius -+ thickness/2, `depth` along y about 0; cells along the arch, across it and along y. Joints
 * are plane; vertices lie on the circles. Allocates. */
typedef struct FilTetVoussoir {
    double radius, thickness, depth; /* m */
    double from, to;                 /* rad */
    int cells[3];
    FilTetSplit split;
} FilTetVoussoir;

FIL_MUST_CHECK FilStatus fil_tet_voussoir(const FilTetVoussoir* voussoir, FilTetMesh* mesh, FilError* error);

/* A closed belt around two wheels whose axes are along y, `distance` apart along x, the origin midway: its middle surface goes along half circles of
 * `radius` and straights between. Cells of equal length along the belt (6 or more, even), through it and across it, of five elements each, mirrored
 * from cell to cell: with an even number across the belt is symmetric about its middle. Allocates. */
typedef struct FilTetBelt {
    double radius, distance, thickness, width; /* m */
    int cells[3];
} FilTetBelt;

FIL_MUST_CHECK FilStatus fil_tet_belt(const FilTetBelt* belt, FilTetMesh* mesh, FilError* error);

/* A cylinder of `radius` about z, |z| <= length/2: hexagonal rings of triangles, 6 in the first, each ring drawn out
 * to prisms of three elements. Columns of vertices are parallel to z. Allocates. */
FIL_MUST_CHECK FilStatus fil_tet_disc(double radius, double length, int rings, int layers, FilTetMesh* mesh, FilError* error);

#endif
