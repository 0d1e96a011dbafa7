/* Fronts in double precision. */
typedef double Number;
#define ZERO 0.0
#define ONE 1.0
#define KERNELS kernels

#include "linalg/strips.h"
typedef FilStripKernels Kernels;
#include "linalg/supernodal_fronts.h"
/* after the fronts */
#include "linalg/supernodal_front_solve.h"

bool fil_front_factor_double(FilSupernodal* factor, FilSupernodalWork* work, const double* a_values, const double* c_values, int k)
{
    return factor_node(factor, work, a_values, c_values, k);
}

const FilFrontOps fil_fronts_double = {fil_front_factor_double, forward_node, backward_node};
