/* Eigenvalues of a rod's tangent stiffness. */
#ifndef FILUM_TOOLS_VALIDATE_SPECTRUM_H
#define FILUM_TOOLS_VALIDATE_SPECTRUM_H

#include "validate/trial.h"

/* How many eigenvalues of the tangent at the present state lie below -tolerance times the largest, with what is held
 * left out. Negative if the trial failed. */
int fil_spectrum_negative(FilTrial* trial, double tolerance);

#endif
