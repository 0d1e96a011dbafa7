/* Links of a URDF: inertia and collision shapes. */
#ifndef FILUM_SCENE_URDF_LINK_H
#define FILUM_SCENE_URDF_LINK_H

#include "scene/urdf_xml.h"

/* The one shape inside of <geometry>. A mesh that collides is the convex hull of its vertices; one that is only seen has its triangles,
 * and where it cannot be read, `seen` gets false and nothing fails. NULL: the shape collides. */
void fil_urdf_read_geometry(FilUrdfReader* reader, const xmlNode* geometry, FilShapeDef* shape, bool* seen);

void fil_urdf_read_link(FilUrdfReader* reader, const xmlNode* node, FilLinkDef* link);

#endif
