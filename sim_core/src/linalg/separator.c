#include "linalg/separator.h"

#include <stdint.h>
#include <string.h>

#include "linalg/cut_refinement.h"

/* The graph is cut first where no more vertices are left, or where coarsening stalls. */
enum { COARSEST = 100, STARTS = 8 };
static const double STALLED = 0.95;

/* Grows side 0 from a vertex to half of the weight, nearest vertices first. Returns the last one reached. */
static int grow(FilGraphLevel* level, int seed, int* queue)
{
    int head = 0, end = 0, weight = 0, next = 0, last = seed;
    for (int v = 0; v < level->vertices; v++) {
        level->side[v] = 1;
    }
    queue[end++] = seed;
    level->side[seed] = 0;
    while (2 * weight < level->total) {
        if (head == end) {  // the graph has several components
            while (level->side[next] == 0) {
                next++;
            }
            level->side[next] = 0;
            queue[end++] = next;
        }
        const int v = last = queue[head++];
        weight += level->weight[v];
        for (int k = level->start[v]; k < level->start[v + 1]; k++) {
            const int u = level->list[k];
            if (level->side[u] == 1) {
                level->side[u] = 0;
                queue[end++] = u;
            }
        }
    }
    // what waits was not taken
    while (head < end) {
        level->side[queue[head++]] = 1;
    }
    return last;
}

/* Vertices of side 1 beside side 0 become the cut. */
static void cut_border(FilGraphLevel* level)
{
    for (int v = 0; v < level->vertices; v++) {
        for (int k = level->start[v]; k < level->start[v + 1] && level->side[v] == 1; k++) {
            if (level->side[level->list[k]] == 0) {
                level->side[v] = FIL_CUT;
            }
        }
    }
}

/* The best of several cuts: grown from what is far from the first vertex, from what is far from there, and from anywhere. */
static void cut_first(FilGraphLevel* level, int* best_side, int* work)
{
    const int n = level->vertices;
    FilCutScore best = {INT32_MAX, 0, 0};
    int seed = 0;
    for (int start = 0; start < STARTS; start++) {
        const int last = grow(level, seed, work);
        cut_border(level);
        fil_cut_refine(level, work);
        const FilCutScore score = fil_cut_score(level);
        if (fil_cut_better(score, best)) {
            best = score;
            memcpy(best_side, level->side, (size_t)n * sizeof *best_side);
        }
        seed = start < 2 ? last : (int)((int64_t)n * (2 * start - 3) / (2 * STARTS - 4));
    }
    memcpy(level->side, best_side, (size_t)n * sizeof *best_side);
}

bool fil_separator_find(FilSeparator* separator)
{
    FilGraphLevel* levels = separator->levels;
    const size_t n = (size_t)levels[0].vertices;
    if (!fil_ints_reserve(&separator->work, (FIL_CUT_WORK + 1) * n)) {
        return false;
    }
    int* work = separator->work.at;
    const int max_weight = 3 * (levels[0].total / COARSEST) / 2 + 1;  // as METIS has it
    int depth = 0;
    while (levels[depth].vertices > COARSEST && depth + 1 < FIL_GRAPH_LEVELS) {
        if (!fil_graph_level_coarsen(&levels[depth], &levels[depth + 1], max_weight, work)) {
            return false;
        }
        if (levels[depth + 1].vertices > STALLED * levels[depth].vertices) {
            break;
        }
        depth++;
    }
    cut_first(&levels[depth], work + FIL_CUT_WORK * n, work);
    for (; depth > 0; depth--) {
        FilGraphLevel* fine = &levels[depth - 1];
        for (int v = 0; v < fine->vertices; v++) {
            fine->side[v] = levels[depth].side[fine->coarse[v]];
        }
        fil_cut_refine(fine, work);
    }
    return true;
}

void fil_separator_free(FilSeparator* separator)
{
    for (int k = 0; k < FIL_GRAPH_LEVELS; k++) {
        fil_graph_level_free(&separator->levels[k]);
    }
    fil_free(separator->work.at);
    *separator = (FilSeparator){0};
}
