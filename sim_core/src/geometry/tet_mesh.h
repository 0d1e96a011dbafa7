/* Tetrahedral meshes: vertices, elements, their neighbours, and the surface. Made by a builder, which checks them;
 * constant afterwards. */
#ifndef FILUM_GEOMETRY_TET_MESH_H
#define FILUM_GEOMETRY_TET_MESH_H

#include "filum/base.h"

/* Bounds of what a file or a generator may make. */
#define FIL_TET_MAX_TETS 4000000
#define FIL_TET_MAX_VERTICES 2000000

typedef struct FilTetMesh {
    int vertex_count, tet_count, triangle_count;
    double* vertices;   /* 3 per vertex, m */
    int* tets;          /* 4 per element, of positive volume: (x1 - x0) . (x2 - x0) x (x3 - x0) > 0 */
    int* neighbours;    /* 4 per element: the one across the face opposite to vertex k, -1 at the surface */
    int* triangles;     /* 3 per triangle of the surface, counter-clockwise seen from outside; by rising element */
    int* triangle_tets; /* the element behind each triangle */
    int* link_start;    /* vertex_count + 1: where the links of a vertex begin */
    int* links;         /* vertices that share an edge with it, rising */
} FilTetMesh;

void fil_tet_mesh_free(FilTetMesh* mesh); /* its arrays; a zeroed mesh is fine */

double fil_tet_mesh_volume(const FilTetMesh* mesh); /* m^3 */

/* Corners of the face opposite to vertex k of an element of positive volume, counter-clockwise seen from outside. */
extern const int fil_tet_faces[4][3];

/* Brings three numbers into their order; whether by an even number of swaps. */
static inline bool fil_tet_sort(int v[3])
{
    bool even = true;
    for (int pass = 0; pass < 3; pass++) {
        const int k = pass % 2;
        if (v[k] > v[k + 1]) {
            const int larger = v[k];
            v[k] = v[k + 1];
            v[k + 1] = larger;
            even = !even;
        }
    }
    return even;
}

/* For plane strain: each vertex's first vertex that differs by no more than `tolerance` (m) in the two coordinates
 * across `axis`; itself if it is the first. Allocates for the time of the call. */
FIL_MUST_CHECK FilStatus fil_tet_mesh_columns(const FilTetMesh* mesh, int axis, double tolerance, int* first, FilError* error);

/* ---- making one ---- */

typedef struct FilTetBuilder {
    double* vertices;
    int* tets;
    int* lines; /* of each element in its file, or 0 */
    int vertex_count, vertex_capacity, tet_count, tet_capacity, line_capacity;
} FilTetBuilder;

void fil_tet_builder_free(FilTetBuilder* builder); /* a zeroed one is fine */

/* Appends; false when out of memory or beyond the bounds above. Line: 0 where there is no file. */
FIL_MUST_CHECK bool fil_tet_builder_add_vertex(FilTetBuilder* builder, const double* p);
FIL_MUST_CHECK bool fil_tet_builder_add_tet(FilTetBuilder* builder, const int* corners, int line);

/* Turns what was added into a mesh and empties the builder. `name` stands for it in messages, which count elements and
 * vertices from 1. FIL_BAD_INPUT for: no elements; coordinates that are not finite; vertices that do not exist, occur
 * twice in an element, belong to no element, or coincide; elements that are inverted or flat, overlap, or share a face
 * among three. */
FIL_MUST_CHECK FilStatus fil_tet_builder_finish(FilTetBuilder* builder, const char* name, FilTetMesh* mesh, FilError* error);

#endif
