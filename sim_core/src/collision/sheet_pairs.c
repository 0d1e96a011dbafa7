/* Triangles of two sheets: cloth, solids and rigid meshes on each other, and cloth on itself. */
#include <math.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "collision/collision.h"

static FilStatus emit(FilCollisionStage* stage, const FilCollisionSheet* a, const FilCollisionSheet* b)
{
    FilStatus status = FIL_OK;
    for (int k = 0; k < stage->meetings.count && status == FIL_OK; k++) {
        const FilFacetTouch* touch = &stage->meetings.items[k];
        const int first = fil_collision_sheet_collider(a, touch->vertex[0]);
        const int second = fil_collision_sheet_collider(b, touch->vertex[1]);
        // part 0 is the vertex itself
        const int parts[2] = {fil_collision_sheet_part(a, touch->triangle[0]), fil_collision_sheet_part(b, touch->triangle[1])};
        FilContactPoint point = touch->point;
        if (first < second) {
            status = fil_collision_emit(stage, first, parts[0], second, parts[1], &point);
        } else {
            fil_v3_scale(point.normal, -1.0, point.normal);
            status = fil_collision_emit(stage, second, parts[1], first, parts[0], &point);
        }
    }
    stage->meetings.count = 0;
    return status;
}

/* m: a bound of fil_collision_sheet_margin() for triangles of one sheet, where most that are near do not touch. */
static double own_margin(const FilCollisionSheet* s, int t, int u)
{
    return s->own->reach[t] + s->own->reach[u];
}

/* Drops those from `first` on that are farther than `margin`. */
static void drop_far(FilFacetTouches* touches, int first, double margin)
{
    int kept = first;
    for (int k = first; k < touches->count; k++) {
        touches->items[kept] = touches->items[k];
        kept += touches->items[k].point.distance <= margin;
    }
    touches->count = kept;
}

/* Whether two features of triangles touch already: the same vertices, those that are nearest. */
static bool is_known(const FilFacetTouches* touches, const FilFacetTouch* touch)
{
    bool known = false;
    for (int k = 0; k < touches->count && !known; k++) {
        const FilFacetTouch* other = &touches->items[k];
        known = other->triangle[0] == touch->triangle[0] && other->triangle[1] == touch->triangle[1] && other->vertex[0] == touch->vertex[0] &&
                other->vertex[1] == touch->vertex[1];
    }
    return known;
}

static FilStatus add_swept(FilCollisionStage* stage, const FilFacetTouch* touch)
{
    FilFacetTouches* touches = &stage->meetings;
    if (is_known(touches, touch)) {
        return FIL_OK;
    }
    if (!fil_array_reserve((void**)&touches->items, touches->count, &touches->capacity, sizeof *touches->items)) {
        return FIL_OUT_OF_MEMORY;
    }
    touches->items[touches->count++] = *touch;
    return FIL_OK;
}

/* m: how far two triangles may come closer before closest features of the step's start are looked at again. */
static double motion_of(const FilCollisionStage* stage, const FilCollisionSheet* a, int s, const FilCollisionSheet* b, int t, double dt)
{
    return a == b ? a->own->motion[s] + a->own->motion[t] : fil_collision_sheet_margin(stage, a, s, b, t, dt);
}

/* Of the pairs of one triangle of a, from `from` up to `to`: what would pass through each other. Closest features of the step's start do not see
 * that where something fast comes round an edge. Contacts stand in the order of those of faces: b's side first if `swapped`. */
static FilStatus sweep_triangle(FilCollisionStage* stage, const FilCollisionSheet* a, const FilCollisionSheet* b, int from, int to, bool swapped,
                                double dt)
{
    FilStatus status = FIL_OK;
    for (int k = from; k < to && status == FIL_OK; k++) {
        const int s = stage->faces.items[k].a, t = stage->faces.items[k].b;
        // half of what is between middle surfaces
        if (motion_of(stage, a, s, b, t, dt) < 0.5 * (a->facets.radius + b->facets.radius)) {
            continue;
        }
        FilFacetTouch passing[FIL_FACETS_PASSING];
        const bool edges = a == b ? s < t : !swapped;
        const int count = fil_facets_sweep(&a->facets, a->ahead, s, &b->facets, b->ahead, t, edges, passing);
        for (int m = 0; m < count && status == FIL_OK; m++) {
            FilFacetTouch touch = passing[m];
            if (swapped) {
                touch.vertex[0] = passing[m].vertex[1];
                touch.vertex[1] = passing[m].vertex[0];
                touch.triangle[0] = passing[m].triangle[1];
                touch.triangle[1] = passing[m].triangle[0];
                fil_v3_scale(touch.point.normal, -1.0, touch.point.normal);
            }
            status = add_swept(stage, &touch);
        }
    }
    return status;
}

/* Whether both have two sides and a thickness: what has an inside is met as deep as it is passed. */
static bool are_thin(const FilCollisionSheet* a, const FilCollisionSheet* b)
{
    return a->mesh == NULL && b->mesh == NULL && !a->facets.closed && !b->facets.closed;
}

/* Vertices of a on faces of b, and edges, of the pairs of one triangle of a: those from `from` up to `to`. */
static FilStatus meet_triangle(FilCollisionStage* stage, const FilCollisionSheet* a, const FilCollisionSheet* b, int from, int to, bool swapped,
                               double dt)
{
    FilStatus status = FIL_OK;
    for (int pass = 0; pass < (swapped ? 1 : 2) && status == FIL_OK; pass++) {
        for (int k = from; k < to && status == FIL_OK; k++) {
            const int s = stage->faces.items[k].a, t = stage->faces.items[k].b;
            if (pass == 1 && a == b && t < s) {  // of a sheet with itself both orders are listed, for vertices
                continue;
            }
            if (stage->join_count > 0 && (fil_collision_sheet_joined(stage, a, s, b->body) || fil_collision_sheet_joined(stage, b, t, a->body))) {
                continue;
            }
            const int known = stage->meetings.count;
            const double margin = a == b ? own_margin(a, s, t) : fil_collision_sheet_margin(stage, a, s, b, t, dt);
            status = pass == 0 ? fil_facets_meet_vertices(&a->facets, s, &b->facets, t, margin, swapped, &stage->meetings)
                               : fil_facets_meet_edges(&a->facets, s, &b->facets, t, margin, &stage->meetings);
            if (status == FIL_OK && a == b && pass == 0) {
                status = fil_facets_meet_rims(&a->facets, s, &b->facets, t, margin, &stage->meetings);
            }
            if (a == b && stage->meetings.count > known) {
                drop_far(&stage->meetings, known, fil_collision_sheet_margin(stage, a, s, b, t, dt));
            }
        }
        if (pass == 0) {
            fil_facets_settle_vertices(&stage->meetings, 0, swapped);
        }
    }
    if (status == FIL_OK && are_thin(a, b)) {
        status = sweep_triangle(stage, a, b, from, to, swapped, dt);
    }
    return status == FIL_OK ? (swapped ? emit(stage, b, a) : emit(stage, a, b)) : status;
}

/* All pairs of triangles that are listed, sorted. */
static FilStatus meet_listed(FilCollisionStage* stage, const FilCollisionSheet* a, const FilCollisionSheet* b, bool swapped, double dt)
{
    // the trees' order depends on their past
    FilStatus status = fil_pairs_sort(&stage->faces, a->facets.triangle_count, &stage->sorted);
    for (int from = 0, to = 0; from < stage->faces.count && status == FIL_OK; from = to) {
        while (to < stage->faces.count && stage->faces.items[to].a == stage->faces.items[from].a) {
            to++;
        }
        status = meet_triangle(stage, a, b, from, to, swapped, dt);
    }
    return status;
}

/* Where vertices would be, but for a common velocity. */
static void look_ahead(const FilCollisionStage* stage, FilCollisionSheet* s, const double* common, double dt)
{
    for (int k = 0; k < s->facets.vertex_count; k++) {
        double* ahead = s->ahead + 3 * k;
        fil_v3_sub(ahead, stage->colliders[s->first + k].place.velocity, common);
        fil_v3_scale(ahead, FIL_LOOK_AHEAD * dt, ahead);
        fil_v3_add(ahead, ahead, s->facets.x + 3 * k);
    }
}

FilStatus fil_collision_meet_sheet_pair(FilCollisionStage* stage, FilCollisionSheet* a, FilCollisionSheet* b, double dt)
{
    static const double rest[3] = {0.0, 0.0, 0.0};
    if (are_thin(a, b)) {
        look_ahead(stage, a, rest, dt);
        look_ahead(stage, b, rest, dt);
    }
    FilStatus status = fil_collision_ready_sheet(stage, a, dt);
    status = status == FIL_OK ? fil_collision_ready_sheet(stage, b, dt) : status;
    stage->faces.count = stage->meetings.count = 0;
    status = status == FIL_OK ? fil_bvh_pairs(&a->tree, &b->tree, &stage->faces) : status;
    if (status == FIL_OK && a->bedding > 0.0 && b->bedding > 0.0) {
        return fil_collision_meet_sheet_areas(stage, a, b, dt);
    }
    status = status == FIL_OK ? meet_listed(stage, a, b, false, dt) : status;
    for (int k = 0; k < stage->faces.count && status == FIL_OK; k++) {
        const FilIndexPair pair = stage->faces.items[k];
        stage->faces.items[k] = (FilIndexPair){pair.b, pair.a};
    }
    return status == FIL_OK ? meet_listed(stage, b, a, true, dt) : status;
}

/* ---- a sheet with itself ---- */

/* Cosine to their mean of the normals around a vertex that is flat: within 30 degrees each triangle lies beside the others, not above. */
static const double FLAT_FAN = 0.866;

/* Boxes over the motion to come. What all of the sheet does brings nothing closer: a falling cloth is like one at rest. */
static void bound_own(const FilCollisionStage* stage, FilCollisionSheet* s, double dt)
{
    const FilFacets* facets = &s->facets;
    double mean[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < facets->vertex_count; k++) {
        fil_v3_axpy(mean, 1.0 / facets->vertex_count, stage->colliders[s->first + k].place.velocity);
    }
    look_ahead(stage, s, mean, dt);
    for (int t = 0; t < facets->triangle_count; t++) {
        FilAabb box = fil_aabb_empty();
        double motion = 0.0;
        for (int k = 0; k < 3; k++) {
            const double *x = fil_facets_corner(facets, t, k), *ahead = s->ahead + 3 * facets->triangles[3 * t + k];
            fil_aabb_add_point(&box, x);
            fil_aabb_add_point(&box, ahead);
            motion = fmax(motion, fil_v3_distance(x, ahead));
        }
        const double at_rest = FIL_SHEETS_AT_REST * sqrt(fil_facets_normal(facets, t, s->own->normals + 3 * t));
        s->own->boxes[t] = fil_aabb_fattened(&box, facets->radius + 0.5 * at_rest);
        s->own->motion[t] = motion;
        s->own->reach[t] = motion + at_rest;
    }
}

/* Where the triangles around a vertex are flat, and so do not touch each other. */
static void find_flat(FilCollisionSheet* s)
{
    const FilFacets* facets = &s->facets;
    for (int v = 0; v < facets->vertex_count; v++) {
        double mean[3] = {0.0, 0.0, 0.0}, min = 1.0;
        for (int k = facets->fan_first[v]; k < facets->fan_first[v + 1]; k++) {
            fil_v3_add(mean, mean, s->own->normals + 3 * facets->fans[k]);
        }
        fil_v3_normalise(mean);
        for (int k = facets->fan_first[v]; k < facets->fan_first[v + 1]; k++) {
            min = fmin(min, fil_v3_dot(mean, s->own->normals + 3 * facets->fans[k]));
        }
        s->own->flat[v] = min > FLAT_FAN;
    }
}

void fil_collision_drop_flat(FilCollisionStage* stage, const FilCollisionSheet* s)
{
    int count = 0;
    for (int k = 0; k < stage->faces.count; k++) {
        const FilIndexPair pair = stage->faces.items[k];
        const int *u = s->facets.triangles + 3 * pair.a, *v = s->facets.triangles + 3 * pair.b;
        int flat = 0;
        for (int m = 0; m < 3; m++) {
            flat |= s->own->flat[u[m]] & ((u[m] == v[0]) | (u[m] == v[1]) | (u[m] == v[2]));
        }
        stage->faces.items[count] = pair;
        count += !flat;
    }
    stage->faces.count = count;
}

/* Lists the pairs in both orders: each triangle has vertices on the other. */
static FilStatus list_both(FilCollisionStage* stage)
{
    const int count = stage->faces.count;
    const FilStatus status = fil_pairs_reserve(&stage->faces, count);
    for (int k = 0; k < count && status == FIL_OK; k++) {
        stage->faces.items[stage->faces.count++] = (FilIndexPair){stage->faces.items[k].b, stage->faces.items[k].a};
    }
    return status;
}

FilStatus fil_collision_meet_own_sheet(FilCollisionStage* stage, FilCollisionSheet* s, double dt)
{
    bound_own(stage, s, dt);
    find_flat(s);
    stage->faces.count = stage->meetings.count = 0;
    FilStatus status = fil_bvh_update(&s->own->tree, s->own->boxes, s->facets.triangle_count);
    status = status == FIL_OK ? fil_bvh_self_pairs(&s->own->tree, &stage->faces) : status;
    fil_collision_drop_flat(stage, s);
    status = status == FIL_OK ? list_both(stage) : status;
    return status == FIL_OK ? meet_listed(stage, s, s, false, dt) : status;
}
