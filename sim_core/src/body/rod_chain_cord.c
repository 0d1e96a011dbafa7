/* Untwisted chains (P4 eq. 2): energy, gradient and Hessian from the edges alone, no frames needed.
 *
 * A hinge between edges e and f of directions t and t', c = t . t' = 1 - |t' - t|^2 / 2, holds k |kappa|^2 / 2 = 2 k (1 - c) / (1 + c).
 * With s = 2 / (1 + c) that is 2 k (s - 1); its derivatives in c are -k s^2 and k s^3. Those of c are
 *     dc/de = u = (t' - c t) / |e|,   d2c/de2 = -(t u^T + u t^T) / |e| - c (1 - t t^T) / |e|^2,
 *     dc/df = w = (t - c t') / |f|,   d2c/dedf = (1 - t' t'^T) / (|e| |f|) - t w^T / |e|. */
#include <string.h>

#include "body/rod_chain.h"

typedef struct Edge {
    FilLanes t[3], length, inverse;
} Edge;

/* A hinge: its energy, the derivatives of that in c, and those of c. */
typedef struct Bend {
    FilLanes energy, first, second;
    FilLanes c, u[3], w[3];
} Bend;

/* What node i hands to node i + 1: the edge between them and the hinge at i + 1. */
typedef struct Link {
    FilLanes force[3]; /* gradient of the edge vector */
    FilLanes d[6];     /* its Hessian, xx xy xz yy yz zz */
    FilLanes o[9];     /* its coupling with the next edge vector, row-major */
} Link;

static inline __attribute__((always_inline)) Edge edge_between(const FilLanes* a, const FilLanes* b)
{
    const FilLanes e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    Edge edge;
    edge.length = fil_lanes_sqrt(dot2(e, e));
    edge.inverse = 1.0 / edge.length;
    for (int k = 0; k < 3; k++) {
        edge.t[k] = e[k] * edge.inverse;
    }
    return edge;
}

static inline __attribute__((always_inline)) Bend bend_between(const Edge* e, const Edge* f, FilLanes stiffness)
{
    const FilLanes turn[3] = {f->t[0] - e->t[0], f->t[1] - e->t[1], f->t[2] - e->t[2]};
    const FilLanes less = 0.5 * dot2(turn, turn), s = 2.0 / (2.0 - less), ks = stiffness * s;
    Bend bend;
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

/* Hessian of the edge e from a hinge at its end, of bend u; of a hinge at its start w takes the place of u:
 * second u u^T + first d2c/de2 = second u u^T + round (1 - t t^T) + t y^T + y t^T, y = -first u / |e|. */
static inline FilLanes roundness(const Bend* bend, const Edge* e)
{
    return -bend->first * bend->c * e->inverse * e->inverse;
}

/* Gradient and Hessian of an edge: its stretch and the hinges behind and ahead. What a tension below `least` takes from the
 * stiffness across the edge is left out. */
static inline __attribute__((always_inline)) void finish_edge(const Edge* e, const Bend* behind, const Bend* ahead, FilLanes stretch,
                                                              FilLanes natural, FilLanes least, bool hessian, Link* link)
{
    const FilLanes tension = stretch * (e->length - natural);
    FilLanes across[3];
    for (int k = 0; k < 3; k++) {
        across[k] = ahead->first * ahead->u[k] + behind->first * behind->w[k];
        link->force[k] = tension * e->t[k] + across[k];
    }
    if (!hessian) {
        return;
    }
    const FilLanes round = -fil_lanes_min(-tension, -least) * e->inverse + roundness(ahead, e) + roundness(behind, e);
    FilLanes y[3], z[3], u[3], w[3];
    for (int k = 0; k < 3; k++) {
        y[k] = -across[k] * e->inverse;
        z[k] = (stretch - round) * e->t[k] + y[k];
        u[k] = ahead->second * ahead->u[k];
        w[k] = behind->second * behind->w[k];
    }
    for (int j = 0, m = 0; j < 3; j++) {
        for (int k = j; k < 3; k++, m++) {
            const FilLanes sum = (z[j] * e->t[k] + e->t[j] * y[k]) + (u[j] * ahead->u[k] + w[j] * behind->w[k]);
            link->d[m] = j == k ? sum + round : sum;
        }
    }
}

/* Coupling of an edge with the next: second u w^T + first d2c/dedf. */
static inline __attribute__((always_inline)) void couple(const Edge* e, const Edge* f, const Bend* bend, FilLanes* o)
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

/* Columns of a node: it ends edge `last`, starts edge `next`; e = x' - x turns edge blocks into differences. Angles are alone. */
static inline __attribute__((always_inline)) void write_columns(FilLanes* restrict a, const FilLanes* diagonal, double scale,
                                                                const Link* last, const Link* next)
{
    static const int sym[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    const FilLanes zero = fil_lanes_splat(0.0);
    int at = 0;
    for (int j = 0; j < 3; j++) {
        for (int k = j; k < 3; k++) {
            const FilLanes own = (last->d[sym[3 * j + k]] + next->d[sym[3 * j + k]]) - (last->o[3 * j + k] + last->o[3 * k + j]);
            a[at++] = j == k ? own + scale * diagonal[j] : own;
        }
        a[at++] = zero;
        for (int k = 0; k < 3; k++) {
            a[at++] = last->o[3 * j + k] - next->d[sym[3 * j + k]] + next->o[3 * j + k];
        }
        a[at++] = zero;
        for (int k = 0; k < 3; k++) {
            a[at++] = -next->o[3 * j + k];
        }
    }
    a[at++] = scale * diagonal[3];
    while (at < FIL_FOLD_COLUMNS) {
        a[at++] = zero;
    }
}

/* The middle node ends the last edge. */
static void write_middle(FilLanes* restrict a, const FilLanes* diagonal, double scale, const Link* last)
{
    for (int k = 0; k < FIL_FOLD_COLUMNS; k++) {
        a[k] = fil_lanes_splat(0.0);
    }
    for (int j = 0, m = 0; j < 3; j++) {
        for (int k = j; k < 3; k++, m++) {
            a[fil_fold_entry(j, k)] = j == k ? last->d[m] + scale * diagonal[j] : last->d[m];
        }
    }
}

/* How far a group of edges is within reach: the smallest length, and the smallest cosine of the turn since the start. */
typedef struct Reach {
    FilLanes length, turn;
} Reach;

/* One sweep over the edges of a group. A shifted tangent is wanted definite: it does without the geometric stiffness of edges
 * under pressure. Returns the energy. */
static inline __attribute__((always_inline)) FilLanes sweep(FilRodChain* chain, size_t group, double shift, bool hessian, Reach* reach)
{
    const double scale = 1.0 + shift;
    const FilLanes least = fil_lanes_splat(shift > 0.0 ? 0.0 : -INFINITY), zero = fil_lanes_splat(0.0);
    const size_t n = (size_t)chain->matrix.half_nodes, first = group * n;
    const FilLanes *x = chain->x + 3 * first, *t0 = chain->tangent0 + 3 * first, *diagonal = chain->diagonal + 4 * first;
    FilLanes *columns = chain->matrix.columns + FIL_FOLD_COLUMNS * first, *g = chain->gradient + 4 * first;
    Bend behind, ahead;
    Link links[2], *last = &links[0], *next = &links[1];
    memset(&behind, 0, sizeof behind);
    memset(links, 0, sizeof links);
    FilLanes energy = zero;
    Edge e = edge_between(x, x + 3), f = e;
    for (size_t i = 0; i + 1 < n; i++) {
        const FilLanes stretch = chain->stretch[first + i], natural = chain->natural[first + i];
        if (i + 2 < n) { // the hinge at the edge's far end, unless that is the middle
            f = edge_between(x + 3 * (i + 1), x + 3 * (i + 2));
            ahead = bend_between(&e, &f, chain->law[first + i + 1].k1);
            energy += ahead.energy;
            if (hessian) {
                couple(&e, &f, &ahead, next->o);
            }
        } else {
            memset(&ahead, 0, sizeof ahead);
            memset(next->o, 0, sizeof next->o);
        }
        finish_edge(&e, &behind, &ahead, stretch, natural, least, hessian, next);
        energy += 0.5 * stretch * (e.length - natural) * (e.length - natural);
        reach->length = fil_lanes_min(reach->length, e.length);
        reach->turn = fil_lanes_min(reach->turn, dot2(t0 + 3 * i, e.t));
        for (size_t k = 0; k < 3; k++) {
            g[4 * i + k] = last->force[k] - next->force[k];
        }
        g[4 * i + 3] = zero;
        if (hessian) {
            write_columns(columns + FIL_FOLD_COLUMNS * i, diagonal + 4 * i, scale, last, next);
        }
        Link* spare = last;
        last = next;
        next = spare;
        behind = ahead;
        e = f;
    }
    for (size_t k = 0; k < 3; k++) {
        g[4 * (n - 1) + k] = last->force[k];
    }
    g[4 * (n - 1) + 3] = zero;
    if (hessian) {
        write_middle(columns + FIL_FOLD_COLUMNS * (n - 1), diagonal + 4 * (n - 1), scale, last);
    }
    return energy;
}

static FilLanes sweep_gradient(FilRodChain* chain, size_t group, Reach* reach)
{
    return sweep(chain, group, 0.0, false, reach);
}

static FilLanes sweep_hessian(FilRodChain* chain, size_t group, double shift, Reach* reach)
{
    return sweep(chain, group, shift, true, reach);
}

static double first_lane(FilLanes a)
{
    return ((const double*)&a)[0];
}

/* The middle hinge, where the halves meet: as one of two equal lanes. Returns its energy. */
static double assemble_middle(FilRodChain* chain)
{
    enum { J = FIL_FOLD_JOINT };
    static const double in_e[3] = {-1.0, 1.0, 0.0}, in_f[3] = {0.0, -1.0, 1.0}; // of nodes in edge vectors
    static const int sym[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    const size_t n = (size_t)chain->matrix.half_nodes;
    const FilLanes zero = fil_lanes_splat(0.0);
    FilLanes x[9];
    for (size_t k = 0; k < 3; k++) {
        x[k] = fil_lanes_splat(fil_lane_get(chain->x, 3 * n, 0, 3 * (n - 2) + k));
        x[3 + k] = fil_lanes_splat(fil_lane_get(chain->x, 3 * n, 0, 3 * (n - 1) + k));
        x[6 + k] = fil_lanes_splat(fil_lane_get(chain->x, 3 * n, 1, 3 * (n - 2) + k));
    }
    const Edge e = edge_between(x, x + 3), f = edge_between(x + 3, x + 6);
    const Bend bend = bend_between(&e, &f, fil_lanes_splat(chain->middle_law.k1));
    Bend none;
    Link own, next; // what the hinge adds to either edge
    memset(&none, 0, sizeof none);
    finish_edge(&e, &none, &bend, zero, zero, zero, true, &own);
    finish_edge(&f, &bend, &none, zero, zero, zero, true, &next);
    couple(&e, &f, &bend, own.o);
    memset(chain->middle_gradient, 0, sizeof chain->middle_gradient);
    memset(chain->matrix.joint, 0, sizeof chain->matrix.joint);
    for (int a = 0; a < 3; a++) {
        for (int j = 0; j < 3; j++) {
            chain->middle_gradient[4 * a + j] = in_e[a] * first_lane(own.force[j]) + in_f[a] * first_lane(next.force[j]);
        }
        for (int b = 0; b <= a; b++) {
            for (int m = 0; m < 9; m++) {
                const int j = m / 3, k = m % 3;
                chain->matrix.joint[J * (4 * a + j) + 4 * b + k] =
                    in_e[a] * in_e[b] * first_lane(own.d[sym[m]]) + in_f[a] * in_f[b] * first_lane(next.d[sym[m]]) +
                    in_e[a] * in_f[b] * first_lane(own.o[m]) + in_f[a] * in_e[b] * first_lane(own.o[3 * k + j]);
            }
        }
    }
    return first_lane(bend.energy);
}

bool fil_rod_chain_assemble_untwisted(FilRodChain* chain, double shift, bool hessian)
{
    Reach reach = {fil_lanes_splat(INFINITY), fil_lanes_splat(INFINITY)};
    chain->energy = assemble_middle(chain);
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {
        const FilLanes energy = hessian ? sweep_hessian(chain, g, shift, &reach) : sweep_gradient(chain, g, &reach);
        for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
            chain->energy += ((const double*)&energy)[lane];
        }
    }
    return fil_lanes_smallest(reach.length) > 0.0 && 1.0 + fil_lanes_smallest(reach.turn) > 1e-6 && isfinite(chain->energy);
}
