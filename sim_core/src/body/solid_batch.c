#include "body/solid_batch_lanes.h"

static const FilSolidBatchKernels* kernels(void)
{
    static const FilSolidBatchKernels plain = {find_rotation, find_dilation, evaluate};
#if defined(FIL_VECTOR_LEVELS)
    return fil_vector_level() >= FIL_VECTOR_256 ? &fil_solid_batch_256 : &plain;
#else
    return &plain;
#endif
}

void fil_solid_batch_make(const FilSolidElement* elements, const int* tets, int count, FilSolidBatch* out)
{
    out->count = count;
    for (int lane = 0; lane < FIL_SOLID_LANES; lane++) {
        const int e = lane < count ? lane : count - 1;
        for (int k = 0; k < 9; k++) {
            fil_double4_set(&out->gradient[k], lane, elements[e].gradient[3 + k]);
        }
        fil_double4_set(&out->volume, lane, lane < count ? elements[e].volume : 0.0);
        for (int k = 0; k < 4; k++) {
            out->vertex[k][lane] = tets[4 * e + k];
        }
    }
}

void fil_solid_batch_rotation(const FilSolidBatch* batch, const double* positions, int stride, FilDouble4* rotation)
{
    kernels()->find_rotation(batch, positions, stride, rotation);
}

void fil_solid_batch_dilation(const FilSolidBatch* batch, const FilSolidMaterial* material, const double* positions, int stride,
                              const FilDouble4* rotation, FilDouble4* theta)
{
    kernels()->find_dilation(batch, material, positions, stride, rotation, theta);
}

void fil_solid_batch_evaluate(const FilSolidBatch* batch, const FilSolidMaterial* material, const double* positions, int stride,
                              const FilSolidBatchStrain* strain, bool hessian, bool definite, double scale, FilSolidBatchResult* out)
{
    kernels()->evaluate(batch, material, positions, stride, strain, hessian, definite, scale, out);
}
