/* Two boxes, by separating axes. */
#ifndef FILUM_GEOMETRY_BOXES_H
#define FILUM_GEOMETRY_BOXES_H

#include "geometry/convex.h"

/* Separation of two boxes; false when farther apart than `cutoff`. */
bool fil_boxes_separation(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, double cutoff, FilSeparation* out);

#endif
