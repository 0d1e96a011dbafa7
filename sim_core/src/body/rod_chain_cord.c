/* Untwisted chains (P4 eq. 2): energy, gradient and Hessian from the edges alone, no frames needed.
 *
 * A hinge between edges e and f of directions t and t', c = t . t' = 1 - |t' - t|^2 / 2, holds k |kappa|^2 / 2 =
 * 2 k (1 - c) / (1 + c). With s = 2 / (1 + c) that is 2 k (s - 1); its derivatives in c are -k s^2 and k s^3. Those of
 * c are dc/de = u = (t' - c t) / |e|,   d2c/de2 = -(t u^T + u t^T) / |e| - c (1 - t t^T) / |e|^2, dc/df = w = (t - c
 * t') / |f|,   d2c/dedf = (1 - t' t'^T) / (|e| |f|) - t w^T / |e|. */
#include <string.h>

#include "base/prefetch.h"
#include "base/vec3.h"
#include "base/vector.h"
#include "body/rod_chain.h"

typedef struct CordEdge {
    FilLanes t[3], length, inverse;
} CordEdge;

/* A hinge: its energy, the derivatives of that in c, and those of c. */
typedef struct CordBend {
    FilLanes energy, first, second;
    FilLanes c, u[3], w[3];
} CordBend;

/* Second derivatives of an edge vector. */
typedef struct CordLink {
    FilLanes d[6]; /* xx xy xz yy yz zz */
    FilLanes o[9]; /* with the next edge vector, row-major */
} CordLink;

/* The Hessian's columns of a node: with itself (xx xy xz yy yz zz), with the next node and the one after (by columns);
 * of the angle, which is alone. */
typedef struct CordColumns {
    FilLanes own[6], next[9], after[9], angle;
} CordColumns;

static const int sym[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};

static inline __attribute__((always_inline)) CordEdge edge_between(const FilLanes* a, const FilLanes* b)
{
    const FilLanes e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    CordEdge edge;
    edge.length = fil_lanes_sqrt(dot2(e, e));
    edge.inverse = 1.0 / edge.length;
    for (int k = 0; k < 3; k++) {
        edge.t[k] = e[k] * edge.inverse;
    }
    return edge;
}

static inline __attribute__((always_inline)) CordBend bend_between(const CordEdge* e, const CordEdge* f, FilLanes stiffness)
{
    const FilLanes turn[3] = {f->t[0] - e->t[0], f->t[1] - e->t[1], f->t[2] - e->t[2]};
    const FilLanes less = 0.5 * dot2(turn, turn), s = 2.0 / (2.0 - less), ks = stiffness * s;
    CordBend bend;
    bend.c = 1.0 - less;
    bend.energy = ks * less;
    bend.first = -ks * s;
    bend.second = -bend.first * s;
    for (int k = 0; k < 3; k++) {
        bend.u[k] = (less * e->t[k] + turn[k]) * e->inverse;
        bend.w[k] = (less * f->t[k] - turn[k]) * f->inverse;
    }
    return bend;
}

static inline CordBend no_bend(void)
{
    CordBend bend;
    memset(&bend, 0, sizeof bend);
    return bend;
}

/* ---- energy and gradient ---- */

/* How far edges are within reach: the smallest length, and the smallest cosine of the turn since the start. */
typedef struct Reach {
    FilLanes length, turn;
} Reach;

/* One sweep over the edges of a group. Returns the energy. */
static FilLanes sweep_cord(FilRodChain* chain, size_t group, Reach* reach)
{
    const size_t n = (size_t)chain->matrix.half_nodes, first = group * n;
    const FilLanes *x = chain->x + 3 * first, *t0 = chain->tangent0 + 3 * first, zero = fil_lanes_splat(0.0);
    FilLanes *g = chain->gradient + 4 * first, energy = zero;
    FilLanes last[3] = {zero, zero, zero}, behind[3] = {zero, zero, zero};
    CordEdge e = edge_between(x, x + 3);
    for (size_t i = 0; i + 1 < n; i++) {
        const FilLanes longer = e.length - chain->natural[first + i], tension = chain->stretch[first + i] * longer;
        FilLanes force[3];
        for (int k = 0; k < 3; k++) {
            force[k] = tension * e.t[k] + behind[k];
        }
        energy += 0.5 * tension * longer;
        reach->length = fil_lanes_min(reach->length, e.length);
        reach->turn = fil_lanes_min(reach->turn, dot2(t0 + 3 * i, e.t));
        if (i + 2 < n) {  // the hinge at the edge's far end, unless that is the middle
            const CordEdge f = edge_between(x + 3 * (i + 1), x + 3 * (i + 2));
            const CordBend ahead = bend_between(&e, &f, chain->law[first + i + 1].k1);
            energy += ahead.energy;
            for (int k = 0; k < 3; k++) {
                force[k] += ahead.first * ahead.u[k];
                behind[k] = ahead.first * ahead.w[k];
            }
            e = f;
        }
        for (size_t k = 0; k < 3; k++) {
            g[4 * i + k] = last[k] - force[k];
            last[k] = force[k];
        }
        g[4 * i + 3] = zero;
    }
    for (size_t k = 0; k < 3; k++) {  // the middle node ends the last edge
        g[4 * (n - 1) + k] = last[k];
    }
    g[4 * (n - 1) + 3] = zero;
    return energy;
}

/* ---- Hessian ---- */

/* Hessian of an edge: its stretch and the hinges behind and ahead,
 * stretch t t^T + round (1 - t t^T) + second u u^T + second w w^T + t y^T + y t^T. */
static inline __attribute__((always_inline)) void edge_hessian(const CordEdge* e, const CordBend* behind, const CordBend* ahead, FilLanes stretch,
                                                               FilLanes tension, FilLanes* d)
{
    const FilLanes round = (tension - (ahead->first * ahead->c + behind->first * behind->c) * e->inverse) * e->inverse;
    FilLanes y[3], z[3], u[3], w[3];
    for (int k = 0; k < 3; k++) {
        y[k] = -(ahead->first * ahead->u[k] + behind->first * behind->w[k]) * e->inverse;
        z[k] = (stretch - round) * e->t[k] + y[k];
        u[k] = ahead->second * ahead->u[k];
        w[k] = behind->second * behind->w[k];
    }
    for (int j = 0, m = 0; j < 3; j++) {
        for (int k = j; k < 3; k++, m++) {
            const FilLanes sum = (z[j] * e->t[k] + e->t[j] * y[k]) + (u[j] * ahead->u[k] + w[j] * behind->w[k]);
            d[m] = j == k ? sum + round : sum;
        }
    }
}

/* Coupling of an edge with the next: second u w^T + first d2c/dedf. */
static inline __attribute__((always_inline)) void couple_edges(const CordEdge* e, const CordEdge* f, const CordBend* bend, FilLanes* o)
{
    const FilLanes over = bend->first * e->inverse, both = over * f->inverse;
    for (int j = 0; j < 3; j++) {
        const FilLanes p = bend->second * bend->u[j] - over * e->t[j], r = both * f->t[j];
        for (int k = 0; k < 3; k++) {
            const FilLanes sum = p * bend->w[k] - r * f->t[k];
            o[3 * j + k] = j == k ? sum + both : sum;
        }
    }
}

/* CordColumns of a node: it ends edge `last`, starts edge `next`; e = x' - x turns edge blocks into differences. */
static inline __attribute__((always_inline)) void find_columns(const CordLink* last, const CordLink* next, const FilLanes* diagonal, double scale,
                                                               CordColumns* out)
{
    for (int j = 0, m = 0; j < 3; j++) {
        for (int k = j; k < 3; k++, m++) {
            const FilLanes own = (last->d[m] + next->d[m]) - (last->o[3 * j + k] + last->o[3 * k + j]);
            out->own[m] = j == k ? own + scale * diagonal[j] : own;
        }
        for (int k = 3 * j; k < 3 * j + 3; k++) {
            out->next[k] = last->o[k] - next->d[sym[k]] + next->o[k];
            out->after[k] = -next->o[k];
        }
    }
    out->angle = scale * diagonal[3];
}

/* Where they stand in the matrix. */
static void store_columns(FilLanes* restrict a, const CordColumns* columns)
{
    for (int k = 0; k < FIL_FOLD_COLUMNS; k++) {
        a[k] = fil_lanes_splat(0.0);
    }
    for (int j = 0, m = 0; j < 3; j++) {
        for (int k = j; k < 3; k++, m++) {
            a[fil_fold_entry(j, k)] = columns->own[m];
        }
        for (int k = 0; k < 3; k++) {
            a[fil_fold_entry(j, 4 + k)] = columns->next[3 * j + k];
            a[fil_fold_entry(j, 8 + k)] = columns->after[3 * j + k];
        }
    }
    a[fil_fold_entry(3, 3)] = columns->angle;
}

static void load_columns(const FilLanes* a, double scale, CordColumns* columns)
{
    for (int j = 0, m = 0; j < 3; j++) {
        for (int k = j; k < 3; k++, m++) {
            columns->own[m] = scale * a[fil_fold_entry(j, k)];
        }
        for (int k = 0; k < 3; k++) {
            columns->next[3 * j + k] = scale * a[fil_fold_entry(j, 4 + k)];
            columns->after[3 * j + k] = scale * a[fil_fold_entry(j, 8 + k)];
        }
    }
    columns->angle = scale * a[fil_fold_entry(3, 3)];
}

/* A walk along a group, node by node. */
typedef struct CordWalk {
    const FilRodChain* chain;
    double scale;        /* of the Hessian */
    bool expects;        /* its tensions, instead of those there are */
    size_t first, place; /* of the group; the next node */
    CordEdge e;          /* that starts there, ... */
    CordBend behind;     /* ... and the hinge */
    CordLink links[2];   /* those before and behind, in turns */
} CordWalk;

static void start_walk(CordWalk* walk, const FilRodChain* chain, double scale, bool expects, size_t group)
{
    memset(walk, 0, sizeof *walk);
    walk->chain = chain;
    walk->scale = scale;
    walk->expects = expects;
    walk->first = group * (size_t)chain->matrix.half_nodes;
    walk->e = edge_between(chain->x + 3 * walk->first, chain->x + 3 * walk->first + 3);
}

/* Tension across the edge at a place. A shifted tangent is wanted definite: it does without the geometric stiffness of edges under pressure. */
static inline __attribute__((always_inline)) FilLanes tension_at(const CordWalk* walk, size_t at)
{
    const FilRodChain* chain = walk->chain;
    const FilLanes stretch = chain->stretch[at], min = fil_lanes_splat(chain->shift > 0.0 ? 0.0 : -INFINITY);
    FilLanes tension = stretch * (walk->e.length - chain->natural[at]);
    if (walk->expects) {
        FilLanes *along = chain->along + 3 * at, *expected = chain->expected + at;
        tension = chain->follows ? stretch * (dot2(along, walk->e.t) * walk->e.length - chain->natural[at]) : *expected;
        *expected = tension;
        for (int k = 0; k < 3; k++) {
            along[k] = walk->e.t[k];
        }
    }
    return walk->scale * -fil_lanes_min(-tension, -min);
}

/* Columns of the next node. */
static inline __attribute__((always_inline)) void walk_on(CordWalk* walk, CordColumns* columns)
{
    const FilRodChain* chain = walk->chain;
    const size_t i = walk->place++, at = walk->first + i, n = (size_t)chain->matrix.half_nodes;
    const FilLanes* x = chain->x + 3 * at;
    const CordLink* last = &walk->links[i % 2];
    CordLink* next = &walk->links[1 - i % 2];
    const FilLanes stretch = walk->scale * chain->stretch[at];
    if (i + 2 < n) {
        const CordEdge f = edge_between(x + 3, x + 6);
        const CordBend ahead = bend_between(&walk->e, &f, walk->scale * chain->law[at + 1].k1);
        couple_edges(&walk->e, &f, &ahead, next->o);
        edge_hessian(&walk->e, &walk->behind, &ahead, stretch, tension_at(walk, at), next->d);
        walk->e = f;
        walk->behind = ahead;
    } else {  // the middle hinge is the joint's, and the middle node only ends the last edge
        const CordBend none = no_bend();
        memset(next, 0, sizeof *next);
        if (i + 1 < n) {
            edge_hessian(&walk->e, &walk->behind, &none, stretch, tension_at(walk, at), next->d);
        }
    }
    find_columns(last, next, chain->diagonal + 4 * at, walk->scale * (1.0 + chain->shift), columns);
}

static double first_lane(FilLanes a)
{
    return fil_lanes_get(a, 0);
}

/* The middle hinge, where the halves meet: its edges, in equal lanes. */
static CordBend middle_bend(const FilRodChain* chain, CordEdge* e, CordEdge* f)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    FilLanes x[9];
    for (size_t k = 0; k < 3; k++) {
        x[k] = fil_lanes_splat(fil_lane_get(chain->x, 3 * n, 0, 3 * (n - 2) + k));
        x[3 + k] = fil_lanes_splat(fil_lane_get(chain->x, 3 * n, 0, 3 * (n - 1) + k));
        x[6 + k] = fil_lanes_splat(fil_lane_get(chain->x, 3 * n, 1, 3 * (n - 2) + k));
    }
    *e = edge_between(x, x + 3);
    *f = edge_between(x + 3, x + 6);
    return bend_between(e, f, fil_lanes_splat(chain->middle_law.k1));
}

/* Shares of the joint's nodes in the edge vectors of the middle. */
static const double in_e[3] = {-1.0, 1.0, 0.0}, in_f[3] = {0.0, -1.0, 1.0};

static double middle_gradient(FilRodChain* chain)
{
    CordEdge e, f;
    const CordBend bend = middle_bend(chain, &e, &f);
    memset(chain->middle_gradient, 0, sizeof chain->middle_gradient);
    for (int k = 0; k < 9; k++) {
        const int node = k / 3, j = k % 3;
        const double slope = in_e[node] * first_lane(bend.u[j]) + in_f[node] * first_lane(bend.w[j]);
        chain->middle_gradient[4 * node + j] = first_lane(bend.first) * slope;
    }
    return first_lane(bend.energy);
}

static void middle_hessian(FilRodChain* chain)
{
    const FilLanes zero = fil_lanes_splat(0.0);
    const CordBend none = no_bend();
    CordEdge e, f;
    CordLink own, next;  // what the hinge adds to either edge
    const CordBend bend = middle_bend(chain, &e, &f);
    edge_hessian(&e, &none, &bend, zero, zero, own.d);
    edge_hessian(&f, &bend, &none, zero, zero, next.d);
    couple_edges(&e, &f, &bend, own.o);
    memset(chain->matrix.joint, 0, sizeof chain->matrix.joint);
    for (int b = 0; b < 9; b++) {  // blocks of the three nodes
        const int r = b / 3, c = b % 3;
        for (int m = 0; m < 9; m++) {
            const int j = m / 3, k = m % 3;
            chain->matrix.joint[FIL_FOLD_JOINT * (4 * r + j) + 4 * c + k] =
                (in_e[r] * in_e[c] * first_lane(own.d[sym[m]]) + in_f[r] * in_f[c] * first_lane(next.d[sym[m]])) +
                (in_e[r] * in_f[c] * first_lane(own.o[m]) + in_f[r] * in_e[c] * first_lane(own.o[3 * k + j]));
        }
    }
}

/* ---- the chain ---- */

bool fil_rod_chain_assemble_untwisted(FilRodChain* chain)
{
    Reach reach = {fil_lanes_splat(INFINITY), fil_lanes_splat(INFINITY)};
    chain->energy = middle_gradient(chain);
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {
        const FilLanes energy = sweep_cord(chain, g, &reach);
        for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
            chain->energy += ((const double*)&energy)[lane];
        }
    }
    // an edge that has turned round in the step, but for 0.0014 rad: parallel transport divides by 1 + cos
    const bool within = fil_lanes_smallest(reach.length) > 0.0 && 1.0 + fil_lanes_smallest(reach.turn) > 1e-6;
    return within && isfinite(chain->energy);
}

void fil_rod_chain_fill(FilRodChain* chain)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    if (!chain->pending) {
        return;
    }
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {
        CordWalk walk;
        start_walk(&walk, chain, 1.0, false, g);
        for (size_t i = 0; i < n; i++) {
            CordColumns columns;
            walk_on(&walk, &columns);
            store_columns(chain->matrix.columns + FIL_FOLD_COLUMNS * (g * n + i), &columns);
        }
    }
    middle_hessian(chain);
    chain->pending = false;
}

void fil_rod_chain_add_diagonal(FilRodChain* chain, double* out)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {
        CordWalk walk;
        start_walk(&walk, chain, 1.0, false, g);
        for (size_t i = 0; i < n; i++) {
            CordColumns columns;
            walk_on(&walk, &columns);
            for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
                const int half = (int)g + lane, node = chain->node_at[half][i], edge = i + 1 < n ? chain->edge_at[half][i] : -1;
                for (int k = 0; k < 3 && node >= 0; k++) {
                    out[4 * node + k] += fil_lanes_get(columns.own[sym[4 * k]], lane);
                }
                if (edge >= 0) {
                    out[4 * edge + 3] += fil_lanes_get(columns.angle, lane);
                }
            }
        }
    }
    middle_hessian(chain);
}

/* ---- blocks ---- */

/* Adds a 3 x 3 block of a lane, given by columns as order says; as the first part that block has, in place of all it
 * held. */
static inline __attribute__((always_inline)) void put_block(double* block, const FilLanes* a, const int* order, int lane, bool first)
{
    for (int c = 0; c < 3; c++) {
        const FilDouble2 two = (FilDouble2){fil_lanes_get(a[order[3 * c]], lane), fil_lanes_get(a[order[3 * c + 1]], lane)};
        const double third = fil_lanes_get(a[order[3 * c + 2]], lane);
        double* to = block + 4 * c;
        fil_double2_store(to, first ? two : fil_double2_load(to) + two);
        fil_double2_store(to + 2, first ? (FilDouble2){third, 0.0} : fil_double2_load(to + 2) + (FilDouble2){third, 0.0});
    }
    if (first) {
        fil_double2_store(block + 12, fil_double2_all(0.0));
        fil_double2_store(block + 14, fil_double2_all(0.0));
    }
}

/* The same where a slot says; `order` is that of a block which is not transposed. */
static inline __attribute__((always_inline)) void put(double* values, int slot, const FilLanes* a, const int* order, const int* transposed, int lane)
{
    double* block = values + (slot & ~15);
    if (slot < 0) {
        return;
    }
    if ((slot & FIL_SLOT_FIRST) != 0) {
        put_block(block, a, (slot & 4) != 0 ? transposed : order, lane, true);
    } else {
        put_block(block, a, (slot & 4) != 0 ? transposed : order, lane, false);
    }
}

static const int by_columns[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, by_rows[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8};

/* What a node of one lane has: slots of its own block and of those with the next two nodes. */
static inline __attribute__((always_inline)) void put_columns(double* values, const int* slots, const CordColumns* columns, int lane)
{
    put(values, slots[0], columns->own, sym, sym, lane);
    put(values, slots[1], columns->next, by_columns, by_rows, lane);
    put(values, slots[2], columns->after, by_columns, by_rows, lane);
}

/* Slots of a place, and places for whose blocks room is asked for in advance: they are more than a cache holds. 2 to 8 take as long. */
enum { PLACE_SLOTS = 3 * FIL_LANE_COUNT, PLACES_AHEAD = 4 };

/* Always inline: a function that does nothing else may be left out as one without effect. */
static inline __attribute__((always_inline)) void look_ahead(const int* slots, const double* values)
{
    for (int k = 0; k < PLACE_SLOTS; k++) {
        const double* block = values + (slots[k] < 0 ? 0 : slots[k] & ~15);
        FIL_PREFETCH_TO_WRITE(block);
        FIL_PREFETCH_TO_WRITE(block + 8);
    }
}

/* The middle hinge, given the slots of its three nodes' blocks. Returns where those end. */
static const int* scatter_middle(const FilRodChain* chain, const int* slots, double scale, double* values)
{
    for (int c = 0; c < 3; c++) {
        for (int r = c; r < 3; r++, slots++) {
            FilLanes a[9];
            for (int k = 0; k < 9; k++) {
                a[k] = fil_lanes_splat(scale * chain->matrix.joint[FIL_FOLD_JOINT * (4 * r + k % 3) + 4 * c + k / 3]);
            }
            put(values, *slots, a, by_columns, by_rows, 0);
        }
    }
    return slots;
}

void fil_rod_chain_expect(FilRodChain* chain, const double* q)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    for (int half = 0; half < 2; half++) {
        for (size_t i = 0; i + 1 < n; i++) {
            const int a = chain->node_at[half][i], b = chain->node_at[half][i + 1];
            const double longer = a >= 0 && b >= 0 ? fil_v3_distance(q + 4 * a, q + 4 * b) - fil_lane_get(chain->natural, n, half, i) : 0.0;
            *fil_lane_at(chain->expected, n, half, i) = fil_lane_get(chain->stretch, n, half, i) * longer;
        }
    }
    chain->expects = true;
}

int fil_rod_chain_scatter_blocks(FilRodChain* chain, const int* slots, double scale, double* values)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    const bool expects = chain->expects && chain->shift > 0.0;
    const int* at = slots;
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {
        CordWalk walk;
        start_walk(&walk, chain, scale, expects, g);
        for (size_t i = 0; i < n; i++, at += PLACE_SLOTS) {
            CordColumns columns;
            if (i + PLACES_AHEAD < n) {
                look_ahead(at + PLACES_AHEAD * PLACE_SLOTS, values);
            }
            if (chain->pending) {
                walk_on(&walk, &columns);
            } else {
                load_columns(chain->matrix.columns + FIL_FOLD_COLUMNS * (g * n + i), scale, &columns);
            }
            put_columns(values, at, &columns, 0);
            if (FIL_LANE_COUNT > 1) {
                put_columns(values, at + 3, &columns, 1);
            }
        }
    }
    if (chain->pending) {
        middle_hessian(chain);
    }
    chain->follows = expects && chain->pending;
    return (int)(scatter_middle(chain, at, scale, values) - slots);
}

void fil_rod_chain_transport_untwisted(const FilRodChain* chain, FilRodHistory* history)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    double t0[3], m0[3];
    for (int half = 0; half < 2; half++) {
        for (size_t i = 0; i + 1 < n; i++) {
            for (size_t k = 0; k < 3 && chain->edge_acts[half][i]; k++) {
                const double a = fil_lane_get(chain->x, 3 * n, half, 3 * i + k), b = fil_lane_get(chain->x, 3 * n, half, 3 * i + 3 + k);
                history[chain->edge_at[half][i]].tangent[k] = fil_rod_half_direction(half) * (b - a);
            }
        }
    }
    for (size_t k = 0; k < 3; k++) {
        t0[k] = fil_lane_get(chain->tangent0, 3 * n, 0, k);
        m0[k] = fil_lane_get(chain->director0, 3 * n, 0, k);
    }
    for (int i = 0; i < chain->edge_count; i++) {
        FilRodHistory* h = &history[i];
        fil_v3_normalise(h->tangent);
        fil_v3_transport(h->director, i > 0 ? h[-1].director : m0, i > 0 ? h[-1].tangent : t0, h->tangent);
        if (i == 0) {  // so that errors do not add up over steps
            fil_v3_axpy(h->director, -fil_v3_dot(h->director, h->tangent), h->tangent);
            fil_v3_normalise(h->director);
            continue;
        }
        h->twist = h->sine = 0.0;
        h->cosine = 1.0;
    }
}
