/* A ring as a rigid body: the round hole of a body that a rod passes through.
 *
 * The rod's line crosses the plane of the hole at a distance d from its centre and at an angle phi to its axis. There the
 * section of a round rod is an oval, and the circle around it, of radius rod_radius / cos(phi), stays inside the hole:
 *     gap = radius - d - rod_radius / cos(phi),   energy = -K (range - gap)^2 log(gap / range) below `range`,
 * which is P4 eq. 9 of range - gap. Its force on the rod is across both the rod and the rim. Since gap > 0 the rod never
 * lies flat in the hole's plane. An end of the rod that is held is a stop: -K s^2 log(1 - s / range) of the length s by
 * which the hole is beyond it, along the rod's last direction.
 *
 * Variables are the body's centre of mass, its turn (a rotation vector in the body's frame) and three nodes of the track. */
#ifndef FILUM_CONTACT_RING_HOLE_H
#define FILUM_CONTACT_RING_HOLE_H

#include "geometry/track.h"

enum { FIL_HOLE_SIZE = 15 };

typedef struct FilRingHole {
    double center[3]; /* m, from the centre of mass, body frame */
    double axis[3];   /* unit, body frame; against the track, so that dr/du . axis > 0 (geometry/track.h) */
    double radius;    /* m */
    double rod_radius;
    double range, stiffness;
} FilRingHole;

/* Centre and axis in the world, for a body with its centre of mass at x. */
void fil_hole_place(const FilRingHole* hole, const double* x, const double* rotation, double* center, double* axis);

/* The rod's free way: radius - d - rod_radius / cos(phi). */
double fil_hole_gap(const FilRingHole* hole, const double* axis, const FilTrackPoint* point);

/* Energy at a crossing, infinite if the gap is closed; 15 and 15 x 15 derivatives, which may be NULL. `positive`: only what
 * makes the Hessian positive semi-definite. */
double fil_hole_energy(const FilRingHole* hole, const double* rotation, const FilTrackPoint* point, double* gradient,
                       double* hessian, bool positive);

#endif
