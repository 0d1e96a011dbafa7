#include "linalg/subtrees.h"

/* A subtree has no more than this share of the work: enough of them for some threads to get the same; 8 to 64 cut alike. */
static const double SHARE = 1.0 / 24.0;

void fil_subtrees_free(FilSubtrees* trees)
{
    fil_free(trees->start.at);
    fil_free(trees->column.at);
    fil_free(trees->task.at);
    fil_free(trees->work.at);
    *trees = (FilSubtrees){0};
}

bool fil_subtrees_reserve(FilSubtrees* trees, int columns)
{
    const size_t n = (size_t)columns;
    return fil_ints_reserve(&trees->start, n + 3) && fil_ints_reserve(&trees->column, n + 1) && fil_ints_reserve(&trees->task, n + 1) &&
           fil_doubles_reserve(&trees->work, n + 1);
}

/* Each column's subtree, numbered as their roots come from the last one on; -1: above all. */
static int name_subtrees(FilSubtrees* trees, int columns, const int* parent)
{
    double *work = trees->work.at, total = 0.0;
    int* task = trees->task.at;
    int count = 0;
    for (int j = 0; j < columns; j++) {
        total += work[j];
    }
    for (int j = 0; j < columns; j++) {
        if (parent[j] >= 0 && parent[j] < columns) {
            work[parent[j]] += work[j];
        }
    }
    for (int j = columns - 1; j >= 0; j--) {
        const int above = parent[j] >= 0 && parent[j] < columns ? task[parent[j]] : -1;
        task[j] = above >= 0 ? above : work[j] > SHARE * total ? -1 : count++;
    }
    return count;
}

void fil_subtrees_find(FilSubtrees* trees, int columns, const int* parent)
{
    int *start = trees->start.at, *task = trees->task.at;
    const int count = trees->count = name_subtrees(trees, columns, parent);
    memset(start, 0, sizeof(int) * (size_t)(count + 2));
    for (int j = 0; j < columns; j++) {
        task[j] = task[j] >= 0 ? task[j] : count;
        start[task[j] + 1]++;
    }
    for (int t = 0; t <= count; t++) {
        start[t + 1] += start[t];
    }
    // from each one's end down, which leaves the ends where the beginnings are
    for (int j = columns - 1; j >= 0; j--) {
        trees->column.at[--start[task[j] + 1]] = j;
    }
    for (int t = 0; t <= count; t++) {
        start[t] = start[t + 1];
    }
    start[count + 1] = columns;
}
