#include "linalg/dense.h"

#include <math.h>

#include "base/vector.h"
#include "linalg/dense_kernels.h"

static const FilDenseKernels* kernels(void)
{
    static const FilDenseKernels plain = {multiply, substitute};
#if defined(FIL_VECTOR_LEVELS)
    return fil_vector_level() >= FIL_VECTOR_256 ? &fil_dense_256 : &plain;
#else
    return &plain;
#endif
}

void fil_dense_multiply(int rows, int columns, int inner, const double* a, int lda, const double* b, int ldb, double* c, int ldc)
{
    kernels()->multiply(rows, columns, inner, a, lda, b, ldb, c, ldc);
}

void fil_dense_apply(int rows, int columns, double f, const double* a, int lda, const double* x, double* y)
{
    for (int j = 0; j < columns; j++) {
        const double s = f * x[j];
        for (int i = 0; i < rows; i++) {
            y[i] += s * a[j * lda + i];
        }
    }
}

void fil_dense_apply_transposed(int rows, int columns, double f, const double* a, int lda, const double* x, double* y)
{
    for (int j = 0; j < columns; j++) {
        double sum = 0.0;
        for (int i = 0; i < rows; i++) {
            sum += a[j * lda + i] * x[i];
        }
        y[j] += f * sum;
    }
}

/* ---- factors ---- */

bool fil_dense_lu(int n, double* a, int* pivots)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabs(a[k * n + i]) > fabs(a[k * n + best]) ? i : best;
        }
        pivots[k] = best;
        const double pivot = a[k * n + best];
        if (!(fabs(pivot) > 0.0) || !isfinite(pivot)) {
            return false;
        }
        for (int j = 0; j < n && best != k; j++) {
            const double swap = a[j * n + k];
            a[j * n + k] = a[j * n + best];
            a[j * n + best] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            a[k * n + i] /= pivot;
        }
        for (int j = k + 1; j < n; j++) {
            const double s = a[j * n + k];
            for (int i = k + 1; i < n && s != 0.0; i++) {
                a[j * n + i] -= s * a[k * n + i];
            }
        }
    }
    return true;
}

void fil_dense_lu_solve(int n, const double* lu, const int* pivots, int columns, double* b)
{
    for (int j = 0; j < columns; j++) {
        for (int k = 0; k < n; k++) {
            const double swap = b[j * n + k];
            b[j * n + k] = b[j * n + pivots[k]];
            b[j * n + pivots[k]] = swap;
        }
    }
    kernels()->substitute(n, lu, true, true, columns, b);
    kernels()->substitute(n, lu, false, false, columns, b);
}

void fil_dense_lu_solve_transposed(int n, const double* lu, const int* pivots, double* b)
{
    for (int k = 0; k < n; k++) {  // U' y = b
        for (int i = 0; i < k; i++) {
            b[k] -= lu[k * n + i] * b[i];
        }
        b[k] /= lu[k * n + k];
    }
    for (int k = n - 1; k >= 0; k--) {  // L' x = y
        for (int i = k + 1; i < n; i++) {
            b[k] -= lu[k * n + i] * b[i];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const double swap = b[k];
        b[k] = b[pivots[k]];
        b[pivots[k]] = swap;
    }
}

bool fil_dense_cholesky(int n, double* a)
{
    for (int k = 0; k < n; k++) {
        const double pivot = a[k * n + k];
        if (!(pivot > 0.0) || !isfinite(pivot)) {
            return false;
        }
        const double root = sqrt(pivot);
        for (int i = k; i < n; i++) {
            a[k * n + i] /= root;
        }
        for (int j = k + 1; j < n; j++) {
            const double s = a[k * n + j];
            for (int i = j; i < n; i++) {
                a[j * n + i] -= s * a[k * n + i];
            }
        }
    }
    return true;
}

void fil_dense_cholesky_solve(int n, const double* l, int columns, double* b)
{
    kernels()->substitute(n, l, true, false, columns, b);
    for (int j = 0; j < columns; j++) {  // L' x = y, rows of L' being columns of L
        double* x = b + j * n;
        for (int k = n - 1; k >= 0; k--) {
            double sum = x[k];
            for (int i = k + 1; i < n; i++) {
                sum -= l[k * n + i] * x[i];
            }
            x[k] = sum / l[k * n + k];
        }
    }
}
