#include "linalg/block_tasks.h"

/* Bundles: enough for some threads to get the same, few enough that taking them costs nothing (0.2 us each) and most have several subtrees. */
static const double BUNDLES = 10.0;

/* Products, and as many blocks, below which others are not called: some 10 us. */
static const double SMALL = 1000.0;

void fil_block_tasks_free(FilBlockTasks* tasks)
{
    fil_subtrees_free(&tasks->trees);
    fil_free(tasks->start.at);
    fil_free(tasks->column.at);
    fil_free(tasks->bundle.at);
    *tasks = (FilBlockTasks){0};
}

/* Work of each column, which fil_subtrees_find() makes its subtree's; returns the sum. */
static double weigh(const FilBlockTasks* tasks, const FilBlockSymbolic* s)
{
    double total = 0.0;
    for (int j = tasks->first; j < tasks->end; j++) {
        const int begin = s->column_start.at[j], end = s->column_start.at[j + 1];
        const double work = s->product_start.at[end] - s->product_start.at[begin] + 2.0 * (end - begin);
        tasks->trees.work.at[j - tasks->first] = work;
        total += work;
    }
    return total;
}

/* The root of a subtree is its last column. */
static int root_of(const FilSubtrees* trees, int t)
{
    return trees->column.at[trees->start.at[t + 1] - 1];
}

/* Bundles of subtrees, by the variables of their roots; each ends where it has its share. `tree_of` has a place for each variable. */
static void bundle_trees(FilBlockTasks* tasks, const FilBlockSymbolic* s, double total, int* tree_of)
{
    const FilSubtrees* trees = &tasks->trees;
    double work = total;
    memset(tree_of, -1, (size_t)s->columns * sizeof *tree_of);
    for (int t = 0; t < trees->count; t++) {
        tree_of[s->ordering.old_of_new[tasks->first + root_of(trees, t)]] = t;
    }
    tasks->count = 0;
    for (int v = 0; v < s->columns; v++) {
        if (tree_of[v] < 0) {
            continue;
        }
        if (work * BUNDLES >= total) {
            tasks->count++;
            work = 0.0;
        }
        work += trees->work.at[root_of(trees, tree_of[v])];
        tasks->bundle.at[tree_of[v]] = tasks->count - 1;
    }
    tasks->bundle.at[trees->count] = tasks->count;
}

/* Sorts columns by bundles. */
static void sort_columns(FilBlockTasks* tasks)
{
    const int columns = tasks->end - tasks->first, *bundle = tasks->bundle.at, *task = tasks->trees.task.at;
    int* start = tasks->start.at;
    memset(start, 0, ((size_t)tasks->count + 3) * sizeof *start);
    // start[b + 2] counts bundle b; after the sums start[b + 1] is where it begins, and it ends where b + 1 begins
    for (int j = 0; j < columns; j++) {
        start[bundle[task[j]] + 2]++;
    }
    for (int b = 0; b <= tasks->count; b++) {
        start[b + 2] += start[b + 1];
    }
    for (int j = 0; j < columns; j++) {
        tasks->column.at[start[bundle[task[j]] + 1]++] = tasks->first + j;
    }
}

bool fil_block_tasks_find(FilBlockTasks* tasks, FilBlockSymbolic* s, int first, int end)
{
    const int columns = end - first;
    int* parent = s->scratch.at;
    if (!fil_subtrees_reserve(&tasks->trees, columns) || !fil_ints_reserve(&tasks->start, (size_t)columns + 3) ||
        !fil_ints_reserve(&tasks->column, (size_t)columns) || !fil_ints_reserve(&tasks->bundle, (size_t)columns + 1)) {
        return false;
    }
    tasks->first = first;
    tasks->end = end;
    for (int j = 0; j < columns; j++) {
        parent[j] = s->parent.at[first + j] - first;  // negative at a root
    }
    const double total = weigh(tasks, s);
    fil_subtrees_find(&tasks->trees, columns, parent);
    bundle_trees(tasks, s, total, s->scratch.at);
    sort_columns(tasks);
    tasks->small = total < SMALL;
    return true;
}
