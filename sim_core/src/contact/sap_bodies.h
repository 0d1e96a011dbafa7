/* The linear systems of SAP's Newton iterations by conjugate gradients, with an incomplete factor of the present A + C as the preconditioner: body
 * after body from what does not move on, and no fill, however large the heap. */
#ifndef FILUM_CONTACT_SAP_BODIES_H
#define FILUM_CONTACT_SAP_BODIES_H

#include "contact/sap_system.h"
#include "linalg/block_incomplete.h"
#include "linalg/single_rows.h"

typedef struct FilSapBodies {
    FilInts body;                       /* of each variable: the first one of its body */
    FilInts level;                      /* how many contacts that is from what does not move */
    FilInts order;                      /* variables, one after the other ... */
    FilInts pivot;                      /* ... and where each is in that order, ... */
    int part_end[FIL_INCOMPLETE_PARTS]; /* ... in parts */
    FilInts start, row;                 /* pattern of A + C in that order ... */
    FilInts place;                      /* ... where blocks of A, then of C, are in it, times two; one more: turned */
    FilInts next, sorted, mark;
    FilDoubles values; /* A + C */
    FilBlockIncomplete factor;
    double shift;   /* of its diagonal, which others had to have */
    FilInts fourth; /* variables whose fourth places are in use */
    bool rows_found;
    FilSingleRows rows; /* A + C in single precision */
    FilFloats vectors;  /* of conjugate gradients, in that order */
    FilDoubles x;       /* the solution and its product, too, in the caller's */
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
