/* Subtrees of random elimination trees: whole, apart, and as large as serves two threads best. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/subtrees.h"
#include "random.h"

enum { MAX_COUNT = 500 };

/* Each thread takes the next subtree when it has done one, and one of them what is above. */
static double bound(double above, double largest, double total)
{
    return above + 0.5 * (total - above) + 0.5 * largest;
}

/* The same of the largest subtrees that have at most so much work. */
static double time_of_share(int columns, const int* parent, const double* work, double max)
{
    double all[MAX_COUNT], total = 0.0, above = 0.0, largest = 0.0;
    for (int j = 0; j < columns; j++) {
        all[j] = work[j];
        total += work[j];
    }
    for (int j = 0; j < columns; j++) {
        if (parent[j] >= 0 && parent[j] < columns) {
            all[parent[j]] += all[j];
        }
        above += all[j] > max ? work[j] : 0.0;
        largest = all[j] <= max && all[j] > largest ? all[j] : largest;
    }
    return bound(above, largest, total);
}

static void check_trees(const FilSubtrees* trees, int columns, const int* parent, const double* work)
{
    const int *start = trees->start.at, *column = trees->column.at, *task = trees->task.at;
    double total = 0.0, own[MAX_COUNT + 1] = {0.0};
    int seen[MAX_COUNT] = {0};
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
    // two threads take no longer with them than with the largest ones of any of these shares
    double largest = 0.0;
    for (int t = 0; t < trees->count; t++) {
        largest = own[t] > largest ? own[t] : largest;
    }
    assert_true(largest <= total / 2.0 * (1.0 + 1e-12));
    const double time = bound(own[trees->count], largest, total);
    for (int n = 2; n <= 24; n++) {
        if (n == 2 || n == 3 || n == 8 || n == 24) {
            assert_true(time <= time_of_share(columns, parent, work, total / n) + 1e-12 * total);
        }
    }
}

static void random_trees(void** state)
{
    (void)state;
    Random random = {7};
    FilSubtrees trees = {0};
    int many = 0;
    for (int trial = 0; trial < 200; trial++) {
        int parent[MAX_COUNT];
        double work[MAX_COUNT];
        const int columns = (int)(random_bits(&random) % MAX_COUNT), reach = 1 + (int)(random_bits(&random) % 40);
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
