/* Whether triangles of sheets have passed through each other in a step. */
#include <math.h>

#include "base/vec3.h"
#include "collision/collision.h"

/* Where a vertex is in q. */
static void place_vertex(const FilCollisionStage* stage, int collider, const double* q, double* x)
{
    const FilWorldCollider* c = &stage->colliders[collider];
    const FilBody* body = &stage->system->bodies[c->body];
    FilPlacement place;
    body->ops->place(body->impl, c->index, q + body->q, stage->system->state.v + body->v, &place);
    fil_v3_copy(x, place.pose.p);
}

/* Vertices at the start and at the end. */
static void take_ends(FilCollisionStage* stage, FilCollisionSheet* s, const double* q_start, const double* q_end)
{
    for (int k = 0; k < s->facets.vertex_count; k++) {
        place_vertex(stage, s->first + k, q_start, s->facets.x + 3 * k);
        place_vertex(stage, s->first + k, q_end, s->ahead + 3 * k);
    }
}

static void mean_motion(const FilCollisionSheet* s, double* mean)
{
    fil_v3_set(mean, 0.0, 0.0, 0.0);
    for (int k = 0; k < 3 * s->facets.vertex_count; k++) {
        mean[k % 3] += (s->ahead[k] - s->facets.x[k]) / s->facets.vertex_count;
    }
}

/* m: the farthest that a vertex has moved but for `mean`. */
static double farthest_move(const FilCollisionSheet* s, const double* mean)
{
    double farthest = 0.0;
    for (int k = 0; k < s->facets.vertex_count; k++) {
        double move[3];
        fil_v3_sub(move, s->ahead + 3 * k, s->facets.x + 3 * k);
        fil_v3_sub(move, move, mean);
        farthest = fmax(farthest, fil_v3_dot(move, move));
    }
    return sqrt(farthest);
}

/* Takes `mean` from the ends, and makes the tree over where triangles pass. */
static FilStatus bound_motion(FilCollisionSheet* s, const double* mean)
{
    const FilFacets* facets = &s->facets;
    for (int k = 0; k < facets->vertex_count; k++) {
        fil_v3_sub(s->ahead + 3 * k, s->ahead + 3 * k, mean);
    }
    for (int t = 0; t < facets->triangle_count; t++) {
        s->boxes[t] = fil_aabb_empty();
        for (int k = 0; k < 3; k++) {
            fil_aabb_add_point(&s->boxes[t], fil_facets_corner(facets, t, k));
            fil_aabb_add_point(&s->boxes[t], s->ahead + 3 * facets->triangles[3 * t + k]);
        }
    }
    s->ready = false;
    return fil_bvh_update(&s->tree, s->boxes, facets->triangle_count);
}

/* m: what contacts of the step's start left between the middle surfaces of two sheets; no more than their thickness, 0 if they had passed. */
static double min_gap(const FilCollisionStage* stage, const FilCollisionSheet* a, const FilCollisionSheet* b)
{
    const int first = (int)(a - stage->sheets), second = (int)(b - stage->sheets);
    const double thickness = a->facets.radius + b->facets.radius;
    double min = 0.0;
    for (int c = 0; c < stage->set.count; c++) {
        const FilContact* contact = &stage->set.contacts[c];
        const int u = stage->colliders[contact->collider[0]].sheet, v = stage->colliders[contact->collider[1]].sheet;
        if ((u == first && v == second) || (u == second && v == first)) {
            min = fmin(min, contact->distance);
        }
    }
    return fmax(0.0, thickness + min);
}

/* Of the pairs of triangles listed. */
static int count_passing(const FilCollisionStage* stage, const FilCollisionSheet* a, const FilCollisionSheet* b)
{
    FilFacetTouch passing[FIL_FACETS_PASSING];
    int count = 0;
    for (int k = 0; k < stage->faces.count; k++) {
        const int s = stage->faces.items[k].a, t = stage->faces.items[k].b;
        if (stage->join_count > 0 && (fil_collision_sheet_joined(stage, a, s, b->body) || fil_collision_sheet_joined(stage, b, t, a->body))) {
            continue;
        }
        count += fil_facets_sweep(&a->facets, a->ahead, s, &b->facets, b->ahead, t, true, passing);
        count += fil_facets_sweep(&b->facets, b->ahead, t, &a->facets, a->ahead, s, false, passing);
    }
    return count;
}

/* What has covered less than this share of what is between middle surfaces has not passed; a half is left for rounding. */
static const double COVERED = 0.5;

static FilStatus pass_itself(FilCollisionStage* stage, FilCollisionSheet* s, const double* q_start, const double* q_end, int* count)
{
    double mean[3];
    take_ends(stage, s, q_start, q_end);
    mean_motion(s, mean);
    if (2.0 * farthest_move(s, mean) < COVERED * min_gap(stage, s, s)) {
        return FIL_OK;
    }
    stage->faces.count = 0;
    FilStatus status = bound_motion(s, mean);
    status = status == FIL_OK ? fil_bvh_self_pairs(&s->tree, &stage->faces) : status;
    fil_collision_drop_flat(stage, s);
    *count += status == FIL_OK ? count_passing(stage, s, s) : 0;
    return status;
}

static FilStatus pass_other(FilCollisionStage* stage, FilCollisionSheet* a, FilCollisionSheet* b, const double* q_start, const double* q_end,
                            int* count)
{
    double mean[3];
    take_ends(stage, a, q_start, q_end);
    take_ends(stage, b, q_start, q_end);
    mean_motion(a, mean);
    if (farthest_move(a, mean) + farthest_move(b, mean) < COVERED * min_gap(stage, a, b)) {
        return FIL_OK;
    }
    stage->faces.count = 0;
    FilStatus status = bound_motion(a, mean);
    status = status == FIL_OK ? bound_motion(b, mean) : status;
    status = status == FIL_OK ? fil_bvh_pairs(&a->tree, &b->tree, &stage->faces) : status;
    *count += status == FIL_OK ? count_passing(stage, a, b) : 0;
    return status;
}

FilStatus fil_collision_sheet_crossings(FilCollisionStage* stage, const double* q_start, const double* q_end, int* count)
{
    FilStatus status = FIL_OK;
    for (int k = 0; k < stage->sheet_count && status == FIL_OK; k++) {
        FilCollisionSheet* s = &stage->sheets[k];
        if (s->mesh != NULL || stage->wants.vertices) {
            continue;
        }
        for (int m = 0; m < k && status == FIL_OK; m++) {
            FilCollisionSheet* other = &stage->sheets[m];
            // what has an inside gives way a little, and comes out again; bounds are those of the motion foreseen
            const bool thin = !s->facets.closed && !other->facets.closed;
            if (other->mesh == NULL && thin && fil_aabb_overlap(&s->bounds, &other->bounds) && fil_collision_sheets_collide(stage, other, s)) {
                status = pass_other(stage, other, s, q_start, q_end, count);
            }
        }
        if (status == FIL_OK && s->own != NULL && fil_collision_sheet_collides(stage, s)) {
            status = pass_itself(stage, s, q_start, q_end, count);
        }
    }
    return status;
}
