/* Writing messages for people, and assertions for programmers. */
#ifndef FILUM_BASE_ERROR_H
#define FILUM_BASE_ERROR_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "filum/base.h"

#define FIL_ASSERT(condition) assert(condition)

/* Writes the message (if `error` is not NULL) and returns `status`, so that callers can `return fil_error(...)`. */
FilStatus fil_error(FilError* error, FilStatus status, const char* format, ...) FIL_PRINTF(3, 4);

/* A number of a definition that must be finite and not negative, and what it is called. */
typedef struct FilCheckedNumber {
    const char* name;
    double value;
    bool positive; /* zero is refused, too */
} FilCheckedNumber;

FilStatus fil_check_numbers(const FilCheckedNumber* numbers, size_t count, FilError* error);

#endif
