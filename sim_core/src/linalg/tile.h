/* A 4x4 block in registers, by pairs: what block factors are made of. */
#ifndef FILUM_LINALG_TILE_H
#define FILUM_LINALG_TILE_H

#include "base/vector.h"
#include "linalg/block_matrix.h"

/* The upper and lower halves u, l of its columns 0 to 3. No array, so that compilers keep it in registers. */
typedef struct FilTile {
    FilDouble2 u0, l0, u1, l1, u2, l2, u3, l3;
} FilTile;

static inline FilTile fil_tile_zero(void)
{
    const FilDouble2 zero = fil_double2_all(0.0);
    return (FilTile){zero, zero, zero, zero, zero, zero, zero, zero};
}

static inline FilTile fil_tile_load(const double* a)
{
    return (FilTile){fil_double2_load(a),     fil_double2_load(a + 2),  fil_double2_load(a + 4),  fil_double2_load(a + 6),
                     fil_double2_load(a + 8), fil_double2_load(a + 10), fil_double2_load(a + 12), fil_double2_load(a + 14)};
}

static inline void fil_tile_store(FilTile c, double* out)
{
    fil_double2_store(out, c.u0);
    fil_double2_store(out + 2, c.l0);
    fil_double2_store(out + 4, c.u1);
    fil_double2_store(out + 6, c.l1);
    fil_double2_store(out + 8, c.u2);
    fil_double2_store(out + 10, c.l2);
    fil_double2_store(out + 12, c.u3);
    fil_double2_store(out + 14, c.l3);
}

static inline FilTile fil_tile_transpose(FilTile a)
{
    return (FilTile){fil_double2_firsts(a.u0, a.u1),  fil_double2_firsts(a.u2, a.u3), fil_double2_seconds(a.u0, a.u1),
                     fil_double2_seconds(a.u2, a.u3), fil_double2_firsts(a.l0, a.l1), fil_double2_firsts(a.l2, a.l3),
                     fil_double2_seconds(a.l0, a.l1), fil_double2_seconds(a.l2, a.l3)};
}

static inline FilTile fil_tile_add(FilTile a, FilTile b)
{
    return (FilTile){a.u0 + b.u0, a.l0 + b.l0, a.u1 + b.u1, a.l1 + b.l1, a.u2 + b.u2, a.l2 + b.l2, a.u3 + b.u3, a.l3 + b.l3};
}

/* c - a b', one column of a and of b at a time */
static inline FilTile fil_tile_subtract_product(FilTile c, const double* a, const double* b)
{
    for (int k = 0; k < FIL_BLOCK_SIZE; k += 4) {
        const FilDouble2 a_u = fil_double2_load(a + k), a_l = fil_double2_load(a + k + 2);
        const FilDouble2 b_u = fil_double2_load(b + k), b_l = fil_double2_load(b + k + 2);
        c.u0 = fil_double2_sub_first(c.u0, a_u, b_u);
        c.l0 = fil_double2_sub_first(c.l0, a_l, b_u);
        c.u1 = fil_double2_sub_second(c.u1, a_u, b_u);
        c.l1 = fil_double2_sub_second(c.l1, a_l, b_u);
        c.u2 = fil_double2_sub_first(c.u2, a_u, b_l);
        c.l2 = fil_double2_sub_first(c.l2, a_l, b_l);
        c.u3 = fil_double2_sub_second(c.u3, a_u, b_l);
        c.l3 = fil_double2_sub_second(c.l3, a_l, b_l);
    }
    return c;
}

/* c w' for lower triangular w: column r is the sum of c_k w_rk over k <= r */
static inline FilTile fil_tile_times_transposed(FilTile c, FilTile w)
{
    const FilDouble2 zero = fil_double2_all(0.0);
    FilTile x;
    x.u0 = fil_double2_add_first(zero, c.u0, w.u0);
    x.l0 = fil_double2_add_first(zero, c.l0, w.u0);
    x.u1 = fil_double2_add_second(fil_double2_add_second(zero, c.u0, w.u0), c.u1, w.u1);
    x.l1 = fil_double2_add_second(fil_double2_add_second(zero, c.l0, w.u0), c.l1, w.u1);
    x.u2 = fil_double2_add_first(fil_double2_add_first(fil_double2_add_first(zero, c.u0, w.l0), c.u1, w.l1), c.u2, w.l2);
    x.l2 = fil_double2_add_first(fil_double2_add_first(fil_double2_add_first(zero, c.l0, w.l0), c.l1, w.l1), c.l2, w.l2);
    x.u3 = fil_double2_add_second(fil_double2_add_second(zero, c.u0, w.l0), c.u1, w.l1);
    x.l3 = fil_double2_add_second(fil_double2_add_second(zero, c.l0, w.l0), c.l1, w.l1);
    x.u3 = fil_double2_add_second(fil_double2_add_second(x.u3, c.u2, w.l2), c.u3, w.l3);
    x.l3 = fil_double2_add_second(fil_double2_add_second(x.l3, c.l2, w.l2), c.l3, w.l3);
    return x;
}

/* Four numbers of a vector. */
typedef struct FilQuarter {
    FilDouble2 lo, hi;
} FilQuarter;

static inline FilQuarter fil_quarter_load(const double* x)
{
    return (FilQuarter){fil_double2_load(x), fil_double2_load(x + 2)};
}

static inline void fil_quarter_store(FilQuarter z, double* x)
{
    fil_double2_store(x, z.lo);
    fil_double2_store(x + 2, z.hi);
}

/* z - l y */
static inline FilQuarter fil_quarter_subtract(FilQuarter z, const double* l, const double* y)
{
    const FilDouble2 y_lo = fil_double2_load(y), y_hi = fil_double2_load(y + 2);
    z.lo = fil_double2_sub_first(z.lo, fil_double2_load(l), y_lo);
    z.hi = fil_double2_sub_first(z.hi, fil_double2_load(l + 2), y_lo);
    z.lo = fil_double2_sub_second(z.lo, fil_double2_load(l + 4), y_lo);
    z.hi = fil_double2_sub_second(z.hi, fil_double2_load(l + 6), y_lo);
    z.lo = fil_double2_sub_first(z.lo, fil_double2_load(l + 8), y_hi);
    z.hi = fil_double2_sub_first(z.hi, fil_double2_load(l + 10), y_hi);
    z.lo = fil_double2_sub_second(z.lo, fil_double2_load(l + 12), y_hi);
    z.hi = fil_double2_sub_second(z.hi, fil_double2_load(l + 14), y_hi);
    return z;
}

/* y += a v */
static inline void fil_quarter_add_tile(double* y, FilTile a, const double* v)
{
    const FilDouble2 v_lo = fil_double2_load(v), v_hi = fil_double2_load(v + 2);
    FilDouble2 lo = fil_double2_load(y), hi = fil_double2_load(y + 2);
    lo = fil_double2_add_second(fil_double2_add_first(lo, a.u0, v_lo), a.u1, v_lo);
    hi = fil_double2_add_second(fil_double2_add_first(hi, a.l0, v_lo), a.l1, v_lo);
    lo = fil_double2_add_second(fil_double2_add_first(lo, a.u2, v_hi), a.u3, v_hi);
    hi = fil_double2_add_second(fil_double2_add_first(hi, a.l2, v_hi), a.l3, v_hi);
    fil_double2_store(y, lo);
    fil_double2_store(y + 2, hi);
}

/* y = w y for lower triangular w */
static inline void fil_quarter_apply(const double* restrict w, double* restrict y)
{
    FilDouble2 lo = fil_double2_all(0.0), hi = lo;
    for (int k = 0; k < FIL_BLOCK; k++) {
        const FilDouble2 scale = fil_double2_all(y[k]);
        lo = fil_double2_add_product(lo, fil_double2_load(w + 4 * k), scale);
        hi = fil_double2_add_product(hi, fil_double2_load(w + 4 * k + 2), scale);
    }
    fil_double2_store(y, lo);
    fil_double2_store(y + 2, hi);
}

/* The sums of four pairs are four numbers; each gets l' z. */
static inline void fil_quarter_add_transposed(FilDouble2* sum, const double* l, const double* z)
{
    const FilDouble2 lo = fil_double2_load(z), hi = fil_double2_load(z + 2);
    for (int k = 0; k < FIL_BLOCK; k++) {
        sum[k] = fil_double2_add_product(sum[k], fil_double2_load(l + 4 * k), lo);
        sum[k] = fil_double2_add_product(sum[k], fil_double2_load(l + 4 * k + 2), hi);
    }
}

/* y = w' (y - sum) for lower triangular w */
static inline void fil_quarter_finish_transposed(const double* w, const FilDouble2* sum, double* y)
{
    double rest[FIL_BLOCK];
    for (int k = 0; k < FIL_BLOCK; k++) {
        rest[k] = y[k] - fil_double2_sum(sum[k]);
    }
    for (int k = 0; k < FIL_BLOCK; k++) {
        y[k] = 0.0;
        for (int r = k; r < FIL_BLOCK; r++) {
            y[k] += w[4 * k + r] * rest[r];
        }
    }
}

#endif
