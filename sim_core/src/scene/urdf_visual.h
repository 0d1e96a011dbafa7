/* Visuals of a URDF: shapes that are seen, and their colours. */
#ifndef FILUM_SCENE_URDF_VISUAL_H
#define FILUM_SCENE_URDF_VISUAL_H

#include "scene/urdf_xml.h"

/* Of all links, which were read before. Meshes that cannot be read are left out and noted as ignored. */
void fil_urdf_read_visuals(FilUrdfReader* reader, const xmlNode* root, FilUrdf* urdf);

#endif
