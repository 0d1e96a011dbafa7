/* Writing messages for people, and assertions for programmers. */
#ifndef FILUM_BASE_ERROR_H
#define FILUM_BASE_ERROR_H

#include <assert.h>

#include "filum/base.h"

#define FIL_ASSERT(condition) assert(condition)

/* Writes the message (if `error` is not NULL) and returns `status`, so that callers can `return fil_error(...)`. */
FilStatus fil_error(FilError* error, FilStatus status, const char* format, ...) FIL_PRINTF(3, 4);

#endif
