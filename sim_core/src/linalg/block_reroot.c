#include "linalg/block_reroot.h"

/* Products below which a factor gains less than the second analysis takes, over some steps with the same contacts. A chain of bodies keeps its
 * contacts for some steps; those of a knot, which is a body by itself, are others in nearly every one (from 1,000 products on knot_tightening
 * takes 3 % longer, ring_chain with two threads 2.5 % less). */
static const double MIN_PRODUCTS = 3000.0, MIN_PRODUCTS_OF_BODIES = 1000.0;
/* Bodies that make a chain. Chosen: knots have one to three, chains of rings and of capsules a hundred. */
enum { MANY_BODIES = 8 };
static const double MAX_PRODUCTS = 1e9; /* they are counted in ints */

/* Share of the work that lies on the longest branch, from the root down to half of the work, above which it is one: a tree that forks has half of
 * that and less. */
static const double BRANCH = 0.3;

/* The column at which the longest branch has half of the work below it, or -1 where there is no such branch. `work` has a place for each changing
 * column. */
static int find_middle(const FilBlockSymbolic* s, int* work, int* heaviest)
{
    const int first = s->first_changing, columns = s->columns - first;
    double total = 0.0, spine = 0.0;
    for (int j = 0; j < columns; j++) {
        const int below = s->column_start.at[first + j + 1] - s->column_start.at[first + j];
        work[j] = below * (below + 1) / 2;
        heaviest[j] = -1;
        total += work[j];
    }
    int root = columns - 1;
    for (int j = 0; j < columns; j++) {
        const int parent = s->parent.at[first + j] - first;
        if (parent >= 0) {
            work[parent] += work[j];
            heaviest[parent] = heaviest[parent] < 0 || work[j] > work[heaviest[parent]] ? j : heaviest[parent];
        } else if (work[j] >= work[root]) {
            root = j;
        }
    }
    while (heaviest[root] >= 0 && work[heaviest[root]] > 0.5 * total) {
        const int below = s->column_start.at[first + root + 1] - s->column_start.at[first + root];
        spine += below * (below + 1) / 2;
        root = heaviest[root];
    }
    return spine > BRANCH * total ? root : -1;
}

/* Columns by how many of their neighbours have been visited: a list for each number. */
typedef struct Queue {
    int *count, *head, *next, *previous;
    int max; /* no list beyond this has anyone */
} Queue;

static void put(Queue* queue, int v)
{
    const int c = queue->count[v];
    queue->next[v] = queue->head[c];
    queue->previous[v] = -1;
    if (queue->head[c] >= 0) {
        queue->previous[queue->head[c]] = v;
    }
    queue->head[c] = v;
    queue->max = c > queue->max ? c : queue->max;
}

static void take(Queue* queue, int v)
{
    const int next = queue->next[v], previous = queue->previous[v];
    if (next >= 0) {
        queue->previous[next] = previous;
    }
    if (previous >= 0) {
        queue->next[previous] = next;
    } else {
        queue->head[queue->count[v]] = next;
    }
}

enum { VISITED = -1 };

static void meet(Queue* queue, int v)
{
    if (v >= 0 && queue->count[v] != VISITED) {
        take(queue, v);
        queue->count[v]++;
        put(queue, v);
    }
}

/* Visits all changing columns from one of them on, always one with most visited neighbours. L's pattern is chordal, so that the reverse of this order
 * eliminates it without fill (Tarjan and Yannakakis, "Simple linear-time algorithms to test chordality of graphs", 1984). */
static void visit(const FilBlockSymbolic* s, Queue* queue, int start, int* order)
{
    const int first = s->first_changing, columns = s->columns - first;
    queue->max = 0;
    for (int j = 0; j < columns; j++) {
        queue->head[j] = -1;
        queue->count[j] = 0;
    }
    for (int j = columns - 1; j >= 0; j--) {
        put(queue, j);
    }
    for (int end = columns; end > 0; end--) {
        while (queue->head[queue->max] < 0) {
            queue->max--;
        }
        const int v = end == columns ? start : queue->head[queue->max];
        take(queue, v);
        queue->count[v] = VISITED;
        order[first + end - 1] = s->ordering.old_of_new[first + v];
        for (int p = s->column_start.at[first + v] + 1; p < s->column_start.at[first + v + 1]; p++) {
            meet(queue, s->row.at[p] - first);
        }
        for (int q = s->row_start.at[first + v]; q < s->row_start.at[first + v + 1]; q++) {
            meet(queue, s->row_column.at[q] - first);
        }
    }
}

/* Whether the columns of A fall apart into so many groups. */
static bool has_bodies(const FilBlockPattern* a, int many)
{
    int count = 0, reach = 0;
    for (int j = 0; j < a->columns && count < many; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            reach = a->row[k] > reach ? a->row[k] : reach;
        }
        count += reach <= j;
    }
    return count >= many;
}

/* Whether what the factors gain is more than the second analysis takes. */
static bool is_worth(const FilBlockSymbolic* s, const FilBlockPattern* a)
{
    const double products = s->predicted_products;
    return s->columns > s->first_changing && products < MAX_PRODUCTS &&
           (products > MIN_PRODUCTS || (products > MIN_PRODUCTS_OF_BODIES && has_bodies(a, MANY_BODIES)));
}

bool fil_block_reroot(FilBlockSymbolic* s, const FilBlockPattern* a, bool* rerooted)
{
    const size_t n = (size_t)s->columns;
    *rerooted = false;
    if (!fil_ints_reserve(&s->scratch, 5 * n)) {
        return false;
    }
    int* at = s->scratch.at;
    const int middle = is_worth(s, a) ? find_middle(s, at, at + n) : -1;
    if (middle < 0) {
        return true;
    }
    Queue queue = {.count = at, .head = at + n, .next = at + 2 * n, .previous = at + 3 * n};
    int* order = at + 4 * n;
    for (int j = 0; j < s->first_changing; j++) {
        order[j] = s->ordering.old_of_new[j];
    }
    visit(s, &queue, middle, order);
    fil_ordering_set(&s->ordering, order);
    *rerooted = true;
    return true;
}
