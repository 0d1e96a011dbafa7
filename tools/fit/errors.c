#include "fit/errors.h"

#include <math.h>
#include <string.h>

/* C <- A B */
static void multiply(int n, const double* a, const double* b, double* c)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) {
                sum += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

double fil_fit_freedom(const FilFitInformation* information, const double* covariance, int column)
{
    const int n = information->key_count;
    double product[FIL_FIT_KEYS * FIL_FIT_KEYS], share = 0.0;
    multiply(n, covariance, information->squares[column], product);
    for (int i = 0; i < n; i++) {
        share += product[i * n + i];
    }
    return fmax(information->counts[column] - share, 1.0);
}

void fil_fit_correct(const FilFitInformation* information, const double* covariance, double* corrected)
{
    const int n = information->key_count;
    double share[FIL_FIT_KEYS * FIL_FIT_KEYS], once[FIL_FIT_KEYS * FIL_FIT_KEYS], twice[FIL_FIT_KEYS * FIL_FIT_KEYS];
    memcpy(corrected, covariance, sizeof(double) * (size_t)(n * n));
    for (int c = 0; c < information->column_count && information->column_count > 1; c++) {
        multiply(n, covariance, information->squares[c], share);  // C S
        multiply(n, share, covariance, once);                     // C S C
        multiply(n, share, once, twice);                          // C S C S C
        const double factor = 4.0 / fil_fit_freedom(information, covariance, c);
        for (int k = 0; k < n * n; k++) {
            corrected[k] += factor * (once[k] - twice[k]);
        }
    }
}
