/* Compiled for AVX2: chosen at run time (base/vector.h). */
#include "body/solid_batch_lanes.h"

const FilSolidBatchKernels fil_solid_batch_avx2 = {find_rotation, find_dilation, evaluate};
