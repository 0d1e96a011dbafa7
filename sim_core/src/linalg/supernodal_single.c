/* Fronts in single precision. */
#include "base/vector.h"

typedef float Number;
#define ZERO 0.0F
#define ONE 1.0F
#define KERNELS kernels_single

#if defined(FIL_VECTOR_NEON)
#define FUSED(sum, a, b) vfmaq_f32(sum, a, b)
#endif

#include "linalg/strips.h"
typedef FilStripKernelsSingle Kernels;
#include "linalg/supernodal_fronts.h"
/* after the fronts */
#include "linalg/supernodal_front_solve.h"

bool fil_front_factor_single(FilSupernodal* factor, FilSupernodalWork* work, const double* a_values, const double* c_values, int k)
{
    return factor_node(factor, work, a_values, c_values, k);
}

const FilFrontOps fil_fronts_single = {fil_front_factor_single, forward_node, backward_node};
