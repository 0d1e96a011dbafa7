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

enum { COLUMNS = 240, BLOCKS = 8 * COLUMNS, NUMBERS = FIL_BLOCK * COLUMNS };

typedef struct System {
    int a_start[COLUMNS + 1], a_row[BLOCKS], c_start[COLUMNS + 1], c_row[BLOCKS];
    double a[FIL_BLOCK_SIZE * BLOCKS], c[FIL_BLOCK_SIZE * BLOCKS];
    FilBlockPattern a_pattern, c_pattern;
    bool touched[COLUMNS];
} System;

static void put(Random* random, int* row, double* values, int* end, int i, bool diagonal, double size)
{
    row[*end] = i;
    for (int e = 0; e < FIL_BLOCK_SIZE; e++) {
        values[FIL_BLOCK_SIZE * *end + e] = diagonal ? (e % 5 == 0 ? size : 0.0) : 0.2 * random_between(random, -1.0, 1.0);
    }
    (*end)++;
}

/* Rods of 1 to 40 nodes, some of which lack a coupling, some of which couple with a node far away; a share of the nodes is touched, alone or with the
 * next, and joined to the last one that was. Rows of a column are in any order. */
static System* make_system(uint64_t seed, double share)
{
    Random random = {seed};
    System* s = calloc(1, sizeof *s);
    assert_non_null(s);
    int a_end = 0, c_end = 0, rod_end = 0;
    for (int j = 0; j < COLUMNS; j++) {
        if (j == rod_end) {
            rod_end = j + 1 + (int)random_between(&random, 0.0, 40.0);
        }
        const bool far = random_between(&random, 0.0, 1.0) < 0.01 && j + 7 < COLUMNS, swap = random_between(&random, 0.0, 1.0) < 0.3;
        s->a_start[j] = a_end;
        for (int k = 0; k < 3; k++) {
            const int apart = swap ? 2 - k : k;
            const bool there = apart == 0 || random_between(&random, 0.0, 1.0) < 0.95;
            if (there && j + apart < COLUMNS && (apart == 0 || j + apart < rod_end)) {
                put(&random, s->a_row, s->a, &a_end, j + apart, apart == 0, 8.0);
            }
        }
        if (far) {
            put(&random, s->a_row, s->a, &a_end, j + 7, false, 0.0);
        }
        s->touched[j] = random_between(&random, 0.0, 1.0) < share || (j > 0 && s->touched[j - 1] && random_between(&random, 0.0, 1.0) < 0.5);
    }
    s->a_start[COLUMNS] = a_end;
    for (int j = 0; j < COLUMNS; j++) {
        s->c_start[j] = c_end;
        for (int i = j; i < COLUMNS && i < j + 9 && s->touched[j]; i++) {
            if (s->touched[i]) {
                put(&random, s->c_row, s->c, &c_end, i, i == j, 1.0);
            }
        }
    }
    s->c_start[COLUMNS] = c_end;
    s->a_pattern = (FilBlockPattern){COLUMNS, s->a_start, s->a_row};
    s->c_pattern = (FilBlockPattern){COLUMNS, s->c_start, s->c_row};
    return s;
}

/* Solves A + C as the contact solver does: fixed part, changing part. */
static void solve(FilBlockFactor* factor, const System* s, const double* b, double* x)
{
    double z[NUMBERS];
    const int* pivot = fil_block_factor_pivots(factor);
    for (int k = 0; k < NUMBERS; k++) {
        z[FIL_BLOCK * pivot[k / FIL_BLOCK] + k % FIL_BLOCK] = b[k];
    }
    assert_true(fil_block_factor_fixed(factor, s->a));
    assert_true(fil_block_factor_changing(factor, s->a, s->c));
    fil_block_factor_eliminate_fixed(factor, z);
    fil_block_factor_solve_changing(factor, z);
    fil_block_factor_substitute_fixed(factor, z);
    for (int k = 0; k < NUMBERS; k++) {
        x[k] = z[FIL_BLOCK * pivot[k / FIL_BLOCK] + k % FIL_BLOCK];
    }
}

/* One pass over A gives what three do: the reduced vector by its bits, whoever makes it, and A v. */
static void check_along(FilBlockFactor* factor, const System* s, const double* b)
{
    double x[NUMBERS], z[NUMBERS], v[NUMBERS], product[NUMBERS], all[NUMBERS];
    for (int k = 0; k < NUMBERS; k++) {
        x[k] = z[k] = b[k];
        v[k] = b[NUMBERS - 1 - k];
    }
    assert_true(fil_block_factor_fixed(factor, s->a));
    fil_block_factor_eliminate_fixed(factor, x);
    assert_true(fil_block_factor_fixed_along(factor, s->a, &(FilBlockRunsAlong){v, product, z}));
    assert_memory_equal(x, z, sizeof x);
    fil_block_multiply(&s->a_pattern, s->a, v, all);
    for (int k = 0; k < NUMBERS; k++) {
        assert_true(fabs(product[k] - all[k]) < 1e-14);  // of numbers of order one
    }
}

static void check(FilBlockFactor* factor, const System* s)
{
    Random random = {17};
    double b[NUMBERS], first[NUMBERS], product[NUMBERS];
    random_fill(&random, b, NUMBERS);
    for (int threads = 1; threads <= 3; threads++) {
        FilWorkers* workers = fil_workers_create(threads);
        double x[NUMBERS];
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
    for (int k = 0; k < NUMBERS; k++) {
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
        System* s = make_system((uint64_t)seed, 0.01 * seed);
        assert_int_equal(fil_block_factor_analyze(&factor, &s->a_pattern, &s->c_pattern), FIL_OK);
        assert_false(factor.supernodes);
        condensed += factor.condensed;
        int touched = 0;
        for (int j = 0; j < COLUMNS; j++) {
            touched += s->touched[j];
            assert_int_equal(fil_block_factor_pivots(&factor)[j] >= fil_block_factor_first_changing(&factor), s->touched[j]);
        }
        assert_int_equal(COLUMNS - fil_block_factor_first_changing(&factor), touched);
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
    System *s = make_system(3, 0.05), *t = make_system(4, 0.1);
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
    System* s = make_system(5, 0.05);
    assert_int_equal(fil_block_factor_analyze(&factor, &s->a_pattern, &s->c_pattern), FIL_OK);
    fil_block_factor_set_workers(&factor, workers);
    for (int j = 3; j < COLUMNS; j += 11) {
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
