#include "heap_calls.h"

#include <errno.h>
#include <stddef.h>

atomic_int heap_calls;
atomic_int heap_left = -1;
bool heap_once;

/* Counts a call; false where it has to fail. */
static bool granted(void)
{
    heap_calls++;
    if (heap_left < 0) {
        return true;
    }
    if (heap_left == 0) {
        return false;
    }
    const bool last = --heap_left <= 0;
    if (last) {
        heap_left = heap_once ? -1 : 0;
    }
    return !last;
}

/* the linker's names for the functions that it replaces, and for their replacements */
void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* block, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void** block, size_t alignment, size_t size);
void __real_free(void* block);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* block, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void** block, size_t alignment, size_t size);
void __wrap_free(void* block);

void* __wrap_malloc(size_t size)
{
    return granted() ? __real_malloc(size) : NULL;
}

void* __wrap_calloc(size_t count, size_t size)
{
    return granted() ? __real_calloc(count, size) : NULL;
}

void* __wrap_realloc(void* block, size_t size)
{
    return granted() ? __real_realloc(block, size) : NULL;
}

void* __wrap_aligned_alloc(size_t alignment, size_t size)
{
    return granted() ? __real_aligned_alloc(alignment, size) : NULL;
}

int __wrap_posix_memalign(void** block, size_t alignment, size_t size)
{
    return granted() ? __real_posix_memalign(block, alignment, size) : ENOMEM;
}

void __wrap_free(void* block)
{
    heap_calls++;
    __real_free(block);
}
