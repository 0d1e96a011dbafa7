/* Distance and penetration of any two convex cores: GJK while they are apart, an expanding polytope once they meet.
 *
 * libccd's MPR stands by for the case that the polytope gives up; on its own it would not do, because its depth is not
 * the smallest one and it knows no distances. Nothing here allocates. */
#ifndef FILUM_GEOMETRY_CONVEX_H
#define FILUM_GEOMETRY_CONVEX_H

#include "geometry/shape.h"

/* How two cores lie to each other. */
typedef struct FilSeparation {
    double distance;   /* m; negative: the shortest way out */
    double normal[3];  /* unit, from a to b: moving b by -distance along it makes them touch */
    double a[3], b[3]; /* m: the points, on either core, between which the distance is measured */
} FilSeparation;

/* Separation of the cores (spheres are points, capsules segments). Returns false when they are farther apart than
 * `cutoff`; `out` is then not written. Not for half-spaces. */
bool fil_convex_separation(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, double cutoff, FilSeparation* out);

#endif
