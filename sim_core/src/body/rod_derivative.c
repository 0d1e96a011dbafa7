/* How a step of a rod varies with its start.
 *
 * Backward Euler: m = M (v - v0) + dt (g + C v - f), with the gradient g of the elastic energy at the end, x1 = x0 + dt v. A variation moves nodes
 * and turns frames about their edges, on top of parallel transport. Three facts beyond the tangent that Newton uses:
 *
 * - Frames at the end come from those at the start by transport from t0 to t1 and a turn of dt gamma'. Moving either tangent changes the area between
 *   both ways, so that (docs/rod.md, gradient of the twist)
 *       gamma1 = gamma0 + dt gamma1' - (t0 x t1) / (1 + t0 . t1) . (dt0 + dt1).
 * - g is that of frames that go along, and its derivative is the symmetric Hessian plus the curvature of transport: on an edge with the moment
 *   g_gamma about it,  1/2 g_gamma t x dt  against the tangent's displacement.
 * - Stiffness-proportional damping is a spring that rests at the start's strains s0: dg = -damping k (ds/dx1) (ds0 . start).
 */
#include <string.h>

#include "base/arena.h"
#include "base/vec3.h"
#include "body/derivative.h"
#include "body/rod.h"

/* A strain that is damped: its gradients at the start and at the end, over the unknowns of up to three nodes. */
typedef struct DampedStrain {
    int count, unknown[11];
    double start[11], end[11], stiffness;
} DampedStrain;

/* An edge and its gyroscopic force, F = -J gamma' (rate x e) / l^3. */
typedef struct EdgeVariation {
    int unknown[2], angle;     /* first of its nodes', and its own */
    double turn0[3], turn1[3]; /* of the end's angle, by the edge's change at the start and at the end */
    double tangent[3], couple; /* at the end; dt g_gamma / (2 l^2) */
    bool gyroscopic;
    double by_spin[3], by_rate[9], by_edge[9]; /* of F, by gamma', rate and e */
    double torque_force[9], torque_angle[3];   /* of a torque's force (T x e) / l^2, and of T . t, by e */
} EdgeVariation;

typedef struct FilRodDerivative {
    int entry_count, entry_capacity; /* of the Hessian's lower triangle, with the diagonal of mass and damping over the stiffness scale */
    int *row, *column;
    double* value;
    int strain_count, strain_capacity, edge_count;
    DampedStrain* strains;
    EdgeVariation* edges;
    bool* angle_counts;   /* per node: the edge has an angle that forces depend on */
    double *end, *weight; /* 4 per node: scratch */
    const FilRodBody* body;
    int first_unknown; /* of the rod being visited */
} FilRodDerivative;

/* ---- preparation ---- */

static void count_entry(void* context, int row, int column, double value)
{
    (void)row, (void)column, (void)value;
    ((FilRodDerivative*)context)->entry_capacity++;
}

static void take_entry(void* context, int row, int column, double value)
{
    FilRodDerivative* d = context;
    const int k = d->entry_count++;
    d->row[k] = fil_rod_owner(d->body, d->first_unknown + row);
    d->column[k] = fil_rod_owner(d->body, d->first_unknown + column);
    d->value[k] = value;
}

static bool allocate(FilRodBody* body)
{
    FilArena* arena = body->arena;
    FilRodDerivative* d = fil_arena_alloc(arena, 1, sizeof *d);
    if (d == NULL) {
        return false;
    }
    *d = (FilRodDerivative){.body = body};
    const size_t n = (size_t)body->node_count;
    for (int r = 0; r < body->rod_count; r++) {
        fil_rod_chain_visit(&body->rods[r].chain, count_entry, d);
    }
    d->row = fil_arena_alloc(arena, (size_t)d->entry_capacity, sizeof *d->row);
    d->column = fil_arena_alloc(arena, (size_t)d->entry_capacity, sizeof *d->column);
    d->value = fil_arena_alloc(arena, (size_t)d->entry_capacity, sizeof *d->value);
    // three of a hinge, one of an edge, three on either side of a clamp, three of a handle
    d->strain_capacity = 4 * body->node_count + 6 * body->attachment_count;
    d->strains = fil_arena_alloc(arena, (size_t)d->strain_capacity, sizeof *d->strains);
    d->edges = fil_arena_alloc(arena, n, sizeof *d->edges);
    d->angle_counts = fil_arena_alloc(arena, n, sizeof *d->angle_counts);
    d->end = fil_arena_alloc(arena, 4 * n, sizeof *d->end);
    d->weight = fil_arena_alloc(arena, 4 * n, sizeof *d->weight);
    if (d->row == NULL || d->column == NULL || d->value == NULL || d->strains == NULL || d->edges == NULL || d->angle_counts == NULL ||
        d->end == NULL || d->weight == NULL) {
        return false;
    }
    body->derivative = d;
    return true;
}

/* Gradients of kappa_1, kappa_2 and twist in the reduced variables (v1, v2, theta_e, u1, u2, theta_f): body/rod_hinge.inc. */
static void reduced_gradients(const Frame1* e, const Frame1* f, double out[3][6])
{
    const double c = fil_v3_dot(e->t, f->t), ic = 1.0 / (1.0 + c), cc = c * ic;
    const double p1 = fil_v3_dot(e->m1, f->t) * ic, p2 = fil_v3_dot(e->m2, f->t) * ic;
    const double q1 = fil_v3_dot(e->t, f->m1) * ic, q2 = fil_v3_dot(e->t, f->m2) * ic;
    const double r11 = fil_v3_dot(e->m1, f->m1) * ic, r12 = fil_v3_dot(e->m1, f->m2) * ic;
    const double r21 = fil_v3_dot(e->m2, f->m1) * ic, r22 = fil_v3_dot(e->m2, f->m2) * ic;
    const double k1 = p1 - q1, k2 = p2 - q2;
    const double rows[3][6] = {{-cc - r11 - k1 * p1, -r21 - k1 * p2, p2, r11 + cc - k1 * q1, r12 - k1 * q2, -q2},
                               {-r12 - k2 * p1, -cc - r22 - k2 * p2, -p1, r21 - k2 * q1, r22 + cc - k2 * q2, q1},
                               {-p2, p1, -1.0, q2, -q1, 1.0}};
    memcpy(out, rows, sizeof rows);
}

/* The share of an edge: its nodes move the tangent, `angle` turns it. Adds to the row at its nodes' places and its angle's. */
static void add_edge_share(const Frame1* edge, const double* reduced, int first, int next, int angle, double* row)
{
    for (int k = 0; k < 3; k++) {
        const double across = (reduced[0] * edge->m1[k] + reduced[1] * edge->m2[k]) * edge->inverse;
        row[next + k] += across;
        row[first + k] -= across;
    }
    row[angle] += reduced[2];
}

/* A hinge's three strains, between edges whose nodes are a, b, c; e or f NULL: it is held, and does not move. */
static void add_hinge(FilRodDerivative* d, const int* nodes, int count, const Frame1* start[2], const Frame1* end[2], const bool* moves,
                      const double* stiffness)
{
    double gradients[2][3][6];
    reduced_gradients(start[0], start[1], gradients[0]);
    reduced_gradients(end[0], end[1], gradients[1]);
    for (int s = 0; s < 3; s++) {
        if (!(stiffness[s] > 0.0) || d->strain_count == d->strain_capacity) {
            continue;
        }
        DampedStrain* strain = &d->strains[d->strain_count++];
        *strain = (DampedStrain){.count = count, .stiffness = stiffness[s]};
        for (int k = 0; k < count; k++) {
            strain->unknown[k] = fil_rod_owner(d->body, nodes[k / 4] + k % 4);
        }
        const int f = moves[0] ? 4 : 0;  // places of the second edge in the row
        for (int when = 0; when < 2; when++) {
            const Frame1** frames = when == 0 ? start : end;
            double* row = when == 0 ? strain->start : strain->end;
            if (moves[0]) {
                add_edge_share(frames[0], gradients[when][s], 0, 4, 3, row);
            }
            if (moves[1]) {
                add_edge_share(frames[1], gradients[when][s] + 3, f, f + 4, f + 3, row);
            }
        }
    }
}

static void add_stretch(FilRodDerivative* d, const int* nodes, const Frame1* start, const Frame1* end, double stiffness)
{
    DampedStrain* strain = &d->strains[d->strain_count++];
    *strain = (DampedStrain){.count = 7, .stiffness = stiffness};
    for (int k = 0; k < 7; k++) {
        const double sign = k < 3 ? -1.0 : k > 3 ? 1.0 : 0.0;
        strain->unknown[k] = fil_rod_owner(d->body, nodes[k / 4] + k % 4);
        strain->start[k] = k == 3 ? 0.0 : sign * start->t[k % 4];
        strain->end[k] = k == 3 ? 0.0 : sign * end->t[k % 4];
    }
}

/* Strains of a rod that are damped. */
static void take_strains(FilRodBody* body, FilRod* rod, FilRodDerivative* d)
{
    const double damping = rod->damping_stiffness / body->setup.dt;
    const double* q0 = body->q0 + 4 * rod->first_node;
    const FilRodHistory* h0 = body->h0 + rod->first_node;
    const int n = rod->node_count, base = 4 * rod->first_node;
    for (int i = 0; i < rod->edge_count && damping > 0.0; i++) {
        Frame1 start[2], end[2];
        const int before = (i + n - 1) % n, next = (i + 1) % n;
        fil_rod_edge_frame(rod, q0, h0, i, &start[1]);
        fil_rod_chain_frame(&rod->chain, i, &end[1]);
        add_stretch(d, (const int[2]){base + 4 * i, base + 4 * next}, &start[1], &end[1], damping * rod->law[i].ea / h0[i].rest_length);
        if (!rod->closed && i == 0) {
            continue;
        }
        fil_rod_edge_frame(rod, q0, h0, before, &start[0]);
        fil_rod_chain_frame(&rod->chain, before, &end[0]);
        const FilRodLaw* law = &rod->law[i];
        add_hinge(d, (const int[3]){base + 4 * before, base + 4 * i, base + 4 * next}, 11, (const Frame1* [2]){&start[0], &start[1]},
                  (const Frame1* [2]){&end[0], &end[1]}, (const bool[2]){true, true},
                  (const double[3]){damping * law->k1, damping * law->k2, damping * law->kt});
    }
}

/* Those of the half hinges at a clamp. */
static void take_clamp(FilRodBody* body, const FilRodAttachment* a, FilRodDerivative* d)
{
    FilRod* rod = &body->rods[a->rod];
    const double damping = rod->damping_stiffness / body->setup.dt;
    for (int which = 0; which < 2 && damping > 0.0; which++) {
        const FilClampSide* side = &a->side[which];
        if (side->edge < 0) {
            continue;
        }
        const int base = 4 * rod->first_node, next = (side->edge + 1) % rod->node_count;
        const Frame1 held[2] = {fil_rod_clamp_section(side, a->target.rotation[0]), fil_rod_clamp_section(side, a->target.rotation[1])};
        Frame1 edge[2];
        fil_rod_edge_frame(rod, body->q0 + base, body->h0 + rod->first_node, side->edge, &edge[0]);
        fil_rod_chain_frame(&rod->chain, side->edge, &edge[1]);
        const Frame1* pairs[2][2];
        for (int when = 0; when < 2; when++) {
            pairs[when][which == 0 ? 0 : 1] = &held[when];
            pairs[when][which == 0 ? 1 : 0] = &edge[when];
        }
        add_hinge(d, (const int[2]){base + 4 * side->edge, base + 4 * next}, 7, pairs[0], pairs[1], (const bool[2]){which == 1, which == 0},
                  (const double[3]){damping * side->law.k1, damping * side->law.k2, damping * side->law.kt});
    }
}

/* Of F = -spin (rate x e) / l^3 with spin = J gamma'. */
static void take_gyroscopic(const FilRodBody* body, const double* v, EdgeVariation* edge)
{
    const int i = edge->unknown[0], next = edge->unknown[1];
    const double inertia = body->mass[edge->angle], spin = inertia * v[edge->angle];
    double e[3], rate[3], across[3];
    fil_v3_sub(e, body->q_theta + next, body->q_theta + i);
    fil_v3_sub(rate, v + next, v + i);
    fil_v3_cross(across, rate, e);
    const double over = 1.0 / (fil_v3_norm(e) * fil_v3_dot(e, e)), fifth = 3.0 * spin * over / fil_v3_dot(e, e);
    fil_v3_scale(edge->by_spin, -inertia * over, across);
    const double s = spin * over;
    const double by_rate[9] = {0.0, -s * e[2], s * e[1], s * e[2], 0.0, -s * e[0], -s * e[1], s * e[0], 0.0};
    const double by_edge[9] = {0.0, s * rate[2], -s * rate[1], -s * rate[2], 0.0, s * rate[0], s * rate[1], -s * rate[0], 0.0};
    memcpy(edge->by_rate, by_rate, sizeof by_rate);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            edge->by_edge[3 * r + c] = by_edge[3 * r + c] + fifth * across[r] * e[c];
        }
    }
}

/* Of (T x e) / l^2 and T . e / l. */
static void take_torque(const double* torque, const Frame1* frame, EdgeVariation* edge)
{
    double across[3];
    fil_v3_cross(across, torque, frame->t);
    const double o = frame->inverse * frame->inverse, axial = fil_v3_dot(torque, frame->t);
    const double cross[9] = {0.0, -torque[2], torque[1], torque[2], 0.0, -torque[0], -torque[1], torque[0], 0.0};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            edge->torque_force[3 * r + c] = o * (cross[3 * r + c] - 2.0 * across[r] * frame->t[c]);
        }
        edge->torque_angle[r] = frame->inverse * (torque[r] - axial * frame->t[r]);
    }
}

static void take_edges(FilRodBody* body, FilRod* rod, const double* v, FilRodDerivative* d)
{
    const double dt = body->setup.dt;
    for (int i = 0; i < rod->edge_count; i++) {
        EdgeVariation* edge = &d->edges[d->edge_count++];
        Frame1 start, end;
        fil_rod_edge_frame(rod, body->q0 + 4 * rod->first_node, body->h0 + rod->first_node, i, &start);
        fil_rod_chain_frame(&rod->chain, i, &end);
        const int own = rod->first_node + i, next = rod->first_node + (i + 1) % rod->node_count;
        *edge = (EdgeVariation){.unknown = {4 * body->owner[own], 4 * body->owner[next]}, .angle = 4 * own + 3};
        double area[3];
        fil_v3_cross(area, start.t, end.t);
        fil_v3_scale(area, -1.0 / (1.0 + fil_v3_dot(start.t, end.t)), area);
        fil_v3_scale(edge->turn0, start.inverse, area);
        fil_v3_scale(edge->turn1, end.inverse, area);
        fil_v3_copy(edge->tangent, end.t);
        const bool counts = !rod->chain.untwisted;
        d->angle_counts[rod->first_node + i] = counts;
        // the elastic moment: a torque's own is no part of it
        const double *torque = body->torque + 3 * own, load = body->has_torque ? fil_v3_dot(torque, end.t) : 0.0;
        edge->couple = counts ? 0.5 * dt * (body->gradient[edge->angle] + load) * end.inverse * end.inverse : 0.0;
        if (body->has_torque) {
            take_torque(torque, &end, edge);
        }
        edge->gyroscopic = rod->gyroscopic;
        if (edge->gyroscopic) {
            take_gyroscopic(body, v, edge);
        }
    }
}

/* A handle's damper sees the velocity at the end, not the way from the start, which the tangent's slope k + c / dt takes for it. */
static void take_handle(const FilRodBody* body, const FilRodAttachment* a, FilRodDerivative* d)
{
    for (int k = 0; k < 3 && a->damping > 0.0; k++) {
        DampedStrain* strain = &d->strains[d->strain_count++];
        *strain = (DampedStrain){.count = 1, .stiffness = a->damping / body->setup.dt, .start = {1.0}, .end = {1.0}};
        strain->unknown[0] = fil_rod_owner(body, 4 * (body->rods[a->rod].first_node + a->first) + k);
    }
}

static const char* refuse(const FilRodBody* body)
{
    for (int s = 0; s < body->attachment_count; s++) {
        const FilRodAttachment* a = &body->attachments[s];
        if (a->target.active && a->kind == FIL_ATTACH_TWIST) {
            return "is held by its angle, of which gradients are not known yet";
        }
        if (a->target.active && a->kind == FIL_ATTACH_HANDLE && a->max_force > 0.0 && fil_v3_norm(a->force) > (1.0 - 1e-9) * a->max_force) {
            return "pulls at a handle with all the force that it has, of which gradients are not known yet";
        }
    }
    return NULL;
}

static const char* prepare(void* pointer, const double* v)
{
    FilRodBody* body = pointer;
    const char* why = refuse(body);
    if (why != NULL) {
        return why;
    }
    if (body->derivative == NULL && !allocate(body)) {
        return "needs more memory than there is";
    }
    FilRodDerivative* d = body->derivative;
    d->entry_count = d->strain_count = d->edge_count = 0;
    memset(d->angle_counts, 0, sizeof(bool) * (size_t)body->node_count);
    for (int r = 0; r < body->rod_count; r++) {
        FilRod* rod = &body->rods[r];
        d->first_unknown = 4 * rod->first_node;
        fil_rod_chain_visit(&rod->chain, take_entry, d);
        take_edges(body, rod, v, d);
        take_strains(body, rod, d);
    }
    for (int s = 0; s < body->attachment_count; s++) {
        const FilRodAttachment* a = &body->attachments[s];
        if (a->target.active && a->kind == FIL_ATTACH_CLAMP) {
            take_clamp(body, a, d);
        } else if (a->target.active && a->kind == FIL_ATTACH_HANDLE) {
            take_handle(body, a, d);
        }
    }
    return NULL;
}

/* ---- products ---- */

static double at(const double* a, int k)
{
    return a != NULL ? a[k] : 0.0;
}

/* Where forces at the end are told of a variation: not where the end is held. */
static bool is_open(const FilRodBody* body, int k)
{
    return k % 4 == 3 ? body->derivative->angle_counts[k / 4] : !body->held[k];
}

/* Variation of the end's place. */
static void find_end(const FilRodBody* body, const double* place, const double* end_rate, double* end)
{
    const FilRodDerivative* d = body->derivative;
    const double dt = body->setup.dt;
    for (int k = 0; k < 4 * body->node_count; k++) {
        end[k] = is_open(body, k) ? at(place, k) + dt * end_rate[k] : 0.0;
    }
    for (int i = 0; i < d->edge_count; i++) {
        const EdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        for (int k = 0; k < 3 && is_open(body, edge->angle); k++) {
            end[edge->angle] += edge->turn0[k] * (at(place, b + k) - at(place, a + k)) + edge->turn1[k] * (end[b + k] - end[a + k]);
        }
    }
}

static void find_end_back(const FilRodBody* body, double* end, double* place, double* end_rate)
{
    const FilRodDerivative* d = body->derivative;
    const double dt = body->setup.dt;
    for (int i = 0; i < d->edge_count; i++) {
        const EdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        const double weight = end[edge->angle];
        for (int k = 0; k < 3 && is_open(body, edge->angle); k++) {
            place[b + k] += edge->turn0[k] * weight;
            place[a + k] -= edge->turn0[k] * weight;
            end[b + k] += edge->turn1[k] * weight;
            end[a + k] -= edge->turn1[k] * weight;
        }
    }
    for (int k = 0; k < 4 * body->node_count; k++) {
        if (is_open(body, k)) {
            place[k] += end[k];
            end_rate[k] += dt * end[k];
        }
    }
}

/* out += dt K x, with the Hessian K. */
static void add_hessian(const FilRodBody* body, const double* x, double* out)
{
    const FilRodDerivative* d = body->derivative;
    const double dt = body->setup.dt;
    for (int k = 0; k < d->entry_count; k++) {
        const int row = d->row[k], column = d->column[k];
        out[row] += dt * d->value[k] * x[column];
        if (row != column) {
            out[column] += dt * d->value[k] * x[row];
        }
    }
    for (int k = 0; k < 4 * body->node_count; k++) {
        out[k] -= dt * body->diagonal[k] * x[k];
    }
}

/* Couples of transport, and gyroscopic forces; `sign` 1 or, for what is transposed, -1 for the former. */
static void add_couples(const FilRodDerivative* d, double sign, const double* x, double* out)
{
    for (int i = 0; i < d->edge_count; i++) {
        const EdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        double change[3], force[3];
        fil_v3_sub(change, x + b, x + a);
        fil_v3_cross(force, edge->tangent, change);
        fil_v3_axpy(out + b, sign * edge->couple, force);
        fil_v3_axpy(out + a, -sign * edge->couple, force);
    }
}

static void add_gyroscopic(const FilRodBody* body, const double* end, const double* end_rate, double* out)
{
    const FilRodDerivative* d = body->derivative;
    for (int i = 0; i < d->edge_count; i++) {
        const EdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        if (!edge->gyroscopic) {
            continue;
        }
        double change[3], rate[3], force[3], more[3];
        fil_v3_sub(change, end + b, end + a);
        fil_v3_sub(rate, end_rate + b, end_rate + a);
        fil_m3_apply(force, edge->by_rate, rate);
        fil_m3_apply(more, edge->by_edge, change);
        fil_v3_axpy(force, 1.0, more);
        fil_v3_axpy(force, end_rate[edge->angle], edge->by_spin);
        fil_v3_axpy(out + b, -body->setup.dt, force);
        fil_v3_axpy(out + a, body->setup.dt, force);
    }
}

static void add_gyroscopic_back(const FilRodBody* body, const double* weight, double* end, double* end_rate)
{
    const FilRodDerivative* d = body->derivative;
    for (int i = 0; i < d->edge_count; i++) {
        const EdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        if (!edge->gyroscopic) {
            continue;
        }
        double w[3], change[3], rate[3];
        fil_v3_sub(w, weight + a, weight + b);
        fil_v3_scale(w, body->setup.dt, w);
        fil_m3_apply_transposed(rate, edge->by_rate, w);
        fil_m3_apply_transposed(change, edge->by_edge, w);
        fil_v3_axpy(end + b, 1.0, change);
        fil_v3_axpy(end + a, -1.0, change);
        fil_v3_axpy(end_rate + b, 1.0, rate);
        fil_v3_axpy(end_rate + a, -1.0, rate);
        end_rate[edge->angle] += fil_v3_dot(edge->by_spin, w);
    }
}

/* Torques on edges turn with nothing: their forces and axial parts follow the edge alone. */
static void add_torques(const FilRodBody* body, const double* end, double* out)
{
    const FilRodDerivative* d = body->derivative;
    for (int i = 0; i < d->edge_count && body->has_torque; i++) {
        const EdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        double change[3], force[3];
        fil_v3_sub(change, end + b, end + a);
        fil_m3_apply(force, edge->torque_force, change);
        fil_v3_axpy(out + b, -body->setup.dt, force);
        fil_v3_axpy(out + a, body->setup.dt, force);
        out[edge->angle] -= body->setup.dt * fil_v3_dot(edge->torque_angle, change);
    }
}

static void add_torques_back(const FilRodBody* body, const double* weight, double* end)
{
    const FilRodDerivative* d = body->derivative;
    for (int i = 0; i < d->edge_count && body->has_torque; i++) {
        const EdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        double w[3], change[3];
        fil_v3_sub(w, weight + a, weight + b);
        fil_m3_apply_transposed(change, edge->torque_force, w);
        fil_v3_axpy(change, -weight[edge->angle], edge->torque_angle);
        fil_v3_axpy(end + b, body->setup.dt, change);
        fil_v3_axpy(end + a, -body->setup.dt, change);
    }
}

/* out -= dt B1' D B0 x, or with start and end exchanged. */
static void add_strains(const FilRodBody* body, bool back, const double* x, double* out)
{
    const FilRodDerivative* d = body->derivative;
    for (int s = 0; s < d->strain_count; s++) {
        const DampedStrain* strain = &d->strains[s];
        const double *from = back ? strain->end : strain->start, *to = back ? strain->start : strain->end;
        double sum = 0.0;
        for (int k = 0; k < strain->count; k++) {
            sum += from[k] * x[strain->unknown[k]];
        }
        for (int k = 0; k < strain->count; k++) {
            out[strain->unknown[k]] -= body->setup.dt * strain->stiffness * sum * to[k];
        }
    }
}

static void vary(void* pointer, const double* place, const double* rate, const double* end_rate, double* residual, double* end_place)
{
    FilRodBody* body = pointer;
    FilRodDerivative* d = body->derivative;
    const int n = 4 * body->node_count;
    find_end(body, place, end_rate, d->end);
    if (residual != NULL) {
        for (int k = 0; k < n; k++) {
            residual[k] = body->mass[k] * (end_rate[k] - at(rate, k)) + body->setup.dt * body->damping[k] * end_rate[k];
        }
        add_hessian(body, d->end, residual);
        add_couples(d, 1.0, d->end, residual);
        add_gyroscopic(body, d->end, end_rate, residual);
        add_torques(body, d->end, residual);
        if (place != NULL) {
            add_strains(body, false, place, residual);
        }
        for (int k = 0; k < n; k++) {
            residual[k] *= body->is_free[k];
        }
    }
    if (end_place != NULL) {
        memcpy(end_place, d->end, sizeof(double) * (size_t)n);
        for (int c = 0; c < body->copy_count; c++) {  // which are where their owners are
            fil_v3_copy(end_place + 4 * body->copies[c], d->end + 4 * body->owner[body->copies[c]]);
        }
    }
}

static void vary_back(void* pointer, const double* residual, const double* end_place, double* place, double* rate, double* end_rate)
{
    FilRodBody* body = pointer;
    FilRodDerivative* d = body->derivative;
    const int n = 4 * body->node_count;
    for (int k = 0; k < n; k++) {
        d->end[k] = at(end_place, k);
        d->weight[k] = body->is_free[k] * at(residual, k);
        end_rate[k] += (body->mass[k] + body->setup.dt * body->damping[k]) * d->weight[k];
        rate[k] -= body->mass[k] * d->weight[k];
    }
    for (int c = 0; c < body->copy_count; c++) {
        fil_v3_axpy(d->end + 4 * body->owner[body->copies[c]], 1.0, d->end + 4 * body->copies[c]);
        fil_v3_set(d->end + 4 * body->copies[c], 0.0, 0.0, 0.0);
    }
    if (residual != NULL) {
        add_hessian(body, d->weight, d->end);
        add_couples(d, -1.0, d->weight, d->end);
        add_gyroscopic_back(body, d->weight, d->end, end_rate);
        add_torques_back(body, d->weight, d->end);
        add_strains(body, true, d->weight, place);
    }
    find_end_back(body, d->end, place, end_rate);
}

/* v = (target - q0) / dt; angles of rods that do not twist stay as they are. */
static void lead(const void* pointer, const double* place, double* end_rate)
{
    const FilRodBody* body = pointer;
    for (int h = 0; h < body->held_count; h++) {
        const int k = body->held_at[h];
        end_rate[k] = k % 4 == 3 ? 0.0 : -at(place, k) / body->setup.dt;
    }
}

static void lead_back(const void* pointer, const double* end_rate, double* place)
{
    const FilRodBody* body = pointer;
    for (int h = 0; h < body->held_count; h++) {
        const int k = body->held_at[h];
        place[k] -= k % 4 == 3 ? 0.0 : end_rate[k] / body->setup.dt;
    }
}

const FilDerivativeOps fil_rod_derivative_ops = {.prepare = prepare, .vary = vary, .vary_back = vary_back, .lead = lead, .lead_back = lead_back};
