#include "linalg/amalgamation.h"

#include <stdbool.h>
#include <string.h>

typedef struct Merge {
    const FilElimination* e;
    int *head, *next;    /* children of each column */
    int *pivots, *zeros; /* of the supernode that ends with a column: unknowns, and zeros that it stores */
    int* merged;         /* whether a column belongs to its parent's supernode */
} Merge;

/* Numbers in the columns of a supernode */
static double stored(double pivots, double updates)
{
    return pivots * (pivots + 1.0) / 2.0 + pivots * updates;
}

/* Zeros that a supernode of so many pivots may store, as a share of its numbers: pivots are filled up to batches of four and a
 * front costs something whatever its size, so that small ones gain most. A quarter and a half of these shares are as
 * good; none, or twice as many, cost 6 to 14 % (cubes of 5^3, 8^3, 11^3 vertices, stack of 10^3 bodies). */
static double allowed_zeros(int pivots)
{
    return pivots <= 8 ? 0.8 : pivots <= 24 ? 0.35 : pivots <= 64 ? 0.15 : 0.06;
}

/* Merges the supernode of child c with that of its parent p if little is lost. */
static bool try_merge(Merge* m, int c, int p, bool free_only)
{
    const double below = m->e->height.at[p], pivots = m->pivots[c] + m->pivots[p];
    const double total = stored(pivots, below);
    const double extra = total - stored(m->pivots[c], m->e->height.at[c]) - stored(m->pivots[p], below);
    const double zeros = extra + m->zeros[c] + m->zeros[p];
    // zeros are counted by an int below, and 1e9 numbers are 8 GB, whatever their share
    if (free_only ? extra > 0.0 : zeros > allowed_zeros(m->pivots[c] + m->pivots[p]) * total || zeros > 1e9) {
        return false;
    }
    m->pivots[p] += m->pivots[c];
    m->zeros[p] = (int)zeros;
    m->merged[c] = 1;
    return true;
}

void fil_amalgamation_find(const FilElimination* e, int first_changing, int* top, int* work)
{
    const int n = e->columns;
    const size_t size = (size_t)n;
    Merge m = {e, work, work + size, work + 2 * size, work + 3 * size, work + 4 * size};
    memset(m.head, -1, size * sizeof(int));
    memset(m.zeros, 0, size * sizeof(int));
    memset(m.merged, 0, size * sizeof(int));
    memcpy(m.pivots, e->width.at, size * sizeof(int));
    for (int j = n - 1; j >= 0; j--) {
        if (e->parent.at[j] >= 0) {
            m.next[j] = m.head[e->parent.at[j]];
            m.head[e->parent.at[j]] = j;
        }
    }
    // those that cost nothing first: they are what the structure says
    for (int p = 0; p < n; p++) {
        for (int pass = 0; pass < 2; pass++) {
            for (int c = m.head[p]; c >= 0; c = m.next[c]) {
                if (!m.merged[c] && (c < first_changing) == (p < first_changing)) {
                    try_merge(&m, c, p, pass == 0);
                }
            }
        }
    }
    for (int j = n - 1; j >= 0; j--) {
        top[j] = m.merged[j] ? top[e->parent.at[j]] : j;
    }
}
