/* Solves with the fronts of a supernodal factor, one by one, for the numbers of linalg/supernodal_fronts.h: whoever includes this has also defined
 * FUSED, a sum and a product of strips, where that is rounded once, and TWO_COLUMNS, where a register holds two columns of a strip. */
#ifndef FILUM_LINALG_SUPERNODAL_FRONT_SOLVE_H
#define FILUM_LINALG_SUPERNODAL_FRONT_SOLVE_H

#include <string.h>

#include "linalg/supernodal_data.h"

/* ---- between vectors of four numbers per pivot and the unknowns of a front ---- */

/* Own unknowns of a front; those that only fill it up are zero. */
static void take_pivots(const FilSupernodes* s, const FilSupernode* node, const double* x, Number* y)
{
    memset(y, 0, FIL_STRIP * (size_t)node->strips * sizeof *y);
    for (int p = node->first; p < node->end; p++) {
        for (int d = 0; d < FIL_BLOCK; d++) {
            if (s->used.at[p] >> d & 1) {
                *y++ = (Number)x[FIL_BLOCK * (size_t)p + (size_t)d];
            }
        }
    }
}

static void put_pivots(const FilSupernodes* s, const FilSupernode* node, const Number* y, double* x)
{
    for (int p = node->first; p < node->end; p++) {
        for (int d = 0; d < FIL_BLOCK; d++) {
            if (s->used.at[p] >> d & 1) {
                x[FIL_BLOCK * (size_t)p + (size_t)d] = (double)*y++;
            }
        }
    }
}

static void take_rows(const FilSupernodes* s, const FilSupernode* node, const double* x, Number* z)
{
    memset(z, 0, FIL_STRIP * (size_t)node->update_strips * sizeof *z);
    for (int q = node->first_row; q < node->end_row; q++) {
        const size_t p = (size_t)s->row.at[q];
        for (int d = 0; d < FIL_BLOCK; d++) {
            if (s->used.at[p] >> d & 1) {
                *z++ = (Number)x[FIL_BLOCK * p + (size_t)d];
            }
        }
    }
}

static void subtract_rows(const FilSupernodes* s, const FilSupernodalWork* work, const FilSupernode* node, const Number* z, double* x)
{
    for (int q = node->first_row; q < node->end_row; q++) {
        const bool above = work->above != NULL && s->row.at[q] >= work->border;
        const size_t p = (size_t)(s->row.at[q] - (above ? work->border : 0));
        const int used = s->used.at[s->row.at[q]];
        double* to = above ? work->above : x;
        for (int d = 0; d < FIL_BLOCK; d++) {
            if (used >> d & 1) {
                to[FIL_BLOCK * p + (size_t)d] -= (double)*z++;
            }
        }
    }
}

/* ---- products of a solve ---- */

/* The numbers of a strip in one column. FUSED, they are rounded once, which every machine of
 * that kind can do in one instruction: see linalg/strips_single.c. */
typedef Number Strip __attribute__((vector_size(FIL_STRIP * sizeof(Number))));

static inline Strip strip_load(const Number* at)
{
    Strip strip;
    memcpy(&strip, at, sizeof strip);
    return strip;
}

static inline void strip_store(Number* at, Strip strip)
{
    memcpy(at, &strip, sizeof strip);
}

/* sum + a b, number by number */
static inline Strip strip_add_product(Strip sum, Strip a, Strip b)
{
#if defined(FUSED)
    return FUSED(sum, a, b);
#else
    return sum + a * b;
#endif
}

static inline Strip strip_add(Strip a, Strip b)
{
    return a + b;
}

/* As in base/vector.h: where a register holds a strip, it is not put together in memory. */
static inline Strip strip_of(Number a, Number b, Number c, Number d)
{
#if defined(__AVX__)
    return (Strip){a, b, c, d};
#else
    const Number all[FIL_STRIP] = {a, b, c, d};
    return strip_load(all);
#endif
}

static inline Strip strip_all(Number y)
{
    return strip_of(y, y, y, y);
}

/* sum = strip y; two sums of every other column, so that they need not wait for each other */
static inline void strip_times(const Number* strip, const Number* y, int columns, Number* sum)
{
    Strip even = strip_all(ZERO), odd = even;
    int k = 0;
    for (; k + 1 < columns; k += 2, strip += 2 * FIL_STRIP) {
        even = strip_add_product(even, strip_load(strip), strip_all(y[k]));
        odd = strip_add_product(odd, strip_load(strip + FIL_STRIP), strip_all(y[k + 1]));
    }
    if (k < columns) {
        even = strip_add_product(even, strip_load(strip), strip_all(y[k]));
    }
    strip_store(sum, strip_add(even, odd));
}

#if defined(TWO_COLUMNS)
/* An even column and the odd one after it: so their sums are those of other levels. */
typedef Number Columns __attribute__((vector_size(2 * FIL_STRIP * sizeof(Number))));

static inline Columns columns_load(const Number* at)
{
    Columns columns;
    memcpy(&columns, at, sizeof columns);
    return columns;
}

static inline Columns columns_of(Strip even, Strip odd)
{
    return __builtin_shufflevector(even, odd, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* The same of four strips, which share y. */
static inline void strips_times(const Number* strip, size_t stride, const Number* y, int columns, Number* sum)
{
    Columns sums[4] = {{ZERO}, {ZERO}, {ZERO}, {ZERO}};
    int k = 0;
    for (; k + 1 < columns; k += 2) {
        const Columns both = columns_of(strip_all(y[k]), strip_all(y[k + 1]));
        for (size_t r = 0; r < 4; r++) {
            sums[r] += columns_load(strip + r * stride + FIL_STRIP * (size_t)k) * both;
        }
    }
    for (size_t r = 0; r < 4; r++) {
        Strip even = __builtin_shufflevector(sums[r], sums[r], 0, 1, 2, 3), odd = __builtin_shufflevector(sums[r], sums[r], 4, 5, 6, 7);
        if (k < columns) {
            even = strip_add_product(even, strip_load(strip + r * stride + FIL_STRIP * (size_t)k), strip_all(y[k]));
        }
        strip_store(sum + FIL_STRIP * r, strip_add(even, odd));
    }
}
#else
/* The same of four strips, which share y. */
static inline void strips_times(const Number* strip, size_t stride, const Number* y, int columns, Number* sum)
{
    const Number *a = strip, *b = a + stride, *c = b + stride, *d = c + stride;
    Strip even_a = strip_all(ZERO), even_b = even_a, even_c = even_a, even_d = even_a;
    Strip odd_a = even_a, odd_b = even_a, odd_c = even_a, odd_d = even_a;
    int k = 0, e = 0;
    for (; k + 1 < columns; k += 2, e += 2 * FIL_STRIP) {
        const Strip first = strip_all(y[k]), second = strip_all(y[k + 1]);
        even_a = strip_add_product(even_a, strip_load(a + e), first);
        even_b = strip_add_product(even_b, strip_load(b + e), first);
        even_c = strip_add_product(even_c, strip_load(c + e), first);
        even_d = strip_add_product(even_d, strip_load(d + e), first);
        odd_a = strip_add_product(odd_a, strip_load(a + e + FIL_STRIP), second);
        odd_b = strip_add_product(odd_b, strip_load(b + e + FIL_STRIP), second);
        odd_c = strip_add_product(odd_c, strip_load(c + e + FIL_STRIP), second);
        odd_d = strip_add_product(odd_d, strip_load(d + e + FIL_STRIP), second);
    }
    if (k < columns) {
        const Strip last = strip_all(y[k]);
        even_a = strip_add_product(even_a, strip_load(a + e), last);
        even_b = strip_add_product(even_b, strip_load(b + e), last);
        even_c = strip_add_product(even_c, strip_load(c + e), last);
        even_d = strip_add_product(even_d, strip_load(d + e), last);
    }
    strip_store(sum, strip_add(even_a, odd_a));
    strip_store(sum + FIL_STRIP, strip_add(even_b, odd_b));
    strip_store(sum + 2 * FIL_STRIP, strip_add(even_c, odd_c));
    strip_store(sum + 3 * FIL_STRIP, strip_add(even_d, odd_d));
}
#endif

/* sums of column k += strip_k own, element by element */
static inline void add_products(Number* sums, const Number* strip, Strip own, int columns)
{
    for (int e = 0; e < FIL_STRIP * columns; e += FIL_STRIP) {
        strip_store(sums + e, strip_add_product(strip_load(sums + e), strip_load(strip + e), own));
    }
}

/* Four strips, one after the other, while sums are at hand. */
static inline void add_products_of_four(Number* sums, const Number* strip, size_t stride, const Number* z, int columns)
{
    const Number *a = strip, *b = a + stride, *c = b + stride, *d = c + stride;
    const Strip za = strip_load(z), zb = strip_load(z + FIL_STRIP), zc = strip_load(z + 2 * FIL_STRIP), zd = strip_load(z + 3 * FIL_STRIP);
    int e = 0;
#if defined(TWO_COLUMNS)
    const Columns za2 = columns_of(za, za), zb2 = columns_of(zb, zb), zc2 = columns_of(zc, zc), zd2 = columns_of(zd, zd);
    for (; e + FIL_STRIP < FIL_STRIP * columns; e += 2 * FIL_STRIP) {
        Columns sum = columns_load(sums + e) + columns_load(a + e) * za2;
        sum += columns_load(b + e) * zb2;
        sum += columns_load(c + e) * zc2;
        sum += columns_load(d + e) * zd2;
        memcpy(sums + e, &sum, sizeof sum);
    }
#endif
    for (; e < FIL_STRIP * columns; e += FIL_STRIP) {
        Strip sum = strip_load(sums + e);
        sum = strip_add_product(sum, strip_load(a + e), za);
        sum = strip_add_product(sum, strip_load(b + e), zb);
        sum = strip_add_product(sum, strip_load(c + e), zc);
        strip_store(sums + e, strip_add_product(sum, strip_load(d + e), zd));
    }
}

/* ---- one front ---- */

/* What is subtracted from the rows of a front, or they have to do with its own unknowns: products that workers may share. */
typedef struct Rows {
    const Number* strip; /* the first of the rows' */
    size_t stride;
    const FilSupernode* node;
    const Number* in;
    Number* out;
} Rows;

/* Strips of rows, or columns, at a time, and numbers of a front from which on others are worth calling: some 10 us. */
enum { ROW_GRAIN = 16, COLUMN_GRAIN = 64, NUMBERS_MIN = 60000 };

static FilWorkers* sharers_of(const FilSupernodalWork* work, const FilSupernode* node)
{
    return FIL_TILE * (double)node->strips * node->update_strips < NUMBERS_MIN ? NULL : work->workers;
}

/* Some strips of z = L_pn y */
static void multiply_strips(void* context, int first, int end, int worker)
{
    const Rows* rows = context;
    int i = first;
    (void)worker;
    for (; i + 3 < end; i += 4) {
        strips_times(rows->strip + (size_t)i * rows->stride, rows->stride, rows->in, rows->node->pivots, rows->out + FIL_STRIP * (size_t)i);
    }
    for (; i < end; i++) {
        strip_times(rows->strip + (size_t)i * rows->stride, rows->in, rows->node->pivots, rows->out + FIL_STRIP * (size_t)i);
    }
}

/* Some columns of L_pn' z, four sums each: every sum has its terms in the order of rows */
static void add_columns(void* context, int first, int end, int worker)
{
    const Rows* rows = context;
    const size_t begin = FIL_STRIP * (size_t)first;
    Number* sums = rows->out + begin;
    int i = 0;
    (void)worker;
    memset(sums, 0, FIL_STRIP * (size_t)(end - first) * sizeof *sums);
    for (; i + 3 < rows->node->update_strips; i += 4) {
        add_products_of_four(sums, rows->strip + (size_t)i * rows->stride + begin, rows->stride, rows->in + FIL_STRIP * (size_t)i, end - first);
    }
    for (; i < rows->node->update_strips; i++) {
        add_products(sums, rows->strip + (size_t)i * rows->stride + begin, strip_load(rows->in + FIL_STRIP * (size_t)i), end - first);
    }
}

/* y_j <- W_j (y_j - sum - what the columns from strip `begin` on take), with those of its own strip in the end */
static inline void solve_strip(const Number* strip, int begin, int j, const Number* sum, Number* y)
{
    const Number* w = strip + FIL_TILE * (size_t)j;
    Number more[FIL_STRIP], rest[FIL_STRIP];
    strip_times(strip + FIL_TILE * (size_t)begin, y + FIL_STRIP * begin, FIL_STRIP * (j - begin), more);
    for (int r = 0; r < FIL_STRIP; r++) {
        rest[r] = y[FIL_STRIP * j + r] - sum[r] - more[r];
    }
    for (int r = 0; r < FIL_STRIP; r++) {
        y[FIL_STRIP * j + r] = w[r] * rest[0] + w[4 + r] * rest[1] + w[8 + r] * rest[2] + w[12 + r] * rest[3];
    }
}

/* y_j <- W_j' (y_j - sums), then sums of the columns from strip `begin` on have L_j' y_j */
static inline void solve_strip_back(const Number* strip, int begin, int j, Number* sums, Number* y)
{
    const Number* w = strip + FIL_TILE * (size_t)j;
    Number rest[FIL_STRIP], own[FIL_STRIP];
    for (int c = 0; c < FIL_STRIP; c++) {
        const Number* sum = sums + FIL_TILE * (size_t)j + FIL_STRIP * (size_t)c;
        rest[c] = y[FIL_STRIP * j + c] - ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    for (int c = 0; c < FIL_STRIP; c++, w += FIL_STRIP) {
        own[c] = w[0] * rest[0] + w[1] * rest[1] + w[2] * rest[2] + w[3] * rest[3];
    }
    const Strip all = strip_of(own[0], own[1], own[2], own[3]);
    strip_store(y + FIL_STRIP * (size_t)j, all);
    add_products(sums + FIL_TILE * (size_t)begin, strip + FIL_TILE * (size_t)begin, all, FIL_STRIP * (j - begin));
}

/* Strips whose common columns are taken together: one by one they would wait for their own sums. */
enum { TOGETHER = 4 };

/* y_n <- L_nn^-1 y_n, then L_pn y_n is subtracted from the rows */
static void forward_node(const FilSupernodal* factor, FilSupernodalWork* work, int k, double* x)
{
    const FilSupernode* node = fil_supernodal_node(factor, k);
    const Number* panel = (const Number*)(const void*)factor->panel.at + node->panel;
    const size_t stride = fil_supernodal_stride(node);
    Number *y = (Number*)(void*)work->pivots.at, *z = (Number*)(void*)work->updates.at, sum[TOGETHER * FIL_STRIP] = {ZERO};
    const int whole = node->strips - node->strips % TOGETHER;
    take_pivots(&factor->symbolic, node, x, y);
    for (int j = 0; j < whole; j += TOGETHER) {
        const Number* strip = panel + (size_t)j * stride;
        strips_times(strip, stride, y, FIL_STRIP * j, sum);
        for (int i = 0; i < TOGETHER; i++) {
            solve_strip(strip + (size_t)i * stride, j, j + i, sum + FIL_STRIP * (size_t)i, y);
        }
    }
    memset(sum, 0, sizeof sum);
    for (int j = whole; j < node->strips; j++) {
        solve_strip(panel + (size_t)j * stride, 0, j, sum, y);
    }
    Rows rows = {panel + (size_t)node->strips * stride, stride, node, y, z};
    fil_workers_run(sharers_of(work, node), node->update_strips, ROW_GRAIN, multiply_strips, &rows);
    put_pivots(&factor->symbolic, node, y, x);
    subtract_rows(&factor->symbolic, work, node, z, x);
}

/* x_n <- L_nn'^-1 (y_n - L_pn' x_p) */
static void backward_node(const FilSupernodal* factor, FilSupernodalWork* work, int k, double* x)
{
    const FilSupernode* node = fil_supernodal_node(factor, k);
    const Number* panel = (const Number*)(const void*)factor->panel.at + node->panel;
    const size_t stride = fil_supernodal_stride(node);
    Number *y = (Number*)(void*)work->pivots.at, *z = (Number*)(void*)work->updates.at, *sums = (Number*)(void*)work->sums.at;
    const int whole = node->strips - node->strips % TOGETHER;
    take_pivots(&factor->symbolic, node, x, y);
    take_rows(&factor->symbolic, node, x, z);
    Rows rows = {panel + (size_t)node->strips * stride, stride, node, z, sums};
    FilWorkers* sharers = sharers_of(work, node);
    if (sharers != NULL) {
        fil_workers_run(sharers, FIL_STRIP * node->strips, COLUMN_GRAIN, add_columns, &rows);
    } else if (node->strips > 0) {
        add_columns(&rows, 0, FIL_STRIP * node->strips, 0);
    }
    for (int j = node->strips - 1; j >= whole; j--) {
        solve_strip_back(panel + (size_t)j * stride, 0, j, sums, y);
    }
    for (int j = whole - TOGETHER; j >= 0; j -= TOGETHER) {
        const Number* strip = panel + (size_t)j * stride;
        for (int i = TOGETHER - 1; i >= 0; i--) {
            solve_strip_back(strip + (size_t)i * stride, j, j + i, sums, y);
        }
        add_products_of_four(sums, strip, stride, y + FIL_STRIP * (size_t)j, FIL_STRIP * j);
    }
    put_pivots(&factor->symbolic, node, y, x);
}

#endif
