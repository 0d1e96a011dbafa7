/* Free motion of one body: Newton's method on m(v) = 0 (P0 eq. 12). */
#ifndef FILUM_SOLVER_FREE_MOTION_H
#define FILUM_SOLVER_FREE_MOTION_H

#include "body/system.h"

typedef struct FilNewtonReport {
    int iterations, regularised;
    double residual; /* relative */
    bool stayed;     /* with its guess */
} FilNewtonReport;

typedef struct FilMotionTask {
    const FilBody* body;
    const FilStepSetup* setup;
    double tolerance;     /* of the residual, as a share of the momenta at work */
    int max;              /* iterations */
    const double* q;      /* where the body is */
    const double* change; /* of its velocity, as guessed */
    double* push;         /* impulse on every unknown, ignored and set to zero where held; NULL: none */
    double* rest;         /* where a guess that is near enough may stay: gets m(v); NULL: nowhere */
} FilMotionTask;

/* Solves m(v) = push for one body after its begin; the solution is left in `v`, and its tangent in the body. Where the guess may stay and
 * solves it within the root of the tolerance, it does, and rest = m(v). False if Newton did not converge, or if the tangent under a push is not
 * positive definite. */
bool fil_free_motion(const FilMotionTask* task, double* v, FilNewtonScratch* scratch, FilNewtonReport* report);

#endif
