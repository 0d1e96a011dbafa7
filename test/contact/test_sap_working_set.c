/* What SAP leaves out or presumes at its guess: the way to the solution changes, not the solution. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/sap_working_set.h"
#include "sap_problems.h"

static FilSap* sap;
static FilSapOptions settings;

static int set_up(void** state)
{
    (void)state;
    sap = fil_sap_create();
    return sap != NULL ? 0 : 1;
}

static int tear_down(void** state)
{
    (void)state;
    fil_sap_destroy(sap);
    return 0;
}

/* Lagged friction, with bounds that stay as the step begins with them. */
static SapFixture* draw_problem(Random* random)
{
    settings = fil_sap_options_default();
    settings.tolerance = 1e-10;
    settings.max_rounds = 0;
    return random_problem(random, FIL_SAP_LAGGED_CONTACT, 40);
}

static void solve(SapFixture* f)
{
    FilSapStats stats;
    assert_int_equal(fil_sap_solve(sap, &f->problem, &settings, f->v, f->impulse, &stats), FIL_OK);
}

static void assert_same_impulses(const SapFixture* f, const double* impulse)
{
    double max = 0.0, bound = 0.0;
    for (int k = 0; k < 3 * f->problem.constraint_count; k++) {
        max = fmax(max, fabs(impulse[k] - f->impulse[k]));
        bound = fmax(bound, fabs(f->impulse[k]));
    }
    assert_true(max <= 1e-6 * bound);  // 1e-10 of the momenta times a condition number of 1e4
}

/* Contacts that the guess sees apart may be left out: where they close all the same, and where they do not, the solution is that of all. */
static void working_sets_agree(void** state)
{
    (void)state;
    Random random = {25};
    FilSapWorkingSet set = {0};
    int left_out = 0, again = 0;
    for (int trial = 0; trial < 100; trial++) {
        SapFixture* f = draw_problem(&random);
        double v[4 * MAX_VARIABLES], impulse[3 * MAX_CONSTRAINTS];
        // a guess near free motion tells half of the contacts apart, one at rest all of them
        for (int k = 0; k < 4 * f->problem.pattern.columns; k++) {
            v[k] = f->v[k] = trial % 2 == 0 ? 0.9 * f->v_free[k] : 0.0;
        }
        solve(f);
        FilSapStats stats = {0};
        assert_int_equal(fil_sap_working_set_solve(&set, sap, &f->problem, &settings, v, impulse, &stats), FIL_OK);
        left_out += set.count < f->problem.constraint_count;
        again += stats.analyses > 1;
        assert_same_impulses(f, impulse);
        free(f);
    }
    assert_true(left_out > 50 && again > 10 && again < left_out);
    fil_sap_working_set_free(&set);
}

/* What is presumed to bear in the first step decides about the way to the solution, not about it. */
static void presumptions_agree(void** state)
{
    (void)state;
    static const double shares[3] = {0.0, 0.1, 1e9};  // of none, of those that nearly touch, of all
    Random random = {26};
    for (int trial = 0; trial < 60; trial++) {
        SapFixture* f = draw_problem(&random);
        const size_t size = 4 * sizeof(double) * (size_t)f->problem.pattern.columns;
        double v[4 * MAX_VARIABLES], impulse[3 * MAX_CONSTRAINTS];
        memcpy(v, f->v, size);
        for (int k = 0; k < 3; k++) {
            memcpy(f->v, v, size);
            settings.presumption = shares[k];
            solve(f);
            if (k > 0) {
                assert_same_impulses(f, impulse);
            }
            memcpy(impulse, f->impulse, 3 * sizeof *impulse * (size_t)f->problem.constraint_count);
        }
        free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(working_sets_agree), cmocka_unit_test(presumptions_agree)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
