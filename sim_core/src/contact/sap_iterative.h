/* The linear systems of SAP's Newton iterations by conjugate gradients, where factors fill: the Hessian is that of the present iterate,
 * the preconditioner the factor of an earlier one. Friction that turns and contacts that open change few of its eigenvalues, so that a
 * handful of solves does what a factorisation would. */
#ifndef FILUM_CONTACT_SAP_ITERATIVE_H
#define FILUM_CONTACT_SAP_ITERATIVE_H

#include "contact/sap_system.h"

typedef struct FilSapIterative {
    FilDoubles vectors;
    int iterations; /* of the last solve */
} FilSapIterative;

void fil_sap_iterative_free(FilSapIterative* iterative);

/* How many iterations take as long as a factorisation; 0 where they are not worth a thought. */
int fil_sap_iterative_patience(const FilSapSystem* system);

/* x with (S + C) x = r for C as last assembled, up to `tolerance` times r in the norm of `weight`; r becomes what is left. *done is false
 * if that takes more than `most` iterations; x and r are undefined then. Allocates only to grow. */
FIL_MUST_CHECK FilStatus fil_sap_iterative_solve(FilSapIterative* iterative, FilSapSystem* system, const FilSapProblem* problem,
                                                 const double* weight, double tolerance, int most, double* r, double* x, bool* done);

#endif
