/* Symmetric matrices of 4x4 blocks, by block columns.
 * A rod's node is one block variable (x, y, z, theta); a rigid body is two, (v, -) and (omega, -); an unused place of a
 * block has 1 on its diagonal and 0 beside it. Block k is stored by columns: values[16 k + 4 column + row]. */
#ifndef FILUM_LINALG_BLOCK_MATRIX_H
#define FILUM_LINALG_BLOCK_MATRIX_H

#include <stdbool.h>

#include "base/workers.h"
#include "filum/base.h"
#include "linalg/buffer.h"

/* A node's unknowns: three of its place and an angle, or three and one that is not used; a row of a block is 32 bytes. */
#define FIL_BLOCK 4
#define FIL_BLOCK_SIZE 16

/* Which blocks of the lower triangle are stored: column j has rows row[start[j]] ... row[start[j + 1] - 1], each >= j,
 * in any order and none twice. Diagonal blocks hold both their triangles. */
typedef struct FilBlockPattern {
    int columns;
    const int* start; /* columns + 1 */
    const int* row;
} FilBlockPattern;

/* Where the block of u and v, in either order, is stored; it must be there, and rows must rise in each column. */
int fil_block_find(const FilBlockPattern* pattern, int u, int v);

/* y = A x for vectors of 4 * columns numbers; y must not alias x. */
void fil_block_multiply(const FilBlockPattern* pattern, const double* values, const double* x, double* y);
/* y += A x */
void fil_block_multiply_add(const FilBlockPattern* pattern, const double* values, const double* x, double* y);
/* The same of blocks in columns `begin` to `end` alone. */
void fil_block_multiply_add_some(const FilBlockPattern* pattern, const double* values, int begin, int end, const double* x, double* y);

/* What workers share of a product. Where the columns fall apart into many groups that no block joins, as those of many bodies do: pieces of whole
 * groups. Else rows, for which it lists where the blocks of each row stand that are left of the diagonal, by rising columns: every block is read
 * twice. */
typedef struct FilBlockRows {
    FilInts start, block, column;
    FilInts piece; /* where each begins, and the end of the last */
    int pieces;    /* 0: rows */
} FilBlockRows;

FIL_MUST_CHECK bool fil_block_rows_find(FilBlockRows* rows, const FilBlockPattern* pattern); /* false when out of memory */
void fil_block_rows_free(FilBlockRows* rows);
/* y += A x, the same bits as fil_block_multiply_add(). */
void fil_block_rows_multiply_add(const FilBlockRows* rows, FilWorkers* workers, const FilBlockPattern* pattern, const double* values, const double* x,
                                 double* y);

/* Products with a sum of matrices of the same size: parts of the columns, the same for any number of workers, who share them. Each reads its blocks
 * once and keeps what it adds to rows beyond its own until all are done. */
enum { FIL_BLOCK_PARTS = 4 }; /* one for each of four threads; what is kept costs one worker no more than a tenth of a product */
typedef struct FilBlockParts {
    int end[FIL_BLOCK_PARTS];   /* of the columns of each */
    int reach[FIL_BLOCK_PARTS]; /* end of the rows that its blocks reach, no less than that */
    FilDoubles beyond;
} FilBlockParts;

/* Of `count` patterns; false when out of memory. Allocates only to grow. */
FIL_MUST_CHECK bool fil_block_parts_find(FilBlockParts* parts, const FilBlockPattern* terms, int count);
void fil_block_parts_free(FilBlockParts* parts);
/* y = (A + B + ...) x */
void fil_block_parts_multiply(const FilBlockParts* parts, FilWorkers* workers, const FilBlockPattern* terms, const double* const* values, int count,
                              const double* x, double* y);

/* Inverts the Cholesky factor of a symmetric positive definite block: w lower triangular by columns, w block w' = 1.
 * Reads the lower triangle. False when a pivot is not positive and finite; w is undefined then. */
bool fil_block_inverse_factor(const double* block, double* w);
/* The same without a root: m unit lower triangular by columns with 1/d in the place of its ones, m block m' = d. */
bool fil_block_inverse_parts(const double* block, double* m);

#endif
