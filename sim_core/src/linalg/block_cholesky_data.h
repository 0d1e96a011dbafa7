/* What the files of the block Cholesky factor share. */
#ifndef FILUM_LINALG_BLOCK_CHOLESKY_DATA_H
#define FILUM_LINALG_BLOCK_CHOLESKY_DATA_H

#include "linalg/block_cholesky.h"
#include "linalg/block_symbolic.h"
#include "linalg/block_tasks.h"

struct FilBlockCholesky {
    FilBlockSymbolic symbolic;
    FilBlockTasks tasks[2]; /* fixed columns, changing ones */
    FilWorkers* workers;    /* borrowed */
    FilDoubles factor;      /* blocks of L; those on the diagonal are not stored */
    FilDoubles inverse;     /* W_j, inverse Cholesky factor of each pivot block */
    FilInts twin;           /* of each block: it is made with the next one */
    FilDoubles x;           /* a vector in pivot order */
};

/* Column j of L, from the values of both terms; false if its pivot is not positive definite. */
typedef bool FilBlockFactorColumn(FilBlockCholesky* cholesky, const double* a_values, const double* c_values, int j);
FilBlockFactorColumn fil_block_factor_column_256;

#endif
