/* The linear systems of SAP's Newton iterations by conjugate gradients, each body for itself as the preconditioner: of A + C what stands within
 * bodies, without the blocks that join them. That is a factor of the present Hessian which does not fill, whatever the heap: rods are bands. */
#ifndef FILUM_CONTACT_SAP_BODIES_H
#define FILUM_CONTACT_SAP_BODIES_H

#include "contact/sap_system.h"
#include "linalg/block_preconditioner.h"
#include "linalg/single_rows.h"

typedef struct FilSapBodies {
    FilInts body;                       /* of each variable: the first one that A joins it with */
    FilInts start, row;                 /* pattern of A + C ... */
    FilInts place;                      /* ... where blocks of A, then of C, are in it */
    FilInts own_start, own_row, own_at; /* what stands within bodies: pattern, numbers among those */
    FilInts none;                       /* a pattern without blocks */
    FilInts mark;
    FilDoubles values; /* A + C */
    FilBlockPreconditioner precond;
    FilInts fourth; /* variables whose fourth places are in use */
    bool rows_found;
    FilSingleRows rows; /* A + C in single precision */
    FilFloats vectors;  /* of conjugate gradients, in the caller's order */
    FilDoubles x;       /* the solution and its product, too */
    int iterations;     /* of the last solve */
} FilSapBodies;

void fil_sap_bodies_free(FilSapBodies* bodies);

/* Adopts the patterns of a system all of whose variables participate. *worth is false where bodies are none that gain anything. Allocates only to
 * grow. */
FIL_MUST_CHECK FilStatus fil_sap_bodies_begin(FilSapBodies* bodies, const FilSapSystem* system, const FilSapProblem* problem, bool* worth);

/* As fil_sap_iterative_solve(), but for r, which stays. */
FIL_MUST_CHECK FilStatus fil_sap_bodies_solve(FilSapBodies* bodies, const FilSapSystem* system, const FilSapProblem* problem, const double* weight,
                                              double tolerance, int max, const double* r, double* x, bool* done);

#endif
