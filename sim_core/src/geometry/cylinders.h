/* Two cylinders: what the general method leaves off is found in closed form, or by Newton's method. */
#ifndef FILUM_GEOMETRY_CYLINDERS_H
#define FILUM_GEOMETRY_CYLINDERS_H

#include "geometry/convex.h"

/* A separation of two cylinders that is exact to about 1e-7, as the general method has it, to rounding where two barrels or two rims cross or a rim
 * meets a barrel. Elsewhere, and where that leads away, it stays. */
void fil_cylinders_polish(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, FilSeparation* separation);

#endif
