/* The potentials of incremental potential contact (P4), of distances and of features.
 *
 * Contact (eq. 5): B(g) = -K (g - range)^2 log(g / range) of the gap g between surfaces, zero from `range` on.
 * Ring on rod (eq. 9, with its sign put right): R(g) = -K g^2 log(1 - g / range), infinite from `range` on.
 * Friction (eq. 7, C1 at the bound): force mu N f(s / bound), f(y) = 2 y - y^2 below 1, else 1; as a potential of the slip.
 * All are C2 at their thresholds. Nothing here allocates. */
#ifndef FILUM_CONTACT_IPC_BARRIER_H
#define FILUM_CONTACT_IPC_BARRIER_H

#include "geometry/feature.h"
#include "geometry/track.h"

/* A value and its first two derivatives. */
typedef struct FilJet {
    double value, first, second;
} FilJet;

FilJet fil_barrier(double gap, double range, double stiffness);
FilJet fil_ring_barrier(double gap, double range, double stiffness);

/* Of the slip speed s: potential, force over mu N, and its slope. */
FilJet fil_slip(double speed, double bound);

/* Of the parabola that touches the slip potential from above: a step with it never leads uphill. */
double fil_slip_bound_curvature(double speed, double bound);

/* A pair of features that repel each other. */
typedef struct FilRepulsion {
    FilFeature pair;
    double offset; /* m: the gap is the distance less this (radii, half thicknesses) */
    double range, stiffness;
    double parallel; /* m^4; segment pairs: below this |e x f|^2 they count as parallel and ends take over; 0: never */
} FilRepulsion;

/* Energy of the pair with corners x. `gradient` and `hessian` may be NULL. `positive`: only what makes the Hessian positive
 * semi-definite. Infinite if the gap is not positive.
 *
 * The closest points of nearly parallel segments jump, so the energy of two segments is
 *     m B(segment-segment) + (1 - m) / 2 sum B(end-segment),   m = y (2 - y), y = |e x f|^2 / parallel below 1, else 1. */
double fil_repulsion_energy(const FilRepulsion* repulsion, const double* x, double* gradient, double* hessian, bool positive);

/* Whether that Hessian is `along` times a square g g', as of most pairs of features. Of two corners or three, the rest of g stays as it is. */
bool fil_repulsion_square(const FilRepulsion* repulsion, const double* x, bool positive, double* along, double* g);

/* Whether its segments count as parallel with corners x, so that ends take part. */
bool fil_repulsion_parallel(const FilRepulsion* repulsion, const double* x);

/* Share m of segment-segment in the energy, with corners x: 1 unless they count as parallel. */
double fil_repulsion_crossing(const FilRepulsion* repulsion, const double* x);

/* The rule of the thumb: |e|^2 |f|^2 / 1000 of the rest lengths, angles below 1.8 degrees. */
double fil_parallel_threshold(double length_a, double length_b);

/* A ring: a point bound to a track to within `offset` plus `range` of it; 12 and 12 x 12 numbers over (point, nodes of the
 * piece). `gradient` and `hessian` may be NULL. */
double fil_ring_energy(double offset, double range, double stiffness, const FilTrackPoint* point, double* gradient, double* hessian, bool positive);

#endif
