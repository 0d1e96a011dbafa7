/* IPOPT as referee: the same coarse problem from the same start, with a schedule of relaxations around it (P1 solves its
 * problems by IPOPT). Only where IPOPT is found at build. */
#include <IpStdCInterface.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "p1_problem.h"
#include "plan/ball_plan.h"
#include "random.h"

// from 3.14 on the C interface has types of its own
#ifdef IPOPTLIB_EXPORT
typedef bool Truth;
typedef ipnumber Real;
typedef ipindex Count;
#else
typedef Bool Truth;
typedef Number Real;
typedef Index Count;
#endif

enum { STAGES = 12, N = 64, C = 32, MOST = 400000 };

typedef struct Entry {
    int row, column, stage, place, kind; /* kind: 0 own, 1 before, 2 pair a, 3 pair b; of the Hessian own, mixed, corner, pair */
} Entry;

typedef struct Referee {
    const FilPlanProblem* p;
    Entry *jacobian, *hessian;
    int jacobian_count, hessian_count;
    double relaxation;
    double row[N], cost_own[N], cost_before[C], row_own[N * N], row_before[N * C], own_own[N * N], own_before[N * C],
        before_before[C * C];
} Referee;

static const FilPlanStage* evaluate(Referee* r, int k, const double* x, const double* multiplier, FilPlanOrder order)
{
    static FilPlanStage s;
    const FilPlanProblem* p = r->p;
    double before[C];
    memset(r->row, 0, sizeof(Referee) - offsetof(Referee, row));
    s = (FilPlanStage){0.0,        r->row,     r->cost_own,   r->cost_before,  r->row_own,
                       r->row_before, r->own_own, r->own_before, r->before_before};
    for (int i = 0; i < p->carried; i++) {
        before[i] = k == 0 ? p->before[i] : x[(k - 1) * p->variables + p->carry[i]];
    }
    return p->evaluate(p->data, k, before, x + k * p->variables, multiplier, order, &s) ? &s : NULL;
}

static Truth eval_f(Count n, Real* x, Truth fresh, Real* value, UserDataPtr user)
{
    Referee* r = user;
    (void)n, (void)fresh;
    *value = 0.0;
    for (int k = 0; k < r->p->stages; k++) {
        const FilPlanStage* s = evaluate(r, k, x, NULL, FIL_PLAN_VALUES);
        if (s == NULL) {
            return 0;
        }
        *value += s->cost;
    }
    return 1;
}

static Truth eval_grad_f(Count n, Real* x, Truth fresh, Real* gradient, UserDataPtr user)
{
    Referee* r = user;
    const FilPlanProblem* p = r->p;
    (void)fresh;
    memset(gradient, 0, sizeof(Real) * (size_t)n);
    for (int k = 0; k < p->stages; k++) {
        if (evaluate(r, k, x, NULL, FIL_PLAN_FIRST) == NULL) {
            return 0;
        }
        for (int j = 0; j < p->variables; j++) {
            gradient[k * p->variables + j] += r->cost_own[j];
        }
        for (int i = 0; i < p->carried && k > 0; i++) {
            gradient[(k - 1) * p->variables + p->carry[i]] += r->cost_before[i];
        }
    }
    return 1;
}

static Truth eval_g(Count n, Real* x, Truth fresh, Count m, Real* g, UserDataPtr user)
{
    Referee* r = user;
    const FilPlanProblem* p = r->p;
    (void)n, (void)m, (void)fresh;
    for (int k = 0; k < p->stages; k++) {
        if (evaluate(r, k, x, NULL, FIL_PLAN_VALUES) == NULL) {
            return 0;
        }
        memcpy(g + k * p->rows, r->row, sizeof(double) * (size_t)p->rows);
        for (int i = 0; i < p->pair_count; i++) {
            const double* own = x + k * p->variables;
            g[p->stages * p->rows + k * p->pair_count + i] = own[p->pairs[i].a] * own[p->pairs[i].b];
        }
    }
    return 1;
}

static Truth eval_jac_g(Count n, Real* x, Truth fresh, Count m, Count count, Count* rows, Count* columns, Real* values,
                        UserDataPtr user)
{
    Referee* r = user;
    int last = -1;
    (void)n, (void)m, (void)fresh;
    for (int e = 0; e < count; e++) {
        const Entry* entry = &r->jacobian[e];
        if (values == NULL) {
            rows[e] = entry->row, columns[e] = entry->column;
            continue;
        }
        if (entry->stage != last && evaluate(r, last = entry->stage, x, NULL, FIL_PLAN_FIRST) == NULL) {
            return 0;
        }
        const double* own = x + entry->stage * r->p->variables;
        values[e] = entry->kind == 0 ? r->row_own[entry->place] : entry->kind == 1 ? r->row_before[entry->place]
                                                                                  : own[entry->place];
    }
    return 1;
}

static Truth eval_h(Count n, Real* x, Truth fresh, Real factor, Count m, Real* lambda, Truth fresh_lambda, Count count,
                    Count* rows, Count* columns, Real* values, UserDataPtr user)
{
    Referee* r = user;
    const FilPlanProblem* p = r->p;
    int last = -1;
    (void)n, (void)m, (void)fresh, (void)fresh_lambda;
    for (int e = 0; e < count; e++) {
        const Entry* entry = &r->hessian[e];
        if (values == NULL) {
            rows[e] = entry->row, columns[e] = entry->column;
            continue;
        }
        if (entry->stage != last) {
            // cost weighed by the factor: rows' multipliers divided by it, everything multiplied
            double scaled[N];
            last = entry->stage;
            for (int i = 0; i < p->rows; i++) {
                scaled[i] = lambda[last * p->rows + i] / (factor > 0.0 ? factor : 1e-12);
            }
            if (evaluate(r, last, x, scaled, FIL_PLAN_SECOND) == NULL) {
                return 0;
            }
        }
        const double f = factor > 0.0 ? factor : 1e-12;
        values[e] = entry->kind == 0   ? f * r->own_own[entry->place]
                    : entry->kind == 1 ? f * r->own_before[entry->place]
                    : entry->kind == 2 ? f * r->before_before[entry->place]
                                       : lambda[p->stages * p->rows + entry->place];
    }
    return 1;
}

static void add(Entry* list, int* count, int row, int column, int stage, int place, int kind)
{
    assert_true(*count < MOST);
    list[(*count)++] = (Entry){row, column, stage, place, kind};
}

/* The pattern: what is not zero at a random point with random multipliers. */
static void find_pattern(Referee* r, const double* x)
{
    const FilPlanProblem* p = r->p;
    const int n = p->variables, m = p->rows;
    Random random = {3u};
    double* y = malloc(sizeof(double) * (size_t)(p->stages * n));
    double multiplier[N];
    for (int j = 0; j < p->stages * n; j++) {
        y[j] = x[j] + p->scale[j % n] * random_between(&random, 0.1, 0.2);
    }
    for (int k = 0; k < p->stages; k++) {
        for (int i = 0; i < m; i++) {
            multiplier[i] = random_between(&random, 0.5, 1.5);
        }
        assert_non_null(evaluate(r, k, y, multiplier, FIL_PLAN_SECOND));
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < m; i++) {
                if (r->row_own[j * m + i] != 0.0) {
                    add(r->jacobian, &r->jacobian_count, k * m + i, k * n + j, k, j * m + i, 0);
                }
            }
            for (int i = j; i < n; i++) {
                if (r->own_own[j * n + i] != 0.0 || i == j) {
                    add(r->hessian, &r->hessian_count, k * n + i, k * n + j, k, j * n + i, 0);
                }
            }
        }
        for (int j = 0; j < p->carried && k > 0; j++) {
            const int column = (k - 1) * n + p->carry[j];
            for (int i = 0; i < m; i++) {
                if (r->row_before[j * m + i] != 0.0) {
                    add(r->jacobian, &r->jacobian_count, k * m + i, column, k, j * m + i, 1);
                }
            }
            for (int i = 0; i < n; i++) {
                if (r->own_before[j * n + i] != 0.0) {
                    add(r->hessian, &r->hessian_count, k * n + i, column, k, j * n + i, 1);
                }
            }
            for (int i = j; i < p->carried; i++) {
                if (r->before_before[j * p->carried + i] != 0.0) {
                    add(r->hessian, &r->hessian_count, (k - 1) * n + p->carry[i], column, k, j * p->carried + i, 2);
                }
            }
        }
        for (int i = 0; i < p->pair_count; i++) {
            const int a = p->pairs[i].a, b = p->pairs[i].b, low = a > b ? a : b, at = k * p->pair_count + i;
            add(r->jacobian, &r->jacobian_count, p->stages * m + at, k * n + a, k, b, 2);
            add(r->jacobian, &r->jacobian_count, p->stages * m + at, k * n + b, k, a, 3);
            add(r->hessian, &r->hessian_count, k * n + low, k * n + a + b - low, k, at, 3);
        }
    }
    free(y);
}

/* The schedule eps = first ... 1e-6 by tenths, each from the last. Returns IPOPT's last status. */
static int solve_by_ipopt(Referee* r, double first, double* x, double* cost)
{
    const FilPlanProblem* p = r->p;
    const int n = p->stages * p->variables, rows = p->stages * p->rows, pairs = p->stages * p->pair_count;
    double *gl = calloc((size_t)(rows + pairs), sizeof(double)), *gu = calloc((size_t)(rows + pairs), sizeof(double));
    double *lower = malloc(sizeof(double) * (size_t)n), *upper = malloc(sizeof(double) * (size_t)n);
    int status = 0;
    for (int j = 0; j < n; j++) {
        lower[j] = fmax(p->lower[j], -2e19);
        upper[j] = fmin(p->upper[j], 2e19);
    }
    for (double eps = first; eps > 5e-7; eps *= 0.1) {
        for (int i = 0; i < pairs; i++) {
            gl[rows + i] = -2e19;
            gu[rows + i] = eps;
        }
        IpoptProblem nlp = CreateIpoptProblem(n, lower, upper, rows + pairs, gl, gu, r->jacobian_count,
                                              r->hessian_count, 0, eval_f, eval_g, eval_grad_f, eval_jac_g, eval_h);
        assert_non_null(nlp);
        AddIpoptIntOption(nlp, "print_level", 0);
        AddIpoptStrOption(nlp, "sb", "yes");
        AddIpoptNumOption(nlp, "tol", 1e-7);
        AddIpoptNumOption(nlp, "bound_relax_factor", 0.0);
        AddIpoptIntOption(nlp, "max_iter", 500);
        AddIpoptNumOption(nlp, "mu_init", eps < 0.05 ? eps : 0.1);
        AddIpoptNumOption(nlp, "bound_push", eps < 0.05 ? 1e-6 : 1e-2);
        AddIpoptNumOption(nlp, "bound_frac", eps < 0.05 ? 1e-6 : 1e-2);
        status = (int)IpoptSolve(nlp, x, NULL, cost, NULL, NULL, NULL, r);
        FreeIpoptProblem(nlp);
    }
    free(gl), free(gu), free(lower), free(upper);
    return status;
}

static void both_find_the_same_optimum(void** state)
{
    (void)state;
    static Referee r;
    FilSoftArm* arm = p1_arm(1, false);
    FilBallTurn turn = p1_turn(arm, STAGES);
    const FilBallBounds bounds = {{-0.05, 0.2}, 60.0, {0.1, 20.0}, 2.0};
    const FilBallLayout o = fil_ball_layout(&turn);
    double start[C] = {0.0}, ours[STAGES * N], theirs[STAGES * N], cost = 0.0;
    FilBallProblem problem;
    turn.target[0] = sin(0.3), turn.target[3] = cos(0.3);  // 0.6 rad about x
    assert_true(fil_ball_touch(&turn, (const double[2]){0.0, 0.0}, start));
    start[o.q + 3] = 1.0;
    assert_true(fil_ball_problem_create(&turn, &bounds, start, &problem));
    fil_ball_guess(&problem, 0.0, 0.0, 0, ours);
    memcpy(theirs, ours, sizeof ours);
    FilPlanSettings settings = fil_plan_settings_default();
    FilPlanPoint point = {.x = ours};
    settings.relaxation_end = 1e-6;
    settings.polish = false;
    const FilPlanResult result = fil_interior_point(&problem.problem, &settings, &point);
    r = (Referee){.p = &problem.problem,
                  .jacobian = malloc(sizeof(Entry) * MOST),
                  .hessian = malloc(sizeof(Entry) * MOST)};
    find_pattern(&r, theirs);
    const int status = solve_by_ipopt(&r, 0.1, theirs, &cost);
    const FilBallQuality a = fil_ball_judge(&problem, ours), b = fil_ball_judge(&problem, theirs);
    print_message("ours: cost %.6f, rows %.1e, %d iterations; IPOPT: status %d, cost %.6f, rows %.1e, pairs %.1e\n", a.cost,
                  a.violation, result.iterations, status, b.cost, b.violation, fmax(b.gap_pair, b.slip_pair));
    assert_int_equal(result.outcome, FIL_PLAN_SOLVED);
    // judged by the point, not by the status: the referee must have met the equations for its cost to count
    assert_true(b.violation < 1e-5);
    assert_true(a.cost < 1.01 * b.cost);
    // begun at our point it stays there: the point is stationary for IPOPT, too
    memcpy(theirs, ours, sizeof ours);
    const int stays = solve_by_ipopt(&r, 1e-6, theirs, &cost);
    const FilBallQuality c = fil_ball_judge(&problem, theirs);
    print_message("IPOPT from our point: status %d, cost %.6f, rows %.1e\n", stays, c.cost, c.violation);
    assert_true(c.violation < 1e-5 && fabs(c.cost - a.cost) < 0.01 * a.cost);
    free(r.jacobian), free(r.hessian);
    fil_ball_problem_free(&problem);
    fil_soft_arm_ops.destroy(arm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_find_the_same_optimum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
