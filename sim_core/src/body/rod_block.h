/* Hinge derivatives as dense blocks on node unknowns, for the few hinges that stand apart from a sweep: the middle of a
 * folded rod and the clamps. */
#ifndef FILUM_BODY_ROD_BLOCK_H
#define FILUM_BODY_ROD_BLOCK_H

#include "body/rod_hinge.h"

/* Block (11 x 11, row-major, full) and gradient on (x0, theta_e, x1, theta_f, x2) of the hinge at x1. */
void fil_rod_hinge_block(const Frame1* e, const Frame1* f, const HingeTerms1* terms, double* block, double* gradient);

/* The same on (x, theta, x') of edge f alone, edge e being fixed (a clamp at the start of f) ... */
void fil_rod_start_block(const Frame1* f, const HingeTerms1* terms, double* block, double* gradient);
/* ... and of edge e alone, edge f being fixed (a clamp at the end of e). */
void fil_rod_end_block(const Frame1* e, const HingeTerms1* terms, double* block, double* gradient);

/* Gradients of kappa_1, kappa_2 and twist in the reduced variables (v1, v2, theta_e, u1, u2, theta_f): body/rod_hinge.inc. */
void fil_rod_strain_gradients(const Frame1* e, const Frame1* f, double out[3][6]);

#endif
