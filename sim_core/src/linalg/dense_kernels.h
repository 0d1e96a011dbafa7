/* Loops over columns of dense matrices, which every file that includes this builds for its own level of vectors: the same operations in the same
 * order, hence the same bits. */
#ifndef FILUM_LINALG_DENSE_KERNELS_H
#define FILUM_LINALG_DENSE_KERNELS_H

#include <stdbool.h>

typedef struct FilDenseKernels {
    /* C += A B, by columns */
    void (*multiply)(int rows, int columns, int inner, const double* a, int lda, const double* b, int ldb, double* c, int ldc);
    /* T x = b for every column of b, with a triangle of the n x n numbers t */
    void (*substitute)(int n, const double* t, bool lower, bool unit, int columns, double* b);
} FilDenseKernels;

/* Chosen at run time (base/vector.h). */
extern const FilDenseKernels fil_dense_256;

/* ---- products: columns of C gain four columns of A at a time ---- */

/* c -= or += sum_k a_k b_k over `terms` (1 to 4) columns of A, from row `first`. */
static inline __attribute__((always_inline)) void add_scaled_columns(int first, int rows, int terms, const double* restrict a, int lda,
                                                                     const double* b, double* restrict c)
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

static void multiply(int rows, int columns, int inner, const double* a, int lda, const double* b, int ldb, double* c, int ldc)
{
    for (int j = 0; j < columns; j++) {
        for (int k = 0; k < inner; k += 4) {
            add_scaled_columns(0, rows, inner - k < 4 ? inner - k : 4, a + k * lda, lda, b + j * ldb + k, c + j * ldc);
        }
    }
}

/* Forward and backward substitution of all columns, four unknowns at a time: their own triangle, then their products. */
static void substitute(int n, const double* t, bool lower, bool unit, int columns, double* b)
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

#endif
