/* Subtrees of random elimination trees: whole, apart, and none too large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/subtrees.h"
#include "random.h"

enum { MOST = 500 };

static void check_trees(const FilSubtrees* trees, int columns, const int* parent, const double* work)
{
    const int *start = trees->start.at, *column = trees->column.at, *task = trees->task.at;
    double total = 0.0, own[MOST + 1] = {0.0};
    int seen[MOST] = {0};
    assert_int_equal(start[0], 0);
    assert_int_equal(start[trees->count + 1], columns);
    for (int t = 0; t <= trees->count; t++) {
        for (int c = start[t]; c < start[t + 1]; c++) {
            assert_int_equal(task[column[c]], t);
            assert_true(c == start[t] || column[c] > column[c - 1]);
            seen[column[c]]++;
            own[t] += work[column[c]];
        }
        assert_true(t == trees->count || start[t] < start[t + 1]);
    }
    for (int j = 0; j < columns; j++) {
        assert_int_equal(seen[j], 1);
        total += work[j];
        // a column's parent is in its subtree, or above all
        if (parent[j] >= 0 && parent[j] < columns) {
            assert_true(task[parent[j]] == task[j] || task[parent[j]] == trees->count);
        }
    }
    for (int t = 0; t < trees->count; t++) {
        assert_true(own[t] <= total / 24.0 * (1.0 + 1e-12));
    }
}

static void random_trees(void** state)
{
    (void)state;
    Random random = {7};
    FilSubtrees trees = {0};
    int many = 0;
    for (int trial = 0; trial < 200; trial++) {
        int parent[MOST];
        double work[MOST];
        const int columns = (int)(random_bits(&random) % MOST), reach = 1 + (int)(random_bits(&random) % 40);
        for (int j = 0; j < columns; j++) {
            const int to = j + 1 + (int)(random_bits(&random) % (uint64_t)reach);
            parent[j] = random_bits(&random) % 50 == 0 ? -1 : to;  // beyond the last: as a root
            work[j] = random_between(&random, 0.0, 10.0);
        }
        assert_true(fil_subtrees_reserve(&trees, columns));
        for (int j = 0; j < columns; j++) {
            trees.work.at[j] = work[j];
        }
        fil_subtrees_find(&trees, columns, parent);
        check_trees(&trees, columns, parent, work);
        many += trees.count > 10;
    }
    assert_in_range(many, 50, 200);
    fil_subtrees_free(&trees);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
