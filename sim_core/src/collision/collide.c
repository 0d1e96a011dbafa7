/* Broad and narrow phase: trees of bounding boxes, pairs of colliders, pairs of their parts. */
#include <math.h>

#include "base/extrema.h"
#include "base/vec3.h"
#include "collision/collision.h"
#include "geometry/closest.h"
#include "geometry/collide.h"

static double look_around(const FilCollisionStage* stage)
{
    return fmax(stage->wants.around, FIL_LOOK_AROUND);
}

/* ---- bounds ---- */

static double edge_speed(const FilPlacement* place, int a, int b)
{
    return fmax(fil_v3_norm(place->velocities + 4 * a), fil_v3_norm(place->velocities + 4 * b));
}

/* Boxes of a row's edges, over the motion of the step to come. */
static FilAabb bound_row(FilWorldCollider* c, double around_radii, double margin, double dt)
{
    const int n = c->collider.node_count;
    for (int i = 0; i < c->collider.edge_count; i++) {
        const int j = i + 1 == n ? 0 : i + 1;
        const double *x = c->place.nodes, *v = c->place.velocities;
        FilAabb box = fil_aabb_of_segment(x + 4 * i, x + 4 * j, 0.0);
        for (int k = 0; k < 3; k++) {
            const double a = FIL_LOOK_AHEAD * dt * v[4 * i + k], b = FIL_LOOK_AHEAD * dt * v[4 * j + k];
            const double around = (1.0 + around_radii) * c->collider.radii[i] + margin;
            box.lo[k] += fil_min(fil_min(a, b), 0.0) - around;
            box.hi[k] += fil_max(fil_max(a, b), 0.0) + around;
        }
        c->row.boxes[i] = box;
    }
    fil_chain_refit(&c->row);
    return *fil_chain_bounds(&c->row);
}

static FilAabb bound_shape(const FilCollisionStage* stage, const FilWorldCollider* c, double dt)
{
    const FilAabb box = fil_shape_aabb(&c->collider.shape, &c->place.pose);
    const double size = fil_v3_distance(box.lo, box.hi);
    return fil_aabb_fattened(&box, FIL_LOOK_AHEAD * dt * c->place.speed + 0.5 * FIL_LOOK_AROUND * size + fil_collision_patch_margin(stage, c));
}

typedef struct Bounding {
    FilCollisionStage* stage;
    double dt;
} Bounding;

static void bound_colliders(void* context, int first, int end, int worker)
{
    const Bounding* bounding = context;
    FilCollisionStage* stage = bounding->stage;
    (void)worker;
    for (int k = first; k < end; k++) {
        FilWorldCollider* c = &stage->colliders[k];
        if (!c->unbounded && c->collider.collision.enabled) {
            c->bounds = c->collider.kind == FIL_COLLIDER_ROW ? bound_row(c, look_around(stage), fil_collision_patch_margin(stage, c), bounding->dt)
                                                             : bound_shape(stage, c, bounding->dt);
            c->stays = stage->tree_ready && fil_tree_stays(&stage->tree, k, &c->bounds);
        }
    }
}

/* Colliders that are placed and bounded at a time, at most; and into how many chunks few of them, which may be long rods, are cut. */
enum { BOUND_GRAIN = 8, BOUND_CHUNKS = 32 };

/* Vertices of one body that deforms are joined, all of them: hundreds lie side by side. */
static int own_group(const FilCollisionStage* stage, const FilWorldCollider* c)
{
    return c->sheet >= 0 && stage->sheets[c->sheet].mesh == NULL ? c->sheet : FIL_TREE_NULL;
}

/* Places every collider and finds the pairs of colliders whose boxes overlap. */
static FilStatus broad_phase(FilCollisionStage* stage, double dt)
{
    for (int k = 0; k < stage->collider_count; k++) {
        FilWorldCollider* c = &stage->colliders[k];
        const FilBody* body = &stage->system->bodies[c->body];
        body->ops->place(body->impl, c->index, stage->system->state.q + body->q, stage->system->state.v + body->v, &c->place);
    }
    Bounding bounding = {stage, dt};
    const int grain = 1 + stage->collider_count / BOUND_CHUNKS;
    fil_workers_run(stage->system->workers, stage->collider_count, grain < BOUND_GRAIN ? grain : BOUND_GRAIN, bound_colliders, &bounding);
    for (int k = 0; k < stage->collider_count; k++) {
        const FilWorldCollider* c = &stage->colliders[k];
        if (c->unbounded || !c->collider.collision.enabled || c->stays) {
            continue;
        }
        if (!stage->tree_ready) {
            const double size = fil_v3_distance(c->bounds.lo, c->bounds.hi);
            fil_tree_init(&stage->tree, 0.02 * size);  // small motions leave the tree alone
            stage->tree_ready = true;
        }
        const FilStatus status = fil_tree_move(&stage->tree, k, own_group(stage, c), &c->bounds);
        if (status != FIL_OK) {
            return status;
        }
    }
    stage->pairs.count = 0;
    FilStatus status = FIL_OK;
    if (stage->tree_ready) {
        fil_tree_refit(&stage->tree);
        status = fil_collision_tree_pairs(stage);
    }
    // what has no bounds meets everything
    for (int k = 0; k < stage->collider_count && status == FIL_OK; k++) {
        for (int m = 0; m < stage->collider_count && stage->colliders[k].unbounded && status == FIL_OK; m++) {
            if (!stage->colliders[m].unbounded && (status = fil_pairs_reserve(&stage->pairs, 1)) == FIL_OK) {
                stage->pairs.items[stage->pairs.count++] = (FilIndexPair){m < k ? m : k, m < k ? k : m};
            }
        }
    }
    return status;
}

/* ---- parts ---- */

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
    const double fastest2 = fmax(fmax(distance2(p0, q0), distance2(p0, q1)), fmax(distance2(p1, q0), distance2(p1, q1)));
    return FIL_LOOK_AHEAD * dt * sqrt(fastest2) + around * fmin(a->collider.radii[i], b->collider.radii[j]);
}

/* Where the axes of two edges are closest. */
typedef struct Closest {
    double s, t, square; /* shares of the edges, and the distance's square */
} Closest;

/* Two round edges: the closest points of their axes. */
static bool meet_segments(const FilWorldCollider* a, int i, const FilWorldCollider* b, int j, double margin, Closest* axes, FilContactPoint* out)
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
    if (!(distance > 1e-9 * (ra + rb))) {  // axes meet: apart across both
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
static double parting_speed(const FilWorldCollider* a, int i, const FilWorldCollider* b, int j, const Closest* axes, const double* normal)
{
    const double *p0 = a->place.velocities + 4 * i, *p1 = a->place.velocities + 4 * node_after(a, i);
    const double *q0 = b->place.velocities + 4 * j, *q1 = b->place.velocities + 4 * node_after(b, j);
    double speed = 0.0;
    for (int k = 0; k < 3; k++) {
        speed += normal[k] * ((q0[k] + axes->t * (q1[k] - q0[k])) - (p0[k] + axes->s * (p1[k] - p0[k])));
    }
    return speed;
}

/* Leaves the deepest point, as engines do that have one for each pair of shapes. */
static int keep_deepest(FilContactPoint* points, int count)
{
    for (int k = 1; k < count; k++) {
        if (points[k].distance < points[0].distance) {
            points[0] = points[k];
        }
    }
    return 1;
}

/* Two parts, each as a shape that is somewhere. */
static FilPartPair pair_of(const FilCollisionStage* stage, int a, int part_a, int b, int part_b, double margin)
{
    FilPartPair pair = {.collider = {a, b}, .part = {part_a, part_b}, .margin = margin};
    FilShape* shapes = pair.shape;
    FilPose* poses = pair.pose;
    for (int s = 0; s < 2; s++) {
        const FilWorldCollider* c = &stage->colliders[pair.collider[s]];
        const FilBody* body = &stage->system->bodies[c->body];
        if (c->collider.kind == FIL_COLLIDER_SHAPE) {
            shapes[s] = c->collider.shape;
            poses[s] = c->place.pose;
        } else {
            body->ops->part(body->impl, c->index, pair.part[s], stage->system->state.q + body->q, stage->system->state.h + body->h, &shapes[s],
                            &poses[s]);
            if (stage->wants.round && shapes[s].kind == FIL_PRIMITIVE_BOX) {
                // a variable of its own: in a place that gcc makes for the result the stack is aligned for the widest register, with more
                // instructions
                const FilShape round = fil_shape_capsule(c->collider.radii[pair.part[s]], shapes[s].half[2]);
                shapes[s] = round;
            }
        }
    }
    return pair;
}

/* Cosine to a neighbour from which on a vertex of what deforms is not what a normal meets: the wall of a box that slides over a flat sheet and lies
 * micrometres deep ran into every vertex in its way. Half: vertices of dents and folds, which faces and edges may not hold, still touch what lies in
 * them. A hundredth, as of edges, for what is round there, or an edge, and apart: it comes to lie beside the vertex before it gets there, and would
 * be braked by the gap along a normal that turns. */
#define TILTED 0.5
#define TILTED_APART 0.01

/* Whether a shape is flat where a normal of it is this one. */
static bool is_face(const FilShape* shape, const FilPose* pose, const double* normal)
{
    static const double same = 1.0 - 1e-9;
    double n[3], largest = 0.0;
    fil_m3_apply_transposed(n, pose->r, normal);
    switch (shape->kind) {
        case FIL_PRIMITIVE_HALF_SPACE:
            return true;
        case FIL_PRIMITIVE_BOX:
            return fil_max(fil_max(fabs(n[0]), fabs(n[1])), fabs(n[2])) > same;
        case FIL_PRIMITIVE_CYLINDER:
            return fabs(n[2]) > same;
        case FIL_PRIMITIVE_HULL:
            for (int f = 0; f < shape->hull->face_count; f++) {
                largest = fil_max(largest, fil_v3_dot(n, shape->hull->normals + 3 * f));
            }
            return largest > same;
        default:
            return false;
    }
}

/* Whether a side is a vertex of what deforms with a neighbour far on the other's side, which would meet before it what comes that way. */
static bool is_beside(const FilCollisionStage* stage, const FilPartPair* pair, int side, const FilContactPoint* point)
{
    const FilWorldCollider* c = &stage->colliders[pair->collider[side]];
    const FilCollisionSheet* s = c->sheet >= 0 ? &stage->sheets[c->sheet] : NULL;
    if (s == NULL || s->mesh != NULL) {
        return false;
    }
    double down[3];
    fil_v3_scale(down, side == 0 ? -1.0 : 1.0, point->normal);
    const bool round = point->distance > 0.0 && !is_face(&pair->shape[1 - side], &pair->pose[1 - side], down);
    return !fil_facets_is_extreme(&s->facets, pair->collider[side] - s->first, down, round ? -TILTED_APART : -TILTED);
}

static FilStatus meet_parts(FilCollisionStage* stage, int a, int part_a, int b, int part_b, double margin)
{
    const FilPartPair pair = pair_of(stage, a, part_a, b, part_b, margin);
    const FilShape* shapes = pair.shape;
    const FilPose* poses = pair.pose;
    FilContactPoint points[FIL_MANIFOLD_POINTS];
    bool met = false;
    FilStatus status = stage->patches.compliant > 0 ? fil_collision_meet_patch(stage, &pair, &met) : FIL_OK;
    if (met || status != FIL_OK) {
        return status;
    }
    int count = fil_collide(&shapes[0], &poses[0], &shapes[1], &poses[1], margin, points);
    if (count > 1 && fil_collision_surface(stage, &stage->colliders[a], &stage->colliders[b]).single_point) {
        count = keep_deepest(points, count);
    }
    for (int k = 0; k < count && status == FIL_OK; k++) {
        if (is_beside(stage, &pair, 0, &points[k]) || is_beside(stage, &pair, 1, &points[k])) {
            continue;
        }
        status = fil_collision_emit(stage, a, part_a, b, part_b, &points[k]);
    }
    return status;
}

/* ---- pairs of colliders ---- */

/* Remembers two edges for the crossing check. */
static FilStatus note_near(FilCollisionStage* stage, int a, int i, int b, int j, double axes)
{
    const FilStatus status = fil_pairs_reserve(&stage->near, 2);
    if (status == FIL_OK) {
        stage->near.items[stage->near.count++] = (FilIndexPair){a, i};
        stage->near.items[stage->near.count++] = (FilIndexPair){b, j};
        stage->near_axes = axes < stage->near_axes ? axes : stage->near_axes;
    }
    return status;
}

/* Whether edges of rows never touch: neighbours along one, or at a joint. */
static bool excluded(const FilCollisionStage* stage, int a, int i, int b, int j, bool at_joint)
{
    const FilWorldCollider *ca = &stage->colliders[a], *cb = &stage->colliders[b];
    const FilBody* body = &stage->system->bodies[ca->body];
    return (a == b && fil_collision_neighbours(&ca->collider, i < j ? i : j, i < j ? j : i)) ||
           (ca->body == cb->body && a != b && body->ops->joined(body->impl, ca->index, i, cb->index, j)) ||
           (at_joint && fil_collision_at_joint(stage, a, i, b, j));
}

int fil_collision_edge_beyond(const FilCollisionStage* stage, const int collider[2], const int edge[2], int side, int end)
{
    const FilCollider* c = &stage->colliders[collider[side]].collider;
    const int n = c->edge_count, i = edge[side], next = end == 0 ? i - 1 : i + 1;
    const int beyond = next >= 0 && next < n ? next : (c->closed ? (next + n) % n : -1);
    const int pair[2] = {side == 0 ? beyond : edge[0], side == 1 ? beyond : edge[1]};
    const bool goes_on = beyond >= 0 && c->radii[beyond] == c->radii[i] && !excluded(stage, collider[0], pair[0], collider[1], pair[1], true);
    return goes_on ? beyond : -1;
}

/* Above this slope against an edge's cross-section, a normal at the edge's end is that of a cap that is not there (tried from
 * 0.02 to 0.2); below, edges lie side by side, and neighbours share what they carry. */
static const double CAP_SLOPE = 0.05;

/* Above this slope, 45 degrees, a normal is along the edge rather than across, and stays; 0.5 to 0.9 give capstans and crossed rods the same bits. */
static const double MAX_SLOPE = 0.7;

/* A row goes on beyond its edges: their ends are no caps, which would stop what slides along the row from edge to edge. Where
 * the edge beyond side `side`'s end is closer, the contact is that one's; a slight slope of the normal is taken away, any slope where
 * edges share their contacts. */
static bool smooth_end(const FilCollisionStage* stage, const int collider[2], const int edge[2], int side, double share, FilContactPoint* point)
{
    const FilWorldCollider* c = &stage->colliders[collider[side]];
    const int i = edge[side], beyond = share > 0.0 && share < 1.0 ? -1 : fil_collision_edge_beyond(stage, collider, edge, side, share > 0.0);
    if (beyond < 0) {
        return true;
    }
    double out[3], along[3];  // of the edge beyond, and of this one, away from its other end
    const double sign = (share > 0.0 ? 1.0 : -1.0), toward = side == 0 ? 1.0 : -1.0;
    fil_v3_sub(out, c->place.nodes + 4 * node_after(c, beyond), c->place.nodes + 4 * beyond);
    fil_v3_sub(along, c->place.nodes + 4 * node_after(c, i), c->place.nodes + 4 * i);
    if (!(sign * toward * fil_v3_dot(point->normal, out) > 0.0) || fil_v3_normalise(along) == 0.0) {
        return true;
    }
    const double slope = fil_v3_dot(point->normal, along);
    if (fabs(slope) > (stage->wants.shares ? MAX_SLOPE : CAP_SLOPE)) {
        return stage->wants.shares;
    }
    fil_v3_axpy(point->normal, -slope, along);
    fil_v3_normalise(point->normal);
    return true;
}

static bool smooth_ends(const FilCollisionStage* stage, int a, int i, int b, int j, const Closest* axes, FilContactPoint* point)
{
    const int collider[2] = {a, b}, edge[2] = {i, j};
    return smooth_end(stage, collider, edge, 0, axes->s, point) && smooth_end(stage, collider, edge, 1, axes->t, point);
}

static FilStatus meet_edges(FilCollisionStage* stage, int a, int b, double dt)
{
    const FilWorldCollider *ca = &stage->colliders[a], *cb = &stage->colliders[b];
    const bool round = stage->wants.round || (!ca->collider.boxes && !cb->collider.boxes);
    const bool compliant = stage->patches.compliant > 0 && fmax(ca->collider.collision.surface.modulus, cb->collider.collision.surface.modulus) > 0.0;
    const bool joined = fil_collision_joined(stage, a, b);
    FilStatus status = FIL_OK;
    for (int k = 0; k < stage->parts.count && status == FIL_OK; k++) {
        const int i = stage->parts.items[k].a, j = stage->parts.items[k].b;
        if (excluded(stage, a, i, b, j, joined)) {
            continue;
        }
        const double margin = edge_margin(ca, i, cb, j, look_around(stage), dt);
        FilContactPoint point;
        Closest axes = {.square = 0.0};
        const bool near = round && meet_segments(ca, i, cb, j, margin, &axes, &point);
        bool met = false;
        if (!round) {
            status = meet_parts(stage, a, i, b, j, margin);
        } else if (near && compliant) {
            const FilPartPair pair = pair_of(stage, a, i, b, j, margin);
            status = fil_collision_meet_patch(stage, &pair, &met);
        }
        if (near && !met && status == FIL_OK &&
            ((stage->wants.around > 0.0 && !stage->wants.shares) || smooth_ends(stage, a, i, b, j, &axes, &point))) {
            status = stage->wants.plain ? fil_collision_emit_plain(stage, a, i, b, j, &point, parting_speed(ca, i, cb, j, &axes, point.normal))
                                        : fil_collision_emit(stage, a, i, b, j, &point);
        }
        status = status == FIL_OK ? note_near(stage, a, i, b, j, axes.square) : status;
    }
    return status;
}

/* Half the sizes of a box around a shape's core, in its own frame; false: of hulls and half-spaces, which are not looked at. */
static bool find_core_box(const FilShape* shape, double* half)
{
    switch (shape->kind) {
        case FIL_PRIMITIVE_SPHERE:
            fil_v3_set(half, 0.0, 0.0, 0.0);
            return true;
        case FIL_PRIMITIVE_CAPSULE:
            fil_v3_set(half, 0.0, 0.0, shape->half[2]);
            return true;
        case FIL_PRIMITIVE_CYLINDER:
            fil_v3_set(half, shape->radius, shape->radius, shape->half[2]);
            return true;
        case FIL_PRIMITIVE_BOX:
            fil_v3_copy(half, shape->half);
            return true;
        default:
            return false;
    }
}

/* Whether a round edge is beyond reach of a shape for certain: by its middle and half its length. Boxes around shapes that lie across the world's
 * axes hold many such edges, and to find out by closest points takes some ten times as long. */
static bool is_beyond(const FilWorldCollider* r, int i, const FilWorldCollider* s, const double* core, double margin)
{
    static const double ROUNDING = 1.0 + 1e-9;
    const double *a = r->place.nodes + 4 * i, *b = r->place.nodes + 4 * node_after(r, i);
    double middle[3], local[3], square = 0.0;
    fil_v3_add(middle, a, b);
    fil_v3_scale(middle, 0.5, middle);
    fil_pose_apply_inverse(local, &s->place.pose, middle);
    for (int k = 0; k < 3; k++) {
        const double d = fmax(0.0, fabs(local[k]) - core[k]);
        square += d * d;
    }
    const double reach = ROUNDING * (0.5 * sqrt(distance2(a, b)) + r->collider.radii[i] + fil_shape_rounding(&s->collider.shape) + margin);
    return square > reach * reach;
}

static FilStatus meet_row_shape(FilCollisionStage* stage, int row, int shape, double dt)
{
    const FilWorldCollider *r = &stage->colliders[row], *s = &stage->colliders[shape];
    if (fil_collision_meets_by_nodes(stage, r, s)) {
        return fil_collision_meet_nodes(stage, row, shape, dt);
    }
    stage->parts.count = 0;
    FilStatus status = FIL_OK;
    if (s->unbounded) {
        // edges that reach below the plane, as far as both could move, whichever way (row_plane.c)
        double up[3];
        fil_pose_axis(up, &s->place.pose, 2);
        status = fil_pairs_reserve(&stage->parts, r->collider.edge_count);
        for (int i = 0; i < r->collider.edge_count && status == FIL_OK; i++) {
            const FilAabb* box = &r->row.boxes[i];
            double lowest = 0.0;
            for (int k = 0; k < 3; k++) {
                lowest += up[k] * ((up[k] > 0.0 ? box->lo[k] : box->hi[k]) - s->place.pose.p[k]);
            }
            const double speed = edge_speed(&r->place, i, i + 1 == r->collider.node_count ? 0 : i + 1) + fil_collision_speed_near(s, box);
            if (lowest <= FIL_LOOK_AHEAD * dt * speed) {
                stage->parts.items[stage->parts.count++] = (FilIndexPair){i, 0};
            }
        }
    } else {
        status = fil_chain_query(&r->row, &s->bounds, 0, &stage->parts);
    }
    double core[3];
    const bool round = (stage->wants.round || !r->collider.boxes) && stage->patches.compliant == 0 && find_core_box(&s->collider.shape, core);
    const bool joined = fil_collision_joined(stage, row, shape);
    for (int k = 0; k < stage->parts.count && status == FIL_OK; k++) {
        const int i = stage->parts.items[k].a, j = (i + 1) % r->collider.node_count;
        if (joined && fil_collision_at_joint(stage, row, i, shape, 0)) {
            continue;
        }
        const double speed = edge_speed(&r->place, i, j) + fil_collision_speed_near(s, &r->row.boxes[i]);
        const double margin = FIL_LOOK_AHEAD * dt * speed + look_around(stage) * r->collider.radii[i];
        if (round && is_beyond(r, i, s, core, margin)) {
            continue;
        }
        status = row < shape ? meet_parts(stage, row, i, shape, 0, margin) : meet_parts(stage, shape, 0, row, i, margin);
    }
    return status;
}

static bool is_mesh(const FilWorldCollider* c)
{
    return c->sheet >= 0 && c->collider.shape.mesh != NULL;
}

/* Whether a is a vertex of a sheet that is joined to b's body. */
static bool is_joined(const FilCollisionStage* stage, int a, int b)
{
    const FilWorldCollider* c = &stage->colliders[a];
    const FilCollisionSheet* s = c->sheet >= 0 ? &stage->sheets[c->sheet] : NULL;
    return s != NULL && s->mesh == NULL && fil_collision_vertex_joined(stage, s, a - s->first, stage->colliders[b].body);
}

/* Whether a is a vertex of a solid whose triangles meet the shape b by areas. */
static bool is_bedded(const FilCollisionStage* stage, int a, int b)
{
    const FilWorldCollider* c = &stage->colliders[a];
    return c->sheet >= 0 && fil_collision_bed(stage, &stage->sheets[c->sheet], &stage->colliders[b]) > 0.0;
}

/* m: cloth that is crumpled snaps by its thickness within a step, from rest. */
static double cloth_margin(const FilCollisionStage* stage, const FilWorldCollider* c)
{
    const FilCollisionSheet* s = c->sheet >= 0 ? &stage->sheets[c->sheet] : NULL;
    return s != NULL && s->own != NULL ? s->facets.radius : 0.0;
}

static FilStatus meet(FilCollisionStage* stage, int a, int b, double dt)
{
    const FilWorldCollider *ca = &stage->colliders[a], *cb = &stage->colliders[b];
    // triangles meet triangles, and those of a mesh everything but half-spaces, which its hull meets as well
    const bool triangles = (ca->sheet >= 0 && cb->sheet >= 0) || (is_mesh(ca) && !cb->unbounded) || (is_mesh(cb) && !ca->unbounded);
    if ((triangles && !stage->wants.vertices) || fil_collision_idle(stage, ca, cb) || !fil_collision_may_meet(stage, ca, cb) ||
        (stage->join_count > 0 && (is_joined(stage, a, b) || is_joined(stage, b, a)))) {
        return FIL_OK;
    }
    if (ca->collider.kind == FIL_COLLIDER_ROW && cb->collider.kind == FIL_COLLIDER_ROW) {
        stage->parts.count = 0;
        const FilStatus status = fil_chain_pairs(&ca->row, &cb->row, &stage->parts);
        return status == FIL_OK ? meet_edges(stage, a, b, dt) : status;
    }
    if (ca->collider.kind == FIL_COLLIDER_ROW) {
        return meet_row_shape(stage, a, b, dt);
    }
    if (cb->collider.kind == FIL_COLLIDER_ROW) {
        return meet_row_shape(stage, b, a, dt);
    }
    if (fil_collision_kept_apart(stage, ca, cb) || (!stage->wants.vertices && (is_bedded(stage, a, b) || is_bedded(stage, b, a)))) {
        return FIL_OK;
    }
    // vertices of what deforms: how they come closer; a hand may carry and shake a ball
    const bool vertex = (ca->sheet >= 0 && !is_mesh(ca)) || (cb->sheet >= 0 && !is_mesh(cb));
    const double closing = vertex ? fil_placement_closing(&ca->place, &cb->place)
                                  : fil_collision_speed_near(ca, &cb->bounds) + fil_collision_speed_near(cb, &ca->bounds);
    const double margin =
        FIL_LOOK_AHEAD * dt * closing + fmax(stage->wants.around, 1e-4) * stage->length + fmax(cloth_margin(stage, ca), cloth_margin(stage, cb));
    return meet_parts(stage, a, 0, b, 0, margin);
}

static FilStatus meet_itself(FilCollisionStage* stage, int k, double dt)
{
    FilWorldCollider* c = &stage->colliders[k];
    const FilCollision* collision = &c->collider.collision;
    if (c->collider.kind != FIL_COLLIDER_ROW || !collision->enabled || !collision->self) {
        return FIL_OK;
    }
    stage->parts.count = 0;
    const FilStatus status = fil_chain_self_pairs(&c->row, c->skip, c->collider.closed, &stage->parts);
    return status == FIL_OK ? meet_edges(stage, k, k, dt) : status;
}

enum { WATCH_EVERY = 64 }; /* colliders or pairs of them: less than a millisecond unless they are large */

/* Every collider with itself, then pairs of them. */
static FilStatus meet_item(FilCollisionStage* stage, int k, double dt)
{
    if (k % WATCH_EVERY == 0 && fil_watch_ended(stage->watch)) {
        return FIL_NOT_CONVERGED;
    }
    if (k < stage->collider_count) {
        return meet_itself(stage, k, dt);
    }
    const FilIndexPair* pair = &stage->pairs.items[k - stage->collider_count];
    return meet(stage, pair->a, pair->b, dt);
}

FilStatus fil_collide_all(FilCollisionStage* stage, double dt)
{
    fil_contact_set_clear(&stage->set);
    stage->patches.record_count = stage->patches.polygons = 0;
    stage->patches.change = 0.0;
    stage->near.count = 0;
    stage->near_axes = INFINITY;
    FilStatus status = broad_phase(stage, dt);
    for (int k = 0; k < stage->sheet_count; k++) {
        fil_collision_place_sheet(stage, &stage->sheets[k], dt);
    }
    status = status == FIL_OK ? fil_collision_run(stage, stage->collider_count + stage->pairs.count, meet_item, dt) : status;
    status = status == FIL_OK && !stage->wants.vertices ? fil_collision_meet_sheets(stage, dt) : status;
    status = status == FIL_OK ? fil_collision_drop_stuck(stage) : status;
    return status == FIL_OK ? fil_collision_drop_seams(stage, dt) : status;
}
