#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "contact/surface.h"
#include "geometry/closest.h"
#include "geometry/collide.h"
#include "world/world.h"

/* Contacts are looked for as far ahead as the parts could move against each other in a step, twice over because the
 * velocity changes within it, and a little further for those at rest. */
static const double LOOK_AHEAD = 2.0;
static const double LOOK_AROUND = 0.02; /* of the radius */

static double look_around(const FilCollisionStage* stage)
{
    return fmax(stage->around, LOOK_AROUND);
}

/* Rigid surfaces store no energy: where they overlap nevertheless they part slowly, over this time and slower than the
 * inverse of this dissipation, instead of leaping apart within a step. */
static const double RIGID_TIME = 0.05;        /* s */
static const double RIGID_DISSIPATION = 20.0; /* s/m */

/* More contacts than this come from things placed inside each other, and would take hours. */
enum { MAX_CONTACTS = 100000 };

/* ---- taking in colliders ---- */

void fil_collision_free(FilCollisionStage* stage)
{
    for (int k = 0; k < stage->collider_count; k++) {
        if (stage->colliders[k].collider.kind == FIL_COLLIDER_ROW) {
            fil_chain_free(&stage->colliders[k].row);
        }
    }
    fil_free(stage->colliders);
    if (stage->tree_ready) {
        fil_tree_free(&stage->tree);
    }
    fil_pairs_free(&stage->pairs);
    fil_pairs_free(&stage->parts);
    fil_pairs_free(&stage->near);
    fil_contact_set_free(&stage->set);
    fil_free(stage->pair_surfaces);
    fil_free(stage->apart);
}

/* Whether no edge of a row can touch the one that comes `gap` edges after it. */
static bool all_neighbours(const FilCollider* c, int gap)
{
    bool all = gap < c->edge_count - gap;
    for (int i = 0; all && i < c->edge_count - (c->closed ? 0 : gap); i++) {
        const int j = (i + gap) % c->edge_count;
        all = fil_collision_neighbours(c, i < j ? i : j, i < j ? j : i);
    }
    return all;
}

FilStatus fil_collision_register(FilWorld* world, int body_index, const int* object_of)
{
    FilCollisionStage* stage = &world->collision;
    const FilBody* body = &world->bodies[body_index];
    const int count = body->ops->collider_count(body->impl);
    for (int k = 0; k < count; k++) {
        FilStatus status = fil_world_reserve(world, (void**)&stage->colliders, stage->collider_count, &stage->collider_capacity,
                                             sizeof *stage->colliders);
        if (status != FIL_OK) {
            return status;
        }
        FilWorldCollider* c = &stage->colliders[stage->collider_count];
        *c = (FilWorldCollider){.body = body_index, .index = k, .memory = -1};
        body->ops->collider(body->impl, k, &c->collider);
        c->object = object_of[c->collider.object];
        c->carrier = c->collider.kind == FIL_COLLIDER_SHAPE ? object_of[c->collider.carrier] : c->object;
        c->unbounded = c->collider.kind == FIL_COLLIDER_SHAPE && c->collider.shape.kind == FIL_SHAPE_HALF_SPACE;
        if (c->collider.kind == FIL_COLLIDER_ROW && fil_chain_init(&c->row, c->collider.edge_count) != FIL_OK) {
            return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
        }
        for (c->skip = 1; c->collider.kind == FIL_COLLIDER_ROW && all_neighbours(&c->collider, c->skip + 1);) {
            c->skip++;
        }
        stage->collider_count++;
        if (c->collider.kind == FIL_COLLIDER_ROW &&
            (status = fil_world_add_memory(world, c->collider.edge_count, &c->memory)) != FIL_OK) {
            return status;
        }
    }
    return FIL_OK;
}

/* Place of the pair (a < b) among those kept apart, or where it belongs. */
static int find_apart(const FilCollisionStage* stage, int a, int b)
{
    int low = 0, high = stage->apart_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        const FilPair* pair = &stage->apart[middle];
        if (pair->a < a || (pair->a == a && pair->b < b)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool kept_apart(const FilCollisionStage* stage, int object_a, int object_b)
{
    const int a = object_a < object_b ? object_a : object_b, b = object_a < object_b ? object_b : object_a;
    const int at = find_apart(stage, a, b);
    return at < stage->apart_count && stage->apart[at].a == a && stage->apart[at].b == b;
}

FilStatus fil_collision_keep_apart(FilWorld* world, int object_a, int object_b)
{
    FilCollisionStage* stage = &world->collision;
    if (kept_apart(stage, object_a, object_b)) {
        return FIL_OK;
    }
    const FilStatus status = fil_world_reserve(world, (void**)&stage->apart, stage->apart_count, &stage->apart_capacity,
                                               sizeof *stage->apart);
    if (status == FIL_OK) {
        const FilPair pair = {object_a < object_b ? object_a : object_b, object_a < object_b ? object_b : object_a};
        const int at = find_apart(stage, pair.a, pair.b);
        memmove(stage->apart + at + 1, stage->apart + at, (size_t)(stage->apart_count - at) * sizeof pair);
        stage->apart[at] = pair;
        stage->apart_count++;
    }
    return status;
}

/* ---- bounds ---- */

static double edge_speed(const FilPlacement* place, int a, int b)
{
    return fmax(fil_v3_norm(place->velocities + 4 * a), fil_v3_norm(place->velocities + 4 * b));
}

/* Boxes of a row's edges, over the motion of the step to come. */
static FilAabb bound_row(FilWorldCollider* c, double around_radii, double dt)
{
    const int n = c->collider.node_count;
    for (int i = 0; i < c->collider.edge_count; i++) {
        const int j = i + 1 == n ? 0 : i + 1;
        const double *x = c->place.nodes, *v = c->place.velocities;
        FilAabb box = fil_aabb_of_segment(x + 4 * i, x + 4 * j, 0.0);
        for (int k = 0; k < 3; k++) {
            const double a = LOOK_AHEAD * dt * v[4 * i + k], b = LOOK_AHEAD * dt * v[4 * j + k];
            const double around = (1.0 + around_radii) * c->collider.radii[i];
            box.lo[k] += fmin(fmin(a, b), 0.0) - around;
            box.hi[k] += fmax(fmax(a, b), 0.0) + around;
        }
        c->row.boxes[i] = box;
    }
    fil_chain_refit(&c->row);
    return *fil_chain_bounds(&c->row);
}

static FilAabb bound_shape(const FilWorldCollider* c, double dt)
{
    const FilAabb box = fil_shape_aabb(&c->collider.shape, &c->place.pose);
    const double size = fil_v3_distance(box.lo, box.hi);
    return fil_aabb_fattened(&box, LOOK_AHEAD * dt * c->place.speed + 0.5 * LOOK_AROUND * size);
}

/* Places every collider and finds the pairs of colliders whose boxes overlap. */
static FilStatus broad_phase(FilWorld* world, double dt)
{
    FilCollisionStage* stage = &world->collision;
    double size = 0.0;
    for (int k = 0; k < stage->collider_count; k++) {
        FilWorldCollider* c = &stage->colliders[k];
        const FilBody* body = &world->bodies[c->body];
        body->ops->place(body->impl, c->index, world->state.q + body->q, world->state.v + body->v, &c->place);
        if (c->unbounded || !c->collider.collision.enabled) {
            continue;
        }
        const FilAabb box = c->collider.kind == FIL_COLLIDER_ROW ? bound_row(c, look_around(stage), dt) : bound_shape(c, dt);
        if (!stage->tree_ready) {
            size = fil_v3_distance(box.lo, box.hi);
            fil_tree_init(&stage->tree, 0.02 * size); // small motions leave the tree alone
            stage->tree_ready = true;
        }
        const FilStatus status = fil_tree_set(&stage->tree, k, &box);
        if (status != FIL_OK) {
            return status;
        }
    }
    stage->pairs.count = 0;
    FilStatus status = stage->tree_ready ? fil_tree_self_pairs(&stage->tree, &stage->pairs) : FIL_OK;
    // what has no bounds meets everything
    for (int k = 0; k < stage->collider_count && status == FIL_OK; k++) {
        for (int m = 0; m < stage->collider_count && stage->colliders[k].unbounded && status == FIL_OK; m++) {
            if (!stage->colliders[m].unbounded && (status = fil_pairs_reserve(&stage->pairs, 1)) == FIL_OK) {
                stage->pairs.items[stage->pairs.count++] = (FilPair){m < k ? m : k, m < k ? k : m};
            }
        }
    }
    return status;
}

/* ---- contacts ---- */

FilSurface fil_collision_surface(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b)
{
    for (int k = 0; k < stage->pair_surface_count; k++) {
        const FilPairSurface* p = &stage->pair_surfaces[k];
        if ((p->a == a->object && p->b == b->object) || (p->a == b->object && p->b == a->object)) {
            return p->surface;
        }
    }
    return fil_surface_combine(&a->collider.collision.surface, &b->collider.collision.surface);
}

/* Adds the Jacobian of one side: +1 for side 1, -1 for side 0, in the contact's frame. */
static FilStatus add_side(FilWorld* world, FilContact* contact, int side)
{
    FilCollisionStage* stage = &world->collision;
    const FilWorldCollider* c = &stage->colliders[contact->collider[side]];
    const FilBody* body = &world->bodies[c->body];
    const double sign = side == 1 ? 1.0 : -1.0;
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3], turned[3];
    const int count = body->ops->point_jacobian(body->impl, c->index, contact->part[side], contact->point,
                                                world->state.q + body->q, blocks, jacobian, bias);
    fil_m3_apply(turned, contact->frame, bias);
    fil_v3_axpy(contact->bias, sign, turned);
    contact->normal_velocity += sign * turned[2];
    FilStatus status = FIL_OK;
    for (int b = 0; b < count && status == FIL_OK; b++) {
        const double* v = world->state.v + body->v + 4 * blocks[b];
        double local[12];
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 4; k++) {
                const double* column = jacobian + 12 * b + k;
                const double* row = contact->frame + 3 * j;
                local[4 * j + k] = sign * (row[0] * column[0] + row[1] * column[4] + row[2] * column[8]);
            }
        }
        for (int k = 0; k < 4; k++) {
            contact->normal_velocity += local[8 + k] * v[k];
        }
        status = fil_contact_set_add_block(&stage->set, body->v / 4 + blocks[b], local);
    }
    return status;
}

/* A contact but for what depends on velocities. */
static FilStatus start_contact(FilWorld* world, int a, int part_a, int b, int part_b, const FilContactPoint* point, FilContact** out)
{
    FilCollisionStage* stage = &world->collision;
    const FilWorldCollider *ca = &stage->colliders[a], *cb = &stage->colliders[b];
    const FilSurface surface = fil_collision_surface(stage, ca, cb);
    const bool rigid = !(surface.stiffness > 0.0);
    if (stage->set.count == MAX_CONTACTS) {
        return FIL_BAD_INPUT;
    }
    FilContact* contact = *out = fil_contact_set_new(&stage->set);
    if (contact == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    contact->body[0] = ca->body;
    contact->body[1] = cb->body;
    contact->collider[0] = a;
    contact->collider[1] = b;
    contact->part[0] = part_a;
    contact->part[1] = part_b;
    contact->feature = ((uint64_t)(uint32_t)part_a << 44) ^ ((uint64_t)(uint32_t)part_b << 24) ^ point->feature;
    contact->distance = point->distance;
    contact->mu = world->def.friction >= 0.0 ? world->def.friction : surface.friction;
    contact->stiffness = rigid ? INFINITY : surface.stiffness;
    contact->dissipation_time = fmax(surface.dissipation_time, rigid ? RIGID_TIME : 0.0);
    contact->hunt_crossley = fmax(surface.dissipation, rigid ? RIGID_DISSIPATION : 0.0);
    fil_v3_copy(contact->point, point->position);
    fil_v3_orthogonal(contact->frame, point->normal);
    fil_v3_cross(contact->frame + 3, point->normal, contact->frame);
    fil_v3_copy(contact->frame + 6, point->normal);
    return FIL_OK;
}

static FilStatus emit(FilWorld* world, int a, int part_a, int b, int part_b, const FilContactPoint* point)
{
    FilContact* contact;
    FilStatus status = start_contact(world, a, part_a, b, part_b, point, &contact);
    for (int side = 0; side < 2 && status == FIL_OK; side++) {
        status = add_side(world, contact, side);
    }
    return status;
}

/* The same of two round edges whose ends are all that counts. */
static FilStatus emit_plain(FilWorld* world, int a, int i, int b, int j, const FilContactPoint* point, double normal_velocity)
{
    const int colliders[2] = {a, b}, edges[2] = {i, j};
    FilContact* contact;
    const FilStatus status = start_contact(world, a, i, b, j, point, &contact);
    int ends[4];
    if (status != FIL_OK) {
        return status;
    }
    contact->normal_velocity = normal_velocity;
    for (int side = 0; side < 2; side++) {
        const FilWorldCollider* c = &world->collision.colliders[colliders[side]];
        const FilBody* body = &world->bodies[c->body];
        body->ops->edge_blocks(body->impl, c->index, edges[side], ends + 2 * side);
        ends[2 * side] += body->v / 4;
        ends[2 * side + 1] += body->v / 4;
    }
    return fil_contact_set_add_ends(&world->collision.set, ends);
}

void fil_collision_velocity(const FilWorld* world, const FilContact* contact, double* velocity)
{
    if (!contact->plain) {
        fil_contact_velocity(&world->collision.set, contact, world->state.v, velocity);
        return;
    }
    double moves[3] = {0.0};
    for (int side = 0; side < 2; side++) {
        const FilWorldCollider* c = &world->collision.colliders[contact->collider[side]];
        const FilBody* body = &world->bodies[c->body];
        int blocks[FIL_JACOBIAN_BLOCKS];
        double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3];
        const int count = body->ops->point_jacobian(body->impl, c->index, contact->part[side], contact->point,
                                                    world->state.q + body->q, blocks, jacobian, bias);
        for (int k = 0; k < 12 * count; k++) {
            const double speed = world->state.v[body->v + 4 * blocks[k / 12] + k % 4];
            moves[k % 12 / 4] += (side == 1 ? 1.0 : -1.0) * jacobian[k] * speed;
        }
    }
    fil_m3_apply(velocity, contact->frame, moves);
}

static double distance2(const double* a, const double* b)
{
    double d[3];
    fil_v3_sub(d, a, b);
    return fil_v3_dot(d, d);
}

/* The node that an edge of a row ends at. */
static int node_after(const FilWorldCollider* c, int edge)
{
    return edge + 1 == c->collider.node_count ? 0 : edge + 1;
}

/* How far two edges of rows are looked ahead for: by the fastest relative motion of their ends. */
static double edge_margin(const FilWorldCollider* a, int i, const FilWorldCollider* b, int j, double around, double dt)
{
    const double *p0 = a->place.velocities + 4 * i, *p1 = a->place.velocities + 4 * node_after(a, i);
    const double *q0 = b->place.velocities + 4 * j, *q1 = b->place.velocities + 4 * node_after(b, j);
    const double fastest2 = fmax(fmax(distance2(p0, q0), distance2(p0, q1)),
                                 fmax(distance2(p1, q0), distance2(p1, q1)));
    return LOOK_AHEAD * dt * sqrt(fastest2) + around * fmin(a->collider.radii[i], b->collider.radii[j]);
}

/* Where the axes of two edges are closest. */
typedef struct Closest {
    double s, t, square; /* shares of the edges, and the distance's square */
} Closest;

/* Two round edges: the closest points of their axes. */
static bool meet_segments(const FilWorldCollider* a, int i, const FilWorldCollider* b, int j, double margin, Closest* axes,
                          FilContactPoint* out)
{
    const double *p0 = a->place.nodes + 4 * i, *p1 = a->place.nodes + 4 * node_after(a, i);
    const double *q0 = b->place.nodes + 4 * j, *q1 = b->place.nodes + 4 * node_after(b, j);
    const double ra = a->collider.radii[i], rb = b->collider.radii[j], reach = ra + rb + margin;
    double ca[3], cb[3];
    axes->square = fil_segment_segment(p0, p1, q0, q1, &axes->s, &axes->t);
    if (axes->square > reach * reach) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        ca[k] = p0[k] + axes->s * (p1[k] - p0[k]);
        cb[k] = q0[k] + axes->t * (q1[k] - q0[k]);
        out->normal[k] = cb[k] - ca[k];
    }
    const double distance = fil_v3_normalise(out->normal);
    if (!(distance > 1e-9 * (ra + rb))) { // axes meet: apart across both
        double e[3], f[3];
        fil_v3_sub(e, p1, p0);
        fil_v3_sub(f, q1, q0);
        fil_v3_cross(out->normal, e, f);
        if (fil_v3_normalise(out->normal) == 0.0) {
            fil_v3_normalise(e);
            fil_v3_orthogonal(out->normal, e);
        }
    }
    out->distance = distance - ra - rb;
    out->feature = 0;
    fil_v3_copy(out->position, ca);
    fil_v3_axpy(out->position, ra + 0.5 * out->distance, out->normal);
    return true;
}

/* How fast the closest points of two edges part, the normal pointing from the first to the second. */
static double parting_speed(const FilWorldCollider* a, int i, const FilWorldCollider* b, int j, const Closest* axes,
                            const double* normal)
{
    const double *p0 = a->place.velocities + 4 * i, *p1 = a->place.velocities + 4 * node_after(a, i);
    const double *q0 = b->place.velocities + 4 * j, *q1 = b->place.velocities + 4 * node_after(b, j);
    double speed = 0.0;
    for (int k = 0; k < 3; k++) {
        speed += normal[k] * ((q0[k] + axes->t * (q1[k] - q0[k])) - (p0[k] + axes->s * (p1[k] - p0[k])));
    }
    return speed;
}

static FilStatus meet_parts(FilWorld* world, int a, int part_a, int b, int part_b, double margin)
{
    const FilCollisionStage* stage = &world->collision;
    const int colliders[2] = {a, b}, parts[2] = {part_a, part_b};
    FilShape shapes[2];
    FilPose poses[2];
    for (int s = 0; s < 2; s++) {
        const FilWorldCollider* c = &stage->colliders[colliders[s]];
        const FilBody* body = &world->bodies[c->body];
        if (c->collider.kind == FIL_COLLIDER_SHAPE) {
            shapes[s] = c->collider.shape;
            poses[s] = c->place.pose;
        } else {
            body->ops->part(body->impl, c->index, parts[s], world->state.q + body->q, world->state.h + body->h, &shapes[s],
                            &poses[s]);
            if (stage->round && shapes[s].kind == FIL_SHAPE_BOX) {
                shapes[s] = fil_shape_capsule(c->collider.radii[parts[s]], shapes[s].half[2]);
            }
        }
    }
    FilContactPoint points[FIL_MANIFOLD_POINTS];
    const int count = fil_collide(&shapes[0], &poses[0], &shapes[1], &poses[1], margin, points);
    FilStatus status = FIL_OK;
    for (int k = 0; k < count && status == FIL_OK; k++) {
        status = emit(world, a, part_a, b, part_b, &points[k]);
    }
    return status;
}

/* ---- pairs of colliders ---- */

bool fil_collision_may_meet(const FilWorld* world, const FilWorldCollider* a, const FilWorldCollider* b)
{
    const FilCollision *ca = &a->collider.collision, *cb = &b->collider.collision;
    const FilBody* body = &world->bodies[a->body];
    const bool joined = a->body == b->body && a->collider.kind == FIL_COLLIDER_SHAPE &&
                        body->ops->joined(body->impl, a->index, 0, b->index, 0);
    return !joined && ca->enabled && cb->enabled && (a->collider.movable || b->collider.movable) &&
           (ca->groups & cb->mask) != 0 && (cb->groups & ca->mask) != 0;
}

/* Whether edges i < j of one rod are too near along it to touch. A rod of radius r bends no tighter than r, about its own
 * surface; then points touch that are half a turn apart, pi r along the rod. */
bool fil_collision_neighbours(const FilCollider* c, int i, int j)
{
    const double reach = 0.5 * FIL_PI * (c->radii[i] + c->radii[j]);
    double between = c->arc[j] - c->arc[i + 1];
    if (c->closed) {
        between = fmin(between, c->arc[c->edge_count] - c->arc[j + 1] + c->arc[i]);
    }
    return !(between > reach);
}

/* Length along a row between an edge and a node, 0 if the edge ends there. */
static double length_to(const FilCollider* c, int edge, int node)
{
    const double before = c->arc[node] - c->arc[edge + 1], after = c->arc[edge] - c->arc[node];
    const double direct = fmax(fmax(before, after), 0.0), around = c->arc[c->edge_count] - fmax(-before, -after);
    return c->closed ? fmin(direct, fmax(around, 0.0)) : direct;
}

/* Whether a collider is that side of a joint; then `length` grows by how far its part is from the joined node. */
static bool is_side(const FilWorldCollider* c, int part, const FilJointSide* side, double* length)
{
    const bool row = c->collider.kind == FIL_COLLIDER_ROW;
    if (side->body != c->body || side->point >= 0 || (row && side->index != c->index)) {
        return false;
    }
    *length += row ? length_to(&c->collider, part, side->edge + side->frame_part % 2) : 0.0;
    return true;
}

bool fil_collision_kept_apart(const FilWorld* world, const FilWorldCollider* a, const FilWorldCollider* b)
{
    return a->collider.kind == FIL_COLLIDER_SHAPE && b->collider.kind == FIL_COLLIDER_SHAPE &&
           kept_apart(&world->collision, a->carrier, b->carrier);
}

bool fil_collision_at_joint(const FilWorld* world, int a, int part_a, int b, int part_b)
{
    const FilWorldCollider *ca = &world->collision.colliders[a], *cb = &world->collision.colliders[b];
    const double ra = ca->collider.kind == FIL_COLLIDER_ROW ? ca->collider.radii[part_a] : 0.0;
    const double rb = cb->collider.kind == FIL_COLLIDER_ROW ? cb->collider.radii[part_b] : 0.0;
    const double reach = 0.5 * FIL_PI * (ra + rb + (ra == 0.0 ? rb : 0.0) + (rb == 0.0 ? ra : 0.0));
    for (int j = 0; j < world->contact.joint_count; j++) {
        const FilJointSide* side = world->contact.joints[j].side;
        for (int first = 0; first < 2; first++) {
            double length = 0.0;
            if (is_side(ca, part_a, &side[first], &length) && is_side(cb, part_b, &side[1 - first], &length) &&
                !(length > reach)) {
                return true;
            }
        }
    }
    return false;
}

/* Remembers two edges for the crossing check. */
static FilStatus note_near(FilCollisionStage* stage, int a, int i, int b, int j, double axes)
{
    const FilStatus status = fil_pairs_reserve(&stage->near, 2);
    if (status == FIL_OK) {
        stage->near.items[stage->near.count++] = (FilPair){a, i};
        stage->near.items[stage->near.count++] = (FilPair){b, j};
        stage->near_axes = axes < stage->near_axes ? axes : stage->near_axes;
    }
    return status;
}

static FilStatus meet_edges(FilWorld* world, int a, int b, double dt)
{
    FilCollisionStage* stage = &world->collision;
    const FilWorldCollider *ca = &stage->colliders[a], *cb = &stage->colliders[b];
    const bool round = stage->round || (!ca->collider.boxes && !cb->collider.boxes);
    FilStatus status = FIL_OK;
    for (int k = 0; k < stage->parts.count && status == FIL_OK; k++) {
        const int i = stage->parts.items[k].a, j = stage->parts.items[k].b;
        if (a == b && fil_collision_neighbours(&ca->collider, i, j)) {
            continue;
        }
        const FilBody* body = &world->bodies[ca->body];
        if ((ca->body == cb->body && a != b && body->ops->joined(body->impl, ca->index, i, cb->index, j)) ||
            fil_collision_at_joint(world, a, i, b, j)) {
            continue;
        }
        const double margin = edge_margin(ca, i, cb, j, look_around(stage), dt);
        FilContactPoint point;
        Closest axes = {.square = 0.0};
        if (!round) {
            status = meet_parts(world, a, i, b, j, margin);
        } else if (meet_segments(ca, i, cb, j, margin, &axes, &point)) {
            status = stage->plain ? emit_plain(world, a, i, b, j, &point, parting_speed(ca, i, cb, j, &axes, point.normal))
                                  : emit(world, a, i, b, j, &point);
        }
        status = status == FIL_OK ? note_near(stage, a, i, b, j, axes.square) : status;
    }
    return status;
}

static FilStatus meet_row_shape(FilWorld* world, int row, int shape, double dt)
{
    FilCollisionStage* stage = &world->collision;
    const FilWorldCollider *r = &stage->colliders[row], *s = &stage->colliders[shape];
    stage->parts.count = 0;
    FilStatus status = FIL_OK;
    if (s->unbounded) {
        // edges that reach below the plane, as far as they could move
        double up[3];
        fil_pose_axis(up, &s->place.pose, 2);
        status = fil_pairs_reserve(&stage->parts, r->collider.edge_count);
        for (int i = 0; i < r->collider.edge_count && status == FIL_OK; i++) {
            const FilAabb* box = &r->row.boxes[i];
            double lowest = 0.0;
            for (int k = 0; k < 3; k++) {
                lowest += up[k] * ((up[k] > 0.0 ? box->lo[k] : box->hi[k]) - s->place.pose.p[k]);
            }
            if (lowest <= 0.0) {
                stage->parts.items[stage->parts.count++] = (FilPair){i, 0};
            }
        }
    } else {
        const FilAabb box = bound_shape(s, dt);
        status = fil_chain_query(&r->row, &box, 0, &stage->parts);
    }
    for (int k = 0; k < stage->parts.count && status == FIL_OK; k++) {
        const int i = stage->parts.items[k].a, j = (i + 1) % r->collider.node_count;
        if (fil_collision_at_joint(world, row, i, shape, 0)) {
            continue;
        }
        const double margin = LOOK_AHEAD * dt * (edge_speed(&r->place, i, j) + s->place.speed) +
                              look_around(stage) * r->collider.radii[i];
        status = row < shape ? meet_parts(world, row, i, shape, 0, margin) : meet_parts(world, shape, 0, row, i, margin);
    }
    return status;
}

static FilStatus meet(FilWorld* world, int a, int b, double dt)
{
    FilCollisionStage* stage = &world->collision;
    const FilWorldCollider *ca = &stage->colliders[a], *cb = &stage->colliders[b];
    if (!fil_collision_may_meet(world, ca, cb)) {
        return FIL_OK;
    }
    if (ca->collider.kind == FIL_COLLIDER_ROW && cb->collider.kind == FIL_COLLIDER_ROW) {
        stage->parts.count = 0;
        const FilStatus status = fil_chain_pairs(&ca->row, &cb->row, &stage->parts);
        return status == FIL_OK ? meet_edges(world, a, b, dt) : status;
    }
    if (ca->collider.kind == FIL_COLLIDER_ROW) {
        return meet_row_shape(world, a, b, dt);
    }
    if (cb->collider.kind == FIL_COLLIDER_ROW) {
        return meet_row_shape(world, b, a, dt);
    }
    if (fil_collision_kept_apart(world, ca, cb)) {
        return FIL_OK;
    }
    const double margin = LOOK_AHEAD * dt * (ca->place.speed + cb->place.speed) + fmax(stage->around, 1e-4) * world->contact_length;
    return meet_parts(world, a, 0, b, 0, margin);
}

FilStatus fil_collide_world(FilWorld* world, double dt)
{
    FilCollisionStage* stage = &world->collision;
    fil_contact_set_clear(&stage->set);
    stage->near.count = 0;
    stage->near_axes = INFINITY;
    FilStatus status = broad_phase(world, dt);
    for (int k = 0; k < stage->collider_count && status == FIL_OK; k++) {
        const FilWorldCollider* c = &stage->colliders[k];
        const FilCollision* collision = &c->collider.collision;
        if (c->collider.kind == FIL_COLLIDER_ROW && collision->enabled && collision->self) {
            stage->parts.count = 0;
            status = fil_chain_self_pairs(&c->row, c->skip, c->collider.closed, &stage->parts);
            status = status == FIL_OK ? meet_edges(world, k, k, dt) : status;
        }
    }
    for (int k = 0; k < stage->pairs.count && status == FIL_OK; k++) {
        status = meet(world, stage->pairs.items[k].a, stage->pairs.items[k].b, dt);
    }
    return status;
}
