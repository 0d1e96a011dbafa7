#include "solver/ipc_near.h"

#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"

/* Share of the points that may have left before all pairs are looked for again. */
static const double MANY = 0.2;

/* Pairs of nodes that walks are shared by. */
enum { NODES = 8 * FIL_IPC_WALKS };

/* Of the margin: more than rounding. */
static const double SPARE = 1e-6;

void fil_ipc_near_free(FilIpcNear* near)
{
    for (int k = 0; k < 3; k++) {
        fil_bvh_free(&near->trees[k]);
    }
    for (int k = 0; k < 2 * FIL_IPC_WALKS; k++) {
        fil_pairs_free(&near->found[k]);
    }
    fil_pairs_free(&near->nodes[0]);
    fil_pairs_free(&near->nodes[1]);
    fil_pairs_free(&near->edges);
    fil_pairs_free(&near->triangles);
    fil_free(near->within);
    fil_free(near->left.at);
}

void fil_ipc_near_forget(FilIpcNear* near)
{
    near->point_count = 0;
}

/* Edges from points. */
typedef struct Edges {
    const FilIpcSurface* surface;
    const FilAabb* points;
    FilAabb* boxes;
    const int* left; /* points that have, ... */
    int* marks;      /* ... and what becomes of them */
} Edges;

static void take_edges(void* context, int first, int end, int worker)
{
    const Edges* edges = context;
    (void)worker;
    for (int e = first; e < end; e++) {
        const int* p = edges->surface->edges[e].point;
        edges->boxes[e] = fil_aabb_union(&edges->points[p[0]], &edges->points[p[1]]);
        edges->marks[e] = edges->left[p[0]] | edges->left[p[1]];
    }
}

static void enclose_triangles(const FilIpcSurface* surface, const FilAabb* points, FilAabb* boxes)
{
    for (int t = 0; t < surface->triangle_count; t++) {
        const int* p = surface->triangles[t].point;
        boxes[t] = fil_aabb_union(&points[p[0]], &points[p[1]]);
        boxes[t] = fil_aabb_union(&boxes[t], &points[p[2]]);
    }
}

static void mark_edges(const FilIpcSurface* surface, const int* points, int* edges)
{
    for (int e = 0; e < surface->edge_count; e++) {
        const int* p = surface->edges[e].point;
        edges[e] = points[p[0]] | points[p[1]];
    }
}

static void mark_triangles(const FilIpcSurface* surface, const int* points, int* triangles)
{
    for (int t = 0; t < surface->triangle_count; t++) {
        const int* p = surface->triangles[t].point;
        triangles[t] = points[p[0]] | points[p[1]] | points[p[2]];
    }
}

typedef struct Marking {
    const FilIpcSurface* surface;
    int* marks;
} Marking;

/* Edges, and triangles. */
static void mark_some(void* context, int first, int end, int worker)
{
    const Marking* marking = context;
    const FilIpcSurface* surface = marking->surface;
    int *points = marking->marks, *edges = points + surface->point_count;
    (void)end;
    (void)worker;
    if (first == 0) {
        mark_edges(surface, points, edges);
    } else {
        mark_triangles(surface, points, edges + surface->edge_count);
    }
}

void fil_ipc_near_mark(const FilIpcSurface* surface, int* marks, FilWorkers* workers)
{
    Marking marking = {surface, marks};
    fil_workers_run(workers, 2, 1, mark_some, &marking);
}

static FilAabb moved(const FilAabb* box, const double* by)
{
    FilAabb m;
    fil_v3_add(m.lo, box->lo, by);
    fil_v3_add(m.hi, box->hi, by);
    return m;
}

/* Points on their ways, apart from what all do. */
typedef struct Ways {
    FilIpcNear* near;
    int count;
    const FilAabb* boxes;
    double back[3], margin;
} Ways;

/* Points at a time: some five microseconds. */
enum { POINT_GRAIN = 512 };

/* Marks points that have left where pairs are known for. */
static void look_who_left(void* context, int first, int end, int worker)
{
    const Ways* w = context;
    const FilIpcNear* near = w->near;
    (void)worker;
    for (int p = first; p < end; p++) {
        FilAabb box = moved(&w->boxes[p], w->back);
        box = fil_aabb_fattened(&box, near->spare);
        near->left.at[p] = near->point_count != w->count || !fil_aabb_contains(&near->within[p], &box);
    }
}

/* Boxes that pairs will be known for, of points that have left theirs. */
static void widen_some(void* context, int first, int end, int worker)
{
    const Ways* w = context;
    const FilIpcNear* near = w->near;
    (void)worker;
    for (int p = first; p < end; p++) {
        if (near->left.at[p] != 0) {
            const FilAabb box = moved(&w->boxes[p], w->back);
            near->within[p] = fil_aabb_fattened(&box, w->margin);
        }
    }
}

/* Drops pairs of which one is marked. */
static void drop_marked(FilPairs* pairs, const int* marks_a, const int* marks_b)
{
    int kept = 0;
    for (int k = 0; k < pairs->count; k++) {
        const FilIndexPair pair = pairs->items[k];
        pairs->items[kept] = pair;
        kept += (marks_a[pair.a] | marks_b[pair.b]) == 0;
    }
    pairs->count = kept;
}

/* Drops pairs of edges with a common end, and of those that never meet. */
static void drop_idle_edges(const FilIpcSurface* surface, FilPairs* pairs)
{
    int kept = 0;
    for (int k = 0; k < pairs->count; k++) {
        const FilIndexPair pair = pairs->items[k];
        const FilIpcEdge *e = &surface->edges[pair.a], *f = &surface->edges[pair.b];
        const int *a = e->point, *b = f->point;
        pairs->items[kept] = pair;
        kept += (a[0] != b[0]) & (a[0] != b[1]) & (a[1] != b[0]) & (a[1] != b[1]) & (int)fil_ipc_edges_meet(e, f);
    }
    pairs->count = kept;
}

static void drop_own_corners(const FilIpcSurface* surface, FilPairs* pairs)
{
    int kept = 0;
    for (int k = 0; k < pairs->count; k++) {
        const FilIndexPair pair = pairs->items[k];
        const int* c = surface->triangles[pair.b].point;
        pairs->items[kept] = pair;
        kept += (pair.a != c[0]) & (pair.a != c[1]) & (pair.a != c[2]);
    }
    pairs->count = kept;
}

static FilStatus prepare_edges(FilIpcNear* near, const FilIpcSurface* s, FilWorkers* workers)
{
    enum { GRAIN = 1024 };  // some 5 us
    FilBvh* tree = &near->trees[0];
    Edges edges = {s, near->within, near->within + s->point_count, near->left.at, near->left.at + s->point_count};
    fil_workers_run(workers, s->edge_count, GRAIN, take_edges, &edges);
    drop_marked(&near->edges, edges.marks, edges.marks);
    const FilStatus status = fil_bvh_update_marked(tree, edges.boxes, edges.marks, s->edge_count, workers);
    return status == FIL_OK ? fil_bvh_split(tree, tree, true, NODES, &near->nodes[0]) : status;
}

static FilStatus prepare_triangles(FilIpcNear* near, const FilIpcSurface* s)
{
    FilAabb *points = near->within, *triangles = points + s->point_count + s->edge_count;
    int *left = near->left.at, *left_triangles = left + s->point_count + s->edge_count;
    enclose_triangles(s, points, triangles);
    mark_triangles(s, left, left_triangles);
    drop_marked(&near->triangles, left, left_triangles);
    near->nodes[1].count = 0;
    if (s->triangle_count == 0) {
        return FIL_OK;
    }
    FilStatus status = fil_bvh_update(&near->trees[1], triangles, s->triangle_count);
    status = status == FIL_OK ? fil_bvh_update(&near->trees[2], points, s->point_count) : status;
    fil_bvh_mark(&near->trees[1], left_triangles);
    fil_bvh_mark(&near->trees[2], left);
    return status == FIL_OK ? fil_bvh_split(&near->trees[2], &near->trees[1], false, NODES, &near->nodes[1]) : status;
}

typedef struct Walk {
    FilIpcNear* near;
    const FilIpcSurface* surface;
    FilStatus status[2 * FIL_IPC_WALKS]; /* of edges and of triangles by turns, ... */
    int met[2 * FIL_IPC_WALKS];          /* ... how many boxes overlap, ... */
    int place[2 * FIL_IPC_WALKS];        /* ... and where what is found goes */
} Walk;

static void prepare_some(void* context, int first, int end, int worker)
{
    Walk* w = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        w->status[k] = k == 0 ? prepare_edges(w->near, w->surface, NULL) : prepare_triangles(w->near, w->surface);
    }
}

static void walk_some(void* context, int first, int end, int worker)
{
    Walk* w = context;
    FilIpcNear* near = w->near;
    (void)worker;
    for (int k = first; k < end; k++) {
        const bool edges = k % 2 == 0;
        const FilPairs* nodes = &near->nodes[k % 2];
        const FilBvh *a = &near->trees[edges ? 0 : 2], *b = &near->trees[edges ? 0 : 1];
        const int part = k / 2, last = nodes->count * (part + 1) / FIL_IPC_WALKS;
        w->status[k] = FIL_OK;
        near->found[k].count = 0;
        for (int n = nodes->count * part / FIL_IPC_WALKS; n < last && w->status[k] == FIL_OK; n++) {
            w->status[k] = fil_bvh_walk(a, b, edges, nodes->items[n], &near->found[k]);
        }
        w->met[k] = near->found[k].count;
        (edges ? drop_idle_edges : drop_own_corners)(w->surface, &near->found[k]);
    }
}

static void append_some(void* context, int first, int end, int worker)
{
    const Walk* w = context;
    const FilIpcNear* near = w->near;
    (void)worker;
    for (int k = first; k < end; k++) {
        const FilPairs *found = &near->found[k], *all = k % 2 == 0 ? &near->edges : &near->triangles;
        if (found->count > 0) {
            memcpy(all->items + w->place[k], found->items, sizeof *found->items * (size_t)found->count);
        }
    }
}

/* Takes what has been found. How many pairs there are is a matter of boxes, how many of each part of the tree: each has room for all. */
static FilStatus take_found(FilIpcNear* near, Walk* w, FilWorkers* workers)
{
    FilPairs* const all[2] = {&near->edges, &near->triangles};
    int met[2] = {0}, more[2] = {0};
    FilStatus status = FIL_OK;
    for (int k = 0; k < 2 * FIL_IPC_WALKS && status == FIL_OK; k++) {
        status = w->status[k];
        w->place[k] = all[k % 2]->count + more[k % 2];
        more[k % 2] += near->found[k].count;
        met[k % 2] += w->met[k];
    }
    for (int k = 0; k < 2 && status == FIL_OK; k++) {
        status = fil_pairs_reserve(all[k], more[k]);
    }
    if (status != FIL_OK) {
        return status;
    }
    fil_workers_run(workers, 2 * FIL_IPC_WALKS, 4, append_some, w);
    near->edges.count += more[0];
    near->triangles.count += more[1];
    for (int k = 0; k < 2 * FIL_IPC_WALKS && status == FIL_OK; k++) {
        const int wanted = met[k % 2] + FIL_BVH_LEAF * FIL_BVH_LEAF;
        near->found[k].count = 0;
        // half as many again: their number creeps up while something folds
        status = wanted > near->found[k].capacity ? fil_pairs_reserve(&near->found[k], wanted + wanted / 2) : FIL_OK;
    }
    return status;
}

/* Looks for the pairs of what is marked. */
static FilStatus walk(FilIpcNear* near, const FilIpcSurface* s, FilWorkers* workers)
{
    FilWorkers* helpers = fil_memory_is_limited() ? NULL : workers;
    Walk w = {.near = near, .surface = s};
    if (s->triangle_count > 0) {  // as many as edges
        fil_workers_run(helpers, 2, 1, prepare_some, &w);
    } else {
        w.status[0] = prepare_edges(near, s, helpers);
        w.status[1] = prepare_triangles(near, s);
    }
    const FilStatus status = w.status[0] != FIL_OK ? w.status[0] : w.status[1];
    if (status != FIL_OK) {
        return status;
    }
    fil_workers_run(helpers, 2 * FIL_IPC_WALKS, 1, walk_some, &w);
    return take_found(near, &w, workers);
}

static bool make_room(FilIpcNear* near, const FilIpcSurface* s)
{
    const size_t all = (size_t)s->point_count + (size_t)s->edge_count + (size_t)s->triangle_count;
    void* block = near->within;
    const bool room = fil_buffer_reserve(&block, &near->capacity, all, sizeof(FilAabb));
    near->within = block;
    return room && fil_ints_reserve(&near->left, all);
}

FilStatus fil_ipc_near_find(FilIpcNear* near, const FilIpcSurface* s, const double* x, const FilAabb* boxes, double margin, FilWorkers* workers)
{
    const int count = s->point_count;
    double centre[3] = {0.0};
    Ways ways = {.near = near, .count = count, .boxes = boxes, .margin = margin};
    if (!make_room(near, s)) {
        return FIL_OUT_OF_MEMORY;
    }
    for (int p = 0; p < count; p++) {
        fil_v3_add(centre, centre, x + 3 * p);
    }
    fil_v3_scale(centre, 1.0 / count, centre);
    fil_v3_sub(ways.back, near->centre, centre);
    fil_workers_run(workers, count, POINT_GRAIN, look_who_left, &ways);
    int left = 0;
    for (int p = 0; p < count; p++) {
        left += near->left.at[p];
    }
    if (left == 0) {
        return FIL_OK;
    }
    if (left > MANY * count) {
        fil_v3_copy(near->centre, centre);
        fil_v3_set(ways.back, 0.0, 0.0, 0.0);
        near->edges.count = near->triangles.count = 0;
        for (int p = 0; p < count; p++) {
            near->left.at[p] = 1;
        }
    }
    fil_workers_run(workers, count, POINT_GRAIN, widen_some, &ways);
    const FilStatus status = walk(near, s, workers);
    near->spare = SPARE * margin;
    near->point_count = status == FIL_OK ? count : 0;
    return status;
}
