/* Triangle meshes: checks, mass properties, and the STL and OBJ files they come from. */
#ifndef FILUM_GEOMETRY_MESH_H
#define FILUM_GEOMETRY_MESH_H

#include "filum/base.h"

/* Bounds of what a file may hold. */
#define FIL_MESH_MAX_TRIANGLES 2000000
#define FIL_MESH_MAX_BYTES ((size_t)256 << 20)

typedef struct FilMesh {
    int vertex_count, triangle_count;
    double* vertices; /* 3 per vertex, m */
    int* triangles;   /* 3 per triangle, counter-clockwise seen from outside */
} FilMesh;

void fil_mesh_free(FilMesh* mesh); /* its arrays; a zeroed mesh is fine */

/* Reads a mesh, its format told by the ending .stl (ASCII or binary) or .obj (vertices and faces; polygons are cut into
 * fans). Coordinates are multiplied by `scale`. Vertices of equal coordinates are merged. Errors name the file, and the
 * line where there is one. Allocates. */
FIL_MUST_CHECK FilStatus fil_mesh_read(const char* path, double scale, FilMesh* mesh, FilError* error);

/* The same from bytes in memory; `name` stands for the file in messages. */
FIL_MUST_CHECK FilStatus fil_mesh_read_stl(const char* name, const void* bytes, size_t size, double scale,
                                           FilMesh* mesh, FilError* error);
FIL_MUST_CHECK FilStatus fil_mesh_read_obj(const char* name, const void* bytes, size_t size, double scale,
                                           FilMesh* mesh, FilError* error);

/* FIL_BAD_INPUT unless the mesh is closed (every edge has two triangles that run along it in opposite directions) and
 * faces outwards. `name` stands for it in messages. Allocates for the time of the call. */
FIL_MUST_CHECK FilStatus fil_mesh_check_solid(const FilMesh* mesh, const char* name, FilError* error);

#endif
