#include "linalg/ordering.h"

#include <limits.h>
#include <string.h>
#include <suitesparse/camd.h>

#include "linalg/block_graph.h"

/* Group 1 for variables that the pattern touches, group 0, to be eliminated first, for the others. */
static void group_by_touch(const FilBlockPattern* pattern, int* group)
{
    int touched = 0;
    memset(group, 0, (size_t)pattern->columns * sizeof *group);
    for (int j = 0; j < pattern->columns; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            touched += (group[j] == 0) + (pattern->row[k] != j && group[pattern->row[k]] == 0);
            group[j] = group[pattern->row[k]] = 1;
        }
    }
    // groups are numbered from 0
    if (touched == pattern->columns) {
        memset(group, 0, (size_t)pattern->columns * sizeof *group);
    }
}

/* The smaller numbers that keep the order of groups, without gaps. */
static void number_groups(int n, int* group, int* count)
{
    memset(count, 0, (size_t)n * sizeof *count);
    for (int v = 0; v < n; v++) {
        count[group[v]] = 1;
    }
    for (int g = 0, number = 0; g < n; g++) {
        const int used = count[g];
        count[g] = number;
        number += used;
    }
    for (int v = 0; v < n; v++) {
        group[v] = count[group[v]];
    }
}

/* Work arrays of n + 1, and lists with the elbow room that CAMD asks for. */
enum { ARRAYS = 12 };

/* Writes the groups of variables; `scratch` has a place for each. */
typedef void WriteGroups(const void* context, const FilBlockPattern* const* patterns, int count, int* group, int* scratch);

static bool order(FilOrdering* ordering, const FilBlockPattern* const* patterns, int count, WriteGroups* write_groups, const void* context)
{
    const int n = patterns[0]->columns;
    size_t neighbours = 0;
    for (int m = 0; m < count; m++) {
        neighbours += 2 * (size_t)patterns[m]->start[n];
    }
    const size_t columns = (size_t)n, list_size = neighbours + neighbours / 5 + columns + 1;
    if (list_size > INT_MAX || !fil_ints_reserve(&ordering->work, ARRAYS * (columns + 1) + list_size)) {
        return false;
    }
    int* array[ARRAYS];
    for (size_t k = 0; k < ARRAYS; k++) {
        array[k] = ordering->work.at + k * (columns + 1);
    }
    int *old_of_new = array[0], *new_of_old = array[1], *start = array[2], *length = array[3];
    int *super_size = array[4], *next = array[5], *head = array[6], *elements = array[7], *degree = array[8];
    int *mark = array[9], *group = array[10], *bucket = array[11], *list = ordering->work.at + ARRAYS * (columns + 1);
    const int list_end = fil_block_graph_write(patterns, count, start, length, mark, list);
    write_groups(context, patterns, count, group, bucket);

    double control[CAMD_CONTROL], info[CAMD_INFO];
    camd_defaults(control);
    if (n > 0) {
        camd_2(n, start, list, length, (int)list_size, list_end, super_size, next, old_of_new, head, elements, degree, mark, control, info, group,
               bucket);
    }
    for (int k = 0; k < n; k++) {
        new_of_old[old_of_new[k]] = k;
    }
    ordering->columns = n;
    ordering->old_of_new = old_of_new;
    ordering->new_of_old = new_of_old;
    return true;
}

static void one_group(const void* context, const FilBlockPattern* const* patterns, int count, int* group, int* scratch)
{
    (void)context, (void)count, (void)scratch;
    memset(group, 0, (size_t)patterns[0]->columns * sizeof *group);
}

static void touched_last(const void* context, const FilBlockPattern* const* patterns, int count, int* group, int* scratch)
{
    (void)context, (void)scratch;
    group_by_touch(patterns[count - 1], group);
}

static void given_groups(const void* context, const FilBlockPattern* const* patterns, int count, int* group, int* scratch)
{
    (void)count;
    const int n = patterns[0]->columns;
    memcpy(group, context, (size_t)n * sizeof *group);
    number_groups(n, group, scratch);
}

bool fil_ordering_min_degree(FilOrdering* ordering, const FilBlockPattern* const* patterns, int count, bool loose)
{
    return order(ordering, patterns, count, count > 1 && !loose ? touched_last : one_group, NULL);
}

bool fil_ordering_by_groups(FilOrdering* ordering, const FilBlockPattern* const* patterns, int count, const int* group)
{
    return order(ordering, patterns, count, given_groups, group);
}

bool fil_ordering_put(FilOrdering* ordering, int columns, const int* order)
{
    const size_t size = (size_t)columns + 1;
    if (!fil_ints_reserve(&ordering->work, 2 * size)) {
        return false;
    }
    ordering->columns = columns;
    ordering->old_of_new = ordering->work.at;
    ordering->new_of_old = ordering->work.at + size;
    fil_ordering_set(ordering, order);
    return true;
}

void fil_ordering_set(FilOrdering* ordering, const int* order)
{
    int *old_of_new = ordering->work.at, *new_of_old = old_of_new + ordering->columns + 1;
    for (int k = 0; k < ordering->columns; k++) {
        old_of_new[k] = order[k];
        new_of_old[order[k]] = k;
    }
}

void fil_ordering_free(FilOrdering* ordering)
{
    fil_free(ordering->work.at);
    fil_runs_free(&ordering->runs);
    fil_free(ordering->left.at);
    *ordering = (FilOrdering){0};
}
