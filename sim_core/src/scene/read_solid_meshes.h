/* The mesh of a solid, from the one key of it that says what it is made of. */
#ifndef FILUM_SCENE_READ_SOLID_MESHES_H
#define FILUM_SCENE_READ_SOLID_MESHES_H

#include "filum/solid.h"
#include "scene/scene_build.h"

/* Rows of all meshes, for the keys of a solid. */
extern const FilKey fil_solid_mesh_keys[];

/* The caller frees the mesh, after a failure too. */
void fil_scene_read_solid_mesh(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh);

#endif
