/* Solutions with runs that have been eliminated, two side by side. */
#include "linalg/block_runs_pair.h"

static FIL_RUN_INLINE bool is_between(const FilBlockRuns* runs, int pair)
{
    return fil_run_is_between(&runs->runs.run[runs->order.at[FIL_RUNS_TOGETHER * pair]]);
}

static FIL_RUN_INLINE void eliminate_pair(const Elimination* e, int pair, bool between)
{
    const Travellers t = set_out(e, pair);
    const size_t pitch = between ? FIL_RUN_LONG : FIL_RUN_SHORT;
    Numbers x;
    Both before[2][FIL_BLOCK];
    set_zero(before[0], 2 * FIL_BLOCK);
    load_x(&t, 0, x.at[0]);
    load_x(&t, 1, x.at[1]);
    for (int k = 0; k < t.longest; k++) {
        load_x(&t, k + 2, x.at[2]);
        const Both* l = (const Both*)t.l + pitch * (size_t)k;
        pass_numbers(l, &x);
        if (between) {
            pass_numbers_before(l, x.at[0], before);
        }
        store_x(&t, k, x.at[0]);
        shift(&x);
    }
    give_numbers(&t, &x, before);
}

/* One pass over pairs of runs, `between`: of those with ends on both sides. */
typedef void PairPass(const Elimination* e, int pair, bool between);

static FIL_RUN_INLINE void pass_chunks(const Elimination* e, int first_chunk, int end_chunk, PairPass* pass)
{
    for (int pair = e->runs->chunk.at[first_chunk]; pair < e->runs->chunk.at[end_chunk]; pair++) {
        is_between(e->runs, pair) ? pass(e, pair, true) : pass(e, pair, false);
    }
}

static void eliminate_chunks(void* context, int first_chunk, int end_chunk, int worker)
{
    (void)worker;
    pass_chunks(context, first_chunk, end_chunk, eliminate_pair);
}

void fil_block_runs_eliminate(FilBlockRuns* runs, FilWorkers* workers, double* x)
{
    Elimination e = {.runs = runs, .x = x};
    fil_workers_run(workers, runs->chunk_count, 1, eliminate_chunks, &e);
    give_ends(runs, 0, runs->kept_at.at, x);
}

/* x of one of the ends of both runs, 0 where there is none. */
static void load_end(const Elimination* e, const Travellers* t, int end, Both* out)
{
    static const double none[FIL_BLOCK] = {0.0};
    const double* x[FIL_RUNS_TOGETHER];
    for (int side = 0; side < FIL_RUNS_TOGETHER; side++) {
        const int kept = fil_run_end(t->side[side].run, end);
        x[side] = kept >= 0 ? e->x + FIL_BLOCK * (size_t)e->runs->kept_at.at[kept] : none;
    }
    load_quarters(x[0], x[1], out);
}

static FIL_RUN_INLINE void substitute_pair(const Elimination* e, int pair, bool between)
{
    const Travellers t = set_out(e, pair);
    const size_t pitch = between ? FIL_RUN_LONG : FIL_RUN_SHORT;
    Both next[FIL_BLOCK], second[FIL_BLOCK], before[2][FIL_BLOCK];
    load_end(e, &t, FIL_RUN_AFTER, next);
    load_end(e, &t, FIL_RUN_SECOND_AFTER, second);
    load_end(e, &t, FIL_RUN_BEFORE, before[0]);
    load_end(e, &t, FIL_RUN_SECOND_BEFORE, before[1]);
    for (int k = t.longest - 1; k >= 0; k--) {
        const Both* l = (const Both*)t.l + pitch * (size_t)k;
        Both y[FIL_BLOCK], sum[FIL_BLOCK];
        load_x(&t, k, y);
        set_zero(sum, FIL_BLOCK);
        add_transposed_product(sum, l + SECOND, second);
        if (between) {
            add_transposed_product(sum, l + BEFORE, before[0]);
            add_transposed_product(sum, l + SECOND_BEFORE, before[1]);
        }
        add_transposed_product(sum, l + NEXT, next);  // the last that is known
        apply_pivot_transposed(l, sum, y);
        store_x(&t, k, y);
        memcpy(second, next, sizeof second);
        memcpy(next, y, sizeof next);
    }
}

static void substitute_chunks(void* context, int first_chunk, int end_chunk, int worker)
{
    (void)worker;
    pass_chunks(context, first_chunk, end_chunk, substitute_pair);
}

void fil_block_runs_substitute(const FilBlockRuns* runs, FilWorkers* workers, double* x)
{
    Elimination e = {.runs = runs, .x = x};
    fil_workers_run(workers, runs->chunk_count, 1, substitute_chunks, &e);
}
