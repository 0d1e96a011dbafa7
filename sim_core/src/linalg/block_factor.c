#include "linalg/block_factor.h"

#include <math.h>

/* Products of 4x4 blocks from which on supernodes are chosen. Once analysed they are faster everywhere (ms to factor,
 * of both: cube of 5^3 vertices, 22,000 products: 0.26, 0.10; 7^3, 244,000: 3.0, 0.73), but their analysis takes two to
 * three times as long, dissection asks the heap for memory, and contacts come and go: they are for systems whose factor
 * is what a step costs. Soft bubbles that hold a bear (bubble_gripper, its first 2.5 s) take 2.9 s of CPU with 300,000, 1.9 s with
 * 100,000 and with 30,000. Compact systems, with many products a column, whose factor is dense after a few columns, are left to supernodes
 * earlier: a hand that shakes a ball (hand_ball, 167 columns, about 90,000 products, 18 iterations a step) takes 0.4 of the time. Rods and
 * chains of rings have 10 to 60 products a column. */
static const double MAX_PRODUCTS = 100e3, MIN_PRODUCTS = 20e3, PRODUCTS_A_COLUMN = 100.0;

bool fil_block_factor_init(FilBlockFactor* factor)
{
    *factor = (FilBlockFactor){.block = fil_block_cholesky_create()};
    return factor->block != NULL;
}

void fil_block_factor_free(FilBlockFactor* factor)
{
    fil_block_cholesky_destroy(factor->block);
    fil_block_runs_free(&factor->runs);
    fil_supernodal_destroy(factor->supernodal);
}

void fil_block_factor_set_workers(FilBlockFactor* factor, FilWorkers* workers)
{
    factor->workers = workers;
    fil_block_cholesky_set_workers(factor->block, workers);
    if (factor->supernodal != NULL) {
        fil_supernodal_set_workers(factor->supernodal, workers);
    }
}

FilStatus fil_block_factor_analyze(FilBlockFactor* factor, const FilBlockPattern* a, const FilBlockPattern* c)
{
    bool within;
    const double max = fmin(fmax(PRODUCTS_A_COLUMN * a->columns, MIN_PRODUCTS), MAX_PRODUCTS);
    factor->condensed = false;
    if (c != NULL && !fil_block_runs_find(&factor->runs, a, c, &factor->condensed)) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilBlockRuns* runs = &factor->runs;
    const FilStatus status = factor->condensed
                                 ? fil_block_cholesky_analyze_within(factor->block, &runs->a, &runs->c, max - fil_block_runs_products(runs), &within)
                                 : fil_block_cholesky_analyze_within(factor->block, a, c, max, &within);
    factor->supernodes = status == FIL_OK && !within;
    factor->condensed = factor->condensed && status == FIL_OK && within;
    if (factor->condensed) {
        fil_block_runs_place(&factor->runs, fil_block_cholesky_pivots(factor->block));
    }
    return status;
}

FilStatus fil_block_factor_analyze_supernodes(FilBlockFactor* factor, const FilBlockPattern* a, const FilBlockPattern* c, const unsigned char* used)
{
    if (factor->supernodal == NULL && (factor->supernodal = fil_supernodal_create()) == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_supernodal_set_workers(factor->supernodal, factor->workers);
    return fil_supernodal_analyze(factor->supernodal, a, c, used);
}

FilStatus fil_block_factor_bind(FilBlockFactor* factor, const FilBlockPattern* a, const FilBlockPattern* c, bool* fits)
{
    if (factor->condensed) {
        *fits = fil_block_runs_are(&factor->runs, a, c);
        return FIL_OK;
    }
    return factor->supernodes ? fil_supernodal_bind(factor->supernodal, a, c, fits) : fil_block_cholesky_bind(factor->block, a, c, fits);
}

bool fil_block_factor_fixed(FilBlockFactor* factor, const double* a_values)
{
    if (factor->condensed) {
        return fil_block_runs_factor(&factor->runs, factor->workers, a_values, NULL) &&
               fil_block_cholesky_factor_fixed(factor->block, factor->runs.values.at);
    }
    return factor->supernodes ? fil_supernodal_factor_fixed(factor->supernodal, a_values) : fil_block_cholesky_factor_fixed(factor->block, a_values);
}

bool fil_block_factor_changing(FilBlockFactor* factor, const double* a_values, const double* c_values)
{
    return factor->supernodes ? fil_supernodal_factor_changing(factor->supernodal, a_values, c_values)
                              : fil_block_cholesky_factor_changing(factor->block, factor->condensed ? factor->runs.values.at : a_values, c_values);
}

/* Columns of runs, before those of the block factor. */
static int run_columns(const FilBlockFactor* factor)
{
    return factor->condensed ? factor->runs.runs.run_columns : 0;
}

/* The block factor's part of a vector. */
static double* block_part(const FilBlockFactor* factor, double* x)
{
    return x + FIL_BLOCK * (size_t)run_columns(factor);
}

bool fil_block_factor_fixed_along(FilBlockFactor* factor, const double* a_values, const FilBlockRunsAlong* along)
{
    const bool definite = fil_block_runs_factor(&factor->runs, factor->workers, a_values, along) &&
                          fil_block_cholesky_factor_fixed(factor->block, factor->runs.values.at);
    if (definite) {
        fil_block_cholesky_eliminate_fixed(factor->block, block_part(factor, along->x));
    }
    return definite;
}

const int* fil_block_factor_pivots(const FilBlockFactor* factor)
{
    if (factor->condensed) {
        return factor->runs.pivot.at;
    }
    return factor->supernodes ? fil_supernodal_pivots(factor->supernodal) : fil_block_cholesky_pivots(factor->block);
}

int fil_block_factor_first_changing(const FilBlockFactor* factor)
{
    return factor->supernodes ? fil_supernodal_first_changing(factor->supernodal)
                              : run_columns(factor) + fil_block_cholesky_first_changing(factor->block);
}

void fil_block_factor_eliminate_fixed(FilBlockFactor* factor, double* x)
{
    if (factor->supernodes) {
        fil_supernodal_eliminate_fixed(factor->supernodal, x);
    } else {
        if (factor->condensed) {
            fil_block_runs_eliminate(&factor->runs, factor->workers, x);
        }
        fil_block_cholesky_eliminate_fixed(factor->block, block_part(factor, x));
    }
}

void fil_block_factor_solve_changing(FilBlockFactor* factor, double* x)
{
    if (factor->supernodes) {
        fil_supernodal_solve_changing(factor->supernodal, x);
    } else {
        fil_block_cholesky_solve_changing(factor->block, block_part(factor, x));
    }
}

void fil_block_factor_forward_changing(FilBlockFactor* factor, double* x)
{
    if (factor->supernodes) {
        fil_supernodal_forward_changing(factor->supernodal, x);
    } else {
        fil_block_cholesky_forward_changing(factor->block, block_part(factor, x));
    }
}

void fil_block_factor_substitute_fixed(FilBlockFactor* factor, double* x)
{
    if (factor->supernodes) {
        fil_supernodal_substitute_fixed(factor->supernodal, x);
    } else {
        fil_block_cholesky_substitute_fixed(factor->block, block_part(factor, x));
        if (factor->condensed) {
            fil_block_runs_substitute(&factor->runs, factor->workers, x);
        }
    }
}
