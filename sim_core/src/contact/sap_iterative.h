/* The linear systems of SAP's Newton iterations by conjugate gradients, where factors fill: the Hessian is that of the present iterate,
 * the preconditioner the factor of an earlier one. Friction that turns and contacts that open change few of its eigenvalues, so that a
 * handful of solves does what a factorisation would. */
#ifndef FILUM_CONTACT_SAP_ITERATIVE_H
#define FILUM_CONTACT_SAP_ITERATIVE_H

#include "contact/sap_bodies.h"

typedef struct FilSapIterative {
    FilDoubles vectors;
    int patience;   /* iterations that take as long as a factorisation; 0 where they are not worth a thought */
    int iterations; /* of the last solve */
    bool cut;       /* it ended before what it should leave */
    FilSapBodies bodies;
    int bodies_patience; /* the same of iterations with an incomplete factor, body after body */
    bool single;         /* factors are in single precision, and no solutions by themselves */
} FilSapIterative;

void fil_sap_iterative_free(FilSapIterative* iterative);

/* Decides about a system that has begun and nothing of which has been factored. */
FIL_MUST_CHECK FilStatus fil_sap_iterative_begin(FilSapIterative* iterative, FilSapSystem* system, const FilSapProblem* problem);

/* x with (S + C) x = r for C as last assembled, up to `tolerance` times r in the norm of `weight`, by the last factor; r becomes what is left.
 * Where `max` iterations do not lead there, `enough` times r do; *done is false if there is more, and x and r are undefined then. Allocates only to
 * grow. */
FIL_MUST_CHECK FilStatus fil_sap_iterative_solve(FilSapIterative* iterative, FilSapSystem* system, const FilSapProblem* problem, const double* weight,
                                                 double tolerance, double enough, int max, double* r, double* x, bool* done);

/* Factors of this system are in double precision from now on. */
void fil_sap_iterative_sharpen(FilSapIterative* iterative, FilSapSystem* system);

#endif
