/* Where a Newton iteration of SAP goes: see sap.c. */
#ifndef FILUM_CONTACT_SAP_DIRECTION_H
#define FILUM_CONTACT_SAP_DIRECTION_H

#include "contact/sap_workspace.h"

/* dx = -(S + C)^-1 gradient, C with the Hessians at the current v. By conjugate gradients where these are likely to take less time than a factor:
 * with the last one as preconditioner, for no more than `patience` iterations, or with bodies. Leaves `tolerance` times
 * the gradient, or, where those iterations are not enough for that, a little more. */
FIL_MUST_CHECK FilStatus fil_sap_take_hessian(FilSap* sap, const FilSapProblem* problem, double tolerance, int patience, bool* definite);

/* The same by the last factor and the Hessian that it is of. */
void fil_sap_solve_direct(FilSap* sap);

/* With dx: dv_c = J dx and dp = S dx. Where dx is a solution, with G as last factored, its equation gives
 * S dx = -gradient - J' G dv_c. */
void fil_sap_complete_direction(FilSap* sap, const FilSapProblem* problem, bool is_solution);

#endif
