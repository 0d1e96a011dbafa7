/* Who meets the triangles of sheets; faces and edges against rigid shapes and rods. Vertices with unknowns are colliders of their
 * own, which meet those as small spheres do. */
#include <math.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "collision/collision.h"

/* ---- pairs ---- */

/* Something else that meets a sheet: a shape, or an edge of a row. */
typedef struct Other {
    int collider, part;
    FilFacetOther shape;
    FilAabb box;
    double speed, around;      /* m/s; m, at rest */
    const FilPlacement* place; /* a shape's; NULL: an edge */
} Other;

static FilStatus emit(FilCollisionStage* stage, const FilCollisionSheet* s, const Other* other)
{
    FilStatus status = FIL_OK;
    for (int k = 0; k < stage->touches.count && status == FIL_OK; k++) {
        const FilFacetContact* touch = &stage->touches.items[k];
        const int vertex = fil_collision_sheet_collider(s, touch->vertex), part = fil_collision_sheet_part(s, touch->triangle);
        FilContactPoint point = touch->point;
        if (vertex < other->collider) {
            status = fil_collision_emit(stage, vertex, part, other->collider, other->part, &point);
        } else {
            fil_v3_scale(point.normal, -1.0, point.normal);
            status = fil_collision_emit(stage, other->collider, other->part, vertex, part, &point);
        }
    }
    return status;
}

/* Of a rigid mesh it is known what is inside: only that comes out through faces. What has its middle inside, deeper than faces
 * reach, is pushed out by the shortest way. */
static FilStatus look_inside(FilCollisionStage* stage, const FilCollisionSheet* s, const Other* other)
{
    const double rounding = fil_shape_rounding(&other->shape.shape);
    double local[3], n[3], centre[3], middle[3];
    int kept = 0, deep = 0;
    for (int k = 0; k < stage->touches.count; k++) {
        const FilFacetContact* touch = &stage->touches.items[k];
        double corner[3];
        fil_v3_copy(corner, touch->point.position);
        fil_v3_axpy(corner, rounding + 0.5 * touch->point.distance, touch->point.normal);
        fil_pose_apply_inverse(local, &s->pose, corner);
        if (!(touch->height < 0.0) || fil_boundary_distance(&s->mesh->boundary, local, n) < 0.0) {
            deep += touch->height < 0.0;
            stage->touches.items[kept++] = *touch;
        }
    }
    stage->touches.count = kept;
    fil_shape_centre(&other->shape.shape, centre);
    fil_pose_apply(middle, &other->shape.pose, centre);
    fil_pose_apply_inverse(local, &s->pose, middle);
    const double depth = deep == 0 ? fil_boundary_distance(&s->mesh->boundary, local, n) : 0.0;
    if (!(depth < 0.0)) {
        return FIL_OK;
    }
    if (!fil_array_reserve((void**)&stage->touches.items, stage->touches.count, &stage->touches.capacity, sizeof *stage->touches.items)) {
        return FIL_OUT_OF_MEMORY;
    }
    FilFacetContact* touch = &stage->touches.items[stage->touches.count++];
    *touch = (FilFacetContact){.point = {.distance = depth - rounding, .feature = UINT32_MAX}, .height = depth};
    fil_m3_apply(touch->point.normal, s->pose.r, n);
    fil_v3_copy(touch->point.position, middle);
    fil_v3_axpy(touch->point.position, -0.5 * (rounding + depth), touch->point.normal);
    return FIL_OK;
}

/* m/s, at which a triangle and what meets it come closer, at most. */
static double closing_speed(const FilCollisionStage* stage, const FilCollisionSheet* s, int t, const Other* other)
{
    const bool bound = other->place == NULL || s->mesh != NULL;
    return bound ? fil_collision_sheet_speed(s, t) + other->speed : fil_collision_sheet_closing(stage, s, t, other->place);
}

static FilStatus meet_other(FilCollisionStage* stage, FilCollisionSheet* s, const Other* other, double dt)
{
    const int body = stage->colliders[other->collider].body;
    stage->faces.count = 0;
    stage->touches.count = 0;
    FilStatus status = fil_collision_ready_sheet(stage, s, dt);
    status = status == FIL_OK ? fil_bvh_query(&s->tree, &other->box, 0, &stage->faces) : status;
    // the tree's order depends on its past
    status = status == FIL_OK ? fil_pairs_sort(&stage->faces, s->facets.triangle_count, &stage->sorted) : status;
    for (int k = 0; k < stage->faces.count && status == FIL_OK; k++) {
        const int t = stage->faces.items[k].a;
        if (stage->join_count > 0 && fil_collision_sheet_joined(stage, s, t, body)) {
            continue;
        }
        const double margin =
            FIL_LOOK_AHEAD * dt * closing_speed(stage, s, t, other) + other->around + FIL_SHEETS_AT_REST * fil_facets_size(&s->facets, t);
        status = fil_facets_meet_shape(&s->facets, t, &other->shape, margin, &stage->touches);
        if (status == FIL_OK && s->mesh != NULL) {
            status = fil_facets_meet_vertices_of(&s->facets, t, &other->shape, margin, &stage->touches);
        }
    }
    if (status == FIL_OK) {
        fil_facets_settle(&s->facets, &stage->touches, 0);
        status = s->mesh != NULL ? look_inside(stage, s, other) : FIL_OK;
    }
    if (status == FIL_OK) {
        status = emit(stage, s, other);
    }
    return status;
}

static FilStatus meet_shape(FilCollisionStage* stage, FilCollisionSheet* s, int collider, double dt)
{
    const FilWorldCollider* c = &stage->colliders[collider];
    const Other other = {.collider = collider,
                         .shape = {.shape = c->collider.shape, .pose = c->place.pose},
                         .box = stage->tree.tight[collider],
                         .speed = c->place.speed,
                         .place = &c->place};
    return meet_other(stage, s, &other, dt);
}

static FilStatus meet_row(FilCollisionStage* stage, FilCollisionSheet* s, int collider, double dt)
{
    const FilWorldCollider* c = &stage->colliders[collider];
    const FilBody* body = &stage->system->bodies[c->body];
    stage->parts.count = 0;
    FilStatus status = fil_chain_query(&c->row, &s->bounds, 0, &stage->parts);
    for (int k = 0; k < stage->parts.count && status == FIL_OK; k++) {
        const int i = stage->parts.items[k].a, j = i + 1 == c->collider.node_count ? 0 : i + 1;
        if (s->mesh != NULL && fil_collision_at_joint(stage, collider, i, s->first, 0)) {
            continue;
        }
        Other other = {.collider = collider,
                       .part = i,
                       .box = c->row.boxes[i],
                       .speed = fmax(fil_v3_norm(c->place.velocities + 4 * i), fil_v3_norm(c->place.velocities + 4 * j)),
                       .around = FIL_LOOK_AROUND * c->collider.radii[i]};
        body->ops->part(body->impl, c->index, i, stage->system->state.q + body->q, stage->system->state.h + body->h, &other.shape.shape,
                        &other.shape.pose);
        other.shape.open_end = c->collider.closed || i + 1 < c->collider.edge_count;
        status = meet_other(stage, s, &other, dt);
    }
    return status;
}

bool fil_collision_sheet_collides(const FilCollisionStage* stage, const FilCollisionSheet* s)
{
    return s->facets.vertex_count > 0 && stage->colliders[s->first].collider.collision.enabled;
}

bool fil_collision_sheets_collide(const FilCollisionStage* stage, const FilCollisionSheet* a, const FilCollisionSheet* b)
{
    const FilWorldCollider *first = &stage->colliders[a->first], *second = &stage->colliders[b->first];
    return fil_collision_sheet_collides(stage, a) && fil_collision_sheet_collides(stage, b) && !fil_collision_idle(stage, first, second) &&
           fil_collision_may_meet(stage, first, second) && !fil_collision_kept_apart(stage, first, second);
}

/* What is no sheet itself. */
static FilStatus meet_others(FilCollisionStage* stage, FilCollisionSheet* s, double dt)
{
    const FilWorldCollider* vertex = &stage->colliders[s->first];
    stage->near_sheet.count = 0;
    FilStatus status = fil_tree_query(&stage->tree, &s->bounds, 0, &stage->near_sheet);
    for (int m = 0; m < stage->near_sheet.count && status == FIL_OK; m++) {
        const int collider = stage->near_sheet.items[m].a;
        const FilWorldCollider* c = &stage->colliders[collider];
        if (c->sheet >= 0 || fil_collision_idle(stage, c, vertex) || !fil_collision_may_meet(stage, c, vertex) ||
            fil_collision_kept_apart(stage, c, vertex)) {
            continue;
        }
        if (fil_collision_bed(stage, s, c) > 0.0) {
            status = fil_collision_meet_shape_areas(stage, s, collider, dt);
        } else {
            status = c->collider.kind == FIL_COLLIDER_ROW ? meet_row(stage, s, collider, dt) : meet_shape(stage, s, collider, dt);
        }
    }
    return status;
}

/* Half-spaces, which are in no tree; where not by areas, vertices have met them already. */
static FilStatus meet_half_spaces(FilCollisionStage* stage, FilCollisionSheet* s, double dt)
{
    const FilWorldCollider* vertex = &stage->colliders[s->first];
    FilStatus status = FIL_OK;
    for (int k = 0; k < stage->collider_count && status == FIL_OK; k++) {
        const FilWorldCollider* c = &stage->colliders[k];
        if (c->unbounded && fil_collision_bed(stage, s, c) > 0.0 && fil_collision_may_meet(stage, c, vertex) &&
            !fil_collision_kept_apart(stage, c, vertex)) {
            status = fil_collision_meet_shape_areas(stage, s, k, dt);
        }
    }
    return status;
}

FilStatus fil_collision_meet_sheets(FilCollisionStage* stage, double dt)
{
    FilStatus status = FIL_OK;
    for (int k = 0; k < stage->sheet_count && status == FIL_OK && stage->tree_ready; k++) {
        FilCollisionSheet* s = &stage->sheets[k];
        if (!fil_collision_sheet_collides(stage, s)) {
            continue;
        }
        status = meet_others(stage, s, dt);
        status = status == FIL_OK ? meet_half_spaces(stage, s, dt) : status;
        if (status == FIL_OK && s->bedding > 0.0 && stage->colliders[s->first].collider.collision.self) {
            status = fil_collision_meet_own_areas(stage, s, dt);
        } else if (status == FIL_OK && s->own != NULL) {
            status = fil_collision_meet_own_sheet(stage, s, dt);
        }
        for (int m = 0; m < k && status == FIL_OK; m++) {
            FilCollisionSheet* other = &stage->sheets[m];
            if (fil_aabb_overlap(&s->bounds, &other->bounds) && fil_collision_sheets_collide(stage, other, s)) {
                status = fil_collision_meet_sheet_pair(stage, other, s, dt);
            }
        }
    }
    return status;
}
