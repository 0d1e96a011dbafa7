/* A factor of A + C that is right for its pattern: FilBlockCholesky where little fills, with runs of variables eliminated before it where there are
 * many, FilSupernodal beyond. Functions do what those of the same names do there; vectors in parts are in pivot order. */
#ifndef FILUM_LINALG_BLOCK_FACTOR_H
#define FILUM_LINALG_BLOCK_FACTOR_H

#include "linalg/block_cholesky.h"
#include "linalg/block_runs.h"
#include "linalg/supernodal.h"

typedef struct FilBlockFactor {
    FilBlockCholesky* block;
    FilSupernodal* supernodal; /* NULL until one is needed */
    FilBlockRuns runs;
    FilWorkers* workers; /* borrowed */
    bool supernodes;     /* which of the two the last analysis chose */
    bool condensed;      /* ... and runs come before the block factor */
} FilBlockFactor;

FIL_MUST_CHECK bool fil_block_factor_init(FilBlockFactor* factor); /* false when out of memory */
void fil_block_factor_free(FilBlockFactor* factor);

/* Who share the factor from now on; see fil_supernodal_set_workers(). */
void fil_block_factor_set_workers(FilBlockFactor* factor, FilWorkers* workers);

/* In two parts: the first chooses, and is all of it unless `factor->supernodes`; used: see fil_supernodal_analyze(), NULL serves. */
FIL_MUST_CHECK FilStatus fil_block_factor_analyze(FilBlockFactor* factor, const FilBlockPattern* a, const FilBlockPattern* c);
FIL_MUST_CHECK FilStatus fil_block_factor_analyze_supernodes(FilBlockFactor* factor, const FilBlockPattern* a, const FilBlockPattern* c,
                                                             const unsigned char* used);
FIL_MUST_CHECK FilStatus fil_block_factor_bind(FilBlockFactor* factor, const FilBlockPattern* a, const FilBlockPattern* c, bool* fits);
FIL_MUST_CHECK bool fil_block_factor_fixed(FilBlockFactor* factor, const double* a_values);
/* Where `factor->condensed`: fixed(), eliminate_fixed() of along->x, and a product with A, in one pass over A. */
FIL_MUST_CHECK bool fil_block_factor_fixed_along(FilBlockFactor* factor, const double* a_values, const FilBlockRunsAlong* along);
FIL_MUST_CHECK bool fil_block_factor_changing(FilBlockFactor* factor, const double* a_values, const double* c_values);

const int* fil_block_factor_pivots(const FilBlockFactor* factor);
int fil_block_factor_first_changing(const FilBlockFactor* factor);
void fil_block_factor_eliminate_fixed(FilBlockFactor* factor, double* x);
void fil_block_factor_solve_changing(FilBlockFactor* factor, double* x);
void fil_block_factor_forward_changing(FilBlockFactor* factor, double* x);
void fil_block_factor_substitute_fixed(FilBlockFactor* factor, double* x);

#endif
