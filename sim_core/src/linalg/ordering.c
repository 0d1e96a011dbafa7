#include "linalg/ordering.h"

#include <string.h>
#include <suitesparse/amd.h>

/* Writes each variable's neighbours, none twice, to list[start[j]] ... and returns where the last list ends.
 * `mark` and `length` have one place per column. */
static int adjacency(const FilBlockPattern* const* patterns, int count, int* start, int* length, int* mark, int* list)
{
    const int n = patterns[0]->columns;
    // room for every neighbour, counted with repetitions
    memset(length, 0, (size_t)n * sizeof *length);
    for (int m = 0; m < count; m++) {
        for (int j = 0; j < n; j++) {
            for (int k = patterns[m]->start[j]; k < patterns[m]->start[j + 1]; k++) {
                if (patterns[m]->row[k] != j) {
                    length[j]++;
                    length[patterns[m]->row[k]]++;
                }
            }
        }
    }
    int end = 0;
    for (int j = 0; j < n; j++) {
        start[j] = end;
        end += length[j];
        length[j] = 0;
    }
    for (int m = 0; m < count; m++) {
        for (int j = 0; j < n; j++) {
            for (int k = patterns[m]->start[j]; k < patterns[m]->start[j + 1]; k++) {
                const int i = patterns[m]->row[k];
                if (i != j) {
                    list[start[j] + length[j]++] = i;
                    list[start[i] + length[i]++] = j;
                }
            }
        }
    }
    // drop what two patterns have in common
    if (count > 1) {
        memset(mark, -1, (size_t)n * sizeof *mark);
        end = 0;
        for (int j = 0; j < n; j++) {
            const int first = end;
            for (int k = start[j]; k < start[j] + length[j]; k++) {
                if (mark[list[k]] != j) {
                    mark[list[k]] = j;
                    list[end++] = list[k];
                }
            }
            start[j] = first;
            length[j] = end - first;
        }
    }
    return end;
}

bool fil_ordering_min_degree(FilOrdering* ordering, const FilBlockPattern* const* patterns, int count)
{
    const int n = patterns[0]->columns;
    size_t neighbours = 0;
    for (int m = 0; m < count; m++) {
        neighbours += 2 * (size_t)patterns[m]->start[n];
    }
    // nine arrays of n, and the lists with the elbow room that AMD asks for
    const size_t columns = (size_t)n, list_size = neighbours + neighbours / 5 + columns + 1;
    if (!fil_ints_reserve(&ordering->work, 9 * columns + list_size)) {
        return false;
    }
    int* work = ordering->work.at;
    int* old_of_new = work;
    int* new_of_old = work + columns;
    int* start = work + 2 * columns;
    int* length = work + 3 * columns;
    int* super_size = work + 4 * columns;
    int* head = work + 5 * columns;
    int* elements = work + 6 * columns;
    int* degree = work + 7 * columns;
    int* mark = work + 8 * columns;
    int* list = work + 9 * columns;
    const int list_end = adjacency(patterns, count, start, length, mark, list);

    double control[AMD_CONTROL], info[AMD_INFO];
    amd_defaults(control);
    if (n > 0) {
        amd_2(n, start, list, length, (int)list_size, list_end, super_size, new_of_old, old_of_new, head, elements,
              degree, mark, control, info);
    }
    ordering->columns = n;
    ordering->old_of_new = old_of_new;
    ordering->new_of_old = new_of_old;
    return true;
}

void fil_ordering_free(FilOrdering* ordering)
{
    fil_free(ordering->work.at);
    *ordering = (FilOrdering){0};
}
