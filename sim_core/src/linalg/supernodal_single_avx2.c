/* Solves with fronts in single precision, two columns of a strip in a register, which is chosen at run time (base/vector.h). */
typedef float Number;
#define ZERO 0.0F
#define TWO_COLUMNS

#include "linalg/supernodal_front_solve.h"

const FilFrontOps fil_fronts_single_avx2 = {fil_front_factor_single, forward_node, backward_node};
