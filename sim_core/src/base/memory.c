#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Blocks of this size and more ask for large pages. */
enum { LARGE_PAGE = 1 << 21 };

void* fil_alloc(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - FIL_ALIGNMENT) / size) {
        return NULL;
    }
    // never empty
    const size_t alignment = count * size >= LARGE_PAGE ? LARGE_PAGE : FIL_ALIGNMENT;
    const size_t bytes = (count * size + FIL_ALIGNMENT) / FIL_ALIGNMENT * FIL_ALIGNMENT;
    void* block = NULL;
    if (posix_memalign(&block, alignment, bytes) != 0) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    if (alignment == LARGE_PAGE) {
        (void)madvise(block, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);  // a hint: small pages do as well
    }
#endif
    memset(block, 0, bytes);
    return block;
}

void fil_free(void* block)
{
    free(block);
}

int fil_grow(void** block, size_t old_count, size_t new_count, size_t size)
{
    void* grown = fil_alloc(new_count, size);
    if (grown == NULL) {
        return 0;
    }
    if (*block != NULL) {
        memcpy(grown, *block, old_count * size);
    }
    fil_free(*block);
    *block = grown;
    return 1;
}

bool fil_array_reserve(void** array, int count, int* capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    const int wanted = 2 * *capacity + 8;
    if (!fil_grow(array, (size_t)*capacity, (size_t)wanted, size)) {
        return false;
    }
    *capacity = wanted;
    return true;
}

char* fil_strdup(const char* text)
{
    const size_t size = strlen(text) + 1;
    char* copy = malloc(size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}
