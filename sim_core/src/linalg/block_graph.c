#include "linalg/block_graph.h"

#include <limits.h>
#include <string.h>

int fil_block_graph_write(const FilBlockPattern* const* patterns, int count, int* start, int* length, int* mark, int* list)
{
    const int n = patterns[0]->columns;
    // room for every neighbour, counted with repetitions
    memset(length, 0, (size_t)n * sizeof *length);
    for (int m = 0; m < count; m++) {
        for (int j = 0; j < n; j++) {
            for (int k = patterns[m]->start[j]; k < patterns[m]->start[j + 1]; k++) {
                if (patterns[m]->row[k] != j) {
                    length[j]++;
                    length[patterns[m]->row[k]]++;
                }
            }
        }
    }
    int end = 0;
    for (int j = 0; j < n; j++) {
        start[j] = end;
        end += length[j];
        length[j] = 0;
    }
    for (int m = 0; m < count; m++) {
        for (int j = 0; j < n; j++) {
            for (int k = patterns[m]->start[j]; k < patterns[m]->start[j + 1]; k++) {
                const int i = patterns[m]->row[k];
                if (i != j) {
                    list[start[j] + length[j]++] = i;
                    list[start[i] + length[i]++] = j;
                }
            }
        }
    }
    // drop what two patterns have in common
    if (count > 1) {
        memset(mark, -1, (size_t)n * sizeof *mark);
        end = 0;
        for (int j = 0; j < n; j++) {
            const int first = end;
            for (int k = start[j]; k < start[j] + length[j]; k++) {
                if (mark[list[k]] != j) {
                    mark[list[k]] = j;
                    list[end++] = list[k];
                }
            }
            start[j] = first;
            length[j] = end - first;
        }
    }
    return end;
}

bool fil_block_graph_build(FilBlockGraph* graph, const FilBlockPattern* const* patterns, int count)
{
    const size_t n = (size_t)patterns[0]->columns;
    size_t neighbours = 0;
    for (int m = 0; m < count; m++) {
        neighbours += 2 * (size_t)patterns[m]->start[n];
    }
    if (neighbours > INT_MAX || !fil_ints_reserve(&graph->start, n + 1) || !fil_ints_reserve(&graph->list, neighbours) ||
        !fil_ints_reserve(&graph->work, 2 * n)) {
        return false;
    }
    graph->columns = (int)n;
    graph->start.at[n] = fil_block_graph_write(patterns, count, graph->start.at, graph->work.at, graph->work.at + n, graph->list.at);
    return true;
}

void fil_block_graph_free(FilBlockGraph* graph)
{
    fil_free(graph->start.at);
    fil_free(graph->list.at);
    fil_free(graph->work.at);
    *graph = (FilBlockGraph){0};
}
