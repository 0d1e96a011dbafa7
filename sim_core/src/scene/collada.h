/* Triangles of Collada files (.dae), which many URDFs name: geometry, where the scene's nodes put it, units. Materials, normals, skins
 * and animations are left out, and so is up_axis, as readers of ROS do. */
#ifndef FILUM_SCENE_COLLADA_H
#define FILUM_SCENE_COLLADA_H

#include "filum/mesh.h"

/* In metres. FIL_BAD_INPUT: `error` says what is wrong, and at which line. The caller frees the mesh. */
FIL_MUST_CHECK FilStatus fil_collada_read(const char* path, FilMesh* mesh, FilError* error);
/* The same from bytes; `name` stands for the file. */
FIL_MUST_CHECK FilStatus fil_collada_read_text(const char* name, const char* text, size_t size, FilMesh* mesh, FilError* error);

#endif
