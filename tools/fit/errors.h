/* How well keys are known where the deviation of each column of measurements is found from its own residuals. */
#ifndef FILUM_TOOLS_FIT_ERRORS_H
#define FILUM_TOOLS_FIT_ERRORS_H

#include "fit/problem.h"

/* What a column says of the keys: J' J of its weighted residuals, and how many numbers it has. Row after row of key_count numbers. */
typedef struct FilFitInformation {
    int key_count, column_count;
    double squares[FIL_FIT_COLUMNS][FIL_FIT_KEYS * FIL_FIT_KEYS];
    int counts[FIL_FIT_COLUMNS];
} FilFitInformation;

/* Numbers of a column that are left when the keys have taken theirs, n - tr(C S) with C = (sum of S)^-1: its residuals' squares over this are its
 * variance without bias (restricted maximum likelihood). */
double fil_fit_freedom(const FilFitInformation* information, const double* covariance, int column);

/* C + sum of 4/f C (S - S C S) C over the columns, f their freedom, into `corrected`: what weights that are themselves estimates add to the
 * keys' covariance (Kenward and Roger, Biometrics 53, 1997, for variances of independent columns). Of one column nothing. */
void fil_fit_correct(const FilFitInformation* information, const double* covariance, double* corrected);

#endif
