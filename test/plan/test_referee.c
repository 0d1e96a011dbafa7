/* ctest: heavy */
/* IPOPT as a second solver: the same problem from the same start (P1 solves its problems by IPOPT). Only where IPOPT is found
 * at build. */
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
#include "plan/interior_point.h"
#include "plan/plan_ipopt.h"
#include "push_problem.h"

enum { N = 64, C = 32, MAX_STAGES = 25 };

/* A turn about x by an angle, with its first guess. */
typedef struct Turn {
    FilSoftArm* arm;
    FilPlanMesh problem;
    double guess[MAX_STAGES * N];
} Turn;

static Turn* create(int stages, double angle)
{
    static const FilBallBounds bounds = {.elongation = {-0.05, 0.2}, .effort = 60.0, .normal_force = {0.1, 20.0}, .slip = 2.0};
    Turn* t = calloc(1, sizeof *t);
    double start[C] = {0.0};
    t->arm = p1_arm(4, true);
    FilBallTurn turn = p1_turn(t->arm, stages);
    turn.target[0] = sin(0.5 * angle), turn.target[3] = cos(0.5 * angle);
    assert_true(fil_ball_touch(&turn, (const double[2]){0.0, 0.0}, start));
    start[fil_ball_layout(&turn).q + 3] = 1.0;
    assert_true(fil_ball_problem_create(&turn, &bounds, start, &t->problem));
    fil_ball_guess(&t->problem, 0.0, 0.0, 0, t->guess);
    return t;
}

static void destroy(Turn* t)
{
    fil_plan_mesh_free(&t->problem);
    fil_soft_arm_ops.destroy(t->arm);
    free(t);
}

static void report(const char* who, const FilPlanResult* result, const FilPlanQuality* q)
{
    print_message("%s: outcome %d, cost %.6f, rows %.1e, pairs %.1e, %d iterations\n", who, (int)result->outcome, q->cost, q->violation,
                  fmax(q->gap_pair, q->slip_pair), result->iterations);
}

/* P1's turn by 90 degrees, the arm of scene ball_rotation, from the same start: the same optimum (docs/planning.md has more pairs). Pairs of IPOPT's
 * end at the last relaxation of 1e-7, ours are polished, which costs 0.02 %. */
static void both_find_the_same_optimum(void** state)
{
    (void)state;
    Turn* t = create(25, 0.5 * FIL_PI);
    double ours[MAX_STAGES * N], theirs[MAX_STAGES * N];
    FilPlanPoint a = {.x = ours}, b = {.x = theirs};
    const FilPlanSettings settings = fil_plan_settings_default();
    memcpy(ours, t->guess, sizeof ours);
    memcpy(theirs, t->guess, sizeof theirs);
    const FilPlanResult mine = fil_interior_point(&t->problem.problem, &settings, &a);
    const FilPlanResult other = fil_plan_ipopt(&t->problem.problem, &settings, &b);
    const FilPlanQuality p = fil_ball_judge(&t->problem, ours), q = fil_ball_judge(&t->problem, theirs);
    report("ours", &mine, &p);
    report("IPOPT", &other, &q);
    assert_int_equal(mine.outcome, FIL_PLAN_SOLVED);
    assert_true(q.violation < 1e-6 && fmax(q.gap_pair, q.slip_pair) < 1.1e-7);
    assert_true(fabs(p.cost - q.cost) < 0.01 * p.cost);
    destroy(t);
}

/* Begun at our point it stays there: the point is stationary for IPOPT, too. */
static void it_stays_at_our_optimum(void** state)
{
    (void)state;
    Turn* t = create(12, 0.6);
    double x[MAX_STAGES * N];
    FilPlanPoint point = {.x = x};
    FilPlanSettings settings = fil_plan_settings_default();
    settings.relaxation_end = 1e-6;
    settings.polish = false;
    memcpy(x, t->guess, sizeof x);
    const FilPlanResult mine = fil_interior_point(&t->problem.problem, &settings, &point);
    const FilPlanQuality p = fil_ball_judge(&t->problem, x);
    settings.relaxation_start = 1e-6;
    const FilPlanResult other = fil_plan_ipopt(&t->problem.problem, &settings, &point);
    const FilPlanQuality q = fil_ball_judge(&t->problem, x);
    report("ours", &mine, &p);
    report("IPOPT from there", &other, &q);
    assert_true(q.violation < 1e-6 && fabs(q.cost - p.cost) < 0.01 * p.cost);
    destroy(t);
}

/* A box pushed 1 m in 1 s (test_interior_point.c has the closed form): both agree on its cost. */
static void it_pushes_a_box(void** state)
{
    (void)state;
    enum { STAGES = 50 };
    static Push push;
    static double ours[STAGES * PUSH_VARIABLES], theirs[STAGES * PUSH_VARIABLES];
    const FilPlanProblem problem = push_problem(&push, STAGES, 2.0, 3.0, INFINITY, 1.0);
    FilPlanSettings settings = fil_plan_settings_default();
    FilPlanPoint a = {.x = ours}, b = {.x = theirs};
    settings.relaxation_start = 10.0;
    for (int k = 0; k < STAGES; k++) {
        const double guess[PUSH_VARIABLES] = {[V] = 1.0, [UP] = 2.0, [DOWN] = 0.1, [FINGER] = 1.0, [FORCE] = 10.0, [MINUS] = 10.0, [SLIP] = 1.0};
        double* own = ours + k * PUSH_VARIABLES;
        memcpy(own, guess, sizeof guess);
        own[X] = own[Y] = (k + 1.0) / STAGES;
    }
    memcpy(theirs, ours, sizeof ours);
    const FilPlanResult mine = fil_interior_point(&problem, &settings, &a);
    const FilPlanResult other = fil_plan_ipopt(&problem, &settings, &b);
    print_message("box: ours %.8f, IPOPT %.8f\n", mine.last.cost, other.last.cost);
    assert_int_equal(other.outcome, FIL_PLAN_SOLVED);
    assert_true(fabs(mine.last.cost - other.last.cost) < 1e-4 * mine.last.cost);
}

static bool stop_soon(void* user, const FilPlanProgress* progress)
{
    int* calls = user;
    (*calls)++;
    return progress->iteration < 5;
}

/* Cancelled, it says so and keeps the point that it had. */
static void it_can_be_cancelled(void** state)
{
    (void)state;
    Turn* t = create(12, 0.6);
    double x[MAX_STAGES * N];
    int calls = 0;
    FilPlanPoint point = {.x = x};
    FilPlanSettings settings = fil_plan_settings_default();
    settings.report = stop_soon;
    settings.user = &calls;
    memcpy(x, t->guess, sizeof x);
    const FilPlanResult result = fil_plan_ipopt(&t->problem.problem, &settings, &point);
    assert_int_equal(result.outcome, FIL_PLAN_CANCELLED);
    assert_int_equal(calls, 6);
    assert_true(isfinite(fil_ball_judge(&t->problem, x).cost));
    assert_true(memcmp(x, t->guess, sizeof(double) * (size_t)(12 * t->problem.problem.variables)) != 0);
    destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_find_the_same_optimum),
        cmocka_unit_test(it_stays_at_our_optimum),
        cmocka_unit_test(it_pushes_a_box),
        cmocka_unit_test(it_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
