/* Stages of plans in complex numbers: a step of 1e-40 i in one variable is a derivative without a difference to cancel. Needs cmocka.h before it. */
#ifndef FILUM_TEST_STAGE_CHECK_H
#define FILUM_TEST_STAGE_CHECK_H

#include <complex.h>
#include <math.h>
#include <string.h>

#include "plan/stage_problem.h"

typedef struct ComplexStage {
    double complex cost;
    double complex *row, *cost_own, *cost_before, *row_own, *row_before, *own_own, *own_before, *before_before;
} ComplexStage;

enum { N = 96, C = 48 }; /* variables and carried ones, at most */

typedef struct StageCheck {
    const void* task;
    int stage, variables, carried, rows;
    bool (*exact)(const void* task, int stage, const double* p, const double* x, const double* m, FilPlanOrder order, FilPlanStage* out);
    bool (*stepped)(const void* task, int stage, const double complex* p, const double complex* x, const double* m, FilPlanOrder order,
                    ComplexStage* out);
} StageCheck;

static double worst;

static inline void compare(double exact, double stepped, double size)
{
    const double error = fabs(exact - stepped) / fmax(1.0, size);
    worst = fmax(worst, error);
    assert_true(error < 1e-9);
}

typedef struct Exact {
    double row[N], cost_own[N], cost_before[C], row_own[N * N], row_before[N * C], own_own[N * N], own_before[N * C];
    double before_before[C * C];
} Exact;

typedef struct Stepped {
    double complex row[N], cost_own[N], cost_before[C], row_own[N * N], row_before[N * C], own_own[N * N], own_before[N * C], before_before[C * C];
    ComplexStage stage;
} Stepped;

/* Rows, cost and their gradients with a step in one of the variables: x, then p. */
static inline void evaluate_stepped(const StageCheck* check, const double* p, const double* x, int variable, Stepped* out)
{
    double complex cp[C], cx[N];
    for (int i = 0; i < check->carried; i++) {
        cp[i] = p[i] + (variable == check->variables + i ? 1e-40 * I : 0.0);
    }
    for (int i = 0; i < check->variables; i++) {
        cx[i] = x[i] + (variable == i ? 1e-40 * I : 0.0);
    }
    memset(out, 0, sizeof *out);
    out->stage = (ComplexStage){0.0,          out->row,        out->cost_own,     out->cost_before, out->row_own, out->row_before,
                                out->own_own, out->own_before, out->before_before};
    assert_true(check->stepped(check->task, check->stage, cp, cx, NULL, FIL_PLAN_FIRST, &out->stage));
}

static inline void evaluate_exact(const StageCheck* check, const double* p, const double* x, const double* m, Exact* out)
{
    memset(out, 0, sizeof *out);
    FilPlanStage s = {0.0,          out->row,        out->cost_own,     out->cost_before, out->row_own, out->row_before,
                      out->own_own, out->own_before, out->before_before};
    assert_true(check->exact(check->task, check->stage, p, x, m, FIL_PLAN_SECOND, &s));
}

/* First and second derivatives at (p, x), with multipliers m. */
static inline void check_stage(const StageCheck* check, const double* p, const double* x, const double* m)
{
    static Exact exact;
    static Stepped stepped;
    const int variables = check->variables, carried = check->carried, rows = check->rows;
    assert_true(variables <= N && carried <= C);
    evaluate_exact(check, p, x, m, &exact);
    for (int j = 0; j < variables + carried; j++) {
        const bool own = j < variables;
        const int c = j - variables;
        evaluate_stepped(check, p, x, j, &stepped);
        compare(own ? exact.cost_own[j] : exact.cost_before[c], cimag(stepped.stage.cost) * 1e40, 1.0);
        for (int i = 0; i < rows; i++) {
            const double value = own ? exact.row_own[j * rows + i] : exact.row_before[c * rows + i];
            compare(value, cimag(stepped.row[i]) * 1e40, fabs(value));
        }
        // gradient of cost + m . row, stepped: a column of the Hessian
        for (int i = 0; i < variables + carried; i++) {
            const bool first = i < variables;
            const int k = i - variables;
            double complex sum = first ? stepped.cost_own[i] : stepped.cost_before[k];
            for (int r = 0; r < rows; r++) {
                sum += m[r] * (first ? stepped.row_own[i * rows + r] : stepped.row_before[k * rows + r]);
            }
            const double value = first && own ? exact.own_own[j * variables + i]
                                 : first      ? exact.own_before[c * variables + i]
                                 : own        ? exact.own_before[k * variables + j]
                                              : exact.before_before[c * carried + k];
            compare(value, cimag(sum) * 1e40, fabs(value));
        }
    }
}

#endif
