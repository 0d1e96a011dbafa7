/* Gas in closed shells and in cavities of solids.
 *
 * Each closed surface of a shell, and each cavity of a solid, is a chamber. Its pressure is either given (a large reservoir behind
 * an open valve) or that of a fixed amount of gas, p V^gamma = const. */
#ifndef FILUM_GAS_H
#define FILUM_GAS_H

#include "filum/base.h"

FIL_API_BEGIN

/* What decides over the pressure in a cavity. */
typedef enum FilGasLaw {
    FIL_GAS_NONE,
    FIL_GAS_DRIVEN, /* the pressure over that outside is what `pressure`, drives and commands say */
    FIL_GAS_SEALED, /* p V^gamma stays; `pressure`, drives and commands say how much gas there is: what its pressure over that outside
                     * would be at the volume at rest */
} FilGasLaw;

/* Gas in a cavity. */
typedef struct FilGas {
    FilGasLaw law;
    double pressure; /* Pa, over that outside; drives add to it, commands replace both */
    double gamma;    /* 1: at constant temperature; 1.4: air without exchange of heat. Sealed only */
    double ambient;  /* Pa, outside; sealed only */
} FilGas;

FilGas fil_gas_default(void); /* none; gamma 1, 101325 Pa outside */

FIL_API_END

#endif
