/* Which features may be near each other: pairs of edges, and of points and triangles, whose boxes overlap or nearly do.
 *
 * Trees find them for boxes a little larger than asked for, and they hold while points stay within those: over some
 * iterations or steps. For points that have left theirs trees are walked again. */
#ifndef FILUM_SOLVER_IPC_NEAR_H
#define FILUM_SOLVER_IPC_NEAR_H

#include "base/workers.h"
#include "solver/ipc_surface.h"

/* Walks of trees are shared in so many parts each, whoever there is to take them: of some 30 microseconds. */
enum { FIL_IPC_WALKS = 8 };

typedef struct FilIpcNear {
    FilPairs edges;                    /* that share no point and may meet, a < b, in any order */
    FilPairs triangles;                /* b, and points a that are no corners, in any order */
    FilBvh trees[3];                   /* edges, triangles, points */
    FilPairs nodes[2];                 /* where walks over edges, over points and triangles begin, ... */
    FilPairs found[2 * FIL_IPC_WALKS]; /* ... and what the parts of them have found */
    FilAabb* within;                   /* boxes that this holds for: of points, while all keep `centre`, then edges, then triangles ... */
    size_t capacity;
    double spare;     /* ... less this, m, for rounding */
    double centre[3]; /* mean of all points */
    int point_count;  /* 0: it holds for nothing */
    FilInts left;     /* points, edges, triangles that have left their boxes: 1, else 0 */
} FilIpcNear;

void fil_ipc_near_free(FilIpcNear* near);

/* For boxes around points x; within `margin` of them it will hold again. Allocates only to grow. */
FIL_MUST_CHECK FilStatus fil_ipc_near_find(FilIpcNear* near, const FilIpcSurface* surface, const double* x, const FilAabb* boxes, double margin,
                                           FilWorkers* workers);

/* The same 0 or 1 for edges, and then triangles, with a corner whose mark is 1; those of points come first in `marks`. */
void fil_ipc_near_mark(const FilIpcSurface* surface, int* marks, FilWorkers* workers);

/* To be called when the surface is another. */
void fil_ipc_near_forget(FilIpcNear* near);

#endif
