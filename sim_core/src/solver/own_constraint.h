/* Constraints of bodies on their own unknowns, as constraints of the contact problem. */
#ifndef FILUM_SOLVER_OWN_CONSTRAINT_H
#define FILUM_SOLVER_OWN_CONSTRAINT_H

#include "filum/base.h"

struct FilSolver;

/* How many a body has in force under the present state. */
int fil_own_constraints_of(const struct FilSolver* solver, int body);
int fil_own_constraints(const struct FilSolver* solver); /* of all bodies */

/* Appends them and their Jacobian rows to the contact stage. */
FIL_MUST_CHECK FilStatus fil_own_constraints_add(struct FilSolver* solver);

/* Tells the bodies the impulses found. */
void fil_own_constraints_collect(struct FilSolver* solver);

#endif
