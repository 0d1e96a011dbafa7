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

#include "base/workers.h"
#include "filum/base.h"
#include "linalg/block_matrix.h"

typedef struct FilBlockCholesky FilBlockCholesky;

typedef struct FilBlockCholeskyInfo {
    int columns;       /* block columns */
    int factor_blocks; /* blocks of L, diagonal included */
    int products;      /* 4x4 block products of one factorisation, 128 flops each */
    int changing;      /* columns that C reaches */
} FilBlockCholeskyInfo;

FilBlockCholesky* fil_block_cholesky_create(void); /* NULL when out of memory */
void fil_block_cholesky_destroy(FilBlockCholesky* cholesky);
/* From now on these share factorisations and solves, with the same bits as without; NULL, as at first: nobody does. Borrowed. */
void fil_block_cholesky_set_workers(FilBlockCholesky* cholesky, FilWorkers* workers);

/* Orders and analyses A + C (same number of columns; c may be NULL), then binds both as fil_block_cholesky_bind(). */
FIL_MUST_CHECK FilStatus fil_block_cholesky_analyze(FilBlockCholesky* cholesky, const FilBlockPattern* a, const FilBlockPattern* c);

/* The same, unless that makes more than `max_products`: *within is false then, and the factor unusable until the next analysis. */
FIL_MUST_CHECK FilStatus fil_block_cholesky_analyze_within(FilBlockCholesky* cholesky, const FilBlockPattern* a, const FilBlockPattern* c,
                                                           double max_products, bool* within);

/* Says where the values of A and C will come from. *fits is false, and the factor unusable until the next analysis,
 * when a block lies outside the analysed pattern of L or the number of columns differs. */
FIL_MUST_CHECK FilStatus fil_block_cholesky_bind(FilBlockCholesky* cholesky, const FilBlockPattern* a, const FilBlockPattern* c, bool* fits);

/* Factors A + C from the values of the bound patterns (c_values NULL when C is). False when not positive definite. */
FIL_MUST_CHECK bool fil_block_cholesky_factor(FilBlockCholesky* cholesky, const double* a_values, const double* c_values);

/* Solves (A + C) x = b in place, 4 * columns numbers. */
void fil_block_cholesky_solve(FilBlockCholesky* cholesky, double* x);

/* ---- the same in two parts: fixed columns, which C does not reach, come before changing ones ----
 * With n for fixed and p for changing variables, factoring the fixed part once leaves the Schur complement
 * S = A_pp - A_pn A_nn^-1 A_np implicit in L, and S + C is factored and solved at the price of its own columns
 * (P0 eq. 15-17). Vectors are in pivot order: 4 numbers for each pivot, fixed ones first. */

FIL_MUST_CHECK bool fil_block_cholesky_factor_fixed(FilBlockCholesky* cholesky, const double* a_values);
FIL_MUST_CHECK bool fil_block_cholesky_factor_changing(FilBlockCholesky* cholesky, const double* a_values, const double* c_values);

const int* fil_block_cholesky_pivots(const FilBlockCholesky* cholesky);    /* pivot of each variable */
const int* fil_block_cholesky_variables(const FilBlockCholesky* cholesky); /* variable of each pivot */
int fil_block_cholesky_first_changing(const FilBlockCholesky* cholesky);   /* pivot */

/* (b_n, b_p) -> (L_nn^-1 b_n, b_p - A_pn A_nn^-1 b_n) */
void fil_block_cholesky_eliminate_fixed(const FilBlockCholesky* cholesky, double* x);

/* (., b_p) -> (., x_p) with (S + C) x_p = b_p */
void fil_block_cholesky_solve_changing(const FilBlockCholesky* cholesky, double* x);

/* (., b_p) -> (., L_pp^-1 b_p), where L_pp L_pp' = S + C */
void fil_block_cholesky_forward_changing(const FilBlockCholesky* cholesky, double* x);

/* (y_n, x_p) -> (x_n, x_p) with L_nn' x_n = y_n - L_pn' x_p */
void fil_block_cholesky_substitute_fixed(const FilBlockCholesky* cholesky, double* x);

FilBlockCholeskyInfo fil_block_cholesky_info(const FilBlockCholesky* cholesky);

#endif
