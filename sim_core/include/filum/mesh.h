/* Triangle meshes from STL and OBJ files, for shells and hulls. */
#ifndef FILUM_MESH_H
#define FILUM_MESH_H

#include "filum/base.h"

FIL_API_BEGIN

/* A surface of triangles. */
typedef struct FilMesh {
    int vertex_count, triangle_count;
    double* vertices; /* 3 per vertex, m */
    int* triangles;   /* 3 per triangle, counter-clockwise seen from outside */
} FilMesh;

void fil_mesh_free(FilMesh* mesh); /* its arrays; a zeroed mesh is fine */

/* Reads a mesh, its format known by the ending .stl (ASCII or binary) or .obj (vertices and faces; polygons are cut into
 * fans). Coordinates are multiplied by `scale`. Vertices of equal coordinates are merged. Errors name the file, and the
 * line where there is one. Allocates. */
FIL_MUST_CHECK FilStatus fil_mesh_read(const char* path, double scale, FilMesh* mesh, FilError* error);
/* The same of a file that must lie below one of `folders`, separated by colons, wherever links lead; NULL: anywhere. */
FIL_MUST_CHECK FilStatus fil_mesh_read_below(const char* path, const char* folders, double scale, FilMesh* mesh, FilError* error);

FIL_API_END

#endif
