/* Solids given by a function that is negative inside, positive outside and near the distance close to the surface:
 * balls, boxes, cylinders, ellipsoids, tori, closed triangle meshes, parts cut off by planes, and smooth unions. */
#ifndef FILUM_GEOMETRY_IMPLICIT_H
#define FILUM_GEOMETRY_IMPLICIT_H

#include "geometry/aabb.h"
#include "geometry/mesh_distance.h"
#include "geometry/pose.h"

typedef enum FilImplicitKind {
    FIL_IMPLICIT_BALL,      /* size[0]: radius */
    FIL_IMPLICIT_BOX,       /* size: half sides */
    FIL_IMPLICIT_CYLINDER,  /* size[0]: radius, size[1]: half length, along z */
    FIL_IMPLICIT_ELLIPSOID, /* size: half axes */
    FIL_IMPLICIT_TORUS,     /* size[0]: radius of the ring about z, size[1]: of its tube */
    FIL_IMPLICIT_MESH,      /* a closed mesh; size unused */
    FIL_IMPLICIT_KIND_COUNT
} FilImplicitKind;

typedef struct FilImplicitPart {
    FilImplicitKind kind;
    FilPose pose;
    double size[3];              /* m */
    const FilMeshDistance* mesh; /* borrowed */
} FilImplicitPart;

typedef struct FilImplicit {
    const FilImplicitPart* parts; /* borrowed; at least one */
    int part_count;
    double blend; /* m, width of the rounding where parts meet; 0: a sharp union */
    /* What lies beyond a plane is cut off: normal . x > offset. None if the normal is zero. */
    double cut_normal[3], cut_offset;
} FilImplicit;

/* Parts of positive sizes, a blend that is not negative; `name` stands for it in messages. */
FIL_MUST_CHECK FilStatus fil_implicit_check(const FilImplicit* implicit, const char* name, FilError* error);

double fil_implicit_value(const FilImplicit* implicit, const double* p);

/* Contains the solid. */
FilAabb fil_implicit_bounds(const FilImplicit* implicit);

#endif
