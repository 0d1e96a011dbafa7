/* Bounding trees: the pairs they report are those of all boxes against all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "geometry/bvh.h"
#include "random.h"

enum { MOST = 300 };

static void random_boxes(Random* random, FilAabb* boxes, int count)
{
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double at = random_between(random, -1.0, 1.0);
            boxes[i].lo[k] = at;
            boxes[i].hi[k] = at + random_between(random, 0.0, 0.3);
        }
    }
}

static int by_pair(const void* x, const void* y)
{
    const FilPair *a = x, *b = y;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

static void check_pairs(FilPairs* pairs, const FilAabb* a, int count_a, const FilAabb* b, int count_b, bool self)
{
    int found = 0;
    if (pairs->count > 0) {
        if (pairs->count > 0) {
        qsort(pairs->items, (size_t)pairs->count, sizeof(FilPair), by_pair);
    }
    }
    for (int i = 0; i < count_a; ++i) {
        for (int j = self ? i + 1 : 0; j < count_b; ++j) {
            if (fil_aabb_overlap(&a[i], &b[j])) {
                assert_in_range(found, 0, pairs->count - 1);
                assert_int_equal(pairs->items[found].a, i);
                assert_int_equal(pairs->items[found].b, j);
                found++;
            }
        }
    }
    assert_int_equal(found, pairs->count);
}

static void test_pairs(void** state)
{
    (void)state;
    static const int counts[] = {0, 1, 4, 5, 33, MOST};
    Random random = {31};
    FilBvh trees[2] = {{0}, {0}};
    FilPairs pairs = {0};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        for (size_t j = 0; j < sizeof counts / sizeof counts[0]; ++j) {
            static FilAabb a[MOST], b[MOST];
            random_boxes(&random, a, counts[i]);
            random_boxes(&random, b, counts[j]);
            assert_int_equal(fil_bvh_build(&trees[0], a, counts[i]), FIL_OK);
            assert_int_equal(fil_bvh_build(&trees[1], b, counts[j]), FIL_OK);
            pairs.count = 0;
            assert_int_equal(fil_bvh_pairs(&trees[0], &trees[1], &pairs), FIL_OK);
            check_pairs(&pairs, a, counts[i], b, counts[j], false);
            pairs.count = 0;
            assert_int_equal(fil_bvh_self_pairs(&trees[0], &pairs), FIL_OK);
            check_pairs(&pairs, a, counts[i], a, counts[i], true);
        }
    }
    fil_pairs_free(&pairs);
    fil_bvh_free(&trees[0]);
    fil_bvh_free(&trees[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
