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

bool fil_ordering_min_degree(FilOrdering* ordering, const FilBlockPattern* const* patterns, int count, bool loose)
{
    const int n = patterns[0]->columns;
    size_t neighbours = 0;
    for (int m = 0; m < count; m++) {
        neighbours += 2 * (size_t)patterns[m]->start[n];
    }
    // work arrays of n + 1, and the lists with the elbow room that CAMD asks for
    enum { ARRAYS = 12 };
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
    memset(group, 0, columns * sizeof *group);
    if (count > 1 && !loose) {
        group_by_touch(patterns[count - 1], group);
    }

    double control[CAMD_CONTROL], info[CAMD_INFO];
    camd_defaults(control);
    if (n > 0) {
        camd_2(n, start, list, length, (int)list_size, list_end, super_size, next, old_of_new, head, elements, degree,
               mark, control, info, group, bucket);
    }
    for (int k = 0; k < n; k++) {
        new_of_old[old_of_new[k]] = k;
    }
    ordering->columns = n;
    ordering->old_of_new = old_of_new;
    ordering->new_of_old = new_of_old;
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
    *ordering = (FilOrdering){0};
}
