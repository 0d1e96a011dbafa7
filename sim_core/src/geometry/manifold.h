/* Contact manifolds: the few points at which two convex shapes meet. */
#ifndef FILUM_GEOMETRY_MANIFOLD_H
#define FILUM_GEOMETRY_MANIFOLD_H

#include "geometry/convex.h"

/* Most points that a pair keeps. Four corners hold a flat face as well as any number. */
#define FIL_MANIFOLD_POINTS 4

typedef struct FilContactPoint {
    double position[3]; /* m, midway between the two surfaces */
    double normal[3];   /* unit, from a to b */
    double distance;    /* m, between the surfaces; negative: penetration */
    uint32_t feature;   /* which corners and edges meet; the same from step to step while they do */
} FilContactPoint;

/* Points where the shapes meet, given how their cores are separated: the overlap of two faces, of two lines side by
 * side, or the single closest point. Keeps points whose surfaces are at most `margin` apart. Returns their number. */
int fil_manifold_build(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, const FilSeparation* separation,
                       double margin, FilContactPoint out[FIL_MANIFOLD_POINTS]);

/* The same for two segments with a radius each: one point, or two when they lie side by side. */
int fil_manifold_segments(const double* p0, const double* p1, double radius_p, const double* q0, const double* q1, double radius_q, double margin,
                          FilContactPoint out[FIL_MANIFOLD_POINTS]);

/* Corners of `face`, of a core with a rounding radius, within `margin` of the plane through `origin` with unit normal
 * `up`. Normals point from the face to the plane's solid. */
int fil_manifold_plane(const FilFace* face, double rounding, const double* origin, const double* up, double margin,
                       FilContactPoint out[FIL_MANIFOLD_POINTS]);

#endif
