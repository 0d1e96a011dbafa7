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

const FilFrontOps fil_fronts_double = {factor_node, forward_node, backward_node};
