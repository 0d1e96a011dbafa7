/* An interior-point method for stage problems with complementary pairs (plan/stage_problem.h).
 *
 * Pairs are relaxed, a b + t = eps, t >= 0 (Scholtes), and eps follows the barrier parameter mu down: one loop does what
 * a schedule of relaxed problems around a general solver does, without starting anew. Steps are Newton's on the primal-dual
 * equations (Riccati recursion; the Hessian is shifted until every stage is positive definite), their lengths are found by
 * a filter (Waechter, Biegler 2006) with second-order corrections. A polish fixes each pair's smaller side and
 * solves what is left, without pairs. */
#ifndef FILUM_PLAN_INTERIOR_POINT_H
#define FILUM_PLAN_INTERIOR_POINT_H

#include "filum/base.h"
#include "plan/stage_problem.h"

/* How far it is; all numbers are of the point itself, whatever the barrier. */
typedef struct FilPlanProgress {
    int iteration;
    double cost, violation, pairs; /* worst |row|, worst a b / unit */
    double dual;                   /* worst of the Lagrangian's gradient, scaled as in the stopping rule */
    double barrier, relaxation, shift, step;
} FilPlanProgress;

typedef struct FilPlanSettings {
    double tolerance;        /* of rows, and of the scaled gradient */
    double relaxation_start; /* eps, in the pairs' units */
    double relaxation_end;
    double relaxation_ratio; /* eps / mu */
    double fall;             /* factor of the barrier from one problem to the next */
    double push;             /* least distance of a start from bounds, of the variables' scale */
    int max_iterations;
    int patience; /* iterations in a row that leave the cost as it is, with rows and pairs met, after which the barrier falls though the gradient is
                     not small: where multipliers are not unique it never is. 0: none */
    bool polish;
    bool warm; /* begin with the multipliers of the point */
    /* called once an iteration; false stops. May be NULL. */
    bool (*report)(void* user, const FilPlanProgress* progress);
    void* user;
} FilPlanSettings;

typedef enum FilPlanOutcome {
    FIL_PLAN_SOLVED,
    FIL_PLAN_STALLED,   /* no step helps */
    FIL_PLAN_EXHAUSTED, /* too many iterations */
    FIL_PLAN_CANCELLED,
    FIL_PLAN_UNDEFINED, /* the problem has no values at the start */
    FIL_PLAN_NO_MEMORY
} FilPlanOutcome;

/* A point and its multipliers; x must be given, the rest if the start is warm. */
typedef struct FilPlanPoint {
    double* x;          /* stages x variables */
    double* multiplier; /* stages x rows; may be NULL */
} FilPlanPoint;

typedef struct FilPlanResult {
    FilPlanOutcome outcome;
    int iterations, factorisations;
    bool polished; /* the polish succeeded, and the point is its */
    FilPlanProgress last;
} FilPlanResult;

FilPlanSettings fil_plan_settings_default(void);

/* Whatever the outcome, the point is the best known afterwards. Allocates. */
FilPlanResult fil_interior_point(const FilPlanProblem* problem, const FilPlanSettings* settings, FilPlanPoint* point);

#endif
