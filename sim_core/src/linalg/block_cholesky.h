/* Sparse Cholesky factor of symmetric positive definite matrices of 4x4 blocks: P (A + C) P' = L L'.
 *
 * The matrix is a sum because contact systems are: A changes once a step, C = J' G J in each Newton iteration, and
 * neither has to be copied into the other. Analysis (order, pattern of L, list of block products) is done once per
 * pattern and serves any later pattern whose blocks all lie inside L, fill included.
 * The factorisation is left-looking: each block of L gathers its products in registers,
 *     L_ij = (H_ij - sum_k L_ik L_jk') W_j',   W_j = inverse Cholesky factor of (H_jj - sum_k L_jk L_jk'),
 * from a list of (a, b) pairs that the analysis has written out. Nothing allocates once buffers have grown. */
#ifndef FILUM_LINALG_BLOCK_CHOLESKY_H
#define FILUM_LINALG_BLOCK_CHOLESKY_H

#include "filum/base.h"
#include "linalg/block_matrix.h"

typedef struct FilBlockCholesky FilBlockCholesky;

typedef struct FilBlockCholeskyInfo {
    int columns;       /* block columns */
    int factor_blocks; /* blocks of L, diagonal included */
    int products;      /* 4x4 block products of one factorisation, 128 flops each */
    int changing;      /* columns that fil_block_cholesky_refactor() computes */
} FilBlockCholeskyInfo;

FilBlockCholesky* fil_block_cholesky_create(void); /* NULL when out of memory */
void fil_block_cholesky_destroy(FilBlockCholesky* cholesky);

/* Orders and analyses A + C (same number of columns; c may be NULL), then binds both as fil_block_cholesky_bind(). */
FIL_MUST_CHECK FilStatus fil_block_cholesky_analyze(FilBlockCholesky* cholesky, const FilBlockPattern* a,
                                                    const FilBlockPattern* c);

/* Says where the values of A and C will come from. *fits is false, and the factor unusable until the next analysis,
 * when a block lies outside the analysed pattern of L or the number of columns differs. */
FIL_MUST_CHECK FilStatus fil_block_cholesky_bind(FilBlockCholesky* cholesky, const FilBlockPattern* a,
                                                 const FilBlockPattern* c, bool* fits);

/* Factors A + C from the values of the bound patterns (c_values NULL when C is). False when not positive definite. */
FIL_MUST_CHECK bool fil_block_cholesky_factor(FilBlockCholesky* cholesky, const double* a_values,
                                              const double* c_values);

/* The same after a change of C alone: columns of L that no block of C reaches are kept. */
FIL_MUST_CHECK bool fil_block_cholesky_refactor(FilBlockCholesky* cholesky, const double* a_values,
                                                const double* c_values);

/* Solves (A + C) x = b in place, 4 * columns numbers. */
void fil_block_cholesky_solve(FilBlockCholesky* cholesky, double* x);

FilBlockCholeskyInfo fil_block_cholesky_info(const FilBlockCholesky* cholesky);

#endif
