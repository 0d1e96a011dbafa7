/* ctest: wrap-malloc */
/* The SAP solver allocates nothing while problems do not outgrow the largest one it has seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "heap_calls.h"
#include "sap_problems.h"

/* Solves from a cold start and returns how often the heap was called. */
static int calls_of(FilSap* sap, SapFixture* f)
{
    const FilSapOptions settings = fil_sap_options_default();
    memset(f->v, 0, sizeof f->v);
    heap_calls = 0;
    assert_int_equal(fil_sap_solve(sap, &f->problem, &settings, f->v, f->impulse, NULL), FIL_OK);
    return heap_calls;
}

static void repeated_solves(void** state)
{
    (void)state;
    Random random = {31};
    SapFixture* f = random_problem(&random, FIL_SAP_CONTACT, 200);
    FilSap* sap = fil_sap_create();
    assert_true(calls_of(sap, f) > 10);  // the counters count
    assert_int_equal(calls_of(sap, f), 0);
    // fewer contacts, so few that the analysis is done afresh, and all of them again
    const int counts[] = {190, 100, 5, 1, 200};
    for (int k = 0; k < 5; k++) {
        f->problem.constraint_count = counts[k];
        assert_int_equal(calls_of(sap, f), 0);
    }
    fil_sap_destroy(sap);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repeated_solves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
