#include "linalg/elimination.h"

#include <string.h>

/* Below these nested dissection saves nothing: against minimum degree it takes 13 % more operations on a cube of 4^3
 * vertices, 1 % more on 6^3, 1 % fewer on a stack of 5^3 bodies (4e6), 12 to 14 % fewer on 7^3 and 6^3. */
enum { DISSECT_COLUMNS = 100 };
static const double DISSECT_FLOPS = 4e6;
/* Where a second pattern joins few variables closely, contacts at a part of a solid, it takes more: 20 % on a ball in a hand (4.7e6), 40 to 60 % on
 * a bear between bubbles (1.2e7 to 2.1e7), and costs as much as five factors at every step. */
static const double DISSECT_FLOPS_PARTLY = 1e8;

void fil_elimination_free(FilElimination* e)
{
    FilInts* const buffers[] = {&e->old_of_new, &e->new_of_old, &e->width, &e->parent, &e->rows, &e->height, &e->work, &e->weight};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        fil_free(buffers[k]->at);
    }
    fil_block_graph_free(&e->graph);
    fil_ordering_free(&e->min_degree);
    fil_ordering_free(&e->nested);
    fil_dissection_free(&e->dissection);
    *e = (FilElimination){0};
}

/* The parent of j is the first row below the diagonal of column j of L. */
static void build_tree(FilElimination* e, int* ancestor)
{
    for (int i = 0; i < e->columns; i++) {
        const int v = e->old_of_new.at[i];
        e->parent.at[i] = ancestor[i] = -1;
        for (int k = e->graph.start.at[v]; k < e->graph.start.at[v + 1]; k++) {
            for (int j = e->new_of_old.at[e->graph.list.at[k]], next; j != -1 && j < i; j = next) {
                next = ancestor[j];
                ancestor[j] = i;
                if (next == -1) {
                    e->parent.at[j] = i;
                }
            }
        }
    }
}

/* Row i of L is what its entries reach on their way up the tree to i. */
static void count_rows(FilElimination* e, int* mark)
{
    memset(e->rows.at, 0, (size_t)e->columns * sizeof(int));
    memset(e->height.at, 0, (size_t)e->columns * sizeof(int));
    memset(mark, -1, (size_t)e->columns * sizeof *mark);
    for (int i = 0; i < e->columns; i++) {
        const int v = e->old_of_new.at[i], width = e->width.at[i];
        mark[i] = i;
        for (int k = e->graph.start.at[v]; k < e->graph.start.at[v + 1]; k++) {
            for (int j = e->new_of_old.at[e->graph.list.at[k]]; j < i && mark[j] != i; j = e->parent.at[j]) {
                mark[j] = i;
                e->rows.at[j]++;
                e->height.at[j] += width;
            }
        }
    }
    e->flops = 0.0;
    for (int j = 0; j < e->columns; j++) {
        const double width = e->width.at[j], below = e->height.at[j];
        e->flops += width * (below * (below + width) + width * width / 3.0);
    }
}

/* Takes an order and finds what it fills. */
static void follow(FilElimination* e, const int* old_of_new)
{
    for (int k = 0; k < e->columns; k++) {
        e->old_of_new.at[k] = old_of_new[k];
        e->new_of_old.at[old_of_new[k]] = k;
        e->width.at[k] = e->weight.at[old_of_new[k]];
    }
    build_tree(e, e->work.at);
    count_rows(e, e->work.at);
}

/* Marks the variables that a pattern touches; how many they are. */
static int mark_touched(const FilBlockPattern* c, int* touched)
{
    int count = 0;
    memset(touched, 0, (size_t)c->columns * sizeof *touched);
    for (int j = 0; j < c->columns; j++) {
        for (int k = c->start[j]; k < c->start[j + 1]; k++) {
            touched[j] = touched[c->row[k]] = 1;
        }
    }
    for (int j = 0; j < c->columns; j++) {
        count += touched[j];
    }
    return count;
}

/* Groups of those that a pattern touches follow all others; both keep their order. */
static void put_touched_last(const FilBlockPattern* c, int* group, int* touched, int* number)
{
    const int n = c->columns;
    mark_touched(c, touched);
    int end = 0;
    for (int pass = 0; pass < 2; pass++) {
        // members of each group among these, then its first number
        memset(number, 0, (size_t)n * sizeof *number);
        for (int v = 0; v < n; v++) {
            number[group[v]] += touched[v] == pass;
        }
        for (int g = 0; g < n; g++) {
            const int members = number[g];
            number[g] = end;
            end += members;
        }
        // groups of the first pass are not looked at again
        for (int v = 0; v < n; v++) {
            if (touched[v] == pass) {
                group[v] = number[group[v]];
                touched[v] = -1;
            }
        }
    }
}

FilStatus fil_elimination_find(FilElimination* e, const FilBlockPattern* a, const FilBlockPattern* c, const unsigned char* used)
{
    const FilBlockPattern* const patterns[] = {a, c};
    const int count = c != NULL ? 2 : 1;
    const size_t n = (size_t)a->columns;
    FilInts* const buffers[] = {&e->old_of_new, &e->new_of_old, &e->width, &e->parent, &e->rows, &e->height};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        if (!fil_ints_reserve(buffers[k], n)) {
            return FIL_OUT_OF_MEMORY;
        }
    }
    if (!fil_ints_reserve(&e->work, 4 * n) || !fil_ints_reserve(&e->weight, n) || !fil_block_graph_build(&e->graph, patterns, count) ||
        !fil_ordering_min_degree(&e->min_degree, patterns, count, false)) {
        return FIL_OUT_OF_MEMORY;
    }
    e->columns = a->columns;
    e->dissected = false;
    int *group = e->work.at + n, *weight = group + n;  // the first part is for follow()
    for (size_t v = 0; v < n; v++) {
        const int bits = used != NULL ? used[v] : 15;
        e->weight.at[v] = (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1) + (bits >> 3 & 1);
    }
    follow(e, e->min_degree.old_of_new);
    const bool partly = c != NULL && 2 * mark_touched(c, e->work.at) < a->columns;
    if (a->columns < DISSECT_COLUMNS || e->flops < (partly ? DISSECT_FLOPS_PARTLY : DISSECT_FLOPS)) {
        return FIL_OK;
    }

    // the order that takes fewer operations
    const double flops = e->flops;
    for (size_t v = 0; v < n; v++) {
        weight[v] = e->weight.at[v] > 0 ? e->weight.at[v] : 1;
    }
    if (!fil_nested_dissection(&e->dissection, &e->graph, weight, group)) {
        return FIL_OUT_OF_MEMORY;
    }
    if (c != NULL) {
        put_touched_last(c, group, weight, weight + n);
    }
    if (!fil_ordering_by_groups(&e->nested, patterns, count, group)) {
        return FIL_OUT_OF_MEMORY;
    }
    follow(e, e->nested.old_of_new);
    e->dissected = e->flops < flops;
    if (!e->dissected) {
        follow(e, e->min_degree.old_of_new);
    }
    return FIL_OK;
}
