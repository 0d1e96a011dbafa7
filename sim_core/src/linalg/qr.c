#include "linalg/qr.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "base/vector.h"

/* x' y, in four sums that do not wait for each other. */
static double dot(const double* x, const double* y, int count)
{
    FilDouble2 even = fil_double2_all(0.0), odd = even;
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        even = fil_double2_add_product(even, fil_double2_load(x + i), fil_double2_load(y + i));
        odd = fil_double2_add_product(odd, fil_double2_load(x + i + 2), fil_double2_load(y + i + 2));
    }
    double rest = 0.0;
    for (; i < count; i++) {
        rest += x[i] * y[i];
    }
    return fil_double2_sum(even + odd) + rest;
}

/* Makes of x the reflector v, v_0 = 1, with (1 - tau v v') x = (r, 0 ... 0)'; returns tau and leaves r in x_0. */
static double make_reflector(double* x, int count)
{
    const double below = dot(x + 1, x + 1, count - 1);
    if (below == 0.0) {
        return 0.0;
    }
    const double first = x[0], r = -copysign(sqrt(first * first + below), first), scale = 1.0 / (first - r);
    for (int i = 1; i < count; i++) {
        x[i] *= scale;
    }
    x[0] = r;
    return (r - first) / r;
}

/* y -= tau v (v' y), v_0 = 1 */
static void reflect(const double* restrict v, double tau, double* restrict y, int count)
{
    const double s = tau * (y[0] + dot(v + 1, y + 1, count - 1));
    y[0] -= s;
    for (int i = 1; i < count; i++) {
        y[i] -= s * v[i];
    }
}

/* Column k of R, and what is left of the columns behind it. */
static void eliminate(double* a, int rows, int columns, int k)
{
    double* x = a + (size_t)k * (size_t)rows + k;
    const double tau = make_reflector(x, rows - k);
    for (int j = k + 1; j < columns && tau != 0.0; j++) {
        reflect(x, tau, a + (size_t)j * (size_t)rows + k, rows - k);
    }
}

void fil_qr_factor(double* a, int rows, int columns)
{
    for (int k = 0; k < rows && k < columns; k++) {
        eliminate(a, rows, columns, k);
    }
}

static void swap_columns(double* a, int rows, int k, int j, int* pivot, double* norms)
{
    for (int i = 0; i < rows; i++) {
        double *x = a + (size_t)k * (size_t)rows + i, *y = a + (size_t)j * (size_t)rows + i;
        const double t = *x;
        *x = *y;
        *y = t;
    }
    const int column = pivot[k];
    pivot[k] = pivot[j];
    pivot[j] = column;
    // those of column k are not needed any more
    norms[2 * j] = norms[2 * k];
    norms[2 * j + 1] = norms[2 * k + 1];
}

/* Norms of what is left below row k: |x|^2 - x_k^2, anew where so much has gone that rounding would show (the
 * criterion of LAPACK Working Note 176). */
static void shorten_norms(const double* a, int rows, int columns, int k, double* norms)
{
    for (int j = k + 1; j < columns; j++) {
        double *norm = &norms[2 * j], *exact = &norms[2 * j + 1];
        const double* x = a + (size_t)j * (size_t)rows + k;
        if (*norm == 0.0) {
            continue;
        }
        const double share = fabs(x[0]) / *norm, left = fmax(0.0, 1.0 - share * share), since = *norm / *exact;
        if (left * since * since <= sqrt(DBL_EPSILON)) {
            *norm = *exact = sqrt(dot(x + 1, x + 1, rows - k - 1));
        } else {
            *norm *= sqrt(left);
        }
    }
}

void fil_qr_factor_pivoted(double* a, int rows, int columns, int* pivot, double* norms)
{
    for (int j = 0; j < columns; j++) {
        const double* x = a + (size_t)j * (size_t)rows;
        pivot[j] = j;
        norms[2 * j] = norms[2 * j + 1] = sqrt(dot(x, x, rows));
    }
    for (int k = 0; k < rows && k < columns; k++) {
        int longest = k;
        for (int j = k + 1; j < columns; j++) {
            longest = norms[2 * j] > norms[2 * longest] ? j : longest;
        }
        if (longest != k) {
            swap_columns(a, rows, k, longest, pivot, norms);
        }
        eliminate(a, rows, columns, k);
        shorten_norms(a, rows, columns, k, norms);
    }
}
