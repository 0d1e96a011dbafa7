/* Sparse Cholesky factor in single precision: a preconditioner for P (A + C + F) P', matrices of 4x4 blocks.
 *
 * Half the bytes and twice the lanes of block_cholesky.h, and good to five digits or so where the condition is 1e2: for
 * what is repeated until it is right anyway. What F reaches, and what depends on that, is eliminated last, so that F may
 * change at the price of those columns.
 * Left-looking by columns: column j is gathered in a buffer, less the products of the columns k that have a block in
 * row j. Where several of those go on alike below row j, sums stay in registers over all k for two rows at once. Columns that F reaches are made by
 * panels instead, as the dense corners that fill makes are among them (block_preconditioner_changing.c).
 * Subtrees of the elimination tree are shared by workers, in factorisations and solutions; sums are in the same order whoever makes them. */
#ifndef FILUM_LINALG_BLOCK_PRECONDITIONER_H
#define FILUM_LINALG_BLOCK_PRECONDITIONER_H

#include "base/workers.h"
#include "linalg/block_products.h"
#include "linalg/block_symbolic.h"
#include "linalg/block_weak.h"
#include "linalg/single_step.h"
#include "linalg/subtrees.h"

/* Columns that nothing in L links to others, for conjugate gradients in single precision. */
typedef struct FilBlockAlone {
    int count, thin;   /* those with idle fourth places stand in front */
    FilInts variable;  /* of each */
    FilFloats square;  /* inverse of its pivot, of three or four columns */
    FilInts tree;      /* subtrees of the others ... */
    int trees, linked; /* ... how many, and of how many columns */
} FilBlockAlone;

/* Changing columns that go on alike, and their blocks of L row by row. */
typedef struct FilBlockPanels {
    int count;
    FilInts first;        /* count + 1: columns of each */
    FilInts at;           /* number of its first block */
    FilInts of;           /* panel of each changing column */
    FilInts parent;       /* panel that has its parent */
    FilInts source_start; /* count + 1: panels that each takes products from ... */
    FilInts source;       /* ... with the first and the end of their rows that are columns of it */
    FilInts slot;         /* of these, while they are listed */
    FilSubtrees trees;
    FilDoubles taken; /* products of each ... */
    double work;      /* ... and of all */
    FilFloats values;
} FilBlockPanels;

typedef struct FilBlockPreconditioner {
    FilBlockSymbolic symbolic;
    const FilBlockProducts* products;
    bool thin;         /* fourth places of all blocks are idle */
    FilFloats factor;  /* blocks of L by columns of four numbers, three columns where they are thin */
    FilFloats base;    /* of changing columns: A and C less the products of fixed ones */
    FilFloats inverse; /* W_j, inverse Cholesky factor of each pivot block */
    FilFloats column;  /* that is being made; of each worker */
    FilInts place;     /* where blocks of that are, by row; of each worker */
    FilInts outcome;   /* of parts of a factorisation */
    FilSubtrees trees; /* of the fixed columns */
    FilBlockPanels panels;
    FilBlockAlone alone;
    FilInts gather_start;  /* columns + 1: what fixed columns subtract from each row above their subtrees ... */
    FilInts gather;        /* ... in the order of these: column and place in L */
    FilFloats x, reduced;  /* vectors in pivot order: at work; with the fixed columns eliminated ... */
    const double* reduces; /* ... of this right side ... */
    FilWorkers* reducing;  /* ... by one of these, beside what they do otherwise; NULL: it is done */
    FilDoubles f_values;   /* F as the changing columns have it ... */
    int f_blocks;
    bool has_f;    /* ... if they are of the present fixed ones */
    FilInts stale; /* whether changing columns are not those of the present F */
} FilBlockPreconditioner;

void fil_block_preconditioner_free(FilBlockPreconditioner* precond);

/* Where the numbers are. */
typedef struct FilBlockPreconditionerValues {
    const double *a, *c;
    const FilBlockWeak* weak; /* what is added to the diagonal; may be NULL */
    FilWorkers* workers;
} FilBlockPreconditionerValues;

/* As of block_cholesky.h; `terms` are A, C and F. Block k of A has the number a_block[k] among its values. When binding NULL says
 * that A is as it was. `order` as of block_symbolic.h. */
FIL_MUST_CHECK FilStatus fil_block_preconditioner_analyze(FilBlockPreconditioner* precond, const FilBlockPattern* const* terms, const int* a_block,
                                                          bool order);
FIL_MUST_CHECK FilStatus fil_block_preconditioner_bind(FilBlockPreconditioner* precond, const FilBlockPattern* const* terms, const int* a_block,
                                                       bool* fits);

/* Factors columns that F does not reach; then the rest, as often as F changes, as far as it does. False: not positive definite, as
 * far as single precision tells. `thin`: try whether the fourth places of all blocks are idle but for the diagonal's own; near->thin
 * says so then. If it is those of F that are not, the second fails with near->thin false, and the first must be repeated. */
FIL_MUST_CHECK bool fil_block_preconditioner_factor_fixed(FilBlockPreconditioner* precond, bool thin, const FilBlockPreconditionerValues* values);
FIL_MUST_CHECK bool fil_block_preconditioner_factor_changing(FilBlockPreconditioner* precond, FilWorkers* workers, const double* f_values);

/* The columns that F reaches. */
const int* fil_block_preconditioner_reached(const FilBlockPreconditioner* precond, int* count);

/* x = (A + C + F)^-1 b */
void fil_block_preconditioner_solve(FilBlockPreconditioner* precond, FilWorkers* workers, const double* b, double* x);

/* The same in parts: what there is to do with b before F is known; then x for b + more where F reaches, `more` being zero
 * elsewhere; then the rest of x. Where columns that F reaches take long, the first is done by one worker beside the next factorisation of them: b
 * must stay until then. */
void fil_block_preconditioner_reduce(FilBlockPreconditioner* precond, FilWorkers* workers, const double* b);
void fil_block_preconditioner_predict(FilBlockPreconditioner* precond, FilWorkers* workers, const double* more, double* x);
void fil_block_preconditioner_complete(FilBlockPreconditioner* precond, FilWorkers* workers, double* x);

/* Before steps with a new factor; `fourth` says of each variable whether its fourth place is in use. False when out of memory. */
FIL_MUST_CHECK bool fil_block_preconditioner_isolate(FilBlockPreconditioner* precond, FilWorkers* workers, const int* fourth);
/* p = z + turn p, s = w + turn s, x = x + length p, r = r - length s; then z = (A + C + F)^-1 r. */
void fil_block_preconditioner_step(FilBlockPreconditioner* precond, FilWorkers* workers, const FilSingleStep* step);

#endif
