/* What a trajectory optimiser needs to know of a problem: stages in a row, each with variables x_k, joined to the one
 * before by rows. With p_k the part of x_{k-1} that is carried over (p_0 is given),
 *
 *     minimise  sum_k cost_k(p_k, x_k)   subject to   row_k(p_k, x_k) = 0,   lower <= x_k <= upper,
 *               and for pairs (a, b) of the variables of a stage:  0 <= a  _|_  b >= 0
 *
 * The rows of a stage determine its first `rows` variables from the others and from p_k: they are an implicit time step,
 * and their derivative by these variables is regular. Inequalities on expressions have a variable of their own. */
#ifndef FILUM_PLAN_STAGE_PROBLEM_H
#define FILUM_PLAN_STAGE_PROBLEM_H

#include <stdbool.h>

/* Two variables of every stage, of which one is zero. */
typedef struct FilPlanPair {
    int a, b;
    double unit; /* in which a b is judged */
} FilPlanPair;

/* Values and derivatives at one stage. Matrices are dense, by columns as LAPACK has them; n variables, m rows, c carried ones. The Hessian is
 * that of cost + multiplier . row. */
typedef struct FilPlanStage {
    double cost;
    double* row;           /* m */
    double* cost_own;      /* n: gradient of the cost by x */
    double* cost_before;   /* c: by p */
    double* row_own;       /* m x n */
    double* row_before;    /* m x c */
    double* own_own;       /* n x n: second derivatives, both triangles */
    double* own_before;    /* n x c */
    double* before_before; /* c x c */
} FilPlanStage;

/* What evaluate fills: cost and row; gradients too; second derivatives too. What it does not write is zero. */
typedef enum FilPlanOrder { FIL_PLAN_VALUES, FIL_PLAN_FIRST, FIL_PLAN_SECOND } FilPlanOrder;

typedef struct FilPlanProblem {
    const void* data;
    int stages, variables, rows, carried;
    const int* carry;     /* carried: indices of variables */
    const double* before; /* carried: p_0 */
    const double* lower;  /* stages x variables; -INFINITY: none */
    const double* upper;
    const double* scale; /* variables: a usual size of each, > 0 */
    const FilPlanPair* pairs;
    int pair_count;
    /* False where the functions are not defined. Must not allocate; called from several threads for different stages. */
    bool (*evaluate)(const void* data, int stage, const double* p, const double* x, const double* multiplier, FilPlanOrder order, FilPlanStage* out);
} FilPlanProblem;

/* A trajectory on another number of stages: the first `states` variables, which are carried in this order, lie on straight lines between
 * the ends of stages; the others act throughout theirs. `out` has room for `stages` times the variables. */
void fil_plan_resample(const FilPlanProblem* from, int states, const double* x, int stages, double* out);

#endif
