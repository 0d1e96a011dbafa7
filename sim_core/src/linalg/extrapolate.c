#include "linalg/extrapolate.h"

#include <math.h>
#include <stdbool.h>

/* Differences of iterates that are kept. */
enum { DEPTH = 24 };

/* A difference that depends on the others but for this share is left out. */
#define DEPENDENT 1e-13

size_t fil_extrapolate_size(int n)
{
    return (size_t)(2 + 2 * DEPTH) * (size_t)n;
}

static double dot(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* b <- A^-1 b by Cholesky of the k x k matrix A; false if it is singular. */
static bool solve(double a[DEPTH][DEPTH], double* b, int k)
{
    for (int j = 0; j < k; j++) {
        const double min = DEPENDENT * a[j][j];
        for (int i = j; i < k; i++) {
            for (int l = 0; l < j; l++) {
                a[i][j] -= a[i][l] * a[j][l];
            }
        }
        if (!(a[j][j] > min)) {
            return false;
        }
        a[j][j] = sqrt(a[j][j]);
        for (int i = j + 1; i < k; i++) {
            a[i][j] /= a[j][j];
        }
    }
    for (int i = 0; i < k; i++) {
        b[i] = (b[i] - dot(a[i], b, i)) / a[i][i];
    }
    for (int i = k - 1; i >= 0; i--) {
        for (int l = i + 1; l < k; l++) {
            b[i] -= a[l][i] * b[l];
        }
        b[i] /= a[i][i];
    }
    return true;
}

/* Weights of the last `count` differences of errors, in `weight`, that leave least of the error; returns how many of them
 * are independent, the youngest first. */
static int fit(int n, int count, double* const* change, const double* error, double* weight)
{
    for (; count > 0; count--) {
        double gram[DEPTH][DEPTH];
        for (int a = 0; a < count; a++) {
            for (int b = 0; b <= a; b++) {
                gram[a][b] = dot(change[a], change[b], n);
            }
            weight[a] = dot(change[a], error, n);
        }
        if (solve(gram, weight, count)) {
            break;
        }
    }
    return count;
}

void fil_extrapolate(int n, int round, int depth, double* history, const double* error, double* l)
{
    // last error and iterate, then pairs of their differences, in a ring
    double *last_error = history, *last = history + n, *ring = history + 2 * (size_t)n;
    const int slot = round % DEPTH, known = round - 1 < DEPTH ? round - 1 : DEPTH, count = known < depth ? known : depth;
    double *change = ring + 2 * (size_t)slot * (size_t)n, *moved = change + n;
    for (int i = 0; i < n; i++) {
        if (round > 1) {
            change[i] = error[i] - last_error[i];
            moved[i] = l[i] - last[i];
        }
        last_error[i] = error[i];
        last[i] = l[i];
    }
    double *changes[DEPTH] = {NULL}, weight[DEPTH];
    for (int k = 0; k < count; k++) {
        changes[k] = ring + 2 * (size_t)((round - k) % DEPTH) * (size_t)n;
    }
    const int used = fit(n, count, changes, error, weight);
    for (int i = 0; i < n; i++) {
        l[i] += error[i];
    }
    for (int k = 0; k < used; k++) {
        for (int i = 0; i < n; i++) {
            l[i] -= weight[k] * (changes[k][i] + changes[k][n + i]);
        }
    }
}
