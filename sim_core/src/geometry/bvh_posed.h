/* Walks of bounding trees whose items do not move, but their frames do. */
#ifndef FILUM_GEOMETRY_BVH_POSED_H
#define FILUM_GEOMETRY_BVH_POSED_H

#include "geometry/bvh.h"
#include "geometry/pose.h"

/* The box around a moved box. */
FilAabb fil_aabb_moved(const FilAabb* box, const FilPose* pose);

/* Appends (a, b) for items of two trees whose boxes may overlap, where `relative` is the pose of b's frame in a's.
 * Boxes of b are boxed again in a's frame: a few pairs too many. */
FIL_MUST_CHECK FilStatus fil_bvh_posed_pairs(const FilBvh* a, const FilBvh* b, const FilPose* relative, FilPairs* pairs);

/* Appends (a, 0) for items whose boxes the plane normal . x = offset cuts or touches, or, if `below`, that reach below
 * it. */
FIL_MUST_CHECK FilStatus fil_bvh_plane_items(const FilBvh* a, const double* normal, double offset, bool below, FilPairs* pairs);

#endif
