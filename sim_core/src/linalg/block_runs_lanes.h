/* FIL_RUN_LANES runs side by side in the lanes of vectors: what their elimination and solutions with them are made of. Included once by each file
 * that is compiled for a number of lanes. Each lane does the same operations, so that the bits do not depend on the number. */
#ifndef FILUM_LINALG_BLOCK_RUNS_LANES_H
#define FILUM_LINALG_BLOCK_RUNS_LANES_H

#include <string.h>

#include "linalg/block_runs_data.h"
#include "linalg/tile.h"

#if defined(FIL_VECTOR_NEON)
#define FIL_NEON 1
#else
#define FIL_NEON 0
#endif

#define FIL_RUN_INLINE inline __attribute__((always_inline))

/* Lower triangle of a symmetric block, by columns. */
enum { HALF = FIL_BLOCK * (FIL_BLOCK + 1) / 2 };

/* Numbers of runs side by side, and what comparisons of them make. */
#if FIL_RUN_LANES == 4
typedef FilDouble4 Lanes;
#define LANES_OP(name) fil_double4_##name
#else
typedef FilDouble2 Lanes;
#define LANES_OP(name) fil_double2_##name
#endif
typedef int64_t LaneBits __attribute__((vector_size(8 * FIL_RUN_LANES)));

/* Numbers of variables k, k + 1 and k + 2. */
typedef struct Numbers {
    Lanes at[3][FIL_BLOCK];
} Numbers;

/* Columns of a product that are summed at a time: so many fit into registers. Measured: where there are 16 of these, four columns take 2 % longer,
 * and as long with AVX-512's 32; NEON has 32. */
enum { SUMS = FIL_NEON ? 4 : 2 };

/* One of some on their way. They end together: shorter ones set out later, with columns of an identity before their own. */
typedef struct Traveller {
    const FilRun* run;
    double *sums, *ends; /* what its ends get of a vector, and of A v */
    double* window;      /* what it leaves to its ends */
    int late;
    int variable, pivot; /* of column k: variable + step k, pivot + k */
} Traveller;

/* Which way all go. */
typedef enum Way { FORWARD, BACKWARD, MIXED } Way;

typedef struct Travellers {
    Traveller side[FIL_RUN_LANES];
    Lanes* l; /* their columns of L */
    int longest, latest;
    bool between; /* there are variables before them */
    Way way;
} Travellers;

static inline Travellers set_out(const FilRunElimination* e, int group)
{
    static const FilRun nobody = {.step = 1, .before = {-1, -1}, .after = {-1, -1}};
    const FilBlockRuns* runs = e->runs;
    Travellers all = {.l = (Lanes*)(runs->factor.at + runs->begin.at[group])};
    int forward = 0, backward = 0;
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        const int r = runs->order.at[FIL_RUN_LANES * group + side];
        Traveller* t = &all.side[side];
        *t = (Traveller){.run = &nobody};
        if (r >= 0) {
            *t = (Traveller){.run = &runs->runs.run[r],
                             .pivot = runs->first.at[r],
                             .window = runs->windows.at + FIL_RUN_PAIRS * FIL_BLOCK_SIZE * (size_t)r,
                             .sums = fil_run_sums(runs, r),
                             .ends = fil_run_sums(runs, r) + FIL_RUN_ENDS * FIL_BLOCK};
            forward += t->run->step > 0;
            backward += t->run->step < 0;
        }
        all.longest = t->run->count > all.longest ? t->run->count : all.longest;
    }
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        Traveller* t = &all.side[side];
        t->late = all.longest - t->run->count;
        t->variable = t->run->first - t->run->step * t->late;
        t->pivot -= t->late;
        all.latest = t->late > all.latest ? t->late : all.latest;
        all.between |= fil_run_is_between(t->run);
    }
    all.way = backward == 0 ? FORWARD : forward == 0 ? BACKWARD : MIXED;
    return all;
}

/* Whether columns first to last are all runs' own. */
static FIL_RUN_INLINE bool have_all(const Travellers* t, int first, int last)
{
    return first >= t->latest && last < t->longest;
}

/* ---- numbers side by side ---- */

static FIL_RUN_INLINE Lanes plus(Lanes c, Lanes a, Lanes b)
{
    return LANES_OP(add_product)(c, a, b);
}

static FIL_RUN_INLINE Lanes minus(Lanes c, Lanes a, Lanes b)
{
    return LANES_OP(sub_product)(c, a, b);
}

/* Place of row r of column c in the lower triangle, r >= c. */
static FIL_RUN_INLINE int half_at(int r, int c)
{
    return FIL_BLOCK * c - c * (c - 1) / 2 + r - c;
}

static FIL_RUN_INLINE void set_zero(Lanes* a, int count)
{
#pragma GCC unroll 16
    for (int k = 0; k < count; k++) {
        a[k] = LANES_OP(all)(0.0);
    }
}

/* Four numbers of each run, and back. */
static FIL_RUN_INLINE void load_quarters(const double* const* from, Lanes* out)
{
#if FIL_RUN_LANES == 4
    for (int k = 0; k < FIL_BLOCK; k += 2) {
        const FilDouble4 even = fil_double4_join(from[0] + k, from[2] + k), odd = fil_double4_join(from[1] + k, from[3] + k);
        out[k] = fil_double4_firsts(even, odd);
        out[k + 1] = fil_double4_seconds(even, odd);
    }
#else
    for (int k = 0; k < FIL_BLOCK; k += 2) {
        const FilDouble2 a = fil_double2_load(from[0] + k), b = fil_double2_load(from[1] + k);
        out[k] = fil_double2_firsts(a, b);
        out[k + 1] = fil_double2_seconds(a, b);
    }
#endif
}

static FIL_RUN_INLINE void store_quarters(const Lanes* x, double* const* to)
{
#if FIL_RUN_LANES == 4
    for (int k = 0; k < FIL_BLOCK; k += 2) {
        const FilDouble4 even = fil_double4_firsts(x[k], x[k + 1]), odd = fil_double4_seconds(x[k], x[k + 1]);
        fil_double4_part(even, to[0] + k, to[2] + k);
        fil_double4_part(odd, to[1] + k, to[3] + k);
    }
#else
    for (int k = 0; k < FIL_BLOCK; k += 2) {
        fil_double2_store(to[0] + k, fil_double2_firsts(x[k], x[k + 1]));
        fil_double2_store(to[1] + k, fil_double2_seconds(x[k], x[k + 1]));
    }
#endif
}

/* A block of each, transposed where runs go backwards. */
static FIL_RUN_INLINE void load_blocks(const double* const* from, bool back, Lanes* out)
{
#pragma GCC unroll 4
    for (int c = 0; c < FIL_BLOCK; c++) {
        const double* at[FIL_RUN_LANES];
        Lanes column[FIL_BLOCK];
#pragma GCC unroll 4
        for (int side = 0; side < FIL_RUN_LANES; side++) {
            at[side] = from[side] + FIL_BLOCK * c;
        }
        load_quarters(at, column);
#pragma GCC unroll 4
        for (int r = 0; r < FIL_BLOCK; r++) {
            out[back ? FIL_BLOCK * r + c : FIL_BLOCK * c + r] = column[r];
        }
    }
}

/* The same where some go backwards. */
static FIL_RUN_INLINE void load_mixed_blocks(const Travellers* t, const double* const* from, Lanes* out)
{
    double turned[FIL_RUN_LANES][FIL_BLOCK_SIZE];
    const double* forward[FIL_RUN_LANES];
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        forward[side] = from[side];
        if (t->side[side].run->step < 0) {
            fil_tile_store(fil_tile_transpose(fil_tile_load(from[side])), turned[side]);
            forward[side] = turned[side];
        }
    }
    load_blocks(forward, false, out);
}

/* The lower triangle of a block of each. */
static FIL_RUN_INLINE void load_halves(const double* const* from, Lanes* out)
{
    Lanes all[FIL_BLOCK_SIZE];
    load_blocks(from, false, all);
#pragma GCC unroll 4
    for (int c = 0; c < FIL_BLOCK; c++) {
#pragma GCC unroll 4
        for (int r = c; r < FIL_BLOCK; r++) {
            out[half_at(r, c)] = all[FIL_BLOCK * c + r];
        }
    }
}

/* Numbers of x of variables k, which ends begin without. */
static FIL_RUN_INLINE void load_x(const FilRunElimination* e, const Travellers* t, int k, Lanes* out)
{
    const bool own = have_all(t, k, k);
    const double* from[FIL_RUN_LANES];
#pragma GCC unroll 4
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        const Traveller* s = &t->side[side];
        from[side] = own || (k >= s->late && k < t->longest) ? e->x + FIL_BLOCK * (s->pivot + k) : fil_run_no_block;
    }
    load_quarters(from, out);
}

/* ---- products ---- */

/* y += a v, of a lower triangle */
static FIL_RUN_INLINE void add_own_product(Lanes* y, const Lanes* half, const Lanes* v)
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
static FIL_RUN_INLINE void add_product(Lanes* y, const Lanes* a, const Lanes* v)
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
static FIL_RUN_INLINE void add_transposed_product(Lanes* y, const Lanes* a, const Lanes* v)
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
static FIL_RUN_INLINE void add_both_products(Lanes* y, Lanes* z, const Lanes* a, const Lanes* v, const Lanes* w)
{
    Lanes sum[FIL_BLOCK];
#pragma GCC unroll 4
    for (int r = 0; r < FIL_BLOCK; r++) {
        sum[r] = y[r];
    }
#pragma GCC unroll 4
    for (int c = 0; c < FIL_BLOCK; c++) {
        Lanes own = z[c];
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
static FIL_RUN_INLINE void subtract_product(Lanes* y, const Lanes* a, const Lanes* v)
{
#pragma GCC unroll 4
    for (int c = 0; c < FIL_BLOCK; c++) {
#pragma GCC unroll 4
        for (int r = 0; r < FIL_BLOCK; r++) {
            y[r] = minus(y[r], a[FIL_BLOCK * c + r], v[c]);
        }
    }
}

static FIL_RUN_INLINE void copy_lanes(Lanes* to, const Lanes* from, int count)
{
#pragma GCC unroll 16
    for (int at = 0; at < count; at++) {
        to[at] = from[at];
    }
}

/* out = c - a b', one column of a and of b at a time, SUMS columns of out before the next */
static FIL_RUN_INLINE void subtract_blocks(Lanes* out, const Lanes* c, const Lanes* a, const Lanes* b)
{
#pragma GCC unroll 4
    for (int first = 0; first < FIL_BLOCK; first += SUMS) {
        Lanes rest[FIL_BLOCK * SUMS];
        copy_lanes(rest, c + FIL_BLOCK * first, FIL_BLOCK * SUMS);
#pragma GCC unroll 4
        for (int k = 0; k < FIL_BLOCK; k++) {
#pragma GCC unroll 4
            for (int column = 0; column < SUMS; column++) {
#pragma GCC unroll 4
                for (int r = 0; r < FIL_BLOCK; r++) {
                    rest[FIL_BLOCK * column + r] = minus(rest[FIL_BLOCK * column + r], a[FIL_BLOCK * k + r], b[FIL_BLOCK * k + first + column]);
                }
            }
        }
        copy_lanes(out + FIL_BLOCK * first, rest, FIL_BLOCK * SUMS);
    }
}

/* The same of lower triangles. */
static FIL_RUN_INLINE void subtract_halves(Lanes* out, const Lanes* c, const Lanes* a, const Lanes* b)
{
    Lanes rest[HALF];
    copy_lanes(rest, c, HALF);
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
    copy_lanes(out, rest, HALF);
}

/* ---- pivots ----
 * P = M^-1 D M'^-1 with unit lower triangular M, as in linalg/block_split.h. Stored are M below its diagonal, by columns, and D^-1. */

enum { M10, M20, M30, M21, M31, M32, SCALES, PIVOT = SCALES + FIL_BLOCK };

/* Where blocks stand in a column of L. */
enum { NEXT = PIVOT, SECOND = NEXT + FIL_BLOCK_SIZE, BEFORE = SECOND + FIL_BLOCK_SIZE, SECOND_BEFORE = BEFORE + FIL_BLOCK_SIZE };

/* Where numbers are positive and finite. */
static FIL_RUN_INLINE LaneBits are_good(Lanes d)
{
    return (LaneBits)(d > LANES_OP(all)(0.0)) & (LaneBits)(d < LANES_OP(all)(INFINITY));
}

static FIL_RUN_INLINE bool are_all(LaneBits bits)
{
    bool all = true;
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        all = all && bits[side] != 0;
    }
    return all;
}

/* Returns where all pivots are positive and finite. */
static FIL_RUN_INLINE LaneBits split(const Lanes* a, Lanes* m)
{
    const Lanes one = LANES_OP(all)(1.0);
    const Lanes d0 = a[0], i0 = one / d0;
    const Lanes l10 = a[1] * i0, l20 = a[2] * i0, l30 = a[3] * i0;
    const Lanes d1 = minus(a[4], l10, a[1]), i1 = one / d1;
    const Lanes u21 = minus(a[5], l10, a[2]), u31 = minus(a[6], l10, a[3]);
    const Lanes l21 = u21 * i1, l31 = u31 * i1;
    const Lanes d2 = minus(minus(a[7], l20, a[2]), l21, u21), i2 = one / d2;
    const Lanes u32 = minus(minus(a[8], l20, a[3]), l21, u31);
    const Lanes l32 = u32 * i2;
    const Lanes d3 = minus(minus(minus(a[9], l30, a[3]), l31, u31), l32, u32), i3 = one / d3;
    const Lanes m20 = plus(-l20, l21, l10);
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
static FIL_RUN_INLINE void times_pivot(Lanes* out, const Lanes* c, const Lanes* m)
{
#pragma GCC unroll 4
    for (int r = 0; r < FIL_BLOCK; r++) {
        const Lanes c0 = c[r], c1 = c[4 + r], c2 = c[8 + r], c3 = c[12 + r];
        out[r] = c0;
        out[4 + r] = plus(c1, c0, m[M10]);
        out[8 + r] = plus(plus(c2, c0, m[M20]), c1, m[M21]);
        out[12 + r] = plus(plus(plus(c3, c0, m[M30]), c1, m[M31]), c2, m[M32]);
    }
}

/* l = c D^-1 */
static FIL_RUN_INLINE void times_scales(Lanes* l, const Lanes* c, const Lanes* m)
{
#pragma GCC unroll 16
    for (int k = 0; k < FIL_BLOCK_SIZE; k++) {
        l[k] = c[k] * m[SCALES + k / FIL_BLOCK];
    }
}

/* y = M y */
static FIL_RUN_INLINE void apply_pivot(const Lanes* m, Lanes* y)
{
    y[3] = plus(plus(plus(y[3], m[M30], y[0]), m[M31], y[1]), m[M32], y[2]);
    y[2] = plus(plus(y[2], m[M20], y[0]), m[M21], y[1]);
    y[1] = plus(y[1], m[M10], y[0]);
}

/* y = M' (D^-1 y - sum) */
static FIL_RUN_INLINE void apply_pivot_transposed(const Lanes* m, const Lanes* sum, Lanes* y)
{
    Lanes r[FIL_BLOCK];
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
static FIL_RUN_INLINE void pass_numbers(const Lanes* l, Numbers* x)
{
    apply_pivot(l, x->at[0]);
    subtract_product(x->at[1], l + NEXT, x->at[0]);
    subtract_product(x->at[2], l + SECOND, x->at[0]);
}

/* ... and those before the runs. */
static FIL_RUN_INLINE void pass_numbers_before(const Lanes* l, const Lanes* x, Lanes before[2][FIL_BLOCK])
{
    subtract_product(before[0], l + BEFORE, x);
    subtract_product(before[1], l + SECOND_BEFORE, x);
}

static FIL_RUN_INLINE void shift(Numbers* numbers)
{
    copy_lanes(numbers->at[0], numbers->at[1], FIL_BLOCK);
    copy_lanes(numbers->at[1], numbers->at[2], FIL_BLOCK);
}

/* Numbers of variables k to where they belong; ends get theirs by give_numbers(). */
static FIL_RUN_INLINE void store_x(const FilRunElimination* e, const Travellers* t, int k, const Lanes* x)
{
    const bool own = have_all(t, k, k);
    double nowhere[FIL_BLOCK], *to[FIL_RUN_LANES];
#pragma GCC unroll 4
    for (int side = 0; side < FIL_RUN_LANES; side++) {
        const Traveller* s = &t->side[side];
        to[side] = own || k >= s->late ? e->x + FIL_BLOCK * (s->pivot + k) : nowhere;
    }
    store_quarters(x, to);
}

/* What a vector leaves to the ends of runs. */
static inline void give_numbers(const Travellers* t, const Numbers* x, Lanes before[2][FIL_BLOCK])
{
    const Lanes* const ends[FIL_RUN_ENDS] = {x->at[0], x->at[1], before[0], before[1]};
    for (int end = 0; end < FIL_RUN_ENDS; end++) {
        double nowhere[FIL_BLOCK], *to[FIL_RUN_LANES];
        for (int side = 0; side < FIL_RUN_LANES; side++) {
            double* sums = t->side[side].sums;
            to[side] = sums != NULL ? sums + FIL_BLOCK * end : nowhere;
        }
        store_quarters(ends[end], to);
    }
}

#endif
