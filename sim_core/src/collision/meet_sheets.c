/* Faces and edges of cloth and of solids' skins against rigid shapes and rods. Vertices are colliders of their own, which meet
 * those as small spheres do. */
#include <math.h>

#include "base/vec3.h"
#include "collision/collision.h"

/* How far contacts of what rests are looked for, of the triangles' size: flat faces that lie on each other must not come and
 * go with the last bits of their motion. Speculative rows bear nothing. */
static const double AT_REST = 0.01;

/* ---- bounds ---- */

/* Where its vertices are, and the box around them over the motion of the step to come. */
static void place_sheet(FilCollisionStage* stage, FilCollisionSheet* s, double dt)
{
    const double* v = stage->system->state.v + stage->system->bodies[s->body].v;
    FilBodyMesh mesh = {0};
    stage->system->bodies[s->body].ops->mesh(stage->system->bodies[s->body].impl, &mesh);
    s->bounds = fil_aabb_empty();
    s->ready = false;
    for (int k = 0; k < s->facets.vertex_count; k++) {
        const int block = mesh.blocks != NULL ? mesh.blocks[k] : k;
        double ahead[3];
        fil_v3_copy(s->facets.x + 3 * k, stage->colliders[s->first + k].place.pose.p);
        s->speed[k] = stage->colliders[s->first + k].place.speed;
        fil_v3_copy(ahead, s->facets.x + 3 * k);
        fil_v3_axpy(ahead, FIL_LOOK_AHEAD * dt, v + 4 * block);
        fil_aabb_add_point(&s->bounds, s->facets.x + 3 * k);
        fil_aabb_add_point(&s->bounds, ahead);
    }
    s->bounds = fil_aabb_fattened(&s->bounds, s->facets.radius + AT_REST * fil_v3_distance(s->bounds.lo, s->bounds.hi));
}

/* The tree over its triangles, once a step, if something is near. */
static FilStatus make_ready(FilCollisionSheet* s, double dt)
{
    const FilFacets* facets = &s->facets;
    if (s->ready) {
        return FIL_OK;
    }
    for (int t = 0; t < facets->triangle_count; t++) {
        FilAabb box = fil_aabb_empty();
        double speed = 0.0;
        for (int k = 0; k < 3; k++) {
            fil_aabb_add_point(&box, fil_facets_corner(facets, t, k));
            speed = fmax(speed, s->speed[facets->triangles[3 * t + k]]);
        }
        const double around = facets->radius + AT_REST * fil_facets_size(facets, t) + FIL_LOOK_AHEAD * dt * speed;
        s->boxes[t] = fil_aabb_fattened(&box, around);
    }
    s->ready = true;
    return fil_bvh_update(&s->tree, s->boxes, facets->triangle_count);
}

/* ---- pairs ---- */

/* Whether a vertex of the triangle is joined to a body, which keeps it from touching. */
static bool is_joined(const FilCollisionStage* stage, const FilCollisionSheet* s, int triangle, int body)
{
    const FilBody* own = &stage->system->bodies[s->body];
    for (int j = 0; j < stage->join_count; j++) {
        for (int first = 0; first < 2; first++) {
            const FilBodySide *side = &stage->joins[j].side[first], *other = &stage->joins[j].side[1 - first];
            if (side->body != s->body || side->point < 0 || other->body != body) {
                continue;
            }
            FilBodyMesh mesh = {0};
            own->ops->mesh(own->impl, &mesh);
            for (int k = 0; k < 3; k++) {
                const int vertex = s->facets.triangles[3 * triangle + k];
                if (side->point == (mesh.blocks != NULL ? mesh.blocks[vertex] : vertex)) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Something else that meets a sheet: a shape, or an edge of a row. */
typedef struct Other {
    int collider, part;
    FilFacetOther shape;
    FilAabb box;
    double speed, around; /* m/s; m, at rest */
} Other;

static FilStatus emit(FilCollisionStage* stage, const FilCollisionSheet* s, const Other* other)
{
    FilStatus status = FIL_OK;
    for (int k = 0; k < stage->touches.count && status == FIL_OK; k++) {
        const FilFacetContact* touch = &stage->touches.items[k];
        const int vertex = s->first + touch->vertex, part = 1 + touch->triangle;
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

static FilStatus meet_other(FilCollisionStage* stage, FilCollisionSheet* s, const Other* other, double dt)
{
    const int body = stage->colliders[other->collider].body;
    stage->faces.count = 0;
    stage->touches.count = 0;
    FilStatus status = make_ready(s, dt);
    status = status == FIL_OK ? fil_bvh_query(&s->tree, &other->box, 0, &stage->faces) : status;
    // the tree's order depends on its past
    status = status == FIL_OK ? fil_pairs_sort(&stage->faces, s->facets.triangle_count, &stage->sorted) : status;
    for (int k = 0; k < stage->faces.count && status == FIL_OK; k++) {
        const int t = stage->faces.items[k].a;
        const int* corner = s->facets.triangles + 3 * t;
        if (stage->join_count > 0 && is_joined(stage, s, t, body)) {
            continue;
        }
        const double fastest = fmax(fmax(s->speed[corner[0]], s->speed[corner[1]]), s->speed[corner[2]]);
        const double margin =
            FIL_LOOK_AHEAD * dt * (fastest + other->speed) + other->around + AT_REST * fil_facets_size(&s->facets, t);
        status = fil_facets_meet_shape(&s->facets, t, &other->shape, margin, &stage->touches);
    }
    if (status == FIL_OK) {
        fil_facets_settle(&s->facets, &stage->touches, 0);
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
                         .speed = c->place.speed};
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
        Other other = {.collider = collider,
                       .part = i,
                       .box = c->row.boxes[i],
                       .speed = fmax(fil_v3_norm(c->place.velocities + 4 * i), fil_v3_norm(c->place.velocities + 4 * j)),
                       .around = FIL_LOOK_AROUND * c->collider.radii[i]};
        body->ops->part(body->impl, c->index, i, stage->system->state.q + body->q, stage->system->state.h + body->h,
                        &other.shape.shape, &other.shape.pose);
        other.shape.open_end = c->collider.closed || i + 1 < c->collider.edge_count;
        status = meet_other(stage, s, &other, dt);
    }
    return status;
}

FilStatus fil_collision_meet_sheets(FilCollisionStage* stage, double dt)
{
    FilStatus status = FIL_OK;
    for (int k = 0; k < stage->sheet_count && status == FIL_OK; k++) {
        FilCollisionSheet* s = &stage->sheets[k];
        const FilWorldCollider* vertex = &stage->colliders[s->first];
        if (s->facets.vertex_count == 0 || !vertex->collider.collision.enabled || !stage->tree_ready) {
            continue;
        }
        place_sheet(stage, s, dt);
        stage->near_sheet.count = 0;
        status = fil_tree_query(&stage->tree, &s->bounds, 0, &stage->near_sheet);
        for (int m = 0; m < stage->near_sheet.count && status == FIL_OK; m++) {
            const int collider = stage->near_sheet.items[m].a;
            const FilWorldCollider* c = &stage->colliders[collider];
            if (c->sheet >= 0 || !fil_collision_may_meet(stage, c, vertex) || fil_collision_kept_apart(stage, c, vertex)) {
                continue;
            }
            status = c->collider.kind == FIL_COLLIDER_ROW ? meet_row(stage, s, collider, dt)
                                                          : meet_shape(stage, s, collider, dt);
        }
    }
    return status;
}
