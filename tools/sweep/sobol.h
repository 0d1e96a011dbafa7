/* Sobol's sequence: points that fill a cube evenly, however many are taken. */
#ifndef FILUM_TOOLS_SWEEP_SOBOL_H
#define FILUM_TOOLS_SWEEP_SOBOL_H

#include <stdint.h>

/* Rows of the table of direction numbers, and the first dimension, which needs none. */
enum { FIL_SOBOL_DIMENSIONS = 16 };

/* Coordinate `dimension` of point `index`, in units of 2^-32. */
uint32_t fil_sobol(uint32_t index, int dimension);

#endif
