/* Shapes of rigid bodies and of robots' links as bodies keep them: made from definitions, hulls owned. */
#ifndef FILUM_BODY_RIGID_SHAPE_H
#define FILUM_BODY_RIGID_SHAPE_H

#include "filum/rigid.h"
#include "geometry/shape.h"

typedef struct FilRigidShape {
    FilShape shape;
    FilPose pose;            /* in the body frame */
    FilHull* hull;           /* owned; NULL unless the shape is one */
    FilProfile* profile;     /* owned; NULL unless it is a surface of revolution */
    FilShapeDef def;         /* as given, for those who ask; its points are those of the hull or mesh, its radii of the profile */
    struct FilTriMesh* mesh; /* owned: what the hull is around, if that is less; else NULL */
} FilRigidShape;

/* Fills a zeroed shape; what it holds after a failure must be freed too. Allocates hulls. */
FIL_MUST_CHECK FilStatus fil_rigid_shape_make(const FilShapeDef* def, FilRigidShape* out, FilError* error);
void fil_rigid_shape_free(FilRigidShape* rigid);

/* Volume, centre and inertia in the shape's own frame. */
FilMassProperties fil_rigid_shape_mass(const FilRigidShape* rigid);

/* m, from `centre` (body frame) to the farthest point, at most; 0 for a half-space. */
double fil_rigid_shape_reach(const FilRigidShape* rigid, const double* centre);

#endif
