/* Orders that eliminate rows of variables run by run: they are orders, what contacts touch comes last, and they fill as little as minimum degree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/ordering_runs.h"
#include "random.h"

enum { MAX = 200, BLOCKS = 8 * MAX };

/* A pattern under construction: columns in order, rows below. */
typedef struct Pattern {
    bool at[MAX][MAX];
    int start[MAX + 1], row[BLOCKS];
    FilBlockPattern pattern;
} Pattern;

static void couple(Pattern* p, int i, int j)
{
    p->at[i < j ? i : j][i < j ? j : i] = true;
}

static void finish(Pattern* p, int n)
{
    int end = 0;
    for (int j = 0; j < n; j++) {
        p->start[j] = end;
        for (int i = j; i < n; i++) {
            if (p->at[j][i]) {
                assert_true(end < BLOCKS);
                p->row[end++] = i;
            }
        }
    }
    p->start[n] = end;
    p->pattern = (FilBlockPattern){n, p->start, p->row};
}

/* A rod of some nodes from the first one on, closed or open. */
static void add_rod(Pattern* a, int first, int nodes, bool closed)
{
    for (int k = 0; k < nodes; k++) {
        for (int next = 0; next <= 2; next++) {
            if (closed || k + next < nodes) {
                couple(a, first + k, first + (k + next) % nodes);
            }
        }
    }
}

/* Contacts between two edges each. */
static void add_contacts(Pattern* c, int n, int count, Random* random)
{
    for (int k = 0; k < count; k++) {
        const int e = (int)random_between(random, 0.0, n - 2.0), f = (int)random_between(random, 0.0, n - 2.0);
        const int variable[4] = {e, e + 1, f, f + 1};
        for (int i = 0; i < 4; i++) {
            for (int j = i; j < 4; j++) {
                couple(c, variable[i], variable[j]);
            }
        }
    }
}

/* Products of blocks that an elimination in this order takes. */
static double count_products(const Pattern* a, const Pattern* c, int n, const int* order)
{
    static bool at[MAX][MAX];
    double products = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            at[i][j] = a->at[i][j] || a->at[j][i] || c->at[i][j] || c->at[j][i];
        }
    }
    for (int k = 0; k < n; k++) {
        int below[MAX], count = 0;
        for (int later = k + 1; later < n; later++) {
            if (at[order[k]][order[later]]) {
                below[count++] = order[later];
            }
        }
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < count; j++) {
                at[below[i]][below[j]] = true;
            }
        }
        products += 0.5 * count * (count + 1);
    }
    return products;
}

static void rows_are_ordered_as_well(void** state)
{
    (void)state;
    static Pattern a, c;
    FilOrdering runs = {0}, degree = {0};
    Random random = {1};
    double all[2] = {0.0, 0.0};
    for (int trial = 0; trial < 100; trial++) {
        memset(&a, 0, sizeof a);
        memset(&c, 0, sizeof c);
        int n = 0;
        while (n < 100) {
            const int nodes = (int)random_between(&random, 8.0, 80.0);
            add_rod(&a, n, nodes, trial % 3 == 0);
            n += nodes;
        }
        add_contacts(&c, n, trial % 20, &random);
        if (trial % 20 == 0) {  // one alone
            couple(&c, n / 2, n / 2);
        }
        finish(&a, n);
        finish(&c, n);
        const FilBlockPattern* const patterns[] = {&a.pattern, &c.pattern};
        int touched[MAX] = {0}, seen[MAX] = {0}, fixed = n;
        for (int j = 0; j < n; j++) {
            touched[j] = c.at[j][j];
            fixed -= touched[j];
        }
        assert_true(fil_ordering_by_runs(&runs, patterns, 2));
        assert_true(fil_ordering_by_groups(&degree, patterns, 2, touched));
        for (int k = 0; k < n; k++) {
            assert_int_equal(seen[runs.old_of_new[k]]++, 0);
            assert_int_equal(runs.new_of_old[runs.old_of_new[k]], k);
            assert_int_equal(touched[runs.old_of_new[k]], k >= fixed);
        }
        all[0] += count_products(&a, &c, n, runs.old_of_new);
        all[1] += count_products(&a, &c, n, degree.old_of_new);
    }
    assert_true(all[0] < 1.03 * all[1]);
    fil_ordering_free(&runs);
    fil_ordering_free(&degree);
}

/* A grid has no rows: minimum degree is asked. */
static void grids_are_not(void** state)
{
    (void)state;
    static Pattern a, c;
    memset(&a, 0, sizeof a);
    memset(&c, 0, sizeof c);
    for (int v = 0; v < 144; v++) {
        couple(&a, v, v);
        if (v % 12 < 11) {
            couple(&a, v, v + 1);
        }
        if (v + 12 < 144) {
            couple(&a, v, v + 12);
        }
    }
    couple(&c, 7, 7);
    finish(&a, 144);
    finish(&c, 144);
    FilOrdering runs = {0}, degree = {0};
    const FilBlockPattern* const patterns[] = {&a.pattern, &c.pattern};
    assert_true(fil_ordering_by_runs(&runs, patterns, 2));
    assert_true(fil_ordering_min_degree(&degree, patterns, 2, false));
    assert_memory_equal(runs.old_of_new, degree.old_of_new, 144 * sizeof(int));
    fil_ordering_free(&runs);
    fil_ordering_free(&degree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_ordered_as_well), cmocka_unit_test(grids_are_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
