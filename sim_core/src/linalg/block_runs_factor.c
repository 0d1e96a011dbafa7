/* Runs eliminated from end to end, two side by side in the lanes of vectors, and solutions with them. Each writes places of its own, which are summed
 * in the runs' order: the same bits, whoever makes them, and beside whomever. */
#include "linalg/block_runs_pair.h"

#define FIL_RUN_PART __attribute__((noinline))

/* What is left of the matrix where columns before k are eliminated, of variables k and k + 1 of the run and the two before it, b; after the last
 * column it is what the run leaves to its ends. */
typedef struct Window {
    Both own[HALF], own_next[HALF];    /* (k, k), (k + 1, k + 1) */
    Both next[FIL_BLOCK_SIZE];         /* (k + 1, k) */
    Both before[2][2][FIL_BLOCK_SIZE]; /* (b, k), (b, k + 1) */
    Both ends_own[2][HALF];            /* (b0, b0), (b1, b1) */
    Both ends[FIL_BLOCK_SIZE];         /* (b1, b0) */
} Window;

/* What is found along the way: a vector that is eliminated, too, what that leaves to the two before the run, and A v. */
typedef struct Along {
    Numbers x, v, product;
    Both before[2][FIL_BLOCK];
} Along;

/* ---- numbers of A ---- */

/* A block of A by its number, or zeros. */
static inline const double* block_at(const Elimination* e, int at)
{
    static const double none[FIL_BLOCK_SIZE] = {0.0};
    return at >= 0 ? e->a_values + FIL_BLOCK_SIZE * (size_t)at : none;
}

/* Block of variable k with itself; those before the first are alone. */
static inline const double* own_block(const Elimination* e, const FilRun* run, int k)
{
    static const double alone[FIL_BLOCK_SIZE] = {[0] = 1.0, [5] = 1.0, [10] = 1.0, [15] = 1.0};
    return k < 0 ? alone : block_at(e, k < run->count ? e->runs->at.at[3 * (run->first + run->step * k)] : -1);
}

/* Block of variables k + apart and k, transposed if the run goes backwards. */
static inline const double* coupling(const Elimination* e, const FilRun* run, int k, int apart)
{
    const int v = run->step < 0 ? run->first - k - apart : run->first + k;
    return block_at(e, k >= 0 && k < run->count && v >= 0 ? e->runs->at.at[3 * v + apart] : -1);
}

/* The same of variable k and the one `back` before the run, which is one of its ends. */
static const double* from_before(const Elimination* e, const FilRun* run, int back, int k)
{
    const int v = run->first - back, apart = back + k;
    return block_at(e, k < 0 || k >= run->count || apart > 2 || run->before[back - 1] < 0 ? -1 : e->runs->at.at[3 * v + apart]);
}

/* Numbers of v of variable k, which may be one after the run. */
static inline const double* v_of(const Elimination* e, const FilRun* run, int k)
{
    static const double none[FIL_BLOCK] = {0.0};
    const int variable = run->first + run->step * k;
    return k < 0 || k > run->count + 1 || run->count == 0 || variable < 0 || variable >= e->runs->runs.columns ? none : e->v + FIL_BLOCK * variable;
}

static FIL_RUN_INLINE void load_own(const Elimination* e, const Travellers* t, int k, Both* out)
{
    const Traveller* side = t->side;
    load_halves(own_block(e, side[0].run, k - side[0].late), own_block(e, side[1].run, k - side[1].late), out);
}

static FIL_RUN_INLINE void load_coupling(const Elimination* e, const Travellers* t, int k, int apart, Way way, Both* out)
{
    const Traveller* side = t->side;
    const double *a = coupling(e, side[0].run, k - side[0].late, apart), *b = coupling(e, side[1].run, k - side[1].late, apart);
    if (way == OPPOSITE) {
        load_opposite_blocks(a, b, out);
    } else {
        load_blocks(a, b, way == BACKWARD, out);
    }
}

static FIL_RUN_INLINE void load_before(const Elimination* e, const Travellers* t, int back, int k, Both* out)
{
    const Traveller* side = t->side;
    load_blocks(from_before(e, side[0].run, back, k - side[0].late), from_before(e, side[1].run, back, k - side[1].late), true, out);
}

static FIL_RUN_INLINE void load_v(const Elimination* e, const Travellers* t, int k, Both* out)
{
    const Traveller* side = t->side;
    load_quarters(v_of(e, side[0].run, k - side[0].late), v_of(e, side[1].run, k - side[1].late), out);
}

/* ---- factor ---- */

static FIL_RUN_INLINE void begin_pair(const Elimination* e, const Travellers* t, bool between, Window* w)
{
    load_own(e, t, 0, w->own);
    load_own(e, t, 1, w->own_next);
    load_coupling(e, t, 0, 1, t->way, w->next);
    if (between) {
        for (int b = 0; b < 2; b++) {
            load_before(e, t, b + 1, 0, w->before[0][b]);
            load_before(e, t, b + 1, 1, w->before[1][b]);
        }
        set_zero(w->ends_own[0], 2 * HALF);
        set_zero(w->ends, FIL_BLOCK_SIZE);
    }
}

static FIL_RUN_INLINE void begin_along(const Elimination* e, const Travellers* t, const Window* w, Along* along)
{
    set_zero(along->product.at[0], 3 * FIL_BLOCK);
    set_zero(along->before[0], 2 * FIL_BLOCK);
    for (int k = 0; k < 2; k++) {
        load_x(t, k, along->x.at[k]);
        load_v(e, t, k, along->v.at[k]);
    }
    add_own_product(along->product.at[0], w->own, along->v.at[0]);
    add_own_product(along->product.at[1], w->own_next, along->v.at[1]);
    add_product(along->product.at[1], w->next, along->v.at[0]);
    add_transposed_product(along->product.at[0], w->next, along->v.at[1]);
}

/* Blocks of A of variable k + 2 that enter the window, and what is not scaled of column k: its blocks are C M', those of L C M' D^-1. */
typedef struct Blocks {
    Both across[FIL_BLOCK_SIZE], next[FIL_BLOCK_SIZE], own[HALF]; /* (k + 2, k), (k + 2, k + 1), (k + 2, k + 2) */
    Both plain_next[FIL_BLOCK_SIZE], plain_second[FIL_BLOCK_SIZE], plain_before[2][FIL_BLOCK_SIZE];
} Blocks;

static FIL_RUN_INLINE void store_product(const Elimination* e, const Travellers* t, int k, const Both* product)
{
    for (int side = 0; side < FIL_RUNS_TOGETHER; side++) {
        const int own = k - t->side[side].late;
        const FilRun* run = t->side[side].run;
        if (own >= 0) {
            fil_quarter_store(quarter_of(product, side), e->product + FIL_BLOCK * (run->first + run->step * own));
        }
    }
}

/* Parts of a column are functions of their own: together they have more numbers than there are registers. */

/* What column k leaves of the next pivot, and that pivot as well: its quotients wait for each other, and what follows here need not wait for them. */
static FIL_RUN_PART BothBits factor_pivot(Window* restrict w, Blocks* restrict blocks, Both* restrict l, Both* restrict next)
{
    times_pivot(blocks->plain_next, w->next, l);
    times_scales(l + NEXT, blocks->plain_next, l);
    subtract_halves(w->own, w->own_next, l + NEXT, blocks->plain_next);
    return split(w->own, next);
}

/* A block of L from c, and what is not scaled of it. */
static FIL_RUN_PART void factor_block(const Both* restrict c, const Both* restrict m, Both* restrict plain, Both* restrict l)
{
    times_pivot(plain, c, m);
    times_scales(l, plain, m);
}

static FIL_RUN_PART void pass_block(Both* out, const Both* c, const Both* restrict l, const Both* restrict plain)
{
    subtract_blocks(out, c, l, plain);
}

static FIL_RUN_PART void pass_half(Both* out, const Both* c, const Both* restrict l, const Both* restrict plain)
{
    subtract_halves(out, c, l, plain);
}

static FIL_RUN_INLINE void load_by_way(const Elimination* e, const Travellers* t, int k, Way way, Blocks* restrict blocks)
{
    load_coupling(e, t, k, 2, way, blocks->across);
    load_coupling(e, t, k + 1, 1, way, blocks->next);
    load_own(e, t, k + 2, blocks->own);
}

static FIL_RUN_PART void load_entering(const Elimination* e, const Travellers* t, int k, Blocks* restrict blocks)
{
    if (t->way == FORWARD) {
        load_by_way(e, t, k, FORWARD, blocks);
    } else if (t->way == BACKWARD) {
        load_by_way(e, t, k, BACKWARD, blocks);
    } else {
        load_by_way(e, t, k, OPPOSITE, blocks);
    }
}

static FIL_RUN_PART void multiply_entering(const Elimination* e, const Travellers* t, int k, const Blocks* restrict blocks, Along* restrict along)
{
    Both* product = along->product.at[2];
    load_v(e, t, k + 2, along->v.at[2]);
    set_zero(product, FIL_BLOCK);
    add_own_product(product, blocks->own, along->v.at[2]);
    add_both_products(product, along->product.at[1], blocks->next, along->v.at[1], along->v.at[2]);
    add_both_products(product, along->product.at[0], blocks->across, along->v.at[0], along->v.at[2]);
    store_product(e, t, k, along->product.at[0]);
    shift(&along->v);
    shift(&along->product);
}

/* w_0 = w_1 - l n_1', w_1 = w_2 - l n_2' of variables before the runs, whose blocks of column k are l, and n what is not scaled of the next two; w_2
 * is A's own, of runs that have only just set out. */
static void factor_before(const Elimination* e, const Travellers* t, int k, Window* w, Blocks* blocks, Both* l)
{
    static const Both none[FIL_BLOCK_SIZE];
    const bool enters = k + 2 - t->side[0].late < 2 || k + 2 - t->side[1].late < 2;
    for (int b = 0; b < 2; b++) {
        Both entering[FIL_BLOCK_SIZE], *own = l + (b == 0 ? BEFORE : SECOND_BEFORE);
        factor_block(w->before[0][b], l, blocks->plain_before[b], own);
        pass_block(w->before[0][b], w->before[1][b], own, blocks->plain_next);
        if (enters) {
            load_before(e, t, b + 1, k + 2, entering);
        }
        pass_block(w->before[1][b], enters ? entering : none, own, blocks->plain_second);
        pass_half(w->ends_own[b], w->ends_own[b], own, blocks->plain_before[b]);
    }
    pass_block(w->ends, w->ends, l + SECOND_BEFORE, blocks->plain_before[0]);
}

static FIL_RUN_PART void pass_x(const Travellers* t, int k, const Both* restrict l, Along* restrict along)
{
    load_x(t, k + 2, along->x.at[2]);
    pass_numbers(l, &along->x);
    store_x(t, k, along->x.at[0]);
}

/* Column k of L, whose pivot is there, and pivot k + 1; the window moves on to k + 1. `between`: there are variables before the runs, which go
 * forward then. */
static FIL_RUN_INLINE BothBits factor_column(const Elimination* e, const Travellers* t, int k, bool between, Window* w, Along* along, Both* l,
                                             Both* next)
{
    Blocks blocks;
    const BothBits good = factor_pivot(w, &blocks, l, next);
    load_entering(e, t, k, &blocks);
    if (along != NULL) {
        multiply_entering(e, t, k, &blocks, along);
    }
    factor_block(blocks.across, l, blocks.plain_second, l + SECOND);
    pass_block(w->next, blocks.next, l + SECOND, blocks.plain_next);
    pass_half(w->own_next, blocks.own, l + SECOND, blocks.plain_second);
    if (between) {
        factor_before(e, t, k, w, &blocks, l);
    }
    if (along != NULL) {
        pass_x(t, k, l, along);
        if (between) {
            pass_numbers_before(l, along->x.at[0], along->before);
        }
        shift(&along->x);
    }
    return good;
}

/* One side's lower triangle as a block, or a block. */
static void give_half(const Both* half, int side, double* out)
{
    for (int c = 0; c < FIL_BLOCK; c++) {
        for (int r = 0; r < FIL_BLOCK; r++) {
            out[FIL_BLOCK * c + r] = half[r >= c ? half_at(r, c) : half_at(c, r)][side];
        }
    }
}

static void give_block(const Both* block, int side, double* out)
{
    for (int k = 0; k < FIL_BLOCK_SIZE; k++) {
        out[k] = block[k][side];
    }
}

/* What a window leaves to the ends of a run, in the order of fil_run_pairs. */
static void give_window(const Window* w, int side, bool between, double* out)
{
    give_half(w->own, side, out);
    give_half(w->own_next, side, out + FIL_BLOCK_SIZE);
    give_block(w->next, side, out + 2 * FIL_BLOCK_SIZE);
    for (int b = 0; b < 4 && between; b++) {
        give_block(w->before[b / 2][b % 2], side, out + (3 + b) * FIL_BLOCK_SIZE);
    }
    if (between) {
        give_half(w->ends_own[0], side, out + 7 * FIL_BLOCK_SIZE);
        give_block(w->ends, side, out + 8 * FIL_BLOCK_SIZE);
        give_half(w->ends_own[1], side, out + 9 * FIL_BLOCK_SIZE);
    }
}

/* The same of A v; couplings of a run with those before it are few. */
static void give_product(const Elimination* e, const Travellers* t, const Numbers* product)
{
    for (int side = 0; side < FIL_RUNS_TOGETHER; side++) {
        const FilRun* run = t->side[side].run;
        double* ends = t->side[side].ends;
        if (ends == NULL) {
            continue;
        }
        fil_quarter_store(quarter_of(product->at[0], side), ends + FIL_BLOCK * FIL_RUN_AFTER);
        fil_quarter_store(quarter_of(product->at[1], side), ends + FIL_BLOCK * FIL_RUN_SECOND_AFTER);
        memset(ends + FIL_BLOCK * FIL_RUN_BEFORE, 0, 2 * FIL_BLOCK * sizeof *ends);
        for (int back = 1; back <= 2 && fil_run_is_between(run); back++) {
            for (int k = 0; k < run->count && k + back <= 2 && run->before[back - 1] >= 0; k++) {
                const FilTile block = fil_tile_load(from_before(e, run, back, k));  // (k, before)
                fil_quarter_add_tile(ends + FIL_BLOCK * (FIL_RUN_BEFORE + back - 1), fil_tile_transpose(block), e->v + FIL_BLOCK * (run->first + k));
                fil_quarter_add_tile(e->product + FIL_BLOCK * (run->first + k), block, e->v + FIL_BLOCK * (run->first - back));
            }
        }
    }
}

static FIL_RUN_INLINE bool factor_pair(const Elimination* e, const Travellers* t, bool between, bool with_along)
{
    const size_t pitch = between ? FIL_RUN_LONG : FIL_RUN_SHORT;
    Window w;
    Along found, *along = with_along ? &found : NULL;
    BothBits good = {-1, -1};
    begin_pair(e, t, between, &w);
    if (with_along) {
        begin_along(e, t, &w, along);
    }
    Both *l = (Both*)t->l, ends[PIVOT];  // those after the last column are no pivot
    BothBits last = t->longest > 0 ? split(w.own, l) : good;
    for (int k = 0; k < t->longest; k++, l += pitch) {
        good &= last;
        last = factor_column(e, t, k, between, &w, along, l, k + 1 < t->longest ? l + pitch : ends);
    }
    for (int side = 0; side < FIL_RUNS_TOGETHER; side++) {
        if (t->side[side].window != NULL) {
            give_window(&w, side, between, t->side[side].window);
        }
    }
    if (with_along) {
        give_numbers(t, &along->x, along->before);
        give_product(e, t, &along->product);
    }
    return good[0] != 0 && good[1] != 0;
}

static void factor_chunks(void* context, int first_chunk, int end_chunk, int worker)
{
    Elimination* e = context;
    const FilBlockRuns* runs = e->runs;
    const bool along = e->x != NULL;
    (void)worker;
    for (int pair = runs->chunk.at[first_chunk]; pair < runs->chunk.at[end_chunk]; pair++) {
        const Travellers t = set_out(e, pair);
        const bool between = fil_run_is_between(t.side[0].run) || fil_run_is_between(t.side[1].run);
        bool good;
        if (between) {
            good = along ? factor_pair(e, &t, true, true) : factor_pair(e, &t, true, false);
        } else {
            good = along ? factor_pair(e, &t, false, true) : factor_pair(e, &t, false, false);
        }
        if (!good) {
            atomic_store_explicit(&e->failed, true, memory_order_relaxed);
            return;
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
    const Elimination* e = context;
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
    Elimination e = {.runs = runs, .a_values = a_values};
    if (along != NULL) {
        e.x = along->x;
        e.v = along->v;
        e.product = along->product;
        memset(e.product, 0, FIL_BLOCK * (size_t)runs->runs.columns * sizeof *e.product);
    }
    fil_workers_run(workers, runs->chunk_count, 1, factor_chunks, &e);
    if (atomic_load(&e.failed)) {
        return false;
    }
    fil_workers_run(workers, 2, 1, finish_parts, &e);
    return true;
}
