/* The surface of a rigid body as it is, not its hull: triangles that enclose a volume, and what is inside. */
#ifndef FILUM_GEOMETRY_TRI_MESH_H
#define FILUM_GEOMETRY_TRI_MESH_H

#include "geometry/boundary.h"
#include "geometry/mesh.h"

/* Const after creation. */
typedef struct FilTriMesh {
    FilMesh mesh;         /* owned */
    FilBoundary boundary; /* signed distances */
    FilMassProperties mass;
} FilTriMesh;

/* Takes over the arrays of a mesh that is closed and faces outwards, also when it fails: FIL_BAD_INPUT and a message if it is
 * not. `name` stands for it in messages. Allocates. */
FIL_MUST_CHECK FilStatus fil_tri_mesh_create(FilMesh* mesh, const char* name, FilTriMesh** out, FilError* error);
void fil_tri_mesh_destroy(FilTriMesh* mesh); /* NULL is fine */

#endif
