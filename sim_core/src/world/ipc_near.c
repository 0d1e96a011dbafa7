#include "world/ipc_near.h"

#include "base/memory.h"
#include "base/vec3.h"

/* Of the margin: more than rounding. */
static const double SPARE = 1e-6;

void fil_ipc_near_free(FilIpcNear* near)
{
    for (int k = 0; k < 3; k++) {
        fil_bvh_free(&near->trees[k]);
    }
    fil_pairs_free(&near->edges);
    fil_pairs_free(&near->triangles);
    fil_pairs_free(&near->scratch);
    fil_free(near->within);
}

void fil_ipc_near_forget(FilIpcNear* near)
{
    near->point_count = 0;
}

/* Boxes of edges, and then of triangles, from those of points. */
static void enclose(const FilIpcSurface* surface, const FilAabb* points, FilAabb* boxes)
{
    for (int e = 0; e < surface->edge_count; e++) {
        const int* p = surface->edges[e].point;
        boxes[e] = fil_aabb_union(&points[p[0]], &points[p[1]]);
    }
    FilAabb* triangles = boxes + surface->edge_count;
    for (int t = 0; t < surface->triangle_count; t++) {
        const int* p = surface->triangles[t].point;
        triangles[t] = fil_aabb_union(&points[p[0]], &points[p[1]]);
        triangles[t] = fil_aabb_union(&triangles[t], &points[p[2]]);
    }
}

static FilAabb moved(const FilAabb* box, const double* by)
{
    FilAabb m;
    fil_v3_add(m.lo, box->lo, by);
    fil_v3_add(m.hi, box->hi, by);
    return m;
}

/* Whether all points stay where pairs are known for, apart from what all do. */
static bool holds(const FilIpcNear* near, int count, const double* centre, const FilAabb* boxes)
{
    double back[3];
    fil_v3_sub(back, near->centre, centre);
    bool inside = near->point_count == count;
    for (int p = 0; p < count && inside; p++) {
        FilAabb box = moved(&boxes[p], back);
        box = fil_aabb_fattened(&box, near->spare);
        inside = fil_aabb_contains(&near->within[p], &box);
    }
    return inside;
}

static void drop_joined_edges(const FilIpcSurface* surface, FilPairs* pairs)
{
    int kept = 0;
    for (int k = 0; k < pairs->count; k++) {
        const FilPair pair = pairs->items[k];
        const int *a = surface->edges[pair.a].point, *b = surface->edges[pair.b].point;
        pairs->items[kept] = pair;
        kept += (a[0] != b[0]) & (a[0] != b[1]) & (a[1] != b[0]) & (a[1] != b[1]);
    }
    pairs->count = kept;
}

static void drop_own_corners(const FilIpcSurface* surface, FilPairs* pairs)
{
    int kept = 0;
    for (int k = 0; k < pairs->count; k++) {
        const FilPair pair = pairs->items[k];
        const int* c = surface->triangles[pair.b].point;
        pairs->items[kept] = pair;
        kept += (pair.a != c[0]) & (pair.a != c[1]) & (pair.a != c[2]);
    }
    pairs->count = kept;
}

static FilStatus walk(FilIpcNear* near, const FilIpcSurface* s)
{
    const FilAabb *points = near->within, *edges = points + s->point_count, *triangles = edges + s->edge_count;
    near->edges.count = near->triangles.count = 0;
    FilStatus status = fil_bvh_update(&near->trees[0], edges, s->edge_count);
    status = status == FIL_OK ? fil_bvh_self_pairs(&near->trees[0], &near->edges) : status;
    if (status == FIL_OK) {
        drop_joined_edges(s, &near->edges);
        status = fil_pairs_sort(&near->edges, s->edge_count, &near->scratch);
    }
    if (status != FIL_OK || s->triangle_count == 0) {
        return status;
    }
    status = fil_bvh_update(&near->trees[1], triangles, s->triangle_count);
    status = status == FIL_OK ? fil_bvh_update(&near->trees[2], points, s->point_count) : status;
    status = status == FIL_OK ? fil_bvh_pairs(&near->trees[2], &near->trees[1], &near->triangles) : status;
    if (status == FIL_OK) {
        drop_own_corners(s, &near->triangles);
        status = fil_pairs_sort(&near->triangles, s->point_count, &near->scratch);
    }
    return status;
}

FilStatus fil_ipc_near_find(FilIpcNear* near, const FilIpcSurface* s, const double* x, const FilAabb* boxes, double margin)
{
    const int count = s->point_count;
    double centre[3] = {0.0};
    for (int p = 0; p < count; p++) {
        fil_v3_axpy(centre, 1.0 / count, x + 3 * p);
    }
    if (holds(near, count, centre, boxes)) {
        return FIL_OK;
    }
    fil_ipc_near_forget(near);
    void* block = near->within;
    const size_t all = (size_t)count + (size_t)s->edge_count + (size_t)s->triangle_count;
    const bool room = fil_buffer_reserve(&block, &near->capacity, all, sizeof(FilAabb));
    near->within = block;
    if (!room) {
        return FIL_OUT_OF_MEMORY;
    }
    for (int p = 0; p < count; p++) {
        near->within[p] = fil_aabb_fattened(&boxes[p], margin);
    }
    enclose(s, near->within, near->within + count);
    const FilStatus status = walk(near, s);
    near->spare = SPARE * margin;
    fil_v3_copy(near->centre, centre);
    near->point_count = status == FIL_OK ? count : 0;
    return status;
}
