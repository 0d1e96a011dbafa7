/* Householder's QR of small dense matrices, stored by columns: R only. In the caller's thread and always in the same
 * order, unlike a BLAS, which divides the work as the process is set to. */
#ifndef FILUM_LINALG_QR_H
#define FILUM_LINALG_QR_H

/* A = Q R: leaves R in the upper triangle of `a` (rows x columns); what is below it is no longer of use. */
void fil_qr_factor(double* a, int rows, int columns);

/* A P = Q R with |R_11| >= |R_22| >= ...: of the columns that are left the longest is next. The k-th column of R was
 * column pivot[k] of A. `norms` is room for two numbers per column. */
void fil_qr_factor_pivoted(double* a, int rows, int columns, int* pivot, double* norms);

#endif
