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
    FilDoubles factor;      /* blocks of L; on the diagonal, pivot blocks */
    FilDoubles inverse;     /* W_j, inverse Cholesky factor of each pivot block */
    FilDoubles x;           /* a vector in pivot order */
};

/* What is done with blocks of one column of L, in registers of some width. */
typedef struct FilBlockColumnSteps {
    void (*begin)(const FilBlockSymbolic* s, const double* a_values, const double* c_values, int p, double* block); /* block = H_p */
    void (*subtract)(double* block, const double* a, const double* b);                                              /* block -= a b' */
    void (*scale)(double* block, const double* w);                                                                  /* block = block w' */
} FilBlockColumnSteps;

/* Column j of L, from the values of both terms; false if its pivot is not positive definite. */
typedef bool FilBlockFactorColumn(FilBlockCholesky* cholesky, const double* a_values, const double* c_values, int j);
FilBlockFactorColumn fil_block_factor_column_256;

/* The same by some steps, which become part of their caller. */
static inline __attribute__((always_inline)) bool fil_block_factor_column_by(FilBlockColumnSteps steps, FilBlockCholesky* cholesky,
                                                                             const double* a_values, const double* c_values, int j)
{
    const FilBlockSymbolic* s = &cholesky->symbolic;
    const int diagonal = s->column_start.at[j], end = s->column_start.at[j + 1], *target = s->target.at + s->product_start.at[j];
    double* factor = cholesky->factor.at;
    double* w = cholesky->inverse.at + FIL_BLOCK_SIZE * (size_t)j;
    for (int p = diagonal; p < end; p++) {
        steps.begin(s, a_values, c_values, p, factor + FIL_BLOCK_SIZE * (size_t)p);
    }
    for (int q = s->row_start.at[j]; q < s->row_start.at[j + 1]; q++) {
        const int own = s->row_block.at[q];
        for (int a = own, last = s->column_start.at[s->row_column.at[q] + 1]; a < last; a++) {
            steps.subtract(factor + FIL_BLOCK_SIZE * (size_t)*target++, factor + FIL_BLOCK_SIZE * (size_t)a, factor + FIL_BLOCK_SIZE * (size_t)own);
        }
    }
    if (!fil_block_inverse_factor(factor + FIL_BLOCK_SIZE * (size_t)diagonal, w)) {
        return false;
    }
    for (int p = diagonal + 1; p < end; p++) {
        steps.scale(factor + FIL_BLOCK_SIZE * (size_t)p, w);
    }
    return true;
}

#endif
