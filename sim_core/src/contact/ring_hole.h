/* A ring as a rigid body: the potential that keeps a rod inside a hole.
 *
 * -K g^2 log(1 - g / range) of g = range - gap (P4 eq. 9; geometry/hole.h), which is P4 eq. 5 of the gap. Its force on
 * the rod is across both the rod and the rim. Since the gap never closes the rod never lies flat in the hole's plane.
 * An end of the rod that is held is a stop: the same potential of the length by which the hole is beyond it along the
 * rod's last direction.
 *
 * Variables are the body's centre of mass, its turn (a rotation vector in the body's frame) and four nodes of the
 * track. */
#ifndef FILUM_CONTACT_RING_HOLE_H
#define FILUM_CONTACT_RING_HOLE_H

#include "geometry/hole.h"

/* Three numbers each of the six. */
enum { FIL_HOLE_SIZE = 18 };

typedef struct FilHoleBarrier {
    const FilHole* hole;
    double range, stiffness;
} FilHoleBarrier;

/* Energy at a crossing, infinite if the gap is closed; 18 and 18 x 18 derivatives, which may be NULL. `positive`: only
 * what makes the Hessian positive semi-definite. */
double fil_hole_energy(const FilHoleBarrier* barrier, const double* rotation, const FilTrackPoint* crossing, double* gradient, double* hessian,
                       bool positive);

#endif
