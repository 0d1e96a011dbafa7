/* Shapes of solid bodies as bodies keep them: made from definitions, hulls owned. */
#ifndef FILUM_BODY_SOLID_H
#define FILUM_BODY_SOLID_H

#include "filum/rigid.h"
#include "geometry/shape.h"

typedef struct FilSolid {
    FilShape shape;
    FilPose pose;    /* in the body frame */
    FilHull* hull;   /* owned; NULL unless the shape is one */
    FilShapeDef def; /* as given, for those who ask; its points are those of the hull */
} FilSolid;

/* Fills a zeroed solid; what it holds after a failure must be freed too. Allocates hulls. */
FIL_MUST_CHECK FilStatus fil_solid_make(const FilShapeDef* def, FilSolid* out, FilError* error);
void fil_solid_free(FilSolid* solid);

/* m, from `centre` (body frame) to the farthest point, at most; 0 for a half-space. */
double fil_solid_reach(const FilSolid* solid, const double* centre);

#endif
