/* What holds, draws and loads a rod: pins, held angles, clamps, handles, forces, torques, live rest shapes. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "body/rod.h"
#include "body/rod_block.h"

/* Half an edge twists by less than pi. */
static const KnownTwist1 untwisted = {0.0, 1.0, 0.0};

/* Unknown of coordinate k of a rod's node: that of the node's owner. */
static int position_unknown(const FilRodBody* body, const FilRod* rod, int node, int k)
{
    return 4 * body->owner[rod->first_node + node] + k;
}

static int angle_unknown(const FilRod* rod, int edge)
{
    return 4 * (rod->first_node + edge) + 3;
}

/* ---- making attachments ---- */

/* The edges that start and end at a node, -1 where there is none. */
static void edges_at(const FilRod* rod, int node, int* starts, int* ends)
{
    *starts = rod->closed || node < rod->node_count - 1 ? node : -1;
    *ends = node > 0 ? node - 1 : (rod->closed ? rod->node_count - 1 : -1);
}

/* How the initial curve turns over half an edge at a node: curvatures towards m1 and m2 and twist, rad. */
static void half_turn(const FilRod* rod, const double* q, const FilRodHistory* h, int node, double length, double* turn)
{
    int starts, ends, near = node;
    edges_at(rod, node, &starts, &ends);
    if (starts < 0 || ends < 0) {
        near = starts < 0 ? node - 1 : node + 1;  // an end continues as its neighbour
    }
    double curvature[2] = {0.0, 0.0};
    const bool bends = rod->node_count > 2;
    if (bends) {
        fil_rod_node_curvature(rod, q, h, near, curvature);
    }
    turn[0] = 0.5 * length * curvature[0];
    turn[1] = 0.5 * length * curvature[1];
    turn[2] = bends ? 0.5 * length * h[near].twist / rod->voronoi[near] : 0.0;
}

/* The cross-section at a clamped node as edge `edge` would have it: its frame turned back (or on) by half an edge. */
static void clamp_side(const FilRod* rod, const double* q, const FilRodHistory* h, int node, int edge, bool edge_starts, FilClampSide* side)
{
    side->edge = edge;
    if (edge < 0) {
        return;
    }
    FilStiffness stiffness;
    if (fil_section_stiffness(&rod->sections[edge], &stiffness, NULL) != FIL_OK) {
        return;  // the rod was made of this section: cannot happen
    }
    const double half = 0.5 * h[edge].rest_length;
    side->law = (HingeLaw1){.k1 = stiffness.ei1 / half, .k2 = stiffness.ei2 / half, .kt = rod->twist_free ? 0.0 : stiffness.gj / half};
    side->half = half;
    side->voronoi = rod->voronoi[node];
    Frame1 frame;
    fil_rod_edge_frame(rod, q, h, edge, &frame);
    double turn[3], axis[3];
    half_turn(rod, q, h, node, h[edge].rest_length, turn);
    // turning by w x takes t towards m1 for w = m2 and towards m2 for w = -m1
    for (int k = 0; k < 3; k++) {
        axis[k] = (edge_starts ? -1.0 : 1.0) * (turn[0] * frame.m2[k] - turn[1] * frame.m1[k] + turn[2] * frame.t[k]);
    }
    side->section = frame;
    side->section = fil_rod_clamp_section(side, axis);
}

FilStatus fil_rod_attach(void* pointer, int object, const FilAttachmentDef* def, const double* q, const double* h, int* slot, FilError* error)
{
    FilRodBody* body = pointer;
    const FilRod* rod = &body->rods[object];
    const bool on_edges = def->kind == FIL_ATTACH_TWIST;
    const int size = on_edges ? rod->edge_count : rod->node_count;
    const bool range = def->kind == FIL_ATTACH_PIN || def->kind == FIL_ATTACH_TWIST;
    const int count = range ? def->count : 1, first = def->first < 0 ? def->first + size : def->first;
    if (first < 0 || count < 1 || first + count > size) {
        return fil_error(error, FIL_BAD_INPUT, "%ss %d to %d are not on the rod, which has %d", on_edges ? "edge" : "node", def->first,
                         def->first + count - 1, size);
    }
    if (def->kind == FIL_ATTACH_HANDLE && !(def->stiffness >= 0.0 && def->damping >= 0.0 && def->stiffness + def->damping > 0.0 &&
                                            def->max_force >= 0.0 && isfinite(def->stiffness + def->damping + def->max_force))) {
        return fil_error(error, FIL_BAD_INPUT,
                         "a handle needs a stiffness or damping, and none of stiffness (%g), damping (%g) "
                         "and max_force (%g) may be negative",
                         def->stiffness, def->damping, def->max_force);
    }
    if (body->attachment_count == body->attachment_capacity) {
        const int capacity = 2 * body->attachment_capacity + 8;
        if (!fil_grow((void**)&body->attachments, (size_t)body->attachment_capacity, (size_t)capacity, sizeof *body->attachments)) {
            return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
        }
        body->attachment_capacity = capacity;
    }
    FilRodAttachment* a = &body->attachments[body->attachment_count];
    *a = (FilRodAttachment){.kind = def->kind,
                            .rod = object,
                            .first = first,
                            .count = count,
                            .stiffness = def->stiffness,
                            .damping = def->damping,
                            .max_force = def->max_force};
    a->origin = fil_alloc((size_t)count * (on_edges ? 1 : 3), sizeof(double));
    if (a->origin == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    const double* x = q + 4 * rod->first_node;
    const FilRodHistory* history = (const FilRodHistory*)h + rod->first_node;
    for (int i = 0; i < count; i++) {
        if (on_edges) {
            a->origin[i] = x[4 * (first + i) + 3];
        } else {
            fil_v3_copy(a->origin + 3 * i, x + 4 * (first + i));
        }
    }
    if (def->kind == FIL_ATTACH_CLAMP) {
        int starts, ends;
        edges_at(rod, first, &starts, &ends);
        clamp_side(rod, x, history, first, starts, true, &a->side[0]);
        clamp_side(rod, x, history, first, ends, false, &a->side[1]);
        a->law = rod->law[first];
        a->clamped_law = (FilRodLaw){.ea = a->law.ea};
    }
    *slot = body->attachment_count++;
    return FIL_OK;
}

void fil_rod_set_target(void* pointer, int slot, const FilTarget* target)
{
    ((FilRodBody*)pointer)->attachments[slot].target = *target;
}

/* ---- holding ---- */

/* Where node i of a held group is at the end of the step: moved with the group's first node and turned about it. */
static void held_place(const FilRodAttachment* a, int i, double* place)
{
    const FilTarget* target = &a->target;
    double arm[3], turned[3], rotation[9];
    fil_v3_sub(arm, a->origin + 3 * i, a->origin);
    fil_m3_from_rotation_vector(rotation, target->rotation[1]);
    fil_m3_apply(turned, rotation, arm);
    fil_v3_add(place, a->origin, target->displacement[1]);
    fil_v3_axpy(place, 1.0, turned);
}

static void hold(FilRodBody* body, int unknown, double place)
{
    if (!body->held[unknown]) {
        body->held_at[body->held_count++] = unknown;
    } else {
        body->still_count = 0;  // an angle that is turned
    }
    body->held[unknown] = true;
    body->held_q[unknown] = place;
    body->held_v[unknown] = (place - body->q0[unknown]) / body->setup.dt;
}

/* Lists angles of rods that do not twist, once and for all. */
static void hold_angles(FilRodBody* body)
{
    for (int r = 0; r < body->rod_count; r++) {
        for (int i = 0; body->rods[r].twist_free && i < body->rods[r].edge_count; i++) {
            const int angle = angle_unknown(&body->rods[r], i);
            body->held[angle] = true;
            body->held_at[body->held_angles++] = angle;
        }
    }
}

/* Some of these stay where they are. */
static void keep_angles(void* context, int first, int end, int worker)
{
    const FilRodBody* body = context;
    (void)worker;
    for (int h = first; h < end; h++) {
        const int k = body->held_at[h];
        body->held_q[k] = body->q0[k];
        body->held_v[k] = 0.0;
    }
}

void fil_rod_apply_holds(FilRodBody* body)
{
    for (int k = body->held_angles; k < body->held_count; k++) {
        body->held[body->held_at[k]] = false;
    }
    if (body->held_angles == 0) {
        hold_angles(body);
    }
    fil_workers_run(body->workers, body->held_angles, FIL_HELD_GRAIN, keep_angles, body);
    body->still_count = body->held_count = body->held_angles;
    for (int s = 0; s < body->attachment_count; s++) {
        const FilRodAttachment* a = &body->attachments[s];
        FilRod* rod = &body->rods[a->rod];
        if (a->kind == FIL_ATTACH_CLAMP) {
            // the half hinges on both sides take the place of the node's own
            const FilRodLaw law = a->target.active ? a->clamped_law : a->law;
            body->begun = body->begun && memcmp(&rod->law[a->first], &law, sizeof law) == 0;
            rod->law[a->first] = law;
        }
        if (!a->target.active || a->kind == FIL_ATTACH_HANDLE) {
            continue;
        }
        for (int i = 0; i < a->count; i++) {
            if (a->kind == FIL_ATTACH_TWIST) {
                hold(body, angle_unknown(rod, a->first + i), a->origin[i] + a->target.angle[1]);
                continue;
            }
            double place[3];
            held_place(a, i, place);
            for (int k = 0; k < 3; k++) {
                hold(body, position_unknown(body, rod, a->first + i, k), place[k]);
            }
        }
    }
}

void fil_rod_mark_held(const void* pointer, unsigned char* axes)
{
    const FilRodBody* body = pointer;
    for (int s = 0; s < body->attachment_count; s++) {
        const FilRodAttachment* a = &body->attachments[s];
        const bool holds = a->target.active && a->kind != FIL_ATTACH_HANDLE && a->kind != FIL_ATTACH_TWIST;
        for (int i = 0; i < a->count && holds; i++) {
            axes[position_unknown(body, &body->rods[a->rod], a->first + i, 0) / 4] = 7;
        }
    }
}

/* ---- springs of handles and clamps ---- */

/* What draws a node. */
typedef struct Pull {
    double of[3];              /* k (x - p) + c (v - p_dot), against the force */
    double size, slope, share; /* its size, its slope in x, k + c / (theta_vq dt), and what the largest force leaves of it */
    bool limited;
} Pull;

/* A spring and damper to the target with a force of at most max_force; x, v: of the node, where forces are taken. */
static Pull pull_handle(const FilRodBody* body, FilRodAttachment* a, const double* x, const double* v)
{
    const FilTarget* target = &a->target;
    const double dt = body->setup.dt, theta = body->setup.theta;
    Pull pull;
    for (int k = 0; k < 3; k++) {
        const double from = target->displacement[0][k], to = target->displacement[1][k];
        const double place = a->origin[k] + from + theta * (to - from);
        pull.of[k] = a->stiffness * (x[k] - place) + a->damping * (v[k] - (to - from) / dt);
    }
    pull.slope = a->stiffness + a->damping / (body->setup.theta_vq * dt);
    pull.size = fil_v3_norm(pull.of);
    pull.limited = a->max_force > 0.0 && pull.size > a->max_force;
    pull.share = pull.limited ? a->max_force / pull.size : 1.0;
    fil_v3_scale(a->force, -pull.share, pull.of);
    return pull;
}

/* The potential is quadratic, then a cone (Huber). */
static double add_handle(FilRodBody* body, FilRodAttachment* a)
{
    FilRod* rod = &body->rods[a->rod];
    const int at = 4 * (rod->first_node + a->first);
    const Pull p = pull_handle(body, a, body->q_theta + at, body->v_theta + at);
    const double *pull = p.of, size = p.size, slope = p.slope, share = p.share;
    const bool limited = p.limited;

    // on the node's part of one of its edges
    int starts, ends;
    edges_at(rod, a->first, &starts, &ends);
    const int place = starts >= 0 ? 0 : 4;
    double block[49] = {0.0}, gradient[7] = {0.0};
    for (int j = 0; j < 3; j++) {
        gradient[place + j] = share * pull[j];
        for (int k = 0; k < 3; k++) {
            const double along = limited ? pull[j] * pull[k] / (size * size) : 0.0;
            block[7 * (place + j) + place + k] = share * slope * ((j == k ? 1.0 : 0.0) - along);
        }
    }
    fil_rod_chain_add_edge_block(&rod->chain, starts >= 0 ? starts : ends, block, gradient);
    return (limited ? a->max_force * (size - 0.5 * a->max_force) : 0.5 * size * size) / slope;
}

bool fil_rod_pull_handles(FilRodBody* body, const double* v)
{
    const double theta = body->setup.theta, vq = body->setup.theta_vq, dt = body->setup.dt;
    for (int s = 0; s < body->attachment_count; s++) {
        const FilRodAttachment* a = &body->attachments[s];
        if (a->target.active && (a->kind != FIL_ATTACH_HANDLE || body->network)) {
            return false;
        }
    }
    for (int s = 0; s < body->attachment_count; s++) {
        FilRodAttachment* a = &body->attachments[s];
        const int at = 4 * (body->rods[a->rod].first_node + a->first);
        double x[3], rate[3];
        for (int k = 0; k < 3 && a->target.active; k++) {  // P0 eq. 8
            const double v0 = body->v0[at + k];
            x[k] = body->q0[at + k] + theta * dt * vq * v[at + k] + theta * dt * (1.0 - vq) * v0;
            rate[k] = theta * v[at + k] + (1.0 - theta) * v0;
        }
        if (a->target.active) {
            (void)pull_handle(body, a, x, rate);
        }
    }
    return true;
}

/* Stiffness-proportional damping of a half hinge, as in the chain: a second spring from the strain at the step's start. */
static void add_clamp_damping(const FilRodBody* body, const FilRodAttachment* a, int which, HingeLaw1* law)
{
    const FilClampSide* side = &a->side[which];
    const FilRod* rod = &body->rods[a->rod];
    const double damping = rod->damping_stiffness / (body->setup.theta * body->setup.dt);
    const Frame1 section = fil_rod_clamp_section(side, a->target.rotation[0]);
    Frame1 edge;
    fil_rod_edge_frame(rod, body->q0 + 4 * rod->first_node, body->h0 + rod->first_node, side->edge, &edge);
    const Frame1 *e = which == 0 ? &section : &edge, *f = which == 0 ? &edge : &section;
    double kappa1, kappa2;
    curvatures1(e, f, &kappa1, &kappa2);
    fil_rod_blend_law(law, kappa1, kappa2, twist1(e, f, &untwisted), damping);
}

/* A held cross-section bends and twists the half edge beside it. */
static double add_clamp_side(FilRodBody* body, FilRodAttachment* a, int which)
{
    FilClampSide* side = &a->side[which];
    FilRod* rod = &body->rods[a->rod];
    const double theta = body->setup.theta;
    double turn[3], block[49], gradient[7];
    for (int k = 0; k < 3; k++) {
        turn[k] = (1.0 - theta) * a->target.rotation[0][k] + theta * a->target.rotation[1][k];
    }
    const Frame1 section = fil_rod_clamp_section(side, turn);
    HingeLaw1 law = fil_rod_clamp_law(side, body->h0 + rod->first_node + a->first);
    if (rod->damping_stiffness > 0.0 && theta > 0.0) {
        add_clamp_damping(body, a, which, &law);
    }
    Frame1 edge;
    fil_rod_chain_frame(&rod->chain, side->edge, &edge);
    const Frame1* e = which == 0 ? &section : &edge;
    const Frame1* f = which == 0 ? &edge : &section;
    HingeTerms1 terms;
    hinge1(e, f, &law, &untwisted, &terms);
    if (which == 0) {
        fil_rod_start_block(&edge, &terms, block, gradient);
    } else {
        fil_rod_end_block(&edge, &terms, block, gradient);
    }
    fil_rod_chain_add_edge_block(&rod->chain, side->edge, block, gradient);
    // torque on the edge: turning it by w moves t by w x t, its angle by w . t
    const double g1 = which == 0 ? terms.g_u1 : terms.g_v1, g2 = which == 0 ? terms.g_u2 : terms.g_v2;
    const double ga = which == 0 ? terms.g_f : terms.g_e;
    for (int k = 0; k < 3; k++) {
        side->torque[k] = -(g1 * edge.m2[k] - g2 * edge.m1[k] + ga * edge.t[k]);
    }
    return terms.energy;
}

/* Torques on edges, world frame: the axial part turns the angle, the rest is a couple of forces on the nodes. */
static void add_torques(FilRodBody* body)
{
    for (int r = 0; r < body->rod_count && body->has_torque; r++) {
        FilRod* rod = &body->rods[r];
        for (int i = 0; i < rod->edge_count; i++) {
            const double* torque = body->torque + 3 * (rod->first_node + i);
            const int at = 4 * (rod->first_node + i), next = 4 * (rod->first_node + (i + 1) % rod->node_count);
            Frame1 frame;
            fil_rod_chain_frame(&rod->chain, i, &frame);
            double force[3];  // (T x t) / l: the axial part drops out
            fil_v3_cross(force, torque, frame.t);
            fil_v3_axpy(body->gradient + next, -frame.inverse, force);
            fil_v3_axpy(body->gradient + at, frame.inverse, force);
            body->gradient[at + 3] -= fil_v3_dot(torque, frame.t);
        }
    }
}

double fil_rod_add_springs(FilRodBody* body)
{
    double energy = 0.0;
    add_torques(body);
    for (int s = 0; s < body->attachment_count; s++) {
        FilRodAttachment* a = &body->attachments[s];
        if (!a->target.active) {
            continue;
        }
        if (a->kind == FIL_ATTACH_HANDLE) {
            energy += add_handle(body, a);
        } else if (a->kind == FIL_ATTACH_CLAMP) {
            for (int which = 0; which < 2; which++) {
                energy += a->side[which].edge >= 0 ? add_clamp_side(body, a, which) : 0.0;
            }
        }
    }
    return energy;
}

/* ---- what the holds did ---- */

static void collect_pin(const FilRodBody* body, FilRodAttachment* a)
{
    const FilRod* rod = &body->rods[a->rod];
    double place[3], first[3], arm[3], moment[3];
    held_place(a, 0, first);
    for (int i = 0; i < a->count; i++) {
        const double* reaction = body->reaction + position_unknown(body, rod, a->first + i, 0);
        held_place(a, i, place);
        fil_v3_sub(arm, place, first);
        fil_v3_cross(moment, arm, reaction);
        fil_v3_axpy(a->force, 1.0, reaction);
        fil_v3_axpy(a->torque, 1.0, moment);
    }
}

void fil_rod_collect_reactions(FilRodBody* body)
{
    for (int s = 0; s < body->attachment_count; s++) {
        FilRodAttachment* a = &body->attachments[s];
        FilRod* rod = &body->rods[a->rod];
        if (a->kind == FIL_ATTACH_HANDLE && a->target.active) {
            continue;  // its force is its own
        }
        fil_v3_set(a->force, 0.0, 0.0, 0.0);
        fil_v3_set(a->torque, 0.0, 0.0, 0.0);
        if (!a->target.active) {
            continue;
        }
        if (a->kind == FIL_ATTACH_TWIST) {
            for (int i = 0; i < a->count; i++) {
                Frame1 frame;
                fil_rod_chain_frame(&rod->chain, a->first + i, &frame);
                fil_v3_axpy(a->torque, body->reaction[angle_unknown(rod, a->first + i)], frame.t);
            }
            continue;
        }
        collect_pin(body, a);
        for (int which = 0; which < 2; which++) {
            if (a->kind == FIL_ATTACH_CLAMP && a->side[which].edge >= 0) {
                fil_v3_axpy(a->torque, 1.0, a->side[which].torque);
            }
        }
    }
}

void fil_rod_reaction(const void* pointer, int slot, double* force, double* torque)
{
    const FilRodAttachment* a = &((const FilRodBody*)pointer)->attachments[slot];
    fil_v3_copy(force, a->force);
    fil_v3_copy(torque, a->torque);
}

/* ---- loads and live rest shapes ---- */

void fil_rod_clear_loads(void* pointer)
{
    FilRodBody* body = pointer;
    if (body->any_load) {
        memset(body->load, 0, sizeof(double) * 4 * (size_t)body->node_count);
        memset(body->torque, 0, sizeof(double) * 3 * (size_t)body->node_count);
    }
    body->any_load = body->has_torque = false;
}

int fil_rod_load_range(const void* pointer, int object, FilDriveKind kind)
{
    const FilRod* rod = &((const FilRodBody*)pointer)->rods[object];
    switch (kind) {
        case FIL_DRIVE_TORQUE:
        case FIL_DRIVE_AXIAL_TORQUE:
        case FIL_DRIVE_REST_LENGTH:
            return rod->edge_count;
        case FIL_DRIVE_FORCE:
        case FIL_DRIVE_CURVATURE:
        case FIL_DRIVE_REST_TWIST:
            return rod->node_count;
        default:
            return 0;
    }
}

/* Curvature at rest of some nodes, the same for all. */
static void set_curvature(const FilRod* rod, int first, int count, const double* value, FilRodHistory* history)
{
    const double size = hypot(value[0], value[1]);
    double length = NAN, rest1 = 0.0, rest2 = 0.0;
    for (int i = first; i < first + count; i++) {
        if (rod->voronoi[i] != length) {  // most are as long as the one before
            length = rod->voronoi[i];
            fil_rod_rest_from_curvature_of(length, value, size, &rest1, &rest2);
        }
        history[i].rest1 = rest1;
        history[i].rest2 = rest2;
    }
}

void fil_rod_load(void* pointer, int object, FilDriveKind kind, int first, int count, const double* value, double* h)
{
    FilRodBody* body = pointer;
    const FilRod* rod = &body->rods[object];
    FilRodHistory* history = (FilRodHistory*)h + rod->first_node;
    if (kind == FIL_DRIVE_CURVATURE) {  // no load
        set_curvature(rod, first, count, value, history);
        return;
    }
    body->any_load = true;
    for (int i = first; i < first + count; i++) {
        switch (kind) {
            case FIL_DRIVE_FORCE:
                fil_v3_axpy(body->load + position_unknown(body, rod, i, 0), 1.0, value);
                break;
            case FIL_DRIVE_TORQUE:
                fil_v3_axpy(body->torque + 3 * (rod->first_node + i), 1.0, value);
                body->has_torque = true;
                break;
            case FIL_DRIVE_AXIAL_TORQUE:
                body->load[angle_unknown(rod, i)] += value[0];
                break;
            case FIL_DRIVE_REST_TWIST:
                history[i].rest_twist = value[0] * rod->voronoi[i];
                break;
            case FIL_DRIVE_REST_LENGTH:
                history[i].rest_length = value[0] * rod->initial[i].rest_length;
                break;
            default:
                FIL_ASSERT(false && "a drive of attachments is not a load");
        }
    }
}
