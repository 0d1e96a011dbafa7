/* One register holds a row of J, or a column of a block of C. */
#include "contact/sap_assembly.h"

FIL_VECTOR_INLINE void multiply_hessian(const double* g, const double* j, double* out)
{
    const FilDouble4 j0 = fil_double4_load(j), j1 = fil_double4_load(j + 4), j2 = fil_double4_load(j + 8), zero = fil_double4_all(0.0);
    for (int row = 0; row < 3; row++, g += 3) {
        fil_double4_store(out + 4 * row, fil_double4_add_scaled(fil_double4_add_scaled(fil_double4_add_scaled(zero, j0, g[0]), j1, g[1]), j2, g[2]));
    }
}

FIL_VECTOR_INLINE void add_transposed(double* restrict block, const double* a, const double* b)
{
    const FilDouble4 a0 = fil_double4_load(a), a1 = fil_double4_load(a + 4), a2 = fil_double4_load(a + 8);
    for (int column = 0; column < FIL_BLOCK; column++, block += FIL_BLOCK, b++) {
        const FilDouble4 sum = fil_double4_add_scaled(fil_double4_add_scaled(fil_double4_load(block), a0, b[0]), a1, b[4]);
        fil_double4_store(block, fil_double4_add_scaled(sum, a2, b[8]));
    }
}

void fil_sap_assemble_columns_avx2(void* context, int first, int end, int worker)
{
    (void)worker;
    assemble_columns(context, multiply_hessian, add_transposed, first, end);
}
