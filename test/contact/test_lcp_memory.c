/* ctest: wrap-malloc */
/* The LCP solvers allocate nothing while problems do not outgrow the largest one they have seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "contact/lcp.h"
#include "heap_calls.h"
#include "sap_problems.h"

static int calls_of(FilLcp* lcp, SapFixture* f, FilLcpSolver solver)
{
    FilLcpSettings settings = fil_lcp_settings_default();
    settings.solver = solver;
    heap_calls = 0;
    (void)!fil_lcp_solve(lcp, &f->problem, &settings, f->v, f->impulse, NULL);
    return heap_calls;
}

static void repeated_solves(void** state)
{
    (void)state;
    for (int solver = 0; solver < FIL_LCP_SOLVER_COUNT; solver++) {
        Random random = {31};
        SapFixture* f = random_problem(&random, FIL_SAP_CONTACT, 20);
        for (int i = 0; i < 20; i++) {
            f->constraints[i].contact.distance = 1e-4;
            f->constraints[i].contact.mu = 0.3;
        }
        FilLcp* lcp = fil_lcp_create();
        assert_true(calls_of(lcp, f, (FilLcpSolver)solver) > 10);  // the counters count
        assert_int_equal(calls_of(lcp, f, (FilLcpSolver)solver), 0);
        const int counts[] = {19, 10, 5, 1, 20};
        for (int k = 0; k < 5; k++) {
            f->problem.constraint_count = counts[k];
            assert_int_equal(calls_of(lcp, f, (FilLcpSolver)solver), 0);
        }
        fil_lcp_destroy(lcp);
        free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repeated_solves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
