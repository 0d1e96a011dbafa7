/* What the products of rod_derivative.c are made of, taken where the forces of a step were. */
#include <string.h>

#include "base/arena.h"
#include "base/vec3.h"
#include "body/rod_block.h"
#include "body/rod_derivative.h"

static void count_entry(void* context, int row, int column, double value)
{
    (void)row, (void)column, (void)value;
    ((FilRodDerivative*)context)->entry_capacity++;
}

/* Patterns of rods' matrices stay: entries one after the other, those in the row and column of one unknown together. */
static void place_entry(void* context, int row, int column, double value)
{
    FilRodDerivative* d = context;
    (void)value;
    row = fil_rod_owner(d->body, d->first_unknown + row);
    column = fil_rod_owner(d->body, d->first_unknown + column);
    FilEntryRun* run = d->run_count > 0 ? &d->runs[d->run_count - 1] : NULL;
    if (run == NULL || row == column || (row != run->unknown && column != run->unknown)) {
        run = &d->runs[d->run_count++];
        *run = (FilEntryRun){.unknown = row, .end = d->entry_count};
    }
    if (row == column) {
        d->slot[d->slot_count++] = d->entry_capacity + d->run_count - 1;
        return;
    }
    d->slot[d->slot_count++] = d->entry_count;
    d->other[d->entry_count] = row == run->unknown ? column : row;
    run->end = ++d->entry_count;
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
    d->runs = fil_arena_alloc(arena, (size_t)d->entry_capacity, sizeof *d->runs);
    d->other = fil_arena_alloc(arena, (size_t)d->entry_capacity, sizeof *d->other);
    d->slot = fil_arena_alloc(arena, (size_t)d->entry_capacity, sizeof *d->slot);
    d->value = fil_arena_alloc(arena, 2 * (size_t)d->entry_capacity, sizeof *d->value);
    // of hinges, of edges, on either side of a clamp; or three of a handle
    d->strain_capacity = 2 * body->node_count + 3 * body->attachment_count;
    d->strains = fil_arena_alloc(arena, (size_t)d->strain_capacity, sizeof *d->strains);
    d->edges = fil_arena_alloc(arena, n, sizeof *d->edges);
    d->frames = fil_arena_alloc(arena, n, sizeof *d->frames);
    d->open = fil_arena_alloc(arena, 4 * n, sizeof *d->open);
    d->end = fil_arena_alloc(arena, 4 * n, sizeof *d->end);
    d->weight = fil_arena_alloc(arena, 4 * n, sizeof *d->weight);
    if (d->runs == NULL || d->other == NULL || d->slot == NULL || d->value == NULL || d->strains == NULL || d->edges == NULL || d->frames == NULL ||
        d->open == NULL || d->end == NULL || d->weight == NULL) {
        return false;
    }
    for (int r = 0; r < body->rod_count; r++) {
        d->first_unknown = 4 * body->rods[r].first_node;
        fil_rod_chain_visit(&body->rods[r].chain, place_entry, d);
    }
    body->derivative = d;
    return true;
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

/* That of both edges of a hinge. */
static void set_hinge_row(const Frame1* frames[2], const double* reduced, double* row)
{
    const double a = reduced[0] * frames[0]->inverse, b = reduced[1] * frames[0]->inverse;
    const double c = reduced[3] * frames[1]->inverse, d = reduced[4] * frames[1]->inverse;
    for (int k = 0; k < 3; k++) {
        const double first = a * frames[0]->m1[k] + b * frames[0]->m2[k], second = c * frames[1]->m1[k] + d * frames[1]->m2[k];
        row[k] = -first;
        row[4 + k] = first - second;
        row[8 + k] = second;
    }
    row[3] = reduced[2];
    row[7] = reduced[5];
}

static void name_unknowns(const FilRodBody* body, const int* nodes, FilDampedStrain* strain)
{
    for (int n = 0; 4 * n < strain->count; n++) {
        for (int k = 4 * n; k < 4 * n + 4 && k < strain->count; k++) {
            strain->unknown[k] = fil_rod_owner(body, nodes[n]) + k % 4;
        }
        if (4 * n + 3 < strain->count) {
            strain->unknown[4 * n + 3] = nodes[n] + 3;
        }
    }
}

/* A hinge's three strains, between edges whose nodes are a, b, c; e or f NULL: it is held, and does not move. */
static void add_hinge(FilRodDerivative* d, const int* nodes, int count, const Frame1* start[2], const Frame1* end[2], const bool* moves,
                      const double* stiffness)
{
    double gradients[2][3][6];
    fil_rod_strain_gradients(start[0], start[1], gradients[0]);
    fil_rod_strain_gradients(end[0], end[1], gradients[1]);
    FilDampedStrain* strain = &d->strains[d->strain_count++];
    strain->count = count;
    strain->rows = 3;
    fil_v3_copy(strain->stiffness, stiffness);
    name_unknowns(d->body, nodes, strain);
    const int f = moves[0] ? 4 : 0;  // places of the second edge in the row
    for (int s = 0; s < 3; s++) {
        for (int when = 0; when < 2; when++) {
            const Frame1** frames = when == 0 ? start : end;
            double* row = when == 0 ? strain->start[s] : strain->end[s];
            if (moves[0] && moves[1]) {
                set_hinge_row(frames, gradients[when][s], row);
                continue;
            }
            memset(row, 0, sizeof strain->start[s]);
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
    FilDampedStrain* strain = &d->strains[d->strain_count++];
    strain->count = 7;
    strain->rows = 1;
    strain->stiffness[0] = stiffness;
    strain->start[0][3] = strain->end[0][3] = 0.0;
    for (int k = 0; k < 3; k++) {
        strain->start[0][k] = -start->t[k], strain->start[0][4 + k] = start->t[k];
        strain->end[0][k] = -end->t[k], strain->end[0][4 + k] = end->t[k];
    }
    name_unknowns(d->body, nodes, strain);
}

/* Strains of a rod that are damped. */
static void take_strains(FilRodBody* body, FilRod* rod, FilRodDerivative* d)
{
    const double damping = rod->damping_stiffness / body->setup.dt;
    const FilRodHistory* h0 = body->h0 + rod->first_node;
    const FilEdgeFrames* frames = d->frames + rod->first_node;
    const int n = rod->node_count, base = 4 * rod->first_node;
    for (int i = 0; i < rod->edge_count && damping > 0.0; i++) {
        const int before = (i + n - 1) % n, next = (i + 1) % n;
        const FilEdgeFrames *own = &frames[i], *last = &frames[before];
        add_stretch(d, (const int[2]){base + 4 * i, base + 4 * next}, &own->start, &own->end, damping * rod->law[i].ea / h0[i].rest_length);
        if (!rod->closed && i == 0) {
            continue;
        }
        const FilRodLaw* law = &rod->law[i];
        add_hinge(d, (const int[3]){base + 4 * before, base + 4 * i, base + 4 * next}, 11, (const Frame1* [2]){&last->start, &own->start},
                  (const Frame1* [2]){&last->end, &own->end}, (const bool[2]){true, true},
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
static void take_gyroscopic(const FilRodBody* body, const double* v, FilEdgeVariation* edge)
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
static void take_torque(const double* torque, const Frame1* frame, FilEdgeVariation* edge)
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

/* -(t0 x t1) / (1 + t0 . t1), by both edges. */
static FilEdgeTurn turn_between(const double* t0, double inverse0, const double* t1, double inverse1)
{
    FilEdgeTurn turn;
    double area[3];
    fil_v3_cross(area, t0, t1);
    fil_v3_scale(area, -1.0 / (1.0 + fil_v3_dot(t0, t1)), area);
    fil_v3_scale(turn.start, inverse0, area);
    fil_v3_scale(turn.end, inverse1, area);
    return turn;
}

static void take_edges(FilRodBody* body, FilRod* rod, const double* v, FilRodDerivative* d)
{
    const double dt = body->setup.dt;
    for (int i = 0; i < rod->edge_count; i++) {
        FilEdgeVariation* edge = &d->edges[d->edge_count++];
        FilEdgeFrames* frames = &d->frames[rod->first_node + i];
        fil_rod_edge_frame(rod, body->q0 + 4 * rod->first_node, body->h0 + rod->first_node, i, &frames->start);
        fil_rod_chain_frame(&rod->chain, i, &frames->end);
        const Frame1 *start = &frames->start, *end = &frames->end;
        const int own = rod->first_node + i, next = rod->first_node + (i + 1) % rod->node_count;
        edge->unknown[0] = 4 * body->owner[own], edge->unknown[1] = 4 * body->owner[next], edge->angle = 4 * own + 3;
        edge->turn = edge->last = turn_between(start->t, start->inverse, end->t, end->inverse);
        fil_v3_copy(edge->tangent, end->t);
        const bool counts = !rod->chain.untwisted;
        d->open[edge->angle] = counts ? 1.0 : 0.0;
        // the elastic moment: a torque's own is no part of it
        const double *torque = body->torque + 3 * own, load = body->has_torque ? fil_v3_dot(torque, end->t) : 0.0;
        edge->couple = counts ? 0.5 * dt * (body->gradient[edge->angle] + load) * end->inverse * end->inverse : 0.0;
        if (body->has_torque) {
            take_torque(torque, end, edge);
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
        FilDampedStrain* strain = &d->strains[d->strain_count++];
        *strain = (FilDampedStrain){.count = 1, .rows = 1, .stiffness = {a->damping / body->setup.dt}, .start = {{1.0}}, .end = {{1.0}}};
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
        // at its bound, to rounding of the square root that brings it there
        if (a->target.active && a->kind == FIL_ATTACH_HANDLE && a->max_force > 0.0 && fil_v3_norm(a->force) > (1.0 - 1e-9) * a->max_force) {
            return "pulls at a handle with all the force that it has, of which gradients are not known yet";
        }
    }
    return NULL;
}

const char* fil_rod_prepare_derivative(void* pointer, const double* v)
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
    d->strain_count = d->edge_count = 0;
    memset(d->value, 0, sizeof(double) * (size_t)(d->entry_capacity + d->run_count));
    const int* slot = d->slot;
    for (int k = 0; k < 4 * body->node_count; k++) {
        d->open[k] = k % 4 == 3 || body->held[k] ? 0.0 : 1.0;
    }
    for (int r = 0; r < body->rod_count; r++) {
        FilRod* rod = &body->rods[r];
        d->first_unknown = 4 * rod->first_node;
        slot += fil_rod_chain_scatter(&rod->chain, slot, 1.0, d->value);
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

/* ---- in contact ---- */

static double place_after(const FilRodBody* body, int k, const double* v)
{
    return body->held[k] ? body->held_q[k] : body->q0[k] + body->setup.dt * v[k];
}

const char* fil_rod_linearised(void* pointer, const double* v_free, const double* v)
{
    FilRodBody* body = pointer;
    for (int r = 0, k = 0; r < body->rod_count; r++) {
        const FilRod* rod = &body->rods[r];
        for (int i = 0; i < rod->edge_count; i++, k++) {
            FilEdgeVariation* edge = &body->derivative->edges[k];
            const Frame1* start = &body->derivative->frames[rod->first_node + i].start;
            double e[3];
            for (int j = 0; j < 3; j++) {
                e[j] = place_after(body, edge->unknown[1] + j, v) - place_after(body, edge->unknown[0] + j, v);
            }
            const double length = fil_v3_normalise(e);
            edge->last = turn_between(start->t, start->inverse, e, 1.0 / length);
        }
    }
    return fil_rod_take_bends(body, v_free, v);
}
