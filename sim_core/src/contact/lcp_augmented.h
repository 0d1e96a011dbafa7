/* The complementarity problem of a large island: the same conditions as lcp_problem.h, solved on sparse matrices by the
 * method of multipliers. Nothing grows faster than the factor of A with the contacts' blocks, that of sap. */
#ifndef FILUM_CONTACT_LCP_AUGMENTED_H
#define FILUM_CONTACT_LCP_AUGMENTED_H

#include "contact/lcp.h"
#include "contact/sap_system.h"

typedef struct FilLcpAugmented {
    FilSapSystem system;
    FilDoubles vectors;
    void* items; /* laws of the constraints, of the present solve */
    size_t item_capacity;
} FilLcpAugmented;

FIL_MUST_CHECK bool fil_lcp_augmented_init(FilLcpAugmented* augmented);
void fil_lcp_augmented_free(FilLcpAugmented* augmented);

/* `v` and `impulse` hold a first guess, such as the solution of the convex problem, and get the solution.
 * FIL_NOT_CONVERGED leaves the best found, or says `indefinite`. */
FIL_MUST_CHECK FilStatus fil_lcp_augmented_solve(FilLcpAugmented* augmented, const FilSapProblem* problem, const FilLcpSettings* settings, double* v,
                                                 double* impulse, FilLcpStats* stats);

#endif
