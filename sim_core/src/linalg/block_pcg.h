/* Conjugate gradients for a symmetric positive definite sum A + C of 4x4-block matrices, preconditioned by the inverses of
 * its diagonal blocks. For sheets, whose Cholesky factors fill up while short steps keep them well conditioned. The result
 * depends on nothing but the arguments. */
#ifndef FILUM_LINALG_BLOCK_PCG_H
#define FILUM_LINALG_BLOCK_PCG_H

#include "linalg/block_matrix.h"
#include "linalg/buffer.h"

typedef struct FilBlockPcg {
    FilDoubles vectors; /* residual, preconditioned, direction, product, other product, solution */
    FilDoubles inverse; /* 16 per column: inverse Cholesky factors of the diagonal blocks */
} FilBlockPcg;

void fil_block_pcg_free(FilBlockPcg* pcg);

typedef enum FilBlockPcgResult {
    FIL_PCG_DONE,
    FIL_PCG_SLOW,       /* `most` iterations were not enough; x is the best so far */
    FIL_PCG_INDEFINITE, /* a direction of negative curvature */
    FIL_PCG_NO_MEMORY,
} FilBlockPcgResult;

/* x holds the right side, then the solution whose residual is `tolerance` times smaller, both measured with the
 * preconditioner. Allocates only to grow. */
FilBlockPcgResult fil_block_pcg_solve(FilBlockPcg* pcg, const FilBlockPattern* a, const double* a_values,
                                      const FilBlockPattern* c, const double* c_values, double tolerance, int most, double* x);

#endif
