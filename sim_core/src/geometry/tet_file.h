/* Files of tetrahedral meshes: VTK legacy (2.0 to 5.1) and Gmsh (2.2 and 4.1), both as text. */
#ifndef FILUM_GEOMETRY_TET_FILE_H
#define FILUM_GEOMETRY_TET_FILE_H

#include "geometry/tet_mesh.h"

#define FIL_TET_MAX_BYTES ((size_t)512 << 20)

/* Reads the linear tetrahedra of a file, its format known by the ending .vtk or .msh. Coordinates are multiplied by
 * `scale`. Points, lines, triangles and quadrilaterals are passed over; other elements that have a volume are refused.
 * Errors name the file and the line. Vertices and elements keep the file's order. Allocates. */
FIL_MUST_CHECK FilStatus fil_tet_read(const char* path, const char* folders, double scale, FilTetMesh* mesh, FilError* error);

/* The same from bytes in memory; `name` stands for the file in messages. */
FIL_MUST_CHECK FilStatus fil_tet_read_vtk(const char* name, const void* bytes, size_t size, double scale, FilTetMesh* mesh, FilError* error);
FIL_MUST_CHECK FilStatus fil_tet_read_gmsh(const char* name, const void* bytes, size_t size, double scale, FilTetMesh* mesh, FilError* error);

#endif
