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

const FilFrontOps fil_fronts_single = {factor_node, forward_node, backward_node};
