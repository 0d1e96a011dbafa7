/* Few points in place of many: what a body feels of a patch is its wrench.
 *
 * The points of one pair are shared out, bilinearly, among the corners of the box around them that lies along a given
 * axis; then the corners are drawn together around the centre of pressure c and a part of everything is put there, so
 * that of the touching points, f = A p,
 *
 *     sum f n          force
 *     sum f x          centre of pressure
 *     sum f |x - c|    torsion over the coefficient of friction
 *     sum f |x - c|^2  resistance to tilting, where the other three allow it
 *
 * are kept; stiffness and area are shared out likewise. With one normal the first three are exact; on curved patches
 * what is lost is reported. Weights are never negative and follow the points continuously. Points that do not touch
 * yet become four of their own, weighted by stiffness. */
#ifndef FILUM_GEOMETRY_PATCH_REDUCE_H
#define FILUM_GEOMETRY_PATCH_REDUCE_H

#include "geometry/patch.h"

/* Most points that are left: five that touch, four that are about to. */
#define FIL_PATCH_TOUCHING 5
#define FIL_PATCH_REDUCED 9

/* What reduction changed, of the touching points, relative. */
typedef struct FilPatchChange {
    double force;   /* |difference of forces| / force */
    double centre;  /* distance between centres of pressure / rms radius */
    double torsion; /* of sum f |x - c| */
    double tilt;    /* of sum f |x - c|^2 */
} FilPatchChange;

/* Replaces points `first` and after, all of one pair, by at most FIL_PATCH_REDUCED. `axis` (world, any length) orients
 * the box and should move with a body: a rod's tangent, a body's own axis. `feature` names the pair in the features of
 * the new points. Allocates nothing. */
FilPatchChange fil_patch_reduce(FilPatch* patch, int first, const double* axis, int feature);

#endif
