/* Two runs side by side in the lanes of vectors: what their elimination and solutions with them are made of. */
#ifndef FILUM_LINALG_BLOCK_RUNS_PAIR_H
#define FILUM_LINALG_BLOCK_RUNS_PAIR_H

#include <stdatomic.h>
#include <string.h>

#include "linalg/block_runs_data.h"
#include "linalg/tile.h"

#define FIL_RUN_INLINE inline __attribute__((always_inline))

/* Lower triangle of a symmetric block, by columns. */
enum { HALF = FIL_BLOCK * (FIL_BLOCK + 1) / 2 };

/* Numbers of two runs side by side. */
typedef FilDouble2 Both;

/* Numbers of variables k, k + 1 and k + 2. */
typedef struct Numbers {
    Both at[3][FIL_BLOCK];
} Numbers;

/* Runs that are eliminated, or solved with. */
typedef struct Elimination {
    const FilBlockRuns* runs;
    const double* a_values;
    double* x;
    const double* v; /* A v is asked for, too ... */
    double* product; /* ... unless this is NULL */
    atomic_bool failed;
} Elimination;

/* One of two on its way. They end together: the shorter one sets out later, with columns of an identity before its own. */
typedef struct Traveller {
    const FilRun* run;
    double *x, *sums, *ends; /* its numbers of a vector, what its ends get of that, and of A v */
    double* window;          /* what it leaves to its ends */
    int late;
} Traveller;

/* Which way the two go; nobody goes any way. */
typedef enum Way { FORWARD, BACKWARD, OPPOSITE } Way;

typedef struct Travellers {
    Traveller side[FIL_RUNS_TOGETHER];
    double* l; /* their columns of L */
    int longest;
    Way way;
} Travellers;

static inline double* sums_of(const FilBlockRuns* runs, int r)
{
    return runs->sums.at + 2 * FIL_RUN_ENDS * FIL_BLOCK * (size_t)r;
}

static inline Travellers set_out(const Elimination* e, int pair)
{
    static const FilRun nobody = {.step = 1, .before = {-1, -1}, .after = {-1, -1}};
    const FilBlockRuns* runs = e->runs;
    Travellers both = {.l = runs->factor.at + runs->begin.at[pair]};
    for (int side = 0; side < FIL_RUNS_TOGETHER; side++) {
        const int r = runs->order.at[FIL_RUNS_TOGETHER * pair + side];
        Traveller* t = &both.side[side];
        *t = (Traveller){.run = &nobody};
        if (r >= 0) {
            *t = (Traveller){.run = &runs->runs.run[r],
                             .x = e->x != NULL ? e->x + FIL_BLOCK * (size_t)runs->first.at[r] : NULL,
                             .window = runs->windows.at + FIL_RUN_PAIRS * FIL_BLOCK_SIZE * (size_t)r,
                             .sums = sums_of(runs, r),
                             .ends = sums_of(runs, r) + FIL_RUN_ENDS * FIL_BLOCK};
        }
        both.longest = t->run->count > both.longest ? t->run->count : both.longest;
    }
    if (both.side[0].run->step < 0 && both.side[1].run->step > 0) {  // the second goes backwards, if they differ
        const Traveller first = both.side[0];
        both.side[0] = both.side[1];
        both.side[1] = first;
    }
    for (int side = 0; side < FIL_RUNS_TOGETHER; side++) {
        both.side[side].late = both.longest - both.side[side].run->count;
    }
    both.way = both.side[1].run->step > 0 ? FORWARD : both.side[0].run->step < 0 || both.side[0].run->count == 0 ? BACKWARD : OPPOSITE;
    return both;
}

/* ---- numbers side by side ---- */

static FIL_RUN_INLINE Both plus(Both c, Both a, Both b)
{
    return fil_double2_add_product(c, a, b);
}

static FIL_RUN_INLINE Both minus(Both c, Both a, Both b)
{
    return fil_double2_sub_product(c, a, b);
}

/* Place of row r of column c in the lower triangle, r >= c. */
static FIL_RUN_INLINE int half_at(int r, int c)
{
    return FIL_BLOCK * c - c * (c - 1) / 2 + r - c;
}

static FIL_RUN_INLINE void set_zero(Both* a, int count)
{
    for (int k = 0; k < count; k++) {
        a[k] = fil_double2_all(0.0);
    }
}

static FIL_RUN_INLINE void load_quarters(const double* a, const double* b, Both* out)
{
    const FilQuarter s = fil_quarter_load(a), t = fil_quarter_load(b);
    out[0] = fil_double2_firsts(s.lo, t.lo);
    out[1] = fil_double2_seconds(s.lo, t.lo);
    out[2] = fil_double2_firsts(s.hi, t.hi);
    out[3] = fil_double2_seconds(s.hi, t.hi);
}

/* A block of each, transposed where runs go backwards. */
static FIL_RUN_INLINE void load_blocks(const double* a, const double* b, bool back, Both* out)
{
#pragma GCC unroll 4
    for (int c = 0; c < FIL_BLOCK; c++) {
        Both column[FIL_BLOCK];
        load_quarters(a + FIL_BLOCK * c, b + FIL_BLOCK * c, column);
#pragma GCC unroll 4
        for (int r = 0; r < FIL_BLOCK; r++) {
            out[back ? FIL_BLOCK * r + c : FIL_BLOCK * c + r] = column[r];
        }
    }
}

/* The same where only the second goes backwards. */
static FIL_RUN_INLINE void load_opposite_blocks(const double* a, const double* b, Both* out)
{
    double turned[FIL_BLOCK_SIZE];
    fil_tile_store(fil_tile_transpose(fil_tile_load(b)), turned);
    load_blocks(a, turned, false, out);
}

/* The lower triangle of a block of each. */
static FIL_RUN_INLINE void load_halves(const double* a, const double* b, Both* out)
{
    Both all[FIL_BLOCK_SIZE];
    load_blocks(a, b, false, all);
#pragma GCC unroll 4
    for (int c = 0; c < FIL_BLOCK; c++) {
#pragma GCC unroll 4
        for (int r = c; r < FIL_BLOCK; r++) {
            out[half_at(r, c)] = all[FIL_BLOCK * c + r];
        }
    }
}

/* Four numbers of one side. */
static FIL_RUN_INLINE FilQuarter quarter_of(const Both* x, int side)
{
    return side == 0 ? (FilQuarter){fil_double2_firsts(x[0], x[1]), fil_double2_firsts(x[2], x[3])}
                     : (FilQuarter){fil_double2_seconds(x[0], x[1]), fil_double2_seconds(x[2], x[3])};
}

/* Numbers of x of variable k, which ends begin without. */
static inline const double* x_of(const Traveller* t, int k)
{
    static const double none[FIL_BLOCK] = {0.0};
    return k < 0 || k >= t->run->count ? none : t->x + FIL_BLOCK * k;
}

static FIL_RUN_INLINE void load_x(const Travellers* t, int k, Both* out)
{
    const Traveller* side = t->side;
    load_quarters(x_of(&side[0], k - side[0].late), x_of(&side[1], k - side[1].late), out);
}

/* ---- products ---- */

/* y += a v, of a lower triangle */
static FIL_RUN_INLINE void add_own_product(Both* y, const Both* half, const Both* v)
{
#pragma GCC unroll 4
    for (int c = 0; c < FIL_BLOCK; c++) {
#pragma GCC unroll 4
        for (int r = 0; r < FIL_BLOCK; r++) {
            y[r] = plus(y[r], half[r >= c ? half_at(r, c) : half_at(c, r)], v[c]);
        }
    }
}

/* y += a v */
static FIL_RUN_INLINE void add_product(Both* y, const Both* a, const Both* v)
{
#pragma GCC unroll 4
    for (int c = 0; c < FIL_BLOCK; c++) {
#pragma GCC unroll 4
        for (int r = 0; r < FIL_BLOCK; r++) {
            y[r] = plus(y[r], a[FIL_BLOCK * c + r], v[c]);
        }
    }
}

/* y += a' v */
static FIL_RUN_INLINE void add_transposed_product(Both* y, const Both* a, const Both* v)
{
#pragma GCC unroll 4
    for (int r = 0; r < FIL_BLOCK; r++) {
#pragma GCC unroll 4
        for (int c = 0; c < FIL_BLOCK; c++) {
            y[c] = plus(y[c], a[FIL_BLOCK * c + r], v[r]);
        }
    }
}

/* y += a v, z += a' w */
static FIL_RUN_INLINE void add_both_products(Both* y, Both* z, const Both* a, const Both* v, const Both* w)
{
    Both sum[FIL_BLOCK];
#pragma GCC unroll 4
    for (int r = 0; r < FIL_BLOCK; r++) {
        sum[r] = y[r];
    }
#pragma GCC unroll 4
    for (int c = 0; c < FIL_BLOCK; c++) {
        Both own = z[c];
#pragma GCC unroll 4
        for (int r = 0; r < FIL_BLOCK; r++) {
            sum[r] = plus(sum[r], a[FIL_BLOCK * c + r], v[c]);
            own = plus(own, a[FIL_BLOCK * c + r], w[r]);
        }
        z[c] = own;
    }
#pragma GCC unroll 4
    for (int r = 0; r < FIL_BLOCK; r++) {
        y[r] = sum[r];
    }
}

/* y -= a v */
static FIL_RUN_INLINE void subtract_product(Both* y, const Both* a, const Both* v)
{
#pragma GCC unroll 4
    for (int c = 0; c < FIL_BLOCK; c++) {
#pragma GCC unroll 4
        for (int r = 0; r < FIL_BLOCK; r++) {
            y[r] = minus(y[r], a[FIL_BLOCK * c + r], v[c]);
        }
    }
}

static FIL_RUN_INLINE void copy_both(Both* to, const Both* from, int count)
{
#pragma GCC unroll 16
    for (int at = 0; at < count; at++) {
        to[at] = from[at];
    }
}

/* out = c - a b', one column of a and of b at a time */
static FIL_RUN_INLINE void subtract_blocks(Both* out, const Both* c, const Both* a, const Both* b)
{
    Both rest[FIL_BLOCK_SIZE];
    copy_both(rest, c, FIL_BLOCK_SIZE);
#pragma GCC unroll 4
    for (int k = 0; k < FIL_BLOCK; k++) {
#pragma GCC unroll 4
        for (int column = 0; column < FIL_BLOCK; column++) {
#pragma GCC unroll 4
            for (int r = 0; r < FIL_BLOCK; r++) {
                rest[FIL_BLOCK * column + r] = minus(rest[FIL_BLOCK * column + r], a[FIL_BLOCK * k + r], b[FIL_BLOCK * k + column]);
            }
        }
    }
    copy_both(out, rest, FIL_BLOCK_SIZE);
}

/* The same of lower triangles. */
static FIL_RUN_INLINE void subtract_halves(Both* out, const Both* c, const Both* a, const Both* b)
{
    Both rest[HALF];
    copy_both(rest, c, HALF);
#pragma GCC unroll 4
    for (int k = 0; k < FIL_BLOCK; k++) {
#pragma GCC unroll 4
        for (int column = 0; column < FIL_BLOCK; column++) {
#pragma GCC unroll 4
            for (int r = column; r < FIL_BLOCK; r++) {
                rest[half_at(r, column)] = minus(rest[half_at(r, column)], a[FIL_BLOCK * k + r], b[FIL_BLOCK * k + column]);
            }
        }
    }
    copy_both(out, rest, HALF);
}

/* ---- pivots ----
 * P = M^-1 D M'^-1 with unit lower triangular M, as in linalg/block_split.h. Stored are M below its diagonal, by columns, and D^-1. */

enum { M10, M20, M30, M21, M31, M32, SCALES, PIVOT = SCALES + FIL_BLOCK };

/* Where blocks stand in a column of L. */
enum { NEXT = PIVOT, SECOND = NEXT + FIL_BLOCK_SIZE, BEFORE = SECOND + FIL_BLOCK_SIZE, SECOND_BEFORE = BEFORE + FIL_BLOCK_SIZE };

typedef int64_t BothBits __attribute__((vector_size(16)));

/* Where numbers are positive and finite. */
static FIL_RUN_INLINE BothBits are_good(Both d)
{
    return (BothBits)(d > fil_double2_all(0.0)) & (BothBits)(d < fil_double2_all(INFINITY));
}

/* Returns where all pivots are positive and finite. */
static FIL_RUN_INLINE BothBits split(const Both* a, Both* m)
{
    const Both one = fil_double2_all(1.0);
    const Both d0 = a[0], i0 = one / d0;
    const Both l10 = a[1] * i0, l20 = a[2] * i0, l30 = a[3] * i0;
    const Both d1 = minus(a[4], l10, a[1]), i1 = one / d1;
    const Both u21 = minus(a[5], l10, a[2]), u31 = minus(a[6], l10, a[3]);
    const Both l21 = u21 * i1, l31 = u31 * i1;
    const Both d2 = minus(minus(a[7], l20, a[2]), l21, u21), i2 = one / d2;
    const Both u32 = minus(minus(a[8], l20, a[3]), l21, u31);
    const Both l32 = u32 * i2;
    const Both d3 = minus(minus(minus(a[9], l30, a[3]), l31, u31), l32, u32), i3 = one / d3;
    const Both m20 = plus(-l20, l21, l10);
    m[M10] = -l10;
    m[M20] = m20;
    m[M30] = minus(plus(-l30, l31, l10), l32, m20);
    m[M21] = -l21;
    m[M31] = plus(-l31, l32, l21);
    m[M32] = -l32;
    m[SCALES] = i0;
    m[SCALES + 1] = i1;
    m[SCALES + 2] = i2;
    m[SCALES + 3] = i3;
    return are_good(d0) & are_good(d1) & are_good(d2) & are_good(d3);
}

/* out = c M' */
static FIL_RUN_INLINE void times_pivot(Both* out, const Both* c, const Both* m)
{
#pragma GCC unroll 4
    for (int r = 0; r < FIL_BLOCK; r++) {
        const Both c0 = c[r], c1 = c[4 + r], c2 = c[8 + r], c3 = c[12 + r];
        out[r] = c0;
        out[4 + r] = plus(c1, c0, m[M10]);
        out[8 + r] = plus(plus(c2, c0, m[M20]), c1, m[M21]);
        out[12 + r] = plus(plus(plus(c3, c0, m[M30]), c1, m[M31]), c2, m[M32]);
    }
}

/* l = c D^-1 */
static FIL_RUN_INLINE void times_scales(Both* l, const Both* c, const Both* m)
{
#pragma GCC unroll 16
    for (int k = 0; k < FIL_BLOCK_SIZE; k++) {
        l[k] = c[k] * m[SCALES + k / FIL_BLOCK];
    }
}

/* y = M y */
static FIL_RUN_INLINE void apply_pivot(const Both* m, Both* y)
{
    y[3] = plus(plus(plus(y[3], m[M30], y[0]), m[M31], y[1]), m[M32], y[2]);
    y[2] = plus(plus(y[2], m[M20], y[0]), m[M21], y[1]);
    y[1] = plus(y[1], m[M10], y[0]);
}

/* y = M' (D^-1 y - sum) */
static FIL_RUN_INLINE void apply_pivot_transposed(const Both* m, const Both* sum, Both* y)
{
    Both r[FIL_BLOCK];
#pragma GCC unroll 4
    for (int k = 0; k < FIL_BLOCK; k++) {
        r[k] = m[SCALES + k] * y[k] - sum[k];
    }
    y[0] = plus(plus(plus(r[0], m[M10], r[1]), m[M20], r[2]), m[M30], r[3]);
    y[1] = plus(plus(r[1], m[M21], r[2]), m[M31], r[3]);
    y[2] = plus(r[2], m[M32], r[3]);
    y[3] = r[3];
}

/* ---- vectors ---- */

/* x of column k is known; the next two lose what it takes of them. */
static FIL_RUN_INLINE void pass_numbers(const Both* l, Numbers* x)
{
    apply_pivot(l, x->at[0]);
    subtract_product(x->at[1], l + NEXT, x->at[0]);
    subtract_product(x->at[2], l + SECOND, x->at[0]);
}

/* ... and those before the runs. */
static FIL_RUN_INLINE void pass_numbers_before(const Both* l, const Both* x, Both before[2][FIL_BLOCK])
{
    subtract_product(before[0], l + BEFORE, x);
    subtract_product(before[1], l + SECOND_BEFORE, x);
}

static FIL_RUN_INLINE void shift(Numbers* numbers)
{
    memcpy(numbers->at[0], numbers->at[1], sizeof numbers->at[0]);
    memcpy(numbers->at[1], numbers->at[2], sizeof numbers->at[1]);
}

/* Numbers of variable k to where they belong; ends get theirs by give_numbers(). */
static FIL_RUN_INLINE void store_x(const Travellers* t, int k, const Both* x)
{
    for (int side = 0; side < FIL_RUNS_TOGETHER; side++) {
        const int own = k - t->side[side].late;
        if (own >= 0) {
            fil_quarter_store(quarter_of(x, side), t->side[side].x + FIL_BLOCK * own);
        }
    }
}

/* What a vector leaves to the ends of runs. */
static inline void give_numbers(const Travellers* t, const Numbers* x, Both before[2][FIL_BLOCK])
{
    const Both* const ends[FIL_RUN_ENDS] = {x->at[0], x->at[1], before[0], before[1]};
    for (int side = 0; side < FIL_RUNS_TOGETHER; side++) {
        for (int end = 0; end < FIL_RUN_ENDS && t->side[side].sums != NULL; end++) {
            fil_quarter_store(quarter_of(ends[end], side), t->side[side].sums + FIL_BLOCK * end);
        }
    }
}

/* Adds what runs give to their ends, in their order: `first` is the first of each run's numbers. */
static inline void give_ends(const FilBlockRuns* runs, int first, const int* place, double* x)
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

#endif
