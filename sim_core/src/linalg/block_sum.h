/* A symmetric matrix of 4x4 blocks that is a sum of small dense ones, each over a few variables: Hessians of contacts.
 * The pattern is kept from call to call and rebuilt only when the lists of variables change. */
#ifndef FILUM_LINALG_BLOCK_SUM_H
#define FILUM_LINALG_BLOCK_SUM_H

#include "linalg/block_matrix.h"
#include "linalg/buffer.h"

typedef struct FilBlockSum {
    int columns, lists;
    FilInts end, variable; /* of each list: where its variables end; the variables */
    FilInts start, row;    /* pattern */
    FilInts place;         /* for each list of m variables m x m numbers: block of (row, column), -1 above the diagonal */
    FilInts place_start;
    FilDoubles values;
    FilInts scratch;
} FilBlockSum;

void fil_block_sum_free(FilBlockSum* sum);

/* Adopts the lists: the variables of list k are variable[end[k - 1]] ... variable[end[k] - 1]. `*same` says that they
 * are those of the last call. False when out of memory. */
bool fil_block_sum_adopt(FilBlockSum* sum, int columns, int lists, const int* end, const int* variable, bool* same);

/* For writing lists: appends a variable to the last one, which began at `first`, unless it is there or negative. Returns
 * which of the list it is, -1 if negative. */
static inline int fil_block_list_put(int* variable, int first, int* end, int which)
{
    int at = first;
    while (at < *end && variable[at] != which) {
        at++;
    }
    if (at == *end && which >= 0) {
        variable[(*end)++] = which;
    }
    return which >= 0 ? at - first : -1;
}

/* The same of an adopted list; -1: it is not there. */
static inline int fil_block_sum_find(const FilBlockSum* sum, int list, int which)
{
    const int first = list > 0 ? sum->end.at[list - 1] : 0;
    int at = first;
    while (at < sum->end.at[list] && sum->variable.at[at] != which) {
        at++;
    }
    return at < sum->end.at[list] ? at - first : -1;
}

FilBlockPattern fil_block_sum_pattern(const FilBlockSum* sum);
void fil_block_sum_clear(FilBlockSum* sum);

/* The block of variables (row, column), both counted in the list, 16 numbers by columns; NULL above the diagonal. */
static inline double* fil_block_sum_at(FilBlockSum* sum, int list, int row, int column)
{
    const int first = list > 0 ? sum->end.at[list - 1] : 0, m = sum->end.at[list] - first;
    const int place = sum->place.at[sum->place_start.at[list] + m * row + column];
    return place >= 0 ? sum->values.at + FIL_BLOCK_SIZE * (size_t)place : NULL;
}

/* Adds to it. Blocks above the diagonal are ignored: give all m x m of them. */
static inline void fil_block_sum_add(FilBlockSum* sum, int list, int row, int column, const double* block)
{
    double* to = fil_block_sum_at(sum, list, row, column);
    for (int k = 0; to != NULL && k < FIL_BLOCK_SIZE; k++) {
        to[k] += block[k];
    }
}

#endif
