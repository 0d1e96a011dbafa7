/* Triangles of two sheets: cloth, solids and rigid meshes on each other. */
#include <math.h>

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

/* Vertices of a on faces of b, and edges, of the pairs of one triangle of a: those from `from` up to `to`. */
static FilStatus meet_triangle(FilCollisionStage* stage, const FilCollisionSheet* a, const FilCollisionSheet* b, int from, int to,
                               bool swapped, double dt)
{
    FilStatus status = FIL_OK;
    for (int pass = 0; pass < (swapped ? 1 : 2) && status == FIL_OK; pass++) {
        for (int k = from; k < to && status == FIL_OK; k++) {
            const int s = stage->faces.items[k].a, t = stage->faces.items[k].b;
            if (stage->join_count > 0 &&
                (fil_collision_sheet_joined(stage, a, s, b->body) || fil_collision_sheet_joined(stage, b, t, a->body))) {
                continue;
            }
            const double margin = fil_collision_sheet_margin(stage, a, s, b, t, dt);
            status = pass == 0 ? fil_facets_meet_vertices(&a->facets, s, &b->facets, t, margin, swapped, &stage->meetings)
                               : fil_facets_meet_edges(&a->facets, s, &b->facets, t, margin, &stage->meetings);
        }
        if (pass == 0) {
            fil_facets_settle_vertices(&stage->meetings, 0, swapped);
        }
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

FilStatus fil_collision_meet_sheet_pair(FilCollisionStage* stage, FilCollisionSheet* a, FilCollisionSheet* b, double dt)
{
    FilStatus status = fil_collision_ready_sheet(stage, a, dt);
    status = status == FIL_OK ? fil_collision_ready_sheet(stage, b, dt) : status;
    stage->faces.count = stage->meetings.count = 0;
    status = status == FIL_OK ? fil_bvh_pairs(&a->tree, &b->tree, &stage->faces) : status;
    if (status == FIL_OK && a->bedding > 0.0 && b->bedding > 0.0) {
        return fil_collision_meet_sheet_areas(stage, a, b, dt);
    }
    status = status == FIL_OK ? meet_listed(stage, a, b, false, dt) : status;
    for (int k = 0; k < stage->faces.count && status == FIL_OK; k++) {
        const FilPair pair = stage->faces.items[k];
        stage->faces.items[k] = (FilPair){pair.b, pair.a};
    }
    return status == FIL_OK ? meet_listed(stage, b, a, true, dt) : status;
}
