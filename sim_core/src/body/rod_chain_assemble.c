/* Energy, gradient and Hessian of a chain: one sweep over the edges of both halves, and the middle hinge where they meet. */
#include "body/rod_block.h"
#include "body/rod_chain.h"

/* What is known of an edge once both its hinges have been added, in its own frame. */
typedef struct EdgeSum {
    FilLanes s11, s12, s22; /* Hessian of the tangent's displacement */
    FilLanes g1, g2;        /* gradient of it */
    FilLanes w1, w2;        /* mixed with the angle */
    FilLanes angle2, angle; /* second and first derivative in the angle */
} EdgeSum;

/* What node i hands to node i + 1: the edge between them and the hinge at i + 1. */
typedef struct Link {
    FilLanes d[6];     /* edge block xx xy xz yy yz zz */
    FilLanes force[3]; /* gradient of the edge vector */
    FilLanes o[9];     /* coupling of this edge vector with the next, row-major */
    FilLanes oa[3];    /* coupling of this edge vector with the next angle */
} Link;

static inline __attribute__((always_inline)) void couple(const Frame2* e, const Frame2* f, const HingeTerms2* h, Link* link, FilLanes* angle_next,
                                                         FilLanes* angle_angle)
{
    const FilLanes both = e->inverse * f->inverse;
    const FilLanes h11 = h->v1u1 * both, h12 = h->v1u2 * both, h21 = h->v2u1 * both, h22 = h->v2u2 * both;
    const FilLanes a1 = h->v1f * e->inverse, a2 = h->v2f * e->inverse;
    const FilLanes b1 = h->eu1 * f->inverse, b2 = h->eu2 * f->inverse;
    for (int k = 0; k < 3; k++) {
        const FilLanes u1 = h11 * f->m1[k] + h12 * f->m2[k], u2 = h21 * f->m1[k] + h22 * f->m2[k];
        for (int m = 0; m < 3; m++) {
            link->o[3 * m + k] = e->m1[m] * u1 + e->m2[m] * u2;
        }
        link->oa[k] = a1 * e->m1[k] + a2 * e->m2[k];
        angle_next[k] = b1 * f->m1[k] + b2 * f->m2[k];
    }
    *angle_angle = h->ef;
}

/* Rotates an edge's sums into the world: H = Q [[s, -g], [-g', axial]] Q', Q = (m1, m2, t) / length. What a tension below
 * `min` takes from the stiffness across the edge is left out. */
static inline __attribute__((always_inline)) void finish_edge(const Frame2* e, const EdgeSum* sum, FilLanes stretch, FilLanes natural, FilLanes min,
                                                              Link* link, FilLanes* mixed)
{
    const FilLanes tension = stretch * (e->length - natural), over = e->inverse * e->inverse;
    const FilLanes geometric = -fil_lanes_min(-tension, -min) * e->inverse;
    const FilLanes s11 = sum->s11 * over + geometric, s12 = sum->s12 * over, s22 = sum->s22 * over + geometric;
    const FilLanes t1 = -sum->g1 * over, t2 = -sum->g2 * over;
    const FilLanes g1 = sum->g1 * e->inverse, g2 = sum->g2 * e->inverse;
    const FilLanes w1 = sum->w1 * e->inverse, w2 = sum->w2 * e->inverse;
    FilLanes c1[3], c2[3], c3[3];
    for (int k = 0; k < 3; k++) {
        c1[k] = s11 * e->m1[k] + s12 * e->m2[k] + t1 * e->t[k];
        c2[k] = s12 * e->m1[k] + s22 * e->m2[k] + t2 * e->t[k];
        c3[k] = t1 * e->m1[k] + t2 * e->m2[k] + stretch * e->t[k];
        link->force[k] = g1 * e->m1[k] + g2 * e->m2[k] + tension * e->t[k];
        mixed[k] = w1 * e->m1[k] + w2 * e->m2[k];
    }
    for (int k = 0, m = 0; k < 3; k++) {
        for (int j = k; j < 3; j++) {
            link->d[m++] = c1[k] * e->m1[j] + c2[k] * e->m2[j] + c3[k] * e->t[j];
        }
    }
}

/* Columns of a node: it ends edge `last`, starts edge `next`; e = x' - x turns edge blocks into differences. */
static inline __attribute__((always_inline)) void write_columns(FilLanes* restrict a, const FilLanes* diagonal, double scale, const Link* last,
                                                                const Link* next, const FilLanes* mixed, FilLanes angle2, const FilLanes* angle_next,
                                                                FilLanes angle_angle)
{
    static const int sym[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    int at = 0;
    for (int j = 0; j < 3; j++) {
        for (int k = j; k < 3; k++) {
            const FilLanes own = last->d[sym[3 * j + k]] + next->d[sym[3 * j + k]] - last->o[3 * j + k] - last->o[3 * k + j];
            a[at++] = j == k ? own + scale * diagonal[j] : own;
        }
        a[at++] = last->oa[j] - mixed[j];
        for (int k = 0; k < 3; k++) {
            a[at++] = last->o[3 * j + k] - next->d[sym[3 * j + k]] + next->o[3 * j + k];
        }
        a[at++] = -next->oa[j];
        for (int k = 0; k < 3; k++) {
            a[at++] = -next->o[3 * j + k];
        }
    }
    a[at++] = angle2 + scale * diagonal[3];
    for (int k = 0; k < 3; k++) {
        a[at++] = mixed[k] - angle_next[k];
    }
    a[at++] = angle_angle;
    for (int k = 0; k < 3; k++) {
        a[at++] = angle_next[k];
    }
}

/* One sweep over the edges of a group for the gradient alone. Returns the energy. */
static FilLanes sweep_gradient(FilRodChain* chain, size_t group)
{
    const size_t n = (size_t)chain->matrix.half_nodes, first = group * n;
    const Frame2* frames = chain->frames + first;
    FilLanes* gradient = chain->gradient + 4 * first;
    const FilLanes zero = fil_lanes_splat(0.0);
    FilLanes g1 = zero, g2 = zero, angle = zero;  // of the edge, from its hinges
    FilLanes last[3] = {zero, zero, zero}, energy = zero;
    for (size_t i = 0; i + 1 < n; i++) {
        const Frame2* e = &frames[i];
        FilLanes next1 = zero, next2 = zero, next_angle = zero;
        // hinge at the edge's far end, unless that is the middle
        if (i + 2 < n) {
            HingeTerms2 h;
            hinge2(e, &frames[i + 1], &chain->law[first + i + 1], &chain->twist0[first + i + 1], &h);
            g1 += h.g_v1, g2 += h.g_v2, angle += h.g_e;
            next1 = h.g_u1, next2 = h.g_u2, next_angle = h.g_f;
            energy += h.energy;
        }
        const FilLanes stretch = chain->stretch[first + i], longer = e->length - chain->natural[first + i];
        const FilLanes across1 = g1 * e->inverse, across2 = g2 * e->inverse, tension = stretch * longer;
        for (int k = 0; k < 3; k++) {
            const FilLanes force = across1 * e->m1[k] + across2 * e->m2[k] + tension * e->t[k];
            gradient[4 * i + (size_t)k] = last[k] - force;
            last[k] = force;
        }
        gradient[4 * i + 3] = angle;
        energy += 0.5 * stretch * longer * longer;
        g1 = next1, g2 = next2, angle = next_angle;
    }
    // the middle node ends the last edge
    for (size_t k = 0; k < 3; k++) {
        gradient[4 * (n - 1) + k] = last[k];
    }
    gradient[4 * (n - 1) + 3] = zero;
    return energy;
}

/* The same with the columns of every node. A shifted tangent is wanted definite: it does without the geometric stiffness of
 * edges under pressure. */
static FilLanes sweep(FilRodChain* chain, size_t group, double shift)
{
    const double scale = 1.0 + shift;
    const FilLanes min = fil_lanes_splat(shift > 0.0 ? 0.0 : -INFINITY);
    const size_t n = (size_t)chain->matrix.half_nodes, first = group * n;
    const Frame2* frames = chain->frames + first;
    const FilLanes zero = fil_lanes_splat(0.0);
    EdgeSum sum = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
    Link links[2];
    Link *last = &links[0], *next = &links[1];
    for (size_t k = 0; k < sizeof *last / sizeof(FilLanes); k++) {
        ((FilLanes*)last)[k] = zero;
    }
    FilLanes energy = zero;
    for (size_t i = 0; i + 1 < n; i++) {
        const Frame2* e = &frames[i];
        EdgeSum begun = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
        FilLanes angle_next[3] = {zero, zero, zero}, angle_angle = zero, mixed[3];
        // hinge at the edge's far end, unless that is the middle
        if (i + 2 < n) {
            const Frame2* f = &frames[i + 1];
            HingeTerms2 h;
            hinge2(e, f, &chain->law[first + i + 1], &chain->twist0[first + i + 1], &h);
            sum.s11 += h.v1v1, sum.s12 += h.v1v2, sum.s22 += h.v2v2;
            sum.w1 += h.v1e, sum.w2 += h.v2e, sum.angle2 += h.ee;
            sum.g1 += h.g_v1, sum.g2 += h.g_v2, sum.angle += h.g_e;
            begun = (EdgeSum){h.u1u1, h.u1u2, h.u2u2, h.g_u1, h.g_u2, h.u1f, h.u2f, h.ff, h.g_f};
            energy += h.energy;
            couple(e, f, &h, next, angle_next, &angle_angle);
        } else {
            for (int k = 0; k < 9; k++) {
                next->o[k] = zero;
            }
            next->oa[0] = next->oa[1] = next->oa[2] = zero;
        }
        const FilLanes stretch = chain->stretch[first + i], natural = chain->natural[first + i];
        finish_edge(e, &sum, stretch, natural, min, next, mixed);
        energy += 0.5 * stretch * (e->length - natural) * (e->length - natural);

        FilLanes* g = chain->gradient + 4 * (first + i);
        for (int k = 0; k < 3; k++) {
            g[k] = last->force[k] - next->force[k];
        }
        g[3] = sum.angle;
        write_columns(chain->matrix.columns + FIL_FOLD_COLUMNS * (first + i), chain->diagonal + 4 * (first + i), scale, last, next, mixed, sum.angle2,
                      angle_next, angle_angle);
        Link* spare = last;
        last = next;
        next = spare;
        sum = begun;
    }
    // the middle node ends the last edge
    FilLanes* g = chain->gradient + 4 * (first + n - 1);
    for (int k = 0; k < 3; k++) {
        g[k] = last->force[k];
    }
    g[3] = zero;
    FilLanes* a = chain->matrix.columns + FIL_FOLD_COLUMNS * (first + n - 1);
    const FilLanes* diagonal = chain->diagonal + 4 * (first + n - 1);
    for (int k = 0; k < FIL_FOLD_COLUMNS; k++) {
        a[k] = zero;
    }
    for (int j = 0, m = 0; j < 3; j++) {
        for (int k = j; k < 3; k++, m++) {
            a[fil_fold_entry(j, k)] = j == k ? last->d[m] + scale * diagonal[j] : last->d[m];
        }
    }
    return energy;
}

/* The middle hinge, where the halves meet. Returns its energy. */
static double assemble_middle(FilRodChain* chain)
{
    Frame1 e, f;
    HingeTerms1 terms;
    fil_rod_chain_middle_frames(chain, &e, &f);
    hinge1(&e, &f, &chain->middle_law, &chain->middle_twist0, &terms);
    fil_rod_hinge_block(&e, &f, &terms, chain->matrix.joint, chain->middle_gradient);
    return terms.energy;
}

bool fil_rod_chain_assemble(FilRodChain* chain, const double* q, double shift, bool hessian)
{
    double shortest, straightest;
    fil_rod_chain_load_positions(chain, q);
    chain->hessian = hessian;
    chain->pending = hessian && chain->untwisted;
    chain->shift = shift;
    if (chain->untwisted) {
        return fil_rod_chain_assemble_untwisted(chain);
    }
    fil_rod_chain_find_frames(chain, &shortest, &straightest);
    if (!(shortest > 0.0) || !(straightest > 1e-6)) {  // 1 + cos: within 0.08 degrees of turning back
        return false;
    }
    chain->energy = assemble_middle(chain);
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {
        const FilLanes energy = hessian ? sweep(chain, g, shift) : sweep_gradient(chain, g);
        for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
            chain->energy += ((const double*)&energy)[lane];
        }
    }
    return isfinite(chain->energy);
}

/* ---- single edges ---- */

void fil_rod_chain_add_edge_block(FilRodChain* chain, int edge, const double* block, const double* gradient)
{
    // a half's own order of (x, theta, x'): half 1 arrives at x' first
    static const int order[2][7] = {{0, 1, 2, 3, 4, 5, 6}, {4, 5, 6, 3, 0, 1, 2}};
    const size_t n = (size_t)chain->matrix.half_nodes;
    int half, place;
    fil_rod_chain_fill(chain);
    fil_rod_chain_find_edge(chain, edge, &half, &place);
    for (int j = 0; j < 7; j++) {
        const double sign_j = j == 3 ? fil_rod_half_direction(half) : 1.0;
        *fil_lane_at(chain->gradient, 4 * n, half, 4 * (size_t)place + (size_t)j) += sign_j * gradient[order[half][j]];
        for (int k = j; k < 7 && chain->hessian; k++) {
            const double sign_k = k == 3 ? fil_rod_half_direction(half) : 1.0;
            const size_t node = (size_t)place + (size_t)(j / 4);
            const size_t at = FIL_FOLD_COLUMNS * node + (size_t)fil_fold_entry(j % 4, k - 4 * (j / 4));
            *fil_lane_at(chain->matrix.columns, n * FIL_FOLD_COLUMNS, half, at) += sign_j * sign_k * block[7 * order[half][j] + order[half][k]];
        }
    }
}
