/* One section of a soft arm: a circular arc of constant curvature, in closed form.
 *
 * A section is three numbers q, the elongations (m) of three chambers 120 degrees apart. They are a linear map of its
 * shape: the bending vector b = theta (cos psi, sin psi), theta being the angle and psi the direction towards which it
 * bends, and the elongation e of the backbone: q_j = e - r b . d_j,  d_j = (cos phi_j, sin phi_j) At the fraction s of
 * the section, with beta = s b, x = |beta|^2 and L = L0 + e, p = s L (beta c2, c1),  R = exp [(-beta_y, beta_x, 0)], in
 * Stumpff's functions c_k(x) = sum (-x)^i / (k + 2 i)!, that is c1 = sin(t)/t, c2 = (1 - cos t)/t^2, c3 = (t - sin
 * t)/t^3 with t = |beta|. They are entire functions of x, so the straight pose is a point like any other. Their
 * derivatives are functions of the same family, c_k' = (k c_{k+2} - c_{k+1}) / 2. */
#ifndef FILUM_BODY_SOFT_ARM_SECTION_H
#define FILUM_BODY_SOFT_ARM_SECTION_H

#include "geometry/pose.h"

/* What kinematics needs to know of a section. */
typedef struct FilArc {
    double length;   /* m, at rest */
    double shape[9]; /* by rows: (b_x, b_y, e) = shape q */
} FilArc;

/* The frame at a fraction of the section, seen from its base, and its derivatives. Matrices are 3 x 3 by rows. */
typedef struct FilArcFrame {
    double s, beta[2], length; /* what it was made of */
    double c[7];
    FilPose pose;
    double move[9]; /* dp = move dq */
    double turn[9]; /* rotation vector, in the base's axes: turn dq */
} FilArcFrame;

/* Rates of `move` and `turn` when q changes at the rate v: exact second derivatives, one direction at a time. */
typedef struct FilArcRates {
    double move[9], turn[9];
} FilArcRates;

/* Chambers at the distance `offset` from the backbone, the first at `angle` (rad) from the x axis. */
FilArc fil_arc_make(double length, double offset, double angle);

/* c_0 ... c_6 at x >= 0. */
void fil_stumpff(double x, double c[7]);

/* Bending vector (rad) and length (m) at q. */
void fil_arc_shape(const FilArc* arc, const double* q, double bending[2], double* length);

void fil_arc_frame(const FilArc* arc, double s, const double* q, FilArcFrame* out);
/* Continues from a frame. */
void fil_arc_rates(const FilArc* arc, const FilArcFrame* frame, const double* v, FilArcRates* out);

#endif
