/* Level seams. Boxes side by side have sides that nothing can reach, and edges that are none. What slides over their common top lies in it by
 * micrometres, and would meet the next box by its side: by the least overlap, or ahead of it, by the contact that keeps off what is still apart.
 *
 * X touches a face of a rigid shape A. The face's plane has all of the rigid shape B behind it, and X before it but for how deep it is in A. Then X
 * can overlap B only as it overlaps A, along the plane's normal and by no more, for as long as its contacts with A hold it there. Contacts of X and B
 * that point elsewhere are dropped, unless those with A are themselves such as another shape has dropped. Walls, steps and what X is propped on rise
 * above the plane.
 *
 * X is a rigid shape, an edge of a row, or a vertex or triangle of what deforms. The last two may be all that is at the seam, the front of what
 * slides, so contacts of their neighbours with A will do. */
#include <math.h>

#include "base/extrema.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "collision/collision.h"

/* Normals are the same within 1e-3 rad, as in manifolds: 1 - cos. */
static const double PARALLEL = 5e-7;

/* X touches a face that its contact's normal is within 1e-2 rad of, 1 - cos: what lies by its depth of contact, 1e-3 of its size, on one side and
 * not on the other, is tilted by some thousandths. */
static const double FACING = 5e-5;
static const double FACING_SINE = 1e-2;

/* One shape may touch thousands: each of its manifolds is compared with so many others. */
enum { MAX_WITNESSES = 256 };

void fil_collision_free_seams(FilSeams* seams)
{
    fil_free(seams->manifolds);
    fil_free(seams->lists);
}

/* ---- manifolds: contacts of two parts with one normal ---- */

static bool is_rigid_shape(const FilWorldCollider* c)
{
    return c->collider.kind == FIL_COLLIDER_SHAPE && c->sheet < 0;
}

/* A rod, or a vertex of what deforms. */
static bool bends(const FilCollisionStage* stage, const FilWorldCollider* c)
{
    return c->collider.kind == FIL_COLLIDER_ROW || (c->sheet >= 0 && stage->sheets[c->sheet].mesh == NULL);
}

static bool has_faces(const FilWorldCollider* c)
{
    return c->collider.shape.kind > FIL_PRIMITIVE_CAPSULE;
}

static bool is_same(const double* a, const double* b)
{
    return fil_v3_dot(a, b) > 1.0 - PARALLEL;
}

static bool goes_on(const FilContact* a, const FilContact* b)
{
    return a->collider[0] == b->collider[0] && a->collider[1] == b->collider[1] && a->part[0] == b->part[0] && a->part[1] == b->part[1] &&
           is_same(a->frame + 6, b->frame + 6);
}

static bool find_manifolds(FilCollisionStage* stage)
{
    FilSeams* seams = &stage->seams;
    const FilContactSet* set = &stage->set;
    if (set->count > seams->capacity &&
        !fil_array_reserve_more((void**)&seams->manifolds, 0, set->count, &seams->capacity, sizeof *seams->manifolds)) {
        return false;
    }
    seams->count = 0;
    seams->bends = false;
    for (int k = 0, end; k < set->count; k = end) {
        const FilContact* c = &set->contacts[k];
        FilSeamManifold m = {.first = k, .collider = {c->collider[0], c->collider[1]}, .part = {c->part[0], c->part[1]}, .distance = c->distance};
        for (end = k + 1; end < set->count && goes_on(c, &set->contacts[end]); end++) {
            m.distance = fil_min(m.distance, set->contacts[end].distance);
        }
        m.count = end - k;
        const FilWorldCollider *a = &stage->colliders[m.collider[0]], *b = &stage->colliders[m.collider[1]];
        const bool one_bends = (is_rigid_shape(a) && bends(stage, b)) || (is_rigid_shape(b) && bends(stage, a));
        if (c->area == 0.0 && (one_bends || (is_rigid_shape(a) && is_rigid_shape(b)))) {
            seams->manifolds[seams->count++] = m;
            seams->bends = seams->bends || one_bends;
        }
    }
    return true;
}

/* Manifolds of one part X are numbered 2 k + side, X being that side of manifold k. */
static int next_of(const FilSeams* seams, int entry)
{
    return seams->manifolds[entry >> 1].next[entry & 1];
}

/* X's collider, and the other one. */
static int own_of(const FilSeams* seams, int entry)
{
    return seams->manifolds[entry >> 1].collider[entry & 1];
}

static int other_of(const FilSeams* seams, int entry)
{
    return seams->manifolds[entry >> 1].collider[1 - (entry & 1)];
}

/* X's list. Triangles share that of their vertex which is nearest. */
static FilSeamList* list_of(const FilCollisionStage* stage, int entry)
{
    const FilWorldCollider* c = &stage->colliders[own_of(&stage->seams, entry)];
    const int part = c->collider.kind == FIL_COLLIDER_ROW ? stage->seams.manifolds[entry >> 1].part[entry & 1] : 0;
    return &stage->seams.lists[c->first_part + part];
}

static const double* normal_of(const FilCollisionStage* stage, int entry)
{
    return stage->set.contacts[stage->seams.manifolds[entry >> 1].first].frame + 6;
}

/* Cosine between the normals of two manifolds of X, both to X or both from it. */
static double cosine(const FilCollisionStage* stage, int a, int b)
{
    const double dot = fil_v3_dot(normal_of(stage, a), normal_of(stage, b));
    return (a & 1) == (b & 1) ? dot : -dot;
}

/* Lists the manifolds of each part, with rigid shapes: others cover no sides. */
static bool list_manifolds(FilCollisionStage* stage)
{
    FilSeams* seams = &stage->seams;
    const int n = stage->part_count;
    if (n > seams->list_capacity && !fil_array_reserve_more((void**)&seams->lists, 0, n, &seams->list_capacity, sizeof *seams->lists)) {
        return false;
    }
    // neighbours of what bends may have no contact at all
    for (int k = 0; k < (seams->bends ? n : 0); k++) {
        seams->lists[k] = (FilSeamList){.head = -1};
    }
    for (int k = 0; k < (seams->bends ? 0 : 2 * seams->count); k++) {
        *list_of(stage, k) = (FilSeamList){.head = -1};
    }
    for (int k = 0; k < 2 * seams->count; k++) {
        if (!is_rigid_shape(&stage->colliders[other_of(seams, k)])) {
            continue;
        }
        FilSeamList* list = list_of(stage, k);
        list->mixed = list->mixed || (list->head >= 0 && cosine(stage, list->head, k) < 1.0 - PARALLEL);
        seams->manifolds[k >> 1].next[k & 1] = list->head;
        list->head = k;
    }
    return true;
}

/* ---- which contacts are of a seam ---- */

/* A manifold of X with a shape. */
typedef struct Touch {
    const FilSeamManifold* manifold;
    int other;    /* collider */
    double to[3]; /* normal, from the other one to X */
} Touch;

static Touch touch_of(const FilCollisionStage* stage, int entry)
{
    Touch touch = {.manifold = &stage->seams.manifolds[entry >> 1]};
    touch.other = other_of(&stage->seams, entry);
    fil_v3_scale(touch.to, (entry & 1) == 1 ? 1.0 : -1.0, normal_of(stage, entry));
    return touch;
}

/* Where a contact is on the surface of what X touches. */
static void surface_point(const FilCollisionStage* stage, const Touch* touch, int k, double* out)
{
    const FilContact* c = &stage->set.contacts[touch->manifold->first + k];
    fil_v3_copy(out, c->point);
    fil_v3_axpy(out, -0.5 * c->distance, touch->to);
}

/* The plane of the face that X touches. */
typedef struct Plane {
    double normal[3], origin[3];
} Plane;

static bool find_plane(const FilCollisionStage* stage, const Touch* touch, Plane* plane)
{
    const FilWorldCollider* c = &stage->colliders[touch->other];
    FilFace face;
    if (c->unbounded) {
        fil_pose_axis(plane->normal, &c->place.pose, 2);
        fil_v3_copy(plane->origin, c->place.pose.p);
        return true;
    }
    fil_shape_face(&c->collider.shape, &c->place.pose, touch->to, &face);
    if (face.count < 3) {
        return false;
    }
    fil_v3_copy(plane->normal, face.normal);
    fil_v3_copy(plane->origin, face.corner[0]);
    return fil_v3_dot(face.normal, touch->to) > 1.0 - FACING;
}

/* The point of a shape that is farthest along a direction. */
static void find_support(const FilShape* shape, const FilPose* pose, const double* direction, double* out)
{
    double local[3], p[3];
    fil_m3_apply_transposed(local, pose->r, direction);
    fil_shape_support(shape, local, p);
    fil_pose_apply(out, pose, p);
}

static double height(const Plane* plane, const double* p)
{
    double up[3];
    fil_v3_sub(up, p, plane->origin);
    return fil_v3_dot(up, plane->normal);
}

static void point_velocity(const FilCollisionStage* stage, int collider, const double* point, double* out)
{
    const FilWorldCollider* c = &stage->colliders[collider];
    const FilBody* body = &stage->system->bodies[c->body];
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS];
    const int count = body->ops->point_jacobian(body->impl, c->index, 0, point, stage->system->state.q + body->q, blocks, jacobian, out);
    for (int k = 0; k < 12 * count; k++) {
        out[k % 12 / 4] += jacobian[k] * stage->system->state.v[body->v + 4 * blocks[k / 12] + k % 4];
    }
}

/* Whether all of what b is of lies behind the plane at a, and will in this step. */
static bool stays_behind(const FilCollisionStage* stage, const Plane* plane, int a, int b, double level, double dt)
{
    double top[3], va[3], vb[3];
    find_support(&stage->colliders[b].collider.shape, &stage->colliders[b].place.pose, plane->normal, top);
    const double over = height(plane, top);
    if (over > level) {
        return false;
    }
    point_velocity(stage, a, top, va);
    point_velocity(stage, b, top, vb);
    return over + FIL_LOOK_AHEAD * dt * (fil_v3_dot(vb, plane->normal) - fil_v3_dot(va, plane->normal)) <= level;
}

/* Whether a point of b's contacts is above a's plane for certain. */
static bool rises(const FilCollisionStage* stage, const Touch* a, const Touch* b, double level)
{
    double origin[3], p[3];
    surface_point(stage, a, 0, origin);
    for (int k = 0; k < b->manifold->count; k++) {
        surface_point(stage, b, k, p);
        fil_v3_sub(p, p, origin);
        if (fil_v3_dot(p, a->to) > level + FACING_SINE * fil_v3_norm(p)) {
            return true;
        }
    }
    return false;
}

static double lowest_of_shape(const FilShape* shape, const FilPose* pose, const Plane* plane)
{
    const double down[3] = {-plane->normal[0], -plane->normal[1], -plane->normal[2]};
    double bottom[3];
    find_support(shape, pose, down, bottom);
    return height(plane, bottom);
}

/* How low an edge of a row is. */
static double lowest_of_edge(const FilCollisionStage* stage, const FilWorldCollider* c, int edge, const Plane* plane)
{
    if (c->collider.boxes && !stage->wants.round) {
        const FilBody* body = &stage->system->bodies[c->body];
        FilShape shape;
        FilPose pose;
        body->ops->part(body->impl, c->index, edge, stage->system->state.q + body->q, stage->system->state.h + body->h, &shape, &pose);
        return lowest_of_shape(&shape, &pose, plane);
    }
    const int next = edge + 1 == c->collider.node_count ? 0 : edge + 1;
    return fil_min(height(plane, c->place.nodes + 4 * edge), height(plane, c->place.nodes + 4 * next)) - c->collider.radii[edge];
}

/* How low X is over a plane. */
static double lowest(const FilCollisionStage* stage, int entry, const Plane* plane)
{
    const FilWorldCollider* c = &stage->colliders[own_of(&stage->seams, entry)];
    const int part = stage->seams.manifolds[entry >> 1].part[entry & 1];
    if (c->collider.kind == FIL_COLLIDER_ROW) {
        return lowest_of_edge(stage, c, part, plane);
    }
    if (part == 0 || is_rigid_shape(c)) {
        return lowest_of_shape(&c->collider.shape, &c->place.pose, plane);
    }
    const FilFacets* facets = &stage->sheets[c->sheet].facets;
    double corner[3];
    for (int k = 0; k < 3; k++) {
        corner[k] = height(plane, fil_facets_corner(facets, part - 1, k));
    }
    return fil_min(fil_min(corner[0], corner[1]), corner[2]) - facets->radius;
}

/* Whether what X touches with b, its manifold `entry`, is at a seam beside what it touches with a. Level is what contact does not resolve: the depth
 * up to which it is regularised. */
static bool is_at_seam(const FilCollisionStage* stage, int entry, const Touch* a, const Touch* b, double dt)
{
    const double level = fil_min(stage->set.contacts[a->manifold->first].depth, stage->set.contacts[b->manifold->first].depth);
    Plane plane;
    return a->other != b->other && !rises(stage, a, b, level) && find_plane(stage, a, &plane) && !is_same(plane.normal, b->to) &&
           stays_behind(stage, &plane, a->other, b->other, level, dt) && lowest(stage, entry, &plane) >= a->manifold->distance - level;
}

/* Whether a manifold of X is at a seam beside one of a list, X's own or a neighbour's, of which no more than `left` are looked at. */
static bool is_beside_any(const FilCollisionStage* stage, int entry, int head, bool sure, double dt, int* left)
{
    const FilSeams* seams = &stage->seams;
    for (int k = head; k >= 0 && *left > 0; k = next_of(seams, k), --*left) {
        // neither of one normal, nor from both sides: before the plane and behind it
        const double along = cosine(stage, k, entry);
        if (along < 1.0 - PARALLEL && along > -FACING_SINE && has_faces(&stage->colliders[other_of(seams, k)]) &&
            !(sure && seams->manifolds[k >> 1].suspect)) {
            const Touch a = touch_of(stage, k), b = touch_of(stage, entry);
            if (is_at_seam(stage, entry, &a, &b, dt)) {
                return true;
            }
        }
    }
    return false;
}

/* The same of what X's neighbours touch: edges before and behind one of a row, vertices around one of what deforms. */
static bool is_beside_neighbours(const FilCollisionStage* stage, int entry, bool sure, double dt, int* left)
{
    const FilSeams* seams = &stage->seams;
    const FilWorldCollider* c = &stage->colliders[own_of(seams, entry)];
    if (c->collider.kind == FIL_COLLIDER_ROW) {
        const int n = c->collider.edge_count, edge = seams->manifolds[entry >> 1].part[entry & 1];
        const int before = edge > 0 ? edge - 1 : (c->collider.closed ? n - 1 : -1), after = edge + 1 < n ? edge + 1 : (c->collider.closed ? 0 : -1);
        return (before >= 0 && is_beside_any(stage, entry, seams->lists[c->first_part + before].head, sure, dt, left)) ||
               (after >= 0 && is_beside_any(stage, entry, seams->lists[c->first_part + after].head, sure, dt, left));
    }
    const FilCollisionSheet* sheet = &stage->sheets[c->sheet];
    const FilFacets* facets = &sheet->facets;
    const int own = own_of(seams, entry) - sheet->first;
    for (int k = 3 * facets->fan_first[own]; k < 3 * facets->fan_first[own + 1]; k++) {
        const int vertex = facets->triangles[3 * facets->fans[k / 3] + k % 3];
        if (vertex != own && is_beside_any(stage, entry, seams->lists[stage->colliders[sheet->first + vertex].first_part].head, sure, dt, left)) {
            return true;
        }
    }
    return false;
}

/* Whether a manifold of X is at a seam beside another one; `sure`: one that is at none itself. */
static bool has_witness(const FilCollisionStage* stage, int entry, bool sure, double dt)
{
    const FilWorldCollider *own = &stage->colliders[own_of(&stage->seams, entry)], *other = &stage->colliders[other_of(&stage->seams, entry)];
    if (own->unbounded || other->unbounded || !is_rigid_shape(other)) {
        return false;
    }
    const FilSeamList* list = list_of(stage, entry);
    int left = MAX_WITNESSES;
    return (list->mixed && is_beside_any(stage, entry, list->head, sure, dt, &left)) ||
           (bends(stage, own) && is_beside_neighbours(stage, entry, sure, dt, &left));
}

/* Marks the manifolds that seem to be at seams, and of these those that are; whether there are any. */
static bool find_seams(FilCollisionStage* stage, double dt)
{
    FilSeams* seams = &stage->seams;
    bool any = false;
    for (int k = 0; k < seams->count; k++) {
        seams->manifolds[k].suspect = has_witness(stage, 2 * k, false, dt) || has_witness(stage, 2 * k + 1, false, dt);
        any = any || seams->manifolds[k].suspect;
    }
    for (int k = 0; k < seams->count && any; k++) {
        seams->manifolds[k].dropped = seams->manifolds[k].suspect && (has_witness(stage, 2 * k, true, dt) || has_witness(stage, 2 * k + 1, true, dt));
    }
    return any;
}

/* ---- dropping them ---- */

/* Contacts are asked about in their order; `next` is the manifold that the last one stands in or before. */
static bool is_of_dropped(const FilCollisionStage* stage, int contact, void* next)
{
    const FilSeams* seams = &stage->seams;
    int* k = next;
    while (*k < seams->count && seams->manifolds[*k].first + seams->manifolds[*k].count <= contact) {
        ++*k;
    }
    return *k < seams->count && seams->manifolds[*k].dropped && contact >= seams->manifolds[*k].first;
}

FilStatus fil_collision_drop_seams(FilCollisionStage* stage, double dt)
{
    if (stage->set.count < 2) {
        return FIL_OK;
    }
    if (!find_manifolds(stage) || !list_manifolds(stage)) {
        return FIL_OUT_OF_MEMORY;
    }
    if (find_seams(stage, dt)) {
        int next = 0;
        fil_collision_drop(stage, is_of_dropped, &next);
    }
    return FIL_OK;
}
