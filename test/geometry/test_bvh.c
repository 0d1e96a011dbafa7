/* ctest: wrap-malloc */
/* Bounding trees: the pairs they report are those of all boxes against all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/bvh.h"
#include "heap_calls.h"
#include "random.h"

enum { MAX_COUNT = 300 };

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

static void check_pairs(FilPairs* pairs, const FilAabb* a, int count_a, const FilAabb* b, int count_b, bool self)
{
    int found = 0;
    FilPairs scratch = {0};
    assert_int_equal(fil_pairs_sort(pairs, count_a, &scratch), FIL_OK);
    fil_pairs_free(&scratch);
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

/* All pairs again, from pairs of nodes on: as many as were wanted where trees have so many, but for what the last one was split into. */
static void walk_parts(const FilBvh* a, const FilBvh* b, bool self, int wanted, FilPairs* pairs)
{
    FilPairs nodes = {0};
    assert_int_equal(fil_bvh_split(a, b, self, wanted, &nodes), FIL_OK);
    assert_true(nodes.count <= wanted + 2);
    assert_true(nodes.count >= wanted || a->count < MAX_COUNT || b->count < MAX_COUNT);
    pairs->count = 0;
    for (int k = 0; k < nodes.count; ++k) {
        assert_int_equal(fil_bvh_walk(a, b, self, nodes.items[k], pairs), FIL_OK);
    }
    fil_pairs_free(&nodes);
}

static void test_pairs(void** state)
{
    (void)state;
    static const int counts[] = {0, 1, 4, 5, 33, MAX_COUNT};
    Random random = {31};
    FilBvh trees[2] = {{0}, {0}};
    FilPairs pairs = {0};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        for (size_t j = 0; j < sizeof counts / sizeof counts[0]; ++j) {
            static FilAabb a[MAX_COUNT], b[MAX_COUNT];
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
            for (int wanted = 1; wanted < 300; wanted = 3 * wanted + 1) {
                walk_parts(&trees[0], &trees[1], false, wanted, &pairs);
                check_pairs(&pairs, a, counts[i], b, counts[j], false);
                walk_parts(&trees[0], &trees[0], true, wanted, &pairs);
                check_pairs(&pairs, a, counts[i], a, counts[i], true);
            }
        }
    }
    fil_pairs_free(&pairs);
    fil_bvh_free(&trees[0]);
    fil_bvh_free(&trees[1]);
}

/* A little, or far. */
static void move_boxes(Random* random, int round, FilAabb* boxes, int count)
{
    static const double far[] = {0.01, 0.05, 3.0};
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double by = far[round % 3] * random_between(random, -1.0, 1.0);
            boxes[i].lo[k] += by;
            boxes[i].hi[k] += by;
        }
    }
}

/* Of boxes that go a little, then far, then are fewer. */
static void test_update(void** state)
{
    (void)state;
    static FilAabb boxes[MAX_COUNT];
    Random random = {32};
    FilBvh tree = {0};
    FilPairs pairs = {0};
    random_boxes(&random, boxes, MAX_COUNT);
    assert_int_equal(fil_bvh_update(&tree, boxes, MAX_COUNT), FIL_OK);
    for (int round = 0; round < 20; ++round) {
        move_boxes(&random, round, boxes, MAX_COUNT);
        const int count = round % 5 == 4 ? MAX_COUNT - round : MAX_COUNT;
        assert_int_equal(fil_bvh_update(&tree, boxes, count), FIL_OK);
        pairs.count = 0;
        assert_int_equal(fil_bvh_self_pairs(&tree, &pairs), FIL_OK);
        check_pairs(&pairs, boxes, count, boxes, count, true);
    }
    fil_pairs_free(&pairs);
    fil_bvh_free(&tree);
}

static void check_same(const FilBvh* a, const FilBvh* b, int node)
{
    assert_memory_equal(&a->nodes[node], &b->nodes[node], sizeof *a->nodes);
    if (a->nodes[node].leaf >= 0) {
        assert_memory_equal(&a->leaves[a->nodes[node].leaf], &b->leaves[b->nodes[node].leaf], sizeof *a->leaves);
    } else {
        check_same(a, b, 2 * node + 1);
        check_same(a, b, 2 * node + 2);
    }
}

/* By branches, shared or not, a tree is updated and marked to the same one, whether it is refitted or made anew. */
static void test_branches(void** state)
{
    (void)state;
    enum { LARGE = 700 };
    static FilAabb boxes[LARGE];
    int marks[LARGE], anew = 0;
    Random random = {34};
    FilBvh trees[3] = {{0}, {0}, {0}};
    FilWorkers* workers = fil_workers_create(3);
    random_boxes(&random, boxes, LARGE);
    for (int round = 0; round < 30; ++round) {
        move_boxes(&random, round, boxes, LARGE);
        for (int i = 0; i < LARGE; ++i) {
            marks[i] = (i + round) % 40 == 0 && i > 20 * round;
        }
        const double cost = trees[0].cost;
        assert_int_equal(fil_bvh_update(&trees[0], boxes, LARGE), FIL_OK);
        fil_bvh_mark(&trees[0], marks);
        anew += trees[0].cost != cost;
        for (int k = 1; k < 3; ++k) {
            assert_int_equal(fil_bvh_update_marked(&trees[k], boxes, marks, LARGE, k == 1 ? NULL : workers), FIL_OK);
            check_same(&trees[0], &trees[k], 0);
            assert_memory_equal(trees[0].order, trees[k].order, LARGE * sizeof(int));
            assert_memory_equal(trees[0].items, trees[k].items, LARGE * sizeof *boxes);
        }
    }
    assert_in_range(anew, 2, 25);
    fil_workers_destroy(workers);
    for (int k = 0; k < 3; ++k) {
        fil_bvh_free(&trees[k]);
    }
}

/* With marks on some items of one tree or of both: pairs that have at least one. */
static void test_marks(void** state)
{
    (void)state;
    static FilAabb a[MAX_COUNT], b[MAX_COUNT];
    int marks[2][MAX_COUNT];
    Random random = {33};
    FilBvh trees[2] = {{0}, {0}};
    FilPairs pairs = {0}, wanted = {0}, scratch = {0};
    random_boxes(&random, a, MAX_COUNT);
    random_boxes(&random, b, MAX_COUNT);
    assert_int_equal(fil_bvh_build(&trees[0], a, MAX_COUNT), FIL_OK);
    assert_int_equal(fil_bvh_build(&trees[1], b, MAX_COUNT), FIL_OK);
    for (int share = 0; share <= 20; share += 5) {
        for (int i = 0; i < MAX_COUNT; ++i) {
            marks[0][i] = share > 0 && i % share == 0;
            marks[1][i] = share > 5 && i % share == 3;
        }
        fil_bvh_mark(&trees[0], marks[0]);
        fil_bvh_mark(&trees[1], marks[1]);
        for (int self = 0; self < 2; ++self) {
            const FilAabb* other = self ? a : b;
            wanted.count = pairs.count = 0;
            assert_int_equal(fil_pairs_reserve(&wanted, MAX_COUNT * MAX_COUNT), FIL_OK);
            for (int i = 0; i < MAX_COUNT; ++i) {
                for (int j = self ? i + 1 : 0; j < MAX_COUNT; ++j) {
                    if (fil_aabb_overlap(&a[i], &other[j]) && (marks[0][i] || marks[self ? 0 : 1][j])) {
                        wanted.items[wanted.count++] = (FilIndexPair){i, j};
                    }
                }
            }
            assert_int_equal(self ? fil_bvh_self_pairs(&trees[0], &pairs) : fil_bvh_pairs(&trees[0], &trees[1], &pairs), FIL_OK);
            assert_int_equal(fil_pairs_sort(&pairs, MAX_COUNT, &scratch), FIL_OK);
            assert_int_equal(pairs.count, wanted.count);
            for (int k = 0; k < pairs.count; ++k) {
                assert_int_equal(pairs.items[k].a, wanted.items[k].a);
                assert_int_equal(pairs.items[k].b, wanted.items[k].b);
            }
        }
    }
    fil_pairs_free(&pairs);
    fil_pairs_free(&wanted);
    fil_pairs_free(&scratch);
    fil_bvh_free(&trees[0]);
    fil_bvh_free(&trees[1]);
}

/* whichever of its blocks is refused, the tree is made when it is asked for again */
static void test_memory(void** state)
{
    (void)state;
    enum { COUNT = 50 };
    FilAabb boxes[COUNT];
    Random random = {5};
    random_boxes(&random, boxes, COUNT);
    int granted = 0;
    for (FilStatus status = FIL_OUT_OF_MEMORY; status != FIL_OK; granted++) {
        FilBvh tree = {0};
        FilPairs pairs = {0};
        heap_left = granted + 1;
        status = fil_bvh_build(&tree, boxes, COUNT);
        heap_left = -1;
        assert_int_equal(fil_bvh_update(&tree, boxes, COUNT), FIL_OK);
        assert_int_equal(fil_bvh_self_pairs(&tree, &pairs), FIL_OK);
        check_pairs(&pairs, boxes, COUNT, boxes, COUNT, true);
        fil_pairs_free(&pairs);
        fil_bvh_free(&tree);
    }
    assert_int_equal(granted, 5);  // four blocks
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs), cmocka_unit_test(test_update), cmocka_unit_test(test_marks),
                                       cmocka_unit_test(test_branches), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
