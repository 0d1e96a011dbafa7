#include "linalg/graph_level.h"

#include <stdint.h>

bool fil_graph_level_reserve(FilGraphLevel* level, size_t vertices, size_t neighbours)
{
    if (!fil_ints_reserve(&level->memory, 4 * vertices + 1 + 2 * neighbours)) {
        return false;
    }
    level->vertices = (int)vertices;
    level->start = level->memory.at;
    level->weight = level->start + vertices + 1;
    level->coarse = level->weight + vertices;
    level->side = level->coarse + vertices;
    level->list = level->side + vertices;
    level->edge_weight = level->list + neighbours;
    return true;
}

void fil_graph_level_free(FilGraphLevel* level)
{
    fil_free(level->memory.at);
    *level = (FilGraphLevel){0};
}

/* The neighbour to pair v with, or v: the heaviest edge, and the lighter vertex of two with edges alike, which keeps weights even. */
static int choose_partner(const FilGraphLevel* level, const int* partner, int v, int max_weight)
{
    int best = v, best_edge = 0;
    for (int k = level->start[v]; k < level->start[v + 1]; k++) {
        const int u = level->list[k], edge = level->edge_weight[k];
        if (partner[u] >= 0 || level->weight[u] > max_weight - level->weight[v]) {
            continue;
        }
        if (edge > best_edge || (edge == best_edge && level->weight[u] < level->weight[best])) {
            best = u;
            best_edge = edge;
        }
    }
    return best;
}

/* Pairs vertices and numbers the pairs; returns how many there are. */
static int match(FilGraphLevel* level, int* partner, int max_weight)
{
    const int n = level->vertices;
    for (int v = 0; v < n; v++) {
        partner[v] = -1;
    }
    // vertices are visited as far from each other as they come: strides of the golden section
    int64_t stride = (int64_t)(0.618 * n) | 1;
    for (int64_t a = stride, b = n; b != 0;) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
        if (b == 0 && a != 1) {
            stride += 2;
            a = stride;
            b = n;
        }
    }
    int pairs = 0;
    for (int i = 0; i < n; i++) {
        const int v = (int)(i * stride % n);
        if (partner[v] < 0) {
            const int u = choose_partner(level, partner, v, max_weight);
            partner[v] = u;
            partner[u] = v;
        }
    }
    // numbers keep the order of vertices, near in memory what was near
    for (int v = 0; v < n; v++) {
        if (partner[v] >= v) {
            level->coarse[v] = level->coarse[partner[v]] = pairs++;
        }
    }
    return pairs;
}

/* Adds the neighbours of v, as they are on the next level, to those of vertex c there. */
static int add_neighbours(const FilGraphLevel* level, FilGraphLevel* next, int v, int c, int end, int* place)
{
    for (int k = level->start[v]; k < level->start[v + 1]; k++) {
        const int u = level->coarse[level->list[k]];
        if (u == c) {
            continue;
        }
        if (place[u] < next->start[c]) {
            place[u] = end;
            next->list[end] = u;
            next->edge_weight[end++] = 0;
        }
        next->edge_weight[place[u]] += level->edge_weight[k];
    }
    return end;
}

bool fil_graph_level_coarsen(FilGraphLevel* level, FilGraphLevel* next, int max_weight, int* work)
{
    int *partner = work, *place = work + level->vertices;
    const int pairs = match(level, partner, max_weight);
    if (!fil_graph_level_reserve(next, (size_t)pairs, (size_t)level->start[level->vertices])) {
        return false;
    }
    next->total = level->total;
    for (int c = 0; c < pairs; c++) {
        place[c] = -1;
    }
    int end = 0, c = 0;
    for (int v = 0; v < level->vertices; v++) {
        const int u = partner[v];
        if (u < v) {
            continue;
        }
        next->start[c] = end;
        next->weight[c] = level->weight[v] + (u != v ? level->weight[u] : 0);
        end = add_neighbours(level, next, v, c, end, place);
        if (u != v) {
            end = add_neighbours(level, next, u, c, end, place);
        }
        c++;
    }
    next->start[c] = end;
    return true;
}
