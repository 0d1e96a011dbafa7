/* Heap blocks, cache-line aligned and zeroed; used at creation only, never inside a step. */
#ifndef FILUM_BASE_MEMORY_H
#define FILUM_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a cache line on amd64 and on most arm64, and of the widest register (AVX-512). */
#define FIL_ALIGNMENT 64

/* Zeroed, 64-byte aligned block for `count` items of `size` bytes; NULL when out of memory. count 0 gives a block. */
void* fil_alloc(size_t count, size_t size);
/* The same with any contents: of a large one, what is never written takes no memory of the machine. */
void* fil_alloc_unset(size_t count, size_t size);
void fil_free(void* block); /* NULL is fine */

/* Grows *block from `old_count` to `new_count` items, new ones zeroed. Returns 0 and leaves *block when out of memory. */
int fil_grow(void** block, size_t old_count, size_t new_count, size_t size);

/* Room for one more item behind `count`, by doubling: *capacity follows. False, and nothing changed, when out of memory. */
bool fil_array_reserve(void** array, int count, int* capacity, size_t size);

/* Room for `more` items behind `count`; the same otherwise. */
bool fil_array_reserve_more(void** array, int count, int more, int* capacity, size_t size);

/* ---- budgets ---- */

typedef struct FilMemoryBudget {
    size_t limit;  /* bytes */
    size_t used;   /* by blocks taken and not given back inside of it */
    bool exceeded; /* a block was refused */
} FilMemoryBudget;

/* From now on blocks of this thread count, and those for which there is no room are refused as if memory had run out. NULL: none
 * counts. Returns what was in force before, to be entered again. Blocks that other threads or libraries take do not count. */
FilMemoryBudget* fil_memory_enter(FilMemoryBudget* budget);
/* Whether one is in force: then what takes memory is done by this thread alone. */
bool fil_memory_is_limited(void);

/* A heap copy of a string; NULL when out of memory. */
char* fil_strdup(const char* text);

#endif
