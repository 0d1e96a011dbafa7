#include "linalg/cut_refinement.h"

#include <stdlib.h>

/* A side may have this share of all weight: METIS's default for nested dissection. */
static const double MAX_SHARE = 0.6;
/* Passes; a pass ends after so many moves without a better cut: enough to push a flat cut to the next layer. */
enum { MAX_PASSES = 16, MIN_UPHILL = 60, MAX_UPHILL = 500 };

/* Vertices of the cut by what the cut loses when they move to one side. */
typedef struct Heap {
    int count;
    int* item;
    int* place; /* of vertices: where in item; -1: not here */
    int* gain;  /* of vertices */
} Heap;

/* Pushes the cut towards one side: `to` grows. */
typedef struct Refinement {
    FilGraphLevel* level;
    int to;
    Heap heap;
    int* moved;  /* vertices in the order they moved, ... */
    int* pulled; /* ... and where those end that each of them pulled into the cut: */
    int* pulled_vertices;
    int weight[3];
} Refinement;

static FilCutScore score(const int* weight)
{
    const int heavy = weight[0] > weight[1] ? weight[0] : weight[1];
    const int allowed = (int)(MAX_SHARE * (double)(weight[0] + weight[1] + weight[FIL_CUT]));
    return (FilCutScore){heavy > allowed ? heavy - allowed : 0, weight[FIL_CUT], abs(weight[0] - weight[1])};
}

static void weigh(const FilGraphLevel* level, int* weight)
{
    weight[0] = weight[1] = weight[FIL_CUT] = 0;
    for (int v = 0; v < level->vertices; v++) {
        weight[level->side[v]] += level->weight[v];
    }
}

FilCutScore fil_cut_score(const FilGraphLevel* level)
{
    int weight[3];
    weigh(level, weight);
    return score(weight);
}

bool fil_cut_better(FilCutScore a, FilCutScore b)
{
    if (a.excess != b.excess) {
        return a.excess < b.excess;
    }
    return a.cut != b.cut ? a.cut < b.cut : a.difference < b.difference;
}

/* ---- heap ---- */

static void heap_put(Heap* heap, int k, int v)
{
    heap->item[k] = v;
    heap->place[v] = k;
}

static void heap_sift(Heap* heap, int k)
{
    const int v = heap->item[k], gain = heap->gain[v];
    while (k > 0 && heap->gain[heap->item[(k - 1) / 2]] < gain) {
        heap_put(heap, k, heap->item[(k - 1) / 2]);
        k = (k - 1) / 2;
    }
    for (int child = 2 * k + 1; child < heap->count; child = 2 * k + 1) {
        if (child + 1 < heap->count && heap->gain[heap->item[child + 1]] > heap->gain[heap->item[child]]) {
            child++;
        }
        if (heap->gain[heap->item[child]] <= gain) {
            break;
        }
        heap_put(heap, k, heap->item[child]);
        k = child;
    }
    heap_put(heap, k, v);
}

static void heap_add(Heap* heap, int v)
{
    heap_put(heap, heap->count++, v);
    heap_sift(heap, heap->count - 1);
}

static void heap_remove(Heap* heap, int v)
{
    const int k = heap->place[v];
    if (k < 0) {
        return;
    }
    heap->place[v] = -1;
    const int last = heap->item[--heap->count];
    if (last != v) {
        heap_put(heap, k, last);
        heap_sift(heap, k);
    }
}

/* ---- moves ---- */

/* Moving v takes its weight out of the cut and puts in that of its neighbours on the other side. */
static void add_to_heap(Refinement* r, int v)
{
    const FilGraphLevel* level = r->level;
    int gain = level->weight[v];
    for (int k = level->start[v]; k < level->start[v + 1]; k++) {
        const int u = level->list[k];
        gain -= level->side[u] == 1 - r->to ? level->weight[u] : 0;
    }
    r->heap.gain[v] = gain;
    heap_add(&r->heap, v);
}

/* Takes a vertex of the other side into the cut: it stands no more in the way of its neighbours there. */
static void pull(Refinement* r, int u)
{
    FilGraphLevel* level = r->level;
    level->side[u] = FIL_CUT;
    r->weight[1 - r->to] -= level->weight[u];
    r->weight[FIL_CUT] += level->weight[u];
    for (int k = level->start[u]; k < level->start[u + 1]; k++) {
        const int w = level->list[k];
        if (r->heap.place[w] >= 0) {
            r->heap.gain[w] += level->weight[u];
            heap_sift(&r->heap, r->heap.place[w]);
        }
    }
    add_to_heap(r, u);
}

/* Returns how many vertices it pulled into the cut. */
static int move(Refinement* r, int v, int* pulled)
{
    FilGraphLevel* level = r->level;
    int count = 0;
    level->side[v] = r->to;
    r->weight[FIL_CUT] -= level->weight[v];
    r->weight[r->to] += level->weight[v];
    for (int k = level->start[v]; k < level->start[v + 1]; k++) {
        const int u = level->list[k];
        if (level->side[u] == 1 - r->to) {
            pulled[count++] = u;
            pull(r, u);
        }
    }
    return count;
}

/* Moves vertices, and takes back those after the best cut met. False if that is the first. */
static bool push(Refinement* r)
{
    FilGraphLevel* level = r->level;
    r->heap.count = 0;
    for (int v = 0; v < level->vertices; v++) {
        r->heap.place[v] = -1;
    }
    for (int v = 0; v < level->vertices; v++) {
        if (level->side[v] == FIL_CUT) {
            add_to_heap(r, v);
        }
    }
    weigh(level, r->weight);

    const double allowed = MAX_SHARE * (double)level->total;
    const int layer = 5 * r->heap.count;
    const int uphill = layer < MIN_UPHILL ? MIN_UPHILL : layer > MAX_UPHILL ? MAX_UPHILL : layer;
    FilCutScore best = score(r->weight);
    int count = 0, best_count = 0, pulled = 0;
    while (r->heap.count > 0 && count - best_count < uphill) {
        const int v = r->heap.item[0];
        heap_remove(&r->heap, v);
        if ((double)(r->weight[r->to] + level->weight[v]) > allowed) {
            continue;
        }
        pulled += move(r, v, r->pulled_vertices + pulled);
        r->moved[count] = v;
        r->pulled[count++] = pulled;
        const FilCutScore now = score(r->weight);
        if (fil_cut_better(now, best)) {
            best = now;
            best_count = count;
        }
    }
    while (count > best_count) {
        const int v = r->moved[--count], first = count > 0 ? r->pulled[count - 1] : 0;
        while (pulled > first) {
            level->side[r->pulled_vertices[--pulled]] = 1 - r->to;
        }
        level->side[v] = FIL_CUT;
    }
    return best_count > 0;
}

void fil_cut_refine(FilGraphLevel* level, int* work)
{
    const size_t n = (size_t)level->vertices;
    Refinement r = {
        .level = level, .heap = {0, work, work + n, work + 2 * n}, .moved = work + 3 * n, .pulled = work + 4 * n, .pulled_vertices = work + 5 * n};
    weigh(level, r.weight);
    r.to = r.weight[0] <= r.weight[1] ? 0 : 1;  // the lighter side first, then to and fro
    for (int k = 0, idle = 0; k < MAX_PASSES && idle < 2; k++, r.to = 1 - r.to) {
        idle = push(&r) ? 0 : idle + 1;
    }
}
