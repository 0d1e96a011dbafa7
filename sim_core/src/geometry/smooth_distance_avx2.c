/* Compiled for AVX2: chosen at run time (base/vector.h). */
#include "geometry/smooth_wide.h"

void fil_smooth_distance_avx2(const FilDouble4 x[12], const FilSoftClamp* soft, FilSmoothWide* out)
{
    distance_wide(x, soft, out);
}

void fil_smooth_gradient_avx2(const FilSmoothWide* d, FilDouble4 gradient[12])
{
    gradient_wide(d, gradient);
}
