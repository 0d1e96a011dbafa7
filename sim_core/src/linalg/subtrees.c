#include "linalg/subtrees.h"

/* Shares of all work that a subtree may have. The smallest lets some threads get the same; but a long branch that is cut at its share leaves the rest
 * of it to one thread, so that a few whole ones may be better. */
static const double SHARES[] = {1.0 / 2.0, 1.0 / 3.0, 1.0 / 8.0, 1.0 / 24.0};
enum { SHARE_COUNT = sizeof SHARES / sizeof *SHARES };

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

/* What is above, and the largest subtree. */
typedef struct Cut {
    double above, largest;
} Cut;

/* The time that two threads take at most, where each takes the next subtree when it has done one, and one of them what is above (Graham, "Bounds for
 * certain multiprocessing anomalies", 1966). */
static double time_of(const Cut* cut, double total)
{
    return cut->above + 0.5 * (total - cut->above) + 0.5 * cut->largest;
}

/* The share that takes least time; `work` is that of each column's subtree. */
static double choose_share(const double* work, int columns, const int* parent, double total)
{
    Cut cuts[SHARE_COUNT] = {{0.0, 0.0}};
    // a column is the root of a subtree where its parent is above; the work of those above is what all roots leave
    for (int k = 0; k < SHARE_COUNT; k++) {
        cuts[k].above = total;
    }
    for (int j = 0; j < columns; j++) {
        const bool root = parent[j] < 0 || parent[j] >= columns;
        for (int k = 0; k < SHARE_COUNT; k++) {
            const double max = SHARES[k] * total;
            if (work[j] <= max && (root || work[parent[j]] > max)) {
                cuts[k].above -= work[j];
                cuts[k].largest = work[j] > cuts[k].largest ? work[j] : cuts[k].largest;
            }
        }
    }
    int best = SHARE_COUNT - 1;
    for (int k = SHARE_COUNT - 2; k >= 0; k--) {
        best = time_of(&cuts[k], total) < time_of(&cuts[best], total) ? k : best;
    }
    return SHARES[best];
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
    const double max = choose_share(work, columns, parent, total) * total;
    for (int j = columns - 1; j >= 0; j--) {
        const int above = parent[j] >= 0 && parent[j] < columns ? task[parent[j]] : -1;
        task[j] = above >= 0 ? above : work[j] > max ? -1 : count++;
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
