#include "linalg/nested_dissection.h"

#include <stdint.h>

/* Parts of no more vertices than this are left to minimum degree. */
enum { LEAF = 50 };

/* ---- variables with the same neighbours ---- */

static uint32_t scramble(int v)
{
    // the prime next to 2^32 over the golden ratio (Knuth's multiplicative hashing)
    return ((uint32_t)v + 1U) * 2654435761U;
}

/* Whether u and v are neighbours and have the same other ones; mark[w] == v for v and its neighbours. */
static bool same_neighbours(const FilBlockGraph* graph, int u, int v, const int* mark)
{
    const int* start = graph->start.at;
    if (start[u + 1] - start[u] != start[v + 1] - start[v] || mark[u] != v) {
        return false;
    }
    for (int k = start[u]; k < start[u + 1]; k++) {
        if (mark[graph->list.at[k]] != v) {
            return false;
        }
    }
    return true;
}

/* Numbers the vertices that variables are merged to; returns how many. The blocks of a rigid body, say, are one vertex. */
static int merge_variables(const FilBlockGraph* graph, int* vertex_of, int* work)
{
    const int n = graph->columns, *start = graph->start.at, *list = graph->list.at;
    int *first = work, *next = work + n, *mark = work + 2 * n, count = 0;
    for (int v = 0; v < n; v++) {
        first[v] = mark[v] = -1;
    }
    for (int v = 0; v < n; v++) {
        uint32_t sum = scramble(v);
        mark[v] = v;
        for (int k = start[v]; k < start[v + 1]; k++) {
            sum += scramble(list[k]);
            mark[list[k]] = v;
        }
        // variables of one sum are linked
        const int slot = (int)(sum % (uint32_t)n);
        int u = first[slot];
        while (u >= 0 && !same_neighbours(graph, u, v, mark)) {
            u = next[u];
        }
        if (u >= 0) {
            vertex_of[v] = vertex_of[u];
            continue;
        }
        next[v] = first[slot];
        first[slot] = v;
        vertex_of[v] = count++;
    }
    return count;
}

static bool build_graph(FilDissection* d, const FilBlockGraph* graph, const int* weight, int* vertex_of, int* work)
{
    const int n = graph->columns, *start = graph->start.at, *list = graph->list.at;
    FilGraphLevel* level = &d->graph;
    const int count = merge_variables(graph, vertex_of, work);
    if (!fil_graph_level_reserve(level, (size_t)count, (size_t)start[n])) {
        return false;
    }
    int *mark = work, end = 0, seen = 0;
    for (int c = 0; c < count; c++) {
        mark[c] = -1;
        level->weight[c] = 0;
    }
    for (int v = 0; v < n; v++) {
        const int c = vertex_of[v];
        level->weight[c] += weight[v];
        if (c < seen) {
            continue;
        }
        // the first of its variables has all neighbours
        level->start[seen++] = end;
        mark[c] = c;
        for (int k = start[v]; k < start[v + 1]; k++) {
            const int u = vertex_of[list[k]];
            if (mark[u] != c) {
                mark[u] = c;
                level->list[end++] = u;
            }
        }
    }
    level->start[count] = end;
    return true;
}

/* ---- parts ---- */

/* The graph of `count` vertices of the whole one, without edges to others. local[] is -1 outside. */
static bool extract(FilDissection* d, const int* vertices, int count, int* local)
{
    const FilGraphLevel* whole = &d->graph;
    FilGraphLevel* part = &d->separator.levels[0];
    size_t neighbours = 0;
    for (int k = 0; k < count; k++) {
        local[vertices[k]] = k;
        neighbours += (size_t)(whole->start[vertices[k] + 1] - whole->start[vertices[k]]);
    }
    if (!fil_graph_level_reserve(part, (size_t)count, neighbours)) {
        return false;
    }
    int end = 0;
    part->total = 0;
    for (int i = 0; i < count; i++) {
        const int v = vertices[i];
        part->start[i] = end;
        part->weight[i] = whole->weight[v];
        part->total += whole->weight[v];
        for (int k = whole->start[v]; k < whole->start[v + 1]; k++) {
            if (local[whole->list[k]] >= 0) {
                part->list[end] = local[whole->list[k]];
                part->edge_weight[end++] = 1;
            }
        }
    }
    part->start[count] = end;
    for (int k = 0; k < count; k++) {
        local[vertices[k]] = -1;
    }
    return true;
}

/* Sorts vertices by side: 0, 1, cut. Writes how many there are on each. */
static void sort_by_side(const int* side, int* vertices, int count, int* counts, int* sorted)
{
    int end[3] = {0};
    counts[0] = counts[1] = counts[2] = 0;
    for (int k = 0; k < count; k++) {
        counts[side[k]]++;
    }
    end[1] = counts[0];
    end[2] = counts[0] + counts[1];
    for (int k = 0; k < count; k++) {
        sorted[end[side[k]]++] = vertices[k];
    }
    for (int k = 0; k < count; k++) {
        vertices[k] = sorted[k];
    }
}

static void set_group(int* group, const int* vertices, int count, int number)
{
    for (int k = 0; k < count; k++) {
        group[vertices[k]] = number;
    }
}

/* Divides all vertices; those that are eliminated together have the place of the first of them as group. */
static bool divide(FilDissection* d, int* vertices, int* group, int* stack, int* local, int* sorted)
{
    int depth = 0;
    for (int v = 0; v < d->graph.vertices; v++) {
        vertices[v] = v;
        local[v] = -1;
    }
    stack[depth++] = 0;
    stack[depth++] = d->graph.vertices;
    while (depth > 0) {
        const int end = stack[--depth], first = stack[--depth], count = end - first;
        int counts[3] = {0};
        if (count > LEAF) {
            if (!extract(d, vertices + first, count, local) || !fil_separator_find(&d->separator)) {
                return false;
            }
            sort_by_side(d->separator.levels[0].side, vertices + first, count, counts, sorted);
        }
        if (counts[0] == 0 || counts[1] == 0) {  // small, or without a separator
            set_group(group, vertices + first, count, first);
            continue;
        }
        const int middle = first + counts[0], cut = middle + counts[1];
        set_group(group, vertices + cut, counts[FIL_CUT], cut);
        stack[depth++] = first;
        stack[depth++] = middle;
        stack[depth++] = middle;
        stack[depth++] = cut;
    }
    return true;
}

bool fil_nested_dissection(FilDissection* d, const FilBlockGraph* graph, const int* weight, int* group)
{
    const size_t n = (size_t)graph->columns;
    // a part on the stack is at least a vertex, so that 2 n places do
    if (!fil_ints_reserve(&d->work, 8 * n + 2)) {
        return false;
    }
    int *vertex_of = d->work.at, *work = vertex_of + n;
    if (!build_graph(d, graph, weight, vertex_of, work) || !divide(d, work, work + n, work + 2 * n, work + 4 * n + 2, work + 5 * n + 2)) {
        return false;
    }
    for (size_t v = 0; v < n; v++) {
        group[v] = work[n + (size_t)vertex_of[v]];
    }
    return true;
}

void fil_dissection_free(FilDissection* d)
{
    fil_separator_free(&d->separator);
    fil_graph_level_free(&d->graph);
    fil_free(d->work.at);
    *d = (FilDissection){0};
}
