/* The tangent of a soft arm: its factors, solutions with them, and its blocks for contact. */
#include <math.h>

#include "body/soft_arm.h"

/* Cholesky's A = L L', with the inverse of L's diagonal in its place; small and dense, so that calling LAPACK would
 * cost more than it saves. */
bool fil_soft_arm_factor(void* pointer)
{
    FilSoftArm* arm = pointer;
    const int n = fil_soft_arm_unknowns(arm);
    double* l = arm->factor;
    for (int r = 0; r < n; r++) {
        for (int c = 0; c <= r; c++) {
            double sum = arm->tangent[r * n + c];
            for (int k = 0; k < c; k++) {
                sum -= l[r * n + k] * l[c * n + k];
            }
            if (r == c && !(sum > 0.0)) {
                return false;
            }
            l[r * n + c] = r == c ? 1.0 / sqrt(sum) : sum * l[c * n + c];
        }
    }
    return true;
}

void fil_soft_arm_solve(void* pointer, double* x)
{
    const FilSoftArm* arm = pointer;
    const int n = fil_soft_arm_unknowns(arm);
    const double* l = arm->factor;
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < r; c++) {
            x[r] -= l[r * n + c] * x[c];
        }
        x[r] *= l[r * n + r];
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int c = r + 1; c < n; c++) {
            x[r] -= l[c * n + r] * x[c];
        }
        x[r] *= l[r * n + r];
    }
}

/* ---- for contact ---- */

/* Full: every section moves with every other, and with the base. */
int fil_soft_arm_tangent_pattern(void* pointer, int* columns, int* rows)
{
    const FilSoftArm* arm = pointer;
    int count = 0;
    for (int c = 0; c < fil_soft_arm_blocks(arm); c++) {
        for (int r = c; r < fil_soft_arm_blocks(arm); r++) {
            if (columns != NULL && rows != NULL) {
                columns[count] = c;
                rows[count] = r;
            }
            count++;
        }
    }
    return count;
}

void fil_soft_arm_tangent(void* pointer, double* values)
{
    const FilSoftArm* arm = pointer;
    const int n = fil_soft_arm_unknowns(arm);
    for (int column = 0; column < fil_soft_arm_blocks(arm); column++) {
        for (int row = column; row < fil_soft_arm_blocks(arm); row++) {
            for (int k = 0; k < 16; k++) {
                const int r = 4 * row + k % 4, c = 4 * column + k / 4;
                values[k] = r >= c ? arm->tangent[r * n + c] : arm->tangent[c * n + r];
            }
            values += 16;
        }
    }
}
