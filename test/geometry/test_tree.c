/* The dynamic tree against all pairs, over random insertions, motions and removals. */
#include "geometry/tree.h"

#include <math.h>
#include <string.h>

#include "random_shapes.h"

enum { ITEMS = 120 };

typedef struct Model {
    FilAabb box[ITEMS];
    bool present[ITEMS];
} Model;

// two items of three belong to one of four groups
static int group_of(int item)
{
    return item % 3 == 0 ? FIL_TREE_NULL : item / 3 % 4;
}

static bool may_pair(int i, int j)
{
    return group_of(i) == FIL_TREE_NULL || group_of(i) != group_of(j);
}

static FilAabb random_box(Random* random)
{
    double p[3], size[3];
    random_vector(random, 3.0, p);
    random_vector(random, 0.4, size);
    FilAabb box = fil_aabb_empty();
    fil_aabb_add_point(&box, p);
    fil_v3_add(p, p, size);
    fil_aabb_add_point(&box, p);
    return box;
}

// every inner node covers its children, knows its height, and leans by at most one level
static int check_node(const FilTree* tree, int index, int parent)
{
    const FilTreeNode* node = &tree->nodes[index];
    assert_int_equal(node->parent, parent);
    if (node->child[0] == FIL_TREE_NULL) {
        assert_int_equal(node->height, 0);
        assert_int_equal(tree->leaf[node->item], index);
        assert_true(fil_aabb_contains(&node->box, &tree->tight[node->item]));
        return 1;
    }
    const FilTreeNode *a = &tree->nodes[node->child[0]], *b = &tree->nodes[node->child[1]];
    assert_int_equal(node->height, 1 + (a->height > b->height ? a->height : b->height));
    assert_true(a->height - b->height <= 1 && b->height - a->height <= 1);
    assert_true(fil_aabb_contains(&node->box, &a->box) && fil_aabb_contains(&node->box, &b->box));
    return check_node(tree, node->child[0], index) + check_node(tree, node->child[1], index);
}

static void check_tree(const FilTree* tree, const Model* model, FilPairs* pairs)
{
    int present = 0;
    for (int i = 0; i < ITEMS; i++) {
        present += model->present[i];
    }
    assert_int_equal(tree->item_count, present);
    assert_int_equal(tree->root == FIL_TREE_NULL ? 0 : check_node(tree, tree->root, FIL_TREE_NULL), present);
    // sorted pairs, the same as from comparing all
    pairs->count = 0;
    assert_int_equal(fil_tree_self_pairs(tree, pairs), FIL_OK);
    int at = 0;
    for (int i = 0; i < ITEMS; i++) {
        for (int j = i + 1; j < ITEMS; j++) {
            if (may_pair(i, j) && model->present[i] && model->present[j] && fil_aabb_overlap(&model->box[i], &model->box[j])) {
                assert_true(at < pairs->count);
                assert_int_equal(pairs->items[at].a, i);
                assert_int_equal(pairs->items[at++].b, j);
            }
        }
    }
    assert_int_equal(at, pairs->count);
}

static void random_life_matches_all_pairs(void** state)
{
    (void)state;
    Random random = {71};
    for (int life = 0; life < 6; life++) {
        FilTree tree;
        FilPairs pairs = {0};
        Model model = {0};
        fil_tree_init(&tree, life % 2 ? 0.1 : 0.0);
        check_tree(&tree, &model, &pairs);
        for (int step = 0; step < 600; step++) {
            const int item = (int)(random_bits(&random) % ITEMS);
            if (model.present[item] && random_bits(&random) % 4 == 0) {
                fil_tree_remove(&tree, item);
                model.present[item] = false;
            } else if (model.present[item] && random_bits(&random) % 2 == 0) {
                // a small move, often within the fat box
                for (int k = 0; k < 3; k++) {
                    const double move = random_between(&random, -0.05, 0.05);
                    model.box[item].lo[k] += move;
                    model.box[item].hi[k] += move;
                }
                assert_int_equal(fil_tree_set(&tree, item, group_of(item), &model.box[item]), FIL_OK);
            } else {
                model.box[item] = random_box(&random);
                model.present[item] = true;
                assert_int_equal(fil_tree_set(&tree, item, group_of(item), &model.box[item]), FIL_OK);
            }
            if (step % 20 == 0 || step > 560) {
                check_tree(&tree, &model, &pairs);
            }
        }
        for (int i = 0; i < ITEMS; i++) {
            fil_tree_remove(&tree, i);
            fil_tree_remove(&tree, i);  // twice does no harm
            model.present[i] = false;
        }
        check_tree(&tree, &model, &pairs);
        fil_tree_free(&tree);
        fil_pairs_free(&pairs);
    }
}

// surface of all inner boxes: what walks through the tree cost
static double area_below(const FilTree* tree, int index)
{
    const FilTreeNode* node = &tree->nodes[index];
    return node->child[0] == FIL_TREE_NULL ? 0.0 : fil_aabb_area(&node->box) + area_below(tree, node->child[0]) + area_below(tree, node->child[1]);
}

// everything moves in every step, as in a world: each way by its own, until all are among others than at first; a few jump
static void steps_of_all_match_all_pairs(void** state)
{
    (void)state;
    Random random = {74};
    FilTree tree, fresh;
    FilPairs pairs = {0};
    Model model = {0};
    double velocity[ITEMS][3];
    fil_tree_init(&tree, 0.02);
    for (int i = 0; i < ITEMS; i++) {
        model.box[i] = random_box(&random);
        model.present[i] = true;
        random_vector(&random, 1.0, velocity[i]);
        assert_int_equal(fil_tree_move(&tree, i, group_of(i), &model.box[i]), FIL_OK);
    }
    fil_tree_refit(&tree);
    int stayed = 0;
    for (int step = 0; step < 300; step++) {
        for (int i = 0; i < ITEMS; i++) {
            if (random_bits(&random) % 512 == 0) {
                model.box[i] = random_box(&random);
            }
            for (int k = 0; k < 3; k++) {
                const double move = 0.02 * velocity[i][k];
                velocity[i][k] = fabs(model.box[i].lo[k] + move) > 3.0 ? -velocity[i][k] : velocity[i][k];
                model.box[i].lo[k] += move;
                model.box[i].hi[k] += move;
            }
            const bool stays = fil_tree_stays(&tree, i, &model.box[i]);
            stayed += stays;
            assert_int_equal(stays ? FIL_OK : fil_tree_move(&tree, i, group_of(i), &model.box[i]), FIL_OK);
        }
        fil_tree_refit(&tree);
        check_tree(&tree, &model, &pairs);
    }
    assert_true(stayed > 0 && stayed < 300 * ITEMS);
    // not much worse than a tree that is made anew (1.35 times; 3 times if all had kept their places)
    fil_tree_init(&fresh, 0.02);
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(fil_tree_set(&fresh, i, group_of(i), &model.box[i]), FIL_OK);
    }
    assert_true(area_below(&tree, tree.root) < 1.5 * area_below(&fresh, fresh.root));
    fil_tree_free(&tree);
    fil_tree_free(&fresh);
    fil_pairs_free(&pairs);
}

static void queries_match_comparison(void** state)
{
    (void)state;
    Random random = {72};
    FilTree tree;
    FilPairs pairs = {0};
    Model model = {0};
    fil_tree_init(&tree, 0.05);
    for (int i = 0; i < ITEMS; i++) {
        model.box[i] = random_box(&random);
        assert_int_equal(fil_tree_set(&tree, i, FIL_TREE_NULL, &model.box[i]), FIL_OK);
    }
    for (int n = 0; n < 200; n++) {
        const FilAabb box = random_box(&random);
        pairs.count = 0;
        assert_int_equal(fil_tree_query(&tree, &box, n, &pairs), FIL_OK);
        int at = 0;
        for (int i = 0; i < ITEMS; i++) {
            if (fil_aabb_overlap(&box, &model.box[i])) {
                assert_int_equal(pairs.items[at].a, i);
                assert_int_equal(pairs.items[at++].b, n);
            }
        }
        assert_int_equal(at, pairs.count);
    }
    fil_tree_free(&tree);
    fil_pairs_free(&pairs);
}

// sorted input is what unbalanced trees fear
static void a_row_of_boxes_stays_low(void** state)
{
    (void)state;
    FilTree tree;
    fil_tree_init(&tree, 0.01);
    for (int i = 0; i < 4096; i++) {
        const double p[3] = {i, 0.0, 0.0}, q[3] = {i + 0.9, 1.0, 1.0};
        const FilAabb box = fil_aabb_of_segment(p, q, 0.0);
        assert_int_equal(fil_tree_set(&tree, i, FIL_TREE_NULL, &box), FIL_OK);
    }
    // balanced to one level: at most 1.44 log2(n)
    assert_true(fil_tree_height(&tree) <= 17);
    fil_tree_free(&tree);
}

// two histories, the same boxes: the same pairs in the same order
static void history_does_not_matter(void** state)
{
    (void)state;
    Random random = {73};
    FilTree a, b;
    FilPairs pairs_a = {0}, pairs_b = {0};
    Model model = {0};
    fil_tree_init(&a, 0.2);
    fil_tree_init(&b, 0.01);
    for (int i = 0; i < ITEMS; i++) {
        const FilAabb other = random_box(&random);
        model.box[i] = random_box(&random);
        assert_int_equal(fil_tree_set(&a, i, FIL_TREE_NULL, &other), FIL_OK);
    }
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(fil_tree_set(&a, i, FIL_TREE_NULL, &model.box[i]), FIL_OK);
        const int back = ITEMS - 1 - i;
        assert_int_equal(fil_tree_set(&b, back, FIL_TREE_NULL, &model.box[back]), FIL_OK);
    }
    assert_int_equal(fil_tree_self_pairs(&a, &pairs_a), FIL_OK);
    assert_int_equal(fil_tree_self_pairs(&b, &pairs_b), FIL_OK);
    assert_int_equal(pairs_a.count, pairs_b.count);
    assert_memory_equal(pairs_a.items, pairs_b.items, (size_t)pairs_a.count * sizeof *pairs_a.items);
    fil_tree_free(&a);
    fil_tree_free(&b);
    fil_pairs_free(&pairs_a);
    fil_pairs_free(&pairs_b);
}

// many boxes on one spot: lists of a hundred partners, still sorted
static void a_heap_of_boxes_reports_every_pair(void** state)
{
    (void)state;
    FilTree tree;
    FilPairs pairs = {0};
    fil_tree_init(&tree, 0.0);
    const double p[3] = {0.0, 0.0, 0.0};
    const FilAabb box = fil_aabb_of_segment(p, p, 1.0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(fil_tree_set(&tree, (i * 37) % 100, FIL_TREE_NULL, &box), FIL_OK);
    }
    assert_int_equal(fil_tree_self_pairs(&tree, &pairs), FIL_OK);
    assert_int_equal(pairs.count, 4950);
    for (int i = 1; i < pairs.count; i++) {
        const FilIndexPair *x = &pairs.items[i - 1], *y = &pairs.items[i];
        assert_true(x->a < y->a || (x->a == y->a && x->b < y->b));
    }
    fil_tree_free(&tree);
    fil_pairs_free(&pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_life_matches_all_pairs), cmocka_unit_test(steps_of_all_match_all_pairs),
        cmocka_unit_test(queries_match_comparison),      cmocka_unit_test(a_row_of_boxes_stays_low),
        cmocka_unit_test(history_does_not_matter),       cmocka_unit_test(a_heap_of_boxes_reports_every_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
