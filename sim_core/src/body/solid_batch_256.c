/* Compiled for registers of 256 bits, which are chosen at run time (base/vector.h). */
#include "body/solid_batch_lanes.h"

const FilSolidBatchKernels fil_solid_batch_256 = {find_rotation, find_dilation, evaluate};
