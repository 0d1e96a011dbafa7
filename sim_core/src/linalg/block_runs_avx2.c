/* Four runs side by side in registers of 256 bits, which are chosen at run time (base/vector.h). */
#define FIL_RUN_LANES 4
#include "linalg/block_runs_kernels.h"

const FilRunPasses fil_run_passes_avx2 = {FIL_RUN_LANES, factor_chunks, eliminate_chunks, substitute_chunks};
