/* Blocks of a symmetric matrix A that its preconditioner P leaves out, and what P has on its diagonal in their place.
 *
 * For a block B of variables i and j it is (B B')^1/2 for i and (B' B)^1/2 for j, or a little more. P - A then has [[(B B')^1/2, -B], [-B', (B'
 * B)^1/2]], which is [U; -V] S [U; -V]' with B = U S V', so that P is positive definite where A is; and where B is, P does to what moves both alike
 * what A does. A root is replaced by its bound (B B' / s + s) / 2, which it is where singular values are s = |B| / sqrt(2): bending has two of these,
 * and none along the cord, where stretching is stiffer by far. */
#ifndef FILUM_LINALG_BLOCK_WEAK_H
#define FILUM_LINALG_BLOCK_WEAK_H

#include "linalg/block_matrix.h"

typedef struct FilBlockWeak {
    int count;          /* variables that have such blocks */
    FilInts variable;   /* they */
    FilInts place;      /* of each variable among them; -1: none */
    FilInts start;      /* count + 1: blocks of each ... */
    FilInts block;      /* ... number in A, negative and less by one where the variable is the column; and the other variable */
    FilFloats values;   /* of each, turned round for columns */
    FilFloats diagonal; /* of each variable: what is added */
} FilBlockWeak;

void fil_block_weak_free(FilBlockWeak* weak);

/* Adopts the blocks that are flagged, none on the diagonal; NULL: none. False when out of memory. Allocates only to grow. */
FIL_MUST_CHECK bool fil_block_weak_find(FilBlockWeak* weak, const FilBlockPattern* a, const bool* flags);
/* Takes their values, and finds what is added to the diagonal. */
void fil_block_weak_take(FilBlockWeak* weak, FilWorkers* workers, const double* values);
/* y = (P - A) x for the `first` to `end` - 1 of these variables, four numbers each, in single precision; returns x'y. */
double fil_block_weak_multiply(const FilBlockWeak* weak, int first, int end, const double* x, float* y);

#endif
