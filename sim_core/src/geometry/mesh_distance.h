/* Signed distance to a closed triangle mesh: negative inside. */
#ifndef FILUM_GEOMETRY_MESH_DISTANCE_H
#define FILUM_GEOMETRY_MESH_DISTANCE_H

#include "geometry/aabb.h"
#include "geometry/mesh.h"

typedef struct FilMeshDistance FilMeshDistance;

/* Checks that the mesh is closed and faces outwards (fil_mesh_check_solid), and copies what it needs. Allocates. */
FIL_MUST_CHECK FilStatus fil_mesh_distance_create(const FilMesh* mesh, const char* name, FilMeshDistance** out, FilError* error);
void fil_mesh_distance_destroy(FilMeshDistance* distance); /* NULL is fine */

double fil_mesh_distance(const FilMeshDistance* distance, const double* p);
FilAabb fil_mesh_distance_bounds(const FilMeshDistance* distance);

#endif
