/* The interior-point method: problems with complementary pairs whose solutions are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/interior_point.h"
#include "push_problem.h"
#include "show_progress.h"

/* ---- one stage of two variables, and no rows ---- */

static bool trap(const void* data, int stage, const double* p, const double* x, const double* multiplier, FilPlanOrder order, FilPlanStage* out)
{
    // (x1 - 1)^2 + x2^3 + x2^2
    (void)data, (void)stage, (void)p, (void)multiplier;
    out->cost = (x[0] - 1.0) * (x[0] - 1.0) + x[1] * x[1] * (x[1] + 1.0);
    if (order != FIL_PLAN_VALUES) {
        out->cost_own[0] = 2.0 * (x[0] - 1.0);
        out->cost_own[1] = 3.0 * x[1] * x[1] + 2.0 * x[1];
    }
    if (order == FIL_PLAN_SECOND) {
        out->own_own[0] = 2.0;
        out->own_own[3] = 6.0 * x[1] + 2.0;
    }
    return true;
}

static bool corner(const void* data, int stage, const double* p, const double* x, const double* multiplier, FilPlanOrder order, FilPlanStage* out)
{
    // ((x1 - 1)^2 + (x2 - 1)^2) / 2
    (void)data, (void)stage, (void)p, (void)multiplier;
    out->cost = 0.5 * (pow(x[0] - 1.0, 2) + pow(x[1] - 1.0, 2));
    for (int j = 0; j < 2 && order != FIL_PLAN_VALUES; j++) {
        out->cost_own[j] = x[j] - 1.0;
        if (order == FIL_PLAN_SECOND) {
            out->own_own[3 * j] = 1.0;
        }
    }
    return true;
}

typedef bool (*Evaluate)(const void*, int, const double*, const double*, const double*, FilPlanOrder, FilPlanStage*);

static FilPlanResult solve_two(Evaluate evaluate, double* x, bool polish)
{
    static const double lower[2] = {0.0, 0.0}, upper[2] = {INFINITY, INFINITY}, scale[2] = {1.0, 1.0};
    static const FilPlanPair pair = {0, 1, 1.0};
    const FilPlanProblem problem = {
        .stages = 1, .variables = 2, .lower = lower, .upper = upper, .scale = scale, .pairs = &pair, .pair_count = 1, .evaluate = evaluate};
    FilPlanSettings settings = fil_plan_settings_default();
    FilPlanPoint point = {.x = x};
    settings.polish = polish;
    settings.report = show_progress;
    return fil_interior_point(&problem, &settings, &point);
}

static void finds_the_minimum_beside_a_trap(void** state)
{
    // minimum (1, 0); the origin is stationary only in Clarke's sense
    (void)state;
    const double starts[4][2] = {{0.5, 0.5}, {0.01, 0.01}, {2.0, 0.1}, {1e-3, 3.0}};
    for (int s = 0; s < 4; s++) {
        double x[2] = {starts[s][0], starts[s][1]};
        const FilPlanResult result = solve_two(trap, x, true);
        assert_int_equal(result.outcome, FIL_PLAN_SOLVED);
        assert_true(fabs((x[0]) - (1.0)) < 1e-6);
        assert_true(fabs((x[1]) - (0.0)) < 1e-6);
        assert_true(result.last.pairs < 2e-9);  // slivers of 1e-9, after the polish
    }
}

static void chooses_one_of_two_minima(void** state)
{
    // Scheel and Scholtes' example: minima (1, 0) and (0, 1) of cost 1/2, the origin of cost 1 between them
    (void)state;
    for (int s = 0; s < 2; s++) {
        double x[2] = {s == 0 ? 0.6 : 0.2, s == 0 ? 0.2 : 0.6};
        const FilPlanResult result = solve_two(corner, x, s == 0);
        assert_int_equal(result.outcome, FIL_PLAN_SOLVED);
        // an unpolished minimum lies on a b = 1e-7
        assert_true(fabs((x[s]) - (1.0)) < 1e-6);
        assert_true(fabs((x[1 - s]) - (0.0)) < 2e-7);
    }
}

/* ---- where it begins ---- */

static bool keep_first(void* user, const FilPlanProgress* p)
{
    FilPlanProgress* first = user;
    *first = p->iteration == 0 ? *p : *first;
    return true;
}

static bool slope(const void* data, int stage, const double* p, const double* x, const double* multiplier, FilPlanOrder order, FilPlanStage* out)
{
    // a x1 - b x2 of a = data[0] and b = data[1]
    const double* rise = data;
    (void)stage, (void)p, (void)multiplier;
    out->cost = rise[0] * x[0] - rise[1] * x[1];
    if (order != FIL_PLAN_VALUES) {
        out->cost_own[0] = rise[0];
        out->cost_own[1] = -rise[1];
    }
    return true;
}

static void begins_on_the_central_path(void** state)
{
    // the barrier's minimum of a x, x >= 0, is where a = mu/x, and of -b x, x <= 4, where b = mu/(4 - x): begun there, nothing pulls
    (void)state;
    static const double lower[2] = {0.0, -INFINITY}, upper[2] = {INFINITY, 4.0}, scale[2] = {1.0, 1.0};
    FilPlanSettings settings = fil_plan_settings_default();
    const double barrier = settings.relaxation_start / settings.relaxation_ratio, rise[2] = {barrier / 0.5, barrier / 0.25};
    const FilPlanProblem problem = {.stages = 1, .variables = 2, .lower = lower, .upper = upper, .scale = scale, .data = rise, .evaluate = slope};
    FilPlanProgress first = {.dual = NAN};
    double x[2] = {0.5, 3.75};
    FilPlanPoint point = {.x = x};
    settings.report = keep_first;
    settings.user = &first;
    const FilPlanResult result = fil_interior_point(&problem, &settings, &point);
    assert_int_equal(result.outcome, FIL_PLAN_SOLVED);
    assert_true(first.dual < 1e-14 * barrier);
    assert_true(x[0] < 1e-6 && x[1] > 4.0 - 1e-6);
}

/* ---- the pushed box ---- */

static FilPlanResult push_box(Push* push, int stages, double friction, double force, double effort, double* x)
{
    const FilPlanProblem problem = push_problem(push, stages, 2.0, friction, force, effort);
    FilPlanSettings settings = fil_plan_settings_default();
    FilPlanPoint point = {.x = x};
    settings.report = show_progress;
    // standing still is stationary, too: a guess that moves, and a relaxation that lets it
    settings.relaxation_start = 10.0;
    for (int k = 0; k < stages; k++) {
        double* own = x + k * PUSH_VARIABLES;
        const double guess[PUSH_VARIABLES] = {[V] = 1.0, [UP] = 2.0, [DOWN] = 0.1, [FINGER] = 1.0, [FORCE] = 10.0, [MINUS] = 10.0, [SLIP] = 1.0};
        memcpy(own, guess, sizeof guess);
        own[X] = own[Y] = (k + 1.0) / stages;
    }
    return fil_interior_point(&problem, &settings, &point);
}

static void pushes_a_box_with_least_effort(void** state)
{
    // x'' = u/m - mu g while it slides. Over 1 m from rest to rest within tau the integral of u^2 is least, and
    // m^2 ((mu g)^2 tau + 12/tau^3), for u/m = mu g + 12/tau^3 (tau/2 - s). Waiting costs nothing: of all tau that of
    // sqrt(6/(mu g)) is best, and the force falls from 2 mu g m to zero: u/m = 2 mu g (1 - s/tau).
    (void)state;
    static Push push;
    static double x[PUSH_STAGES * PUSH_VARIABLES];
    const double friction = 7.0, tau = sqrt(6.0 / friction), effort = 4.0 * friction * friction * 4.0 / 3.0 * tau;
    for (int s = 0; s < 2; s++) {
        const int stages = s == 0 ? 50 : 100;
        const FilPlanResult result = push_box(&push, stages, friction, 100.0, 1.0, x);
        print_message("%d stages: effort %.4f against %.4f, %d iterations, rows %.1e, pairs %.1e\n", stages, result.last.cost, effort,
                      result.iterations, result.last.violation, result.last.pairs);
        assert_int_equal(result.outcome, FIL_PLAN_SOLVED);
        assert_true(result.last.violation < 1e-8 && result.last.pairs < 1e-7);
        assert_true(fabs(result.last.cost / effort - 1.0) < 1e-3);  // 7e-5 and 2e-5
        // it may wait before or after: the first sliding stage begins the ramp
        int first = 0;
        while (first < stages && x[first * PUSH_VARIABLES + V] < 1e-4) {
            first++;
        }
        for (int k = first + 1; (k + 0.5 - first) / stages < tau - 1.0 / stages; k++) {
            const double expected = 2.0 * friction * (1.0 - (k + 0.5 - first) / stages / tau);
            assert_true(fabs(x[k * PUSH_VARIABLES + FORCE] / 2.0 - expected) < 20.0 / stages);
        }
    }
}

static void pushes_a_box_with_all_its_force(void** state)
{
    // Full force for t1, then friction mu g = 5 m/s^2 brakes. From v1 = (F/m - mu g) t1 = mu g (1 - t1) and the
    // distance v1/2 = 1 follow t1 = 0.6 and F/m = mu g/t1 = 25/3: the least force that does it. With 2 % more there is
    // hardly any choice.
    (void)state;
    static Push push;
    static double x[PUSH_STAGES * PUSH_VARIABLES];
    const double force = 1.02 * 2.0 * 25.0 / 3.0;
    const FilPlanResult result = push_box(&push, PUSH_STAGES, 5.0, force, 1e-2, x);
    print_message("full force: %d iterations, rows %.1e, pairs %.1e\n", result.iterations, result.last.violation, result.last.pairs);
    assert_int_equal(result.outcome, FIL_PLAN_SOLVED);
    for (int k = 1; k < PUSH_STAGES; k++) {
        const double t = (k + 0.5) / PUSH_STAGES, u = x[k * PUSH_VARIABLES + FORCE];
        assert_true(t > 0.35 || fabs(u - force) < 0.01 * force);
        assert_true(t < 0.7 || u < 0.01 * force);
    }
}

static void says_that_too_little_force_is_too_little(void** state)
{
    (void)state;
    static Push push;
    static double x[PUSH_STAGES * PUSH_VARIABLES];
    const FilPlanResult result = push_box(&push, 50, 5.0, 0.9 * 2.0 * 25.0 / 3.0, 1e-2, x);
    assert_int_not_equal(result.outcome, FIL_PLAN_SOLVED);
    assert_true(result.last.violation > 1e-6 || result.last.pairs > 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_minimum_beside_a_trap),          cmocka_unit_test(chooses_one_of_two_minima),
        cmocka_unit_test(pushes_a_box_with_least_effort),           cmocka_unit_test(pushes_a_box_with_all_its_force),
        cmocka_unit_test(says_that_too_little_force_is_too_little), cmocka_unit_test(begins_on_the_central_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
