/* The linear algebra of a SAP problem: products with J, the matrix C = J' G J, and H = A + C factored and solved.
 * Patterns are kept from call to call; the symbolic analysis is redone only when C no longer fits inside its factor. */
#ifndef FILUM_CONTACT_SAP_SYSTEM_H
#define FILUM_CONTACT_SAP_SYSTEM_H

#include "contact/sap.h"
#include "linalg/block_cholesky.h"
#include "linalg/buffer.h"

/* One product J_row' G J_col of a constraint's Jacobian blocks, added to a block of C. */
typedef struct FilSapTarget {
    int block;    /* of C */
    int row, col; /* Jacobian blocks */
} FilSapTarget;

typedef struct FilSapSystem {
    FilBlockCholesky* cholesky;
    bool analysed, factored;
    int analyses, factorisations; /* since fil_sap_system_begin() */
    int analysed_blocks;          /* of A and C when last analysed */

    /* what the patterns below belong to */
    FilInts a_start, a_row;           /* copy of A's pattern */
    FilInts constraint_end, variable; /* of each constraint: end of its Jacobian blocks; of each of those: variable */
    int columns, constraints, jacobian_blocks;

    /* pattern and values of C */
    FilInts c_start, c_row;
    FilDoubles c;
    void* targets;
    size_t target_capacity;
    int target_count;
    FilInts target_end; /* of each constraint */
    FilInts scratch;
} FilSapSystem;

FIL_MUST_CHECK bool fil_sap_system_init(FilSapSystem* system);
void fil_sap_system_free(FilSapSystem* system);

/* Adopts the problem's patterns, analysing them when they are new and do not fit the last analysis. */
FIL_MUST_CHECK FilStatus fil_sap_system_begin(FilSapSystem* system, const FilSapProblem* problem);

/* Factors H = A + J' G J from the responses' Hessians. False when not positive definite. */
FIL_MUST_CHECK bool fil_sap_system_factor(FilSapSystem* system, const FilSapProblem* problem,
                                          const FilSapResponse* responses);
void fil_sap_system_solve(FilSapSystem* system, double* x); /* in place */

/* v_c = J v, three per constraint, without the bias */
void fil_sap_jacobian_multiply(const FilSapProblem* problem, const double* v, double* v_c);

/* j = J' gamma */
void fil_sap_jacobian_transposed(const FilSapProblem* problem, const FilSapResponse* responses, double* j);

#endif
