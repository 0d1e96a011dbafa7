/* A surface of triangles in contact with itself: which of its vertices are one piece. */
#include <string.h>

#include "base/memory.h"
#include "geometry/facets.h"

/* Vertices reached from one of them, with the length of the way along edges. */
typedef struct Reached {
    int vertex;
    double length;
} Reached;

/* Room for growing lists. */
typedef struct Lists {
    const int *ends, *start, *around; /* of edges; per vertex: its edges */
    const double* lengths;
    Reached* reached;
    int count, capacity;
    int *near, near_count, near_capacity;
} Lists;

/* Notes a vertex at a length; if it was reached by a longer way, corrects that. True: that changed something. */
static bool reach(Lists* lists, int vertex, double length, bool* room)
{
    for (int k = 0; k < lists->count; k++) {
        Reached* r = &lists->reached[k];
        if (r->vertex == vertex) {
            const bool shorter = length < r->length;
            r->length = shorter ? length : r->length;
            return shorter;
        }
    }
    *room = *room && fil_array_reserve((void**)&lists->reached, lists->count, &lists->capacity, sizeof *lists->reached);
    if (*room) {
        lists->reached[lists->count++] = (Reached){vertex, length};
    }
    return *room;
}

/* Finds all vertices within `limit` of `from`; false: out of memory. */
static bool spread(Lists* lists, int from, double limit)
{
    bool room = true, changed = true;
    lists->count = 0;
    (void)reach(lists, from, 0.0, &room);
    while (changed && room) {
        changed = false;
        for (int k = 0; k < lists->count && room; k++) {
            const Reached at = lists->reached[k];
            for (int e = lists->start[at.vertex]; e < lists->start[at.vertex + 1] && room; e++) {
                const int edge = lists->around[e], *ends = lists->ends + 2 * edge;
                const double length = at.length + lists->lengths[edge];
                changed = (length <= limit && reach(lists, ends[0] == at.vertex ? ends[1] : ends[0], length, &room)) || changed;
            }
        }
    }
    return room;
}

static bool keep(Lists* lists, int from)
{
    bool room = true;
    for (int k = 0; k < lists->count && room; k++) {
        room = fil_array_reserve((void**)&lists->near, lists->near_count, &lists->near_capacity, sizeof *lists->near);
        if (room && lists->reached[k].vertex != from) {
            lists->near[lists->near_count++] = lists->reached[k].vertex;
        }
    }
    return room;
}

/* Edges by their ends: start per vertex, and their numbers behind. */
static int* list_around(int vertex_count, const int* ends, int edge_count)
{
    int* start = fil_alloc((size_t)vertex_count + 2 + 2 * (size_t)edge_count, sizeof *start);
    int* around = start != NULL ? start + vertex_count + 2 : NULL;
    for (int k = 0; k < 2 * edge_count && start != NULL; k++) {
        start[ends[k] + 2]++;
    }
    for (int v = 0; v < vertex_count && start != NULL; v++) {
        start[v + 2] += start[v + 1];
    }
    for (int k = 0; k < 2 * edge_count && start != NULL; k++) {
        around[start[ends[k] + 1]++] = k / 2;
    }
    return start;
}

FilStatus fil_facets_link(FilFacets* facets, const int* ends, const double* lengths, int edge_count, double limit)
{
    double shortest = HUGE_VAL;
    for (int e = 0; e < edge_count; e++) {
        shortest = lengths[e] < shortest ? lengths[e] : shortest;
    }
    if (!(shortest <= limit)) {
        return FIL_OK;
    }
    int* start = list_around(facets->vertex_count, ends, edge_count);
    facets->near_first = fil_alloc((size_t)facets->vertex_count + 1, sizeof(int));
    Lists lists = {.ends = ends, .lengths = lengths, .start = start};
    bool ok = start != NULL && facets->near_first != NULL;
    if (ok) {
        lists.around = start + facets->vertex_count + 2;
    }
    for (int v = 0; v < facets->vertex_count && ok; v++) {
        ok = spread(&lists, v, limit) && keep(&lists, v);
        facets->near_first[v + 1] = lists.near_count;
    }
    facets->near = lists.near;
    fil_free(lists.reached);
    fil_free(start);
    return ok ? FIL_OK : FIL_OUT_OF_MEMORY;
}

bool fil_facets_one_piece(const FilFacets* facets, int u, int v)
{
    bool found = u == v;
    for (int k = facets->near_first != NULL ? facets->near_first[u] : 0; facets->near_first != NULL && k < facets->near_first[u + 1] && !found; k++) {
        found = facets->near[k] == v;
    }
    return found;
}

bool fil_facets_is_part_of(const FilFacets* facets, int vertex, int t)
{
    const int* corner = facets->triangles + 3 * t;
    return fil_facets_one_piece(facets, vertex, corner[0]) || fil_facets_one_piece(facets, vertex, corner[1]) ||
           fil_facets_one_piece(facets, vertex, corner[2]);
}

bool fil_facets_are_joined(const FilFacets* facets, int e, int f)
{
    const int *a = facets->edges + 2 * e, *b = facets->edges + 2 * f;
    return fil_facets_one_piece(facets, a[0], b[0]) || fil_facets_one_piece(facets, a[0], b[1]) || fil_facets_one_piece(facets, a[1], b[0]) ||
           fil_facets_one_piece(facets, a[1], b[1]);
}
