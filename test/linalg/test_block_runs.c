/* Runs that are eliminated before the sparse factor: solutions against the matrix, whoever is touched; the same bits for any number of workers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/block_factor.h"
#include "random.h"
#include "run_system.h"

/* Solves A + C as the contact solver does: fixed part, changing part. */
static void solve(FilBlockFactor* factor, const RunSystem* s, const double* b, double* x)
{
    double z[RUN_NUMBERS];
    const int* pivot = fil_block_factor_pivots(factor);
    for (int k = 0; k < RUN_NUMBERS; k++) {
        z[FIL_BLOCK * pivot[k / FIL_BLOCK] + k % FIL_BLOCK] = b[k];
    }
    assert_true(fil_block_factor_fixed(factor, s->a));
    assert_true(fil_block_factor_changing(factor, s->a, s->c));
    fil_block_factor_eliminate_fixed(factor, z);
    fil_block_factor_solve_changing(factor, z);
    fil_block_factor_substitute_fixed(factor, z);
    for (int k = 0; k < RUN_NUMBERS; k++) {
        x[k] = z[FIL_BLOCK * pivot[k / FIL_BLOCK] + k % FIL_BLOCK];
    }
}

/* One pass over A gives what three do: the reduced vector by its bits, whoever makes it, and A v. */
static void check_along(FilBlockFactor* factor, const RunSystem* s, const double* b)
{
    double x[RUN_NUMBERS], z[RUN_NUMBERS], v[RUN_NUMBERS], product[RUN_NUMBERS], all[RUN_NUMBERS];
    for (int k = 0; k < RUN_NUMBERS; k++) {
        x[k] = z[k] = b[k];
        v[k] = b[RUN_NUMBERS - 1 - k];
    }
    assert_true(fil_block_factor_fixed(factor, s->a));
    fil_block_factor_eliminate_fixed(factor, x);
    assert_true(fil_block_factor_fixed_along(factor, s->a, &(FilBlockRunsAlong){v, product, z}));
    assert_memory_equal(x, z, sizeof x);
    fil_block_multiply(&s->a_pattern, s->a, v, all);
    for (int k = 0; k < RUN_NUMBERS; k++) {
        assert_true(fabs(product[k] - all[k]) < 1e-14);  // of numbers of order one
    }
}

static void check(FilBlockFactor* factor, const RunSystem* s)
{
    Random random = {17};
    double b[RUN_NUMBERS], first[RUN_NUMBERS], product[RUN_NUMBERS];
    random_fill(&random, b, RUN_NUMBERS);
    for (int threads = 1; threads <= 3; threads++) {
        FilWorkers* workers = fil_workers_create(threads);
        double x[RUN_NUMBERS];
        fil_block_factor_set_workers(factor, workers);
        solve(factor, s, b, x);
        if (threads == 1) {
            memcpy(first, x, sizeof first);
        }
        assert_memory_equal(x, first, sizeof x);
        if (factor->condensed) {
            check_along(factor, s, b);
        }
        fil_workers_destroy(workers);
    }
    fil_block_factor_set_workers(factor, NULL);
    fil_block_multiply(&s->a_pattern, s->a, first, product);
    fil_block_multiply_add(&s->c_pattern, s->c, first, product);
    for (int k = 0; k < RUN_NUMBERS; k++) {
        assert_true(fabs(product[k] - b[k]) < 1e-13);  // of numbers of order one, condition below 100
    }
}

/* From few touched nodes to as many that runs are single nodes. */
static void whoever_is_touched(void** state)
{
    (void)state;
    FilBlockFactor factor;
    assert_true(fil_block_factor_init(&factor));
    int condensed = 0;
    for (int seed = 1; seed <= 60; seed++) {
        RunSystem* s = run_system((uint64_t)seed, 0.01 * seed);
        assert_int_equal(fil_block_factor_analyze(&factor, &s->a_pattern, &s->c_pattern), FIL_OK);
        assert_false(factor.supernodes);
        condensed += factor.condensed;
        int touched = 0;
        for (int j = 0; j < RUN_COLUMNS; j++) {
            touched += s->touched[j];
            assert_int_equal(fil_block_factor_pivots(&factor)[j] >= fil_block_factor_first_changing(&factor), s->touched[j]);
        }
        assert_int_equal(RUN_COLUMNS - fil_block_factor_first_changing(&factor), touched);
        check(&factor, s);
        bool fits;
        assert_int_equal(fil_block_factor_bind(&factor, &s->a_pattern, &s->c_pattern, &fits), FIL_OK);
        assert_true(fits);
        check(&factor, s);
        free(s);
    }
    assert_in_range(condensed, 40, 60);
    fil_block_factor_free(&factor);
}

/* The same matrix with other nodes touched, and again: what is known of A serves. */
static void others_are_touched(void** state)
{
    (void)state;
    FilBlockFactor factor;
    assert_true(fil_block_factor_init(&factor));
    RunSystem *s = run_system(3, 0.05), *t = run_system(4, 0.1);
    for (int k = 0; k < 4; k++) {
        const FilBlockPattern* c = k % 2 == 0 ? &s->c_pattern : &t->c_pattern;
        assert_int_equal(fil_block_factor_analyze(&factor, &s->a_pattern, c), FIL_OK);
        assert_true(factor.condensed);
        bool fits;
        assert_int_equal(fil_block_factor_bind(&factor, &s->a_pattern, k % 2 == 0 ? &t->c_pattern : &s->c_pattern, &fits), FIL_OK);
        assert_false(fits);
        if (k % 2 == 0) {
            check(&factor, s);
        }
    }
    free(s);
    free(t);
    fil_block_factor_free(&factor);
}

/* A pivot that is not positive is found, wherever it is. */
static void indefinite(void** state)
{
    (void)state;
    FilBlockFactor factor;
    FilWorkers* workers = fil_workers_create(3);
    assert_true(fil_block_factor_init(&factor));
    RunSystem* s = run_system(5, 0.05);
    assert_int_equal(fil_block_factor_analyze(&factor, &s->a_pattern, &s->c_pattern), FIL_OK);
    fil_block_factor_set_workers(&factor, workers);
    for (int j = 3; j < RUN_COLUMNS; j += 11) {
        double* diagonal = NULL;
        for (int k = s->a_start[j]; k < s->a_start[j + 1]; k++) {
            diagonal = s->a_row[k] == j ? s->a + FIL_BLOCK_SIZE * k + 5 : diagonal;
        }
        const double kept = *diagonal;
        *diagonal = -20.0;
        assert_false(fil_block_factor_fixed(&factor, s->a) && fil_block_factor_changing(&factor, s->a, s->c));
        *diagonal = kept;
        assert_true(fil_block_factor_fixed(&factor, s->a) && fil_block_factor_changing(&factor, s->a, s->c));
    }
    fil_block_factor_free(&factor);
    fil_workers_destroy(workers);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_is_touched),
        cmocka_unit_test(others_are_touched),
        cmocka_unit_test(indefinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
