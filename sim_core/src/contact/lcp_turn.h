/* Directions of friction that begin with the way a contact slips. A pyramid of r directions has the cone's friction along each of them and
 * cos(pi/r) of it midway between two; where one of them is the slip's own, what slides feels mu f whichever way it goes. */
#ifndef FILUM_CONTACT_LCP_TURN_H
#define FILUM_CONTACT_LCP_TURN_H

#include "contact/sap.h"

/* How often directions are turned on after a solution, at most: each time what is left of the angle is half or so (chosen: 0.22 rad is below 0.1 after two). */
enum { FIL_LCP_TURNS = 3 };

typedef struct FilLcpTurn {
    FilDoubles turns, jacobian; /* cos and sin per constraint; the problem's Jacobian, turned */
    void* constraints;          /* with their biases turned */
    size_t constraint_capacity;
} FilLcpTurn;

void fil_lcp_turn_free(FilLcpTurn* turn);

/* The same problem with the first tangent of each contact along its slip: the mean of what `v`, of the step's start, and free motion give it. It borrows
 * from `turn` and from `from`. Contacts that do neither slip nor would are left as they are. False when out of memory. */
FIL_MUST_CHECK bool fil_lcp_turn(FilLcpTurn* turn, const FilSapProblem* from, const double* v, FilSapProblem* turned);
/* Turns what slides on with the slip of the solution where that is askew to all directions, as after an impact. True: something was, and the problem is to be
 * solved again. `impulse` is still that of the turned problem. */
bool fil_lcp_turn_again(FilLcpTurn* turn, const FilSapProblem* turned, const double* v, const double* impulse, int directions);
/* Impulses of the turned problem along the tangents of the other. */
void fil_lcp_turn_back(const FilLcpTurn* turn, int constraint_count, double* impulse);

#endif
