/* Rays through a world: every surface at its present place, in one tree for all rays of a call. */
#ifndef FILUM_COLLISION_RAYS_H
#define FILUM_COLLISION_RAYS_H

#include "collision/collision.h"
#include "geometry/ray.h"

typedef struct FilRayFound {
    FilRayMeeting met;
    int object; /* of the world; -1: nothing */
    int part;   /* as FilRayHit's */
} FilRayFound;

/* What rays meet within `reach` (m, one each), but for shapes that the object `ignored` carries (-1: none is). Bodies are where the system's state
 * has them. Allocates for the time of the call. */
FIL_MUST_CHECK FilStatus fil_collision_cast(const FilCollisionStage* stage, const FilHalfLine* rays, const double* reach, int count, int ignored,
                                            FilRayFound* found);

#endif
