/* Random symmetric matrices of 4x4 blocks, for the sparse factors' tests. */
#ifndef TEST_RANDOM_BLOCKS_H
#define TEST_RANDOM_BLOCKS_H

#include <stdbool.h>

#include "linalg/block_matrix.h"
#include "random.h"

enum { MAX_COLUMNS = 80, MAX_BLOCKS = MAX_COLUMNS * (MAX_COLUMNS + 1) / 2, MAX_N = 4 * MAX_COLUMNS };

/* Lower triangle of blocks, with or without its diagonal. */
typedef struct RandomBlocks {
    FilBlockPattern pattern;
    int start[MAX_COLUMNS + 1];
    int row[MAX_BLOCKS];
    double values[16 * MAX_BLOCKS];
} RandomBlocks;

extern double random_blocks_dense[MAX_N * MAX_N]; /* of the sum under test, row-major */

/* Random blocks, each off-diagonal one with probability `fill`; its rows in random order. Freed by free(). */
RandomBlocks* random_blocks(Random* random, int columns, double fill, bool diagonal);

void random_blocks_add_dense(const RandomBlocks* m);

/* Writes a + c to random_blocks_dense[] and makes it diagonally dominant through a's diagonal, so that it is positive definite. */
void random_blocks_make_definite(RandomBlocks* a, const RandomBlocks* c);

/* Takes fourth rows and columns out of all blocks: they are idle then, but for ones on the diagonal, if it is asked for. */
void random_blocks_make_thin(RandomBlocks* m, bool diagonal);

/* Every other block of `a`. Freed by free(). */
RandomBlocks* random_blocks_fewer(const RandomBlocks* a);

/* Entry (d, d) of a column's diagonal block. */
double* random_blocks_pivot(RandomBlocks* a, int column, int d);

/* x of a factor and y of a referee solve random_blocks_dense[] z = b. The matrices are diagonally dominant with condition numbers below 1e4
 * for these sizes: two backward stable solvers agree to 1e-16 * 1e4. */
void random_blocks_compare(const double* b, const double* x, const double* y, int n);

#endif
