/* Newton's equations of a stage problem, solved stage by stage from the last to the first: the Riccati recursion.
 *
 * For every stage k, with H the Hessian, E and B the derivatives of the rows by x_k and p_k,
 *
 *     H dx + G dp + E' dl + (next stage: G' dx + B' dl) = -g,   E dx + B dp = -r,   dp = carried part of dx_{k-1}
 *
 * The first m variables follow from the rows, dx_S = U du + V dp + s, and the others minimise a quadratic function whose
 * value P, p as a function of dp joins the stage before. The whole matrix has n positive and m negative eigenvalues per
 * stage exactly if every stage's Hessian of du is positive definite, which Cholesky's factorisation finds out. */
#ifndef FILUM_PLAN_RICCATI_H
#define FILUM_PLAN_RICCATI_H

#include "base/arena.h"
#include "plan/stage_problem.h"

/* Matrices of one stage by columns, as LAPACK has them. */
typedef struct FilRiccatiStage {
    double* hessian; /* n x n: to be filled, symmetric; the next stage's value is added to it */
    double* mixed;   /* n x c: to be filled */
    double* corner;  /* c x c: to be filled */
    double* own;     /* m x n: derivative of the rows by x */
    double* before;  /* m x c: by p */
    bool followed;   /* the rows are those of the last factorisation: to be cleared when they change */
    /* computed by fil_riccati_factor */
    int coupled; /* variables from here to m stand in their own row alone, with the factor 1: E_S = [A 0; B 1] */
    double* lu;  /* coupled x coupled: of A */
    int* pivots;
    double* follow; /* m x (u + c): U, V */
    double* chol;   /* u x u: of the Hessian of du */
    double* gain;   /* u x c: du = gain dp + ... */
    double* value;  /* c x c: P */
} FilRiccatiStage;

typedef struct FilRiccati {
    int stages, variables, rows, carried;
    const int* carry;
    FilRiccatiStage* stage;
    double* work;
} FilRiccati;

/* Allocates in the arena; false when out of memory. */
bool fil_riccati_create(const FilPlanProblem* problem, FilArena* arena, FilRiccati* out);

typedef enum FilRiccatiResult {
    FIL_RICCATI_DONE,
    FIL_RICCATI_INDEFINITE, /* the Hessian of some stage's free variables is not positive definite */
    FIL_RICCATI_SINGULAR    /* some stage's rows do not determine its first variables */
} FilRiccatiResult;

/* Factors what has been filled in. Changes `hessian`. */
FilRiccatiResult fil_riccati_factor(FilRiccati* riccati);

/* Solves for the gradients g (stages x n), residuals r (stages x m) and gradients by p_k beyond those of the rows,
 * before (stages x c; row 0 has no effect): dx (stages x n), dl (stages x m). */
void fil_riccati_solve(const FilRiccati* riccati, const double* g, const double* before, const double* r, double* dx, double* dl);

#endif
