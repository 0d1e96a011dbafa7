/* The law of a chamber's gas: energy and pressure over volume. */
#ifndef FILUM_BODY_GAS_H
#define FILUM_BODY_GAS_H

#include "filum/gas.h"

/* At one volume. */
typedef struct FilGasState {
    double energy;    /* J, with dU/dV = -pressure; 0 at the volume at rest */
    double pressure;  /* Pa, over that outside */
    double stiffness; /* Pa/m^3, d2U/dV2 >= 0; 0 of driven chambers */
} FilGasState;

/* `name` stands for it in messages. */
FIL_MUST_CHECK FilStatus fil_gas_check(const FilGas* gas, FilError* error);

/* `value` is the pressure in force (FilGas.pressure with drives and commands); volumes in m^3. False: sealed gas was pressed out of a
 * volume that is none. */
bool fil_gas_at(const FilGas* gas, double value, double rest_volume, double volume, FilGasState* out);

#endif
