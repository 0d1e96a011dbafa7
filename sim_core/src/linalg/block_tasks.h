/* What threads may take side by side of a factor's columns: bundles of subtrees of its elimination tree, of about the same work each, so that taking
 * one costs little. They are in the order of their variables, so that those of a body come to the thread that has moved it; columns of a bundle's
 * subtrees take turns, as they do in the order of elimination, so that they need not wait for each other's results. */
#ifndef FILUM_LINALG_BLOCK_TASKS_H
#define FILUM_LINALG_BLOCK_TASKS_H

#include "base/workers.h"
#include "filum/base.h"
#include "linalg/block_symbolic.h"
#include "linalg/subtrees.h"

/* Columns `first` to `end` - 1. */
typedef struct FilBlockTasks {
    int first, end;
    FilSubtrees trees; /* their columns are counted from the first */
    int count;
    FilInts start;  /* count + 2: where the columns of each bundle begin in `column`; those above all subtrees are the last */
    FilInts column; /* in rising order in each */
    FilInts bundle; /* of each subtree */
    bool small;     /* all of it is done before anyone has come to help */
} FilBlockTasks;

void fil_block_tasks_free(FilBlockTasks* tasks);

/* Of an analysis whose products are listed. False when out of memory. */
FIL_MUST_CHECK bool fil_block_tasks_find(FilBlockTasks* tasks, FilBlockSymbolic* symbolic, int first, int end);

#endif
