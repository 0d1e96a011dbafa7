/* Contact models at velocity level (P0, P1, P3). */
#ifndef FILUM_SOLVER_VELOCITY_H
#define FILUM_SOLVER_VELOCITY_H

#include "contact/lcp.h"
#include "contact/lcp_turn.h"
#include "contact/sap_working_set.h"
#include "solver/model.h"

typedef struct FilVelocityStage {
    FilSap* sap; /* made when first needed */
    FilSapWorkingSet working_set;
    FilLcp* lcp;
    FilLcpTurn turn;
    int linearisations; /* that the last step took */
} FilVelocityStage;

void fil_velocity_stage_free(FilVelocityStage* stage);

/* Finds the velocities of all bodies that touch or are joined, overwriting the free ones in the scratch. */
FIL_MUST_CHECK FilStatus fil_velocity_solve(struct FilSolver* solver, double dt, FilStepInfo* info);

/* The two who solve the problem. */
FilVelocitySolver fil_velocity_sap, fil_velocity_lcp;

#endif
