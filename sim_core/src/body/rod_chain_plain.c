/* Chains in plain order: gradients, matrices and solutions of a folded chain from and to node by node. */
#include <string.h>

#include "body/rod_chain.h"

/* Plain unknowns of the joint, -1 for padding: (x_{c-1}, theta_{c-1}, x_c, theta_c, x_{c+1}). */
static void joint_unknowns(const FilRodChain* chain, int* out)
{
    const int n = chain->matrix.half_nodes;
    const int nodes[3] = {chain->node_at[0][n - 2], chain->middle, chain->node_at[1][n - 2]};
    const int edges[2] = {chain->edge_at[0][n - 2], chain->edge_at[1][n - 2]};
    for (int b = 0; b < 3; b++) {
        for (int k = 0; k < 3; k++) {
            out[4 * b + k] = nodes[b] < 0 ? -1 : 4 * nodes[b] + k;
        }
        if (b < 2) {
            out[4 * b + 3] = edges[b] < 0 ? -1 : 4 * edges[b] + 3;
        }
    }
}

/* Of one half at a place. */
static void add_place_gradient(const FilRodChain* chain, int half, size_t i, double* out)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    const int node = chain->node_at[half][i];
    for (size_t k = 0; k < 3 && node >= 0; k++) {
        out[4 * (size_t)node + k] += fil_lane_get(chain->gradient, 4 * n, half, 4 * i + k);
    }
    if (i + 1 < n && chain->edge_at[half][i] >= 0) {
        out[4 * (size_t)chain->edge_at[half][i] + 3] += fil_rod_half_direction(half) * fil_lane_get(chain->gradient, 4 * n, half, 4 * i + 3);
    }
}

void fil_rod_chain_add_gradient(const FilRodChain* chain, double* out)
{
    const size_t n = (size_t)chain->matrix.half_nodes, regular = (size_t)chain->regular;
    const FilLanes* gradient = chain->gradient;
    for (int half = 0; half < 2; half++) {
        for (size_t i = 0; i < regular; i++) {
            add_place_gradient(chain, half, i, out);
        }
        add_place_gradient(chain, half, n - 1, out);
    }
    for (size_t i = regular; i + 1 < n; i++) {
        double *a = out + 4 * (size_t)chain->node_at[0][i], *b = out + 4 * (size_t)chain->node_at[1][i];
        for (size_t k = 0; k < 3; k++) {
            a[k] += fil_lane_get(gradient, 4 * n, 0, 4 * i + k);
            b[k] += fil_lane_get(gradient, 4 * n, 1, 4 * i + k);
        }
        out[4 * (size_t)chain->edge_at[0][i] + 3] += fil_lane_get(gradient, 4 * n, 0, 4 * i + 3);
        out[4 * (size_t)chain->edge_at[1][i] + 3] -= fil_lane_get(gradient, 4 * n, 1, 4 * i + 3);
    }
    int joint[FIL_FOLD_JOINT];
    joint_unknowns(chain, joint);
    for (int k = 0; k < FIL_FOLD_JOINT; k++) {
        if (joint[k] >= 0) {
            out[joint[k]] += chain->middle_gradient[k];
        }
    }
}

/* Plain unknown of row `row` (0..10) counted from place i of a half, -1 for padding; its sign in that half. */
static int plain_unknown(const FilRodChain* chain, int half, int i, int row, double* sign)
{
    const int place = i + row / 4, n = chain->matrix.half_nodes;
    *sign = row % 4 == 3 ? fil_rod_half_direction(half) : 1.0;
    if (row % 4 == 3) {
        const int edge = place < n - 1 ? chain->edge_at[half][place] : -1;
        return edge < 0 ? -1 : 4 * edge + 3;
    }
    const int node = place < n ? chain->node_at[half][place] : -1;
    return node < 0 ? -1 : 4 * node + row % 4;
}

/* Whether the eleven rows counted from place i of a half are all unknowns: nearly everywhere. */
static bool all_known(const FilRodChain* chain, int half, int i)
{
    const int *node = chain->node_at[half] + i, *edge = chain->edge_at[half] + i;
    return i + 2 < chain->matrix.half_nodes && node[0] >= 0 && node[1] >= 0 && node[2] >= 0 && edge[0] >= 0 && edge[1] >= 0;
}

/* Places before this one are padding that repeats nodes of a closed rod, with nothing but a unit diagonal. */
static int first_place(const FilRodChain* chain, int half)
{
    return half == 1 ? chain->matrix.border_node[1] : 0;
}

void fil_rod_chain_visit(FilRodChain* chain, FilRodVisitor* add, void* context)
{
    const int n = chain->matrix.half_nodes;
    const size_t count = (size_t)n * FIL_FOLD_COLUMNS;
    fil_rod_chain_fill(chain);
    for (int half = 0; half < 2; half++) {
        for (int i = first_place(chain, half); i < n; i++) {
            for (int column = 0; column < 4; column++) {
                for (int row = column; row < FIL_FOLD_JOINT; row++) {
                    double sign_r, sign_c;
                    const int r = plain_unknown(chain, half, i, row, &sign_r);
                    const int c = plain_unknown(chain, half, i, column, &sign_c);
                    if (r >= 0 && c >= 0) {
                        const size_t at = (size_t)FIL_FOLD_COLUMNS * (size_t)i + (size_t)fil_fold_entry(column, row);
                        const double value = sign_r * sign_c * fil_lane_get(chain->matrix.columns, count, half, at);
                        add(context, r > c ? r : c, r > c ? c : r, value);
                    }
                }
            }
        }
    }
    int joint[FIL_FOLD_JOINT];
    joint_unknowns(chain, joint);
    for (int j = 0; j < FIL_FOLD_JOINT; j++) {
        for (int k = 0; k <= j; k++) {
            const int r = joint[j], c = joint[k];
            if (r >= 0 && c >= 0) {
                add(context, r > c ? r : c, r > c ? c : r, chain->matrix.joint[FIL_FOLD_JOINT * j + k]);
            }
        }
    }
}

/* From one number of a half to the next. */
enum { STRIDE = FIL_LANE_COUNT };

/* Nodes ahead of the one that is written, whose blocks are asked for: a few hundred cycles. */
enum { AHEAD = 4 };

/* Where 4 x 4 blocks of a row of nodes stand, by columns: those of a node are its own and those of the next two with it. */
enum { BLOCK = 16, NEXT = BLOCK, SECOND_NEXT = 2 * BLOCK, NODE = 3 * BLOCK };

/* Place of half 0 to the blocks of its node: each entry has one of its own, which no other place adds to. Upper triangles are left out. */
static inline void put_forward(const double* a, double scale, double* blocks)
{
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) {
        double* column = blocks + 4 * c;
#pragma GCC unroll 4
        for (int row = c; row < 4; row++) {
            column[row] = scale * a[STRIDE * fil_fold_entry(c, row)];
        }
#pragma GCC unroll 4
        for (int row = 0; row < 4; row++) {
            column[NEXT + row] = scale * a[STRIDE * fil_fold_entry(c, 4 + row)];
        }
#pragma GCC unroll 4
        for (int row = 0; row < 3; row++) {
            column[SECOND_NEXT + row] = scale * a[STRIDE * fil_fold_entry(c, 8 + row)];
        }
        column[SECOND_NEXT + 3] = 0.0;  // an angle and the node before the last
    }
}

/* The same of half 1, which goes from node i to i - 1 and i - 2, given the blocks of the last of these and the node's own; its angle is that of the
 * edge before, with the other sign. */
static inline void put_backward(const double* a, double scale, double* second, double* own)
{
    double* first = second + NODE;
    const double turned = -scale;
#pragma GCC unroll 4
    for (int c = 0; c < 3; c++) {  // of x_i
#pragma GCC unroll 4
        for (int row = c; row < 3; row++) {
            own[4 * c + row] = scale * a[STRIDE * fil_fold_entry(c, row)];
        }
#pragma GCC unroll 4
        for (int k = 0; k < 3; k++) {
            first[NEXT + 4 * k + c] = scale * a[STRIDE * fil_fold_entry(c, 4 + k)];
            second[SECOND_NEXT + 4 * k + c] = scale * a[STRIDE * fil_fold_entry(c, 8 + k)];
        }
        first[NEXT + 12 + c] = turned * a[STRIDE * fil_fold_entry(c, 3)];
        second[SECOND_NEXT + 12 + c] = turned * a[STRIDE * fil_fold_entry(c, 7)];
    }
#pragma GCC unroll 4
    for (int k = 0; k < 3; k++) {  // of the angle i - 1
        first[4 * k + 3] = turned * a[STRIDE * fil_fold_entry(3, 4 + k)];
        second[NEXT + 4 * k + 3] = turned * a[STRIDE * fil_fold_entry(3, 8 + k)];
        second[SECOND_NEXT + 4 * k + 3] = 0.0;
    }
    first[15] = scale * a[STRIDE * fil_fold_entry(3, 3)];
    second[NEXT + 15] = scale * a[STRIDE * fil_fold_entry(3, 7)];
    second[SECOND_NEXT + 15] = 0.0;
}

#if FIL_LANE_COUNT == 2
/* Numbers of half 0, and of half 1, of two entries. */
static inline void store_forward(double* to, FilLanes a, FilLanes b)
{
    fil_double2_store(to, fil_double2_firsts(a, b));
}

static inline void store_backward(double* to, FilLanes a, FilLanes b)
{
    fil_double2_store(to, fil_double2_seconds(a, b));
}
#endif

/* Both at once: a place of half 0 given its node's blocks, and that of half 1. */
static inline void put_both(const double* a, double scale, double* blocks, double* second, double* own)
{
#if FIL_LANE_COUNT == 2
    FilLanes e[FIL_FOLD_COLUMNS];
    double* first = second + NODE;
    const FilLanes same = {scale, scale}, turned = {scale, -scale}, zero = {0.0, 0.0};  // angles change sign in half 1
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) {
#pragma GCC unroll 16
        for (int row = c; row < FIL_FOLD_JOINT; row++) {
            const int at = fil_fold_entry(c, row);
            e[at] = ((row % 4 == 3) != (c == 3) ? turned : same) * fil_lanes_load(a + STRIDE * at);
        }
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) {  // half 0, by columns
        const FilLanes* column = e + fil_fold_entry(c, c) - c;
        double* to = blocks + 4 * c;
        if (c % 2 == 1) {
            to[c] = column[c][0];
        }
#pragma GCC unroll 2
        for (int row = c + c % 2; row < 4; row += 2) {
            store_forward(to + row, column[row], column[row + 1]);
        }
        store_forward(to + NEXT, column[4], column[5]);
        store_forward(to + NEXT + 2, column[6], column[7]);
        store_forward(to + SECOND_NEXT, column[8], column[9]);
        store_forward(to + SECOND_NEXT + 2, column[10], zero);  // an angle and the node before the last
    }
    // half 1, by rows of x_i
    store_backward(own, e[fil_fold_entry(0, 0)], e[fil_fold_entry(0, 1)]);
    own[2] = e[fil_fold_entry(0, 2)][1];
    store_backward(own + 5, e[fil_fold_entry(1, 1)], e[fil_fold_entry(1, 2)]);
    own[10] = e[fil_fold_entry(2, 2)][1];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        // of x_{i-1} and x_{i-2}, then of their angles, whose rows come before them here
        const int near = k < 3 ? 4 + k : 3, far = k < 3 ? 8 + k : 7;
        store_backward(first + NEXT + 4 * k, e[fil_fold_entry(0, near)], e[fil_fold_entry(1, near)]);
        first[NEXT + 4 * k + 2] = e[fil_fold_entry(2, near)][1];
        store_backward(second + SECOND_NEXT + 4 * k, e[fil_fold_entry(0, far)], e[fil_fold_entry(1, far)]);
        store_backward(second + SECOND_NEXT + 4 * k + 2, e[fil_fold_entry(2, far)], zero);
        first[4 * k + 3] = e[fil_fold_entry(3, near)][1];
        second[NEXT + 4 * k + 3] = e[fil_fold_entry(3, far)][1];
    }
#else
    (void)a, (void)scale, (void)blocks, (void)second, (void)own;
#endif
}

/* Asks for the blocks of nodes that will be written some places later: more of them than a cache holds have been written since the last step. */
static inline void ask_for(const double* blocks)
{
    enum { LINE = 8 }; /* numbers */
    for (int k = 0; k < NODE; k += LINE) {
        __builtin_prefetch(blocks + k, 1);
    }
}

/* Adds the entries of a place, given their slots; returns the number of these. */
static int scatter_place(const FilRodChain* chain, int half, int i, const int* slots, const double* factor, double* values)
{
    const size_t count = (size_t)chain->matrix.half_nodes * FIL_FOLD_COLUMNS, first = (size_t)FIL_FOLD_COLUMNS * (size_t)i;
    bool known[FIL_FOLD_JOINT];
    double sign;
    int k = 0;
    for (int row = 0; row < FIL_FOLD_JOINT; row++) {
        known[row] = plain_unknown(chain, half, i, row, &sign) >= 0;
    }
    for (int column = 0, at = 0; column < 4; column++) {
        for (int row = column; row < FIL_FOLD_JOINT; row++, at++) {
            if (known[row] && known[column]) {
                values[slots[k++]] += factor[at] * fil_lane_get(chain->matrix.columns, count, half, first + (size_t)at);
            }
        }
    }
    return k;
}

/* Blocks of a node: its own and those of the next two with it, of which the last two nodes have one and none. */
static double* blocks_of(const FilRodChain* chain, int node, double* first)
{
    return first + (size_t)NODE * (size_t)node - (node + 1 == chain->node_count ? BLOCK : 0);
}

/* All entries; `blocks`: of the chain's first node, where a chain has all to itself, or NULL. */
static int scatter_all(FilRodChain* chain, const int* slots, double scale, double* values, double* blocks)
{
    const int n = chain->matrix.half_nodes;
    const size_t count = (size_t)n * FIL_FOLD_COLUMNS;
    int k = 0;
    for (int half = 0; half < 2; half++) {
        double factor[FIL_FOLD_COLUMNS];  // angles change sign in half 1
        for (int column = 0, at = 0; column < 4; column++) {
            for (int row = column; row < FIL_FOLD_JOINT; row++, at++) {
                factor[at] = (row % 4 == 3) != (column % 4 == 3) ? scale * fil_rod_half_direction(half) : scale;
            }
        }
        const double* columns = (const double*)chain->matrix.columns + fil_lane_index(count, half, 0);
        for (int i = first_place(chain, half); i < n; i++) {
            const double* column = columns + (size_t)(STRIDE * FIL_FOLD_COLUMNS) * (size_t)i;
            const int node = chain->node_at[half][i], *slot = slots + k;
            if (!all_known(chain, half, i)) {
                k += scatter_place(chain, half, i, slot, factor, values);
                continue;
            }
            k += FIL_FOLD_COLUMNS;
            if (blocks == NULL) {
                for (int at = 0; at < FIL_FOLD_COLUMNS; at++) {
                    values[slot[at]] += factor[at] * column[STRIDE * at];
                }
            } else if (FIL_LANE_COUNT == 2 && all_known(chain, 1 - half, i)) {
                if (half == 0) {
                    const int other = chain->node_at[1][i];
                    ask_for(blocks + (size_t)NODE * (size_t)(node + AHEAD));
                    ask_for(blocks + (size_t)NODE * (size_t)(other > AHEAD + 2 ? other - AHEAD - 2 : 0));
                    put_both(column, scale, blocks + (size_t)NODE * (size_t)node, blocks + (size_t)NODE * (size_t)(other - 2),
                             blocks_of(chain, other, blocks));
                }
            } else if (half == 0) {
                put_forward(column, scale, blocks + (size_t)NODE * (size_t)node);
            } else {
                put_backward(column, scale, blocks + (size_t)NODE * (size_t)(node - 2), blocks_of(chain, node, blocks));
            }
        }
    }
    int joint[FIL_FOLD_JOINT];
    joint_unknowns(chain, joint);
    for (int j = 0; j < FIL_FOLD_JOINT; j++) {
        for (int m = 0; m <= j; m++) {
            if (joint[j] >= 0 && joint[m] >= 0) {
                values[slots[k++]] += scale * chain->matrix.joint[FIL_FOLD_JOINT * j + m];
            }
        }
    }
    return k;
}

int fil_rod_chain_scatter(FilRodChain* chain, const int* slots, double scale, double* values)
{
    fil_rod_chain_fill(chain);
    return scatter_all(chain, slots, scale, values, NULL);
}

void fil_rod_chain_put(FilRodChain* chain, const int* slots, double scale, double* values, int first_block)
{
    enum { FEW = 8 }; /* nodes: halves of fewer are hardly anything but their middle */
    double* blocks = values + (size_t)BLOCK * (size_t)first_block;
    const int n = chain->node_count, middle = chain->middle;
    fil_rod_chain_fill(chain);
    if (n < FEW) {
        memset(blocks, 0, sizeof(double) * BLOCK * (size_t)(3 * n - 3));
    } else {
        // around the middle, where the halves and the joint add up, and the last angle, which is none
        memset(blocks_of(chain, middle - 1, blocks), 0, 3 * sizeof(double) * NODE);
        memset(blocks_of(chain, n - 2, blocks), 0, 3 * sizeof(double) * BLOCK);
    }
    (void)scatter_all(chain, slots, scale, values, blocks);
}

/* Position of a node against that of another: the entry (1, 0) of their block. */
static void visit_block(FilRodVisitor* add, void* context, int row_node, int column_node)
{
    const bool exists = row_node >= 0 && column_node >= 0;
    add(context, exists ? 4 * row_node + 1 : -1, exists ? 4 * column_node : -1, 0.0);
}

void fil_rod_chain_visit_blocks(const FilRodChain* chain, FilRodVisitor* add, void* context)
{
    const int n = chain->matrix.half_nodes;
    for (int k = 0; k < 2 * n; k++) {  // both halves of a place in a group's lanes
        const int i = k / FIL_LANE_COUNT % n, half = FIL_LANE_COUNT == 2 ? k % 2 : k / n;
        const int *node = chain->node_at[half] + i, own = i < first_place(chain, half) ? -1 : node[0];
        visit_block(add, context, own, own);
        visit_block(add, context, i + 1 < n ? node[1] : -1, own);
        visit_block(add, context, i + 2 < n ? node[2] : -1, own);
    }
    const int joint[3] = {chain->node_at[0][n - 2], chain->middle, chain->node_at[1][n - 2]};
    for (int c = 0; c < 3; c++) {
        for (int r = c; r < 3; r++) {
            visit_block(add, context, joint[r], joint[c]);
        }
    }
}

void fil_rod_chain_diagonal(FilRodChain* chain, double* out)
{
    const int n = chain->matrix.half_nodes;
    const size_t count = (size_t)n * FIL_FOLD_COLUMNS;
    memset(out, 0, sizeof(double) * 4 * (size_t)chain->node_count);
    if (chain->pending) {
        fil_rod_chain_add_diagonal(chain, out);
    }
    for (int half = 0; half < 2 && !chain->pending; half++) {
        const double* columns = (const double*)chain->matrix.columns + fil_lane_index(count, half, 0);
        for (int i = first_place(chain, half); i < n; i++) {
            const double* column = columns + (size_t)(FIL_LANE_COUNT * FIL_FOLD_COLUMNS) * (size_t)i;
            const int node = chain->node_at[half][i], edge = i + 1 < n ? chain->edge_at[half][i] : -1;
            for (int k = 0; k < 3 && node >= 0; k++) {
                out[4 * (size_t)node + (size_t)k] += column[FIL_LANE_COUNT * fil_fold_entry(k, k)];
            }
            if (edge >= 0) {
                out[4 * (size_t)edge + 3] += column[FIL_LANE_COUNT * fil_fold_entry(3, 3)];
            }
        }
    }
    int joint[FIL_FOLD_JOINT];
    joint_unknowns(chain, joint);
    for (int j = 0; j < FIL_FOLD_JOINT; j++) {
        if (joint[j] >= 0) {
            out[joint[j]] += chain->matrix.joint[FIL_FOLD_JOINT * j + j];
        }
    }
}

bool fil_rod_chain_factor(FilRodChain* chain)
{
    fil_rod_chain_fill(chain);
    return fil_fold_factor(&chain->matrix);
}

/* A right-hand side from plain order to halves. */
static void fold_rhs(FilRodChain* chain, const double* rhs)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    FilLanes* b = chain->matrix.rhs;
    for (int half = 0; half < 2; half++) {
        const double sign = fil_rod_half_direction(half);
        for (size_t i = 0; i < n; i++) {
            const int node = chain->node_at[half][i];
            const bool copy = half == 1 && (i == n - 1 || (chain->closed && (int)i <= chain->matrix.border_node[1] + 1));
            for (size_t k = 0; k < 3; k++) {
                *fil_lane_at(b, 4 * n, half, 4 * i + k) = node < 0 || copy ? 0.0 : rhs[4 * (size_t)node + k];
            }
            const bool acts = i + 1 < n && chain->edge_acts[half][i];
            *fil_lane_at(b, 4 * n, half, 4 * i + 3) = acts ? sign * rhs[4 * chain->edge_at[half][i] + 3] : 0.0;
        }
    }
}

/* A solution back to plain order. */
static void unfold_solution(const FilRodChain* chain, double* rhs)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    const FilLanes* b = chain->matrix.rhs;
    for (int half = 0; half < 2; half++) {
        const double sign = fil_rod_half_direction(half);
        for (size_t i = (size_t)first_place(chain, half); i < n; i++) {
            const int node = chain->node_at[half][i];
            for (size_t k = 0; k < 3 && node >= 0; k++) {
                rhs[4 * (size_t)node + k] = fil_lane_get(b, 4 * n, half, 4 * i + k);
            }
            if (i + 1 < n && chain->edge_at[half][i] >= 0) {
                rhs[4 * chain->edge_at[half][i] + 3] = sign * fil_lane_get(b, 4 * n, half, 4 * i + 3);
            }
        }
    }
}

void fil_rod_chain_solve(FilRodChain* chain, double* rhs)
{
    fold_rhs(chain, rhs);
    fil_fold_solve(&chain->matrix, chain->matrix.rhs);
    unfold_solution(chain, rhs);
}

#if defined(FIL_LANE_PAIRS)
void fil_rod_chain_factor_pair(FilRodChain* const* chains, bool* definite)
{
    FilFold* const folds[2] = {&chains[0]->matrix, &chains[1]->matrix};
    fil_fold_factor_pair(folds, definite);
}

void fil_rod_chain_solve_pair(FilRodChain* const* chains, double* const* rhs)
{
    FilFold* const folds[2] = {&chains[0]->matrix, &chains[1]->matrix};
    FilLanes* const halves[2] = {folds[0]->rhs, folds[1]->rhs};
    fold_rhs(chains[0], rhs[0]);
    fold_rhs(chains[1], rhs[1]);
    fil_fold_solve_pair(folds, halves);
    unfold_solution(chains[0], rhs[0]);
    unfold_solution(chains[1], rhs[1]);
}
#endif
