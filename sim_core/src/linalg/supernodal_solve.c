/* Solves with the supernodal factor, and what becomes of the fixed columns: the Schur complement. */
#include <math.h>
#include <string.h>

#include "linalg/supernodal_data.h"

/* ---- between vectors of four numbers per pivot and the unknowns of a front ---- */

/* Own unknowns of a front; those that only fill it up are zero. */
static void take_pivots(const FilSupernodes* s, const FilSupernode* node, const double* x, double* y)
{
    memset(y, 0, FIL_STRIP * (size_t)node->strips * sizeof *y);
    for (int p = node->first; p < node->end; p++) {
        for (int d = 0; d < FIL_BLOCK; d++) {
            if (s->used.at[p] >> d & 1) {
                *y++ = x[FIL_BLOCK * (size_t)p + (size_t)d];
            }
        }
    }
}

static void put_pivots(const FilSupernodes* s, const FilSupernode* node, const double* y, double* x)
{
    for (int p = node->first; p < node->end; p++) {
        for (int d = 0; d < FIL_BLOCK; d++) {
            if (s->used.at[p] >> d & 1) {
                x[FIL_BLOCK * (size_t)p + (size_t)d] = *y++;
            }
        }
    }
}

static void take_rows(const FilSupernodes* s, const FilSupernode* node, const double* x, double* z)
{
    memset(z, 0, FIL_STRIP * (size_t)node->update_strips * sizeof *z);
    for (int q = node->first_row; q < node->end_row; q++) {
        const size_t p = (size_t)s->row.at[q];
        for (int d = 0; d < FIL_BLOCK; d++) {
            if (s->used.at[p] >> d & 1) {
                *z++ = x[FIL_BLOCK * p + (size_t)d];
            }
        }
    }
}

static void subtract_rows(const FilSupernodes* s, const FilSupernode* node, const double* z, double* x)
{
    for (int q = node->first_row; q < node->end_row; q++) {
        const size_t p = (size_t)s->row.at[q];
        for (int d = 0; d < FIL_BLOCK; d++) {
            if (s->used.at[p] >> d & 1) {
                x[FIL_BLOCK * p + (size_t)d] -= *z++;
            }
        }
    }
}

/* ---- one front ---- */

/* sum = strip y; two sums of every other column, so that they need not wait for each other */
static inline void strip_times(const double* strip, const double* y, int columns, double* sum)
{
    double even[FIL_STRIP] = {0.0}, odd[FIL_STRIP] = {0.0};
    int k = 0;
    for (; k + 1 < columns; k += 2, strip += 2 * FIL_STRIP) {
        for (int r = 0; r < FIL_STRIP; r++) {
            even[r] += strip[r] * y[k];
            odd[r] += strip[FIL_STRIP + r] * y[k + 1];
        }
    }
    for (int r = 0; r < FIL_STRIP; r++) {
        sum[r] = (k < columns ? even[r] + strip[r] * y[k] : even[r]) + odd[r];
    }
}

/* sums of column k += strip_k z, element by element */
static inline void add_products(double* sums, const double* strip, const double* z, int columns)
{
    const double z0 = z[0], z1 = z[1], z2 = z[2], z3 = z[3];
    for (int e = 0; e < FIL_STRIP * columns; e += FIL_STRIP) {
        sums[e] += strip[e] * z0;
        sums[e + 1] += strip[e + 1] * z1;
        sums[e + 2] += strip[e + 2] * z2;
        sums[e + 3] += strip[e + 3] * z3;
    }
}

/* y_n <- L_nn^-1 y_n, then the rows lose L_pn y_n */
static void forward_node(const FilSupernodal* factor, FilSupernodalWork* work, int k, double* x)
{
    const FilSupernode* node = fil_supernodal_node(factor, k);
    const double* strip = factor->panel.at + node->panel;
    const size_t stride = fil_supernodal_stride(node);
    double *y = work->pivots.at, *z = work->updates.at;
    take_pivots(&factor->symbolic, node, x, y);
    for (int j = 0; j < node->strips; j++, strip += stride) {
        double sum[FIL_STRIP], rest[FIL_STRIP];
        const double* w = strip + FIL_TILE * (size_t)j;
        strip_times(strip, y, FIL_STRIP * j, sum);
        for (int r = 0; r < FIL_STRIP; r++) {
            rest[r] = y[FIL_STRIP * j + r] - sum[r];
        }
        for (int r = 0; r < FIL_STRIP; r++) {
            y[FIL_STRIP * j + r] = w[r] * rest[0] + w[4 + r] * rest[1] + w[8 + r] * rest[2] + w[12 + r] * rest[3];
        }
    }
    for (int i = 0; i < node->update_strips; i++, strip += stride) {
        strip_times(strip, y, node->pivots, z + FIL_STRIP * (size_t)i);
    }
    put_pivots(&factor->symbolic, node, y, x);
    subtract_rows(&factor->symbolic, node, z, x);
}

/* x_n <- L_nn'^-1 (y_n - L_pn' x_p) */
static void backward_node(const FilSupernodal* factor, FilSupernodalWork* work, int k, double* x)
{
    const FilSupernode* node = fil_supernodal_node(factor, k);
    const double* panel = factor->panel.at + node->panel;
    const size_t stride = fil_supernodal_stride(node);
    double *y = work->pivots.at, *z = work->updates.at, *sums = work->sums.at;
    take_pivots(&factor->symbolic, node, x, y);
    take_rows(&factor->symbolic, node, x, z);
    memset(sums, 0, FIL_TILE * (size_t)node->strips * sizeof *sums);
    for (int i = 0; i < node->update_strips; i++) {
        add_products(sums, panel + (size_t)(node->strips + i) * stride, z + FIL_STRIP * (size_t)i, node->pivots);
    }
    for (int j = node->strips - 1; j >= 0; j--) {
        const double* strip = panel + (size_t)j * stride;
        const double* w = strip + FIL_TILE * (size_t)j;
        double rest[FIL_STRIP];
        for (int c = 0; c < FIL_STRIP; c++) {
            const double* sum = sums + FIL_TILE * (size_t)j + FIL_STRIP * (size_t)c;
            rest[c] = y[FIL_STRIP * j + c] - ((sum[0] + sum[1]) + (sum[2] + sum[3]));
        }
        for (int c = 0; c < FIL_STRIP; c++, w += FIL_STRIP) {
            y[FIL_STRIP * j + c] = w[0] * rest[0] + w[1] * rest[1] + w[2] * rest[2] + w[3] * rest[3];
        }
        add_products(sums, strip, y + FIL_STRIP * (size_t)j, FIL_STRIP * j);
    }
    put_pivots(&factor->symbolic, node, y, x);
}

/* ---- many ---- */

static void forward(FilSupernodal* factor, int begin, int end, double* x, size_t stride, int count)
{
    for (int k = begin; k < end; k++) {
        for (int b = 0; b < count; b++) {
            forward_node(factor, &factor->work, k, x + (size_t)b * stride);
        }
    }
}

static void backward(FilSupernodal* factor, int begin, int end, double* x, size_t stride, int count)
{
    for (int k = end - 1; k >= begin; k--) {
        for (int b = 0; b < count; b++) {
            backward_node(factor, &factor->work, k, x + (size_t)b * stride);
        }
    }
}

void fil_supernodal_eliminate_fixed(FilSupernodal* factor, double* x)
{
    forward(factor, 0, factor->symbolic.first_changing_node, x, 0, 1);
}

void fil_supernodal_forward_changing(FilSupernodal* factor, double* x)
{
    forward(factor, factor->symbolic.first_changing_node, factor->symbolic.count, x, 0, 1);
}

void fil_supernodal_solve_changing(FilSupernodal* factor, double* x)
{
    const FilSupernodes* s = &factor->symbolic;
    forward(factor, s->first_changing_node, s->count, x, 0, 1);
    backward(factor, s->first_changing_node, s->count, x, 0, 1);
}

void fil_supernodal_substitute_fixed(FilSupernodal* factor, double* x)
{
    backward(factor, 0, factor->symbolic.first_changing_node, x, 0, 1);
}

/* Solves for `count` right sides, at most as many as `factor->x` has room for. */
static void solve_batch(FilSupernodal* factor, double* x, size_t stride, int count)
{
    const FilSupernodes* s = &factor->symbolic;
    const size_t size = FIL_BLOCK * (size_t)s->columns;
    double* y = factor->x.at;
    for (int b = 0; b < count; b++) {
        for (int j = 0; j < s->columns; j++) {
            memcpy(y + (size_t)b * size + FIL_BLOCK * (size_t)j,
                   x + (size_t)b * stride + FIL_BLOCK * (size_t)s->variable.at[j], FIL_BLOCK * sizeof *y);
        }
    }
    forward(factor, 0, s->count, y, size, count);
    backward(factor, 0, s->count, y, size, count);
    for (int b = 0; b < count; b++) {
        for (int j = 0; j < s->columns; j++) {
            memcpy(x + (size_t)b * stride + FIL_BLOCK * (size_t)s->variable.at[j],
                   y + (size_t)b * size + FIL_BLOCK * (size_t)j, FIL_BLOCK * sizeof *y);
        }
    }
}

void fil_supernodal_solve(FilSupernodal* factor, double* x)
{
    solve_batch(factor, x, 0, 1);
}

bool fil_supernodal_solve_many(FilSupernodal* factor, double* x, size_t stride, int count)
{
    enum { BATCH = 16 };  // right sides that share one pass over L
    if (!fil_doubles_reserve(&factor->x, BATCH * FIL_BLOCK * (size_t)factor->symbolic.columns)) {
        return false;
    }
    for (int b = 0; b < count; b += BATCH) {
        solve_batch(factor, x + (size_t)b * stride, stride, count - b < BATCH ? count - b : BATCH);
    }
    return true;
}

/* ---- refinement ---- */

static double largest(const double* x, size_t count)
{
    double size = 0.0;
    for (size_t k = 0; k < count; k++) {
        size = fmax(size, fabs(x[k]));
    }
    return size;
}

double fil_supernodal_refine(FilSupernodal* factor, const FilBlockPattern* a, const double* a_values,
                             const FilBlockPattern* c, const double* c_values, const double* b, double* x,
                             double tolerance, int iterations, double* scratch)
{
    const size_t size = FIL_BLOCK * (size_t)a->columns;
    const double scale = largest(b, size);
    double *residual = scratch, *trial = scratch + size, best = INFINITY;
    memcpy(trial, x, size * sizeof *x);
    for (int k = 0; scale > 0.0; k++) {
        fil_block_multiply(a, a_values, trial, residual);
        if (c != NULL) {
            fil_block_multiply_add(c, c_values, trial, residual);
        }
        for (size_t e = 0; e < size; e++) {
            residual[e] = b[e] - residual[e];
        }
        const double error = largest(residual, size) / scale;
        const bool better = error < best, enough = error <= tolerance || error > 0.5 * best || k >= iterations;
        if (better) {
            best = error;
            memcpy(x, trial, size * sizeof *x);
        }
        if (enough) {
            return best;
        }
        fil_supernodal_solve(factor, residual);
        for (size_t e = 0; e < size; e++) {
            trial[e] += residual[e];
        }
    }
    memset(x, 0, size * sizeof *x);
    return 0.0;
}

/* ---- the Schur complement ---- */

/* S_ij and S_ji += value */
static void add_both(double* schur, size_t size, size_t i, size_t j, double value)
{
    schur[j * size + i] += value;
    if (i != j) {
        schur[i * size + j] += value;
    }
}

/* A_pp: blocks of A between changing variables */
static void add_changing_blocks(const FilSupernodes* s, const FilBlockPattern* a, const double* a_values, double* schur,
                                size_t size)
{
    for (int j = 0; j < a->columns; j++) {
        const int pj = s->pivot.at[j];
        for (int k = a->start[j]; pj >= s->first_changing && k < a->start[j + 1]; k++) {
            const int pi = s->pivot.at[a->row[k]];
            const double* block = a_values + FIL_BLOCK_SIZE * (size_t)k;
            for (int e = 0; pi >= s->first_changing && e < FIL_BLOCK_SIZE; e++) {
                const int r = e % FIL_BLOCK, c = e / FIL_BLOCK;
                if ((s->used.at[pi] >> r & 1) && (s->used.at[pj] >> c & 1) && (pi != pj || r >= c)) {
                    add_both(schur, size, (size_t)(FIL_BLOCK * (pi - s->first_changing) + r),
                             (size_t)(FIL_BLOCK * (pj - s->first_changing) + c), block[e]);
                }
            }
        }
    }
}

/* The update matrix of a supernode that is fixed and whose parent is not; place: of its unknowns in S. */
static void add_border(const FilSupernodal* factor, const FilSupernode* node, double* schur, size_t size)
{
    const FilSupernodes* s = &factor->symbolic;
    const double* update = fil_supernodal_update(factor, &factor->work, node);
    int* place = factor->work.place.at;
    for (int q = node->first_row, end = 0; q < node->end_row; q++) {
        for (int d = 0; d < FIL_BLOCK; d++) {
            if (s->used.at[s->row.at[q]] >> d & 1) {
                place[end++] = FIL_BLOCK * (s->row.at[q] - s->first_changing) + d;
            }
        }
    }
    for (int i = 0; i < node->updates; i++) {
        const size_t strip = (size_t)(i / FIL_STRIP);
        const double* row = update + 8 * strip * (strip + 1) + i % FIL_STRIP;
        for (int j = 0; j <= i; j++) {
            add_both(schur, size, (size_t)place[i], (size_t)place[j], row[FIL_STRIP * j]);
        }
    }
}

void fil_supernodal_schur(const FilSupernodal* factor, const FilBlockPattern* a, const double* a_values, double* schur)
{
    const FilSupernodes* s = &factor->symbolic;
    const size_t size = FIL_BLOCK * (size_t)(s->columns - s->first_changing);
    memset(schur, 0, size * size * sizeof *schur);
    for (int p = s->first_changing; p < s->columns; p++) {
        for (int d = 0; d < FIL_BLOCK; d++) {
            const size_t at = (size_t)(FIL_BLOCK * (p - s->first_changing) + d);
            schur[at * size + at] = s->used.at[p] >> d & 1 ? 0.0 : 1.0;
        }
    }
    add_changing_blocks(s, a, a_values, schur, size);
    for (int k = 0; k < s->first_changing_node; k++) {
        const FilSupernode* node = fil_supernodal_node(factor, k);
        if (node->parent >= s->first_changing_node) {
            add_border(factor, node, schur, size);
        }
    }
}
