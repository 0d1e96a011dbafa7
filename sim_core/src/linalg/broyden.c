#include "linalg/broyden.h"

#include <string.h>

#include "base/error.h"

/* A share of the last step in the next above this says that it led nowhere: such a step is not stretched. */
static const double LARGEST_SHARE = 0.7;

void fil_broyden_free(FilBroyden* broyden)
{
    fil_free(broyden->steps.at);
    fil_free(broyden->metric.at);
    *broyden = (FilBroyden){0};
}

bool fil_broyden_begin(FilBroyden* broyden, size_t size)
{
    broyden->size = size;
    broyden->count = 0;
    return size == 0 || (fil_doubles_reserve(&broyden->steps, FIL_BROYDEN_STEPS * size) && fil_doubles_reserve(&broyden->metric, size));
}

static double product(const FilBroyden* broyden, const double* a, const double* b)
{
    // four sums side by side
    const double* metric = broyden->metric.at;
    double sum[4] = {0.0};
    size_t k = 0;
    for (; k + 4 <= broyden->size; k += 4) {
        for (size_t m = 0; m < 4; m++) {
            sum[m] += metric[k + m] * a[k + m] * b[k + m];
        }
    }
    for (; k < broyden->size; k++) {
        sum[0] += metric[k] * a[k] * b[k];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void remember(FilBroyden* broyden, const double* step)
{
    if (broyden->size > 0) {
        memcpy(broyden->steps.at + broyden->size * (size_t)broyden->count, step, broyden->size * sizeof *step);
    }
    broyden->squares[broyden->count++] = product(broyden, step, step);
}

void fil_broyden_start(FilBroyden* broyden, const double* step)
{
    broyden->count = 0;
    remember(broyden, step);
}

void fil_broyden_correct(FilBroyden* broyden, double* step)
{
    FIL_ASSERT(!fil_broyden_full(broyden));
    for (int j = 0; j < broyden->count; j++) {
        const double *s = broyden->steps.at + broyden->size * (size_t)j, *next = s + broyden->size;
        const bool last = j + 1 == broyden->count;
        const double share = broyden->squares[j] > 0.0 ? product(broyden, s, step) / broyden->squares[j] : 0.0;
        const double stretch = last && share < LARGEST_SHARE ? 1.0 / (1.0 - share) : 1.0;
        for (size_t k = 0; k < broyden->size; k++) {
            step[k] = last ? stretch * step[k] : step[k] + share * next[k];
        }
    }
    remember(broyden, step);
}
