/* Compiled for registers of 256 bits, which are chosen at run time (base/vector.h). */
#include "linalg/dense_kernels.h"

const FilDenseKernels fil_dense_256 = {multiply, substitute};
