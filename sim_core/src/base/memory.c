#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Blocks of this size and more ask for large pages. */
enum { LARGE_PAGE = 1 << 21 };

static _Thread_local FilMemoryBudget* budget_in_force;

FilMemoryBudget* fil_memory_enter(FilMemoryBudget* budget)
{
    FilMemoryBudget* before = budget_in_force;
    budget_in_force = budget;
    return before;
}

bool fil_memory_is_limited(void)
{
    return budget_in_force != NULL;
}

/* Whether there is room for a block. */
static bool is_affordable(size_t bytes)
{
    FilMemoryBudget* budget = budget_in_force;
    if (budget == NULL || (budget->used < budget->limit && bytes <= budget->limit - budget->used)) {
        return true;
    }
    budget->exceeded = true;
    return false;
}

static void count_taken(void* block)
{
    if (budget_in_force != NULL) {
        budget_in_force->used += malloc_usable_size(block);
    }
}

/* A block may be from before the budget. */
static void count_given_back(void* block)
{
    if (budget_in_force != NULL) {
        const size_t size = malloc_usable_size(block);
        budget_in_force->used -= size < budget_in_force->used ? size : budget_in_force->used;
    }
}

void* fil_alloc_unset(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - FIL_ALIGNMENT) / size) {
        return NULL;
    }
    // never empty
    const size_t alignment = count * size >= LARGE_PAGE ? LARGE_PAGE : FIL_ALIGNMENT;
    const size_t bytes = (count * size + FIL_ALIGNMENT) / FIL_ALIGNMENT * FIL_ALIGNMENT;
    void* block = NULL;
    if (!is_affordable(bytes) || posix_memalign(&block, alignment, bytes) != 0) {
        return NULL;
    }
    count_taken(block);
#ifdef MADV_HUGEPAGE
    if (alignment == LARGE_PAGE) {
        (void)madvise(block, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);  // a hint: small pages do as well
    }
#endif
    return block;
}

void* fil_alloc(size_t count, size_t size)
{
    void* block = fil_alloc_unset(count, size);
    if (block != NULL) {
        memset(block, 0, count * size);
    }
    return block;
}

void fil_free(void* block)
{
    count_given_back(block);
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

bool fil_array_reserve_more(void** array, int count, int more, int* capacity, size_t size)
{
    if (more <= *capacity - count) {
        return true;
    }
    // the sum below stays a number
    if (count > INT_MAX / 2 - more - 64) {
        return false;
    }
    // twice as many, so that n items are copied n times at most; 64 spare the first few copies
    const int wanted = 2 * count + more + 64;
    if (!fil_grow(array, (size_t)count, (size_t)wanted, size)) {
        return false;
    }
    *capacity = wanted;
    return true;
}

char* fil_strdup(const char* text)
{
    const size_t size = strlen(text) + 1;
    char* copy = is_affordable(size) ? malloc(size) : NULL;
    if (copy != NULL) {
        count_taken(copy);
        memcpy(copy, text, size);
    }
    return copy;
}
