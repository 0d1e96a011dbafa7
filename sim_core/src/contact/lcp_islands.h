/* A contact problem falls apart into islands: variables that the tangent or a constraint couples. Each is a problem of
 * its own, and solving them one by one costs less than solving all together. */
#ifndef FILUM_CONTACT_LCP_ISLANDS_H
#define FILUM_CONTACT_LCP_ISLANDS_H

#include "contact/sap.h"
#include "linalg/buffer.h"

typedef struct FilLcpIslands {
    int count; /* of those with constraints */
    /* of each variable: its island, -1: no constraint reaches it; its number there */
    FilInts island, local;
    /* where each island's variables, blocks of A and constraints begin; one more than there are */
    FilInts first_variable, first_block, first_constraint;
    FilInts variables;         /* island by island */
    FilInts constraint_of;     /* the same of constraints */
    FilInts start, row, block; /* patterns of A; variables of Jacobian blocks, counted in their islands */
    FilDoubles a, v_free;
    void* constraints;
    size_t constraint_capacity;
} FilLcpIslands;

void fil_lcp_islands_free(FilLcpIslands* islands);

/* Finds the islands of a problem; false when out of memory. */
bool fil_lcp_islands_find(FilLcpIslands* islands, const FilSapProblem* problem);

/* One island as a problem, valid until the next search. If there is only one, with every variable, it is the problem as
 * given. */
FilSapProblem fil_lcp_islands_at(const FilLcpIslands* islands, const FilSapProblem* problem, int index);

/* An island's part of velocities of all variables. */
void fil_lcp_islands_take(const FilLcpIslands* islands, int index, const double* all_v, double* v);
/* Free velocities of all variables that are in no island. */
void fil_lcp_islands_release(const FilLcpIslands* islands, const FilSapProblem* problem, double* all_v);

/* Copies an island's velocities and impulses to where they belong. */
void fil_lcp_islands_put(const FilLcpIslands* islands, int index, const double* v, const double* impulse, double* all_v, double* all_impulses);

#endif
