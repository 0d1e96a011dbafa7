/* Runs eliminated from end to end, three at a time, and solutions with them. Each writes places of its own, which are summed in the runs' order: the
 * same bits, whoever makes them. */
#include <stdatomic.h>
#include <string.h>

#include "linalg/block_runs_data.h"
#include "linalg/block_split.h"
#include "linalg/tile.h"

#define FIL_RUN_INLINE inline __attribute__((always_inline))

/* What is left of the matrix where columns before k are eliminated, of variables k and k + 1 of the run and the two before it, b; after the last
 * column it is what the run leaves to its ends. In the order of fil_run_pairs. */
typedef struct Window {
    double diagonal[2][FIL_BLOCK_SIZE];  /* (k, k), (k + 1, k + 1) */
    double next[FIL_BLOCK_SIZE];         /* (k + 1, k) */
    double before[2][2][FIL_BLOCK_SIZE]; /* (b, k), (b, k + 1) */
    double ends[3][FIL_BLOCK_SIZE];      /* (b0, b0), (b1, b0), (b1, b1) */
} Window;

/* Runs that are eliminated, or solved with. */
typedef struct Elimination {
    const FilBlockRuns* runs;
    const double* a_values;
    double* x;
    const double* v; /* A v is asked for, too ... */
    double* product; /* ... unless this is NULL */
    atomic_bool failed;
} Elimination;

/* One of them on its way. */
typedef struct Traveller {
    const FilRun* run;
    Window* window;
    double* l;    /* its columns of L */
    double* x;    /* its numbers of a vector */
    double* sums; /* what its ends get of that */
    double* ends; /* ... and of A v */
    int pitch;
} Traveller;

static double* sums_of(const FilBlockRuns* runs, int r)
{
    return runs->sums.at + 2 * FIL_RUN_ENDS * FIL_BLOCK * (size_t)r;
}

static Traveller traveller_of(const Elimination* e, int k)
{
    const FilBlockRuns* runs = e->runs;
    const int r = runs->order.at[k];
    const FilRun* run = &runs->runs.run[r];
    return (Traveller){.run = run,
                       .window = (Window*)runs->windows.at + r,
                       .l = runs->factor.at + runs->begin.at[r],
                       .x = e->x != NULL ? e->x + FIL_BLOCK * (size_t)runs->first.at[r] : NULL,
                       .sums = sums_of(runs, r),
                       .ends = sums_of(runs, r) + FIL_RUN_ENDS * FIL_BLOCK,
                       .pitch = fil_run_pitch(run)};
}

/* ---- pivots ----
 * P = M^-1 D M'^-1 with unit lower triangular M (linalg/block_split.h). Stored by columns, the diagonal of M left out, and D^-1
 * in the place of its last column, which is nothing else. */

/* First number of the last column of a block, where D^-1 stands. */
enum { SCALES = 3 * FIL_BLOCK };

/* False when a pivot is not positive and finite. */
static inline bool split_pivot(const double* a, double* m)
{
    FilBlockSplit s;
    const bool definite = fil_block_split(a, &s);
    const double columns[FIL_BLOCK_SIZE] = {
        0.0,  s.m10, s.m20, s.m30,  //
        0.0,  0.0,   s.m21, s.m31,  //
        0.0,  0.0,   0.0,   s.m32,  //
        s.i0, s.i1,  s.i2,  s.i3,
    };
    memcpy(m, columns, sizeof columns);
    return definite;
}

/* c M' */
static inline FilTile times_pivot(FilTile c, const double* m)
{
    const FilDouble2 m0 = fil_double2_load(m), m1 = fil_double2_load(m + 2), m2 = fil_double2_load(m + 6), m3 = fil_double2_load(m + 10);
    FilTile x = c;
    x.u1 = fil_double2_add_second(x.u1, c.u0, m0);
    x.l1 = fil_double2_add_second(x.l1, c.l0, m0);
    x.u2 = fil_double2_add_first(fil_double2_add_first(x.u2, c.u0, m1), c.u1, m2);
    x.l2 = fil_double2_add_first(fil_double2_add_first(x.l2, c.l0, m1), c.l1, m2);
    x.u3 = fil_double2_add_second(fil_double2_add_second(fil_double2_add_second(x.u3, c.u0, m1), c.u1, m2), c.u2, m3);
    x.l3 = fil_double2_add_second(fil_double2_add_second(fil_double2_add_second(x.l3, c.l0, m1), c.l1, m2), c.l2, m3);
    return x;
}

/* c D^-1 */
static inline FilTile times_scales(FilTile c, const double* m)
{
    const FilDouble2 zero = fil_double2_all(0.0), lo = fil_double2_load(m + SCALES), hi = fil_double2_load(m + SCALES + 2);
    return (FilTile){fil_double2_add_first(zero, c.u0, lo),  fil_double2_add_first(zero, c.l0, lo), fil_double2_add_second(zero, c.u1, lo),
                     fil_double2_add_second(zero, c.l1, lo), fil_double2_add_first(zero, c.u2, hi), fil_double2_add_first(zero, c.l2, hi),
                     fil_double2_add_second(zero, c.u3, hi), fil_double2_add_second(zero, c.l3, hi)};
}

/* y = M y */
static inline void apply_pivot(const double* m, double* y)
{
    const FilDouble2 lo = fil_double2_load(y), hi = fil_double2_load(y + 2), first = fil_double2_add_first(lo, fil_double2_load(m), lo);
    FilDouble2 last = fil_double2_add_first(hi, fil_double2_load(m + 2), lo);
    last = fil_double2_add_second(last, fil_double2_load(m + 6), lo);
    last = fil_double2_add_first(last, fil_double2_load(m + 10), hi);
    fil_double2_store(y, first);
    fil_double2_store(y + 2, last);
}

/* y = M' (D^-1 y - sum), where sums of pairs are numbers */
static inline void apply_pivot_transposed(const double* m, const FilDouble2* sum, double* y)
{
    double r[FIL_BLOCK];
    for (int k = 0; k < FIL_BLOCK; k++) {
        r[k] = m[SCALES + k] * y[k] - fil_double2_sum(sum[k]);
    }
    y[0] = r[0] + m[1] * r[1] + m[2] * r[2] + m[3] * r[3];
    y[1] = r[1] + m[6] * r[2] + m[7] * r[3];
    y[2] = r[2] + m[11] * r[3];
    y[3] = r[3];
}

/* ---- numbers of A ---- */

/* A block of A by its number, or zeros. */
static inline const double* block_at(const Elimination* e, int at)
{
    static const double none[FIL_BLOCK_SIZE] = {0.0};
    return at >= 0 ? e->a_values + FIL_BLOCK_SIZE * (size_t)at : none;
}

/* Block of variable k with itself. */
static inline FilTile own_block(const Elimination* e, const FilRun* run, int k)
{
    return fil_tile_load(block_at(e, k < run->count ? e->runs->at.at[3 * (run->first + run->step * k)] : -1));
}

/* Block of variables k + apart and k, in this order; `back` says that the run goes backwards. */
static FIL_RUN_INLINE FilTile coupling(const Elimination* e, const FilRun* run, int k, int apart, bool back)
{
    const int v = back ? run->first - k - apart : run->first + k;
    const FilTile block = fil_tile_load(block_at(e, k < run->count && v >= 0 ? e->runs->at.at[3 * v + apart] : -1));
    return back ? fil_tile_transpose(block) : block;
}

/* Block of the variable before a run, by `back`, which is one of its ends, with variable k of it. */
static FilTile from_before(const Elimination* e, const FilRun* run, int back, int k)
{
    const int v = run->first - back, apart = back + k;
    if (run->before[back - 1] < 0 || k >= run->count || apart > 2) {
        return fil_tile_zero();
    }
    return fil_tile_transpose(fil_tile_load(block_at(e, e->runs->at.at[3 * v + apart])));
}

/* ---- A v ---- */

/* Where variable k of a run gets its part of A v; those before the run are -1 and -2. */
static inline double* product_of(const Elimination* e, const Traveller* t, int k)
{
    const FilRun* run = t->run;
    if (k < 0) {
        return t->ends + FIL_BLOCK * (FIL_RUN_BEFORE - 1 - k);
    }
    return k < run->count ? e->product + FIL_BLOCK * (run->first + run->step * k) : t->ends + FIL_BLOCK * (k - run->count);
}

/* Adds the part of a block (p, q) of two variables of a run, or one of its ends. */
static inline void add_product(const Elimination* e, const Traveller* t, FilTile block, int p, int q)
{
    const FilRun* run = t->run;
    fil_quarter_add_tile(product_of(e, t, p), block, e->v + FIL_BLOCK * (run->first + run->step * q));
    if (p != q) {
        fil_quarter_add_tile(product_of(e, t, q), fil_tile_transpose(block), e->v + FIL_BLOCK * (run->first + run->step * p));
    }
}

/* The same of variables k + apart and k, unless there is none so far. */
static inline void add_product_if_there(const Elimination* e, const Traveller* t, FilTile block, int k, int apart)
{
    const FilRun* run = t->run;
    const int last = k + apart - run->count;  // of those after the run
    if (k < run->count && (last < 0 || run->after[last] >= 0)) {
        add_product(e, t, block, k + apart, k);
    }
}

/* ---- factor ---- */

static void begin_run(const Elimination* e, const Traveller* t)
{
    const FilRun* run = t->run;
    Window* w = t->window;
    memset(w, 0, sizeof *w);
    memset(t->sums, 0, 2 * FIL_RUN_ENDS * FIL_BLOCK * sizeof *t->sums);
    for (int k = 0; k < 2; k++) {
        const FilTile own = own_block(e, run, k);
        fil_tile_store(own, w->diagonal[k]);
        if (e->product != NULL && k < run->count) {
            add_product(e, t, own, k, k);
        }
        for (int b = 0; b < 2 && t->pitch == FIL_RUN_LONG; b++) {
            const FilTile before = from_before(e, run, b + 1, k);
            fil_tile_store(before, w->before[k][b]);
            if (e->product != NULL && run->before[b] >= 0 && k < run->count && k + b < 2) {
                add_product(e, t, before, -b - 1, k);
            }
        }
    }
    const FilTile next = coupling(e, run, 0, 1, run->step < 0);
    fil_tile_store(next, w->next);
    if (e->product != NULL) {
        add_product_if_there(e, t, next, 0, 1);
    }
}

/* What is not scaled of a column: its blocks are C M', those of L C M' D^-1. */
typedef struct Plain {
    double next[FIL_BLOCK_SIZE], second[FIL_BLOCK_SIZE], before[2][FIL_BLOCK_SIZE];
} Plain;

/* w_0 = w_1 - l n_1', w_1 = -l n_2' of a variable before the run, whose block of column k is l; n: what is not scaled of the next two. */
static inline void pass_before(Window* w, int b, const double* pivot, Plain* plain, double* l)
{
    const FilTile own = times_pivot(fil_tile_load(w->before[0][b]), pivot);
    fil_tile_store(own, plain->before[b]);
    fil_tile_store(times_scales(own, pivot), l);
    fil_tile_store(fil_tile_subtract_product(fil_tile_load(w->before[1][b]), l, plain->next), w->before[0][b]);
    fil_tile_store(fil_tile_subtract_product(fil_tile_zero(), l, plain->second), w->before[1][b]);
}

/* Pivot k, the first block of its column; false when it is not positive. */
static inline bool factor_pivot(const Traveller* t, int k)
{
    return split_pivot(t->window->diagonal[0], t->l + (size_t)t->pitch * (size_t)k);
}

/* The rest of column k of L; the window moves on to k + 1. `between`: there are variables before the run, which goes forward then. */
static FIL_RUN_INLINE void factor_column(const Elimination* e, const Traveller* t, int k, bool back, bool between)
{
    const FilRun* run = t->run;
    Window* w = t->window;
    const size_t pitch = between ? FIL_RUN_LONG : FIL_RUN_SHORT;
    double *l = t->l + pitch * (size_t)k, *l1 = l + FIL_BLOCK_SIZE, *l2 = l1 + FIL_BLOCK_SIZE;
    Plain plain;
    const FilTile next = times_pivot(fil_tile_load(w->next), l);
    fil_tile_store(next, plain.next);
    fil_tile_store(times_scales(next, l), l1);
    fil_tile_store(fil_tile_subtract_product(fil_tile_load(w->diagonal[1]), l1, plain.next), w->diagonal[0]);
    const FilTile across = coupling(e, run, k, 2, back);
    if (e->product != NULL) {
        add_product_if_there(e, t, across, k, 2);
    }
    const FilTile second = times_pivot(across, l);
    fil_tile_store(second, plain.second);
    fil_tile_store(times_scales(second, l), l2);
    fil_tile_store(fil_tile_subtract_product(coupling(e, run, k + 1, 1, back), l2, plain.next), w->next);
    fil_tile_store(fil_tile_subtract_product(own_block(e, run, k + 2), l2, plain.second), w->diagonal[1]);
    if (e->product != NULL) {
        add_product_if_there(e, t, coupling(e, run, k + 1, 1, back), k + 1, 1);
        add_product_if_there(e, t, own_block(e, run, k + 2), k + 2, 0);
    }
    if (between) {
        double *m0 = l2 + FIL_BLOCK_SIZE, *m1 = m0 + FIL_BLOCK_SIZE;
        pass_before(w, 0, l, &plain, m0);
        pass_before(w, 1, l, &plain, m1);
        fil_tile_store(fil_tile_subtract_product(fil_tile_load(w->ends[0]), m0, plain.before[0]), w->ends[0]);
        fil_tile_store(fil_tile_subtract_product(fil_tile_load(w->ends[1]), m1, plain.before[0]), w->ends[1]);
        fil_tile_store(fil_tile_subtract_product(fil_tile_load(w->ends[2]), m1, plain.before[1]), w->ends[2]);
    }
}

static void factor_column_of(const Elimination* e, const Traveller* t, int k)
{
    if (t->run->step < 0) {
        factor_column(e, t, k, true, false);
    } else if (t->pitch == FIL_RUN_SHORT) {
        factor_column(e, t, k, false, false);
    } else {
        factor_column(e, t, k, false, true);
    }
}

/* Numbers of variable k: its own, or what ends get. */
static inline double* numbers_of(const Traveller* t, int k)
{
    return k < t->run->count ? t->x + FIL_BLOCK * k : t->sums + FIL_BLOCK * (k - t->run->count);
}

static inline void subtract_from(double* z, const double* l, const double* y)
{
    fil_quarter_store(fil_quarter_subtract(fil_quarter_load(z), l, y), z);
}

static inline void eliminate_column(const Traveller* t, int k)
{
    const double* l = t->l + (size_t)t->pitch * (size_t)k;
    double* y = t->x + FIL_BLOCK * k;
    apply_pivot(l, y);
    subtract_from(numbers_of(t, k + 1), l + FIL_BLOCK_SIZE, y);
    subtract_from(numbers_of(t, k + 2), l + 2 * FIL_BLOCK_SIZE, y);
    if (t->pitch == FIL_RUN_LONG) {
        subtract_from(t->sums + FIL_BLOCK * FIL_RUN_BEFORE, l + 3 * FIL_BLOCK_SIZE, y);
        subtract_from(t->sums + FIL_BLOCK * FIL_RUN_SECOND_BEFORE, l + 4 * FIL_BLOCK_SIZE, y);
    }
}

/* Runs that take turns: `count` of them; how many columns the longest has. */
static int set_out(const Elimination* e, int first, int count, Traveller* travellers)
{
    int longest = 0;
    for (int r = 0; r < count; r++) {
        travellers[r] = traveller_of(e, first + r);
        longest = travellers[r].run->count > longest ? travellers[r].run->count : longest;
    }
    return longest;
}

static inline int together(int first, int end)
{
    return end - first < FIL_RUNS_TOGETHER ? end - first : FIL_RUNS_TOGETHER;
}

static void factor_chunks(void* context, int first_chunk, int end_chunk, int worker)
{
    Elimination* e = context;
    const int end = e->runs->chunk.at[end_chunk];
    (void)worker;
    for (int first = e->runs->chunk.at[first_chunk]; first < end; first += FIL_RUNS_TOGETHER) {
        Traveller t[FIL_RUNS_TOGETHER];
        const int count = together(first, end), longest = set_out(e, first, count, t);
        bool definite = true;
        for (int r = 0; r < count; r++) {
            begin_run(e, &t[r]);
        }
        for (int k = 0; k < longest && definite; k++) {
            for (int r = 0; r < count; r++) {  // side by side: divisions take longest
                definite = (k >= t[r].run->count || factor_pivot(&t[r], k)) && definite;
            }
            for (int r = 0; r < count; r++) {
                if (k < t[r].run->count) {
                    factor_column_of(e, &t[r], k);
                    if (e->x != NULL) {
                        eliminate_column(&t[r], k);
                    }
                }
            }
        }
        if (!definite) {
            atomic_store_explicit(&e->failed, true, memory_order_relaxed);
            return;
        }
    }
}

/* A's kept blocks, and what each run leaves to those of its ends. */
static void sum_up(FilBlockRuns* runs, const double* a_values)
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

/* Adds what runs give to their ends, in their order: `first` is the first of each run's numbers. */
static void give_ends(const FilBlockRuns* runs, int first, const int* place, double* x)
{
    for (int r = 0; r < runs->runs.run_count; r++) {
        const double* sums = sums_of(runs, r) + first;
        for (int end = 0; end < FIL_RUN_ENDS; end++) {
            const int kept = fil_run_end(&runs->runs.run[r], end);
            for (int d = 0; d < FIL_BLOCK && kept >= 0; d++) {
                x[FIL_BLOCK * place[kept] + d] += sums[FIL_BLOCK * end + d];
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
    sum_up(runs, a_values);
    if (along != NULL) {
        give_ends(runs, 0, runs->kept_at.at, e.x);
        give_ends(runs, FIL_RUN_ENDS * FIL_BLOCK, runs->variable.at, e.product);
        multiply_kept(runs, a_values, e.v, e.product);
    }
    return true;
}

/* ---- solutions ---- */

static void eliminate_chunks(void* context, int first_chunk, int end_chunk, int worker)
{
    const Elimination* e = context;
    const int end = e->runs->chunk.at[end_chunk];
    (void)worker;
    for (int first = e->runs->chunk.at[first_chunk]; first < end; first += FIL_RUNS_TOGETHER) {
        Traveller t[FIL_RUNS_TOGETHER];
        const int count = together(first, end), longest = set_out(e, first, count, t);
        for (int r = 0; r < count; r++) {
            memset(t[r].sums, 0, FIL_RUN_ENDS * FIL_BLOCK * sizeof *t[r].sums);
        }
        for (int k = 0; k < longest; k++) {
            for (int r = 0; r < count; r++) {
                if (k < t[r].run->count) {
                    eliminate_column(&t[r], k);
                }
            }
        }
    }
}

void fil_block_runs_eliminate(FilBlockRuns* runs, FilWorkers* workers, double* x)
{
    Elimination e = {.runs = runs, .x = x};
    fil_workers_run(workers, runs->chunk_count, 1, eliminate_chunks, &e);
    give_ends(runs, 0, runs->kept_at.at, x);
}

static inline void substitute_column(const Traveller* t, int k)
{
    const double* l = t->l + (size_t)t->pitch * (size_t)k;
    const FilDouble2 zero = fil_double2_all(0.0);
    FilDouble2 sum[FIL_BLOCK] = {zero, zero, zero, zero};
    fil_quarter_add_transposed(sum, l + 2 * FIL_BLOCK_SIZE, numbers_of(t, k + 2));
    if (t->pitch == FIL_RUN_LONG) {
        fil_quarter_add_transposed(sum, l + 3 * FIL_BLOCK_SIZE, t->sums + FIL_BLOCK * FIL_RUN_BEFORE);
        fil_quarter_add_transposed(sum, l + 4 * FIL_BLOCK_SIZE, t->sums + FIL_BLOCK * FIL_RUN_SECOND_BEFORE);
    }
    fil_quarter_add_transposed(sum, l + FIL_BLOCK_SIZE, numbers_of(t, k + 1));  // the last that is known
    apply_pivot_transposed(l, sum, t->x + FIL_BLOCK * k);
}

static void substitute_chunks(void* context, int first_chunk, int end_chunk, int worker)
{
    const Elimination* e = context;
    const FilBlockRuns* runs = e->runs;
    const int end = runs->chunk.at[end_chunk];
    (void)worker;
    for (int first = runs->chunk.at[first_chunk]; first < end; first += FIL_RUNS_TOGETHER) {
        Traveller t[FIL_RUNS_TOGETHER];
        const int count = together(first, end), longest = set_out(e, first, count, t);
        for (int r = 0; r < count; r++) {
            memset(t[r].sums, 0, FIL_RUN_ENDS * FIL_BLOCK * sizeof *t[r].sums);
            for (int place = 0; place < FIL_RUN_ENDS; place++) {
                const int kept = fil_run_end(t[r].run, place);
                if (kept >= 0) {
                    memcpy(t[r].sums + FIL_BLOCK * place, e->x + FIL_BLOCK * (size_t)runs->kept_at.at[kept], FIL_BLOCK * sizeof *e->x);
                }
            }
        }
        for (int k = 1; k <= longest; k++) {
            for (int r = 0; r < count; r++) {
                if (k <= t[r].run->count) {
                    substitute_column(&t[r], t[r].run->count - k);
                }
            }
        }
    }
}

void fil_block_runs_substitute(const FilBlockRuns* runs, FilWorkers* workers, double* x)
{
    Elimination e = {.runs = runs, .x = x};
    fil_workers_run(workers, runs->chunk_count, 1, substitute_chunks, &e);
}
