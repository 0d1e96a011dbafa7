/* Looking names up, finding names given twice, and guessing the name that was meant. */
#ifndef FILUM_SCENE_NAMES_H
#define FILUM_SCENE_NAMES_H

#include <stdbool.h>

#include "scene/pool.h"

typedef struct FilName {
    const char* text; /* borrowed */
    int index;        /* of what is named in its own list */
} FilName;

/* Sorted by text, then by index. */
typedef struct FilNames {
    FilName* names;
    int count;
} FilNames;

/* An index of `count` names, allocated from the pool; false when out of memory. */
bool fil_names_build(FilNames* names, FilPool* pool, const char* const* texts, int count);

/* Index of what is called `text`, or -1. */
int fil_names_find(const FilNames* names, const char* text);

/* Smallest index whose name another, smaller index has already, or -1. */
int fil_names_duplicate(const FilNames* names);

/* Edits (insert, delete, replace, swap of neighbours) that turn a into b; anything above `limit` gives limit + 1. */
int fil_edit_distance(const char* a, const char* b, int limit);

/* Keeps the candidate nearest to a misspelt name, if it is near enough to be a guess worth making. */
typedef struct FilGuess {
    const char* wanted;
    const char* best; /* NULL: nothing near enough so far */
    int distance;
} FilGuess;

FilGuess fil_guess_start(const char* wanted);
void fil_guess_try(FilGuess* guess, const char* candidate);

typedef struct FilHint {
    char text[160];
} FilHint;

/* "; did you mean 'run'?", or nothing if the guess found nothing near. */
FilHint fil_hint(const FilGuess* guess);

#endif
