/* Arrays that only ever grow: the workspace of solvers that are called step after step. */
#ifndef FILUM_LINALG_BUFFER_H
#define FILUM_LINALG_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"

typedef struct FilInts {
    int* at;
    size_t capacity;
} FilInts;

typedef struct FilDoubles {
    double* at;
    size_t capacity;
} FilDoubles;

typedef struct FilFloats {
    float* at;
    size_t capacity;
} FilFloats;

/* Makes room for `count` items of `size` bytes, and half as many again when it must grow. Old contents are lost then, and new ones are
 * any. False when out of memory. */
static inline bool fil_buffer_reserve(void** block, size_t* capacity, size_t count, size_t size)
{
    if (*block != NULL && count <= *capacity) {
        return true;
    }
    fil_free(*block);
    *capacity = count + count / 2;
    *block = fil_alloc_unset(*capacity, size);
    if (*block == NULL) {
        *capacity = 0;
    }
    return *block != NULL;
}

static inline bool fil_ints_reserve(FilInts* ints, size_t count)
{
    void* block = ints->at;
    const bool done = fil_buffer_reserve(&block, &ints->capacity, count, sizeof *ints->at);
    ints->at = block;
    return done;
}

/* Makes room for more ints behind those in use, which stay. */
static inline bool fil_ints_extend(FilInts* ints, size_t used, size_t more)
{
    FilInts grown = {0};
    if (ints->at != NULL && used + more <= ints->capacity) {
        return true;
    }
    if (!fil_ints_reserve(&grown, used + more)) {
        return false;
    }
    if (used > 0) {
        memcpy(grown.at, ints->at, used * sizeof(int));
    }
    fil_free(ints->at);
    *ints = grown;
    return true;
}

static inline bool fil_doubles_reserve(FilDoubles* doubles, size_t count)
{
    void* block = doubles->at;
    const bool done = fil_buffer_reserve(&block, &doubles->capacity, count, sizeof *doubles->at);
    doubles->at = block;
    return done;
}

static inline bool fil_floats_reserve(FilFloats* floats, size_t count)
{
    void* block = floats->at;
    const bool done = fil_buffer_reserve(&block, &floats->capacity, count, sizeof *floats->at);
    floats->at = block;
    return done;
}

#endif
