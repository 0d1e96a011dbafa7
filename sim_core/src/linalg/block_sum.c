#include "linalg/block_sum.h"

#include <string.h>

void fil_block_sum_free(FilBlockSum* sum)
{
    FilInts* const buffers[] = {&sum->end, &sum->variable, &sum->start, &sum->row, &sum->place, &sum->place_start, &sum->scratch};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        fil_free(buffers[k]->at);
    }
    fil_free(sum->values.at);
    *sum = (FilBlockSum){0};
}

FilBlockPattern fil_block_sum_pattern(const FilBlockSum* sum)
{
    return (FilBlockPattern){sum->columns, sum->start.at, sum->row.at};
}

void fil_block_sum_clear(FilBlockSum* sum)
{
    memset(sum->values.at, 0, FIL_BLOCK_SIZE * (size_t)sum->start.at[sum->columns] * sizeof(double));
}

/* Places of each list, and how many there are in all. */
static bool lay_out(FilBlockSum* sum, int columns, int lists, const int* end, const int* variable)
{
    const size_t variables = lists > 0 ? (size_t)end[lists - 1] : 0;
    if (!fil_ints_reserve(&sum->end, (size_t)lists + 1) || !fil_ints_reserve(&sum->variable, variables + 1) ||
        !fil_ints_reserve(&sum->place_start, (size_t)lists + 1) || !fil_ints_reserve(&sum->start, (size_t)columns + 2)) {
        return false;
    }
    memcpy(sum->end.at, end, (size_t)lists * sizeof *end);
    memcpy(sum->variable.at, variable, variables * sizeof *variable);
    int places = 0;
    for (int k = 0; k < lists; k++) {
        const int m = end[k] - (k > 0 ? end[k - 1] : 0);
        sum->place_start.at[k] = places;
        places += m * m;
    }
    sum->place_start.at[lists] = places;
    sum->columns = columns;
    sum->lists = lists;
    return fil_ints_reserve(&sum->place, (size_t)places + 1) && fil_ints_reserve(&sum->row, (size_t)places + 1) &&
           fil_ints_reserve(&sum->scratch, (size_t)columns + 3 * (size_t)places + 1);
}

/* Variables of the entries that places of list k stand for. */
static void name_places(FilBlockSum* sum, int list, int* rows, int* columns, int* start)
{
    const int first = list > 0 ? sum->end.at[list - 1] : 0, end = sum->end.at[list];
    int p = sum->place_start.at[list];
    for (int r = first; r < end; r++) {
        const int row = sum->variable.at[r];
        for (int c = first; c < end; c++, p++) {
            const int column = sum->variable.at[c];
            rows[p] = row;
            columns[p] = column;
            sum->place.at[p] = -1;
            start[column + 2] += row >= column;
        }
    }
}

/* Sorts the places by column, then gives each distinct (row, column) one block. */
static bool build(FilBlockSum* sum)
{
    const int n = sum->columns, places = sum->place_start.at[sum->lists];
    int *start = sum->start.at, *mark = sum->scratch.at, *sorted = mark + n, *rows = sorted + places, *columns = rows + places;
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    for (int k = 0; k < sum->lists; k++) {
        name_places(sum, k, rows, columns, start);
    }
    for (int j = 0; j < n; j++) {
        start[j + 2] += start[j + 1];
    }
    for (int p = 0; p < places; p++) {
        if (rows[p] >= columns[p]) {
            sorted[start[columns[p] + 1]++] = p;
        }
    }
    memset(mark, -1, (size_t)n * sizeof *mark);
    int blocks = 0;
    for (int j = 0, t = 0; j < n; j++) {
        const int first = blocks, last = start[j + 1];
        start[j] = first;
        for (; t < last; t++) {
            const int i = rows[sorted[t]];
            if (mark[i] < first) {
                mark[i] = blocks;
                sum->row.at[blocks++] = i;
            }
            sum->place.at[sorted[t]] = mark[i];
        }
    }
    start[n] = blocks;
    return fil_doubles_reserve(&sum->values, FIL_BLOCK_SIZE * (size_t)blocks + 1);
}

bool fil_block_sum_adopt(FilBlockSum* sum, int columns, int lists, const int* end, const int* variable, bool* same)
{
    *same = columns == sum->columns && lists == sum->lists && sum->start.at != NULL && memcmp(end, sum->end.at, (size_t)lists * sizeof *end) == 0 &&
            (lists == 0 || memcmp(variable, sum->variable.at, (size_t)end[lists - 1] * sizeof *variable) == 0);
    if (*same) {
        return true;
    }
    if (!lay_out(sum, columns, lists, end, variable) || !build(sum)) {
        sum->columns = -1;  // fits nothing
        return false;
    }
    return true;
}
