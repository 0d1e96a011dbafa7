/* Conjugate gradients for a symmetric positive definite sum A + C of 4x4-block matrices, preconditioned by the Cholesky
 * factor of a sparser matrix near it. For sheets and nets, whose own factors fill up.
 *
 * Near matrix: blocks of A that the caller calls weak are left out, and their size is added to the two diagonal blocks
 * that they joined. [[s, B], [B', s]] with s = |B| is positive semidefinite, so this never costs definiteness. Or,
 * where mass outweighs stiffness, of A the diagonal blocks alone: a cheap factor. C is kept whole: contacts are what
 * diagonal preconditioners fail at. The result depends on nothing but patterns, values and when bind() was told to
 * analyse afresh. */
#ifndef FILUM_LINALG_BLOCK_PCG_H
#define FILUM_LINALG_BLOCK_PCG_H

#include "linalg/block_cholesky.h"
#include "linalg/buffer.h"

typedef struct FilBlockPcg {
    FilBlockCholesky* cholesky; /* of the near matrix */
    bool analysed;
    int analysed_blocks;
    bool diagonal_only; /* of A */
    FilInts start, row; /* the near matrix's pattern */
    FilInts place[2];   /* of each block of A and of C in it; -1: weak */
    FilInts diagonal;   /* where the diagonal blocks are in it */
    FilDoubles values;
    FilDoubles vectors; /* residual, preconditioned, direction, product, solution */
} FilBlockPcg;

void fil_block_pcg_free(FilBlockPcg* pcg);

typedef enum FilBlockPcgResult {
    FIL_PCG_DONE,
    FIL_PCG_SLOW,       /* `most` iterations were not enough; x is the best so far */
    FIL_PCG_INDEFINITE, /* the near matrix has no factor, or a direction has negative curvature; x is undefined */
} FilBlockPcgResult;

/* Adopts two patterns of the same size; `weak` has one flag for each block of A, NULL for all but the diagonal ones,
 * which are then simply left out. Their diagonal blocks are all stored in A. An old analysis is kept while it serves,
 * unless `afresh`; *analysed says that there is a new one. Allocates only to grow. */
FIL_MUST_CHECK FilStatus fil_block_pcg_bind(FilBlockPcg* pcg, const FilBlockPattern* a, const bool* weak,
                                            const FilBlockPattern* c, bool afresh, bool* analysed);

/* x holds the right side, then the solution whose residual is `tolerance` times smaller, both measured with the
 * preconditioner. The patterns are those last adopted. */
FilBlockPcgResult fil_block_pcg_solve(FilBlockPcg* pcg, const FilBlockPattern* a, const double* a_values,
                                      const FilBlockPattern* c, const double* c_values, double tolerance, int most,
                                      double* x);

#endif
