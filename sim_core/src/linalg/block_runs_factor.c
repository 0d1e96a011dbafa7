/* Runs eliminated from end to end, three at a time, and solutions with them. Each writes places of its own, which are summed in the runs' order: the
 * same bits, whoever makes them. */
#include <stdatomic.h>
#include <string.h>

#include "linalg/block_runs_data.h"
#include "linalg/tile.h"

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
    atomic_bool failed;
} Elimination;

/* One of them on its way. */
typedef struct Traveller {
    const FilRun* run;
    Window* window;
    double* l; /* its columns of L */
    double* x; /* its numbers of a vector */
    double* sums;
    int pitch;
} Traveller;

static Traveller traveller_of(const Elimination* e, int k)
{
    const FilBlockRuns* runs = e->runs;
    const int r = runs->order.at[k];
    const FilRun* run = &runs->runs.run[r];
    return (Traveller){.run = run,
                       .window = (Window*)runs->windows.at + r,
                       .l = runs->factor.at + runs->begin.at[r],
                       .x = e->x != NULL ? e->x + FIL_BLOCK * (size_t)runs->first.at[r] : NULL,
                       .sums = runs->sums.at + FIL_RUN_ENDS * FIL_BLOCK * (size_t)r,
                       .pitch = fil_run_pitch(run)};
}

/* ---- numbers of A ---- */

/* Block of variable k with itself. */
static inline FilTile own_block(const Elimination* e, const FilRun* run, int k)
{
    const int at = k < run->count ? e->runs->at.at[3 * (run->first + run->step * k)] : -1;
    return at >= 0 ? fil_tile_load(e->a_values + FIL_BLOCK_SIZE * (size_t)at) : fil_tile_zero();
}

/* Block of variables k + apart and k, in this order. */
static inline FilTile coupling(const Elimination* e, const FilRun* run, int k, int apart)
{
    if (k >= run->count) {
        return fil_tile_zero();
    }
    const int v = run->first + run->step * k, low = run->step > 0 ? v : v - apart;
    const int at = low >= 0 ? e->runs->at.at[3 * low + apart] : -1;
    if (at < 0) {
        return fil_tile_zero();
    }
    const FilTile block = fil_tile_load(e->a_values + FIL_BLOCK_SIZE * (size_t)at);
    return run->step > 0 ? block : fil_tile_transpose(block);
}

/* Block of the variable before a run, by `back`, which is one of its ends, with variable k of it. */
static FilTile from_before(const Elimination* e, const FilRun* run, int back, int k)
{
    const int v = run->first - back, apart = back + k;
    if (run->before[back - 1] < 0 || k >= run->count || apart > 2) {
        return fil_tile_zero();
    }
    const int at = e->runs->at.at[3 * v + apart];
    return at >= 0 ? fil_tile_transpose(fil_tile_load(e->a_values + FIL_BLOCK_SIZE * (size_t)at)) : fil_tile_zero();
}

/* ---- factor ---- */

static void begin_run(const Elimination* e, const Traveller* t)
{
    const FilRun* run = t->run;
    Window* w = t->window;
    memset(w, 0, sizeof *w);
    fil_tile_store(own_block(e, run, 0), w->diagonal[0]);
    fil_tile_store(own_block(e, run, 1), w->diagonal[1]);
    fil_tile_store(coupling(e, run, 0, 1), w->next);
    for (int b = 0; b < 2 && t->pitch == FIL_RUN_LONG; b++) {
        fil_tile_store(from_before(e, run, b + 1, 0), w->before[0][b]);
        fil_tile_store(from_before(e, run, b + 1, 1), w->before[1][b]);
    }
}

/* w_0 = w_1 - m l_1', w_1 = -m l_2' of a variable before the run, whose block of column k is m. */
static inline void pass_before(Window* w, int b, const double* l, FilTile inverse, double* m)
{
    fil_tile_store(fil_tile_times_transposed(fil_tile_load(w->before[0][b]), inverse), m);
    fil_tile_store(fil_tile_subtract_product(fil_tile_load(w->before[1][b]), m, l + FIL_BLOCK_SIZE), w->before[0][b]);
    fil_tile_store(fil_tile_subtract_product(fil_tile_zero(), m, l + 2 * FIL_BLOCK_SIZE), w->before[1][b]);
}

/* Inverse factor of pivot k, the first block of its column; false when it is not positive. */
static inline bool factor_pivot(const Traveller* t, int k)
{
    return fil_block_inverse_factor(t->window->diagonal[0], t->l + (size_t)t->pitch * (size_t)k);
}

/* The rest of column k of L; the window moves on to k + 1. */
static inline void factor_column(const Elimination* e, const Traveller* t, int k)
{
    const FilRun* run = t->run;
    Window* w = t->window;
    double *l = t->l + (size_t)t->pitch * (size_t)k, *l1 = l + FIL_BLOCK_SIZE, *l2 = l1 + FIL_BLOCK_SIZE;
    const FilTile inverse = fil_tile_load(l);
    const FilTile next = fil_tile_times_transposed(fil_tile_load(w->next), inverse);
    const FilTile second = fil_tile_times_transposed(coupling(e, run, k, 2), inverse);
    fil_tile_store(next, l1);
    fil_tile_store(second, l2);
    fil_tile_store(fil_tile_subtract(fil_tile_load(w->diagonal[1]), next, next), w->diagonal[0]);
    fil_tile_store(fil_tile_subtract(coupling(e, run, k + 1, 1), second, next), w->next);
    fil_tile_store(fil_tile_subtract(own_block(e, run, k + 2), second, second), w->diagonal[1]);
    if (t->pitch == FIL_RUN_LONG) {
        double *m0 = l2 + FIL_BLOCK_SIZE, *m1 = m0 + FIL_BLOCK_SIZE;
        pass_before(w, 0, l, inverse, m0);
        pass_before(w, 1, l, inverse, m1);
        fil_tile_store(fil_tile_subtract_product(fil_tile_load(w->ends[0]), m0, m0), w->ends[0]);
        fil_tile_store(fil_tile_subtract_product(fil_tile_load(w->ends[1]), m1, m0), w->ends[1]);
        fil_tile_store(fil_tile_subtract_product(fil_tile_load(w->ends[2]), m1, m1), w->ends[2]);
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
                    factor_column(e, &t[r], k);
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

bool fil_block_runs_factor(FilBlockRuns* runs, FilWorkers* workers, const double* a_values)
{
    Elimination e = {.runs = runs, .a_values = a_values};
    fil_workers_run(workers, runs->chunk_count, 1, factor_chunks, &e);
    if (atomic_load(&e.failed)) {
        return false;
    }
    sum_up(runs, a_values);
    return true;
}

/* ---- solutions ---- */

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
    fil_quarter_apply(l, y);
    subtract_from(numbers_of(t, k + 1), l + FIL_BLOCK_SIZE, y);
    subtract_from(numbers_of(t, k + 2), l + 2 * FIL_BLOCK_SIZE, y);
    if (t->pitch == FIL_RUN_LONG) {
        subtract_from(t->sums + FIL_BLOCK * FIL_RUN_BEFORE, l + 3 * FIL_BLOCK_SIZE, y);
        subtract_from(t->sums + FIL_BLOCK * FIL_RUN_SECOND_BEFORE, l + 4 * FIL_BLOCK_SIZE, y);
    }
}

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
    for (int r = 0; r < runs->runs.run_count; r++) {
        const double* sums = runs->sums.at + FIL_RUN_ENDS * FIL_BLOCK * (size_t)r;
        for (int end = 0; end < FIL_RUN_ENDS; end++) {
            const int kept = fil_run_end(&runs->runs.run[r], end);
            for (int d = 0; d < FIL_BLOCK && kept >= 0; d++) {
                x[FIL_BLOCK * runs->kept_at.at[kept] + d] += sums[FIL_BLOCK * end + d];
            }
        }
    }
}

static inline void substitute_column(const Traveller* t, int k)
{
    const double* l = t->l + (size_t)t->pitch * (size_t)k;
    const FilPair zero = fil_pair_both(0.0);
    FilPair sum[FIL_BLOCK] = {zero, zero, zero, zero};
    fil_quarter_add_transposed(sum, l + 2 * FIL_BLOCK_SIZE, numbers_of(t, k + 2));
    if (t->pitch == FIL_RUN_LONG) {
        fil_quarter_add_transposed(sum, l + 3 * FIL_BLOCK_SIZE, t->sums + FIL_BLOCK * FIL_RUN_BEFORE);
        fil_quarter_add_transposed(sum, l + 4 * FIL_BLOCK_SIZE, t->sums + FIL_BLOCK * FIL_RUN_SECOND_BEFORE);
    }
    fil_quarter_add_transposed(sum, l + FIL_BLOCK_SIZE, numbers_of(t, k + 1));  // the last that is known
    fil_quarter_finish_transposed(l, sum, t->x + FIL_BLOCK * k);
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
