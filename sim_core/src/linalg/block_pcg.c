#include "linalg/block_pcg.h"

#include <math.h>
#include <string.h>

void fil_block_pcg_free(FilBlockPcg* pcg)
{
    fil_free(pcg->vectors.at);
    fil_free(pcg->inverse.at);
}

static double dot(const double* a, const double* b, int n)
{
    double sum[4] = {0.0};
    for (int k = 0; k < n; k += 4) {
        for (int j = 0; j < 4; j++) {
            sum[j] += a[k + j] * b[k + j];
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Adds the diagonal blocks of a pattern. */
static void add_diagonal(const FilBlockPattern* pattern, const double* values, double* diagonal)
{
    for (int j = 0; j < pattern->columns; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            for (int i = 0; pattern->row[k] == j && i < FIL_BLOCK_SIZE; i++) {
                diagonal[FIL_BLOCK_SIZE * j + i] += values[FIL_BLOCK_SIZE * k + i];
            }
        }
    }
}

/* out = W' W r, block by block. */
static void precondition(const double* inverse, const double* r, int columns, double* out)
{
    for (int j = 0; j < columns; j++) {
        const double *w = inverse + FIL_BLOCK_SIZE * j, *b = r + 4 * j;
        double y[4] = {0.0};
        for (int c = 0; c < 4; c++) {
            for (int i = c; i < 4; i++) {
                y[i] += w[4 * c + i] * b[c];
            }
        }
        for (int c = 0; c < 4; c++) {
            double sum = 0.0;
            for (int i = c; i < 4; i++) {
                sum += w[4 * c + i] * y[i];
            }
            out[4 * j + c] = sum;
        }
    }
}

FilBlockPcgResult fil_block_pcg_solve(FilBlockPcg* pcg, const FilBlockPattern* a, const double* a_values,
                                      const FilBlockPattern* c, const double* c_values, double tolerance, int most, double* x)
{
    const int columns = a->columns, n = 4 * columns;
    const size_t size = (size_t)n;
    if (!fil_doubles_reserve(&pcg->vectors, 6 * size) || !fil_doubles_reserve(&pcg->inverse, 2 * FIL_BLOCK_SIZE * (size_t)columns)) {
        return FIL_PCG_NO_MEMORY;
    }
    double *r = pcg->vectors.at, *z = r + n, *p = z + n, *product = p + n, *other = product + n, *solution = other + n;
    double *inverse = pcg->inverse.at, *diagonal = inverse + FIL_BLOCK_SIZE * columns;
    memset(diagonal, 0, sizeof(double) * FIL_BLOCK_SIZE * (size_t)columns);
    add_diagonal(a, a_values, diagonal);
    add_diagonal(c, c_values, diagonal);
    for (int j = 0; j < columns; j++) {
        if (!fil_block_inverse_factor(diagonal + FIL_BLOCK_SIZE * j, inverse + FIL_BLOCK_SIZE * j)) {
            return FIL_PCG_INDEFINITE;
        }
    }
    memcpy(r, x, sizeof(double) * size);
    memset(solution, 0, sizeof(double) * size);
    precondition(inverse, r, columns, z);
    memcpy(p, z, sizeof(double) * size);
    double rz = dot(r, z, n);
    const double goal = tolerance * tolerance * rz;
    FilBlockPcgResult result = rz > goal ? FIL_PCG_SLOW : FIL_PCG_DONE;
    for (int iteration = 0; iteration < most && result == FIL_PCG_SLOW; iteration++) {
        fil_block_multiply(a, a_values, p, product);
        fil_block_multiply(c, c_values, p, other);
        for (int k = 0; k < n; k++) {
            product[k] += other[k];
        }
        const double curvature = dot(p, product, n);
        if (!(curvature > 0.0)) {
            return FIL_PCG_INDEFINITE;
        }
        const double step = rz / curvature;
        for (int k = 0; k < n; k++) {
            solution[k] += step * p[k];
            r[k] -= step * product[k];
        }
        precondition(inverse, r, columns, z);
        const double next = dot(r, z, n), turn = next / rz;
        rz = next;
        for (int k = 0; k < n; k++) {
            p[k] = z[k] + turn * p[k];
        }
        result = rz <= goal ? FIL_PCG_DONE : FIL_PCG_SLOW;
    }
    memcpy(x, solution, sizeof(double) * size);
    return result;
}
