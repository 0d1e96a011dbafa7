/* Free motion of one body: Newton's method on m(v) = 0 (P0 eq. 12). */
#ifndef FILUM_SOLVER_FREE_MOTION_H
#define FILUM_SOLVER_FREE_MOTION_H

#include "body/system.h"

typedef struct FilNewtonReport {
    int iterations, regularised;
    double residual; /* relative */
} FilNewtonReport;

/* Solves m(v) = 0 for one body after its begin, to a residual of `tolerance` of the momenta at work, in `most` iterations; the
 * solution is left in `v`. False if Newton did not converge. */
bool fil_free_motion(const FilBody* body, const FilStepSetup* setup, double tolerance, int most, const double* q,
                     const double* change, double* v, FilNewtonScratch* scratch, FilNewtonReport* report);

#endif
