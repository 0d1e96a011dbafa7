/* Small dense matrices by columns: products, LU and Cholesky factors of some tens of rows, where calling a library would
 * cost as much as the work. `ld` is the distance of columns. */
#ifndef FILUM_LINALG_DENSE_H
#define FILUM_LINALG_DENSE_H

#include <stdbool.h>

/* C += A B, of rows x inner and inner x columns. */
void fil_dense_multiply(int rows, int columns, int inner, const double* a, int lda, const double* b, int ldb, double* c, int ldc);

/* y += f A x and y += f A' x, A of rows x columns. */
void fil_dense_apply(int rows, int columns, double f, const double* a, int lda, const double* x, double* y);
void fil_dense_apply_transposed(int rows, int columns, double f, const double* a, int lda, const double* x, double* y);

/* A = P L U in place; false if it is singular. */
bool fil_dense_lu(int n, double* a, int* pivots);
/* B <- A^-1 B, b <- A'^-1 b, from the factors. */
void fil_dense_lu_solve(int n, const double* lu, const int* pivots, int columns, double* b);
void fil_dense_lu_solve_transposed(int n, const double* lu, const int* pivots, double* b);

/* A = L L' in place, lower triangle; false if it is not positive definite. */
bool fil_dense_cholesky(int n, double* a);
/* B <- A^-1 B from the factor. */
void fil_dense_cholesky_solve(int n, const double* l, int columns, double* b);

#endif
