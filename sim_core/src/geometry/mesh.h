/* Triangle meshes beyond what is public: checks, and files already in memory. */
#ifndef FILUM_GEOMETRY_MESH_H
#define FILUM_GEOMETRY_MESH_H

#include "filum/mesh.h"

/* Bounds of what a file may hold. */
#define FIL_MESH_MAX_TRIANGLES 2000000
#define FIL_MESH_MAX_BYTES ((size_t)256 << 20)

/* As fil_mesh_read(), from bytes in memory; `name` stands for the file in messages. */
FIL_MUST_CHECK FilStatus fil_mesh_read_stl(const char* name, const void* bytes, size_t size, double scale, FilMesh* mesh, FilError* error);
FIL_MUST_CHECK FilStatus fil_mesh_read_obj(const char* name, const void* bytes, size_t size, double scale, FilMesh* mesh, FilError* error);

/* FIL_BAD_INPUT unless the mesh is closed (every edge has two triangles that run along it in opposite directions) and
 * faces outwards. `name` stands for it in messages. Allocates for the time of the call. */
FIL_MUST_CHECK FilStatus fil_mesh_check_solid(const FilMesh* mesh, const char* name, FilError* error);

#endif
