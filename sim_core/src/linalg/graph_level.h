/* A weighted graph in one block of memory, and its coarser image: the levels of a multilevel method. */
#ifndef FILUM_LINALG_GRAPH_LEVEL_H
#define FILUM_LINALG_GRAPH_LEVEL_H

#include "linalg/buffer.h"

typedef struct FilGraphLevel {
    int vertices;
    int total;        /* weight of all vertices */
    int* start;       /* vertices + 1 */
    int* list;        /* neighbours of v: list[start[v]] ... list[start[v + 1] - 1] */
    int* edge_weight; /* beside list */
    int* weight;      /* of vertices */
    int* coarse;      /* of vertices: where they are on the next level */
    int* side;        /* of vertices: 0, 1, or FIL_CUT between them */
    FilInts memory;
} FilGraphLevel;

/* Beside the sides 0 and 1. */
enum { FIL_CUT = 2 };

/* Makes room for a graph; contents are the caller's to write. False when out of memory. */
bool fil_graph_level_reserve(FilGraphLevel* level, size_t vertices, size_t neighbours);
void fil_graph_level_free(FilGraphLevel* level);

/* Writes to `next` the graph whose vertices are pairs of neighbours, those with the heaviest edges first; vertices heavier than
 * `max_weight` are not made. `work` has 2 places per vertex. False when out of memory. */
bool fil_graph_level_coarsen(FilGraphLevel* level, FilGraphLevel* next, int max_weight, int* work);

#endif
