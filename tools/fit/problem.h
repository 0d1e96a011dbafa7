/* The difference between a scene and measurements of it, as a function of some of its keys.
 *
 * Keys vary in a box; a point of it is given by numbers from 0 to 1, along the logarithm of keys whose bounds are positive and ten times
 * apart or more. */
#ifndef FILUM_TOOLS_FIT_PROBLEM_H
#define FILUM_TOOLS_FIT_PROBLEM_H

#include "filum/scene.h"
#include "fit/data.h"

/* Numbers that are fitted at a time: a bound of ours. */
enum { FIL_FIT_KEYS = 8 };

typedef struct FilFitKey {
    const char* path;
    double low, high;
    bool logarithmic;
} FilFitKey;

typedef struct FilFitProblem {
    const char* scene;       /* path */
    FilSceneOptions options; /* that all runs have in common */
    bool (*stop)(void* context);
    FilFitData data;
    int key_count;
    FilFitKey keys[FIL_FIT_KEYS];
    double deviations[FIL_FIT_COLUMNS]; /* that residuals are divided by */
} FilFitProblem;

/* `key=low:high`, one each. */
FIL_MUST_CHECK FilStatus fil_fit_keys_read(const FilSetting* settings, int count, FilFitProblem* problem, FilError* error);

double fil_fit_key_value(const FilFitKey* key, double x);
double fil_fit_key_slope(const FilFitKey* key, double x); /* of the value in x */

/* Runs the scene at a point, and gives what it measures at the data's times, straight between steps: rows of all columns. By any number
 * of threads at a time. */
FIL_MUST_CHECK FilStatus fil_fit_simulate(const FilFitProblem* problem, const double* x, double* values, FilError* error);
/* The same with exact derivatives of what is measured by x: rows of all columns, key after key. Probes must be of places and velocities;
 * FIL_BAD_INPUT where the scene's steps have no gradients (filum/gradient.h), or a key changes where objects begin. */
FIL_MUST_CHECK FilStatus fil_fit_simulate_slopes(const FilFitProblem* problem, const double* x, double* values, double* slopes, FilError* error);
/* (simulated - measured) / deviation, 0 where nothing was measured; returns half the sum of squares. */
double fil_fit_residuals(const FilFitProblem* problem, const double* values, double* residuals);
int fil_fit_measured(const FilFitProblem* problem); /* numbers that there are */

#endif
