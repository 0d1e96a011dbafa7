/* What shells and solids share in their public face: vertices of four numbers in the state, of which callers see three. */
#ifndef FILUM_API_VERTICES_H
#define FILUM_API_VERTICES_H

#include "world/world.h"

typedef struct FilVertexView {
    const char* kind; /* "shell" or "solid", for messages */
    FilView view;
    int count; /* 0 if the id names nothing */
} FilVertexView;

/* All positions, or velocities, of 3 numbers a vertex; nothing is written if `out` is NULL. */
void fil_vertex_view_positions(const FilVertexView* of, double* out);
void fil_vertex_view_velocities(const FilVertexView* of, double* out);

/* One position; NaN, with the world's error set, if there is no such vertex. */
void fil_vertex_view_position(const FilWorld* world, const FilVertexView* of, int vertex, double* out);

/* Sets positions and velocities, either of which may be NULL; refuses what is not finite and changes nothing then. */
FIL_MUST_CHECK FilStatus fil_vertex_view_set(FilWorld* world, const FilVertexView* of, const double* positions, const double* velocities);

#endif
