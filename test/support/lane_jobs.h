/* The chain kernels compiled twice: with vector lanes, as in the library, and with the fallback for compilers without
 * vectors. The same jobs for both; vector_* use the library, scalar_* a second build of fold.c and rod_chain*.c. */
#ifndef TEST_LANE_JOBS_H
#define TEST_LANE_JOBS_H

#include <stdbool.h>

#include "random_rod.h"

enum { LANE_JOB_NODES = 64, LANE_JOB_UNKNOWNS = 4 * LANE_JOB_NODES };

/* A symmetric matrix with the pattern of a rod: a sum of full 11 x 11 blocks, one a hinge, and a diagonal.
 *
 * Positions run along the chain; an open one has `nodes` of them, odd. A closed one runs over the edge from the last
 * node to the first at both ends: position p is node (p - 1) mod nodes, for p = 0 .. nodes + 1. The block of the hinge
 * at position p stands on (x, angle) of p - 1 and p, and x of p + 1. */
typedef struct FoldJob {
    int nodes;
    bool closed;
    double blocks[LANE_JOB_NODES + 2][11 * 11]; /* by position of the hinge */
    double diagonal[LANE_JOB_UNKNOWNS];         /* 4 per node */
    double x[LANE_JOB_UNKNOWNS];                /* right-hand side in, solution out */
} FoldJob;

/* Node that stands at a position. */
static inline int fold_job_node(const FoldJob* job, int position)
{
    return job->closed ? (position + job->nodes - 1) % job->nodes : position;
}

/* Hinges stand at positions 1 to this one. */
static inline int fold_job_last(const FoldJob* job)
{
    return job->closed ? job->nodes : job->nodes - 2;
}

/* Factors and solves; false if the matrix was refused. */
bool vector_fold_job(FoldJob* job);
bool scalar_fold_job(FoldJob* job);

/* A rod moved from `base` to `q`: energy, gradient, Hessian (dense, 4 per node; of twist-free rods 4 x 4 blocks), frames
 * carried to q, and the solution of (Hessian + diagonal) x = gradient; `solved` is false where it was refused or the rod is
 * too short. */
typedef struct ChainJob {
    const ReferenceRod* rod;
    const double *base, *q;
    bool twist_free;
    double damping, added; /* stiffness of the second spring, diagonal */
    double energy;
    double gradient[LANE_JOB_UNKNOWNS], solution[LANE_JOB_UNKNOWNS];
    double hessian[LANE_JOB_UNKNOWNS * LANE_JOB_UNKNOWNS];
    double directors[3 * LANE_JOB_NODES], twists[LANE_JOB_NODES];
    bool reached, solved;
} ChainJob;

void vector_chain_job(ChainJob* job);
void scalar_chain_job(ChainJob* job);

#endif
