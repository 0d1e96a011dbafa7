/* The narrow phase: contact points of two posed shapes, through one table of pairs. */
#ifndef FILUM_GEOMETRY_COLLIDE_H
#define FILUM_GEOMETRY_COLLIDE_H

#include "geometry/manifold.h"

/* Contact points of a and b whose surfaces are at most `margin` (>= 0, m) apart, at most FIL_MANIFOLD_POINTS. Normals
 * point from a to b. Two half-spaces never meet. Does not allocate. */
int fil_collide(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, double margin,
                FilContactPoint out[FIL_MANIFOLD_POINTS]);

/* Signed distance between the surfaces of a and b, if it is at most `cutoff`; else HUGE_VAL. */
double fil_signed_distance(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, double cutoff);

#endif
