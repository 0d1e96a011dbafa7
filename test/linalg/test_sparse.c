/* Sparse systems of a fixed pattern: against dense products, repeated entries, refusal, reuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dense.h"
#include "linalg/sparse.h"
#include "random.h"

enum { MAX_COUNT = 60, MAX_ENTRIES = 4 * MAX_COUNT * MAX_COUNT };

/* A random symmetric matrix by entries of its lower triangle, in any order, some places more than once. */
typedef struct Entries {
    int size, count;
    int rows[MAX_ENTRIES], columns[MAX_ENTRIES], slots[MAX_ENTRIES];
    double values[MAX_ENTRIES];
} Entries;

static Entries entries;
static double dense[MAX_COUNT * MAX_COUNT];

static void add(int row, int column, double value)
{
    entries.rows[entries.count] = row;
    entries.columns[entries.count] = column;
    entries.values[entries.count++] = value;
}

static void random_entries(Random* random, int size, double fill)
{
    entries.size = size;
    entries.count = 0;
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < i; ++j) {
            const int times = random_between(random, 0.0, 1.0) < fill ? 1 + (int)(random_bits(random) % 3) : 0;
            for (int k = 0; k < times; ++k) {
                add(i, j, random_between(random, -1.0, 1.0));
            }
        }
        /* dominates its row: at most 3 per entry, and as many again as there are rows */
        add(i, i, 3.0 * size);
        add(i, i, random_between(random, 0.0, 1.0));
    }
    for (int k = entries.count - 1; k > 0; --k) {
        const int other = (int)(random_bits(random) % (uint64_t)(k + 1));
        const int row = entries.rows[k], column = entries.columns[k];
        const double value = entries.values[k];
        entries.rows[k] = entries.rows[other], entries.columns[k] = entries.columns[other];
        entries.values[k] = entries.values[other];
        entries.rows[other] = row, entries.columns[other] = column, entries.values[other] = value;
    }
}

static FilSparse* create(void)
{
    FilSparse* sparse = fil_sparse_create(entries.size, entries.count, entries.rows, entries.columns, entries.slots);
    assert_non_null(sparse);
    return sparse;
}

/* Clears and adds, as callers do; the same into `dense`. */
static void fill_in(FilSparse* sparse, double scale)
{
    double* values = fil_sparse_values(sparse);
    const int n = entries.size;
    memset(values, 0, (size_t)fil_sparse_value_count(sparse) * sizeof *values);
    memset(dense, 0, sizeof dense);
    for (int k = 0; k < entries.count; ++k) {
        const int i = entries.rows[k], j = entries.columns[k];
        assert_in_range(entries.slots[k], 0, fil_sparse_value_count(sparse) - 1);
        values[entries.slots[k]] += scale * entries.values[k];
        dense[n * i + j] += scale * entries.values[k];
        if (i != j) {
            dense[n * j + i] += scale * entries.values[k];
        }
    }
}

static void check_solution(FilSparse* sparse, Random* random)
{
    double wanted[MAX_COUNT], x[MAX_COUNT];
    for (int k = 0; k < entries.size; ++k) {
        wanted[k] = random_between(random, -1.0, 1.0);
    }
    dense_multiply(dense, wanted, entries.size, x);
    fil_sparse_solve(sparse, x);
    /* diagonally dominant: condition numbers below ten */
    assert_true(dense_mismatch(x, wanted, entries.size) < 1e-14);
}

static void solves(void** state)
{
    (void)state;
    Random random = {1};
    static const int sizes[] = {1, 2, 3, 7, 20, MAX_COUNT};
    static const double fills[] = {0.0, 0.1, 1.0};
    for (int s = 0; s < 6; ++s) {
        for (int f = 0; f < 3; ++f) {
            random_entries(&random, sizes[s], fills[f]);
            FilSparse* sparse = create();
            /* values change, the pattern stays */
            for (int round = 0; round < 3; ++round) {
                fill_in(sparse, 1.0 + round);
                assert_true(fil_sparse_factor(sparse));
                check_solution(sparse, &random);
                check_solution(sparse, &random);
            }
            fil_sparse_destroy(sparse);
        }
    }
}

/* entries of one place share a slot, others do not */
static void repeated_entries_share_a_slot(void** state)
{
    (void)state;
    Random random = {2};
    random_entries(&random, 20, 0.4);
    FilSparse* sparse = create();
    int places = 0;
    for (int k = 0; k < entries.count; ++k) {
        bool seen = false;
        for (int m = 0; m < k; ++m) {
            const bool same = entries.rows[k] == entries.rows[m] && entries.columns[k] == entries.columns[m];
            assert_int_equal(same, entries.slots[k] == entries.slots[m]);
            seen = seen || same;
        }
        places += seen ? 0 : 1;
    }
    assert_int_equal(fil_sparse_value_count(sparse), places);
    fil_sparse_destroy(sparse);
}

/* refused at every pivot, and good again afterwards */
static void indefinite_is_refused(void** state)
{
    (void)state;
    Random random = {3};
    random_entries(&random, 15, 0.3);
    FilSparse* sparse = create();
    for (int k = 0; k < entries.count; ++k) {
        if (entries.rows[k] == entries.columns[k]) {
            fill_in(sparse, 1.0);
            fil_sparse_values(sparse)[entries.slots[k]] *= -1.0;
            assert_false(fil_sparse_factor(sparse));
            fill_in(sparse, 1.0);
            assert_true(fil_sparse_factor(sparse));
            check_solution(sparse, &random);
        }
    }
    fill_in(sparse, -1.0);
    assert_false(fil_sparse_factor(sparse));
    fill_in(sparse, 0.0);
    assert_false(fil_sparse_factor(sparse));
    fil_sparse_destroy(sparse);
    fil_sparse_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves),
        cmocka_unit_test(repeated_entries_share_a_slot),
        cmocka_unit_test(indefinite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
