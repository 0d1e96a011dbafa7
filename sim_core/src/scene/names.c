#include "scene/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer names are compared by their first characters only. */
#define LONGEST 96

static int compare_names(const void* a, const void* b)
{
    const FilName* x = a;
    const FilName* y = b;
    const int order = strcmp(x->text, y->text);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

bool fil_names_build(FilNames* names, FilPool* pool, const char* const* texts, int count)
{
    names->count = count;
    names->names = fil_pool_alloc(pool, (size_t)count, sizeof(FilName));
    if (names->names == NULL) {
        return false;
    }
    for (int k = 0; k < count; k++) {
        names->names[k] = (FilName){.text = texts[k], .index = k};
    }
    qsort(names->names, (size_t)count, sizeof(FilName), compare_names);
    return true;
}

int fil_names_find(const FilNames* names, const char* text)
{
    int low = 0, high = names->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int order = strcmp(text, names->names[middle].text);
        if (order == 0) {
            return names->names[middle].index;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return -1;
}

int fil_names_duplicate(const FilNames* names)
{
    int duplicate = -1;
    for (int k = 1; k < names->count; k++) {
        const FilName* name = &names->names[k];
        if (strcmp(name[-1].text, name->text) == 0 && (duplicate < 0 || name->index < duplicate)) {
            duplicate = name->index;
        }
    }
    return duplicate;
}

static int smallest(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

int fil_edit_distance(const char* a, const char* b, int limit)
{
    const int n = (int)strnlen(a, LONGEST), m = (int)strnlen(b, LONGEST);
    if (abs(n - m) > limit) {
        return limit + 1;
    }
    // optimal string alignment: three rows of the table are enough to see a swap
    int rows[3][LONGEST + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (int j = 0; j <= m; j++) {
        above[j] = j;
    }
    for (int i = 1; i <= n; i++) {
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j]) {
                row[j] = before[j - 2] + 1;
            }
        }
        int* oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[m] <= limit ? above[m] : limit + 1;
}

FilGuess fil_guess_start(const char* wanted)
{
    // about one edit in three characters is still recognisable
    const int limit = 1 + (int)strnlen(wanted, LONGEST) / 3;
    return (FilGuess){.wanted = wanted, .best = NULL, .distance = limit + 1};
}

void fil_guess_try(FilGuess* guess, const char* candidate)
{
    const int distance = fil_edit_distance(guess->wanted, candidate, guess->distance - 1);
    if (distance < guess->distance) {
        guess->best = candidate;
        guess->distance = distance;
    }
}

FilHint fil_hint(const FilGuess* guess)
{
    FilHint hint = {""};
    if (guess->best != NULL) {
        snprintf(hint.text, sizeof hint.text, "; did you mean '%.120s'?", guess->best);
    }
    return hint;
}
