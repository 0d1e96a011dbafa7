/* What contacts of potentials move. */
#ifndef FILUM_SOLVER_PAIR_WEIGHT_H
#define FILUM_SOLVER_PAIR_WEIGHT_H

#include "contact/potential.h"
#include "solver/solver.h"

/* How heavy what the contact moves is, by the diagonal of the tangent. */
void fil_pair_weigh(const FilSolver* solver, FilPotentialContact* contact);
/* Parts of deforming bodies that contacts have, by how many of the same two bodies stand in a row, neighbours that share a touch being one: whole
 * numbers, which do not vary with where things are. */
void fil_pair_share_masses(FilSolver* solver);

#endif
