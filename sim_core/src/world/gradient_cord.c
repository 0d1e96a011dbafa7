/* Edges of cords that rub, in gradients. They take no moments about themselves, so that the slip is not that of both sides at the contact's point
 * (solver/ipc_slide.c): V_1 - V_0 of the sides' velocities has another term E, and f . u has g . E, g = F' f. An edge along t turns with
 * t' = (z_1 - z_0) / l, its axis is c from the point along the normal n.
 *
 * - Where it is touched at its end n is not across it. What lies beyond goes with the end:
 *       E = c (n . t) (t' + t (t . t')).
 * - On another side o that moves, with the sign s, d from the axis to the point: what moves o across t counts at the axis,
 *       E = -s (1 - t t') D,  D = V_o(point) - V_o(point - d) = W_o x d, and what o stretches.
 * - On another edge, L apart from it, with which it shares the moment by duals e of t:
 *       E = sum h (n . t'),  h_a = L e_a - c_a t_a, and alike of b.
 *
 * Variations are of t, of d and n with the contact's turn and distance, and of o's motion at both points, fixed: sweep() at both. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "body/derivative.h"
#include "solver/ipc_field.h"
#include "world/gradient_side.h"

void fil_gradient_lever_take(FilGradientLever* lever, const FilGradientMaker* maker, const FilTouching* touching, int side, double other,
                             double by_gap)
{
    const FilGradientSide* own = &maker->sides[side];
    FilGradientLeverEdge* edge = &lever->edges[lever->count++];
    *edge = (FilGradientLeverEdge){.side = side, .by_gap = by_gap, .sign = own->which == 0 ? 1.0 : -1.0, .over = 0.5 / own->shape.half[2]};
    for (int s = 0; s < side; s++) {
        edge->at += maker->sides[s].size;
    }
    edge->out = touching->touch[own->which].rounding + other + by_gap * touching->distance;
    fil_v3_copy(edge->t, own->axis);
    fil_v3_copy(lever->normal, touching->normal);
    if (lever->count == 2) {
        lever->apart = lever->edges[0].out + lever->edges[1].out;
        fil_ipc_share_moment(lever->edges[0].t, lever->edges[1].t, lever->share);
    }
}

/* t' of an edge that moves with z. */
static void find_rate(const FilGradientLeverEdge* edge, const double* z, double* rate)
{
    fil_v3_sub(rate, z + edge->at + 4, z + edge->at);
    fil_v3_scale(rate, edge->over, rate);
}

/* Adds to `place` what the edge's direction does with a weight, and what its length does with one over it. */
static void turn_edge(const FilGradientLeverEdge* edge, const double* weight, double longer, double* place)
{
    const double along = fil_v3_dot(weight, edge->t) - longer;
    for (int k = 0; k < 3; k++) {
        const double change = (weight[k] - along * edge->t[k]) * edge->over;
        place[edge->at + k] -= change;
        place[edge->at + 4 + k] += change;
    }
}

/* ---- beyond an end ---- */

static void add_end(const FilGradientLever* lever, const FilGradientLeverEdge* edge, const double* z, double* out)
{
    const double beyond = edge->out * fil_v3_dot(lever->normal, edge->t);
    double rate[3];
    find_rate(edge, z, rate);
    fil_v3_axpy(out, beyond * fil_v3_dot(edge->t, rate), edge->t);
    fil_v3_axpy(out, beyond, rate);
}

static void vary_end(const FilGradientLever* lever, const FilGradientLeverEdge* edge, const double* g, const double* z, double* weight, double* place)
{
    const double cosine = fil_v3_dot(lever->normal, edge->t), beyond = edge->out * cosine;
    double rate[3], turn[3], to[3];
    find_rate(edge, z, rate);
    const double ahead = fil_v3_dot(g, edge->t), longer = fil_v3_dot(edge->t, rate), pull = fil_v3_dot(g, rate) + ahead * longer;
    fil_v3_cross(turn, lever->normal, edge->t);
    fil_v3_axpy(weight + 3, edge->out * pull, turn);
    weight[6] += edge->by_gap * cosine * pull;
    fil_v3_scale(to, edge->out * pull, lever->normal);
    fil_v3_axpy(to, beyond * longer, g);
    fil_v3_axpy(to, beyond * ahead, rate);
    turn_edge(edge, to, -beyond * pull, place);
}

/* ---- on what moves ---- */

/* D of a side, and how it grows with the way out: W, and the stretch along the side's axis. */
static void find_way(const FilGradientSide* side, const double* z, const double* d, double* spin, double* stretch, double* way)
{
    fil_v3_set(spin, 0.0, 0.0, 0.0);
    *stretch = 0.0;
    for (int i = 0; i < side->size; i++) {
        for (int k = 0; k < 3; k++) {
            spin[k] += side->twist[(3 + k) * side->size + i] * z[i];
        }
        *stretch += side->twist[6 * side->size + i] * z[i];
    }
    fil_v3_cross(way, spin, d);
    fil_v3_axpy(way, *stretch * fil_v3_dot(side->axis, d), side->axis);
}

static void way_out(const FilGradientLever* lever, double* d)
{
    fil_v3_scale(d, lever->edges[0].sign * lever->edges[0].out, lever->normal);
}

static void add_single(const FilGradientMaker* maker, const FilGradientLever* lever, const double* z, double* out)
{
    const FilGradientLeverEdge* edge = &lever->edges[0];
    double d[3];
    way_out(lever, d);
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        double spin[3], stretch, way[3];
        if (s == edge->side || maker->sides[s].size == 0) {
            continue;
        }
        find_way(&maker->sides[s], z + at, d, spin, &stretch, way);
        fil_v3_axpy(way, -fil_v3_dot(way, edge->t), edge->t);
        fil_v3_axpy(out, -maker->sides[s].share, way);
    }
}

static void vary_single(const FilGradientMaker* maker, const FilGradientLever* lever, const double* g, const double* z, double* weight, double* place)
{
    const FilGradientLeverEdge* edge = &lever->edges[0];
    const double ahead = fil_v3_dot(g, edge->t);
    double d[3], q[3], axis[3];
    way_out(lever, d);
    fil_v3_sub(axis, maker->point, d);
    fil_v3_copy(q, g);
    fil_v3_axpy(q, -ahead, edge->t);
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        const FilGradientSide* side = &maker->sides[s];
        double spin[3], stretch, way[3], slope[3], turn[3], force[2][3];
        if (s == edge->side || maker->sides[s].size == 0) {
            continue;
        }
        find_way(side, z + at, d, spin, &stretch, way);
        // by d, which goes with the normal and half the distance
        fil_v3_cross(slope, q, spin);
        fil_v3_axpy(slope, stretch * fil_v3_dot(q, side->axis), side->axis);
        fil_v3_cross(turn, d, slope);
        fil_v3_axpy(weight + 3, -side->share, turn);
        weight[6] -= side->share * edge->by_gap * edge->sign * fil_v3_dot(slope, lever->normal);
        // by t: -(g . t) (t . D)
        fil_v3_scale(turn, side->share * ahead, way);
        fil_v3_axpy(turn, side->share * fil_v3_dot(way, edge->t), g);
        turn_edge(edge, turn, 0.0, place);
        fil_v3_scale(force[0], -side->share, q);
        fil_v3_scale(force[1], side->share, q);
        for (int k = 0; k < 2; k++) {
            side->body->ops->derivative->sweep(side->body->impl, side->index, side->part, k == 0 ? maker->point : axis, 1,
                                               (const double(*)[3]) & force[k], &(const double*){z + at}, place + at, NULL);
        }
    }
}

/* ---- two of them ---- */

/* h of edge e: L dual - c t, with duals of the sums and differences of both directions. */
static void find_hand(const FilGradientLever* lever, int e, double* dual, double* hand)
{
    const double *own = lever->edges[e].t, *other = lever->edges[1 - e].t, alike = lever->share[0], unlike = lever->share[1];
    for (int k = 0; k < 3; k++) {
        dual[k] = alike * (own[k] + other[k]) + unlike * (own[k] - other[k]);
        hand[k] = lever->apart * dual[k] - lever->edges[e].out * own[k];
    }
}

static void add_double(const FilGradientLever* lever, const double* z, double* out)
{
    for (int e = 0; e < 2; e++) {
        double rate[3], dual[3], hand[3];
        find_rate(&lever->edges[e], z, rate);
        find_hand(lever, e, dual, hand);
        fil_v3_axpy(out, fil_v3_dot(lever->normal, rate), hand);
    }
}

static void vary_double(const FilGradientLever* lever, const double* g, const double* z, double* weight, double* place)
{
    double to[2][3] = {{0.0}}, longer[2], to_cosine = 0.0;
    for (int e = 0; e < 2; e++) {
        const FilGradientLeverEdge *own = &lever->edges[e], *other = &lever->edges[1 - e];
        double rate[3], dual[3], hand[3], turn[3];
        find_rate(own, z, rate);
        find_hand(lever, e, dual, hand);
        const double turns = fil_v3_dot(lever->normal, rate), pull = fil_v3_dot(g, hand);
        // n . t', with the length
        fil_v3_cross(turn, lever->normal, rate);
        fil_v3_axpy(weight + 3, pull, turn);
        longer[e] = -pull * turns;
        // h
        weight[6] += turns * (fil_v3_dot(g, dual) - own->by_gap * fil_v3_dot(g, own->t));
        fil_v3_axpy(to[e], turns * (lever->apart * (lever->share[0] + lever->share[1]) - own->out), g);
        fil_v3_axpy(to[1 - e], turns * lever->apart * (lever->share[0] - lever->share[1]), g);
        const double ahead = fil_v3_dot(g, own->t), beside = fil_v3_dot(g, other->t);
        to_cosine += turns * lever->apart * (lever->share[2] * (ahead + beside) + lever->share[3] * (ahead - beside));
    }
    for (int e = 0; e < 2; e++) {
        fil_v3_axpy(to[e], to_cosine, lever->edges[1 - e].t);
        turn_edge(&lever->edges[e], to[e], longer[e], place);
    }
}

/* ---- all of it ---- */

void fil_gradient_lever_add(const FilGradientMaker* maker, const double* z, double* out)
{
    const FilGradientLever* lever = maker->lever;
    for (int e = 0; e < lever->count; e++) {
        add_end(lever, &lever->edges[e], z, out);
    }
    if (lever->count == 2) {
        add_double(lever, z, out);
    } else if (lever->moves) {
        add_single(maker, lever, z, out);
    }
}

void fil_gradient_lever_vary(const FilGradientMaker* maker, const double* g, const double* z, double* weight, double* place)
{
    const FilGradientLever* lever = maker->lever;
    for (int e = 0; e < lever->count; e++) {
        vary_end(lever, &lever->edges[e], g, z, weight, place);
    }
    if (lever->count == 2) {
        vary_double(lever, g, z, weight, place);
    } else if (lever->moves) {
        vary_single(maker, lever, g, z, weight, place);
    }
}

void fil_gradient_lever_jacobian(const FilGradientMaker* maker, const double* v, const int* unknown, double* z, double* jacobian, double* u)
{
    const int m = maker->size;
    memset(z, 0, sizeof(double) * (size_t)m);
    for (int i = 0; i < m; i++) {
        double more[3] = {0.0}, own[3];
        z[i] = 1.0;
        fil_gradient_lever_add(maker, z, more);
        z[i] = 0.0;
        fil_m3_apply(own, maker->frame, more);
        fil_v3_axpy(u, v[unknown[i]], own);
        for (int r = 0; r < 3; r++) {
            jacobian[r * m + i] += own[r];
        }
    }
}
