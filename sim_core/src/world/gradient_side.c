#include "world/gradient_side.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "body/derivative.h"

enum { MOTION = FIL_PART_MOTION };

static const char CONTACT_NOT_KNOWN[] = "'%s' touches something, and gradients of a body of kind %s in contact are not known yet";

/* ---- sides ---- */

int fil_gradient_side_block(const FilGradientSide* side, int k)
{
    return side->body->ops->deforms ? side->block[k] : k;
}

/* Which of a side's blocks one of its body is. */
static int place_of(const FilGradientSide* side, int block)
{
    int k = side->body->ops->deforms ? 0 : block;
    while (fil_gradient_side_block(side, k) != block) {
        k++;
    }
    return k;
}

/* What follows from its blocks is not set yet. */
static void begin_side(FilGradientSide* side, const FilBody* body, int index, int part, int which, double share, double* twist)
{
    side->body = body;
    side->index = index;
    side->part = part;
    side->which = which;
    side->share = share;
    side->size = side->at = side->shared = 0;
    side->is_end = side->is_node = false;
    side->twist = twist;
    fil_v3_set(side->axis, 0.0, 0.0, 0.0);
    fil_v3_set(side->velocity, 0.0, 0.0, 0.0);
    fil_v3_set(side->spin, 0.0, 0.0, 0.0);
}

FilStatus fil_gradient_side_take(const FilGradient* gradient, const FilState* at, FilGradientMaker* maker, int collider, int part, int which,
                                 double share, double* twist)
{
    FilWorld* world = gradient->world;
    const FilWorldCollider* c = &world->collision.colliders[collider];
    const FilBody* body = &world->system.bodies[c->body];
    FilGradientSide* side = &maker->sides[maker->count++];
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS];
    const double* q = at->q + body->q;
    begin_side(side, body, c->index, part, which, share, twist);
    int count = body->ops->point_jacobian(body->impl, c->index, part, maker->point, q, blocks, jacobian, side->velocity);
    if (c->collider.movable && body->moves) {
        side->size = body->ops->deforms ? 4 * count : body->v_count;
    }
    for (int b = 0; b < count && body->ops->deforms; b++) {
        side->block[b] = blocks[b];
    }
    side->at = maker->size;
    maker->size += side->size;
    if (side->size > 0 && body->ops->derivative->sweep == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, CONTACT_NOT_KNOWN, body->name, body->ops->kind);
    }
    memset(twist, 0, MOTION * sizeof(double) * (size_t)side->size);
    for (int turn = 0; turn < 2; turn++) {
        if (turn == 1) {
            count = body->ops->turn_jacobian(body->impl, c->index, part, q, blocks, jacobian, side->spin);
        }
        for (int b = 0; b < count && side->size > 0; b++) {
            const int to = 4 * place_of(side, blocks[b]);
            for (int k = 0; k < 12; k++) {
                twist[(3 * turn + k / 4) * side->size + to + k % 4] = jacobian[12 * b + k];
            }
        }
    }
    if (side->size > 0 && body->ops->deforms) {
        body->ops->part(body->impl, c->index, part, q, at->h + body->h, &side->shape, &side->pose);
        fil_pose_axis(side->axis, &side->pose, 2);
        if (body->ops->derivative->stretch != NULL) {
            body->ops->derivative->stretch(body->impl, c->index, part, q, twist + 6 * side->size);
        }
    }
    return FIL_OK;
}

/* Of an end; returns its blocks. */
static int take_twist(const FilGradient* gradient, const FilGradientMaker* maker, FilGradientSide* side)
{
    const FilBody* body = side->body;
    double jacobian[12 * FIL_JACOBIAN_BLOCKS];
    const int count = body->ops->point_jacobian(body->impl, side->index, side->part, maker->point, gradient->world->system.next.q + body->q,
                                                side->block, jacobian, side->velocity);
    for (int b = 0; b < count; b++) {
        for (int k = 0; k < 12; k++) {
            side->twist[k / 4 * 4 * count + 4 * b + k % 4] = jacobian[12 * b + k];
        }
    }
    return count;
}

FilStatus fil_gradient_side_take_end(const FilGradient* gradient, FilGradientMaker* maker, int collider, int part, int which, double share,
                                     double* twist)
{
    const FilWorldCollider* c = &gradient->world->collision.colliders[collider];
    const FilBody* body = &gradient->world->system.bodies[c->body];
    FilGradientSide* side = &maker->sides[maker->count++];
    begin_side(side, body, c->index, part, which, share, twist);
    side->is_end = true;
    side->at = maker->size;
    if (maker->later) {
        body->ops->edge_blocks(body->impl, c->index, part, side->block);
        side->size = 8;
    } else {
        const int count = take_twist(gradient, maker, side);
        side->size = c->collider.movable && body->moves ? 4 * count : 0;
    }
    maker->size += side->size;
    if (side->size > 0 && body->ops->derivative->sweep == NULL) {
        return fil_world_fail(gradient->world, FIL_BAD_INPUT, CONTACT_NOT_KNOWN, body->name, body->ops->kind);
    }
    return FIL_OK;
}

void fil_gradient_side_take_node(const FilGradient* gradient, FilGradientMaker* maker, int collider, int block, int which, double share,
                                 double* twist)
{
    const FilWorldCollider* c = &gradient->world->collision.colliders[collider];
    FilGradientSide* side = &maker->sides[maker->count++];
    *side = (FilGradientSide){.body = &gradient->world->system.bodies[c->body],
                              .index = c->index,
                              .which = which,
                              .share = share,
                              .size = 4,
                              .at = maker->size,
                              .is_node = true,
                              .block = {block},
                              .twist = twist};
    maker->size += side->size;
    memset(twist, 0, MOTION * sizeof(double) * (size_t)side->size);
    for (int k = 0; k < 3; k++) {
        twist[k * side->size + k] = 1.0;
    }
}

/* Velocity, spin and stretch of a side that moves with z; `whole`: with what moves it from outside. False if z is zero. */
static bool move_side(const FilGradientSide* side, const double* z, bool whole, double* motion)
{
    const int rows = side->is_end ? 3 : MOTION;
    bool moves = false;
    for (int k = 0; k < MOTION; k++) {
        motion[k] = !whole || k == 6 ? 0.0 : k < 3 ? side->velocity[k] : side->spin[k - 3];
    }
    for (int i = 0; i < side->size; i++) {
        moves |= z[i] != 0.0;
        for (int k = 0; k < rows && z[i] != 0.0; k++) {
            motion[k] += side->twist[k * side->size + i] * z[i];
        }
    }
    return moves;
}

/* ---- all of them ---- */

void fil_gradient_maker_name(const FilGradientMaker* maker, int* unknown)
{
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        const FilGradientSide* side = &maker->sides[s];
        for (int i = 0; i < side->size; i++) {
            unknown[at + i] = side->body->v + (side->body->ops->deforms ? 4 * side->block[i / 4] + i % 4 : i);
        }
    }
}

void fil_gradient_maker_move(FilGradientMaker* maker, const FilTouching* touching)
{
    memset(maker->moves, 0, FIL_CONTACT_MOTION * sizeof(double) * (size_t)maker->size);
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        const FilGradientSide* side = &maker->sides[s];
        double map[FIL_CONTACT_MOTION][MOTION];
        if (side->which == maker->node_side) {
            continue;
        }
        if (side->size > 0) {
            fil_touching_vary(touching, side->which, side->body->ops->deforms ? side->axis : touching->touch[side->which].along, map);
        }
        for (int r = 0; r < FIL_CONTACT_MOTION && side->size > 0; r++) {
            double* row = maker->moves + r * maker->size + at;
            for (int k = 0; k < MOTION; k++) {
                const double share = fabs(side->share) * map[r][k];
                for (int i = 0; i < side->size; i++) {
                    row[i] += share * side->twist[k * side->size + i];
                }
            }
        }
    }
    if (maker->node_at >= 0) {  // the contact goes with its core, the node, however edges turn
        double map[FIL_CONTACT_MOTION][MOTION];
        fil_touching_vary(touching, maker->node_side, touching->touch[maker->node_side].along, map);
        for (int r = 0; r < FIL_CONTACT_MOTION; r++) {
            fil_v3_copy(maker->moves + r * maker->size + maker->node_at, map[r]);
        }
    }
}

void fil_gradient_maker_jacobian(const FilGradientMaker* maker, const double* v, const int* unknown, double* jacobian, double* u)
{
    double apart[3] = {0.0};
    for (int s = 0; s < maker->count; s++) {
        fil_v3_axpy(apart, maker->sides[s].share, maker->sides[s].velocity);
    }
    fil_m3_apply(u, maker->frame, apart);
    memset(jacobian, 0, 3 * sizeof(double) * (size_t)maker->size);
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        const FilGradientSide* side = &maker->sides[s];
        for (int r = 0; r < 3; r++) {
            const double *axis = maker->frame + 3 * r, a = side->share * axis[0], b = side->share * axis[1], c = side->share * axis[2];
            double* restrict row = jacobian + r * maker->size + at;
            const double* restrict x = side->twist, * restrict y = x + side->size, * restrict z = y + side->size;
            for (int i = 0; i < side->size; i++) {
                row[i] += a * x[i] + b * y[i] + c * z[i];
            }
        }
    }
    for (int i = 0; i < maker->size; i++) {
        const double own = v[unknown[i]];
        u[0] += jacobian[i] * own;
        u[1] += jacobian[maker->size + i] * own;
        u[2] += jacobian[2 * maker->size + i] * own;
    }
    if (maker->couple.any) {
        fil_gradient_couple_jacobian(maker, v, unknown, jacobian, u);
    }
}

void fil_gradient_maker_vary(const FilGradientMaker* maker, double share, const double* f, const double* z, bool whole, double* place)
{
    double g[3], apart[3] = {0.0}, weight[FIL_CONTACT_MOTION] = {0.0}, motion[MOTION], turn[3];
    fil_m3_apply_transposed(g, maker->frame, f);
    fil_v3_scale(g, share, g);
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        const FilGradientSide* side = &maker->sides[s];
        double force[3];
        const bool moves = move_side(side, z + at, whole, motion);
        fil_v3_axpy(apart, side->share, motion);
        fil_v3_cross(turn, g, motion + 3);
        fil_v3_axpy(weight, side->share, turn);
        fil_v3_axpy(weight, side->share * motion[6] * fil_v3_dot(g, side->axis), side->axis);
        fil_v3_scale(force, side->share, g);
        if (moves && !side->is_node) {
            side->body->ops->derivative->sweep(side->body->impl, side->index, side->part, maker->point, 1, (const double(*)[3]) & force,
                                               &(const double*){z + at}, place + at, side->is_end ? weight : NULL);
        }
    }
    if (maker->lever != NULL) {
        fil_gradient_lever_add(maker, z, apart);
        fil_gradient_lever_vary(maker, g, z, weight, place);
    }
    if (maker->couple.any) {
        fil_gradient_couple_add(maker, z, whole ? 1.0 : 0.0, apart);
        fil_gradient_couple_vary(maker, g, z, whole ? 1.0 : 0.0, weight, place);
    }
    fil_v3_cross(turn, g, apart);
    fil_v3_add(weight + 3, weight + 3, turn);
    for (int i = 0; i < (maker->lever != NULL ? FIL_CONTACT_MOTION : 6); i++) {
        for (int k = 0; k < maker->size; k++) {
            place[k] += weight[i] * maker->moves[i * maker->size + k];
        }
    }
}

/* Whether an unknown moves its side. */
static bool counts(const FilGradientMaker* maker, int i)
{
    bool moves = false;
    for (int s = 0; s < maker->count; s++) {
        const FilGradientSide* side = &maker->sides[s];
        const int own = i - side->at, rows = side->is_end ? 3 : MOTION;
        for (int k = 0; k < rows && own >= 0 && own < side->size; k++) {
            moves |= side->twist[k * side->size + own] != 0.0;
        }
    }
    return moves;
}

void fil_gradient_maker_law(const FilGradient* gradient, const FilGradientMaker* maker, const FilGradientLaw* law, const int* unknown, double* work,
                            double* change)
{
    const int m = maker->size;
    double *v = work, *v0 = work + m, *row = work + 2 * m;
    static const double normal[3] = {0.0, 0.0, 1.0};
    for (int k = 0; k < m; k++) {
        v[k] = gradient->v[unknown[k]];
        v0[k] = gradient->world->system.next.v[unknown[k]];
    }
    memset(change, 0, 3 * sizeof(double) * (size_t)m);
    memset(row, 0, sizeof(double) * (size_t)m);
    for (int r = 0; r < 3; r++) {
        fil_gradient_maker_vary(maker, -1.0, law->hessian + 3 * r, v, true, change + r * m);
    }
    if (law->by_velocity[2] != 0.0) {
        fil_gradient_maker_vary(maker, 1.0, normal, v0, true, row);
    }
    for (int r = 0; r < 3; r++) {
        for (int i = 0; i < m; i++) {
            change[r * m + i] += law->by_distance[r] * maker->moves[6 * m + i] + law->by_velocity[r] * row[i];
        }
    }
}

void fil_gradient_maker_rows(const FilGradientMaker* maker, const double* impulse, const double* change, double* work, FilGradientContact* out)
{
    const int m = maker->size;
    memset(out->by_place, 0, sizeof(double) * (size_t)m * (size_t)m);
    for (int i = 0; i < m; i++) {
        double* to = out->by_place + (size_t)i * (size_t)m;
        if (!counts(maker, i)) {
            continue;
        }
        memset(work, 0, sizeof(double) * (size_t)m);
        work[i] = 1.0;
        fil_gradient_maker_vary(maker, 1.0, impulse, work, false, to);
        for (int r = 0; r < 3; r++) {
            for (int j = 0; j < m; j++) {
                to[j] += out->jacobian[r * m + i] * change[r * m + j];
            }
        }
    }
}

/* ---- contacts that collision found ---- */

int fil_gradient_contact_size(const FilWorld* world, const FilContact* contact)
{
    int size = 0;
    for (int s = 0; s < 2; s++) {
        const FilWorldCollider* c = &world->collision.colliders[contact->collider[s]];
        const FilBody* body = &world->system.bodies[c->body];
        if (c->collider.movable && body->moves) {  // of what deforms a contact has all blocks, if it has any
            const int max = body->ops->deforms && contact->block_count > 0 ? 4 * contact->block_count : 4 * FIL_JACOBIAN_BLOCKS;
            const bool node = contact->before > 0 && c->collider.kind == FIL_COLLIDER_ROW;  // both edges have the node's own
            size += node ? 2 * max : body->v_count < max ? body->v_count : max;
        }
    }
    return size;
}

static const FilGradientSide* side_of(const FilGradientMaker* maker, int which)
{
    int s = 0;
    while (maker->sides[s].which != which) {
        s++;
    }
    return &maker->sides[s];
}

FilStatus fil_gradient_contact_touching(const FilGradient* gradient, const FilContact* contact, const FilGradientMaker* maker, FilTouching* touching)
{
    FilWorld* world = gradient->world;
    const FilState* start = &world->system.next;
    const FilWorldCollider* colliders = world->collision.colliders;
    FilShape shapes[2];
    FilPose poses[2];
    const char* why = contact->area > 0.0 ? "touch by pressure, of which gradients are not known yet" : NULL;
    for (int s = 0; s < 2 && why == NULL; s++) {
        const FilWorldCollider* c = &colliders[contact->collider[s]];
        const FilBody* body = &world->system.bodies[c->body];
        why = c->sheet >= 0 ? "touch by a mesh, of which gradients are not known yet" : NULL;
        const FilGradientSide* side = side_of(maker, s);
        if (side->is_end) {
            shapes[s] = (FilShape){.kind = FIL_PRIMITIVE_CAPSULE, .radius = c->collider.radii[side->part]};
            poses[s] = fil_pose_identity();
        } else if (side->size > 0 && body->ops->deforms) {
            shapes[s] = side->shape;
            poses[s] = side->pose;
        } else {
            body->ops->part(body->impl, c->index, contact->part[s], start->q + body->q, start->h + body->h, &shapes[s], &poses[s]);
        }
    }
    why = why == NULL ? fil_contact_touching(contact, shapes, poses, touching) : why;
    for (int s = 0; s < maker->count && why == NULL; s++) {  // what does not deform does not stretch, whatever its axis
        const FilGradientSide* side = &maker->sides[s];
        if (side->size > 0 && side->body->ops->deforms && !side->is_end) {
            fil_v3_copy(touching->touch[side->which].along, side->axis);
        }
    }
    return why == NULL ? FIL_OK
                       : fil_world_fail(world, FIL_BAD_INPUT, "'%s' and '%s' %s", colliders[contact->collider[0]].name,
                                        colliders[contact->collider[1]].name, why);
}

void fil_gradient_maker_twists(const FilGradient* gradient, FilGradientMaker* maker)
{
    for (int s = 0; s < maker->count && maker->later; s++) {
        FilGradientSide* side = &maker->sides[s];
        if (side->is_end) {
            take_twist(gradient, maker, side);
        }
    }
    maker->later = false;
}

/* Both edges at a node, which the second begins with and the first ends with, but for nodes that are copies of others. */
static FilStatus take_node(const FilGradient* gradient, const FilContact* contact, int s, double share, double* work, FilGradientMaker* maker)
{
    const FilWorldCollider *colliders = gradient->world->collision.colliders, *c = &colliders[contact->collider[s]];
    const FilWorldCollider* other = &colliders[contact->collider[1 - s]];
    const FilBody* bodies = gradient->world->system.bodies;
    // three blocks: no node is a copy of another
    maker->later = maker->later && contact->block_count == 3 && c->collider.movable && bodies[c->body].moves &&
                   !(other->collider.movable && bodies[other->body].moves) && bodies[c->body].ops->derivative->sweep != NULL;
    FilStatus status = fil_gradient_side_take_end(gradient, maker, contact->collider[s], contact->before - 1, s, share, work);
    FilGradientSide *first = &maker->sides[maker->count - 1], *second = first + 1;
    if (status == FIL_OK) {
        status = fil_gradient_side_take_end(gradient, maker, contact->collider[s], contact->part[s], s, share, work + 3 * (size_t)first->size);
    }
    if (status == FIL_OK && first->size > 0) {
        second->shared = first->size == 8 && first->block[1] == second->block[0] ? 4 : 0;
        second->at -= second->shared;
        maker->size -= second->shared;
        maker->node_at = second->at;
    }
    maker->node_side = s;
    maker->node_twice = second->shared == 0;
    return status;
}

FilStatus fil_gradient_contact_sides(const FilGradient* gradient, const FilContact* contact, bool later, double* work, FilGradientMaker* maker,
                                     FilGradientContact* out)
{
    const FilWorld* world = gradient->world;
    FilStatus status = FIL_OK;
    maker->frame = contact->frame;
    maker->count = maker->size = 0;
    maker->node_side = maker->node_at = -1;
    maker->node_twice = false;
    maker->later = later;
    maker->moves = NULL;
    maker->lever = NULL;
    fil_v3_copy(maker->point, contact->point);
    for (int s = 0; s < 2 && status == FIL_OK; s++) {
        const bool node = contact->before > 0 && world->collision.colliders[contact->collider[s]].collider.kind == FIL_COLLIDER_ROW;
        if (node) {
            status = take_node(gradient, contact, s, 0.5 * (s == 1 ? 1.0 : -1.0), work + MOTION * (size_t)maker->size, maker);
        } else {
            status = fil_gradient_side_take(gradient, &world->system.next, maker, contact->collider[s], contact->part[s], s, s == 1 ? 1.0 : -1.0,
                                            work + MOTION * (size_t)maker->size);
        }
        maker->later = maker->later && (s == 0 || maker->node_side >= 0);
        const FilGradientSide* side = &maker->sides[maker->count - 1];
        out->body[s] = side->size > 0 ? (int)(side->body - world->system.bodies) : -1;
    }
    if (status == FIL_OK) {
        fil_gradient_maker_name(maker, out->unknown);
        fil_gradient_couple_take(gradient, contact, maker);
    }
    return status;
}
