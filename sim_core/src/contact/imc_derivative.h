/* How what IMC holds fixed over a step follows from what its contacts are at the start: distance, speed, inertia. */
#ifndef FILUM_CONTACT_IMC_DERIVATIVE_H
#define FILUM_CONTACT_IMC_DERIVATIVE_H

#include "contact/imc.h"

/* Numbers of a contact at the step's start: distance of its surfaces, m, its normal velocity, m/s, and the inertia that it moves, kg. */
enum { FIL_IMC_BY_DISTANCE, FIL_IMC_BY_VELOCITY, FIL_IMC_BY_INERTIA, FIL_IMC_STARTS };

/* Contacts that the global stiffness follows. */
enum { FIL_IMC_FIRST, FIL_IMC_CLOSEST, FIL_IMC_COMING, FIL_IMC_LEADERS };

/* The global stiffness of the step, by what was remembered and by numbers of single contacts. */
typedef struct FilImcGlobalSlopes {
    double by_memory[FIL_IMC_MEMORY];
    int contact[FIL_IMC_LEADERS]; /* -1: it follows none as this */
    double by[FIL_IMC_LEADERS][FIL_IMC_STARTS];
    int closest;        /* whose speed is remembered, -1: nothing touches and all stays */
    double speed_scale; /* by its normal velocity */
} FilImcGlobalSlopes;

/* Of the problem's contacts, with the memory that the step began with. */
void fil_imc_global_slopes(const FilPotentialProblem* problem, const double* memory, FilImcGlobalSlopes* out);

/* A contact's own stiffness, and how many steps ahead it looks. */
typedef struct FilImcContactSlopes {
    double by_global, by_share, by[FIL_IMC_STARTS];             /* of the stiffness */
    double ahead_by_stiffness, ahead_by_inertia, ahead_by_tilt; /* of the steps ahead */
} FilImcContactSlopes;

void fil_imc_contact_slopes(const FilPotentialProblem* problem, const FilPotentialContact* contact, double global, FilImcContactSlopes* out);

#endif
