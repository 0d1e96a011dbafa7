/* What the files of eliminated runs share. */
#ifndef FILUM_LINALG_BLOCK_RUNS_DATA_H
#define FILUM_LINALG_BLOCK_RUNS_DATA_H

#include <stdatomic.h>

#include "linalg/block_runs.h"

/* Ends of a run, and pairs of them, themselves included. */
enum { FIL_RUN_AFTER = 0, FIL_RUN_SECOND_AFTER, FIL_RUN_BEFORE, FIL_RUN_SECOND_BEFORE, FIL_RUN_ENDS };
enum { FIL_RUN_PAIRS = FIL_RUN_ENDS * (FIL_RUN_ENDS + 1) / 2 };

/* Numbers of a column of L: what its pivot is inverted by, blocks of the next two, and those of the two before the run, if there are any. */
enum { FIL_RUN_PIVOT = 10, FIL_RUN_SHORT = FIL_RUN_PIVOT + 2 * FIL_BLOCK_SIZE, FIL_RUN_LONG = FIL_RUN_PIVOT + 4 * FIL_BLOCK_SIZE };

/* Row and column of the blocks that a run leaves; see give_window() in block_runs_factor.c. */
static const int fil_run_pairs[FIL_RUN_PAIRS][2] = {
    {FIL_RUN_AFTER, FIL_RUN_AFTER},
    {FIL_RUN_SECOND_AFTER, FIL_RUN_SECOND_AFTER},
    {FIL_RUN_SECOND_AFTER, FIL_RUN_AFTER},
    {FIL_RUN_BEFORE, FIL_RUN_AFTER},
    {FIL_RUN_SECOND_BEFORE, FIL_RUN_AFTER},
    {FIL_RUN_BEFORE, FIL_RUN_SECOND_AFTER},
    {FIL_RUN_SECOND_BEFORE, FIL_RUN_SECOND_AFTER},
    {FIL_RUN_BEFORE, FIL_RUN_BEFORE},
    {FIL_RUN_SECOND_BEFORE, FIL_RUN_BEFORE},
    {FIL_RUN_SECOND_BEFORE, FIL_RUN_SECOND_BEFORE},
};

/* The kept variable at one of its ends, -1: none. */
static inline int fil_run_end(const FilRun* run, int end)
{
    return end < FIL_RUN_BEFORE ? run->after[end] : run->before[end - FIL_RUN_BEFORE];
}

/* What a run leaves to its ends of a vector, then of A v. */
static inline double* fil_run_sums(const FilBlockRuns* runs, int r)
{
    return runs->sums.at + 2 * FIL_RUN_ENDS * FIL_BLOCK * (size_t)r;
}

/* Runs that are eliminated, or solved with. */
typedef struct FilRunElimination {
    const FilBlockRuns* runs;
    const double* a_values;
    double* x;
    const double* v; /* A v is asked for, too ... */
    double* product; /* ... unless this is NULL */
    atomic_bool failed;
} FilRunElimination;

/* Passes over chunks of groups of runs (FilBlockRuns.chunk); the context is a FilRunElimination. Runs of a group are done side by side, in the lanes
 * of vectors: all of them have somebody before them, or none. */
typedef struct FilRunPasses {
    int lanes; /* 2 or 4 */
    FilWork *factor, *eliminate, *substitute;
} FilRunPasses;

/* Doubles in 256 bits. */
enum { FIL_RUN_MAX_LANES = 4 };

/* Zeros and an identity in place of blocks that are not there. Compilers do not see their numbers, and hence make no branches of loads. */
extern const double fil_run_no_block[FIL_BLOCK_SIZE], fil_run_identity[FIL_BLOCK_SIZE];

/* What is best on this processor, with the same bits everywhere. */
const FilRunPasses* fil_run_passes(void);
extern const FilRunPasses fil_run_passes_plain, fil_run_passes_avx2, fil_run_passes_avx512;

#endif
