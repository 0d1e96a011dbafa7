/* Contacts: what the narrow phase found at one point, with materials and Jacobians. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/vec3.h"
#include "collision/collision.h"

/* Rigid surfaces store no energy: where they overlap nevertheless they part slowly, over this time and slower than the
 * inverse of this dissipation, instead of leaping apart within a step. Chosen: stacks, falling boxes and ladders pass their checks with 0.02 to 0.1 s
 * and with 5 to 100 s/m; what lies on rigid ground is left with 2e-10 m/s here, 2e-7 with 0.1 s. */
static const double RIGID_TIME = 0.05;        /* s */
static const double RIGID_DISSIPATION = 20.0; /* s/m */

/* Depths up to which near-rigid contact is regularised by what a step can resolve, as shares of the size: well above what
 * objects of like mass sink by at rest, g dt (dt + tau)/(4 pi^2), 12 um at 1 ms, for boxes of centimetres and ropes of millimetres. */
static const double SHAPE_DEPTH = 1e-3;
static const double SOFT_DEPTH = 1e-2; /* rods' radii, and the balls at vertices of cloth and solids */

/* The part that a contact's point moves with. A vertex of a sheet takes no couple, and its surface is half a thickness away: there the point
 * goes with the triangle at the vertex that faces the contact most, or, edge on, the largest. */
static int moving_part(const FilCollisionStage* stage, const FilContact* contact, int side)
{
    static const double EDGE_ON =
        1e-3;  // share of a triangle's area that counts whatever its direction; 1e-4 to 1e-2: no bit of `solid.rest` differs
    const int collider = contact->collider[side];
    const FilWorldCollider* c = &stage->colliders[collider];
    const FilCollisionSheet* s = c->sheet >= 0 ? &stage->sheets[c->sheet] : NULL;
    int best = contact->part[side];
    if (s == NULL || s->mesh != NULL || best != 0) {
        return best;
    }
    const int vertex = collider - s->first;
    double max = 0.0;
    for (int k = s->facets.fan_first[vertex]; k < s->facets.fan_first[vertex + 1]; k++) {
        const int t = s->facets.fans[k];
        double ab[3], ac[3], n[3];
        fil_v3_sub(ab, fil_facets_corner(&s->facets, t, 1), fil_facets_corner(&s->facets, t, 0));
        fil_v3_sub(ac, fil_facets_corner(&s->facets, t, 2), fil_facets_corner(&s->facets, t, 0));
        fil_v3_cross(n, ab, ac);
        const double faces = fabs(fil_v3_dot(n, contact->frame + 6)) + EDGE_ON * fil_v3_norm(n);
        if (faces > max) {
            max = faces;
            best = fil_collision_sheet_part(s, t);
        }
    }
    return best;
}

/* Whether a side is a cord, which does not turn about itself. */
static bool is_cord(const FilCollisionStage* stage, const FilContact* contact, int side)
{
    const FilCollider* collider = &stage->colliders[contact->collider[side]].collider;
    return collider->kind == FIL_COLLIDER_ROW && !collider->twists;
}

/* If so: its axis t, and how its surface would move if it did, u = t x arm. */
static bool find_cord(const FilCollisionStage* stage, const FilContact* contact, int side, double* t, double* u)
{
    const FilWorldCollider* c = &stage->colliders[contact->collider[side]];
    if (!is_cord(stage, contact, side)) {
        return false;
    }
    const FilBody* body = &stage->system->bodies[c->body];
    const int edge = contact->part[side], next = edge + 1 == c->collider.node_count ? 0 : edge + 1;
    FilPlacement place;
    double arm[3];
    body->ops->place(body->impl, c->index, stage->system->state.q + body->q, stage->system->state.v + body->v, &place);
    fil_v3_sub(t, place.nodes + 4 * next, place.nodes + 4 * edge);
    fil_v3_normalise(t);
    fil_v3_sub(arm, contact->point, place.nodes + 4 * edge);
    fil_v3_cross(u, t, arm);
    return true;
}

/* Friction at a cord's surface leaves a couple (f . u) t that the cord cannot take. The other side takes it, so that angular
 * momentum stays: its point moves by v - u (t . omega), as on the cord's axis. Of two cords, at an angle of cosine g, each takes
 * what is across it: u becomes (u - g u') / (1 - g^2). Cords that are nearly parallel cannot, and lose it. */
static void take_couple(const FilCollisionStage* stage, const FilContact* contact, int side, int part, const int* blocks, int count, double* jacobian,
                        double* bias)
{
    static const double PARALLEL = 0.05;  // 1 - g^2 of 13 degrees: beyond, couples would be twenty times what is lost
    double t[3], u[3], own_t[3], own_u[3], turn_bias[3], turn[12 * FIL_JACOBIAN_BLOCKS];
    if (!find_cord(stage, contact, 1 - side, t, u)) {
        return;
    }
    if (find_cord(stage, contact, side, own_t, own_u)) {
        const double g = fil_v3_dot(t, own_t), across = 1.0 - g * g;
        for (int k = 0; k < 3 && across > PARALLEL; k++) {
            u[k] = (u[k] - g * own_u[k]) / across;
        }
    }
    const FilWorldCollider* c = &stage->colliders[contact->collider[side]];
    const FilBody* body = &stage->system->bodies[c->body];
    int turn_blocks[FIL_JACOBIAN_BLOCKS];
    const int turns = body->ops->turn_jacobian(body->impl, c->index, part, stage->system->state.q + body->q, turn_blocks, turn, turn_bias);
    fil_v3_axpy(bias, -fil_v3_dot(t, turn_bias), u);
    for (int b = 0; b < turns; b++) {
        // what turns moves: its blocks are among those of the point, but for vertices, which do not turn
        for (int at = 0; at < count; at++) {
            for (int k = 0; k < 12 && blocks[at] == turn_blocks[b]; k++) {
                const double* column = turn + 12 * b + k % 4;
                jacobian[12 * at + k] -= u[k / 4] * (t[0] * column[0] + t[1] * column[4] + t[2] * column[8]);
            }
        }
    }
}

/* Adds to a block that the contact has on the same variable, if any: triangles of a sheet that touches itself may have a corner in common. */
static bool join_block(FilContactSet* set, const FilContact* contact, int variable, const double* jacobian)
{
    for (int k = contact->first_block; k < set->block_count && contact->body[0] == contact->body[1]; k++) {
        if (set->variable[k] == variable) {
            for (int m = 0; m < 12; m++) {
                set->jacobian[12 * (size_t)k + (size_t)m] += jacobian[m];
            }
            return true;
        }
    }
    return false;
}

/* Adds blocks of one side's Jacobian, in the contact's frame and with its sign. */
static FilStatus add_turned(FilCollisionStage* stage, FilContact* contact, int side, const int* blocks, int count, const double* jacobian)
{
    const FilBody* body = &stage->system->bodies[contact->body[side]];
    FilStatus status = FIL_OK;
    for (int b = 0; b < count && status == FIL_OK; b++) {
        const double *v = stage->system->state.v + body->v + 4 * blocks[b], *local = jacobian + 12 * b;
        for (int k = 0; k < 4; k++) {
            contact->normal_velocity += local[8 + k] * v[k];
        }
        if (side == 0 || !join_block(&stage->set, contact, body->v / 4 + blocks[b], local)) {
            status = fil_contact_set_add_block(&stage->set, body->v / 4 + blocks[b], local);
        }
    }
    return status;
}

/* +1 for side 1, -1 for side 0 */
static double sign_of(int side)
{
    return side == 1 ? 1.0 : -1.0;
}

/* The same, given in the world's frame. */
static FilStatus add_blocks(FilCollisionStage* stage, FilContact* contact, int side, const int* blocks, int count, const double* jacobian,
                            const double* bias)
{
    const double sign = sign_of(side), *frame = contact->frame;
    double turned[3], local[12 * FIL_JACOBIAN_BLOCKS];
    fil_m3_apply(turned, frame, bias);
    fil_v3_axpy(contact->bias, sign, turned);
    contact->normal_velocity += sign * turned[2];
    for (int b = 0; b < count; b++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 4; k++) {
                const double *column = jacobian + 12 * b + k, *row = frame + 3 * j;
                local[12 * b + 4 * j + k] = sign * (row[0] * column[0] + row[1] * column[4] + row[2] * column[8]);
            }
        }
    }
    return add_turned(stage, contact, side, blocks, count, local);
}

/* Of a rod's edge, at most. */
enum { EDGE_BLOCKS = 3 };

/* Blocks of a row's edge, in the contact's frame already, written where they stay unless they join others. */
static FilStatus add_edge_side(FilCollisionStage* stage, FilContact* contact, int side, int edge)
{
    const FilWorldCollider* c = &stage->colliders[contact->collider[side]];
    const FilBody* body = &stage->system->bodies[c->body];
    FilContactSet* set = &stage->set;
    const int first = set->block_count;
    if (!fil_contact_set_extend(set, set->count, first + EDGE_BLOCKS)) {
        return FIL_OUT_OF_MEMORY;
    }
    int kept = 0, *blocks = set->variable + first;
    double* jacobian = set->jacobian + 12 * (size_t)first;
    const int count = body->ops->edge_jacobian(body->impl, c->index, edge, contact->point, stage->system->state.q + body->q, contact->frame,
                                               sign_of(side), blocks, jacobian);
    set->block_count = first;  // of the other side
    for (int b = 0; b < count; b++) {
        const double *v = stage->system->state.v + body->v + 4 * blocks[b], *local = jacobian + 12 * b;
        const int variable = body->v / 4 + blocks[b];
        contact->normal_velocity += local[8] * v[0] + local[9] * v[1] + local[10] * v[2] + local[11] * v[3];
        if (side == 1 && join_block(set, contact, variable, local)) {
            continue;
        }
        if (kept < b) {
            memcpy(jacobian + 12 * kept, local, 12 * sizeof *jacobian);
        }
        blocks[kept++] = variable;
    }
    set->block_count = first + kept;
    contact->block_count += kept;
    return FIL_OK;
}

static FilStatus add_side(FilCollisionStage* stage, FilContact* contact, int side)
{
    const FilWorldCollider* c = &stage->colliders[contact->collider[side]];
    const FilBody* body = &stage->system->bodies[c->body];
    if (body->rest == FIL_ASLEEP) {
        return FIL_OK;  // it does not move
    }
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3];
    const int part = moving_part(stage, contact, side);
    if (body->ops->edge_jacobian != NULL && !is_cord(stage, contact, 1 - side)) {
        return add_edge_side(stage, contact, side, part);
    }
    const int count = body->ops->point_jacobian(body->impl, c->index, part, contact->point, stage->system->state.q + body->q, blocks, jacobian, bias);
    take_couple(stage, contact, side, part, blocks, count, jacobian, bias);
    return add_blocks(stage, contact, side, blocks, count, jacobian, bias);
}

/* The same of a node between two edges of a row, which carry half each: J = (J_0 + J_1)/2. */
static FilStatus add_edges(FilCollisionStage* stage, FilContact* contact, int side, const int edge[2])
{
    const FilWorldCollider* c = &stage->colliders[contact->collider[side]];
    const FilBody* body = &stage->system->bodies[c->body];
    const double *q = stage->system->state.q + body->q, half = 0.5 * sign_of(side);
    int blocks[2 * EDGE_BLOCKS];
    double jacobian[12 * 2 * EDGE_BLOCKS];
    int count = body->ops->edge_jacobian(body->impl, c->index, edge[0], contact->point, q, contact->frame, half, blocks, jacobian);
    const int first = count;
    count += body->ops->edge_jacobian(body->impl, c->index, edge[1], contact->point, q, contact->frame, half, blocks + first, jacobian + 12 * first);
    // blocks of both edges
    int kept = first;
    for (int b = first; b < count; b++) {
        int at = 0;
        while (at < first && blocks[at] != blocks[b]) {
            at++;
        }
        for (int k = 0; k < 12; k++) {
            jacobian[12 * (at < first ? at : kept) + k] = (at < first ? jacobian[12 * at + k] : 0.0) + jacobian[12 * b + k];
        }
        blocks[at < first ? at : kept] = blocks[b];
        kept += at == first;
    }
    return add_turned(stage, contact, side, blocks, kept, jacobian);
}

/* The same, of most nodes in one, written where it stays. */
static FilStatus add_node_side(FilCollisionStage* stage, FilContact* contact, int side, const int edge[2], const FilEdgeAxis axis[2])
{
    const FilWorldCollider* c = &stage->colliders[contact->collider[side]];
    const FilBody* body = &stage->system->bodies[c->body];
    FilContactSet* set = &stage->set;
    const int first = set->block_count;
    if (body->rest == FIL_ASLEEP) {
        return FIL_OK;
    }
    if (!fil_contact_set_extend(set, set->count, first + FIL_NODE_BLOCKS)) {
        return FIL_OUT_OF_MEMORY;
    }
    int* blocks = set->variable + first;
    double* jacobian = set->jacobian + 12 * (size_t)first;
    if (body->ops->node_jacobian(body->impl, c->index, edge, axis, contact->point, stage->system->state.q + body->q, contact->frame,
                                 0.5 * sign_of(side), blocks, jacobian) == 0) {
        set->block_count = first;
        return add_edges(stage, contact, side, edge);
    }
    for (int b = 0; b < FIL_NODE_BLOCKS; b++) {
        const double *v = stage->system->state.v + body->v + 4 * blocks[b], *row = jacobian + 12 * b + 8;
        contact->normal_velocity += row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * v[3];
        blocks[b] += body->v / 4;
    }
    contact->block_count += FIL_NODE_BLOCKS;
    return FIL_OK;
}

/* Half the least extent; of a surface that has an inside, half the size of a triangle there. */
static double part_size(const FilCollisionStage* stage, const FilWorldCollider* c, int part)
{
    const FilCollisionSheet* s = c->sheet >= 0 ? &stage->sheets[c->sheet] : NULL;
    if (s != NULL && s->mesh == NULL && s->facets.closed) {
        const int vertex = (int)(c - stage->colliders) - s->first;
        const int triangle = part > 0 ? part - 1 : s->facets.fans[s->facets.fan_first[vertex]];
        return fmax(c->size, 0.5 * fil_facets_size(&s->facets, triangle));
    }
    return c->collider.kind == FIL_COLLIDER_ROW ? c->collider.radii[part] : c->size;
}

static double depth_share(const FilCollisionStage* stage, const FilWorldCollider* ca, const FilWorldCollider* cb)
{
    const FilBody* bodies = stage->system->bodies;
    return bodies[ca->body].ops->deforms || bodies[cb->body].ops->deforms ? SOFT_DEPTH : SHAPE_DEPTH;
}

/* What a contact is but for where it is and what depends on velocities. */
static void describe_contact(const FilCollisionStage* stage, int a, int part_a, int b, int part_b, FilContact* contact)
{
    const FilWorldCollider *ca = &stage->colliders[a], *cb = &stage->colliders[b];
    const FilSurface surface = fil_collision_surface(stage, ca, cb);
    const bool rigid = !(surface.stiffness > 0.0);
    contact->body[0] = ca->body;
    contact->body[1] = cb->body;
    contact->collider[0] = a;
    contact->collider[1] = b;
    contact->part[0] = part_a;
    contact->part[1] = part_b;
    contact->size = fmin(part_size(stage, ca, part_a), part_size(stage, cb, part_b));
    contact->depth = contact->size * depth_share(stage, ca, cb);
    contact->redundant = ca->collider.kind == FIL_COLLIDER_ROW || cb->collider.kind == FIL_COLLIDER_ROW;
    contact->mu = stage->friction >= 0.0 ? stage->friction : surface.friction;
    contact->stiffness = rigid ? INFINITY : surface.stiffness;
    contact->dissipation_time = fmax(surface.dissipation_time, rigid ? RIGID_TIME : 0.0);
    contact->hunt_crossley = fmax(surface.dissipation, rigid ? RIGID_DISSIPATION : 0.0);
}

static uint64_t feature_of(const FilContact* contact, uint64_t feature)
{
    return ((uint64_t)(uint32_t)contact->part[0] << 44) ^ ((uint64_t)(uint32_t)contact->part[1] << 24) ^ feature;
}

static void set_frame(FilContact* contact, const double* normal)
{
    fil_v3_orthogonal(contact->frame, normal);
    fil_v3_cross(contact->frame + 3, normal, contact->frame);
    fil_v3_copy(contact->frame + 6, normal);
}

/* A contact but for what depends on velocities. */
static FilStatus start_contact(FilCollisionStage* stage, int a, int part_a, int b, int part_b, const FilContactPoint* point, FilContact** out)
{
    if (stage->set.count == stage->max_contacts) {
        return FIL_BAD_INPUT;
    }
    FilContact* contact = *out = fil_contact_set_new(&stage->set);
    if (contact == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    describe_contact(stage, a, part_a, b, part_b, contact);
    contact->feature = feature_of(contact, point->feature);
    contact->distance = point->distance;
    fil_v3_copy(contact->point, point->position);
    set_frame(contact, point->normal);
    return FIL_OK;
}

void fil_collision_describe_nodes(const FilCollisionStage* stage, int row, int edge, int plane, const double* normal, FilContact* out)
{
    *out = (FilContact){0};
    if (row < plane) {
        describe_contact(stage, row, edge, plane, 0, out);
    } else {
        describe_contact(stage, plane, 0, row, edge, out);
    }
    out->stiffness *= 2.0;
    set_frame(out, normal);
}

FilStatus fil_collision_emit_node(FilCollisionStage* stage, const FilContact* like, const int edge[2], const FilEdgeAxis axis[2], bool still,
                                  const FilContactPoint* point)
{
    static const uint64_t NODE = 2;  // beside the ends 0 and 1 of an edge
    const int side = stage->colliders[like->collider[0]].collider.kind == FIL_COLLIDER_ROW ? 0 : 1;
    if (stage->set.count == stage->max_contacts) {
        return FIL_BAD_INPUT;
    }
    FilStatus status = fil_contact_set_add(&stage->set, like);
    if (status != FIL_OK) {
        return status;
    }
    FilContact* contact = &stage->set.contacts[stage->set.count - 1];
    contact->part[side] = edge[1];
    contact->before = 1 + edge[0];
    contact->feature = feature_of(contact, NODE);
    contact->distance = point->distance;
    fil_v3_copy(contact->point, point->position);
    for (int s = 0; s < 2 && status == FIL_OK; s++) {
        if (s == side) {
            status = add_node_side(stage, contact, s, edge, axis);
        } else if (!still) {
            status = add_side(stage, contact, s);
        }
    }
    return status;
}

FilStatus fil_collision_emit(FilCollisionStage* stage, int a, int part_a, int b, int part_b, const FilContactPoint* point)
{
    FilContact* contact;
    FilStatus status = start_contact(stage, a, part_a, b, part_b, point, &contact);
    for (int side = 0; side < 2 && status == FIL_OK; side++) {
        status = add_side(stage, contact, side);
    }
    return status;
}

FilStatus fil_collision_emit_patch(FilCollisionStage* stage, int a, int part_a, int b, int part_b, const FilContactPoint* point, double stiffness,
                                   double area, const FilSurface* surface)
{
    FilContact* contact;
    FilStatus status = start_contact(stage, a, part_a, b, part_b, point, &contact);
    if (status == FIL_OK) {
        contact->stiffness = stiffness;
        contact->area = area;
        contact->size = INFINITY;  // its depth is what makes it bear: no fault
        contact->depth = 0.0;
        contact->mu = stage->friction >= 0.0 ? stage->friction : surface->friction;
        contact->dissipation_time = surface->dissipation_time;
        contact->hunt_crossley = surface->dissipation;
    }
    for (int side = 0; side < 2 && status == FIL_OK; side++) {
        status = add_side(stage, contact, side);
    }
    return status;
}

/* The same of two round edges whose ends are all that counts. */
FilStatus fil_collision_emit_plain(FilCollisionStage* stage, int a, int i, int b, int j, const FilContactPoint* point, double normal_velocity)
{
    const int colliders[2] = {a, b}, edges[2] = {i, j};
    FilContact* contact;
    const FilStatus status = start_contact(stage, a, i, b, j, point, &contact);
    int ends[4];
    if (status != FIL_OK) {
        return status;
    }
    contact->normal_velocity = normal_velocity;
    for (int side = 0; side < 2; side++) {
        const FilWorldCollider* c = &stage->colliders[colliders[side]];
        const FilBody* body = &stage->system->bodies[c->body];
        body->ops->edge_blocks(body->impl, c->index, edges[side], ends + 2 * side);
        ends[2 * side] += body->v / 4;
        ends[2 * side + 1] += body->v / 4;
    }
    return fil_contact_set_add_ends(&stage->set, ends);
}

void fil_collision_velocity(const FilCollisionStage* stage, const FilContact* contact, const double* v, double* velocity)
{
    if (!contact->plain) {
        fil_contact_velocity(&stage->set, contact, v, velocity);
        return;
    }
    double moves[3] = {0.0};
    for (int side = 0; side < 2; side++) {
        const FilWorldCollider* c = &stage->colliders[contact->collider[side]];
        const FilBody* body = &stage->system->bodies[c->body];
        int blocks[FIL_JACOBIAN_BLOCKS];
        double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3];
        const int count = body->ops->point_jacobian(body->impl, c->index, contact->part[side], contact->point, stage->system->state.q + body->q,
                                                    blocks, jacobian, bias);
        for (int k = 0; k < 12 * count; k++) {
            const double speed = v[body->v + 4 * blocks[k / 12] + k % 4];
            moves[k % 12 / 4] += (side == 1 ? 1.0 : -1.0) * jacobian[k] * speed;
        }
    }
    fil_m3_apply(velocity, contact->frame, moves);
}
