/* With the pressure P = p + ambient of a fixed amount of gas, P = (value + ambient) (V0/V)^gamma, and the ambient pressure as a load:
 *     U(V) = int_V^V0 P dV + ambient (V - V0),  dU/dV = -(P - ambient),  d2U/dV2 = gamma P/V                        (1)
 * Driven: U = -value (V - V0), the potential of a load. */
#include "body/gas.h"

#include <math.h>

#include "base/error.h"

FilGas fil_gas_default(void)
{
    // the standard atmosphere (ISO 2533); isothermal
    return (FilGas){.law = FIL_GAS_NONE, .gamma = 1.0, .ambient = 101325.0};
}

FilStatus fil_gas_check(const FilGas* gas, FilError* error)
{
    if ((int)gas->law < FIL_GAS_NONE || gas->law > FIL_GAS_SEALED) {
        return fil_error(error, FIL_BAD_INPUT, "gas: there is no law %d", (int)gas->law);
    }
    if (gas->law == FIL_GAS_NONE) {
        return FIL_OK;
    }
    if (!isfinite(gas->pressure)) {
        return fil_error(error, FIL_BAD_INPUT, "gas: pressure must be finite, not %g", gas->pressure);
    }
    if (gas->law == FIL_GAS_SEALED && !(gas->gamma >= 1.0 && gas->gamma <= 2.0)) {
        return fil_error(error, FIL_BAD_INPUT, "gas: gamma must lie between 1 and 2, not %g", gas->gamma);
    }
    if (gas->law == FIL_GAS_SEALED && !(isfinite(gas->ambient) && gas->ambient >= 0.0 && gas->ambient + gas->pressure > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "gas: ambient must not be negative and ambient + pressure positive, not %g and %g Pa", gas->ambient,
                         gas->pressure);
    }
    return FIL_OK;
}

bool fil_gas_at(const FilGas* gas, double value, double rest_volume, double volume, FilGasState* out)
{
    *out = (FilGasState){.energy = -value * (volume - rest_volume), .pressure = value};
    if (gas->law == FIL_GAS_DRIVEN) {
        return true;
    }
    if (!(volume > 0.0)) {
        return false;
    }
    // an empty chamber: commands may ask for less than nothing
    const double whole = fmax(value + gas->ambient, 0.0), ratio = rest_volume / volume, gamma = gas->gamma;
    const double absolute = whole * pow(ratio, gamma), log_ratio = log(ratio);
    // int_V^V0 whole (V0/V)^gamma dV = whole V0 (ratio^(gamma - 1) - 1)/(gamma - 1)
    const double work = gamma > 1.0 ? expm1((gamma - 1.0) * log_ratio) / (gamma - 1.0) : log_ratio;
    out->energy = whole * rest_volume * work + gas->ambient * (volume - rest_volume);
    out->pressure = absolute - gas->ambient;
    out->stiffness = gamma * absolute / volume;
    return true;
}
