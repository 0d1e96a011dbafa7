/* What the diagonal blocks of A say about the scale of a constraint. */
#include "base/vector.h"
#include "contact/sap_system.h"

/* Adds |j|^2 in the measure of A_bb^-1 = M' D^-1 M to the sum of each row j of four of a Jacobian block. */
static inline void add_compliances(FilDouble2 sum[3], const double* m, const double* j)
{
    const FilDouble2 to_1 = (FilDouble2){0.0, m[1]}, from_0 = fil_double2_load(m + 2), from_1 = fil_double2_load(m + 6),
                     to_3 = (FilDouble2){0.0, m[11]};
    const FilDouble2 inverse_lo = (FilDouble2){m[0], m[5]}, inverse_hi = (FilDouble2){m[10], m[15]}, zero = fil_double2_all(0.0);
    for (int row = 0; row < 3; row++) {
        const FilDouble2 j_lo = fil_double2_load(j + 4 * row), j_hi = fil_double2_load(j + 4 * row + 2);
        const FilDouble2 lo = fil_double2_add_first(j_lo, to_1, j_lo);
        const FilDouble2 hi = fil_double2_add_first(fil_double2_add_second(fil_double2_add_first(j_hi, from_0, j_lo), from_1, j_lo), to_3, j_hi);
        sum[row] = fil_double2_add_product(sum[row], fil_double2_add_product(zero, lo, inverse_lo), lo);
        sum[row] = fil_double2_add_product(sum[row], fil_double2_add_product(zero, hi, inverse_hi), hi);
    }
}

/* Sums of the rows' compliances to their mean. */
static double mean_compliance(const FilDouble2* sums)
{
    const double sum[3] = {fil_double2_sum(sums[0]), fil_double2_sum(sums[1]), fil_double2_sum(sums[2])};
    const int rows = (sum[0] > 0.0) + (sum[1] > 0.0) + (sum[2] > 0.0);
    return rows > 0 ? (sum[0] + sum[1] + sum[2]) / rows : 1.0;  // between objects that cannot move any scale will do
}

double fil_sap_estimate_compliance(const double* parts, const double* j, const int* place, int block_count)
{
    FilDouble2 sum[3] = {fil_double2_all(0.0), fil_double2_all(0.0), fil_double2_all(0.0)};
    for (int k = 0; k < block_count; k++, j += FIL_SAP_JACOBIAN) {
        add_compliances(sum, parts + FIL_BLOCK_SIZE * (size_t)place[k], j);
    }
    return mean_compliance(sum);
}

bool fil_sap_compliance_of(const FilSapProblem* problem, const FilSapConstraint* constraint, double* compliance)
{
    const double* j = problem->jacobian + FIL_SAP_JACOBIAN * (size_t)constraint->first_block;
    FilDouble2 sum[3] = {fil_double2_all(0.0), fil_double2_all(0.0), fil_double2_all(0.0)};
    double parts[FIL_BLOCK_SIZE];
    *compliance = constraint->compliance;
    if (*compliance > 0.0) {
        return true;
    }
    for (int k = 0; k < constraint->block_count; k++, j += FIL_SAP_JACOBIAN) {
        const double* block = fil_sap_diagonal_block(problem, problem->block[constraint->first_block + k]);
        if (block == NULL || !fil_block_inverse_parts(block, parts)) {
            return false;
        }
        add_compliances(sum, parts, j);
    }
    *compliance = mean_compliance(sum);
    return true;
}
