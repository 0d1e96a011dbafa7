/* Compiled for AVX2: chosen at run time (base/vector.h). */
#include "contact/imc_edges.h"

void fil_imc_edges_avx2(const FilPotentialProblem* problem, const FilDouble4 x[12], FilPotentialEdges* e)
{
    FilSmoothWide d;
    FilDouble4 slope[12];
    fil_smooth_distance_avx2(x, &problem->soft, &d);
    fil_smooth_gradient_avx2(&d, slope);
    push_edges(problem, d.distance, slope, e);
}
