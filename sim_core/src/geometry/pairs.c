#include "geometry/pairs.h"

#include <limits.h>

#include "base/memory.h"

void fil_pairs_free(FilPairs* pairs)
{
    fil_free(pairs->items);
    *pairs = (FilPairs){0};
}

FilStatus fil_pairs_reserve(FilPairs* pairs, int more)
{
    if (more <= pairs->capacity - pairs->count) {
        return FIL_OK;
    }
    if (pairs->count > INT_MAX / 2 - more) {
        return FIL_OUT_OF_MEMORY;
    }
    const int capacity = 2 * pairs->count + more + 64;
    void* block = pairs->items;
    if (!fil_grow(&block, (size_t)pairs->count, (size_t)capacity, sizeof *pairs->items)) {
        return FIL_OUT_OF_MEMORY;
    }
    pairs->items = block;
    pairs->capacity = capacity;
    return FIL_OK;
}
