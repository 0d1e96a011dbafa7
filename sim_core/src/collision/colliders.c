/* The colliders of all bodies, and which of them may touch. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "collision/collision.h"
#include "contact/surface.h"
#include "geometry/convex.h"

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
    fil_free(stage->joins);
    fil_collision_free_sides(stage);
    fil_collision_free_sheets(stage);
    fil_collision_free_seams(&stage->seams);
    fil_free(stage->held);
    fil_collision_free_lanes(stage);
}

/* Length along a row from the end of an edge to the beginning of the one that comes `gap` edges after it, round the end of a
 * closed one. */
static double length_after(const FilCollider* c, int edge, int gap)
{
    const int to = edge + gap, n = c->edge_count;
    return (to < n ? c->arc[to] : c->arc[to - n] + c->arc[n]) - c->arc[edge + 1];
}

/* How many edges after each edge of a row cannot touch it; one at least, and less than half of them. */
static int count_neighbours(const FilCollider* c)
{
    const int n = c->edge_count;
    int first = (n - 1) / 2 + 1;  // the least gap at which edges can touch
    double thinnest = INFINITY;
    for (int i = 0; i < n; i++) {
        thinnest = fmin(thinnest, c->radii[i]);
    }
    for (int i = 0; i < n; i++) {
        const int max = c->closed || i + first <= n ? first : n - i;
        // nothing touches before the length that the thinnest edge would need, which grows with the gap
        const double reach = 0.5 * FIL_PI * (c->radii[i] + thinnest);
        int low = 2, high = max;
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (length_after(c, i, middle) > reach) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        for (int j = (i + low) % n; low < max && fil_collision_neighbours(c, i < j ? i : j, i < j ? j : i); j = (i + low) % n) {
            low++;
        }
        first = low < max ? low : first;
    }
    return first > 2 ? first - 1 : 1;
}

FilStatus fil_collision_register(FilCollisionStage* stage, int body_index, const int* object_of, const char* const* names, FilError* error)
{
    const FilBody* body = &stage->system->bodies[body_index];
    const int count = body->ops->collider_count(body->impl), first = stage->collider_count;
    for (int k = 0; k < count; k++) {
        if (!fil_array_reserve((void**)&stage->colliders, stage->collider_count, &stage->collider_capacity, sizeof *stage->colliders)) {
            return FIL_OUT_OF_MEMORY;
        }
        FilWorldCollider* c = &stage->colliders[stage->collider_count];
        *c = (FilWorldCollider){.body = body_index, .index = k, .memory = -1, .side = -1, .sheet = -1};
        body->ops->collider(body->impl, k, &c->collider);
        c->object = object_of[c->collider.object];
        c->name = names[c->collider.object];
        c->carrier = c->collider.kind == FIL_COLLIDER_SHAPE ? object_of[c->collider.carrier] : c->object;
        c->unbounded = c->collider.kind == FIL_COLLIDER_SHAPE && c->collider.shape.kind == FIL_PRIMITIVE_HALF_SPACE;
        if (c->collider.kind == FIL_COLLIDER_SHAPE) {
            const FilPose home = fil_pose_identity();
            const FilAabb box = c->unbounded ? (FilAabb){{0.0}, {INFINITY, INFINITY, INFINITY}} : fil_shape_aabb(&c->collider.shape, &home);
            c->size = 0.5 * fmin(fmin(box.hi[0] - box.lo[0], box.hi[1] - box.lo[1]), box.hi[2] - box.lo[2]);
        }
        if (c->collider.kind == FIL_COLLIDER_ROW && fil_chain_init(&c->row, c->collider.edge_count) != FIL_OK) {
            return FIL_OUT_OF_MEMORY;
        }
        c->skip = c->collider.kind == FIL_COLLIDER_ROW ? count_neighbours(&c->collider) : 1;
        c->first_part = stage->part_count;
        stage->part_count += c->collider.kind == FIL_COLLIDER_ROW ? c->collider.edge_count : 1;
        stage->collider_count++;
        const bool mesh = c->collider.kind == FIL_COLLIDER_SHAPE && c->collider.shape.mesh != NULL;
        if (mesh && c->collider.collision.surface.modulus > 0.0) {
            return fil_error(error, FIL_BAD_INPUT,
                             "'%s': a mesh that is not convex has no pressure field; leave its modulus out, or set convex for its hull", c->name);
        }
        if (mesh && fil_collision_add_mesh(stage, stage->collider_count - 1) != FIL_OK) {
            return FIL_OUT_OF_MEMORY;
        }
        if (c->collider.kind == FIL_COLLIDER_ROW && fil_system_add_memory(stage->system, c->collider.edge_count, &c->memory) != FIL_OK) {
            return FIL_OUT_OF_MEMORY;
        }
    }
    if (body->ops->mesh != NULL && fil_collision_add_sheet(stage, body_index, first) != FIL_OK) {
        return FIL_OUT_OF_MEMORY;
    }
    return fil_collision_make_sides(stage, error);
}

/* Place of the pair (a < b) among those kept apart, or where it belongs. */
static int find_apart(const FilCollisionStage* stage, int a, int b)
{
    int low = 0, high = stage->apart_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        const FilIndexPair* pair = &stage->apart[middle];
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

FilStatus fil_collision_keep_apart(FilCollisionStage* stage, int object_a, int object_b)
{
    if (kept_apart(stage, object_a, object_b)) {
        return FIL_OK;
    }
    if (!fil_array_reserve((void**)&stage->apart, stage->apart_count, &stage->apart_capacity, sizeof *stage->apart)) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilIndexPair pair = {object_a < object_b ? object_a : object_b, object_a < object_b ? object_b : object_a};
    const int at = find_apart(stage, pair.a, pair.b);
    memmove(stage->apart + at + 1, stage->apart + at, (size_t)(stage->apart_count - at) * sizeof pair);
    stage->apart[at] = pair;
    stage->apart_count++;
    return FIL_OK;
}

/* Whether two bounded shapes of one body overlap in the present state. */
static bool overlap(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b)
{
    const FilSystem* system = stage->system;
    const FilBody* body = &system->bodies[a->body];
    const double *q = system->state.q + body->q, *h = system->state.h + body->h;
    FilShape shape[2];
    FilPose pose[2];
    FilSeparation found;
    body->ops->part(body->impl, a->index, 0, q, h, &shape[0], &pose[0]);
    body->ops->part(body->impl, b->index, 0, q, h, &shape[1], &pose[1]);
    return fil_convex_separation(&shape[0], &pose[0], &shape[1], &pose[1], fil_shape_rounding(&shape[0]) + fil_shape_rounding(&shape[1]), &found);
}

FilStatus fil_collision_part_overlapping(FilCollisionStage* stage, int first)
{
    FilStatus status = FIL_OK;
    for (int i = first; i < stage->collider_count; i++) {
        for (int j = first; j < i && status == FIL_OK; j++) {
            const FilWorldCollider *a = &stage->colliders[i], *b = &stage->colliders[j];
            if (fil_collision_may_meet(stage, a, b) && !kept_apart(stage, a->carrier, b->carrier) && overlap(stage, a, b)) {
                status = fil_collision_keep_apart(stage, a->carrier, b->carrier);
            }
        }
    }
    return status;
}

FilStatus fil_collision_add_join(FilCollisionStage* stage, const FilBodySide side[2])
{
    if (!fil_array_reserve((void**)&stage->joins, stage->join_count, &stage->join_capacity, sizeof *stage->joins)) {
        return FIL_OUT_OF_MEMORY;
    }
    stage->joins[stage->join_count++] = (FilCollisionJoin){{side[0], side[1]}};
    fil_collision_note_join(stage, &side[0], &side[1]);
    fil_collision_note_join(stage, &side[1], &side[0]);
    return FIL_OK;
}

void fil_collision_note_length(FilCollisionStage* stage, double length)
{
    stage->length = stage->length > 0.0 ? fmin(stage->length, length) : length;
}

/* ---- surfaces ---- */

FilStatus fil_collision_set_pair(FilCollisionStage* stage, int object_a, int object_b, const FilSurface* surface)
{
    if (!fil_array_reserve((void**)&stage->pair_surfaces, stage->pair_surface_count, &stage->pair_surface_capacity, sizeof *stage->pair_surfaces)) {
        return FIL_OUT_OF_MEMORY;
    }
    stage->pair_surfaces[stage->pair_surface_count++] = (FilPairSurface){object_a, object_b, *surface};
    return FIL_OK;
}

/* The surface set for a pair; NULL: none. */
static const FilSurface* find_pair(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b)
{
    for (int k = 0; k < stage->pair_surface_count; k++) {
        const FilPairSurface* p = &stage->pair_surfaces[k];
        if ((p->a == a->object && p->b == b->object) || (p->a == b->object && p->b == a->object)) {
            return &p->surface;
        }
    }
    return NULL;
}

FilSurface fil_collision_surface(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b)
{
    const FilSurface* pair = find_pair(stage, a, b);
    return pair != NULL ? *pair : fil_surface_combine(&a->collider.collision.surface, &b->collider.collision.surface);
}

bool fil_collision_by_points(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b)
{
    const FilSurface* pair = find_pair(stage, a, b);
    return pair != NULL && pair->by_points;
}

FilSurface fil_collision_patch_surface(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b, double stiffness_a,
                                       double stiffness_b)
{
    const FilSurface* pair = find_pair(stage, a, b);
    FilSurface sides[2] = {a->collider.collision.surface, b->collider.collision.surface};
    sides[0].stiffness = stiffness_a;
    sides[1].stiffness = stiffness_b;
    return pair != NULL ? *pair : fil_surface_combine(&sides[0], &sides[1]);
}

double fil_collision_friction(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b)
{
    return stage->friction >= 0.0 ? stage->friction : fil_collision_surface(stage, a, b).friction;
}

double fil_collision_speed_near(const FilWorldCollider* c, const FilAabb* box)
{
    double middle[3];
    if (!c->place.turns) {
        return c->place.speed;
    }
    fil_v3_add(middle, box->lo, box->hi);
    fil_v3_scale(middle, 0.5, middle);
    return fil_placement_speed_near(&c->place, middle, 0.5 * fil_v3_distance(box->lo, box->hi));
}

/* ---- who may touch ---- */

bool fil_collision_may_meet(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b)
{
    const FilCollision *ca = &a->collider.collision, *cb = &b->collider.collision;
    const FilBody* body = &stage->system->bodies[a->body];
    const bool joined = a->body == b->body && a->collider.kind == FIL_COLLIDER_SHAPE && body->ops->joined(body->impl, a->index, 0, b->index, 0);
    return !joined && ca->enabled && cb->enabled && (a->collider.movable || b->collider.movable) && (ca->groups & cb->mask) != 0 &&
           (cb->groups & ca->mask) != 0;
}

bool fil_collision_idle(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b)
{
    const FilRest first = stage->system->bodies[a->body].rest, second = stage->system->bodies[b->body].rest;
    return first == FIL_ABSENT || second == FIL_ABSENT || (first != FIL_AWAKE && second != FIL_AWAKE);
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
static bool is_side(const FilWorldCollider* c, int part, const FilBodySide* side, double* length)
{
    const bool row = c->collider.kind == FIL_COLLIDER_ROW;
    if (side->body != c->body || side->point >= 0 || (row && side->index != c->index)) {
        return false;
    }
    *length += row ? length_to(&c->collider, part, side->edge + side->frame_part % 2) : 0.0;
    return true;
}

bool fil_collision_kept_apart(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b)
{
    return a->collider.kind == FIL_COLLIDER_SHAPE && b->collider.kind == FIL_COLLIDER_SHAPE && kept_apart(stage, a->carrier, b->carrier);
}

bool fil_collision_joined(const FilCollisionStage* stage, int a, int b)
{
    const int body_a = stage->colliders[a].body, body_b = stage->colliders[b].body;
    for (int j = 0; j < stage->join_count; j++) {
        const FilBodySide* side = stage->joins[j].side;
        if ((side[0].body == body_a && side[1].body == body_b) || (side[0].body == body_b && side[1].body == body_a)) {
            return true;
        }
    }
    return false;
}

bool fil_collision_at_joint(const FilCollisionStage* stage, int a, int part_a, int b, int part_b)
{
    const FilWorldCollider *ca = &stage->colliders[a], *cb = &stage->colliders[b];
    const double ra = ca->collider.kind == FIL_COLLIDER_ROW ? ca->collider.radii[part_a] : 0.0;
    const double rb = cb->collider.kind == FIL_COLLIDER_ROW ? cb->collider.radii[part_b] : 0.0;
    const double reach = 0.5 * FIL_PI * (ra + rb + (ra == 0.0 ? rb : 0.0) + (rb == 0.0 ? ra : 0.0));
    for (int j = 0; j < stage->join_count; j++) {
        const FilBodySide* side = stage->joins[j].side;
        for (int first = 0; first < 2; first++) {
            double length = 0.0;
            if (is_side(ca, part_a, &side[first], &length) && is_side(cb, part_b, &side[1 - first], &length) && !(length > reach)) {
                return true;
            }
        }
    }
    return false;
}
