/* Runs: rows of variables that a matrix couples with the next two at most, as nodes of rods are, and that another matrix does not touch. They can be
 * eliminated from end to end; what is left of the matrix are the others, which are kept, with those beside each run coupled. */
#ifndef FILUM_LINALG_RUNS_H
#define FILUM_LINALG_RUNS_H

#include "linalg/block_matrix.h"
#include "linalg/buffer.h"

typedef struct FilRun {
    int first, step, count;  /* variables first, first + step, ..., in the order of elimination */
    int before[2], after[2]; /* numbers of kept variables beside it, the nearest first; -1: none. Where only one side has any, it is `after` */
} FilRun;

typedef struct FilRuns {
    int columns, kept_count, run_count;
    int run_columns;   /* of all runs */
    const FilRun* run; /* by rising variables */
    FilInts kept;      /* of each variable: its number among those that are kept, by rising variables; -1: it is one of a run */
    FilInts touched;   /* of each kept one: whether the last pattern touches it */
    FilInts flags, structure;
    void* buffer;
    size_t capacity;
} FilRuns;

/* Runs in the sum of `count` patterns of the same size, of which the last one touches variables. `same`: all but the last are those of the last call.
 * False when out of memory. */
FIL_MUST_CHECK bool fil_runs_find(FilRuns* runs, const FilBlockPattern* const* patterns, int count, bool same);
/* Divides a run of the last call in two halves, with its middle kept between them. */
void fil_runs_divide(FilRuns* runs, int r);
void fil_runs_free(FilRuns* runs);

static inline bool fil_run_is_between(const FilRun* run)
{
    return run->before[0] >= 0 || run->before[1] >= 0;
}

#endif
