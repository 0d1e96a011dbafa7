/* What the block Cholesky factorisation knows before it sees a number: order, pattern of L, list of block products. */
#ifndef FILUM_LINALG_BLOCK_SYMBOLIC_H
#define FILUM_LINALG_BLOCK_SYMBOLIC_H

#include "filum/base.h"
#include "linalg/block_matrix.h"
#include "linalg/buffer.h"
#include "linalg/ordering.h"

#define FIL_BLOCK_TERMS 3 /* matrices in the sum that is factored */
#define FIL_BLOCK_NO_SOURCE (-1)

typedef struct FilBlockSymbolic {
    int columns;
    int factor_blocks;
    int products;
    double predicted_products; /* the same, known before they are listed */
    int first_changing;        /* columns of L before this one do not depend on the last term */
    FilOrdering ordering;

    /* pattern of L */
    FilInts parent;       /* elimination tree; -1 at a root */
    FilInts column_start; /* columns + 1: blocks of column j, the diagonal one first, rows ascending */
    FilInts row;          /* of each block */
    FilInts row_start;    /* columns + 1: blocks of row i left of the diagonal */
    FilInts row_column;   /* their columns ... */
    FilInts row_block;    /* ... and places in L */

    /* where listed: L_a L_b' is subtracted from L_p for each pair (a, b) in product[2 product_start[p]] ... */
    FilInts product_start; /* factor_blocks + 1 */
    FilInts product;

    /* where the numbers come from: 2 k for block k of a term, 2 k + 1 for its transpose, or FIL_BLOCK_NO_SOURCE */
    FilInts source[FIL_BLOCK_TERMS];

    /* entries of the terms by the later of their two pivots */
    FilInts entry_start, entry_column, entry_source;
    FilInts spare; /* the same and the tree, while columns move */
    FilInts scratch;
} FilBlockSymbolic;

void fil_block_symbolic_free(FilBlockSymbolic* symbolic);

/* `terms` has FIL_BLOCK_TERMS patterns of the same size; all but the first may be NULL. What the last reaches comes last: at any
 * price, or `loose`: as far as that costs no fill. `order`: finds one, else that of the last analysis, of as many columns, serves
 * again. Where more than `max_products` are predicted, that is all it finds. */
FIL_MUST_CHECK FilStatus fil_block_symbolic_analyze(FilBlockSymbolic* symbolic, const FilBlockPattern* const* terms, bool loose, bool order,
                                                    double max_products);
/* The same in two steps: all but the sources, which are not worth finding where another order follows, and these. */
FIL_MUST_CHECK FilStatus fil_block_symbolic_find_pattern(FilBlockSymbolic* symbolic, const FilBlockPattern* const* terms, bool loose, bool order,
                                                         double max_products);
FIL_MUST_CHECK FilStatus fil_block_symbolic_find_sources(FilBlockSymbolic* symbolic);
/* Finds the sources of other patterns; those of terms before `first` are as they were. */
FIL_MUST_CHECK FilStatus fil_block_symbolic_bind(FilBlockSymbolic* symbolic, const FilBlockPattern* const* terms, int first, bool* fits);

/* Writes out the products of the present pattern: for every k left of the diagonal in row j, L_ik L_jk' is subtracted from column j in each row
 * i >= j of column k. False when out of memory. */
FIL_MUST_CHECK bool fil_block_symbolic_list_products(FilBlockSymbolic* symbolic);

#endif
