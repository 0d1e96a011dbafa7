/* Elimination of runs (linalg/runs.h) from A + C before any sparse factor: a run is a band, eliminated from end to end without lists of rows or
 * products. What is left is the Schur complement of A on the variables that are kept, which a sparse factor takes with C on them: its analysis, which
 * each new set of contacts asks for, sees these only.
 * Vectors are in pivot order: variables of runs, run by run, then those that are kept. */
#ifndef FILUM_LINALG_BLOCK_RUNS_H
#define FILUM_LINALG_BLOCK_RUNS_H

#include "linalg/runs.h"

typedef struct FilBlockRuns {
    FilRuns runs;
    FilInts a_start, a_row;     /* A as last seen */
    FilInts at;                 /* of each variable: blocks of A with itself and with the next two; -1: none */
    FilBlockPattern a, c;       /* what is kept: Schur complement, C */
    FilInts start, row, source; /* of a; of each block: that of A which it begins with, -1: none */
    FilInts c_start, c_row;
    FilInts place;    /* of each run: where its ends' blocks go, -1: nowhere */
    FilInts order;    /* of runs, group by group, of like length; -1: nobody */
    FilInts first;    /* of each run: pivot of its first variable */
    FilInts begin;    /* of each group: first number of its columns of L */
    FilInts chunk;    /* of work: first group, and the end */
    FilInts kept_at;  /* of each kept variable: pivot */
    FilInts variable; /* of each kept one */
    FilInts pivot;    /* of each variable */
    FilInts scratch;
    FilDoubles values; /* of a */
    FilDoubles factor, windows, sums;
    int group_count, chunk_count;
    const struct FilRunPasses* passes; /* by what groups are eliminated */
} FilBlockRuns;

void fil_block_runs_free(FilBlockRuns* runs);

/* Finds runs in A, which C does not touch, and what is kept of both patterns. *worth is false where they are too few, and nothing else is found then.
 * False when out of memory. */
FIL_MUST_CHECK bool fil_block_runs_find(FilBlockRuns* runs, const FilBlockPattern* a, const FilBlockPattern* c, bool* worth);
/* Products of 4x4 blocks that runs take. */
double fil_block_runs_products(const FilBlockRuns* runs);
/* Completes the order with the pivots of kept variables. */
void fil_block_runs_place(FilBlockRuns* runs, const int* kept_pivots);
/* Whether these are the patterns that were found. */
bool fil_block_runs_are(const FilBlockRuns* runs, const FilBlockPattern* a, const FilBlockPattern* c);

/* What is found along the way, while numbers are at hand. */
typedef struct FilBlockRunsAlong {
    const double* v; /* product = A v, of all variables in the caller's order */
    double* product;
    double* x; /* as by fil_block_runs_eliminate() */
} FilBlockRunsAlong;

/* Eliminates runs, and writes the Schur complement. `along` may be NULL. False when not positive definite. */
FIL_MUST_CHECK bool fil_block_runs_factor(FilBlockRuns* runs, FilWorkers* workers, const double* a_values, const FilBlockRunsAlong* along);
/* (b_n, b_p) -> (L_nn^-1 b_n, b_p - A_pn A_nn^-1 b_n), n for runs, p for what is kept */
void fil_block_runs_eliminate(FilBlockRuns* runs, FilWorkers* workers, double* x);
/* (y_n, x_p) -> (x_n, x_p) with L_nn' x_n = y_n - L_pn' x_p */
void fil_block_runs_substitute(const FilBlockRuns* runs, FilWorkers* workers, double* x);

#endif
