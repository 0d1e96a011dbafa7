#include "validate/spectrum.h"

#include <stdlib.h>

#include "world/inspect.h"

/* LAPACK: eigenvalues of a symmetric matrix, in ascending order */
void dsyev_(const char* job, const char* triangle, const int* n, double* a, const int* lda, double* w, double* work, const int* lwork, int* info);

enum { MAX_UNKNOWNS = 4 * FIL_TRIAL_MAX_NODES };

/* Rows and columns of free unknowns move together to the front; returns how many there are. */
static int keep_free(double* matrix, int n, const bool* is_free)
{
    int rows = 0, kept = 0;
    for (int i = 0; i < n; ++i) {
        rows += is_free[i];
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            if (is_free[i] && is_free[j]) {
                matrix[kept++] = matrix[i * n + j];
            }
        }
    }
    return rows;
}

int fil_spectrum_negative(FilTrial* trial, double tolerance)
{
    if (trial->failed) {
        return -1;
    }
    double mass[MAX_UNKNOWNS], values[MAX_UNKNOWNS];
    bool is_free[MAX_UNKNOWNS];
    int n = fil_rod_unknowns(trial->world, trial->rod), info = -1, count = 0;
    const int work_size = 64 * n;
    double* matrix = calloc((size_t)n * (size_t)n, sizeof(double));
    double* work = malloc((size_t)work_size * sizeof(double));
    if (matrix && work) {
        fil_rod_stiffness(trial->world, trial->rod, matrix, mass, is_free);
        n = keep_free(matrix, n, is_free);
        dsyev_("N", "U", &n, matrix, &n, values, work, &work_size, &info);
    }
    free(work);
    free(matrix);
    if (info != 0) {
        fil_trial_expect(trial, FIL_NOT_CONVERGED, "eigenvalues of the tangent");
        return -1;
    }
    while (count < n && values[count] < -tolerance * values[n - 1]) {
        ++count;
    }
    return count;
}
