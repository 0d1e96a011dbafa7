/* What runs leave to what is kept, summed in their order, and passes over them shared by workers. */
#include "linalg/block_runs_data.h"
#include "linalg/tile.h"

const double fil_run_no_block[FIL_BLOCK_SIZE] = {0.0};
const double fil_run_identity[FIL_BLOCK_SIZE] = {[0] = 1.0, [5] = 1.0, [10] = 1.0, [15] = 1.0};

/* Adds what runs give to their ends, in their order: `first` is the first of each run's numbers. */
static void give_ends(const FilBlockRuns* runs, int first, const int* place, double* x)
{
    for (int r = 0; r < runs->runs.run_count; r++) {
        const double* sums = fil_run_sums(runs, r) + first;
        for (int end = 0; end < FIL_RUN_ENDS; end++) {
            const int kept = fil_run_end(&runs->runs.run[r], end);
            for (int d = 0; d < FIL_BLOCK && kept >= 0; d++) {
                x[FIL_BLOCK * place[kept] + d] += sums[FIL_BLOCK * end + d];
            }
        }
    }
}

/* A's kept blocks, and what each run leaves to those of its ends. */
static void sum_up(const FilBlockRuns* runs, const double* a_values)
{
    double* values = runs->values.at;
    for (int k = 0; k < runs->start.at[runs->runs.kept_count]; k++) {
        const int source = runs->source.at[k];
        if (source >= 0) {
            memcpy(values + FIL_BLOCK_SIZE * (size_t)k, a_values + FIL_BLOCK_SIZE * (size_t)source, FIL_BLOCK_SIZE * sizeof *values);
        } else {
            memset(values + FIL_BLOCK_SIZE * (size_t)k, 0, FIL_BLOCK_SIZE * sizeof *values);
        }
    }
    for (int r = 0; r < runs->runs.run_count; r++) {
        const FilRun* run = &runs->runs.run[r];
        const double* left = runs->windows.at + FIL_RUN_PAIRS * FIL_BLOCK_SIZE * (size_t)r;
        for (int p = 0; p < FIL_RUN_PAIRS; p++) {
            const int place = runs->place.at[FIL_RUN_PAIRS * r + p];
            if (place >= 0) {
                double* to = values + FIL_BLOCK_SIZE * (size_t)place;
                const FilTile tile = fil_tile_load(left + FIL_BLOCK_SIZE * p);
                const bool below = fil_run_end(run, fil_run_pairs[p][0]) >= fil_run_end(run, fil_run_pairs[p][1]);
                fil_tile_store(fil_tile_add(fil_tile_load(to), below ? tile : fil_tile_transpose(tile)), to);
            }
        }
    }
}

/* The rest of A v, of kept variables with each other. */
static void multiply_kept(const FilBlockRuns* runs, const double* a_values, const double* v, double* product)
{
    const int* variable = runs->variable.at;
    for (int j = 0; j < runs->runs.kept_count; j++) {
        for (int k = runs->start.at[j]; k < runs->start.at[j + 1]; k++) {
            const int p = variable[runs->row.at[k]], q = variable[j];
            if (runs->source.at[k] >= 0) {
                const FilTile block = fil_tile_load(a_values + FIL_BLOCK_SIZE * (size_t)runs->source.at[k]);
                fil_quarter_add_tile(product + FIL_BLOCK * p, block, v + FIL_BLOCK * q);
                if (p != q) {
                    fil_quarter_add_tile(product + FIL_BLOCK * q, fil_tile_transpose(block), v + FIL_BLOCK * p);
                }
            }
        }
    }
}

/* What all runs leave: to the kept blocks and right side the first of two parts, to A v the second. */
static void finish_parts(void* context, int first, int end, int worker)
{
    const FilRunElimination* e = context;
    (void)worker;
    for (int part = first; part < end; part++) {
        if (part == 0) {
            sum_up(e->runs, e->a_values);
        }
        if (e->x != NULL && part == 0) {
            give_ends(e->runs, 0, e->runs->kept_at.at, e->x);
        } else if (e->x != NULL) {
            give_ends(e->runs, FIL_RUN_ENDS * FIL_BLOCK, e->runs->variable.at, e->product);
            multiply_kept(e->runs, e->a_values, e->v, e->product);
        }
    }
}

bool fil_block_runs_factor(FilBlockRuns* runs, FilWorkers* workers, const double* a_values, const FilBlockRunsAlong* along)
{
    FilRunElimination e = {.runs = runs, .a_values = a_values};
    if (along != NULL) {
        e.x = along->x;
        e.v = along->v;
        e.product = along->product;
        memset(e.product, 0, FIL_BLOCK * (size_t)runs->runs.columns * sizeof *e.product);
    }
    fil_workers_run(workers, runs->chunk_count, 1, runs->passes->factor, &e);
    if (atomic_load(&e.failed)) {
        return false;
    }
    fil_workers_run(workers, 2, 1, finish_parts, &e);
    return true;
}

void fil_block_runs_eliminate(FilBlockRuns* runs, FilWorkers* workers, double* x)
{
    FilRunElimination e = {.runs = runs, .x = x};
    fil_workers_run(workers, runs->chunk_count, 1, runs->passes->eliminate, &e);
    give_ends(runs, 0, runs->kept_at.at, x);
}

void fil_block_runs_substitute(const FilBlockRuns* runs, FilWorkers* workers, double* x)
{
    FilRunElimination e = {.runs = runs, .x = x};
    fil_workers_run(workers, runs->chunk_count, 1, runs->passes->substitute, &e);
}
