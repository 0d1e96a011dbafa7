/* Two runs side by side, and the choice of more. */
#define FIL_RUN_LANES 2
#include "linalg/block_runs_kernels.h"

const FilRunPasses fil_run_passes_plain = {FIL_RUN_LANES, factor_chunks, eliminate_chunks, substitute_chunks};

const FilRunPasses* fil_run_passes(void)
{
#if defined(FIL_VECTOR_AVX2)
    if (fil_vector_level() >= FIL_VECTOR_256) {
        return fil_vector_level() >= FIL_VECTOR_512 ? &fil_run_passes_avx512 : &fil_run_passes_avx2;
    }
#endif
    return &fil_run_passes_plain;
}
