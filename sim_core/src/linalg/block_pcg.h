/* Conjugate gradients for a symmetric positive definite sum A + C + F of 4x4-block matrices, preconditioned by the Cholesky
 * factor of a sparser matrix close to it. For sheets and nets, whose own factors fill up.
 *
 * Preconditioner: blocks of A that the caller calls weak are left out, and what bounds them is added to the two diagonal blocks
 * that they joined, which never costs definiteness (linalg/block_weak.h). Or,
 * where mass outweighs stiffness, of A the diagonal blocks alone: a cheap factor. C and F are kept whole: contacts are what
 * diagonal preconditioners fail at. What F reaches is eliminated last, so that F may change at the price of its own columns
 * (block_preconditioner.h). The result depends on nothing but patterns, values and when bind() was asked to analyse afresh. */
#ifndef FILUM_LINALG_BLOCK_PCG_H
#define FILUM_LINALG_BLOCK_PCG_H

#include "linalg/block_preconditioner.h"
#include "linalg/block_weak.h"
#include "linalg/buffer.h"
#include "linalg/pcg.h"
#include "linalg/single_rows.h"

/* Patterns of the same size; all diagonal blocks are stored in A. Where A has another pattern, or other weak blocks, a_pattern must
 * be another number. */
typedef struct FilBlockTerms {
    int a_pattern;
    FilBlockPattern a, c, f;
    const double *a_values, *c_values, *f_values;
    FilWorkers* workers; /* who share products; NULL: nobody */
} FilBlockTerms;

typedef struct FilBlockPcg {
    FilBlockPreconditioner precond; /* factor of the preconditioner */
    bool analysed;
    bool exact;                          /* the analysis depends on nothing but the patterns bound */
    int analysed_blocks, ordered_blocks; /* of the preconditioner; of L when its order was found */
    int a_pattern;
    bool diagonal_only;        /* of A */
    bool wide;                 /* fourth places were in use when these were factored last */
    FilInts start, row, block; /* blocks of A in the preconditioner: pattern, numbers in A */
    FilBlockWeak weak;         /* the others, unless of A the diagonal blocks alone are there */
    bool predicted;            /* the solution with the preconditioner is that of the present factor */
    FilDoubles vectors;        /* preconditioned, direction, product */
    FilFloats rest;            /* product with what was left out */
    FilBlockParts parts;       /* of the terms, for products */

    /* in single precision */
    bool a_found, rest_found;        /* rows are those of the present patterns */
    FilSingleRows a_rows, rest_rows; /* of A; of C and F */
    FilInts fourth;                  /* variables whose fourth places are in use */
    FilFloats single;                /* vectors */
} FilBlockPcg;

void fil_block_pcg_free(FilBlockPcg* pcg);

/* Indefinite: the preconditioner has no factor, or a direction has negative curvature. */
typedef FilPcgResult FilBlockPcgResult;

/* Adopts the patterns; `weak` has one flag for each block of A, NULL for all but the diagonal ones, which are then simply left
 * out. An old analysis is kept while it serves, or else its order if that does, unless `afresh`; *analysed says that there is a new
 * one. Allocates only to grow. */
FIL_MUST_CHECK FilStatus fil_block_pcg_bind(FilBlockPcg* pcg, const FilBlockTerms* terms, const bool* weak, bool afresh, bool* analysed);

/* Factors the preconditioner but for what F reaches; then the rest, as often as F changes. False: not positive definite. */
FIL_MUST_CHECK bool fil_block_pcg_factor(FilBlockPcg* pcg, const FilBlockTerms* terms);
FIL_MUST_CHECK bool fil_block_pcg_factor_rest(FilBlockPcg* pcg, const FilBlockTerms* terms);

/* The columns that F reaches. */
const int* fil_block_pcg_reached(const FilBlockPcg* pcg, int* count);

/* With the preconditioner in place of the true matrix, and for those columns only: x for the right side b + more, where `more` is
 * zero elsewhere. First for b. If the next call is to solve for b + more, half of that has been done. */
void fil_block_pcg_reduce(FilBlockPcg* pcg, FilWorkers* workers, const double* b);
void fil_block_pcg_predict(FilBlockPcg* pcg, FilWorkers* workers, const double* more, double* x);

/* Adds to x, for the right side r, a solution that leaves `tolerance` times r, both measured with the preconditioner; r becomes what
 * is left. Where the tolerance is 1e-3 or more and weak blocks alone are left out of the factor, that is taken for exact: products are made of those
 * blocks, and its rounding may be left, too, if the condition is more than some 1e4. */
FilBlockPcgResult fil_block_pcg_solve(FilBlockPcg* pcg, const FilBlockTerms* terms, double tolerance, int max, double* r, double* x);

/* The same in single precision, for systems that take many iterations, and tolerances of a few per cent. */
FilBlockPcgResult fil_block_pcg_solve_single(FilBlockPcg* pcg, const FilBlockTerms* terms, double tolerance, int max, double* r, double* x);

#endif
