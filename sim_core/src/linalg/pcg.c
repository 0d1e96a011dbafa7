#include "linalg/pcg.h"

#include <math.h>
#include <string.h>

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

/* Sum of weight r^2 */
static double measure(const double* weight, const double* r, int n)
{
    double sum[4] = {0.0};
    for (int k = 0; k < n; k += 4) {
        for (int j = 0; j < 4; j++) {
            sum[j] += weight[k + j] * r[k + j] * r[k + j];
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

FilPcgResult fil_pcg_solve(const FilPcgSystem* system, double tolerance, int max, double* r, double* x, int* iterations, double* share)
{
    const int n = system->unknowns;
    double *z = system->vectors, *p = z + n, *product = p + n;
    memcpy(p, z, sizeof(double) * (size_t)n);
    double rz = dot(r, z, n), left = system->weight != NULL ? measure(system->weight, r, n) : rz;
    const double all = left, goal = tolerance * tolerance * all;
    for (*iterations = 0; !(left <= goal); ++*iterations) {
        if (*iterations == max) {
            *share = sqrt(left / all);
            return FIL_PCG_SLOW;
        }
        if (*iterations > 0) {
            if (system->weight != NULL) {
                system->precondition(system->context, r, z);
            }
            const double next = system->weight != NULL ? dot(r, z, n) : left, turn = next / rz;
            rz = next;
            for (int k = 0; k < n; k++) {
                p[k] = z[k] + turn * p[k];
            }
        }
        system->multiply(system->context, p, product);
        const double curvature = dot(p, product, n);
        if (!(curvature > 0.0)) {
            return FIL_PCG_INDEFINITE;
        }
        const double step = rz / curvature;
        for (int k = 0; k < n; k++) {
            x[k] += step * p[k];
            r[k] -= step * product[k];
        }
        if (system->weight != NULL) {
            left = measure(system->weight, r, n);
        } else {
            system->precondition(system->context, r, z);
            left = dot(r, z, n);
        }
    }
    *share = all > 0.0 ? sqrt(left / all) : 0.0;
    return FIL_PCG_DONE;
}
