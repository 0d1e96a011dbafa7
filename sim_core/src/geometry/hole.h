/* A round hole in a rigid body, and how much room a rod that passes it has.
 *
 * The rod's line crosses the plane of the hole at a distance d from its centre and at an angle phi to its axis. There
 * the section of a round rod is an oval; the circle around it, of radius rod_radius / cos(phi), shall stay inside the
 * hole: gap = radius - d - rod_radius / cos(phi). */
#ifndef FILUM_GEOMETRY_HOLE_H
#define FILUM_GEOMETRY_HOLE_H

#include "geometry/track.h"

typedef struct FilHole {
    double center[3]; /* m, from the body's centre of mass, body frame */
    double axis[3];   /* unit, body frame; against the track, so that dr/du . axis > 0 (geometry/track.h) */
    double radius;    /* m */
    double rod_radius;
} FilHole;

/* Centre and axis in the world, for a body with its centre of mass at x. */
void fil_hole_place(const FilHole* hole, const double* x, const double* rotation, double* center, double* axis);

/* Of the crossing of a plane across `axis`, in the world. */
double fil_hole_gap(const FilHole* hole, const double* axis, const FilTrackPoint* crossing);

#endif
