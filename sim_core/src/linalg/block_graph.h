/* Who is beside whom in a sum of block patterns: the graph that elimination orders are found on. */
#ifndef FILUM_LINALG_BLOCK_GRAPH_H
#define FILUM_LINALG_BLOCK_GRAPH_H

#include "linalg/block_matrix.h"
#include "linalg/buffer.h"

typedef struct FilBlockGraph {
    int columns;
    FilInts start; /* columns + 1 */
    FilInts list;  /* neighbours of j, none twice and never j itself: list[start[j]] ... list[start[j + 1] - 1] */
    FilInts work;
} FilBlockGraph;

/* The graph of the sum of `count` patterns of the same size. Allocates only to grow. False when out of memory. */
bool fil_block_graph_build(FilBlockGraph* graph, const FilBlockPattern* const* patterns, int count);
void fil_block_graph_free(FilBlockGraph* graph);

/* The same into arrays of the caller: `start`, `length` and `mark` have one place per column, `list` two for every
 * block of the patterns. Returns where the last list ends. */
int fil_block_graph_write(const FilBlockPattern* const* patterns, int count, int* start, int* length, int* mark, int* list);

#endif
