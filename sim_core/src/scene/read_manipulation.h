/* Reads `plan` sections that list contacts. */
#ifndef FILUM_SCENE_READ_MANIPULATION_H
#define FILUM_SCENE_READ_MANIPULATION_H

#include "scene/scene_build.h"

void fil_scene_read_manipulation(FilScene* scene, const FilYaml* mapping, FilManipulationTask* task);

#endif
