/* Constraints of bodies on their own unknowns, as constraints of the contact problem. */
#ifndef FILUM_SOLVER_OWN_CONSTRAINT_H
#define FILUM_SOLVER_OWN_CONSTRAINT_H

#include "filum/base.h"

struct FilSolver;

/* How many each body has in force under the present state, in the contact stage. False: out of memory. */
bool fil_own_constraints_count(struct FilSolver* solver);

/* Appends them and their Jacobian rows to the contact stage. */
FIL_MUST_CHECK FilStatus fil_own_constraints_add(struct FilSolver* solver);

/* Tells the bodies the impulses found. */
void fil_own_constraints_collect(struct FilSolver* solver);

#endif
