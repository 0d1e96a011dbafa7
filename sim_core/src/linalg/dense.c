#include "linalg/dense.h"

#include <math.h>

#include "base/vector.h"

#define INLINE static inline __attribute__((always_inline))

/* ---- products: columns of C gain four columns of A at a time ---- */

/* c -= or += sum_k a_k b_k over `terms` (1 to 4) columns of A, from row `first`. */
INLINE void add_scaled_columns(int first, int rows, int terms, const double* restrict a, int lda, const double* b, double* restrict c)
{
    const double b0 = b[0], b1 = terms > 1 ? b[1] : 0.0, b2 = terms > 2 ? b[2] : 0.0, b3 = terms > 3 ? b[3] : 0.0;
    const double *a1 = a + lda, *a2 = a + 2 * lda, *a3 = a + 3 * lda;
    if (terms == 4) {
        for (int i = first; i < rows; i++) {
            c[i] += (a[i] * b0 + a1[i] * b1) + (a2[i] * b2 + a3[i] * b3);
        }
    } else if (terms == 3) {
        for (int i = first; i < rows; i++) {
            c[i] += (a[i] * b0 + a1[i] * b1) + a2[i] * b2;
        }
    } else if (terms == 2) {
        for (int i = first; i < rows; i++) {
            c[i] += a[i] * b0 + a1[i] * b1;
        }
    } else {
        for (int i = first; i < rows; i++) {
            c[i] += a[i] * b0;
        }
    }
}

INLINE void multiply_columns(int rows, int columns, int inner, const double* a, int lda, const double* b, int ldb, double* c, int ldc)
{
    for (int j = 0; j < columns; j++) {
        for (int k = 0; k < inner; k += 4) {
            add_scaled_columns(0, rows, inner - k < 4 ? inner - k : 4, a + k * lda, lda, b + j * ldb + k, c + j * ldc);
        }
    }
}

/* Forward and backward substitution of all columns, four unknowns at a time: their own triangle, then their products. */
INLINE void substitute_columns(int n, const double* t, bool lower, bool unit, int columns, double* b)
{
    for (int j = 0; j < columns; j++) {
        double* x = b + j * n;
        for (int done = 0; done < n; done += 4) {
            const int count = n - done < 4 ? n - done : 4, at = lower ? done : n - done - count;
            double minus[4];
            for (int s = 0; s < count; s++) {
                const int k = lower ? at + s : at + count - 1 - s;
                double sum = x[k];
                for (int m = 0; m < s; m++) {
                    const int i = lower ? at + m : at + count - 1 - m;
                    sum -= t[i * n + k] * x[i];
                }
                x[k] = unit ? sum : sum / t[k * n + k];
            }
            for (int s = 0; s < count; s++) {
                minus[s] = -x[at + s];
            }
            if (lower) {
                add_scaled_columns(at + count, n, count, t + at * n, n, minus, x);
            } else {
                add_scaled_columns(0, at, count, t + at * n, n, minus, x);
            }
        }
    }
}

typedef struct Kernels {
    void (*multiply)(int, int, int, const double*, int, const double*, int, double*, int);
    void (*substitute)(int, const double*, bool, bool, int, double*);
} Kernels;

static void multiply_plain(int rows, int columns, int inner, const double* a, int lda, const double* b, int ldb, double* c, int ldc)
{
    multiply_columns(rows, columns, inner, a, lda, b, ldb, c, ldc);
}

static void substitute_plain(int n, const double* t, bool lower, bool unit, int columns, double* b)
{
    substitute_columns(n, t, lower, unit, columns, b);
}

#if defined(FIL_VECTOR_LEVELS)
// the same operations in the same order, wider: the same bits

FIL_AT_AVX2 static void multiply_wide(int rows, int columns, int inner, const double* a, int lda, const double* b, int ldb, double* c, int ldc)
{
    multiply_columns(rows, columns, inner, a, lda, b, ldb, c, ldc);
}

FIL_AT_AVX2 static void substitute_wide(int n, const double* t, bool lower, bool unit, int columns, double* b)
{
    substitute_columns(n, t, lower, unit, columns, b);
}
#endif

static Kernels kernels(void)
{
#if defined(FIL_VECTOR_LEVELS)
    if (fil_vector_level() >= FIL_VECTOR_AVX2) {
        return (Kernels){multiply_wide, substitute_wide};
    }
#endif
    return (Kernels){multiply_plain, substitute_plain};
}

void fil_dense_multiply(int rows, int columns, int inner, const double* a, int lda, const double* b, int ldb, double* c, int ldc)
{
    kernels().multiply(rows, columns, inner, a, lda, b, ldb, c, ldc);
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
    kernels().substitute(n, lu, true, true, columns, b);
    kernels().substitute(n, lu, false, false, columns, b);
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
    kernels().substitute(n, l, true, false, columns, b);
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
