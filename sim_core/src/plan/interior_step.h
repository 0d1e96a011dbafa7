/* The state of an interior-point method, its optimality conditions and Newton's step from it. */
#ifndef FILUM_PLAN_INTERIOR_STEP_H
#define FILUM_PLAN_INTERIOR_STEP_H

#include "plan/interior_point.h"
#include "plan/riccati.h"

/* Stages x variables, x rows, x pairs. */
typedef struct FilInteriorVector {
    double *x, *lower, *upper; /* variables, multipliers of their bounds */
    double* multiplier;        /* of the rows */
    double *slack, *relax;     /* of the pairs: t, and its multiplier w */
} FilInteriorVector;

typedef struct FilInterior {
    FilPlanProblem problem; /* its bounds may be the polish's */
    FilArena arena;
    FilRiccati riccati;
    FilPlanStage* stages; /* derivatives at the point; matrices but the Hessian are the Riccati recursion's */
    FilInteriorVector at, step;
    double *row, *pair; /* residuals at the point: rows, a b + t - eps */
    double* trial_row;  /* stages x rows: at the trial point */
    double* trial_pair; /* at the trial point */
    double *trial_x, *trial_slack;
    double *right, *right_before, *right_row, *right_pair; /* right-hand sides */
    double barrier, relaxation;                            /* mu, eps */
    double shift;                                          /* last that made the Hessian definite */
    double cost;
    int factorisations;
    bool paired; /* false: pairs are not constraints (polish) */
} FilInterior;

/* Errors of the optimality conditions at the point: worst row, worst pair row, scaled gradient, scaled complementarity. */
typedef struct FilInteriorError {
    double row, pair, dual, complement;
} FilInteriorError;

bool fil_interior_create(const FilPlanProblem* problem, FilInterior* out);
void fil_interior_free(FilInterior* ip);

/* Second derivatives at the point, and its residuals; false where they are not defined. */
bool fil_interior_evaluate(FilInterior* ip);
FilInteriorError fil_interior_error(const FilInterior* ip, double barrier);
/* Residuals a b + t - eps of pairs at given x and t. */
void fil_interior_pairs(const FilInterior* ip, const double* x, const double* slack, double* residual);
/* Worst a b in the pairs' units. */
double fil_interior_worst_pair(const FilInterior* ip, const double* x);

/* Factors with a shift of at least `min`; false if no shift helps. */
bool fil_interior_factor(FilInterior* ip, double min);
/* Newton's step for the residuals given (stages x rows, stages x pairs). */
void fil_interior_solve(FilInterior* ip, const double* row, const double* pair);

/* Largest fractions of the step that keep bounds at a distance: of x and t, and of their multipliers. */
void fil_interior_limits(const FilInterior* ip, double* primal, double* dual);

#endif
