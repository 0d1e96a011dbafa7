/* Convex shapes: what they are, how far they reach, which face they show.
 *
 * Each shape stands in its own frame, centred at the origin; capsules and cylinders lie along z. Spheres and capsules
 * are a core (point, segment) with a rounding radius around it; the other shapes are their own core. Compounds are
 * lists of posed shapes and belong to whoever owns them. Nothing here allocates; hulls are borrowed. */
#ifndef FILUM_GEOMETRY_SHAPE_H
#define FILUM_GEOMETRY_SHAPE_H

#include "geometry/aabb.h"
#include "geometry/hull.h"
#include "geometry/pose.h"
#include "geometry/profile.h"

typedef enum FilShapeKind {
    FIL_PRIMITIVE_SPHERE,     /* radius */
    FIL_PRIMITIVE_CAPSULE,    /* radius, half[2]: half the length between the cap centres */
    FIL_PRIMITIVE_CYLINDER,   /* radius, half[2]: half its length */
    FIL_PRIMITIVE_BOX,        /* half */
    FIL_PRIMITIVE_HALF_SPACE, /* everything below z = 0 */
    FIL_PRIMITIVE_HULL,       /* hull */
    FIL_PRIMITIVE_KINDS,
} FilShapeKind;

struct FilTriMesh;

typedef struct FilShape {
    FilShapeKind kind;
    double radius;                 /* m */
    double half[3];                /* m */
    const FilHull* hull;           /* borrowed */
    const FilProfile* profile;     /* borrowed; of hulls around a surface of revolution, which is what patches touch; else NULL */
    const struct FilTriMesh* mesh; /* borrowed: the surface that a hull is around (tri_mesh.h); NULL: the hull itself */
} FilShape;

FilShape fil_shape_sphere(double radius);
FilShape fil_shape_capsule(double radius, double half_length);
FilShape fil_shape_cylinder(double radius, double half_length);
FilShape fil_shape_box(double half_x, double half_y, double half_z);
FilShape fil_shape_half_space(void);
FilShape fil_shape_hull(const FilHull* hull);
FilShape fil_shape_revolution(const FilHull* hull, const FilProfile* profile);

/* The capsule around the segment p q, and where it stands: one edge of a rod. */
FilShape fil_shape_of_segment(const double* p, const double* q, double radius, FilPose* pose);

/* A lower-case name, such as "half-space". */
const char* fil_shape_kind_name(FilShapeKind kind);

/* FIL_BAD_INPUT if a size is missing, negative or not finite. */
FIL_MUST_CHECK FilStatus fil_shape_check(const FilShape* shape, FilError* error);

/* Volume, centre and inertia in the shape's own frame. A half-space has none: all zero. */
FilMassProperties fil_shape_mass(const FilShape* shape);

/* Radius of the rounding around the core: of spheres and capsules, else 0. */
static inline double fil_shape_rounding(const FilShape* shape)
{
    return shape->kind <= FIL_PRIMITIVE_CAPSULE ? shape->radius : 0.0;
}

/* Point of the core farthest along `direction` (local, any length). `hint` speeds up hulls; start it at 0. Not for
 * half-spaces. */
void fil_shape_core_support(const FilShape* shape, const double* direction, int* hint, double* out);

/* Point of the shape itself farthest along `direction`. Not for half-spaces. */
void fil_shape_support(const FilShape* shape, const double* direction, double* out);

/* A point well inside, local. */
void fil_shape_centre(const FilShape* shape, double* out);

/* Bounds of a posed shape; infinite for a half-space, which is best kept out of trees. */
FilAabb fil_shape_aabb(const FilShape* shape, const FilPose* pose);

/* Most corners that a face shows; larger hull faces are thinned out. */
#define FIL_FACE_CORNERS 32

/* Corners of the polygon that stands for a cylinder's cap. */
#define FIL_CAP_CORNERS 16

/* What a core shows in one direction: a point, a line or a polygon, in the world. */
typedef struct FilFace {
    int count;
    double corner[FIL_FACE_CORNERS][3]; /* m; a polygon runs counter-clockwise seen from outside */
    int id[FIL_FACE_CORNERS];           /* which corner of the shape, below 2^14 */
    double normal[3];                   /* outward, unit; polygons only */
} FilFace;

/* The face, edge or vertex of the posed core that looks along `direction` (world, unit) and holds the farthest point.
 * Not for half-spaces. */
void fil_shape_face(const FilShape* shape, const FilPose* pose, const double* direction, FilFace* face);

#endif
