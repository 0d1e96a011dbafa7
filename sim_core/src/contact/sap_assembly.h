/* C = J' G J, some columns at a time: whoever includes this builds it for the level of vectors that its file is compiled for (base/vector.h). */
#ifndef FILUM_CONTACT_SAP_ASSEMBLY_H
#define FILUM_CONTACT_SAP_ASSEMBLY_H

#include <string.h>

#include "base/vector.h"
#include "contact/sap_system.h"

typedef struct FilSapAssembly {
    FilSapSystem* system;
    const FilSapProblem* problem;
    const double* hessians;
    bool more; /* of them, to what there is */
} FilSapAssembly;

/* As fil_workers_run() calls it, in registers of 256 bits, with the same bits. */
void fil_sap_assemble_columns_avx2(void* context, int first, int end, int worker);

/* out = g j for a 3x3 g and a 3x4 j, by rows */
typedef void FilHessianProduct(const double* g, const double* j, double* out);
/* block += a' b for two 3x4 matrices by rows; block by columns */
typedef void FilTransposedProduct(double* restrict block, const double* a, const double* b);

FIL_VECTOR_INLINE bool is_zero(const double* hessian)
{
    for (int k = 0; k < 9; k++) {
        if (hessian[k] != 0.0) {
            return false;
        }
    }
    return true;
}

FIL_VECTOR_INLINE void assemble_columns(const FilSapAssembly* assembly, FilHessianProduct* multiply_hessian, FilTransposedProduct* add_transposed,
                                        int first, int end)
{
    const FilSapSystem* system = assembly->system;
    const FilSapProblem* problem = assembly->problem;
    const size_t begin = (size_t)system->c_start.at[first], blocks = (size_t)system->c_start.at[end] - begin;
    if (!assembly->more) {
        memset(system->c.at + FIL_BLOCK_SIZE * begin, 0, blocks * FIL_BLOCK_SIZE * sizeof(double));
    }
    const FilSapTarget *target = (const FilSapTarget*)system->targets + system->target_start.at[first], *last = NULL;
    const FilSapTarget* stop = (const FilSapTarget*)system->targets + system->target_start.at[end];
    double gj[FIL_SAP_JACOBIAN];
    bool idle = true;
    const double* jacobian = NULL;
    for (; target < stop; last = target++) {
        // the products of one block and a constraint follow each other
        if (last == NULL || target->col != last->col || target->constraint != last->constraint) {
            const double* hessian = assembly->hessians + 9 * (size_t)target->constraint;
            idle = is_zero(hessian);  // apart, or as before
            jacobian = problem->jacobian + FIL_SAP_JACOBIAN * (size_t)problem->constraints[target->constraint].first_block;
            if (!idle) {
                multiply_hessian(hessian, jacobian + FIL_SAP_JACOBIAN * (size_t)target->col, gj);
            }
        }
        if (!idle) {
            add_transposed(system->c.at + FIL_BLOCK_SIZE * (size_t)target->block, jacobian + FIL_SAP_JACOBIAN * (size_t)target->row, gj);
        }
    }
}

#endif
