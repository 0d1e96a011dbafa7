/* Plans of sweeps: every point of a grid once, draws of the distributions asked for, Sobol's points as even as theory says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sweep/plan.h"
#include "sweep/sobol.h"

static double number_of(const FilSweepPlan* plan, uint64_t run, int axis)
{
    char text[FIL_SWEEP_TEXT];
    fil_sweep_value(plan, run, axis, text);
    return strtod(text, NULL);
}

static void grids_have_every_point_once(void** state)
{
    (void)state;
    const FilSetting over[] = {{"a", "linspace(-1,1,5)"}, {"b", "[sap, ipc,none]"}, {"c", "logspace(0.01,100,3)"}};
    FilSweepPlan plan = {.samples = 1, .seeds = 2, .seed = 7, .seeded = true};
    FilError error = {""};
    assert_int_equal(fil_sweep_plan(&plan, over, 3, NULL, 0, &error), FIL_OK);
    assert_int_equal(plan.runs, 5 * 3 * 3 * 2);
    static const char* const words[] = {"sap", "ipc", "none"};
    static const double decades[] = {0.01, 1.0, 100.0};
    for (uint64_t run = 0; run < plan.runs; run++) {
        char text[FIL_SWEEP_TEXT];
        fil_sweep_value(&plan, run, 1, text);
        assert_true(fabs(number_of(&plan, run, 0) - (-1.0 + 0.5 * (double)(run / 18))) < 1e-15);
        assert_string_equal(text, words[run / 6 % 3]);
        assert_true(fabs(number_of(&plan, run, 2) / decades[run / 2 % 3] - 1.0) < 1e-14);
        assert_int_equal(fil_sweep_seed(&plan, run), 7 + run % 2);
    }
    // ends are exact, numbers read back as they are
    char text[FIL_SWEEP_TEXT];
    fil_sweep_value(&plan, plan.runs - 1, 2, text);
    assert_string_equal(text, "100");
}

/* Kolmogorov's distance of n draws from a distribution; 1.95 / sqrt(n) is missed by one set of draws in a thousand. */
static double distance(const FilSweepPlan* plan, int axis, double (*share)(double x))
{
    enum { MAX_COUNT = 400 };
    double worst = 0.0, values[MAX_COUNT];
    assert_true(plan->runs <= MAX_COUNT);
    for (uint64_t i = 0; i < plan->runs; i++) {
        values[i] = number_of(plan, i, axis);
    }
    for (uint64_t i = 0; i < plan->runs; i++) {
        int below = 0;
        for (uint64_t j = 0; j < plan->runs; j++) {
            below += values[j] <= values[i];
        }
        worst = fmax(worst, fabs(below / (double)plan->runs - share(values[i])));
    }
    return worst;
}

static double uniform_share(double x)
{
    return (x - 2.0) / 3.0;
}

static double log_share(double x)
{
    return log(x / 0.1) / log(100.0);
}

static double normal_share(double x)
{
    return 0.5 * erfc(-(x - 5.0) / 0.3 / sqrt(2.0));
}

static void draws_have_their_distributions(void** state)
{
    (void)state;
    const FilSetting random[] = {{"u", "uniform(2,5)"}, {"l", "loguniform(0.1,10)"}, {"n", "normal(5,0.3)"}};
    for (int sobol = 0; sobol < 2; sobol++) {
        FilSweepPlan plan = {.samples = 400, .seeds = 1, .seed = 3, .sobol = sobol};
        FilError error = {""};
        assert_int_equal(fil_sweep_plan(&plan, NULL, 0, random, 3, &error), FIL_OK);
        // of Sobol's points no interval misses its share by more than a few of them
        const double limit = sobol ? 6.0 / 400.0 : 1.95 / 20.0;
        assert_true(distance(&plan, 0, uniform_share) < limit);
        assert_true(distance(&plan, 1, log_share) < limit);
        assert_true(distance(&plan, 2, normal_share) < limit);
        // a draw depends on its number and the seed alone
        FilSweepPlan fewer = plan, other = plan;
        fewer.samples = fewer.runs = 10;
        other.seed = 4;
        assert_true(number_of(&fewer, 7, 1) == number_of(&plan, 7, 1));
        assert_true(number_of(&other, 7, 1) != number_of(&plan, 7, 1));
    }
}

/* The first 2^m points have one in each of 2^m equal intervals, in every dimension; the first two dimensions have one in each of the
 * boxes of area 2^-m, of whatever sides. */
static void sobol_points_are_nets(void** state)
{
    (void)state;
    enum { M = 8, POINTS = 1 << M };
    for (int d = 0; d < FIL_SOBOL_DIMENSIONS; d++) {
        bool seen[POINTS] = {false};
        for (uint32_t i = 0; i < POINTS; i++) {
            const uint32_t at = fil_sobol(i, d) >> (32 - M);
            assert_false(seen[at]);
            seen[at] = true;
        }
        for (int e = 0; e < d; e++) {  // no dimension is another one
            bool same = true;
            for (uint32_t i = 0; i < POINTS && same; i++) {
                same = fil_sobol(i, d) == fil_sobol(i, e);
            }
            assert_false(same);
        }
    }
    for (int split = 1; split < M; split++) {
        bool seen[POINTS] = {false};
        for (uint32_t i = 0; i < POINTS; i++) {
            const uint32_t at = (fil_sobol(i, 0) >> (32 - split)) << (M - split) | fil_sobol(i, 1) >> (32 - (M - split));
            assert_false(seen[at]);
            seen[at] = true;
        }
    }
}

static void wrong_plans_are_refused(void** state)
{
    (void)state;
    static const struct {
        const char *over, *random, *message;
    } cases[] = {
        {"linspace(1,2)", NULL, "--over a=linspace(1,2): linspace takes 3 numbers"},
        {"linspace(1,2,0)", NULL, "--over a=linspace(1,2,0): 0 is no number of values"},
        {"linspace(1,2,2.5)", NULL, "--over a=linspace(1,2,2.5): 2.5 is no number of values"},
        {"linspace(1,nan,3)", NULL, "--over a=linspace(1,nan,3): linspace takes 3 numbers"},
        {"logspace(0,1,3)", NULL, "--over a=logspace(0,1,3): the bounds of a logarithm are positive"},
        {"linspac(1,2,3)", NULL, "--over a=linspac(1,2,3): this is none of linspace(a,b,n), logspace(a,b,n), [x,y,...]"},
        {"[]", NULL, "--over a=[]: this is none of linspace(a,b,n), logspace(a,b,n), [x,y,...]"},
        {"[1", NULL, "--over a=[1: this is none of linspace(a,b,n), logspace(a,b,n), [x,y,...]"},
        {NULL, "linspace(1,2,3)", "--random a=linspace(1,2,3): this is none of uniform(a,b), loguniform(a,b), normal(mean,deviation)"},
        {NULL, "uniform(1)", "--random a=uniform(1): uniform takes 2 numbers"},
        {"linspace(0,1,1000000000)", NULL, "a sweep has a thousand million runs at most"},
        {"[1,2]", "uniform(1,2)", "a is varied twice"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const FilSetting over = {"a", cases[k].over}, random = {"a", cases[k].random};
        FilSweepPlan plan = {.samples = 1, .seeds = 2};
        FilError error = {""};
        assert_int_equal(fil_sweep_plan(&plan, &over, cases[k].over != NULL, &random, cases[k].random != NULL, &error), FIL_BAD_INPUT);
        assert_string_equal(error.text, cases[k].message);
    }
    FilSweepPlan plan = {.samples = 5, .seeds = 1};
    FilError error = {""};
    assert_int_equal(fil_sweep_plan(&plan, NULL, 0, NULL, 0, &error), FIL_BAD_INPUT);
    assert_string_equal(error.text, "--samples: nothing is drawn; give --random a key");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_have_every_point_once),
        cmocka_unit_test(draws_have_their_distributions),
        cmocka_unit_test(sobol_points_are_nets),
        cmocka_unit_test(wrong_plans_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
