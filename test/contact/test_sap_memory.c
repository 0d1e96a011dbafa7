/* ctest: wrap-malloc */
/* The SAP solver allocates nothing while problems do not outgrow the largest one it has seen. The linker sends every
 * heap call of this program through the counters below (see CMakeLists.txt). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sap_problems.h"

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* block, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void* block);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* block, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void* block);

static int calls;

void* __wrap_malloc(size_t size)
{
    calls++;
    return __real_malloc(size);
}

void* __wrap_calloc(size_t count, size_t size)
{
    calls++;
    return __real_calloc(count, size);
}

void* __wrap_realloc(void* block, size_t size)
{
    calls++;
    return __real_realloc(block, size);
}

void* __wrap_aligned_alloc(size_t alignment, size_t size)
{
    calls++;
    return __real_aligned_alloc(alignment, size);
}

void __wrap_free(void* block)
{
    calls++;
    __real_free(block);
}

/* Solves from a cold start and returns how often the heap was called. */
static int calls_of(FilSap* sap, SapFixture* f)
{
    const FilSapSettings settings = fil_sap_settings_default();
    memset(f->v, 0, sizeof f->v);
    calls = 0;
    assert_int_equal(fil_sap_solve(sap, &f->problem, &settings, f->v, f->impulse, NULL), FIL_OK);
    return calls;
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
