/* Convex hulls of points, with polygon faces for contact patches and vertex neighbours for support climbing. */
#ifndef FILUM_GEOMETRY_HULL_H
#define FILUM_GEOMETRY_HULL_H

#include "filum/base.h"
#include "geometry/mass.h"

/* Most points that a hull may be asked of. */
#define FIL_HULL_MAX_POINTS 262144

/* Const after creation. One entry of `around_*` per face that meets at a vertex. */
typedef struct FilHull {
    int vertex_count, face_count;
    double* vertices;   /* 3 per vertex, m */
    double* normals;    /* 3 per face, outward, unit */
    int* face_first;    /* face_count + 1: corners of face f are face_corners[face_first[f]] up to face_first[f + 1] */
    int* face_corners;  /* vertices, counter-clockwise seen from outside */
    int* around_first;  /* vertex_count + 1 */
    int* around_face;   /* a face at the vertex ... */
    int* around_vertex; /* ... and the next vertex along that face: a neighbour */
    FilMassProperties mass;
} FilHull;

/* Hull of `count` points (3 doubles each, m). FIL_BAD_INPUT when there are too few or too many, when a coordinate is
 * not finite, or when all lie in one plane. Allocates. */
FIL_MUST_CHECK FilStatus fil_hull_create(const double* points, int count, FilHull** hull, FilError* error);
void fil_hull_destroy(FilHull* hull); /* NULL is fine */

/* Hull of the vertices of an STL or OBJ file (see mesh.h), whose mesh must be closed and face outwards. Allocates. */
FIL_MUST_CHECK FilStatus fil_hull_read(const char* path, double scale, FilHull** hull, FilError* error);

/* Vertex farthest along `direction`; `hint` is where to start looking and takes the answer. */
int fil_hull_support(const FilHull* hull, const double* direction, int* hint);

/* The face at `vertex` that looks most along `direction`. */
int fil_hull_face(const FilHull* hull, int vertex, const double* direction);

#endif
