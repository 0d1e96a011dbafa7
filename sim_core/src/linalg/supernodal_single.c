/* Fronts in single precision. */
typedef float Number;
#define ZERO 0.0F
#define ONE 1.0F
#define KERNELS kernels_single

#include "linalg/strips.h"
typedef FilStripKernelsSingle Kernels;
#include "linalg/supernodal_fronts.h"

const FilFrontOps fil_fronts_single = {factor_node, forward_node, backward_node};
