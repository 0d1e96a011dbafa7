/* Directions of friction that begin with the way a contact slips, or is pulled. A pyramid of r directions has the cone's friction along each of them
 * and cos(pi/r) of it midway between two; where one of them is the slip's own, what slides feels mu f whichever way it goes, and where one is that of
 * what pulls, what rests is held by as much. */
#ifndef FILUM_CONTACT_LCP_TURN_H
#define FILUM_CONTACT_LCP_TURN_H

#include "contact/sap.h"

typedef struct FilLcpTurn {
    FilDoubles turns, jacobian; /* cos and sin per constraint; the problem's Jacobian, turned */
    void* constraints;          /* with their biases turned */
    size_t constraint_capacity;
} FilLcpTurn;

void fil_lcp_turn_free(FilLcpTurn* turn);

/* The same problem with the first tangent of each contact along its slip: the mean of what `v`, of the step's start, and free motion give it. It
 * borrows from `turn` and from `from`. Of contacts that hardly slip it is along what pulls them, if that is much. False when out of memory. */
FIL_MUST_CHECK bool fil_lcp_turn(FilLcpTurn* turn, const FilSapProblem* from, const double* v, FilSapProblem* turned);
/* Impulses of the turned problem along the tangents of the other. */
void fil_lcp_turn_back(const FilLcpTurn* turn, int constraint_count, double* impulse);

#endif
