/* What the files of eliminated runs share. */
#ifndef FILUM_LINALG_BLOCK_RUNS_DATA_H
#define FILUM_LINALG_BLOCK_RUNS_DATA_H

#include "linalg/block_runs.h"

/* Runs that are done side by side, in the lanes of vectors: both have nobody before them, or neither. */
enum { FIL_RUNS_TOGETHER = 2 };

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

#endif
