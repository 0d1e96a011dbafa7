/* Bodies of vertices, shells and solids, in a step: m against its potential, A against m. */
#ifndef FILUM_TEST_VERTEX_BODY_H
#define FILUM_TEST_VERTEX_BODY_H

#include "body/body.h"
#include "random.h"

enum { VERTEX_BODY_UNKNOWNS = 128, VERTEX_BODY_BLOCKS = 400 }; /* room for both */

typedef struct VertexBody {
    const FilBodyOps* ops;
    void* body;
    int vertices;
    const int *block_start, *block_row; /* of the tangent */
    int block_count;
} VertexBody;

/* Moves all vertices by up to `size` at random, with random velocities, and pins two, on the move. */
void vertex_body_crumple(const VertexBody* b, Random* random, double size, double* q, double* v);

/* Begins a step of 2 ms, and compares in random directions, the last of which is kept: m with the slope of the potential, A with that of m. */
void vertex_body_check(const VertexBody* b, Random* random, double theta, int rounds, const double* q, const double* v0, double* direction);

#endif
