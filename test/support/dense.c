#include "dense.h"

#include <math.h>

double dense_mismatch(const double* a, const double* b, int count)
{
    double difference = 0.0, size = 0.0;
    for (int i = 0; i < count; ++i) {
        /* a NaN must not pass as "no difference" */
        if (!isfinite(a[i]) || !isfinite(b[i])) {
            return INFINITY;
        }
        difference = fmax(difference, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return difference / size;
}

double dense_asymmetry(const double* a, int n)
{
    double difference = 0.0, size = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            difference = fmax(difference, fabs(a[i * n + j] - a[j * n + i]));
            size = fmax(size, fabs(a[i * n + j]));
        }
    }
    return difference / size;
}

void dense_multiply(const double* a, const double* x, int n, double* b)
{
    for (int i = 0; i < n; ++i) {
        b[i] = 0.0;
        for (int j = 0; j < n; ++j) {
            b[i] += a[i * n + j] * x[j];
        }
    }
}
