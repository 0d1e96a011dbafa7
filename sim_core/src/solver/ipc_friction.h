/* Friction of rings and pairs alike, as a FilPotentialField has it. */
#ifndef FILUM_SOLVER_IPC_FRICTION_H
#define FILUM_SOLVER_IPC_FRICTION_H

#include "solver/solver.h"

/* A step begins with this guess; v has been accepted. */
void fil_ipc_friction_begin(FilSolver* solver, const double* v);
void fil_ipc_friction_accept(FilSolver* solver, const double* v);

FilStatus fil_ipc_friction_list(FilSolver* solver, FilInts* end, FilInts* variable, int* count);
void fil_ipc_friction_hessian(FilSolver* solver, const double* v, FilPotentialOrder order, FilBlockSum* sum, int first_list, FilFrictionPart part);
double fil_ipc_friction_lead(FilSolver* solver, const double* v, double* residual);
double fil_ipc_friction_review(FilSolver* solver, const double* direction);
void fil_ipc_friction_revise(FilSolver* solver, double negligible);
void fil_ipc_friction_settle(FilSolver* solver, double negligible, double* direction);
void fil_ipc_friction_center(FilSolver* solver, const double* v);

#endif
