/* Runs eliminated from end to end, FIL_RUN_LANES side by side in the lanes of vectors, and solutions with them. Each writes places of its own, which
 * are summed in the runs' order: the same bits, whoever makes them, and beside whomever. */
#ifndef FILUM_LINALG_BLOCK_RUNS_KERNELS_H
#define FILUM_LINALG_BLOCK_RUNS_KERNELS_H

#include "linalg/block_runs_lanes.h"

#define FIL_RUN_PART __attribute__((noinline))

/* What is left of the matrix where columns before k are eliminated, of variables k and k + 1 of the run and the two before it, b; after the last
 * column it is what the run leaves to its ends. */
typedef struct Window {
    Lanes own[HALF], own_next[HALF];    /* (k, k), (k + 1, k + 1) */
    Lanes next[FIL_BLOCK_SIZE];         /* (k + 1, k) */
    Lanes before[2][2][FIL_BLOCK_SIZE]; /* (b, k), (b, k + 1) */
    Lanes ends_own[2][HALF];            /* (b0, b0), (b1, b1) */
    Lanes ends[FIL_BLOCK_SIZE];         /* (b1, b0) */
} Window;

/* What is found along the way: a vector that is eliminated, too, what that leaves to the two before the run, and A v. */
typedef struct Along {
    Numbers x, v, product;
    Lanes before[2][FIL_BLOCK];
} Along;

/* ---- numbers of A ---- */

/* A block of A by its number, or zeros. */
static inline const double* block_at(const FilRunElimination* e, int at)
{
    return at >= 0 ? e->a_values + FIL_BLOCK_SIZE * (size_t)at : fil_run_no_block;
}

/* Block of variables k + apart and k, transposed if the run goes backwards. */
static inline const double* coupling(const FilRunElimination* e, const FilRun* run, int k, int apart)
{
    const int v = run->step < 0 ? run->first - k - apart : run->first + k;
    return block_at(e, k >= 0 && k < run->count && v >= 0 ? e->runs->at.at[3 * v + apart] : -1);
}

/* The same of variable k and the one `back` before the run, which is one of its ends. */
static const double* from_before(const FilRunElimination* e, const FilRun* run, int back, int k)
{
    const int v = run->first - back, apart = back + k;
    return block_at(e, k < 0 || k >= run->count || apart > 2 || run->before[back - 1] < 0 ? -1 : e->runs->at.at[3 * v + apart]);
}

/* Numbers of each run. */
typedef struct Sources {
    const double* at[FIL_RUN_LANES];
} Sources;

/* Blocks of variables k + apart and k. */
static FIL_RUN_INLINE Sources couplings(const FilRunElimination* e, const Travellers* t, int k, int apart)
{
    const bool own = have_all(t, k, k + apart);
    Sources from;
#pragma GCC unroll 4
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        const Traveller* s = &t->side[side];
        const int v = s->variable + s->run->step * k - (s->run->step < 0 ? apart : 0);
        from.at[side] = own ? block_at(e, e->runs->at.at[3 * v + apart]) : coupling(e, s->run, k - s->late, apart);
    }
    return from;
}

/* Blocks of variables k with themselves; those before the first are alone. */
static FIL_RUN_INLINE Sources own_blocks(const FilRunElimination* e, const Travellers* t, int k)
{
    Sources from = couplings(e, t, k, 0);
    for (int side = 0; side < FIL_RUN_LANES && k < t->latest; side++) {
        from.at[side] = k < t->side[side].late ? fil_run_identity : from.at[side];
    }
    return from;
}

/* Numbers of v of variables k, which may be those after the runs. */
static FIL_RUN_INLINE Sources numbers_of_v(const FilRunElimination* e, const Travellers* t, int k)
{
    const bool own = have_all(t, k, k);
    Sources from;
#pragma GCC unroll 4
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        const Traveller* s = &t->side[side];
        const int variable = s->variable + s->run->step * k;
        const bool is_there = own || (k >= s->late && k <= t->longest + 1 && s->run->count > 0 && variable >= 0 && variable < e->runs->runs.columns);
        from.at[side] = is_there ? e->v + FIL_BLOCK * variable : fil_run_no_block;
    }
    return from;
}

static FIL_RUN_INLINE void load_own(const FilRunElimination* e, const Travellers* t, int k, Lanes* out)
{
    const Sources from = own_blocks(e, t, k);
    load_halves(from.at, out);
}

static FIL_RUN_INLINE void load_coupling(const FilRunElimination* e, const Travellers* t, int k, int apart, Way way, Lanes* out)
{
    const Sources from = couplings(e, t, k, apart);
    if (way == MIXED) {
        load_mixed_blocks(t, from.at, out);
    } else {
        load_blocks(from.at, way == BACKWARD, out);
    }
}

static FIL_RUN_INLINE void load_before(const FilRunElimination* e, const Travellers* t, int back, int k, Lanes* out)
{
    Sources from;
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        from.at[side] = from_before(e, t->side[side].run, back, k - t->side[side].late);
    }
    load_blocks(from.at, true, out);
}

static FIL_RUN_INLINE void load_v(const FilRunElimination* e, const Travellers* t, int k, Lanes* out)
{
    const Sources from = numbers_of_v(e, t, k);
    load_quarters(from.at, out);
}

/* ---- factor ---- */

static FIL_RUN_INLINE void begin_group(const FilRunElimination* e, const Travellers* t, bool between, Window* w)
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

static FIL_RUN_INLINE void begin_along(const FilRunElimination* e, const Travellers* t, const Window* w, Along* along)
{
    set_zero(along->product.at[0], 3 * FIL_BLOCK);
    set_zero(along->before[0], 2 * FIL_BLOCK);
    for (int k = 0; k < 2; k++) {
        load_x(e, t, k, along->x.at[k]);
        load_v(e, t, k, along->v.at[k]);
    }
    add_own_product(along->product.at[0], w->own, along->v.at[0]);
    add_own_product(along->product.at[1], w->own_next, along->v.at[1]);
    add_product(along->product.at[1], w->next, along->v.at[0]);
    add_transposed_product(along->product.at[0], w->next, along->v.at[1]);
}

/* Blocks of A of variable k + 2 that enter the window, and what is not scaled of column k: its blocks are C M', those of L C M' D^-1. */
typedef struct Blocks {
    Lanes across[FIL_BLOCK_SIZE], next[FIL_BLOCK_SIZE], own[HALF]; /* (k + 2, k), (k + 2, k + 1), (k + 2, k + 2) */
    Lanes plain_next[FIL_BLOCK_SIZE], plain_second[FIL_BLOCK_SIZE], plain_before[2][FIL_BLOCK_SIZE];
} Blocks;

static FIL_RUN_INLINE void store_product(const FilRunElimination* e, const Travellers* t, int k, const Lanes* product)
{
    const bool own = have_all(t, k, k);
    double nowhere[FIL_BLOCK], *to[FIL_RUN_LANES];
#pragma GCC unroll 4
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        const Traveller* s = &t->side[side];
        to[side] = own || k >= s->late ? e->product + FIL_BLOCK * (s->variable + s->run->step * k) : nowhere;
    }
    store_quarters(product, to);
}

/* Parts of a column are functions of their own: together they have more numbers than there are registers. */

/* What column k leaves of the next pivot, and that pivot as well: its quotients wait for each other, and what follows here need not wait for them. */
static FIL_RUN_PART LaneBits factor_pivot(Window* restrict w, Blocks* restrict blocks, Lanes* restrict l, Lanes* restrict next)
{
    times_pivot(blocks->plain_next, w->next, l);
    times_scales(l + NEXT, blocks->plain_next, l);
    subtract_halves(w->own, w->own_next, l + NEXT, blocks->plain_next);
    return split(w->own, next);
}

/* A block of L from c, and what is not scaled of it. */
static FIL_RUN_PART void factor_block(const Lanes* restrict c, const Lanes* restrict m, Lanes* restrict plain, Lanes* restrict l)
{
    times_pivot(plain, c, m);
    times_scales(l, plain, m);
}

static FIL_RUN_PART void pass_block(Lanes* out, const Lanes* c, const Lanes* restrict l, const Lanes* restrict plain)
{
    subtract_blocks(out, c, l, plain);
}

static FIL_RUN_PART void pass_half(Lanes* out, const Lanes* c, const Lanes* restrict l, const Lanes* restrict plain)
{
    subtract_halves(out, c, l, plain);
}

static FIL_RUN_INLINE void load_by_way(const FilRunElimination* e, const Travellers* t, int k, Way way, Blocks* restrict blocks)
{
    load_coupling(e, t, k, 2, way, blocks->across);
    load_coupling(e, t, k + 1, 1, way, blocks->next);
    load_own(e, t, k + 2, blocks->own);
}

static FIL_RUN_PART void load_entering(const FilRunElimination* e, const Travellers* t, int k, Blocks* restrict blocks)
{
    if (t->way == FORWARD) {
        load_by_way(e, t, k, FORWARD, blocks);
    } else if (t->way == BACKWARD) {
        load_by_way(e, t, k, BACKWARD, blocks);
    } else {
        load_by_way(e, t, k, MIXED, blocks);
    }
}

static FIL_RUN_PART void multiply_entering(const FilRunElimination* e, const Travellers* t, int k, const Blocks* restrict blocks,
                                           Along* restrict along)
{
    Lanes product[FIL_BLOCK];
    load_v(e, t, k + 2, along->v.at[2]);
    set_zero(product, FIL_BLOCK);
    add_own_product(product, blocks->own, along->v.at[2]);
    add_both_products(product, along->product.at[1], blocks->next, along->v.at[1], along->v.at[2]);
    add_both_products(product, along->product.at[0], blocks->across, along->v.at[0], along->v.at[2]);
    copy_lanes(along->product.at[2], product, FIL_BLOCK);
    store_product(e, t, k, along->product.at[0]);
    shift(&along->v);
    shift(&along->product);
}

/* w_0 = w_1 - l n_1', w_1 = w_2 - l n_2' of variables before the runs, whose blocks of column k are l, and n what is not scaled of the next two; w_2
 * is A's own, of runs that have only just set out. */
static void factor_before(const FilRunElimination* e, const Travellers* t, int k, Window* w, Blocks* blocks, Lanes* l)
{
    static const Lanes none[FIL_BLOCK_SIZE];
    const bool enters = k < t->latest;
    for (int b = 0; b < 2; b++) {
        Lanes entering[FIL_BLOCK_SIZE], *own = l + (b == 0 ? BEFORE : SECOND_BEFORE);
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

static FIL_RUN_PART void pass_x(const FilRunElimination* e, const Travellers* t, int k, const Lanes* restrict l, Along* restrict along)
{
    load_x(e, t, k + 2, along->x.at[2]);
    pass_numbers(l, &along->x);
    store_x(e, t, k, along->x.at[0]);
}

/* Column k of L, whose pivot is there, and pivot k + 1; the window moves on to k + 1. `between`: there are variables before the runs, which go
 * forward then. */
static FIL_RUN_INLINE LaneBits factor_column(const FilRunElimination* e, const Travellers* t, int k, bool between, Window* w, Along* along, Lanes* l,
                                             Lanes* next)
{
    Blocks blocks;
    const LaneBits good = factor_pivot(w, &blocks, l, next);
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
        pass_x(e, t, k, l, along);
        if (between) {
            pass_numbers_before(l, along->x.at[0], along->before);
        }
        shift(&along->x);
    }
    return good;
}

/* One side's lower triangle as a block, or a block. */
static void give_half(const Lanes* half, int side, double* out)
{
    for (int c = 0; c < FIL_BLOCK; c++) {
        for (int r = 0; r < FIL_BLOCK; r++) {
            out[FIL_BLOCK * c + r] = half[r >= c ? half_at(r, c) : half_at(c, r)][side];
        }
    }
}

static void give_block(const Lanes* block, int side, double* out)
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

/* Couplings of a run with those before it, which are few: what they add to A v, of both. */
static void multiply_before(const FilRunElimination* e, const FilRun* run, double* ends)
{
    memset(ends + FIL_BLOCK * FIL_RUN_BEFORE, 0, 2 * FIL_BLOCK * sizeof *ends);
    for (int back = 1; back <= 2 && fil_run_is_between(run); back++) {
        for (int k = 0; k < run->count && k + back <= 2 && run->before[back - 1] >= 0; k++) {
            const FilTile block = fil_tile_load(from_before(e, run, back, k));  // (k, before)
            fil_quarter_add_tile(ends + FIL_BLOCK * (FIL_RUN_BEFORE + back - 1), fil_tile_transpose(block), e->v + FIL_BLOCK * (run->first + k));
            fil_quarter_add_tile(e->product + FIL_BLOCK * (run->first + k), block, e->v + FIL_BLOCK * (run->first - back));
        }
    }
}

/* What runs give to their ends of A v. */
static void give_product(const FilRunElimination* e, const Travellers* t, const Numbers* product)
{
    double nowhere[2 * FIL_BLOCK], *next[FIL_RUN_LANES], *second[FIL_RUN_LANES];
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        double* ends = t->side[side].ends;
        next[side] = ends != NULL ? ends + FIL_BLOCK * FIL_RUN_AFTER : nowhere;
        second[side] = ends != NULL ? ends + FIL_BLOCK * FIL_RUN_SECOND_AFTER : nowhere;
    }
    store_quarters(product->at[0], next);
    store_quarters(product->at[1], second);
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        if (t->side[side].ends != NULL) {
            multiply_before(e, t->side[side].run, t->side[side].ends);
        }
    }
}

static FIL_RUN_INLINE bool factor_group(const FilRunElimination* e, const Travellers* t, bool between, bool with_along)
{
    const size_t pitch = between ? FIL_RUN_LONG : FIL_RUN_SHORT;
    Window w;
    Along found, *along = with_along ? &found : NULL;
    LaneBits good = are_good(LANES_OP(all)(1.0));
    begin_group(e, t, between, &w);
    if (with_along) {
        begin_along(e, t, &w, along);
    }
    Lanes *l = t->l, ends[PIVOT];  // those after the last column are no pivot
    LaneBits last = t->longest > 0 ? split(w.own, l) : good;
    for (int k = 0; k < t->longest; k++, l += pitch) {
        good &= last;
        last = factor_column(e, t, k, between, &w, along, l, k + 1 < t->longest ? l + pitch : ends);
    }
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        if (t->side[side].window != NULL) {
            give_window(&w, side, between, t->side[side].window);
        }
    }
    if (with_along) {
        give_numbers(t, &along->x, along->before);
        give_product(e, t, &along->product);
    }
    return are_all(good);
}

static void factor_chunks(void* context, int first_chunk, int end_chunk, int worker)
{
    FilRunElimination* e = context;
    const FilBlockRuns* runs = e->runs;
    const bool along = e->x != NULL;
    (void)worker;
    for (int group = runs->chunk.at[first_chunk]; group < runs->chunk.at[end_chunk]; group++) {
        const Travellers t = set_out(e, group);
        bool good;
        if (t.between) {
            good = along ? factor_group(e, &t, true, true) : factor_group(e, &t, true, false);
        } else {
            good = along ? factor_group(e, &t, false, true) : factor_group(e, &t, false, false);
        }
        if (!good) {
            atomic_store_explicit(&e->failed, true, memory_order_relaxed);
            return;
        }
    }
}

/* ---- solves ---- */

static FIL_RUN_INLINE void eliminate_group(const FilRunElimination* e, const Travellers* t, bool between)
{
    const size_t pitch = between ? FIL_RUN_LONG : FIL_RUN_SHORT;
    Numbers x;
    Lanes before[2][FIL_BLOCK];
    set_zero(before[0], 2 * FIL_BLOCK);
    load_x(e, t, 0, x.at[0]);
    load_x(e, t, 1, x.at[1]);
    for (int k = 0; k < t->longest; k++) {
        load_x(e, t, k + 2, x.at[2]);
        const Lanes* l = t->l + pitch * (size_t)k;
        pass_numbers(l, &x);
        if (between) {
            pass_numbers_before(l, x.at[0], before);
        }
        store_x(e, t, k, x.at[0]);
        shift(&x);
    }
    give_numbers(t, &x, before);
}

static void eliminate_chunks(void* context, int first_chunk, int end_chunk, int worker)
{
    const FilRunElimination* e = context;
    (void)worker;
    for (int group = e->runs->chunk.at[first_chunk]; group < e->runs->chunk.at[end_chunk]; group++) {
        const Travellers t = set_out(e, group);
        t.between ? eliminate_group(e, &t, true) : eliminate_group(e, &t, false);
    }
}

/* x of one of the ends of all runs, 0 where there is none. */
static void load_end(const FilRunElimination* e, const Travellers* t, int end, Lanes* out)
{
    const double* x[FIL_RUN_LANES];
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        const int kept = fil_run_end(t->side[side].run, end);
        x[side] = kept >= 0 ? e->x + FIL_BLOCK * (size_t)e->runs->kept_at.at[kept] : fil_run_no_block;
    }
    load_quarters(x, out);
}

static FIL_RUN_INLINE void substitute_group(const FilRunElimination* e, const Travellers* t, bool between)
{
    const size_t pitch = between ? FIL_RUN_LONG : FIL_RUN_SHORT;
    Lanes next[FIL_BLOCK], second[FIL_BLOCK], before[2][FIL_BLOCK];
    load_end(e, t, FIL_RUN_AFTER, next);
    load_end(e, t, FIL_RUN_SECOND_AFTER, second);
    load_end(e, t, FIL_RUN_BEFORE, before[0]);
    load_end(e, t, FIL_RUN_SECOND_BEFORE, before[1]);
    for (int k = t->longest - 1; k >= 0; k--) {
        const Lanes* l = t->l + pitch * (size_t)k;
        Lanes y[FIL_BLOCK], sum[FIL_BLOCK];
        load_x(e, t, k, y);
        set_zero(sum, FIL_BLOCK);
        add_transposed_product(sum, l + SECOND, second);
        if (between) {
            add_transposed_product(sum, l + BEFORE, before[0]);
            add_transposed_product(sum, l + SECOND_BEFORE, before[1]);
        }
        add_transposed_product(sum, l + NEXT, next);  // the last that is known
        apply_pivot_transposed(l, sum, y);
        store_x(e, t, k, y);
        copy_lanes(second, next, FIL_BLOCK);
        copy_lanes(next, y, FIL_BLOCK);
    }
}

static void substitute_chunks(void* context, int first_chunk, int end_chunk, int worker)
{
    const FilRunElimination* e = context;
    (void)worker;
    for (int group = e->runs->chunk.at[first_chunk]; group < e->runs->chunk.at[end_chunk]; group++) {
        const Travellers t = set_out(e, group);
        t.between ? substitute_group(e, &t, true) : substitute_group(e, &t, false);
    }
}

#endif
