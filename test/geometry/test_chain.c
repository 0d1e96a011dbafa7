/* ctest: wrap-malloc */
/* The refitted tree of a row of boxes against all pairs; no allocations once its lists have grown. */
#include "geometry/chain.h"

#include <stdlib.h>

#include "geometry/tree.h"
#include "heap_calls.h"
#include "random_shapes.h"

// ---- random walks ----

enum { MAX_EDGES = 700 };

static void random_walk(Random* random, double* nodes, int count)
{
    double direction[3], turn[3];
    random_vector(random, 0.5, nodes);
    random_direction(random, direction);
    for (int i = 1; i < count; i++) {
        random_vector(random, 0.4, turn);
        fil_v3_add(direction, direction, turn);
        // lean back to the middle, so that the walk crosses itself
        fil_v3_axpy(direction, -0.1, nodes + 3 * (i - 1));
        fil_v3_normalise(direction);
        fil_v3_copy(nodes + 3 * i, nodes + 3 * (i - 1));
        fil_v3_axpy(nodes + 3 * i, 0.1, direction);
    }
}

static bool excluded(int i, int j, int count, int skip, bool closed)
{
    const int gap = j - i;
    return gap <= skip || (closed && count - gap <= skip);
}

static int compare_pairs(const void* a, const void* b)
{
    const FilIndexPair *x = a, *y = b;
    return x->a != y->a ? x->a - y->a : x->b - y->b;
}

static void sort_pairs(FilPairs* pairs)
{
    if (pairs->count > 0) {
        qsort(pairs->items, (size_t)pairs->count, sizeof *pairs->items, compare_pairs);
    }
}

static void self_pairs_match_all_pairs(void** state)
{
    (void)state;
    Random random = {81};
    static double nodes[3 * (MAX_EDGES + 1)], radii[MAX_EDGES];
    for (int n = 0; n < 60; n++) {
        const int edges = n < 10 ? n + 1 : 1 + (int)(random_bits(&random) % MAX_EDGES);
        const bool closed = n % 2 && edges > 2;
        const int skip = n % 4;
        FilChain chain;
        FilPairs pairs = {0};
        random_walk(&random, nodes, edges + 1);
        for (int i = 0; i < edges; i++) {
            radii[i] = random_between(&random, 0.01, 0.03);
        }
        assert_int_equal(fil_chain_init(&chain, edges), FIL_OK);
        fil_chain_set_polyline(&chain, nodes, closed, radii, 0.02);
        assert_int_equal(fil_chain_self_pairs(&chain, skip, closed, &pairs), FIL_OK);
        sort_pairs(&pairs);
        int at = 0;
        for (int i = 0; i < edges; i++) {
            const int end = closed && i + 1 == edges ? 0 : i + 1;
            const FilAabb box = fil_aabb_of_segment(nodes + 3 * i, nodes + 3 * end, radii[i] + 0.02);
            assert_memory_equal(&box, &chain.boxes[i], sizeof box);
            assert_true(fil_aabb_contains(fil_chain_bounds(&chain), &box));
            for (int j = i + 1; j < edges; j++) {
                if (!excluded(i, j, edges, skip, closed) && fil_aabb_overlap(&chain.boxes[i], &chain.boxes[j])) {
                    assert_true(at < pairs.count);
                    assert_int_equal(pairs.items[at].a, i);
                    assert_int_equal(pairs.items[at++].b, j);
                }
            }
        }
        assert_int_equal(at, pairs.count);
        fil_chain_free(&chain);
        fil_pairs_free(&pairs);
    }
}

static void chain_against_chain_and_box(void** state)
{
    (void)state;
    Random random = {82};
    static double nodes[3 * (MAX_EDGES + 1)], radii[MAX_EDGES];
    for (int n = 0; n < 60; n++) {
        FilChain chain[2];
        FilPairs pairs = {0};
        for (int c = 0; c < 2; c++) {
            const int edges = 1 + (int)(random_bits(&random) % (c == 0 ? MAX_EDGES : 50));
            random_walk(&random, nodes, edges + 1);
            for (int i = 0; i < edges; i++) {
                radii[i] = 0.05;
            }
            assert_int_equal(fil_chain_init(&chain[c], edges), FIL_OK);
            fil_chain_set_polyline(&chain[c], nodes, false, radii, 0.0);
        }
        for (int order = 0; order < 2; order++) {
            const FilChain *a = &chain[order], *b = &chain[1 - order];
            pairs.count = 0;
            assert_int_equal(fil_chain_pairs(a, b, &pairs), FIL_OK);
            sort_pairs(&pairs);
            int at = 0;
            for (int i = 0; i < a->count; i++) {
                for (int j = 0; j < b->count; j++) {
                    if (fil_aabb_overlap(&a->boxes[i], &b->boxes[j])) {
                        assert_int_equal(pairs.items[at].a, i);
                        assert_int_equal(pairs.items[at++].b, j);
                    }
                }
            }
            assert_int_equal(at, pairs.count);
            // one box of the other chain as a query
            pairs.count = 0;
            assert_int_equal(fil_chain_query(a, &b->boxes[0], 77, &pairs), FIL_OK);
            at = 0;
            for (int i = 0; i < a->count; i++) {
                if (fil_aabb_overlap(&a->boxes[i], &b->boxes[0])) {
                    assert_int_equal(pairs.items[at].a, i);
                    assert_int_equal(pairs.items[at++].b, 77);
                }
            }
            assert_int_equal(at, pairs.count);
        }
        fil_chain_free(&chain[0]);
        fil_chain_free(&chain[1]);
        fil_pairs_free(&pairs);
    }
}

/* Pairs that are kept from step to step are those of a walk, in the same order: of rows that drift and bend, slowly, fast, and by leaps. */
static void kept_pairs_are_those_of_a_walk(void** state)
{
    (void)state;
    enum { EDGES = 120, STEPS = 200 };
    Random random = {84};
    double nodes[3 * (EDGES + 1)], radii[EDGES];
    int found = 0, lasted = 0;
    for (int n = 0; n < 6; n++) {
        FilChain chain;
        FilPairs pairs = {0}, fresh_pairs = {0};
        random_walk(&random, nodes, EDGES + 1);
        for (int i = 0; i < EDGES; i++) {
            radii[i] = 0.04;
        }
        assert_int_equal(fil_chain_init(&chain, EDGES), FIL_OK);
        for (int step = 0; step < STEPS; step++) {
            FilChain fresh;
            assert_int_equal(fil_chain_init(&fresh, EDGES), FIL_OK);
            fresh.wait = 2;  // walks
            pairs.count = fresh_pairs.count = 0;
            fil_chain_set_polyline(&chain, nodes, false, radii, 0.01);
            fil_chain_set_polyline(&fresh, nodes, false, radii, 0.01);
            assert_int_equal(fil_chain_self_pairs(&chain, 2, false, &pairs), FIL_OK);
            assert_int_equal(fil_chain_self_pairs(&fresh, 2, false, &fresh_pairs), FIL_OK);
            assert_false(fresh.listed);
            assert_int_equal(pairs.count, fresh_pairs.count);
            assert_memory_equal(pairs.items, fresh_pairs.items, sizeof *pairs.items * (size_t)pairs.count);
            fil_chain_free(&fresh);
            found += pairs.count;
            lasted = chain.age > lasted ? chain.age : lasted;
            const double bends = n < 3 ? 1e-3 : 1e-2, drifts = n % 2 == 0 ? 0.02 : 0.0;
            for (int k = 0; k < 3 * (EDGES + 1); k++) {
                nodes[k] += drifts * (k % 3 - 0.5) + random_between(&random, -bends, bends);
            }
            if (step % 50 == 49) {
                random_walk(&random, nodes, EDGES + 1);
            }
        }
        fil_chain_free(&chain);
        fil_pairs_free(&pairs);
        fil_pairs_free(&fresh_pairs);
    }
    assert_true(found > 1000);
    assert_true(lasted > 3);
}

static void steady_state_does_not_allocate(void** state)
{
    (void)state;
    Random random = {83};
    static double nodes[3 * 302], radii[301];
    FilChain chain;
    FilTree tree;
    FilPairs pairs = {0};
    random_walk(&random, nodes, 302);
    for (int i = 0; i < 301; i++) {
        radii[i] = 0.03;
    }
    assert_int_equal(fil_chain_init(&chain, 301), FIL_OK);
    fil_tree_init(&tree, 0.01);
    int before = 0;
    for (int step = 0; step < 100; step++) {
        if (step == 1) {
            // generous room for what the motion may add
            assert_int_equal(fil_pairs_reserve(&pairs, 4 * pairs.count), FIL_OK);
            before = heap_calls;
        }
        pairs.count = 0;
        fil_chain_set_polyline(&chain, nodes, false, radii, 0.01);
        assert_int_equal(fil_chain_self_pairs(&chain, 1, false, &pairs), FIL_OK);
        for (int i = 0; i < 301; i++) {
            assert_int_equal(fil_tree_set(&tree, i, FIL_TREE_NULL, &chain.boxes[i]), FIL_OK);
        }
        assert_int_equal(fil_tree_self_pairs(&tree, &pairs), FIL_OK);
        for (int k = 0; k < 3 * 302; k++) {
            nodes[k] += random_between(&random, -1e-3, 1e-3);
        }
    }
    assert_int_equal(heap_calls, before);
    assert_true(before > 0);
    fil_chain_free(&chain);
    fil_tree_free(&tree);
    fil_pairs_free(&pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_pairs_match_all_pairs),
        cmocka_unit_test(chain_against_chain_and_box),
        cmocka_unit_test(kept_pairs_are_those_of_a_walk),
        cmocka_unit_test(steady_state_does_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
