/* Sparse Cholesky by CHOLMOD's simplicial LDL' (LGPL modules only): any sparsity, any block size; slower than the block
 * factorisation where that applies, and its referee in the tests. */
#ifndef FILUM_LINALG_SPARSE_CHOLMOD_H
#define FILUM_LINALG_SPARSE_CHOLMOD_H

#include "filum/base.h"

typedef struct FilSparseCholesky FilSparseCholesky;

FilSparseCholesky* fil_sparse_cholesky_create(void); /* NULL when out of memory */
void fil_sparse_cholesky_destroy(FilSparseCholesky* cholesky);

/* Analyses the lower triangle of an n x n matrix: column j has rows row[start[j]] ..., ascending, none twice. The
 * pattern is borrowed until the next analysis. Allocates. */
FIL_MUST_CHECK FilStatus fil_sparse_cholesky_analyze(FilSparseCholesky* cholesky, int n, const int* start,
                                                     const int* row);

/* False when not positive definite. */
FIL_MUST_CHECK bool fil_sparse_cholesky_factor(FilSparseCholesky* cholesky, const double* values);

/* Solves in place. False when out of memory. */
FIL_MUST_CHECK bool fil_sparse_cholesky_solve(FilSparseCholesky* cholesky, double* x);

#endif
