#include "linalg/fold.h"

#include <string.h>

#include "base/lane_blocks.h"
#include "linalg/fold_kernels.inc"
#include "linalg/fold_pair.h"

/* Unknowns of the joint seen from each half: half 0 arrives with (x_{c-1}, theta_{c-1}, x_c), half 1 with
 * (x_{c+1}, -theta_c, x_c), where c is the middle node and the joint is (x_{c-1}, theta_{c-1}, x_c, theta_c, x_{c+1}). */
static const int joint_of[2][7] = {{0, 1, 2, 3, 4, 5, 6}, {8, 9, 10, 7, 4, 5, 6}};

/* Unknowns of the border (x_a, theta_a, x_b) seen from each half; half 1 starts at x_b. */
static const int border_of[2][7] = {{0, 1, 2, 3, 4, 5, 6}, {4, 5, 6, 3, 0, 1, 2}};

/* Sign of unknown k of seven in half 1: angles are counted against the direction of travel. */
static inline double sign_of(int half, int k)
{
    return half == 1 && k == 3 ? -1.0 : 1.0;
}

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

/* ---- the border of a closed chain ---- */

/* Moves the border's columns out of one half of the matrix: its own 7 x 7 part is added to `dense`, its coupling to the
 * half's inner unknowns to the first rows of the spike, and the border unknowns become decoupled unit pivots. */
static inline __attribute__((always_inline)) void detach_border(FilFold* fold, const int half)
{
    const size_t n = (size_t)fold->half_nodes;
    const int first = fold->border_node[half];
    const int* place = border_of[half];
    double* dense = fold->dense;
    // border unknown j of this half: column j % 4 of node first + j / 4; unrolled, since what becomes of an entry is a matter of its place
#pragma GCC unroll 7
    for (int j = 0; j < 7; j++) {
        const int node = first + j / 4, column = j % 4;
#pragma GCC unroll 11
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

/* ---- the dense middle ---- */

static int dense_size(const FilFold* fold)
{
    return fold->closed ? FIL_FOLD_DENSE : FIL_FOLD_JOINT;
}

static inline void dense_add(double* dense, int r, int s, double value)
{
    dense[FIL_FOLD_DENSE * (r > s ? r : s) + (r > s ? s : r)] += value;
}

/* Pivots that are eliminated together. Chosen, of 1 to 3: each pass over the rows below them costs as much as what it does. */
enum { PIVOTS = 3 };

/* What a row has in the columns of `count` pivots once those before each are eliminated, and that over the pivots. `l`: of the pivots' own rows. */
static inline __attribute__((always_inline)) void reduce_row(const double* row, const int count, double (*l)[PIVOTS], const double* inverse,
                                                             double* u, double* out)
{
    for (int c = 0; c < count; c++) {
        u[c] = row[c];
        for (int b = 0; b < c; b++) {
            u[c] -= l[c][b] * u[b];
        }
        out[c] = u[c] * inverse[c];
    }
}

/* Eliminates unknowns j to j + count - 1 of n: columns of L and 1/D in place; false if a pivot is not positive. */
static inline __attribute__((always_inline)) bool dense_eliminate(double* a, int n, int j, const int count)
{
    double pivot_l[PIVOTS][PIVOTS], inverse[PIVOTS], u[FIL_FOLD_DENSE][PIVOTS], last[PIVOTS] = {0.0};
    FilDouble2 l[PIVOTS][FIL_FOLD_DENSE];  // of rows k and k + 1
    for (int p = 0; p < count; p++) {
        double *row = a + FIL_FOLD_DENSE * (j + p) + j, own[PIVOTS], pivot = row[p];
        reduce_row(row, p, pivot_l, inverse, own, pivot_l[p]);
        for (int c = 0; c < p; c++) {
            pivot -= pivot_l[p][c] * own[c];
            row[c] = last[c] = pivot_l[p][c];
        }
        if (!(pivot > 0.0)) {
            return false;
        }
        row[p] = inverse[p] = 1.0 / pivot;
    }
    const int below = j + count;
    for (int k = below; k < n; k++) {
        double next[PIVOTS];
        reduce_row(a + FIL_FOLD_DENSE * k + j, count, pivot_l, inverse, u[k], next);
        for (int c = 0; c < count; c++) {  // pairs are put together in registers
            l[c][k - 1] = (FilDouble2){last[c], next[c]};
            last[c] = next[c];
        }
    }
    // rows two by two from the diagonal on; where that is one too many it is the last pivot's column, which is replaced
    for (int m = below; m < n; m++) {
        double* row = a + FIL_FOLD_DENSE * m;
        for (int k = m - 1; k >= below - 1; k -= 2) {
            FilDouble2 left = fil_double2_load(row + k);
            for (int c = 0; c < count; c++) {
                left -= l[c][k] * u[m][c];
            }
            fil_double2_store(row + k, left);
        }
        for (int c = 0; c < count; c++) {
            row[j + c] = l[c][m - 1][1];
        }
    }
    return true;
}

/* Unit-lower L and 1/D in place; false if a pivot is not positive. */
static bool dense_factor(double* a, int n)
{
    bool definite = true;
    int j = 0;
    for (; j + PIVOTS <= n && definite; j += PIVOTS) {
        definite = dense_eliminate(a, n, j, PIVOTS);
    }
    for (; j < n && definite; j++) {
        definite = dense_eliminate(a, n, j, 1);
    }
    return definite;
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
static inline __attribute__((always_inline)) void gather_joint(FilFold* fold, const int half, const FilLanes* carry)
{
    const size_t n = (size_t)fold->half_nodes;
#pragma GCC unroll 7
    for (int j = 0; j < 7; j++) {
#pragma GCC unroll 7
        for (int k = j; k < 7; k++) {
            const size_t node = n - 2 + (size_t)(j / 4);
            const size_t at = FIL_FOLD_COLUMNS * node + (size_t)fil_fold_entry(j % 4, k - 4 * (j / 4));
            const double left = fil_lane_get(fold->columns, n * FIL_FOLD_COLUMNS, half, at) - fil_lane_get(carry, 28, half, (size_t)CARRY(j, k));
            dense_add(fold->dense, joint_of[half][j], joint_of[half][k], sign_of(half, j) * sign_of(half, k) * left);
        }
    }
}

/* What a half's spike leaves to the border and to its coupling with the joint. */
static inline __attribute__((always_inline)) void gather_border(FilFold* fold, const int half, const FilLanes* carry, const FilLanes* gram)
{
#pragma GCC unroll 7
    for (int j = 0; j < 7; j++) {
#pragma GCC unroll 7
        for (int k = j; k < 7; k++) {
            dense_add(fold->dense, FIL_FOLD_JOINT + j, FIL_FOLD_JOINT + k, -fil_lane_get(gram, 28, half, (size_t)CARRY(j, k)));
        }
#pragma GCC unroll 7
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

/* What comes before the loops over all nodes. Returns how many of the first nodes the spike is read at before it is written. */
static int begin_factor(FilFold* fold)
{
    memset(fold->dense, 0, sizeof fold->dense);
    for (int j = 0; j < FIL_FOLD_JOINT; j++) {
        for (int k = 0; k <= j; k++) {
            fold->dense[FIL_FOLD_DENSE * j + k] = fold->joint[FIL_FOLD_JOINT * j + k];
        }
    }
    if (!fold->closed) {
        return 0;
    }
    const int head = clear_spike(fold);
    detach_border(fold, 0);
    detach_border(fold, 1);
    return head;
}

/* What comes after them: the dense middle. */
static bool end_factor(FilFold* fold, const FilFoldCarry* carry)
{
    gather_joint(fold, 0, carry->joint);
    gather_joint(fold, 1, carry->joint);
    if (fold->closed) {
        gather_border(fold, 0, carry->spike, carry->gram);
        gather_border(fold, 1, carry->spike, carry->gram);
    }
    return dense_factor(fold->dense, dense_size(fold));
}

bool fil_fold_factor(FilFold* fold)
{
    const size_t n = (size_t)fold->half_nodes;
    const int head = begin_factor(fold);
    FilFoldCarry carry;
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {  // both halves towards the middle
        FilLanes* spike = fold->closed ? fold->spike + g * n * 28 : NULL;
        const FilLanes smallest = eliminate_all((int)n - 2, head, fold->closed, fold->columns + g * n * FIL_FOLD_COLUMNS, spike, carry.joint + 28 * g,
                                                carry.spike + 49 * g, carry.gram + 28 * g);
        if (!(fil_lanes_smallest(smallest) > 0.0)) {
            return false;
        }
    }
    return end_factor(fold, &carry);
}

/* Moves border entries of a right-hand side to that of the dense middle. */
static void begin_solve(const FilFold* fold, FilLanes* rhs, double* dense)
{
    const size_t n = (size_t)fold->half_nodes;
    memset(dense, 0, sizeof(double) * FIL_FOLD_DENSE);
    for (int half = 0; fold->closed && half < 2; half++) {
        for (int j = 0; j < 7; j++) {
            double* at = fil_lane_at(rhs, 4 * n, half, 4 * (size_t)fold->border_node[half] + (size_t)j);
            dense[FIL_FOLD_JOINT + border_of[half][j]] += sign_of(half, j) * *at;
            *at = 0.0;
        }
    }
}

/* The dense middle, once the halves have been solved forward: its solution goes to the joint's places, and the border's, for all lanes. */
static void solve_middle(const FilFold* fold, FilLanes* rhs, double* dense, const FilFoldReach* reach, FilLanes* border)
{
    const size_t n = (size_t)fold->half_nodes, inner = n - 2;
    for (int half = 0; fold->closed && half < 2; half++) {
        for (int j = 0; j < 7; j++) {
            dense[FIL_FOLD_JOINT + j] -= fil_lane_get(reach->border, 7, half, (size_t)j);
        }
    }
    for (int half = 0; half < 2; half++) {
        for (int j = 0; j < 7; j++) {
            const double own = fil_lane_get(rhs, 4 * n, half, 4 * inner + (size_t)j);
            dense[joint_of[half][j]] += sign_of(half, j) * (own - fil_lane_get(reach->joint, 7, half, (size_t)j));
        }
    }
    dense_solve(fold->dense, dense_size(fold), dense);
    for (int half = 0; half < 2; half++) {
        for (int j = 0; j < 7; j++) {
            *fil_lane_at(rhs, 4 * n, half, 4 * inner + (size_t)j) = sign_of(half, j) * dense[joint_of[half][j]];
        }
    }
    for (int j = 0; j < 7; j++) {
        border[j] = fil_lanes_splat(dense[FIL_FOLD_JOINT + j]);
    }
}

/* The border's solution, to its places. */
static void end_solve(const FilFold* fold, FilLanes* rhs, const FilLanes* border)
{
    const size_t n = (size_t)fold->half_nodes;
    for (int half = 0; fold->closed && half < 2; half++) {
        for (int j = 0; j < 7; j++) {
            double* at = fil_lane_at(rhs, 4 * n, half, 4 * (size_t)fold->border_node[half] + (size_t)j);
            *at = sign_of(half, j) * fil_lanes_get(border[border_of[half][j]], 0);
        }
    }
}

void fil_fold_solve(FilFold* fold, FilLanes* rhs)
{
    const size_t n = (size_t)fold->half_nodes;
    const int inner = (int)n - 2;
    double dense[FIL_FOLD_DENSE];
    FilFoldReach reach;
    FilLanes border[7];
    begin_solve(fold, rhs, dense);
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {
        FilLanes* own = rhs + g * n * 4;
        forward(inner, fold->columns + g * n * FIL_FOLD_COLUMNS, own, reach.joint + 7 * g);
        if (fold->closed) {
            border_gather(inner, fold->spike + g * n * 28, own, reach.border + 7 * g);
        }
    }
    solve_middle(fold, rhs, dense, &reach, border);
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {
        const FilLanes* columns = fold->columns + g * n * FIL_FOLD_COLUMNS;
        if (fold->closed) {
            border_apply(inner, columns, fold->spike + g * n * 28, border, rhs + g * n * 4);
        }
        backward(inner, columns, rhs + g * n * 4);
    }
    end_solve(fold, rhs, border);
}

/* ---- two at once ---- */

#if defined(FIL_LANE_PAIRS)
bool fil_fold_goes_with(const FilFold* a, const FilFold* b)
{
    return a->half_nodes == b->half_nodes && a->closed == b->closed && a->border_node[1] == b->border_node[1];
}

void fil_fold_factor_pair(FilFold* const* folds, bool* definite)
{
    FilFoldCarry carry[2];
    const int head = begin_factor(folds[0]);
    (void)begin_factor(folds[1]);
    fil_fold_eliminate_pair(folds, head, carry, definite);
    for (int k = 0; k < 2; k++) {
        definite[k] = definite[k] && end_factor(folds[k], &carry[k]);
    }
}

void fil_fold_solve_pair(FilFold* const* folds, FilLanes* const* rhs)
{
    double dense[2][FIL_FOLD_DENSE];
    FilFoldReach reach[2];
    FilLanes border[2][7];
    for (int k = 0; k < 2; k++) {
        begin_solve(folds[k], rhs[k], dense[k]);
    }
    fil_fold_forward_pair(folds, rhs, reach);
    for (int k = 0; k < 2; k++) {
        solve_middle(folds[k], rhs[k], dense[k], &reach[k], border[k]);
    }
    fil_fold_backward_pair(folds, rhs, border[0], border[1]);
    for (int k = 0; k < 2; k++) {
        end_solve(folds[k], rhs[k], border[k]);
    }
}
#endif
