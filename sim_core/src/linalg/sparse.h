/* Symmetric positive definite sparse systems with a fixed pattern, by CHOLMOD (simplicial). Analysed once, by the first factorisation. */
#ifndef FILUM_LINALG_SPARSE_H
#define FILUM_LINALG_SPARSE_H

#include <stdbool.h>

typedef struct FilSparse FilSparse;

/* Pattern of the lower triangle: entry k stands at (rows[k], columns[k]), rows[k] >= columns[k]; entries may repeat and
 * then add up. slots[k] receives where the value of entry k is kept. NULL when out of memory. */
FilSparse* fil_sparse_create(int size, int entry_count, const int* rows, const int* columns, int* slots);
void fil_sparse_destroy(FilSparse* sparse); /* NULL is fine */

/* Values by slot; the caller clears and adds. */
double* fil_sparse_values(FilSparse* sparse);
int fil_sparse_value_count(const FilSparse* sparse);

/* False if the matrix is not positive definite, or out of memory. Neither call allocates after the first. */
bool fil_sparse_factor(FilSparse* sparse);
void fil_sparse_solve(FilSparse* sparse, double* x);

#endif
