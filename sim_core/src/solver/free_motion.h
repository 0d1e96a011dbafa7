/* Free motion of one body: Newton's method on m(v) = 0 (P0 eq. 12). */
#ifndef FILUM_SOLVER_FREE_MOTION_H
#define FILUM_SOLVER_FREE_MOTION_H

#include "body/system.h"

typedef struct FilNewtonReport {
    int iterations, regularised;
    double residual; /* relative */
} FilNewtonReport;

/* Solves m(v) = push for one body after its begin, to a residual of `tolerance` of the momenta at work, in `most` iterations; the
 * solution is left in `v`, and its tangent in the body. `push` is an impulse on every unknown, ignored and set to zero where held;
 * NULL: none. False if Newton did not converge, or if the tangent under a push is not positive definite. */
bool fil_free_motion(const FilBody* body, const FilStepSetup* setup, double tolerance, int most, const double* q, const double* change, double* push,
                     double* v, FilNewtonScratch* scratch, FilNewtonReport* report);

#endif
