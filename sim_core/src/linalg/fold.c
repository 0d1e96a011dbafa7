#include "linalg/fold.h"

#include <string.h>

/* Unknowns of the joint seen from each half: half 0 arrives with (x_{c-1}, theta_{c-1}, x_c), half 1 with
 * (x_{c+1}, -theta_c, x_c), where c is the middle node and the joint is (x_{c-1}, theta_{c-1}, x_c, theta_c, x_{c+1}). */
static const int joint_of[2][7] = {{0, 1, 2, 3, 4, 5, 6}, {8, 9, 10, 7, 4, 5, 6}};

/* Unknowns of the border (x_a, theta_a, x_b) seen from each half; half 1 starts at x_b. */
static const int border_of[2][7] = {{0, 1, 2, 3, 4, 5, 6}, {4, 5, 6, 3, 0, 1, 2}};

/* Sign of unknown k of seven in half 1: angles are counted against the direction of travel. */
static double sign_of(int half, int k)
{
    return half == 1 && k == 3 ? -1.0 : 1.0;
}

/* Index into a packed lower triangle of a 7 x 7 matrix, column by column; row >= column. */
#define CARRY(column, row) ((column)*7 - (column) * ((column)-1) / 2 + (row) - (column))
#define ENTRY(column, row) (11 * (column) - (column) * ((column)-1) / 2 + (row) - (column))

bool fil_fold_init(FilFold* fold, FilArena* arena, int count, bool closed, int border_node_1)
{
    memset(fold, 0, sizeof *fold);
    fold->count = count;
    fold->half_nodes = count / 2 + 1;
    fold->closed = closed;
    fold->border_node[1] = border_node_1;
    const size_t n = (size_t)fold->half_nodes * FIL_LANE_GROUPS;
    fold->columns = fil_arena_alloc(arena, n * FIL_FOLD_COLUMNS, sizeof(FilLanes));
    fold->rhs = fil_arena_alloc(arena, n * 4, sizeof(FilLanes));
    fold->spike = closed ? fil_arena_alloc(arena, n * 28, sizeof(FilLanes)) : NULL;
    return fold->columns != NULL && fold->rhs != NULL && (!closed || fold->spike != NULL);
}

/* Eliminates nodes 0 .. count-1 of a group: A = L D L', four pivots a node. The 7 x 7 Schur complement that reaches the
 * next nodes is carried as the sum of L D L' products to be subtracted. Returns the smallest pivot. */
static FilLanes eliminate(int count, FilLanes* restrict columns, FilLanes* restrict carry)
{
    FilLanes c[28], smallest = fil_lanes_splat(INFINITY);
    for (int k = 0; k < 28; k++) {
        c[k] = fil_lanes_splat(0.0);
    }
    for (int i = 0; i < count; i++) {
        FilLanes* restrict a = columns + (size_t)FIL_FOLD_COLUMNS * (size_t)i;
        // pivots and the unit-lower triangle between them
        const FilLanes d0 = a[ENTRY(0, 0)] - c[CARRY(0, 0)];
        const FilLanes i0 = 1.0 / d0;
        const FilLanes u10 = a[ENTRY(0, 1)] - c[CARRY(0, 1)];
        const FilLanes u20 = a[ENTRY(0, 2)] - c[CARRY(0, 2)];
        const FilLanes u30 = a[ENTRY(0, 3)] - c[CARRY(0, 3)];
        const FilLanes l10 = u10 * i0, l20 = u20 * i0, l30 = u30 * i0;
        const FilLanes d1 = a[ENTRY(1, 1)] - c[CARRY(1, 1)] - l10 * u10;
        const FilLanes i1 = 1.0 / d1;
        const FilLanes u21 = a[ENTRY(1, 2)] - c[CARRY(1, 2)] - l10 * u20;
        const FilLanes u31 = a[ENTRY(1, 3)] - c[CARRY(1, 3)] - l10 * u30;
        const FilLanes l21 = u21 * i1, l31 = u31 * i1;
        const FilLanes d2 = a[ENTRY(2, 2)] - c[CARRY(2, 2)] - l20 * u20 - l21 * u21;
        const FilLanes i2 = 1.0 / d2;
        const FilLanes u32 = a[ENTRY(2, 3)] - c[CARRY(2, 3)] - l20 * u30 - l21 * u31;
        const FilLanes l32 = u32 * i2;
        const FilLanes d3 = a[ENTRY(3, 3)] - c[CARRY(3, 3)] - l30 * u30 - l31 * u31 - l32 * u32;
        const FilLanes i3 = 1.0 / d3;
        smallest = fil_lanes_min(smallest, fil_lanes_min(fil_lanes_min(d0, d1), fil_lanes_min(d2, d3)));
        a[ENTRY(0, 0)] = i0, a[ENTRY(1, 1)] = i1, a[ENTRY(2, 2)] = i2, a[ENTRY(3, 3)] = i3;
        a[ENTRY(0, 1)] = l10, a[ENTRY(0, 2)] = l20, a[ENTRY(0, 3)] = l30;
        a[ENTRY(1, 2)] = l21, a[ENTRY(1, 3)] = l31, a[ENTRY(2, 3)] = l32;

        // seven rows below the pivots: u = L_pivots^-1 a, l = D^-1 u
        FilLanes u[7][4], l[7][4];
#pragma GCC unroll 7
        for (int r = 0; r < 7; r++) {
            FilLanes w0 = a[ENTRY(0, r + 4)], w1 = a[ENTRY(1, r + 4)], w2 = a[ENTRY(2, r + 4)], w3 = a[ENTRY(3, r + 4)];
            if (r < 3) {
                w0 -= c[CARRY(0, r + 4)], w1 -= c[CARRY(1, r + 4)], w2 -= c[CARRY(2, r + 4)], w3 -= c[CARRY(3, r + 4)];
            }
            w1 -= l10 * w0;
            w2 -= l20 * w0 + l21 * w1;
            w3 -= l30 * w0 + l31 * w1 + l32 * w2;
            u[r][0] = w0, u[r][1] = w1, u[r][2] = w2, u[r][3] = w3;
            l[r][0] = w0 * i0, l[r][1] = w1 * i1, l[r][2] = w2 * i2, l[r][3] = w3 * i3;
            a[ENTRY(0, r + 4)] = l[r][0], a[ENTRY(1, r + 4)] = l[r][1];
            a[ENTRY(2, r + 4)] = l[r][2], a[ENTRY(3, r + 4)] = l[r][3];
        }

        // what reaches the next front; its first three unknowns were already reached by the last one
#pragma GCC unroll 7
        for (int j = 0; j < 7; j++) {
#pragma GCC unroll 7
            for (int k = j; k < 7; k++) {
                FilLanes s = l[j][0] * u[k][0] + l[j][1] * u[k][1] + l[j][2] * u[k][2] + l[j][3] * u[k][3];
                if (k < 3) {
                    s += c[CARRY(j + 4, k + 4)];
                }
                c[CARRY(j, k)] = s;
            }
        }
    }
    memcpy(carry, c, sizeof c);
    return smallest;
}

/* L z = b for nodes 0 .. count-1 of a group, then z <- D^-1 z; carry: what reaches the seven unknowns beyond. */
static void forward(int count, const FilLanes* restrict columns, FilLanes* restrict b, FilLanes* restrict carry)
{
    FilLanes c0 = fil_lanes_splat(0.0), c1 = c0, c2 = c0, c3 = c0, c4 = c0, c5 = c0, c6 = c0;
    for (int i = 0; i < count; i++) {
        const FilLanes* restrict a = columns + (size_t)FIL_FOLD_COLUMNS * (size_t)i;
        FilLanes* restrict y = b + (size_t)4 * (size_t)i;
        const FilLanes y0 = y[0] - c0;
        const FilLanes y1 = y[1] - c1 - a[ENTRY(0, 1)] * y0;
        const FilLanes y2 = y[2] - c2 - a[ENTRY(0, 2)] * y0 - a[ENTRY(1, 2)] * y1;
        const FilLanes y3 = y[3] - c3 - a[ENTRY(0, 3)] * y0 - a[ENTRY(1, 3)] * y1 - a[ENTRY(2, 3)] * y2;
#define REACH(row) (a[ENTRY(0, row)] * y0 + a[ENTRY(1, row)] * y1 + a[ENTRY(2, row)] * y2 + a[ENTRY(3, row)] * y3)
        c0 = c4 + REACH(4), c1 = c5 + REACH(5), c2 = c6 + REACH(6);
        c3 = REACH(7), c4 = REACH(8), c5 = REACH(9), c6 = REACH(10);
#undef REACH
        y[0] = y0 * a[ENTRY(0, 0)], y[1] = y1 * a[ENTRY(1, 1)], y[2] = y2 * a[ENTRY(2, 2)], y[3] = y3 * a[ENTRY(3, 3)];
    }
    carry[0] = c0, carry[1] = c1, carry[2] = c2, carry[3] = c3, carry[4] = c4, carry[5] = c5, carry[6] = c6;
}

/* L' x = z for nodes count-1 .. 0 of a group; the seven unknowns beyond are known and stand behind in b. */
static void backward(int count, const FilLanes* restrict columns, FilLanes* restrict b)
{
    const FilLanes* known = b + (size_t)4 * (size_t)count;
    FilLanes x4 = known[0], x5 = known[1], x6 = known[2], x7 = known[3], x8 = known[4], x9 = known[5], x10 = known[6];
    for (int i = count - 1; i >= 0; i--) {
        const FilLanes* restrict a = columns + (size_t)FIL_FOLD_COLUMNS * (size_t)i;
        FilLanes* restrict z = b + (size_t)4 * (size_t)i;
        // the far unknowns first: the near ones are the last to be known
#define BEHIND(j)                                                                                       \
    (z[j] - (a[ENTRY(j, 10)] * x10 + a[ENTRY(j, 9)] * x9 + a[ENTRY(j, 8)] * x8 + a[ENTRY(j, 7)] * x7) - \
     (a[ENTRY(j, 6)] * x6 + a[ENTRY(j, 5)] * x5 + a[ENTRY(j, 4)] * x4))
        const FilLanes x3 = BEHIND(3);
        const FilLanes x2 = BEHIND(2) - a[ENTRY(2, 3)] * x3;
        const FilLanes x1 = BEHIND(1) - a[ENTRY(1, 3)] * x3 - a[ENTRY(1, 2)] * x2;
        const FilLanes x0 = BEHIND(0) - a[ENTRY(0, 3)] * x3 - a[ENTRY(0, 2)] * x2 - a[ENTRY(0, 1)] * x1;
#undef BEHIND
        z[0] = x0, z[1] = x1, z[2] = x2, z[3] = x3;
        x10 = x6, x9 = x5, x8 = x4, x7 = x3, x6 = x2, x5 = x1, x4 = x0;
    }
}

/* ---- the border of a closed chain ---- */

/* Moves the border's columns out of one half of the matrix: its own 7 x 7 part is added to `dense`, its coupling to the
 * half's inner unknowns to the first rows of the spike, and the border unknowns become decoupled unit pivots. */
static void detach_border(FilFold* fold, int half)
{
    const size_t n = (size_t)fold->half_nodes;
    const int first = fold->border_node[half];
    const int* place = border_of[half];
    double* dense = fold->dense;
    for (int j = 0; j < 7; j++) {  // border unknown j of this half: column j % 4 of node first + j / 4
        const int node = first + j / 4, column = j % 4;
        for (int row = column; row < FIL_FOLD_JOINT; row++) {
            const size_t k = (size_t)FIL_FOLD_COLUMNS * (size_t)node + (size_t)fil_fold_entry(column, row);
            double* entry = fil_lane_at(fold->columns, n * FIL_FOLD_COLUMNS, half, k);
            const int other = 4 * (j / 4) + row;  // counted from the border's first unknown
            const double sign = sign_of(half, j);
            if (other < 7) {
                const int r = FIL_FOLD_JOINT + place[j], s = FIL_FOLD_JOINT + place[other];
                dense[FIL_FOLD_DENSE * (r > s ? r : s) + (r > s ? s : r)] += sign * sign_of(half, other) * *entry;
            } else {
                const size_t at = 28 * (size_t)(first + other / 4) + 7 * (size_t)(other % 4) + (size_t)place[j];
                *fil_lane_at(fold->spike, n * 28, half, at) = sign * *entry;
            }
            *entry = row == column ? 1.0 : 0.0;
        }
    }
}

/* Nodes from a half's border on that the border couples to: seven unknowns reach ten further, and the border itself is two nodes. */
enum { SPIKE_HEAD = 4 };

/* Carries `width` border columns from `first` on through the elimination: spike <- L^-1 spike, node by node; what
 * reaches the joint goes to `carry`. The spike begins as zero from node `head` on, and is not read there. */
static inline __attribute__((always_inline)) void carry_columns(int count, const FilLanes* restrict columns, FilLanes* restrict spike,
                                                                FilLanes* restrict carry, const int head, const int first, const int width)
{
    const FilLanes zero = fil_lanes_splat(0.0);
    FilLanes c[7][4];
    for (int k = 0; k < 7; k++) {
        for (int q = 0; q < width; q++) {
            c[k][q] = fil_lanes_splat(0.0);
        }
    }
    for (int i = 0; i < count; i++) {
        const FilLanes* restrict a = columns + (size_t)FIL_FOLD_COLUMNS * (size_t)i;
        FilLanes* restrict y = spike + (size_t)28 * (size_t)i + first;
#pragma GCC unroll 4
        for (int q = 0; q < width; q++) {
            const bool begins = i < head;
            const FilLanes y0 = (begins ? y[q] : zero) - c[0][q];
            const FilLanes y1 = (begins ? y[7 + q] : zero) - c[1][q] - a[ENTRY(0, 1)] * y0;
            const FilLanes y2 = (begins ? y[14 + q] : zero) - c[2][q] - a[ENTRY(0, 2)] * y0 - a[ENTRY(1, 2)] * y1;
            const FilLanes y3 = (begins ? y[21 + q] : zero) - c[3][q] - a[ENTRY(0, 3)] * y0 - a[ENTRY(1, 3)] * y1 - a[ENTRY(2, 3)] * y2;
            y[q] = y0, y[7 + q] = y1, y[14 + q] = y2, y[21 + q] = y3;
        }
#pragma GCC unroll 7
        for (int k = 0; k < 7; k++) {
            const FilLanes l0 = a[ENTRY(0, k + 4)], l1 = a[ENTRY(1, k + 4)], l2 = a[ENTRY(2, k + 4)], l3 = a[ENTRY(3, k + 4)];
#pragma GCC unroll 4
            for (int q = 0; q < width; q++) {
                const FilLanes reach = l0 * y[q] + l1 * y[7 + q] + l2 * y[14 + q] + l3 * y[21 + q];
                c[k][q] = k < 3 ? c[k + 4][q] + reach : reach;
            }
        }
    }
    for (int k = 0; k < 7; k++) {
        for (int q = 0; q < width; q++) {
            carry[7 * k + first + q] = c[k][q];
        }
    }
}

static void carry_spike(int count, int head, const FilLanes* restrict columns, FilLanes* restrict spike, FilLanes* restrict carry)
{
    carry_columns(count, columns, spike, carry, head, 0, 4);
    carry_columns(count, columns, spike, carry, head, 4, 3);
}

/* Zeroes what is read of a spike before it is written: its head and, for short chains, its rows in the joint. */
static int clear_spike(FilFold* fold)
{
    const int n = fold->half_nodes, last = fold->border_node[0] > fold->border_node[1] ? fold->border_node[0] : fold->border_node[1];
    const int head = last + SPIKE_HEAD < n ? last + SPIKE_HEAD : n, joint = n - 2 > head ? n - 2 : head;
    for (int g = 0; g < FIL_LANE_GROUPS; g++) {
        FilLanes* spike = fold->spike + (size_t)28 * (size_t)n * (size_t)g;
        memset(spike, 0, (size_t)28 * (size_t)head * sizeof(FilLanes));
        memset(spike + (size_t)28 * (size_t)joint, 0, (size_t)28 * (size_t)(n - joint) * sizeof(FilLanes));
    }
    return head;
}

/* gram (packed lower 7 x 7) = spike' D^-1 spike over all rows of a group. */
static void spike_gram(int count, const FilLanes* restrict columns, const FilLanes* restrict spike, FilLanes* restrict gram)
{
    FilLanes g[28];
    for (int k = 0; k < 28; k++) {
        g[k] = fil_lanes_splat(0.0);
    }
    for (int i = 0; i < count; i++) {
        const FilLanes* restrict a = columns + (size_t)FIL_FOLD_COLUMNS * (size_t)i;
#pragma GCC unroll 4
        for (int r = 0; r < 4; r++) {
            const FilLanes* restrict y = spike + (size_t)28 * (size_t)i + 7 * r;
            const FilLanes inverse = a[ENTRY(r, r)];
#pragma GCC unroll 7
            for (int j = 0; j < 7; j++) {
                const FilLanes w = y[j] * inverse;
#pragma GCC unroll 7
                for (int k = j; k < 7; k++) {
                    g[CARRY(j, k)] += w * y[k];
                }
            }
        }
    }
    memcpy(gram, g, sizeof g);
}

/* ---- the dense middle ---- */

static int dense_size(const FilFold* fold)
{
    return fold->closed ? FIL_FOLD_DENSE : FIL_FOLD_JOINT;
}

static void dense_add(double* dense, int r, int s, double value)
{
    dense[FIL_FOLD_DENSE * (r > s ? r : s) + (r > s ? s : r)] += value;
}

/* Unit-lower L and 1/D in place; false if a pivot is not positive. */
static bool dense_factor(double* a, int n)
{
    for (int j = 0; j < n; j++) {
        const double d = a[FIL_FOLD_DENSE * j + j];
        if (!(d > 0.0)) {
            return false;
        }
        const double inverse = 1.0 / d;
        for (int k = j + 1; k < n; k++) {
            const double l = a[FIL_FOLD_DENSE * k + j] * inverse;
            for (int m = k; m < n; m++) {
                a[FIL_FOLD_DENSE * m + k] -= l * a[FIL_FOLD_DENSE * m + j];
            }
        }
        for (int k = j + 1; k < n; k++) {
            a[FIL_FOLD_DENSE * k + j] *= inverse;
        }
        a[FIL_FOLD_DENSE * j + j] = inverse;
    }
    return true;
}

static void dense_solve(const double* a, int n, double* x)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) {
            x[j] -= a[FIL_FOLD_DENSE * j + k] * x[k];
        }
    }
    for (int j = n - 1; j >= 0; j--) {
        x[j] *= a[FIL_FOLD_DENSE * j + j];
        for (int k = j + 1; k < n; k++) {
            x[j] -= a[FIL_FOLD_DENSE * k + j] * x[k];
        }
    }
}

/* What a half leaves to the joint: its last two nodes minus what elimination carried there. */
static void gather_joint(FilFold* fold, int half, const FilLanes* carry)
{
    const size_t n = (size_t)fold->half_nodes;
    for (int j = 0; j < 7; j++) {
        for (int k = j; k < 7; k++) {
            const size_t node = n - 2 + (size_t)(j / 4);
            const size_t at = FIL_FOLD_COLUMNS * node + (size_t)fil_fold_entry(j % 4, k - 4 * (j / 4));
            const double left = fil_lane_get(fold->columns, n * FIL_FOLD_COLUMNS, half, at) - fil_lane_get(carry, 28, half, (size_t)CARRY(j, k));
            dense_add(fold->dense, joint_of[half][j], joint_of[half][k], sign_of(half, j) * sign_of(half, k) * left);
        }
    }
}

/* What a half's spike leaves to the border and to its coupling with the joint. */
static void gather_border(FilFold* fold, int half, const FilLanes* carry, const FilLanes* gram)
{
    for (int j = 0; j < 7; j++) {
        for (int k = j; k < 7; k++) {
            dense_add(fold->dense, FIL_FOLD_JOINT + j, FIL_FOLD_JOINT + k, -fil_lane_get(gram, 28, half, (size_t)CARRY(j, k)));
        }
        for (int k = 0; k < 7; k++) {
            const size_t n = (size_t)fold->half_nodes;
            // rows of the spike that lie in the joint itself (short chains), less what was carried there
            const size_t row = 4 * (n - 2) + (size_t)k;
            const double own = fil_lane_get(fold->spike, n * 28, half, 7 * row + (size_t)j);
            const double left = own - fil_lane_get(carry, 49, half, (size_t)(7 * k + j));
            dense_add(fold->dense, FIL_FOLD_JOINT + j, joint_of[half][k], sign_of(half, k) * left);
        }
    }
}

bool fil_fold_factor(FilFold* fold)
{
    const int n = fold->half_nodes, inner = n - 2;
    memset(fold->dense, 0, sizeof fold->dense);
    for (int j = 0; j < FIL_FOLD_JOINT; j++) {
        for (int k = 0; k <= j; k++) {
            fold->dense[FIL_FOLD_DENSE * j + k] = fold->joint[FIL_FOLD_JOINT * j + k];
        }
    }
    int head = 0;
    if (fold->closed) {
        head = clear_spike(fold);
        detach_border(fold, 0);
        detach_border(fold, 1);
    }
    // both halves towards the middle
    FilLanes carry[28 * FIL_LANE_GROUPS], spike_carry[49 * FIL_LANE_GROUPS], gram[28 * FIL_LANE_GROUPS];
    for (int g = 0; g < FIL_LANE_GROUPS; g++) {
        FilLanes* columns = fold->columns + (size_t)g * (size_t)n * FIL_FOLD_COLUMNS;
        if (!(fil_lanes_smallest(eliminate(inner, columns, carry + 28 * g)) > 0.0)) {
            return false;
        }
        if (fold->closed) {
            FilLanes* spike = fold->spike + (size_t)g * (size_t)n * 28;
            carry_spike(inner, head, columns, spike, spike_carry + 49 * g);
            spike_gram(inner, columns, spike, gram + 28 * g);
        }
    }
    for (int half = 0; half < 2; half++) {
        gather_joint(fold, half, carry);
        if (fold->closed) {
            gather_border(fold, half, spike_carry, gram);
        }
    }
    return dense_factor(fold->dense, dense_size(fold));
}

/* What the eliminated unknowns leave to the border's right-hand side: -spike' z, over one group. */
static void border_gather(const FilFold* fold, int group, const FilLanes* rhs, double* border)
{
    const size_t n = (size_t)fold->half_nodes, inner = n - 2;
    const FilLanes* y = fold->spike + (size_t)group * n * 28;
    const FilLanes* z = rhs + (size_t)group * n * 4;
    FilLanes s[7];
    for (int j = 0; j < 7; j++) {
        s[j] = fil_lanes_splat(0.0);
    }
    for (size_t i = 0; i < 4 * inner; i++) {
        for (int j = 0; j < 7; j++) {
            s[j] += y[7 * i + (size_t)j] * z[i];
        }
    }
    for (int j = 0; j < 7; j++) {
        for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
            border[j] -= ((const double*)&s[j])[lane];
        }
    }
}

/* Inner unknowns feel the border: z <- z - D^-1 spike x_border. */
static void border_apply(const FilFold* fold, int group, const double* border, FilLanes* rhs)
{
    const size_t n = (size_t)fold->half_nodes, inner = n - 2;
    const FilLanes* a = fold->columns + (size_t)group * n * FIL_FOLD_COLUMNS;
    const FilLanes* y = fold->spike + (size_t)group * n * 28;
    FilLanes* z = rhs + (size_t)group * n * 4;
    for (size_t i = 0; i < inner; i++) {
        for (int r = 0; r < 4; r++) {
            const FilLanes* row = y + 28 * i + (size_t)(7 * r);
            FilLanes s = row[0] * border[0];
            for (int j = 1; j < 7; j++) {
                s += row[j] * border[j];
            }
            z[4 * i + (size_t)r] -= s * a[FIL_FOLD_COLUMNS * i + (size_t)ENTRY(r, r)];
        }
    }
}

void fil_fold_solve(FilFold* fold, FilLanes* rhs)
{
    const size_t n = (size_t)fold->half_nodes, inner = n - 2;
    double dense[FIL_FOLD_DENSE] = {0.0};
    double* border = dense + FIL_FOLD_JOINT;
    FilLanes carry[7 * FIL_LANE_GROUPS];
    // border entries move to the dense system
    for (int half = 0; fold->closed && half < 2; half++) {
        for (int j = 0; j < 7; j++) {
            double* at = fil_lane_at(rhs, 4 * n, half, 4 * (size_t)fold->border_node[half] + (size_t)j);
            border[border_of[half][j]] += sign_of(half, j) * *at;
            *at = 0.0;
        }
    }
    for (int g = 0; g < FIL_LANE_GROUPS; g++) {
        forward((int)inner, fold->columns + (size_t)g * n * FIL_FOLD_COLUMNS, rhs + (size_t)g * n * 4, carry + 7 * g);
        if (fold->closed) {
            border_gather(fold, g, rhs, border);
        }
    }
    for (int half = 0; half < 2; half++) {
        for (int j = 0; j < 7; j++) {
            const double own = fil_lane_get(rhs, 4 * n, half, 4 * inner + (size_t)j);
            dense[joint_of[half][j]] += sign_of(half, j) * (own - fil_lane_get(carry, 7, half, (size_t)j));
        }
    }
    dense_solve(fold->dense, dense_size(fold), dense);
    for (int half = 0; half < 2; half++) {
        for (int j = 0; j < 7; j++) {
            *fil_lane_at(rhs, 4 * n, half, 4 * inner + (size_t)j) = sign_of(half, j) * dense[joint_of[half][j]];
        }
    }
    for (int g = 0; g < FIL_LANE_GROUPS; g++) {
        if (fold->closed) {
            border_apply(fold, g, border, rhs);
        }
        backward((int)inner, fold->columns + (size_t)g * n * FIL_FOLD_COLUMNS, rhs + (size_t)g * n * 4);
    }
    for (int half = 0; fold->closed && half < 2; half++) {
        for (int j = 0; j < 7; j++) {
            *fil_lane_at(rhs, 4 * n, half, 4 * (size_t)fold->border_node[half] + (size_t)j) = sign_of(half, j) * border[border_of[half][j]];
        }
    }
}
