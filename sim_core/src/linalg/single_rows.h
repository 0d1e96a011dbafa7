/* A sum of symmetric 4x4-block matrices in single precision, by whole rows: for many products with the same numbers, where single precision is
 * enough. Both triangles are stored, so that each row is made by itself, by whoever there is, and nothing else is written: a sheet of 1,400 vertices
 * takes 0.7 MB, which a second-level cache holds, instead of 1.3. Blocks are columns of three numbers, one after the other, unless a variable of the
 * row has its fourth place in use. */
#ifndef FILUM_LINALG_SINGLE_ROWS_H
#define FILUM_LINALG_SINGLE_ROWS_H

#include "linalg/block_matrix.h"

typedef struct FilSingleRows {
    FilInts start;  /* columns + 1: the first block of each row */
    FilInts column; /* of each block */
    FilInts offset; /* where the numbers of each row begin */
    FilInts wide;   /* rows with fourth columns */
    FilInts to;     /* of each block as stored: where its numbers go, and where those of its transpose do; -1: nowhere */
    FilFloats values;
} FilSingleRows;

void fil_single_rows_free(FilSingleRows* rows);

/* Adopts the sum of `count` patterns of the same size. `fourth` says of each variable whether its fourth place is in use. False when out of memory.
 * Allocates only to grow. */
FIL_MUST_CHECK bool fil_single_rows_find(FilSingleRows* rows, const FilBlockPattern* terms, int count, const int* fourth);

/* Takes the numbers. False: some stand in fourth places that are not in use. */
FIL_MUST_CHECK bool fil_single_rows_take(FilSingleRows* rows, FilWorkers* workers, const FilBlockPattern* terms, const double* const* values,
                                         int count, const int* fourth);

/* Marks variables whose fourth places these matrices use: all but those with 1 or 0 on the diagonal and 0 beside it. */
void fil_single_rows_mark(const FilBlockPattern* terms, const double* const* values, int count, int* fourth);

/* Rows `first` to `end` - 1 of w = (A + B) z, four numbers each; returns what they are times those of z. B may be NULL. */
float fil_single_rows_times(const FilSingleRows* a, const FilSingleRows* b, int first, int end, const float* z, float* w);

#endif
