/* Links of a URDF: inertia and collision shapes. */
#ifndef FILUM_SCENE_URDF_LINK_H
#define FILUM_SCENE_URDF_LINK_H

#include "scene/urdf_xml.h"

void fil_urdf_read_link(FilUrdfReader* reader, const xmlNode* node, FilLinkDef* link);

#endif
