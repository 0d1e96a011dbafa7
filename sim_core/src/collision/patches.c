/* Narrow phase by pressure: patches of two parts, merged, as contacts.
 *
 *     compliant shape    with compliant shape, rigid shape, half-space of either kind
 *     compliant rod      with any shape, with any rod and with itself
 *
 * meet by patches; all others by points: rigid rods with compliant shapes, rigid shapes with a compliant half-space. */
#include <math.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "collision/collision.h"
#include "geometry/patch_reduce.h"

/* A rod's end that points at what it meets by more than this (cosine) has no rays that get there: it touches by a point. */
static const double END_ON = 0.95;

/* Ends of edges are not cut more slantingly than this (cosine of half the bend): such bends have gaps anyway. */
static const double MIN_MITRE = 0.5;

static const FilPatchSide* side_of(const FilCollisionStage* stage, const FilWorldCollider* c)
{
    return c->side >= 0 ? &stage->patches.sides[c->side] : NULL;
}

/* ---- shapes ---- */

/* Where two shapes press on each other, normals from shape `first` to the other. False through `met`: by points. */
static FilStatus meet_shapes(FilCollisionStage* stage, const FilPartPair* pair, int* first, bool* met)
{
    const FilPatchSide* sides[2];
    bool compliant[2], fields[2];
    for (int s = 0; s < 2; s++) {
        sides[s] = side_of(stage, &stage->colliders[pair->collider[s]]);
        compliant[s] = sides[s] != NULL && sides[s]->stiffness > 0.0;
        fields[s] = compliant[s] && sides[s]->field.count > 0;
    }
    *first = fields[0] ? 0 : 1;
    *met = fields[*first] && sides[1 - *first] != NULL;
    if (!*met) {
        return FIL_OK;
    }
    const FilPatchSide *a = sides[*first], *b = sides[1 - *first];
    const FilPose *pose_a = &pair->pose[*first], *pose_b = &pair->pose[1 - *first];
    const double margin = fmax(pair->margin, fmax(a->margin, compliant[1 - *first] ? b->margin : 0.0));
    FilPatch* work = &stage->patches.work;
    if (fields[1 - *first]) {
        return fil_patch_fields(&a->field, pose_a, &b->field, pose_b, margin, work);
    }
    return compliant[1 - *first] ? fil_patch_half_space(&a->field, pose_a, pose_b, b->stiffness, margin, work)
                                 : fil_patch_boundary(&a->field, pose_a, &b->boundary, pose_b, margin, work);
}

/* ---- rods ---- */

/* The end plane between an edge and its neighbour halves the angle between them: z = -(b_x x + b_y y)/b_z with the sum b of both
 * tangents, in the edge's frame. */
static void cut_end(const FilWorldCollider* c, const FilPose* pose, int edge, int neighbour, double mitre[2])
{
    const int edges[2] = {edge, neighbour};
    double sum[3] = {0.0}, local[3];
    for (int k = 0; k < 2; k++) {
        const int i = edges[k], j = i + 1 == c->collider.node_count ? 0 : i + 1;
        double t[3];
        fil_v3_sub(t, c->place.nodes + 4 * j, c->place.nodes + 4 * i);
        fil_v3_normalise(t);
        fil_v3_axpy(sum, 0.5, t);
    }
    fil_m3_apply_transposed(local, pose->r, sum);
    if (local[2] > MIN_MITRE * MIN_MITRE) {  // |sum| and its angle to the edge both are the cosine of half the bend
        mitre[0] = -local[0] / local[2];
        mitre[1] = -local[1] / local[2];
    }
}

static FilRodEdge edge_of(const FilWorldCollider* c, int edge, const FilShape* shape, const FilPose* pose)
{
    FilRodEdge out = {.pose = *pose, .half_length = shape->half[2]};
    const int count = c->collider.edge_count;
    if (edge > 0 || c->collider.closed) {
        cut_end(c, pose, edge, (edge + count - 1) % count, out.mitre[0]);
    }
    if (edge < count - 1 || c->collider.closed) {
        cut_end(c, pose, edge, (edge + 1) % count, out.mitre[1]);
    }
    return out;
}

/* Whether an open rod's last edge points at what it meets. */
static bool is_end_on(const FilWorldCollider* c, int edge, const FilPose* pose, const FilBoundary* other, const FilPose* at)
{
    const double outward = edge == 0 ? -1.0 : 1.0;
    double t[3], tip[3], local[3], n[3], normal[3];
    if (c->collider.closed || (edge > 0 && edge < c->collider.edge_count - 1)) {
        return false;
    }
    fil_pose_axis(t, pose, 2);
    fil_v3_copy(tip, c->place.nodes + 4 * (edge == 0 ? 0 : c->collider.node_count - 1));
    fil_pose_apply_inverse(local, at, tip);
    fil_boundary_distance(other, local, n);
    fil_m3_apply(normal, at->r, n);
    // an only edge has two ends: either may
    const double along = fil_v3_dot(t, normal);
    return c->collider.edge_count == 1 ? fabs(along) > END_ON : -outward * along > END_ON;
}

/* The least half of an edge's section, where its field is highest. */
static double edge_depth(const FilShape* shape)
{
    return shape->kind == FIL_PRIMITIVE_BOX ? fmin(shape->half[0], shape->half[1]) : shape->radius;
}

/* The patch of edge `rod` of the pair with what it meets. */
static FilStatus press_rod(FilCollisionStage* stage, const FilPartPair* pair, int rod, const FilRodOther* against)
{
    const FilWorldCollider* c = &stage->colliders[pair->collider[rod]];
    const FilSurface* surface = &c->collider.collision.surface;
    const FilShape* shape = &pair->shape[rod];
    const bool round = shape->kind != FIL_PRIMITIVE_BOX;
    const double half[2] = {round ? shape->radius : shape->half[0], round ? shape->radius : shape->half[1]};
    const double resolution = surface->resolution > 0.0 ? surface->resolution : edge_depth(shape);
    FilRodField field;
    const FilStatus status = fil_rod_field_init(&field, round, half[0], half[1], surface->modulus, resolution, NULL);
    if (status != FIL_OK) {
        return status;
    }
    const FilRodEdge edge = edge_of(c, pair->part[rod], shape, &pair->pose[rod]);
    return fil_rod_patch(&field, &edge, against, fmax(pair->margin, surface->margin), pair->part[rod], &stage->patches.work);
}

static FilStatus meet_rod(FilCollisionStage* stage, const FilPartPair* pair, int rod, bool* met)
{
    const FilWorldCollider* c = &stage->colliders[pair->collider[rod]];
    const FilPatchSide* other = side_of(stage, &stage->colliders[pair->collider[1 - rod]]);
    *met = c->collider.collision.surface.modulus > 0.0 && other != NULL &&
           !is_end_on(c, pair->part[rod], &pair->pose[rod], &other->boundary, &pair->pose[1 - rod]);
    const FilRodOther against = {
        .boundary = other != NULL ? &other->boundary : NULL, .pose = pair->pose[1 - rod], .stiffness = other != NULL ? other->stiffness : 0.0};
    return *met ? press_rod(stage, pair, rod, &against) : FIL_OK;
}

/* Two edges: the softer one is the first, whose rays resolve the patch; of equals the thinner, then the first collider. The other is
 * known by its distance, as an edge that goes on beyond its ends, cut where its neighbours begin. */
static FilStatus meet_rods(FilCollisionStage* stage, const FilPartPair* pair, int* first, bool* met)
{
    double modulus[2], depth[2], stiffness[2];
    for (int s = 0; s < 2; s++) {
        modulus[s] = stage->colliders[pair->collider[s]].collider.collision.surface.modulus;
        depth[s] = edge_depth(&pair->shape[s]);
        stiffness[s] = modulus[s] > 0.0 ? modulus[s] / depth[s] : INFINITY;
    }
    *first = stiffness[0] < stiffness[1] || (stiffness[0] == stiffness[1] && depth[0] <= depth[1]) ? 0 : 1;
    const int a = *first, b = 1 - a;
    const FilWorldCollider *ca = &stage->colliders[pair->collider[a]], *cb = &stage->colliders[pair->collider[b]];
    const FilRodEdge edge = edge_of(cb, pair->part[b], &pair->shape[b], &pair->pose[b]);
    FilBoundary line = {.kind = FIL_BOUNDARY_SHAPE, .shape = pair->shape[b]};
    *met = modulus[a] > 0.0 && !is_end_on(ca, pair->part[a], &pair->pose[a], &line, &pair->pose[b]);
    if (*met && modulus[b] > 0.0) {
        const FilBoundary own = {.kind = FIL_BOUNDARY_SHAPE, .shape = pair->shape[a]};
        *met = !is_end_on(cb, pair->part[b], &pair->pose[b], &own, &pair->pose[a]);
    }
    // as long again as the edges are thick: no cap within reach
    line.shape.half[2] += 4.0 * (pair->shape[b].radius + pair->shape[b].half[0] + pair->shape[b].half[1] + depth[a]);
    const FilRodOther against = {.boundary = &line,
                                 .pose = pair->pose[b],
                                 .stiffness = modulus[b] / depth[b],
                                 .half_length = edge.half_length,
                                 .mitre = {{edge.mitre[0][0], edge.mitre[0][1]}, {edge.mitre[1][0], edge.mitre[1][1]}}};
    return *met ? press_rod(stage, pair, a, &against) : FIL_OK;
}

/* ---- contacts ---- */

/* The field's stiffness of one side, Pa/m; 0: rigid. */
static double stiffness_of(const FilCollisionStage* stage, const FilPartPair* pair, int s)
{
    const FilWorldCollider* c = &stage->colliders[pair->collider[s]];
    const FilShape* shape = &pair->shape[s];
    if (c->collider.kind == FIL_COLLIDER_ROW) {
        return c->collider.collision.surface.modulus / edge_depth(shape);
    }
    return side_of(stage, c)->stiffness;
}

/* Notes the patch before its polygons are merged, and merges them. */
static FilStatus record(FilCollisionStage* stage, const FilPartPair* pair, int first)
{
    FilPatchStage* patches = &stage->patches;
    if (!fil_array_reserve((void**)&patches->records, patches->record_count, &patches->record_capacity, sizeof *patches->records)) {
        return FIL_OUT_OF_MEMORY;
    }
    FilPatchRecord* out = &patches->records[patches->record_count++];
    *out = (FilPatchRecord){.collider = {pair->collider[0], pair->collider[1]},
                            .part = {pair->part[0], pair->part[1]},
                            .first = stage->set.count,
                            .polygons = patches->work.count};
    for (int k = 0; k < patches->work.count; k++) {
        const FilPatchPoint* point = &patches->work.points[k];
        out->area += point->pressure > 0.0 ? point->area : 0.0;
        out->highest = fmax(out->highest, point->pressure);
    }
    patches->polygons += patches->work.count;
    bool whole = false;
    for (int s = 0; s < 2; s++) {
        whole = whole || stage->colliders[pair->collider[s]].collider.collision.surface.whole;
    }
    if (!whole) {
        // the box around the polygons turns with the side that has the field; along edges, of rods
        double axis[3];
        fil_pose_axis(axis, &pair->pose[first], stage->colliders[pair->collider[first]].collider.kind == FIL_COLLIDER_ROW ? 2 : 0);
        const FilPatchChange change = fil_patch_reduce(&patches->work, 0, axis, 0);
        patches->change = fmax(patches->change, fmax(change.force, fmax(change.centre, change.torsion)));
    }
    out->count = patches->work.count;
    return FIL_OK;
}

FilStatus fil_collision_meet_patch(FilCollisionStage* stage, const FilPartPair* pair, bool* met)
{
    const FilWorldCollider *a = &stage->colliders[pair->collider[0]], *b = &stage->colliders[pair->collider[1]];
    FilPatch* work = &stage->patches.work;
    int first = a->collider.kind == FIL_COLLIDER_ROW ? 0 : 1;
    const int rods = (a->collider.kind == FIL_COLLIDER_ROW) + (b->collider.kind == FIL_COLLIDER_ROW);
    *met = false;
    if (fil_collision_by_points(stage, a, b)) {
        return FIL_OK;
    }
    work->count = 0;
    FilStatus status = rods == 2   ? meet_rods(stage, pair, &first, met)
                       : rods == 1 ? meet_rod(stage, pair, first, met)
                                   : meet_shapes(stage, pair, &first, met);
    if (status != FIL_OK || !*met || work->count == 0) {
        return status;
    }
    status = record(stage, pair, first);
    const FilSurface surface = fil_collision_patch_surface(stage, a, b, stiffness_of(stage, pair, 0), stiffness_of(stage, pair, 1));
    for (int k = 0; k < work->count && status == FIL_OK; k++) {
        const FilPatchPoint* at = &work->points[k];
        FilContactPoint point = {.distance = fil_patch_distance(at), .feature = at->feature};
        fil_v3_copy(point.position, at->position);
        fil_v3_scale(point.normal, first == 0 ? 1.0 : -1.0, at->normal);
        status = fil_collision_emit_patch(stage, pair->collider[0], pair->part[0], pair->collider[1], pair->part[1], &point, fil_patch_stiffness(at),
                                          at->area, &surface);
    }
    return status;
}
