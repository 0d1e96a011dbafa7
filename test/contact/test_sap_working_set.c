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

enum { PARTS = 30, PART = 40, HEAP_VARIABLES = PARTS * MAX_VARIABLES, HEAP_BLOCKS = PARTS * MAX_A_BLOCKS, HEAP_JACOBIANS = PARTS * MAX_JACOBIANS };

/* Many random problems as one: what a heap of so many constraints is to the solver. */
typedef struct Heap {
    FilSapProblem problem; /* points into the arrays below */
    int start[HEAP_VARIABLES + 1], row[HEAP_BLOCKS], block[HEAP_JACOBIANS];
    double a[16 * HEAP_BLOCKS], v_free[4 * HEAP_VARIABLES], jacobian[12 * HEAP_JACOBIANS];
    FilSapConstraint constraints[PARTS * PART];
} Heap;

static void add_part(Heap* heap, const SapFixture* f)
{
    FilSapProblem* p = &heap->problem;
    const int first = p->pattern.columns, blocks = heap->start[first];
    int jacobians = 0;
    for (int c = 0; c < p->constraint_count; c++) {
        jacobians += heap->constraints[c].block_count;
    }
    for (int j = 0; j < f->problem.pattern.columns; j++) {
        heap->start[first + j + 1] = blocks + f->start[j + 1];
    }
    for (int k = 0; k < f->start[f->problem.pattern.columns]; k++) {
        heap->row[blocks + k] = first + f->row[k];
    }
    memcpy(heap->a + 16 * (size_t)blocks, f->a, 16 * sizeof *f->a * (size_t)f->start[f->problem.pattern.columns]);
    memcpy(heap->v_free + 4 * (size_t)first, f->v_free, 4 * sizeof *f->v_free * (size_t)f->problem.pattern.columns);
    for (int k = 0; k < f->jacobians; k++) {
        heap->block[jacobians + k] = first + f->block[k];
    }
    memcpy(heap->jacobian + 12 * (size_t)jacobians, f->jacobian, 12 * sizeof *f->jacobian * (size_t)f->jacobians);
    for (int c = 0; c < f->problem.constraint_count; c++) {
        heap->constraints[p->constraint_count] = f->constraints[c];
        heap->constraints[p->constraint_count++].first_block += jacobians;
    }
    p->pattern.columns += f->problem.pattern.columns;
}

/* Heaps of the convex model and of lagged friction: contacts that close join, and the solution is that of all. */
static void heaps_agree(void** state)
{
    (void)state;
    Heap* heap = calloc(1, sizeof *heap);
    assert_non_null(heap);
    FilSapWorkingSet set = {0};
    for (int trial = 0; trial < 4; trial++) {
        Random random = {(uint64_t)(41 + trial)};
        heap->problem = (FilSapProblem){.dt = 2e-3,
                                        .pattern = {0, heap->start, heap->row},
                                        .a = heap->a,
                                        .v_free = heap->v_free,
                                        .constraints = heap->constraints,
                                        .block = heap->block,
                                        .jacobian = heap->jacobian};
        for (int k = 0; k < PARTS; k++) {
            SapFixture* f = random_problem(&random, trial % 2 == 0 ? FIL_SAP_CONTACT : FIL_SAP_LAGGED_CONTACT, PART);
            add_part(heap, f);
            free(f);
        }
        settings = fil_sap_options_default();
        settings.tolerance = 1e-10;
        settings.max_rounds = 0;
        settings.max_factorisations = 1000;
        const size_t n = 4 * (size_t)heap->problem.pattern.columns, m = 3 * (size_t)heap->problem.constraint_count;
        double *v = calloc(2 * n, sizeof *v), *impulse = calloc(2 * m, sizeof *impulse), max = 0.0, bound = 0.0;
        assert_true(v != NULL && impulse != NULL && m >= 3000);
        FilSapStats stats = {0};
        for (size_t k = 0; k < n; k++) {
            v[k] = v[n + k] = 0.9 * heap->v_free[k];
        }
        assert_int_equal(fil_sap_solve(sap, &heap->problem, &settings, v, impulse, &stats), FIL_OK);
        assert_int_equal(fil_sap_working_set_solve(&set, sap, &heap->problem, &settings, v + n, impulse + m, &stats), FIL_OK);
        for (size_t k = 0; k < m; k++) {
            max = fmax(max, fabs(impulse[m + k] - impulse[k]));
            bound = fmax(bound, fabs(impulse[k]));
        }
        assert_true(max <= 1e-6 * bound);
        assert_true(set.count < heap->problem.constraint_count && stats.residual <= settings.tolerance);
        free(impulse);
        free(v);
    }
    fil_sap_working_set_free(&set);
    free(heap);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(working_sets_agree), cmocka_unit_test(heaps_agree), cmocka_unit_test(presumptions_agree)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
