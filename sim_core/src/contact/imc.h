/* IMC, implicit contact by a smooth potential (P2). */
#ifndef FILUM_CONTACT_IMC_H
#define FILUM_CONTACT_IMC_H

#include "contact/potential.h"

extern const FilPairPotential fil_imc_pair;

/* Energy of a distance `over` the surfaces (m), P2 eq. 21: k h/ce log(1 + exp(-ce over/h)); fills its first two
 * derivatives. */
double fil_imc_energy(const FilImcSettings* settings, double stiffness, double radius, double over, double* first, double* second);

/* The stiffness for the next step when the surfaces were `least` apart, in radii (P2 section 2.5). It grows while they
 * approach, and falls while they part fast: what has been stopped shall not be thrown back. `speed`: of the distance,
 * radii a step. */
double fil_imc_adapt(const FilImcSettings* settings, double stiffness, double least, double speed);

/* NULL if the settings can be used; else what is wrong with them. */
const char* fil_imc_settings_problem(const FilImcSettings* settings);

#endif
