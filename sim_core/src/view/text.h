/* Texts that are kept: bytes that may hold anything, with a zero behind them. */
#ifndef FILUM_VIEW_TEXT_H
#define FILUM_VIEW_TEXT_H

#include <stdlib.h>
#include <string.h>

/* A copy for free(); NULL when out of memory. */
static inline char* fil_view_copy_text(const char* text, size_t size)
{
    char* copy = malloc(size + 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

#endif
