/* Rays: what they meet first, for range sensors. */
#ifndef FILUM_RAY_H
#define FILUM_RAY_H

#include "filum/base.h"

FIL_API_BEGIN

/* Everything that is simulated together (world.h). */
typedef struct FilWorld FilWorld;

/* A half line. */
typedef struct FilRay {
    FilVec3 origin;    /* m */
    FilVec3 direction; /* of any length but zero */
    double reach;      /* m, > 0; INFINITY: as far as there is anything */
} FilRay;

/* What a ray meets first. */
typedef struct FilRayHit {
    FilId object;    /* null: nothing within reach */
    int part;        /* edge of a rod, disk of an arm, triangle of cloth or a solid's surface, shape of a rigid body or link */
    double distance; /* m, from the origin to the surface; INFINITY: nothing */
    FilVec3 normal;  /* unit, of the surface, against the ray */
} FilRayHit;

/* Where rays first meet a surface in the present state: the shapes that objects have for contact (whether they collide or not), edges of rods, and
 * the triangles of cloth, with its thickness, and of solids. From inside an object that is the way out. Objects that are fixed to `ignored`, and it
 * itself, are not seen; a null id ignores nothing. Rings have no surface. Many rays in one call are much cheaper than one by one. Allocates for the
 * time of the call. */
FIL_MUST_CHECK FilStatus fil_world_cast_rays(const FilWorld* world, const FilRay* rays, int count, FilId ignored, FilRayHit* hits);

FIL_API_END

#endif
