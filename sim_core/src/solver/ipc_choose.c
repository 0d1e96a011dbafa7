/* Chooses of the pairs that are near those to look at closely: of features that are stale, and whose boxes overlap; with AVX2 only those that may
 * come into range. */
#include <math.h>
#include <string.h>

#include "base/extrema.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "base/vector.h"
#include "solver/ipc_apart.h"

static FilIpcSweptBound swept_bound_of(const FilIpcField* field, const FilIpcEdge* e)
{
    FilIpcSweptBound c = {.reach = 0.0};
    double motion[2][3], apart[3];
    for (int i = 0; i < 2; i++) {
        const int p = e->point[i];
        const double* x = field->points.at + 3 * p;
        fil_v3_axpy(c.middle, 0.5, x);
        fil_v3_axpy(c.half, i == 0 ? -0.5 : 0.5, x);
        fil_v3_sub(motion[i], field->listed_end.at + 3 * p, x);
        fil_v3_axpy(c.motion, 0.5, motion[i]);
        c.reach = fil_max(field->slack.at[p], c.reach);
    }
    fil_v3_sub(apart, motion[1], motion[0]);
    c.reach += 0.5 * fil_v3_norm(apart) + field->surface.points[e->point[0]].radius;
    return c;
}

/* Whether a look along the line between their middles is enough to tell that two edges stay out of each other's range. */
static bool stay_apart(const FilIpcSweptBound* a, const FilIpcSweptBound* b, double range)
{
    double between[3], passing[3];
    fil_v3_sub(between, b->middle, a->middle);
    fil_v3_sub(passing, b->motion, a->motion);
    const double square = fil_v3_dot(between, between), reach = range + a->reach + b->reach;
    const double clear = square - fabs(fil_v3_dot(a->half, between)) - fabs(fil_v3_dot(b->half, between));
    return clear + fil_min(fil_v3_dot(passing, between), 0.0) > reach * sqrt(square);
}

static FilAabb box_of(const FilAabb* boxes, const int* points, int count)
{
    FilAabb box = boxes[points[0]];
    for (int i = 1; i < count; i++) {
        box = fil_aabb_union(&box, &boxes[points[i]]);
    }
    return box;
}

/* Pairs that are near, to choose from: of features that are stale and whose boxes overlap. */
typedef struct Choice {
    FilIpcField* field;
    const FilPairs* near;
    FilPairs* chosen;
    const int *stale_a, *stale_b; /* of the first, of the second of each */
    bool all;                     /* pairs of edges: they are many, so a look at their swept bounds comes first */
    double range;
    FilFeature kind;
} Choice;

/* Pairs looked at at once: some ten microseconds. */
enum { CHOICE_GRAIN = 1024 };

#if defined(FIL_VECTOR_AVX2)
/* Corners of pairs side by side, the first one again where there are less, and how far apart they are out of range. */
static FilIpcAbreast put_abreast(const Choice* choice, const FilIndexPair* chosen, int count)
{
    const FilIpcSurface* s = &choice->field->surface;
    const bool edges = choice->kind == FIL_SEGMENT_SEGMENT;
    FilIpcAbreast pairs;
    for (int k = 0; k < FIL_IPC_ABREAST; k++) {
        const FilIndexPair pair = chosen[k < count ? k : 0];
        const int* second = edges ? s->edges[pair.b].point : s->triangles[pair.b].point;
        const int first = edges ? s->edges[pair.a].point[0] : pair.a;
        pairs.point[0][k] = first;
        pairs.point[1][k] = edges ? s->edges[pair.a].point[1] : second[0];
        pairs.point[2][k] = edges ? second[0] : second[1];
        pairs.point[3][k] = edges ? second[1] : second[2];
        pairs.reach[k] = s->points[first].radius + s->points[second[0]].radius + choice->range;
    }
    return pairs;
}

/* Drops pairs that stay out of range; returns how many are left. */
static int drop_apart(const Choice* choice, FilIndexPair* chosen, int count)
{
    const FilIpcField* field = choice->field;
    int kept = 0;
    for (int first = 0; first < count; first += FIL_IPC_ABREAST) {
        const FilIpcAbreast pairs = put_abreast(choice, chosen + first, count - first);
        const unsigned apart = fil_ipc_apart_avx2(choice->kind, &pairs, field->points.at, field->listed_end.at, field->slack.at);
        for (int k = first; k < count && k < first + FIL_IPC_ABREAST; k++) {
            chosen[kept] = chosen[k];
            kept += (apart >> (k - first) & 1) == 0;
        }
    }
    return kept;
}
#endif

/* Leaves `count` pairs from place `first` on, or fewer. */
static void leave(const Choice* choice, int first, int count)
{
    int left = count;
#if defined(FIL_VECTOR_AVX2)
    left = fil_vector_level() >= FIL_VECTOR_256 ? drop_apart(choice, choice->chosen->items + first, count) : count;
#endif
    choice->field->picked.at[first / CHOICE_GRAIN] = left;
}

/* Of pairs of edges that are near those that their swept bounds do not keep apart; returns how many. */
static int pick_unbounded(const Choice* choice, const FilIndexPair* near, int count, FilIndexPair* picked)
{
    const FilIpcSweptBound* bounds = choice->field->swept_bounds;
#if defined(FIL_VECTOR_AVX2)
    if (fil_vector_level() >= FIL_VECTOR_256) {
        return fil_ipc_pick_unbounded_avx2(bounds, near, count, choice->range, picked);
    }
#endif
    int left = 0;
    for (int k = 0; k < count; k++) {
        const FilIndexPair pair = near[k];
        picked[left] = pair;
        left += !stay_apart(&bounds[pair.a], &bounds[pair.b], choice->range);
    }
    return left;
}

/* Of pairs that are near those of which one is stale; returns how many. */
static int pick_stale(const Choice* choice, const FilIndexPair* near, int count, FilIndexPair* picked)
{
    int left = 0;
    for (int k = 0; k < count; k++) {
        const FilIndexPair pair = near[k];
        picked[left] = pair;
        left += (choice->stale_a[pair.a] | choice->stale_b[pair.b]) != 0;
    }
    return left;
}

static void look_at_edges(void* context, int first, int end, int worker)
{
    const Choice* choice = context;
    const FilIpcField* field = choice->field;
    const FilIpcEdge* edges = field->surface.edges;
    const FilIndexPair* near = choice->near->items + first;
    FilIndexPair* chosen = choice->chosen->items + first;
    (void)worker;
    // where all is looked for all are stale
    const int picked = choice->all ? pick_unbounded(choice, near, end - first, chosen) : pick_stale(choice, near, end - first, chosen);
    int count = 0;
    for (int k = 0; k < picked; k++) {
        const FilIndexPair pair = chosen[k];
        const FilAabb a = box_of(field->boxes, edges[pair.a].point, 2), b = box_of(field->boxes, edges[pair.b].point, 2);
        chosen[count] = pair;
        count += fil_aabb_overlap(&a, &b);
    }
    leave(choice, first, count);
}

static void look_at_triangles(void* context, int first, int end, int worker)
{
    const Choice* choice = context;
    const FilIpcField* field = choice->field;
    FilIndexPair* chosen = choice->chosen->items + first;
    int count = 0;
    (void)worker;
    for (int k = first; k < end; k++) {
        const FilIndexPair pair = choice->near->items[k];
        if ((choice->stale_a[pair.a] | choice->stale_b[pair.b]) != 0) {
            const FilAabb box = box_of(field->boxes, field->surface.triangles[pair.b].point, 3);
            chosen[count] = pair;
            count += fil_aabb_overlap(&field->boxes[pair.a], &box);
        }
    }
    leave(choice, first, count);
}

static FilStatus choose(Choice* choice, FilWork* look, FilWorkers* workers)
{
    FilIpcField* field = choice->field;
    FilPairs* chosen = choice->chosen;
    const int count = choice->near->count;
    chosen->count = 0;
    if (!fil_ints_reserve(&field->picked, (size_t)(count / CHOICE_GRAIN) + 1) || fil_pairs_reserve(chosen, count) != FIL_OK) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_workers_run(workers, count, CHOICE_GRAIN, look, choice);
    // each chunk has left its pairs where its own places begin
    for (int first = 0; first < count; first += CHOICE_GRAIN) {
        const int picked = field->picked.at[first / CHOICE_GRAIN];
        memmove(chosen->items + chosen->count, chosen->items + first, sizeof *chosen->items * (size_t)picked);
        chosen->count += picked;
    }
    return FIL_OK;
}

static void bound_some(void* context, int first, int end, int worker)
{
    FilIpcField* field = context;
    (void)worker;
    for (int e = first; e < end; e++) {
        field->swept_bounds[e] = swept_bound_of(field, &field->surface.edges[e]);
    }
}

static FilStatus choose_edges(FilIpcField* field, const int* stale, bool all, double range, FilWorkers* workers)
{
    if (all) {
        fil_workers_run(workers, field->surface.edge_count, CHOICE_GRAIN, bound_some, field);
    }
    Choice choice = {field, &field->near.edges, &field->chosen[0], stale, stale, all, range, FIL_SEGMENT_SEGMENT};
    return choose(&choice, look_at_edges, workers);
}

static FilStatus choose_triangles(FilIpcField* field, const int* stale, const int* stale_triangles, double range, FilWorkers* workers)
{
    Choice choice = {field, &field->near.triangles, &field->chosen[1], stale, stale_triangles, false, range, FIL_POINT_TRIANGLE};
    return choose(&choice, look_at_triangles, workers);
}

/* Pairs of edges, and of points and triangles, into rising order. */
typedef struct Sorting {
    FilIpcField* field;
    FilStatus status[2];
} Sorting;

static void sort_some(void* context, int first, int end, int worker)
{
    Sorting* sorting = context;
    FilIpcField* field = sorting->field;
    (void)worker;
    for (int k = first; k < end; k++) {
        const int count = k == 0 ? field->surface.edge_count : field->surface.point_count;
        sorting->status[k] = fil_pairs_sort(&field->chosen[k], count, &field->sorting[k]);
    }
}

FilStatus fil_ipc_choose(FilIpcField* field, const int* points, const int* edges, const int* triangles, bool all, double range, FilWorkers* workers)
{
    FilStatus status = choose_edges(field, edges, all, range, workers);
    status = status == FIL_OK ? choose_triangles(field, points, triangles, range, workers) : status;
    if (status != FIL_OK) {
        return status;
    }
    // trees report them in an order that depends on what was before
    Sorting sorting = {.field = field};
    fil_workers_run(fil_memory_is_limited() ? NULL : workers, 2, 1, sort_some, &sorting);
    return sorting.status[0] != FIL_OK ? sorting.status[0] : sorting.status[1];
}
