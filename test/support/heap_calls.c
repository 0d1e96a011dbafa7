#include "heap_calls.h"

#include <stddef.h>

int heap_calls;

/* the linker's names for the functions that it replaces, and for their replacements */
void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* block, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void* block);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* block, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void* block);

void* __wrap_malloc(size_t size)
{
    heap_calls++;
    return __real_malloc(size);
}

void* __wrap_calloc(size_t count, size_t size)
{
    heap_calls++;
    return __real_calloc(count, size);
}

void* __wrap_realloc(void* block, size_t size)
{
    heap_calls++;
    return __real_realloc(block, size);
}

void* __wrap_aligned_alloc(size_t alignment, size_t size)
{
    heap_calls++;
    return __real_aligned_alloc(alignment, size);
}

void __wrap_free(void* block)
{
    heap_calls++;
    __real_free(block);
}
