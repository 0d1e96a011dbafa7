/* Pins on bodies whose unknowns are vertices, four numbers each: shells and solids. */
#ifndef FILUM_BODY_VERTEX_HOLDS_H
#define FILUM_BODY_VERTEX_HOLDS_H

#include "body/body.h"

typedef struct FilVertexHold {
    int first, count;
    unsigned axes;  /* components that it holds: 1 x, 2 y, 4 z */
    double* origin; /* held places where it was made: 3 per vertex */
    FilTarget target;
    double force[3], torque[3];
} FilVertexHold;

/* Zero-initialised there are none. */
typedef struct FilVertexHolds {
    FilVertexHold* items;
    int count, capacity;
} FilVertexHolds;

void fil_vertex_holds_free(FilVertexHolds* holds);

/* As FilBodyOps.attach, of a body that messages call `kind`. Allocates. */
FIL_MUST_CHECK FilStatus fil_vertex_holds_attach(FilVertexHolds* holds, const char* kind, int vertex_count, const FilAttachmentDef* def,
                                                 const double* q, int* slot, FilError* error);
/* As FilBodyOps.reaction. */
void fil_vertex_holds_reaction(const FilVertexHolds* holds, int slot, double* force, double* torque);

/* Marks held components of vertices, 4 numbers each, and where they go: carried and turned about the first of the pin. */
void fil_vertex_holds_apply(const FilVertexHolds* holds, int vertex_count, bool* held, double* held_q);

/* As FilBodyOps.mark_held. */
void fil_vertex_holds_mark(const FilVertexHolds* holds, unsigned char* axes);

/* Marks one vertex as held, and where it goes in a step of dt. */
static inline void fil_vertex_holds_lead(const double* q0, double dt, int vertex, const double* velocity, bool* held, double* held_q)
{
    for (int k = 4 * vertex; k < 4 * vertex + 3; k++) {
        held_q[k] = held[k] ? held_q[k] : q0[k] + dt * velocity[k - 4 * vertex];
        held[k] = true;
    }
}

/* Sums the reactions of vertices at the places q up to those of the pins. */
void fil_vertex_holds_collect(FilVertexHolds* holds, const double* q, const double* reaction);

#endif
