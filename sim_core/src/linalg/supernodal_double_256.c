/* Solves with fronts in double precision. Compiled for registers of 256 bits, which are chosen at run time (base/vector.h). */
typedef double Number;
#define ZERO 0.0

#include "linalg/supernodal_front_solve.h"

const FilFrontOps fil_fronts_double_256 = {fil_front_factor_double, forward_node, backward_node};
