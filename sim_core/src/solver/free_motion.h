/* Free motion of one body, or of two side by side: Newton's method on m(v) = 0 (P0 eq. 12). */
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
    bool linearises;      /* only m and its tangent at the guess are asked for */
    double tolerance;     /* of the residual, as a share of the momenta at work */
    int max;              /* iterations */
    const double* q;      /* where the body is */
    const double* change; /* of its velocity, as guessed */
    double* push;         /* impulse on every unknown, ignored and set to zero where held; NULL: none */
    double* rest;         /* gets m(v) where a guess that is near enough may stay, or of a task that linearises; NULL: nowhere */
} FilMotionTask;

/* Newton's method for a body, which goes on until it asks its body for something. */
typedef struct FilNewton FilNewton;
typedef void FilNewtonStage(FilNewton* motion, bool done);

typedef enum FilNewtonRequest { FIL_NEWTON_EVALUATE, FIL_NEWTON_FACTOR, FIL_NEWTON_SOLVE, FIL_NEWTON_NOTHING } FilNewtonRequest;

struct FilNewton {
    FilMotionTask task;
    double* v; /* the solution */
    FilNewtonScratch scratch;
    FilNewtonReport report;
    bool converged;

    FilNewtonRequest request; /* what it asks for, ... */
    const double* at;         /* ... evaluated where, ... */
    double shift;             /* ... with how much of the mass more, ... */
    double* residual;         /* ... to where, or solved where, ... */
    double found;             /* ... the potential found, ... */
    FilNewtonStage* next;     /* ... and how it goes on then */

    double potential, norm, rounding, tolerance, scale; /* of v; of a residual that rounding leaves; that will do; at work */
    double enlarged, slope, step;                       /* shift of the tangent factored; along the direction */
};

/* Solves m(v) = push for one body after its begin; the solution is left in `v`, and its tangent in the body. Where the guess may stay and
 * solves it within the root of the tolerance, it does, and rest = m(v). Not converged if Newton did not, or if the tangent under a push is not
 * positive definite. Of `count` motions, at most 2, those of two bodies that go together are done side by side, with the same bits. */
void fil_free_motions(FilNewton* const* motions, int count);

#endif
