/* Constraints of bodies on their own unknowns, as constraints of the contact problem. */
#ifndef FILUM_SOLVER_OWN_CONSTRAINT_H
#define FILUM_SOLVER_OWN_CONSTRAINT_H

#include "world/world.h"

/* How many a body has in force under the present state. */
int fil_own_constraints_of(const FilWorld* world, int body);
int fil_own_constraints(const FilWorld* world); /* of all bodies */

/* Appends them and their Jacobian rows to the contact stage. */
FilStatus fil_own_constraints_add(FilWorld* world);

/* Tells the bodies the impulses found. */
void fil_own_constraints_collect(FilWorld* world);

#endif
